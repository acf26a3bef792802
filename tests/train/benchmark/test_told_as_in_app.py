"""The figures of `combine` raise a statement by narrower ones exactly where the app does."""

import numpy as np
import pytest
from scipy.special import expit, logit

from focal_app.ecg.measured import Quantities
from focal_app.explore.reading.explorer import EMBEDDED
from focal_app.explore.reading.told import Telling
from focal_app.model.combination import (
    RAISING,
    Combined,
    Term,
    joined_under,
    load_combination,
)
from focal_app.model.focal import Focal
from train.benchmark.combined import told
from train.benchmark.out_of_fold import Scores


def test_a_narrower_finding_raises_broader_ones_as_in_the_app_measured_or_not():
    names = ["left ventricular hypertrophy", "hypertrophy", *RAISING, "conduction disturbance"]
    curve = Combined(1.0, 0.0, (Term("sokolow_lyon_mv", 3.5, 0.7, 1.0),))
    found = [Quantities({"sokolow_lyon_mv": 3.5}), Quantities({})]
    own = np.array([[0.9, 0.2, 0.8, 0.7, 0.1, 0.6, 0.4, 0.3, 0.95, 0.5, 0.3]] * 2)
    in_app = Telling({names[0]: curve}).told(names, own, found)
    in_training = told(Scores(tuple(names), (), logit(own)), {names[0]: curve})
    assert expit(in_training.log_odds) == pytest.approx(in_app)
    assert in_app[:, 1].tolist() == pytest.approx([0.95, 0.95])
    assert in_app[0, 4:].tolist() == pytest.approx([0.6, 0.6, 0.4, 0.3, 0.95, 0.5, 0.8])


def test_what_is_two_things_at_once_is_told_as_their_product_as_in_the_app():
    names = ["sinus bradycardia", "bradycardia", "sinus rhythm"]
    curves = {name: Combined(1.0, 0.0, ()) for name in names[1:]}
    own = np.array([[0.01, 0.9, 0.8], [0.99, 0.9, 0.1], [0.99, 0.001, 0.9]])
    in_app = Telling(curves).told(names, own, [Quantities({})] * 3)
    in_training = told(Scores(tuple(names), (), logit(own)), curves)
    assert expit(in_training.log_odds) == pytest.approx(in_app)
    assert in_app[:, 0].tolist() == pytest.approx([0.72, 0.09, 0.0009])
    assert (in_app[:, 1:] == own[:, 1:]).all()
    assert Telling(curves).beside(names[0]) == ("sinus rhythm", "bradycardia")
    assert Telling().told(names, own, [Quantities({})] * 3).tolist() == own.tolist()


def test_a_fibrillation_is_rapid_or_slow_by_the_rate_with_the_shipped_curves():
    curves = load_combination(EMBEDDED, Focal.load(EMBEDDED).fingerprint)
    rapid, slow = (
        f"atrial fibrillation with {one} ventricular response" for one in ("rapid", "slow")
    )
    names = [rapid, slow, *Telling(curves).beside(rapid), *Telling(curves).beside(slow)]
    own = np.full((3, len(names)), 0.9)
    found = [Quantities({"rate_per_min": rate}) for rate in (45.0, 80.0, 130.0)]
    told = Telling(curves).told(names, own, found)[:, :2] > 0.5
    assert told.tolist() == [[False, True], [False, False], [True, False]]
    tachycardia = joined_under("tachycardia", curves)
    assert "ventricular tachycardia" not in tachycardia, "which the rate tells"
