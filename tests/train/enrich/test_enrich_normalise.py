"""Features through the lexicon."""

import pytest

from focal_app.lexicon import load_lexicon
from train.enrich.normalise import clean, normalise


def of(*said: str, tags: tuple[str, ...] = ()):
    return normalise(said, tags=tags, lexicon=load_lexicon())


def test_every_synonym_becomes_the_preferred_tag() -> None:
    for statement in load_lexicon():
        assert of(statement.tag, *statement.synonyms).kept == (statement.tag,)


@pytest.mark.parametrize(
    "wording",
    ["Absent P waves.", "**absent P waves**", "3. Absent P wave", "absent P waves (in all leads)"],
)
def test_wordings_of_one_feature_become_one(wording: str) -> None:
    found = of(wording, "absent P waves")
    assert (found.kept, found.known, found.repeated) == (("absent P waves",),) * 2 + (1,)


def test_an_unknown_feature_is_kept_as_cleaned_text_in_its_place() -> None:
    found = of('  "Notched   R wave in V5."', "Absent P waves", "notched R wave in V5")
    assert found.kept == ("notched R wave in V5", "absent P waves")
    assert (found.known, found.repeated) == (("absent P waves",), 1)


def test_a_feature_that_the_report_names_already_is_left_out_and_counted() -> None:
    found = of(
        "AFib", "absent P waves", "Slow upstroke", tags=("atrial fibrillation", "slow upstroke")
    )
    assert found.kept == ("absent P waves",)
    assert found.already == ("atrial fibrillation", "slow upstroke")


def test_a_feature_that_a_tag_excludes_is_kept_and_marked() -> None:
    found = of("P wave before every QRS complex", "absent P waves", tags=("AFIB",))
    assert set(found.kept) == {"P wave before every QRS complex", "absent P waves"}
    assert found.contradictory == ("P wave before every QRS complex",)


@pytest.mark.parametrize("nothing", ["", "  ", "1.", "[]", "12 34", "x" * 161])
def test_what_can_be_no_feature_is_counted(nothing: str) -> None:
    found = of(nothing, "absent P waves")
    assert (found.kept, found.unusable) == (("absent P waves",), 1)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("ST depression in V5", "ST depression in V5"),
        ("QRS wide.", "QRS wide"),
        ("P waves absent", "P waves absent"),
        ("Tall T waves;", "tall T waves"),
        ("2) `U wave`", "U wave"),
        ("absent\x01\nP\x00 waves", "absent P waves"),
        ("anterior infarct, old", "anterior infarct, old"),
    ],
)
def test_cleaning_spares_names_of_waves(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_nothing_is_lost_uncounted() -> None:
    said = (
        "AFib",
        "1.",
        "absent P waves",
        "absent P waves",
        "delta",
        "Delta",
        "irregular RR intervals",
    )
    found = of(*said, tags=("atrial fibrillation",))
    left_out = len(found.already) + found.repeated + found.unusable
    assert len(found.kept) + left_out == len(said)
