"""The endpoints for programs: /read, /verify, /propose, /search, /similar, over `gradio_client`.

    from gradio_client import Client, handle_file
    client = Client("http://127.0.0.1:7860")
    client.predict(files=[handle_file("a.hea"), handle_file("a.dat")], api_name="/read")

They answer with the JSON of the command line. A file that is sent is read once and deleted.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from html import escape
from inspect import signature
from typing import Any

import gradio as gr
from gradio.components import Component

from focal_app.ecg.complete import CompleteECG
from focal_app.errors import FocalError, LLMError
from focal_app.explore.reading import document as documents
from focal_app.explore.reading.prompts import (
    EVERYDAY,
    LONGEST,
    MOST_PROMPTS,
    checked,
    prompt_set,
)
from focal_app.explore.report import documents as reports
from focal_app.explore.report import verification as verifications
from focal_app.explore.report.candidates import lexicon_candidates, model_proposals
from focal_app.explore.report.language_model import (
    ASKED_S,
    asked_about,
    conversation,
    propose,
    server_from,
)
from focal_app.ui.cases.filters import OLDEST, ages
from focal_app.ui.read.uploads import read_upload
from focal_app.ui.server import arguments
from focal_app.ui.server.fairness import ASKING, LANE
from focal_app.ui.server.logs import told
from focal_app.ui.server.model_source import LazyExplorer, LazyGallery
from focal_app.ui.server.time_limit import LIMIT_S, limited
from focal_app.words.statements import LONGEST_REPORT, report_tags

MOST_HITS, MOST_LABELS, MOST_FEATURES = 50, 20, 200
LONGEST_S = 86_400
"""A day: times are checked against the recording later, and said so then."""
Answer = dict[str, Any]
_COMPONENTS: dict[object, Callable[..., Component]] = {
    str: gr.Textbox,
    bool: gr.Checkbox,
    int: partial(gr.Number, precision=0),
    float: gr.Number,
    float | None: gr.Number,
    Sequence[str]: gr.JSON,
    Sequence[str] | None: gr.JSON,
}
"""What passes a parameter of an endpoint on, by its type."""


class Endpoints:
    """One method an endpoint; the docstring is what its documentation shows."""

    def __init__(self, reader: LazyExplorer, gallery: LazyGallery) -> None:
        self._reader = reader
        self._gallery = gallery

    def read(
        self,
        files: list[str],
        prompts: Sequence[str] = (),
        prompts_of: str = "",
        start_s: float = 0.0,
        heatmap: bool = False,
    ) -> Answer:
        """Scores findings on one recording: its file, or its .hea and signal file together.

        `prompts` are findings in plain words, `prompts_of` the name of a set such as
        ptbxl-super; with neither, the everyday set is asked. `start_s` is where the window of
        10 s begins. With `heatmap`, also where each finding shows.
        """
        ecg = _ecg(files)
        own = arguments.texts("prompts", prompts, most=MOST_PROMPTS, longest=LONGEST)
        begin_s, with_heatmap = (
            _seconds("start_s", start_s),
            arguments.yes_or_no("heatmap", heatmap),
        )
        named = arguments.text("prompts_of", prompts_of, longest=LONGEST)
        named = named or (None if own else EVERYDAY)
        chosen = prompt_set(named).prompts if named else ()
        asked = tuple(dict.fromkeys(checked([*chosen, *own])))
        reading = self._reader().read(ecg, asked, start_s=begin_s)
        return documents.document(reading, heatmap=with_heatmap)

    def verify(
        self,
        files: list[str],
        report: str,
        threshold: float | None = None,
        start_s: float = 0.0,
        features: Sequence[str] | None = None,
    ) -> Answer:
        """Verifies a report, and the waveform features it leaves out, on one recording.

        A row a statement: supported, undecided or not supported, with its features: the lexicon's,
        or those of `features`, as `/propose` gives them. `threshold` moves the probability from
        which on something is supported.
        """
        ecg = _ecg(files)
        report = arguments.text("report", report, longest=LONGEST_REPORT)
        sure = None
        if threshold is not None:
            sure = arguments.number("threshold", threshold, low=0, high=1)
        begin_s, tags = _seconds("start_s", start_s), report_tags(report)
        given = arguments.texts("features", features, most=MOST_FEATURES, longest=LONGEST)
        proposed = None if features is None else model_proposals(given, tags)
        found = verifications.verify(
            self._reader(),
            ecg,
            tags,
            proposed.candidates if proposed else lexicon_candidates(tags),
            report=report,
            start_s=begin_s,
        )
        more = {"proposals": proposed.document()} if proposed else {}
        return {**reports.document(found.moved(sure)), **more}

    def propose(self, report: str, send: bool = False) -> Answer:
        """Shows what the configured language model would be asked about a report, or asks it.

        With `send` the two prompts leave this machine: the report's findings as tags, never the
        ECG, the report itself or anything else of the patient. `features` go to `/verify`.
        """
        said = report_tags(arguments.text("report", report, longest=LONGEST_REPORT))
        wanted = arguments.yes_or_no("send", send)
        asked = asked_about(said)
        server = server_from(os.environ)
        if server is None:
            raise LLMError("no language model is configured here; take the lexicon's features")
        if not asked:
            raise LLMError("found no finding to ask about; the report needs at least one")
        shown: Answer = {
            "host": server.host,
            "model": server.model,
            "prompts": list(conversation(asked)),
            "sent": wanted,
        }
        if not wanted:
            return shown
        features = propose(server, asked)
        return {**shown, "features": list(features), **model_proposals(features, said).document()}

    def search(
        self,
        text: str,
        top: int = 10,
        labels: Sequence[str] = (),
        sex: str = "",
        age_from: float = 0,
        age_to: float = OLDEST,
        source: str = "",
    ) -> Answer:
        """Finds cases of the gallery that show what a text asks for, best first.

        The others are filters: labels that all have to be there, female or male, bounds of the
        age, a source. What is left empty does not filter.
        """
        asked = arguments.text("text", text, longest=LONGEST_REPORT)
        most = arguments.whole("top", top, low=1, high=MOST_HITS)
        bounds = (("age_from", age_from), ("age_to", age_to))
        youngest, oldest = (arguments.whole(n, age, low=0, high=OLDEST) for n, age in bounds)
        held = arguments.texts("labels", labels, most=MOST_LABELS, longest=LONGEST)
        either = arguments.text("sex", sex, longest=LONGEST)
        origin = arguments.text("source", source, longest=LONGEST)

        from focal_app.explore.cases.gallery import Filters
        from focal_app.explore.cases.search import search, search_document

        filters = Filters(
            labels=held,
            sex=either or None,
            age_years=ages(youngest, oldest),
            source=origin or None,
        )
        gallery = self._gallery()
        found = search(self._reader(), gallery, asked, filters=filters, top=most)
        return search_document(found, gallery=gallery.title)

    def similar(
        self,
        files: list[str],
        top: int = 10,
        finding: str = "",
        lead: str = "",
        from_s: float = 0.0,
        to_s: float = 0.0,
        start_s: float = 0.0,
    ) -> Answer:
        """Finds cases of the gallery that are like one recording, nearest first.

        As a whole; in one `finding` where it is named; or in the segment of a `lead` from
        `from_s` to `to_s` seconds.
        """
        ecg = _ecg(files)
        most = arguments.whole("top", top, low=1, high=MOST_HITS)
        asked = arguments.text("finding", finding, longest=LONGEST)
        marked = arguments.text("lead", lead, longest=LONGEST)
        begin_s, first_s, last_s = (
            _seconds(name, value)
            for name, value in (("start_s", start_s), ("from_s", from_s), ("to_s", to_s))
        )

        from focal_app.explore.cases.hits import hits_document
        from focal_app.explore.cases.similar import Finding, Segment, Whole, similar

        segment = Segment(marked, first_s, last_s) if marked else Whole()
        gallery = self._gallery()
        hits = similar(
            self._reader(),
            gallery,
            ecg,
            by=Finding(asked) if asked else segment,
            top=most,
            start_s=begin_s,
        )
        return {
            "gallery": gallery.title,
            "hits": hits_document(hits),
            "notice": documents.NOTICE,
        }


def build_api(reader: LazyExplorer, gallery: LazyGallery) -> None:
    """Adds the endpoints to the Blocks that are being built; nothing of them is to be seen."""
    ends = Endpoints(reader, gallery)
    _offer(ends.read)
    _offer(ends.verify)
    _offer(ends.propose, lane=ASKING, seconds=ASKED_S)
    _offer(ends.search)
    _offer(ends.similar)


def _inputs(endpoint: Callable[..., Answer]) -> Iterator[Component]:
    """A component for each parameter: files of an upload, or a value that arrives as it was sent.

    The endpoint says what is wrong with a value, not Gradio. No subclass of a component, for Gradio
    would write a stub beside this file.
    """
    for name, one in signature(endpoint).parameters.items():
        if name == "files":
            yield gr.File(file_count="multiple", visible=False)
            continue
        value = "" if one.default is one.empty else one.default
        value = [] if value == () else value  # of which Gradio knows that it is JSON
        component = _COMPONENTS[one.annotation](value, visible=False)
        component.preprocess = _as_sent
        yield component


def _as_sent(payload: Any) -> Any:  # noqa: ANN401
    return payload


def _offer(
    endpoint: Callable[..., Answer],
    *,
    lane: Mapping[str, Any] = LANE,
    seconds: float = LIMIT_S,
) -> None:
    """An endpoint of the method's name; it is pressed by no button of the page."""
    name = endpoint.__name__
    gr.Button(visible=False).click(
        told(limited(_refusing(endpoint), seconds=seconds)),
        inputs=[*_inputs(endpoint)],
        outputs=gr.JSON(visible=False),
        api_name=name,
        api_description=endpoint.__doc__,
        show_progress="hidden",
        **lane,
    )


def _refusing(endpoint: Callable[..., Answer]) -> Callable[..., Answer]:
    """The endpoint with a `FocalError` told to the client as it stands."""

    @wraps(endpoint)
    def answering(*values: object) -> Answer:
        try:
            return endpoint(*values)
        except FocalError as error:
            said = escape(str(error), quote=False)
            raise gr.Error(said, print_exception=False) from None

    return answering


def _ecg(files: object) -> CompleteECG:
    return read_upload(arguments.paths("files", files))


def _seconds(name: str, value: object) -> float:
    return arguments.number(name, value, low=0, high=LONGEST_S)
