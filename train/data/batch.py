"""What a step of training sees: signals, the tags of their reports as numbers, known places."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass(frozen=True)
class Batch:
    """Recordings with their tags, which are numbers of one vocabulary; no report is without one.

    `tags` (K,) are those of all reports, one report after the other; `owner` (K,) is the recording
    of each and `slot` (K,) its place in the report, of which the longest has `most`; `hedged` (K,)
    are those that are only suspected. `source` (B,) numbers the data set of each recording.
    `shown` (P,) are tags whose place is known, `shown_in` their recordings and `places` (P, N) is 1
    on their patches. `number` counts micro-batches. The signals of a section begin with
    `first_window`.
    """

    signal: Float[Tensor, "B L T"]
    seen: Bool[Tensor, "B L N_time"]
    tags: Int[Tensor, " K"]
    owner: Int[Tensor, " K"]
    slot: Int[Tensor, " K"]
    most: int
    source: Int[Tensor, " B"]
    shown: Int[Tensor, " P"]
    shown_in: Int[Tensor, " P"]
    places: Float[Tensor, "P N"]
    hedged: Bool[Tensor, " K"]
    number: int = 0
    first_window: int = 0

    @classmethod
    def of(
        cls,
        signal: Float[Tensor, "B L T"],
        seen: Bool[Tensor, "B L N_time"],
        tags: Sequence[Sequence[int]],
        *,
        source: Sequence[int] | None = None,
        shown: Sequence[tuple[int, int, Tensor]] = (),
        number: int = 0,
        first_window: int = 0,
    ) -> "Batch":
        """The batch of these reports; `shown` holds recording, tag and patches of each place."""
        patches = seen.shape[1] * seen.shape[2]
        lengths = [len(report) for report in tags]
        sources = source or [0] * len(tags)
        return cls(
            signal=signal,
            seen=seen,
            tags=_whole(tag for report in tags for tag in report),
            owner=_whole(i for i, length in enumerate(lengths) for _ in range(length)),
            slot=_whole(place for length in lengths for place in range(length)),
            most=max(lengths),
            source=_whole(sources),
            shown=_whole(tag for _, tag, _ in shown),
            shown_in=_whole(recording for recording, _, _ in shown),
            places=torch.stack([p for *_, p in shown]) if shown else torch.zeros(0, patches),
            hedged=torch.zeros(sum(lengths), dtype=torch.bool),
            number=number,
            first_window=first_window,
        )

    def suspecting(self, hedged: Sequence[Sequence[bool]]) -> "Batch":
        """The batch in which these tags of its reports are only suspected."""
        return replace(self, hedged=torch.tensor([one for report in hedged for one in report]))

    def to(self, device: torch.device) -> "Batch":
        """The batch on a device, its signals in float32 there: kept ones come in float16."""
        moved = self._each(lambda tensor: tensor.to(device, non_blocking=True))
        return replace(moved, signal=moved.signal.float())

    def pin_memory(self) -> "Batch":
        """The batch in memory from which a GPU copies while it computes."""
        return self._each(lambda tensor: tensor.pin_memory())

    def _each(self, change) -> "Batch":
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        moved = {name: change(v) for name, v in values.items() if isinstance(v, Tensor)}
        return type(self)(**{**values, **moved})


def _whole(numbers) -> Tensor:
    return torch.tensor(list(numbers), dtype=torch.long)
