"""The shapes of the signatures are checked while tests run: `held` is what the first calls meet."""

import numpy as np
import pytest
import torch
from jaxtyping import TypeCheckError

from focal_app.ecg.recording import ECG, SourceFacts
from focal_app.model.transport import route_alone, semi_unbalanced_transport


def test_sizes_that_contradict_each_other_are_caught():
    with pytest.raises(TypeCheckError, match="B N"):
        route_alone.held(
            torch.zeros(2, 3, 10),
            epsilon=0.1,
            tau=1.0,
            patch_mask=torch.ones(2, 9, dtype=torch.bool),
        )


def test_a_number_type_that_does_not_fit_is_caught():
    with pytest.raises(TypeCheckError, match="tag_mask"):
        semi_unbalanced_transport.held(
            torch.zeros(2, 3, 10), epsilon=0.1, tau=1.0, tag_mask=torch.ones(2, 3)
        )


def test_fields_of_a_dataclass_are_checked():
    one = object.__new__(ECG)
    with pytest.raises(TypeCheckError, match="signal_mv"):
        ECG.__init__.held(one, np.zeros(5000, np.float32), ("I",), 500.0, SourceFacts("test"))
