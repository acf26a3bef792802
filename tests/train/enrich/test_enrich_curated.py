"""The lexicon in place of a model."""

from pathlib import Path

from focal_app.lexicon import load_lexicon
from train.enrich.backends import curated
from train.enrich.backends.curated import Curated
from train.enrich.candidates import candidate_lines, read_candidates
from train.enrich.generate import enrich


def test_candidates_are_the_lexicons_features_without_those_of_the_report(tmp_path: Path) -> None:
    tags = ("atrial fibrillation", "irregular RR intervals")
    report = enrich([tags], Curated(), out=tmp_path)
    features = read_candidates(tmp_path)[frozenset(tags)]
    assert "absent P waves" in features
    assert "irregular RR intervals" not in features
    assert report.echoes == 1


def test_what_a_statement_implies_brings_its_features_too(tmp_path: Path) -> None:
    lexicon = load_lexicon()
    child = next(s for s in lexicon if s.parents and any(lexicon[p].features for p in s.parents))
    enrich([(child.tag,)], Curated(), out=tmp_path)
    wanted = {f for p in child.parents for f in lexicon[p].features} - {child.tag}
    assert wanted <= set(read_candidates(tmp_path)[frozenset([child.tag])])


def test_no_statement_is_given_a_feature_that_contradicts_it(tmp_path: Path) -> None:
    report = enrich([(s.tag,) for s in load_lexicon()], Curated(), out=tmp_path)
    assert (report.contradictory, report.malformed, report.unusable, report.apart) == (0, 0, 0, 0)
    assert report.features > 0


def test_an_unknown_tag_has_no_features_and_is_counted(tmp_path: Path) -> None:
    report = enrich([("pacemaker rhythm of the moon",)], Curated(), out=tmp_path)
    assert (report.none_proposed, report.ok) == (1, 0)
    assert (report.retried, report.calls) == (0, 2)  # asked again, the lexicon says the same


def test_no_model_is_named(tmp_path: Path) -> None:
    enrich([("atrial fibrillation",)], Curated(), out=tmp_path)
    (line,) = candidate_lines(tmp_path)
    assert line.backend == "curated"
    assert line.model.startswith("lexicon-")


def test_a_changed_lexicon_is_asked_anew(tmp_path: Path, monkeypatch) -> None:
    enrich([("atrial fibrillation",)], Curated(), out=tmp_path)
    changed = tmp_path / "lexicon.yaml"
    changed.write_bytes(curated.LEXICON.read_bytes() + b"# another\n")
    monkeypatch.setattr(curated, "LEXICON", changed)
    assert enrich([("atrial fibrillation",)], Curated(), out=tmp_path).calls == 2
