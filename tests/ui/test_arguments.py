"""Every value that a program may send is answered, or refused with what was found and needed."""

import math
import shutil

import pytest

from focal_app.errors import PromptError
from focal_app.explore.reading.bundled_cases import CASES
from focal_app.ui.server import arguments
from focal_app.ui.server.endpoints import Endpoints

LONE = "AF \ud800"
NUMBERS = ("0.5", None, True, [1], {"a": 1}, math.nan, math.inf, -math.inf, 10**400, -(10**400))
TEXTS = (5, True, [], {}, ["LBBB"], LONE, "x" * 20_000, math.nan)
LISTS = ("LBBB", {"LBBB": 1}, 5, True, [["LBBB"], None], [5], [None], [LONE], ["x"] * 400)


def never():
    """A model that no wrong question may reach."""
    raise AssertionError("the model was asked")


ENDS = Endpoints(never, never)  # type: ignore[arg-type]
WRONG = {
    "read": {"prompts": LISTS, "prompts_of": TEXTS, "start_s": NUMBERS, "heatmap": (1, "yes", [])},
    "verify": {
        "report": TEXTS,
        "threshold": [one for one in NUMBERS if one is not None],
        "start_s": NUMBERS,
        "features": LISTS,
    },
    "propose": {"report": TEXTS, "send": (1, "yes", [])},
    "search": {
        "text": TEXTS,
        "top": (*NUMBERS, 1.5, 0, 51),
        "labels": LISTS,
        "sex": TEXTS,
        "age_from": (*NUMBERS, 30.5, -1),
        "age_to": (*NUMBERS, 121),
        "source": TEXTS,
    },
    "similar": {
        "top": (*NUMBERS, 1.5),
        "finding": TEXTS,
        "lead": TEXTS,
        "from_s": NUMBERS,
        "to_s": NUMBERS,
        "start_s": NUMBERS,
    },
}


WITHOUT_A_FILE = ("search", "propose")


@pytest.mark.parametrize(("end", "name"), [(end, name) for end in WRONG for name in WRONG[end]])
def test_a_wrong_type_is_refused_in_a_sentence_before_the_model_is_asked(end, name, tmp_path):
    needed = {"verify": {"report": "LBBB"}, "propose": {"report": "LBBB"}, "search": {"text": "AF"}}
    asked = needed.get(end, {})
    for number, value in enumerate(WRONG[end][name]):
        folder = tmp_path / str(number)
        folder.mkdir()
        own = [str(shutil.copy(CASES / f"normal{ending}", folder)) for ending in (".hea", ".dat")]
        files = {} if end in WITHOUT_A_FILE else {"files": own}
        with pytest.raises(PromptError, match=rf"^found .* as {name}; needed .*\.$") as refused:
            getattr(ENDS, end)(**{**asked, **files, name: value})
        assert len(str(refused.value)) < 200
        assert end in WITHOUT_A_FILE or not folder.exists()


def test_what_was_found_is_named_by_its_kind_alone():
    with pytest.raises(PromptError) as refused:
        arguments.texts("prompts", "LBBB of Jane Roe", most=300, longest=200)
    assert str(refused.value) == (
        "found a text as prompts; needed a list of at most 300 texts of at most 200 characters "
        "each."
    )


def test_what_fits_comes_back_as_it_was():
    assert arguments.texts("prompts", ["LBBB"], most=2, longest=9) == ("LBBB",)
    assert arguments.texts("prompts", None, most=2, longest=9) == ()
    assert arguments.whole("top", 10.0, low=1, high=50) == 10
    assert arguments.number("threshold", 1, low=0, high=1) == 1.0
    assert arguments.text("report", None, longest=5) == ""
    assert arguments.yes_or_no("heatmap", None) is False
