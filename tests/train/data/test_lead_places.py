"""Recordings of which nobody drew places are taught the leads of the lexicon, where asked for."""

from focal_app.ecg.recording import LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.lexicon import load_lexicon
from train.data.corpus import Corpus
from train.data.shards import Shards
from train.fit.soft_targets import Vocabulary

SPEC = SignalSpec(sampling_rate_hz=100, window_samples=100, normalisation="millivolt")


def test_reports_teach_the_leads_of_their_findings_only_where_that_is_asked_for(
    archive_shards: Shards,
) -> None:
    words, lexicon = Vocabulary.of({*archive_shards.vocabulary}, None), load_lexicon()
    silent, taught = (
        next(
            Corpus([archive_shards], SPEC, numbers=words.numbers, leads_as_places=asked).batches(12)
        )
        for asked in (False, True)
    )
    assert not len(silent.shown) and len(taught.shown)
    said = {(int(e), words.names[t]) for e, t in zip(taught.owner, taught.tags, strict=True)}
    placed = {(e, tag) for e, tag in said if tag in lexicon and lexicon[tag].leads}
    shown = list(zip(taught.shown_in.tolist(), taught.shown.tolist(), taught.places, strict=True))
    assert {(e, words.names[tag]) for e, tag, _ in shown} == placed
    for _, tag, patches in shown:
        leads = patches.view(len(LEADS), -1).any(1)
        assert [lead for lead, on in zip(LEADS, leads, strict=True) if on] == [
            lead for lead in LEADS if lead in lexicon[words.names[tag]].leads
        ]
