"""What every tab is made of: words as HTML, an ECG on paper, and how events are connected."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any
from urllib.parse import quote

import gradio as gr
from gradio.blocks import Block, BlockContext
from gradio.components import Component
from gradio.events import Dependency
from markupsafe import Markup, escape

from focal_app.ecg.complete import CompleteECG
from focal_app.errors import FocalError, PromptError
from focal_app.figures import labels
from focal_app.figures.layout import PX_PER_MM
from focal_app.figures.paper import TEXT_MM, ecg_svg
from focal_app.ui import theme, wording
from focal_app.ui.read import wording_paper
from focal_app.ui.server.fairness import LANE
from focal_app.ui.server.logs import told
from focal_app.ui.server.time_limit import LIMIT_S, limited

LEAST_TEXT_PX = 11.5

Updates = dict[Block, object]


def words(value: str = "", *, scripts: Sequence[str] = (), **options: Any) -> gr.HTML:  # noqa: ANN401
    """HTML of our own making: without the default's text styles; its scripts read as one."""
    script = "\n".join(map(theme.script, scripts)) or None
    return gr.HTML(value, js_on_load=script, apply_default_css=False, **options)


def paper(
    ecg: CompleteECG,
    *,
    px_per_mm: float = PX_PER_MM,
    coarse: bool = False,
    **options: Any,  # noqa: ANN401
) -> Markup:
    """An ECG on paper of so many pixels a millimetre; the other options are those of `ecg_svg`.

    `coarse` has the page ask for a finer tint.
    """
    drawn = ecg_svg(ecg, text_mm=max(TEXT_MM, LEAST_TEXT_PX / px_per_mm), **options)
    opened = Markup(
        '<div class="leaf" style="--px:{}" data-coarse="{}" data-label="{}" data-looked="{}" '
        'data-unseen="{}">'
    ).format(
        px_per_mm,
        "yes" if coarse else "",
        wording_paper.PAPER,
        labels.LOOKED_AT,
        labels.NOT_SEEN_AT,
    )
    return opened + Markup(drawn + "</div>")


def connect(
    event: Callable[..., Dependency],
    handler: Callable[..., Mapping[Block, object]],
    *,
    inputs: Sequence[Component],
    outputs: Sequence[Block],
    each: bool = False,
    js: str | None = None,
) -> Dependency:
    """Connects an event that is no endpoint for others.

    Of quick changes of one setting the last is enough; of edits and uploads each one counts. `js`
    runs before, and gives the inputs.
    """
    return event(
        handled(handler),
        inputs=list(inputs),
        outputs=list(outputs),
        js=js,
        show_progress="hidden",
        trigger_mode="multiple" if each else "always_last",
        api_visibility="private",
        **LANE,
    )


def handled(
    handler: Callable[..., Mapping[Block, object]], *, seconds: float = LIMIT_S
) -> Callable[..., object]:
    """A handler as Gradio gets it: within its time, and with a line in the log for each call."""
    return told(limited(_skipping(handler), seconds=seconds))


def show_waiting(page: gr.Blocks, part: Component) -> None:
    """Has one part of the page hold the status of every event that waits in line."""
    for function in page.fns.values():
        if (
            function.concurrency_id == LANE["concurrency_id"]
            and function.api_visibility != "public"
        ):
            function.show_progress, function.show_progress_on = "minimal", [part]


def connector(held: Sequence[Component], outputs: Sequence[Block]) -> Callable[..., Dependency]:
    """`connect` for the events of a tab, which all take what it holds and may alter all of it."""

    def on(
        event: Callable[..., Dependency],
        handler: Callable[..., Mapping[Block, object]],
        *inputs: Component,
        each: bool = False,
    ) -> Dependency:
        return connect(event, handler, inputs=[*held, *inputs], outputs=outputs, each=each)

    return on


def parts_of(tab: Any) -> list[Component | BlockContext]:  # noqa: ANN401
    """The parts of a tab in their order, from the attributes of the objects that hold them."""
    if isinstance(tab, Component | BlockContext):
        return [tab]
    return [part for held in vars(tab).values() for part in parts_of(held)]


def sheet(name: str, *scripts: str) -> gr.HTML:
    """A place for an ECG on paper."""
    return words(elem_id=name, elem_classes="paper", scripts=scripts or ["read/paper"])


def _skipping(handler: Callable[..., Mapping[Block, object]]) -> Callable[..., object]:
    """The handler, with "nothing changes" said as Gradio wants it, which refuses an empty dict."""

    @wraps(handler)
    def skipping(*values: object) -> object:
        told = [_Told(one) if isinstance(one, gr.EventData) else one for one in values]
        try:
            return handler(*told) or gr.skip()
        except FocalError as error:  # of a handler that has no place of its own for it
            raise gr.Error(escape(str(error)), print_exception=False) from None

    return skipping


class _Told(gr.EventData):
    """What a script of the page tells; what lacks something was sent by hand, and is refused."""

    def __init__(self, event: gr.EventData) -> None:
        super().__init__(event.target, event._data if isinstance(event._data, dict) else {})

    def __getattr__(self, name: str) -> object:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_"):
                raise
            raise gr.Error(wording.NOT_TOLD, print_exception=False) from None


def number(value: object) -> float:
    """A number that the page sent; a `PromptError` for anything else, which it does not send."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise PromptError(wording.NOT_TOLD)
    return found


def paragraph(text: str, kind: str = "hint") -> Markup:
    """A text as a paragraph of a kind that the style sheet knows."""
    return Markup('<p class="{}">{}</p>').format(kind, text)


def download(label: str, name: str, text: str, *, kind: str) -> Markup:
    """A link that saves a text of the page as a file; the text never lies on the server's disk."""
    address = f"data:{kind};charset=utf-8,{quote(text)}"
    return Markup('<a class="save" download="{}" href="{}">{}</a>').format(name, address, label)
