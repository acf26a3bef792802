"""What one visitor's page shows, and how each action changes it: values in, values out."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from focal_app.ecg.complete import CompleteECG
from focal_app.ecg.measurements import Waves
from focal_app.errors import PromptError
from focal_app.explore.reading.bundled_cases import BundledCase
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.explore.reading.prompts import prompt_set
from focal_app.explore.reading.reading import Finding, Reading
from focal_app.figures.layout import PX_PER_MM
from focal_app.figures.paper import Shown
from focal_app.figures.paper_settings import AT_FIRST, PaperSettings
from focal_app.ui import wording

if TYPE_CHECKING:
    # Not when the page is laid out: it brings torch with it.
    from focal_app.explore.reading.explorer import Explorer

SHARP = 0.1
"""The focus at first: at the paper's tau, 1, one prompt alone hardly stands out anywhere."""


@dataclass(frozen=True)
class View:
    """A recording, what is looked for in it, and what is chosen; `case` is None for an upload.

    `charted` is the lead whose chart is open.
    """

    ecg: CompleteECG
    case: str | None
    about: str
    prompt_set: str
    prompts: tuple[str, ...]
    start_s: float = 0.0
    tau: float = SHARP
    paper: PaperSettings = AT_FIRST
    px_per_mm: int = PX_PER_MM
    chosen: str | None = None
    reading: Reading | None = None
    fine: Heatmap | None = None
    charted: str | None = None

    @property
    def finding(self) -> Finding | None:
        """The chosen finding, where the reading has it."""
        findings = self.reading.findings if self.reading else ()
        return next((found for found in findings if found.prompt == self.chosen), None)

    @property
    def heatmap(self) -> Heatmap | None:
        """Where the chosen finding shows, as finely as is known by now."""
        if self.fine is not None:
            return self.fine
        return self.reading.heatmap(self.finding) if self.reading and self.finding else None

    @property
    def faint(self) -> bool:
        """Whether the tint must not look like that of something found."""
        return self.finding is not None and self.finding.improbable

    @property
    def shown(self) -> Shown:
        """What the paper shows besides the ECG."""
        return {
            "heatmap": self.heatmap,
            "faint": self.faint,
            "masked": self.masked,
            "waves": self.waves,
        }

    @property
    def masked(self) -> Heatmap | None:
        """Any heatmap of the reading: all of them know where the model did not look."""
        findings = self.reading.findings if self.reading else ()
        return self.reading.heatmap(findings[0]) if self.reading and findings else None

    @property
    def waves(self) -> Waves | None:
        """The measured waves, where the reading has them."""
        return self.reading.measured.waves if self.reading else None


def read(view: View, reader: "Explorer") -> View:
    """The view with a fresh reading of all that it looks for."""
    if not view.prompts:
        empty = replace(view.reading, findings=()) if view.reading else None
        return replace(view, reading=empty, chosen=None, fine=None)
    reading = reader.read(view.ecg, view.prompts, start_s=view.start_s, tau=view.tau)
    kept = view.chosen if view.chosen in view.prompts else None
    return at_once(replace(view, reading=reading, chosen=kept, fine=None), reader)


def refined(view: View, reader: "Explorer") -> View:
    """The view with the chosen finding's heatmap finer than a second; the same one if it is."""
    if view.finding is None or view.fine is not None:
        return view
    fine = reader.fine(view.ecg, view.finding.prompt, start_s=view.start_s, tau=view.tau)
    return replace(view, fine=fine)


def at_once(view: View, reader: "Explorer") -> View:
    """The same, with the finer heatmap where nobody has to wait for it."""
    return refined(view, reader) if reader.has_fine(view.ecg, start_s=view.start_s) else view


def with_recording(view: View, ecg: CompleteECG, case: BundledCase | None = None) -> View:
    """Another recording, from its first second and with nothing chosen; the prompts stay."""
    name, about = (case.name, case.description) if case else (None, "")
    fresh = replace(view, ecg=ecg, case=name, about=about, start_s=0.0)
    return replace(fresh, chosen=None, reading=None, fine=None)


def with_prompts(view: View, prompts: tuple[str, ...], *, chosen: str | None) -> View:
    """Other prompts; `chosen` is the one to show."""
    return replace(view, prompts=prompts, chosen=chosen)


def with_set(view: View, name: str) -> View:
    """The prompts of a set; what was chosen stays so where the set has it."""
    return replace(view, prompt_set=name, prompts=prompt_set(name).prompts)


def choosing(view: View, prompt: str, *, on: bool = True) -> View:
    """A finding chosen, or with `on` false none: what is wanted, whatever was chosen before."""
    if on and prompt not in view.prompts:
        raise PromptError(wording.PROMPT_GONE)
    return replace(view, chosen=prompt if on else None, fine=None)
