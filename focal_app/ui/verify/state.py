"""The Verify tab of one visitor, and how each action changes it: values in, values out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from focal_app.ecg.leads import CompleteECG
from focal_app.errors import PromptError
from focal_app.explore.report.candidates import (
    LEXICON,
    MODEL,
    Candidate,
    lexicon_candidates,
    model_candidates,
)
from focal_app.explore.report.language_model import asked_about
from focal_app.explore.report.verification import THRESHOLD, Verification, checked_threshold, verify
from focal_app.ui.read.state import Reader, View
from focal_app.ui.verify import wording
from focal_app.words.asides import Aside
from focal_app.words.statements import (
    MOST_TAGS,
    ReportTag,
    own_tag,
    typed_tag,
    understood_report,
)


@dataclass(frozen=True)
class VerifyView:
    """A report, its tags, and how they were verified on one window of one recording.

    `asides` are the lines of the report that state nothing of this ECG. `features` are a model's
    proposals for these tags, None where it was not asked; `ecg` is the recording on which the tags
    were verified.
    """

    report: str = ""
    tags: tuple[ReportTag, ...] = ()
    asides: tuple[Aside, ...] = ()
    source: str = LEXICON
    features: tuple[str, ...] | None = None
    threshold: float = THRESHOLD
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
    kept = replace(state, report=report.strip(), tags=found.tags, asides=found.asides)
    return replace(kept, features=None)


def with_findings(state: VerifyView, view: View) -> VerifyView:
    """The likely findings of the reading instead of a report."""
    findings = view.reading.findings if view.reading else ()
    likely = [own_tag(f.prompt) for f in findings if f.likely]
    if not likely:
        raise PromptError(wording.NO_LIKELY)
    return replace(state, report="", tags=_once(likely), asides=(), features=None)


def with_tag(state: VerifyView, old: str, text: str) -> VerifyView:
    """One tag in other words, or with no `old` one more, as `typed_tag` understands it."""
    new = typed_tag(text)
    if old and old not in {tag.tag for tag in state.tags}:
        raise PromptError(wording.TAG_GONE)
    if not old and len(state.tags) >= MOST_TAGS:
        raise PromptError(wording.tags_many(MOST_TAGS))
    tags = [new if tag.tag == old else tag for tag in state.tags]
    return replace(state, tags=_once([*tags, *([] if old else [new])]), features=None)


def without_tag(state: VerifyView, old: str) -> VerifyView:
    """One tag less."""
    return replace(state, tags=tuple(t for t in state.tags if t.tag != old), features=None)


def with_source(state: VerifyView, source: str) -> VerifyView:
    """Candidates from the lexicon, or from a model that has yet to be asked."""
    if source not in {LEXICON, MODEL}:
        raise PromptError(wording.NO_SOURCE)
    return replace(state, source=source)


def with_features(state: VerifyView, features: Sequence[str]) -> VerifyView:
    """What a model has proposed."""
    return replace(state, source=MODEL, features=tuple(features))


def with_threshold(state: VerifyView, threshold: float) -> VerifyView:
    """Another line between accepted and rejected; nothing is read again."""
    kept = checked_threshold(float(threshold))
    verification = state.verification
    sorted_anew = replace(verification, threshold=kept) if verification else None
    return replace(state, threshold=kept, verification=sorted_anew)


def choosing(state: VerifyView, prompt: str, *, on: bool) -> VerifyView:
    """A tag or a candidate whose heatmap is shown, or none."""
    reading = state.verification.reading if state.verification else None
    known = {f.prompt for f in reading.findings} if reading else set()
    if on and prompt not in known:
        raise PromptError(wording.TAG_GONE)
    return replace(state, chosen=prompt if on else None)


def verified(state: VerifyView, view: View, reader: Reader) -> VerifyView:
    """Every tag and candidate scored on the window that is open; nothing without tags."""
    if not state.tags:
        return replace(state, verification=None, chosen=None, ecg=None)
    found = verify(
        reader,
        view.ecg,
        state.tags,
        _candidates(state),
        report=state.report,
        threshold=state.threshold,
        start_s=view.start_s,
        tau=view.tau,
    )
    kept = {finding.prompt for finding in found.reading.findings}
    chosen = state.chosen if state.chosen in kept else None
    return replace(state, verification=found, chosen=chosen, ecg=view.ecg)


def _candidates(state: VerifyView) -> tuple[Candidate, ...]:
    if state.source == LEXICON:
        return lexicon_candidates(state.tags)
    return model_candidates(state.features or (), state.tags)


def _once(tags: Sequence[ReportTag]) -> tuple[ReportTag, ...]:
    return tuple({tag.tag: tag for tag in reversed(tags)}.values())[::-1]
