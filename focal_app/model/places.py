"""Which patches of a recording take part: those of some leads and windows.

within(kept, ["V1", "V2"])
by_leads([(), ("V1",), ()])    # {(): [0, 2], ("V1",): [1]}
"""

from collections.abc import Collection, Iterable

import torch
from jaxtyping import Bool
from torch import Tensor

from focal_app.ecg.recording import LEADS


def within(
    kept: Bool[Tensor, "B N"], leads: Collection[str], windows: slice = slice(None)
) -> Bool[Tensor, "B N"]:
    """The kept patches of some leads and windows; of all leads where none of these was seen.

    No leads restrict nothing.
    """
    inside = torch.zeros(len(LEADS), kept.shape[1] // len(LEADS), dtype=torch.bool)
    inside[[LEADS.index(lead) for lead in leads], windows] = True
    chosen = kept & inside.flatten().to(kept.device)
    return torch.where(chosen.any(-1, keepdim=True), chosen, kept)


def by_leads(restricted: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], list[int]]:
    """The places in a list of what is restricted to the same leads, which are routed together."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place, leads in enumerate(restricted):
        places.setdefault(leads, []).append(place)
    return places
