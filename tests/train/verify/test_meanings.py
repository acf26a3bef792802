"""What a candidate's wording means, by the embedded checkpoint's tag encoder."""

import pytest

from focal_app.explore.reading.explorer import EMBEDDED
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from train.enrich.meanings import meanings


@pytest.fixture(scope="module")
def encoder():
    return Focal.load(EMBEDDED).text


def test_a_wording_means_a_statement_that_it_affirms_in_its_own_leads(encoder):
    meant = {
        "sinus tach": "sinus tachycardia",
        "QRS wider than three small squares": "wide QRS complex",
        "golden spike": None,
        "no LBBB": None,
        "QTc not prolonged": None,
        "ST elevation in V7-V9": None,
        "lacks left ventricular hypertrophy": None,
        "R in aVL above 11 mm": None,
    }
    assert meanings(encoder, list(meant), load_lexicon()) == meant
