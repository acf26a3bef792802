"""The Verify tab of one visitor, and how each action changes it: values in, values out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from focal_app.ecg.complete import CompleteECG
from focal_app.errors import PromptError
from focal_app.explore.report.candidates import (
    LEXICON,
    MODEL,
    Candidate,
    lexicon_candidates,
    model_proposals,
)
from focal_app.explore.report.language_model import asked_about
from focal_app.explore.report.verification import Verification, checked_threshold, verify
from focal_app.ui.read.state import View
from focal_app.ui.verify import wording
from focal_app.words.statements import (
    MOST_TAGS,
    ReportTag,
    own_tag,
    typed_tag,
    understood_report,
)

if TYPE_CHECKING:
    from focal_app.explore.reading.explorer import Explorer


@dataclass(frozen=True)
class VerifyView:
    """A report, its tags, and how they were verified on one window of one recording.

    `features` are a model's proposals for these tags, None where it gave none, and `failed` says
    that it was asked; `threshold` is None where the checkpoint's own border holds; `ecg` is the
    recording on which the tags were verified.
    """

    report: str = ""
    tags: tuple[ReportTag, ...] = ()
    source: str = LEXICON
    features: tuple[str, ...] | None = None
    failed: bool = False
    threshold: float | None = None
    verification: Verification | None = None
    chosen: str | None = None
    ecg: CompleteECG | None = None

    def fits(self, view: View) -> bool:
        """Whether what is shown was verified on the window that is open now."""
        reading = self.verification.reading if self.verification else None
        if reading is None or view.reading is None:
            return False
        return self.ecg is view.ecg and reading.start_s == view.reading.start_s

    @property
    def affirmed(self) -> tuple[str, ...]:
        """The tags that a model would be asked about."""
        return asked_about(self.tags)

    def on_paper(self, view: View) -> View:
        """The visitor's recording with this reading and this choice, to be drawn and spoken of."""
        reading = self.verification.reading if self.verification else None
        prompts = tuple(f.prompt for f in reading.findings) if reading else ()
        seen = replace(view, reading=reading, prompts=prompts, chosen=self.chosen)
        return replace(seen, fine=None)  # it belongs to what is chosen in Read


def with_report(state: VerifyView, report: str) -> VerifyView:
    """The tags of a report instead of the present ones."""
    found = understood_report(report)
    if not found.tags:
        raise PromptError(wording.no_tags(found.asides))
    return _of_tags(replace(state, report=report.strip()), found.tags)


def without_report(state: VerifyView) -> VerifyView:
    """No report; where the visitor put the border, and who proposes features, stays."""
    return VerifyView(source=state.source, threshold=state.threshold)


def with_findings(state: VerifyView, view: View) -> VerifyView:
    """The likely findings of the reading instead of a report."""
    findings = view.reading.findings if view.reading else ()
    likely = [own_tag(f.prompt) for f in findings if f.likely]
    if not likely:
        raise PromptError(wording.NO_LIKELY)
    return _of_tags(replace(state, report=""), _once(likely))


def with_tag(state: VerifyView, old: str, text: str) -> VerifyView:
    """One tag in other words, or with no `old` one more, as `typed_tag` understands it."""
    new = typed_tag(text)
    if old and old not in {tag.tag for tag in state.tags}:
        raise PromptError(wording.TAG_GONE)
    if not old and len(state.tags) >= MOST_TAGS:
        raise PromptError(wording.tags_many(MOST_TAGS))
    tags = [new if tag.tag == old else tag for tag in state.tags]
    return _of_tags(state, _once([*tags, *([] if old else [new])]))


def without_tag(state: VerifyView, old: str) -> VerifyView:
    """One tag less."""
    return _of_tags(state, tuple(t for t in state.tags if t.tag != old))


def with_source(state: VerifyView, source: str) -> VerifyView:
    """Candidates from the lexicon, or from a model that has yet to be asked."""
    if source not in {LEXICON, MODEL}:
        raise PromptError(wording.NO_SOURCE)
    return replace(state, source=source)


def with_features(state: VerifyView, features: Sequence[str]) -> VerifyView:
    """What a model has proposed."""
    return replace(state, source=MODEL, features=tuple(features), failed=False)


def without_answer(state: VerifyView) -> VerifyView:
    """A model was asked, and gave no list of features."""
    return replace(state, source=MODEL, features=None, failed=True)


def with_threshold(state: VerifyView, threshold: float) -> VerifyView:
    """Another border of what is supported; nothing is read again."""
    kept = checked_threshold(float(threshold))
    sorted_anew = state.verification.moved(kept) if state.verification else None
    return replace(state, threshold=kept, verification=sorted_anew)


def choosing(state: VerifyView, prompt: str, *, on: bool) -> VerifyView:
    """A tag or a candidate whose heatmap is shown, or none."""
    reading = state.verification.reading if state.verification else None
    known = {f.prompt for f in reading.findings} if reading else set()
    if on and prompt not in known:
        raise PromptError(wording.TAG_GONE)
    return replace(state, chosen=prompt if on else None)


def verified(state: VerifyView, view: View, reader: "Explorer") -> VerifyView:
    """Every tag and candidate scored on the window that is open; nothing without tags."""
    if not state.tags:
        return replace(state, verification=None, chosen=None, ecg=None)
    found = verify(
        reader,
        view.ecg,
        state.tags,
        _candidates(state),
        report=state.report,
        proposed=len(state.features or ()) if state.source == MODEL else None,
        start_s=view.start_s,
        tau=view.tau,
    )
    kept = {finding.prompt for finding in found.reading.findings}
    chosen = state.chosen if state.chosen in kept else None
    return replace(state, verification=found.moved(state.threshold), chosen=chosen, ecg=view.ecg)


def _candidates(state: VerifyView) -> tuple[Candidate, ...]:
    if state.source == LEXICON:
        return lexicon_candidates(state.tags)
    return model_proposals(state.features or (), state.tags).candidates


def _of_tags(state: VerifyView, tags: tuple[ReportTag, ...]) -> VerifyView:
    """Other statements, for which no model was asked yet."""
    return replace(state, tags=tags, features=None, failed=False)


def _once(tags: Sequence[ReportTag]) -> tuple[ReportTag, ...]:
    return tuple({tag.tag: tag for tag in reversed(tags)}.values())[::-1]
