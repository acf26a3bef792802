"""Which patches take part: those of the leads that are named, or all."""

import torch

from focal_app.ecg.recording import LEADS
from focal_app.model.places import by_leads, within


def test_no_leads_restrict_nothing_and_those_without_signal_neither():
    kept = torch.ones(2, len(LEADS) * 10, dtype=torch.bool)
    kept[1, LEADS.index("V1") * 10 : LEADS.index("V1") * 10 + 10] = False
    assert torch.equal(within(kept, ()), kept)
    (whole, masked) = within(kept, ("V1",))
    assert whole.sum() == 10 and torch.equal(masked, kept[1])


def test_what_is_restricted_alike_is_routed_together():
    assert by_leads([(), ("V1",), (), ("V1", "V2")]) == {
        (): [0, 2],
        ("V1",): [1],
        ("V1", "V2"): [3],
    }
