"""Several sources as one stream of records, by weight.

    mixture = Mixture.of({"mimic": mimic, "simulated": simulated}, weights={"simulated": 0.3})
    source, row = mixture.draw(position)

A draw is a function of (seed, position) alone: a resumed run draws what the killed one would have
drawn, and every process of a distributed run can take its own positions. Within a source rows
come in random order without repetition, round after round, whatever its weight.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from jaxtyping import Int

from focal_app.errors import ConfigError
from train.data.shards import Shards


@dataclass(frozen=True)
class Draw:
    """A record: its source and its row there."""

    source: str
    row: int


def weights_of(given: Sequence[str]) -> dict[str, float]:
    """Shares of the draws by source, from SOURCE=SHARE."""
    weights = {}
    for one in given:
        name, _, share = one.partition("=")
        try:
            weights[name] = float(share)
        except ValueError:
            raise ConfigError(f"found weight {one!r}; needed SOURCE=SHARE") from None
        if not 0 < weights[name] <= 1:
            raise ConfigError(f"found weight {one!r}; needed a share above 0, and 1 at most")
    return weights


def refuse_weights(weights: Mapping[str, float], sources: Collection[str]) -> None:
    """Refuse weights of other sources than these, and those that leave nothing to the others."""
    if unknown := sorted(set(weights) - set(sources)):
        raise ConfigError(f"found a weight for {', '.join(unknown)}, which is no source here.")
    unweighted, whole = sorted(set(sources) - set(weights)), sum(weights.values())
    if unweighted and whole >= 1:
        raise ConfigError(
            f"found weights that sum to {whole:g} and none for {', '.join(unweighted)}; weights "
            "that leave a rest of 1, or a weight for each source, are needed."
        )


@dataclass(frozen=True)
class Mixture:
    """`rows` that may be drawn, by source; `weights` are the sources' shares of the draws.

    A cycle is a fixed number of draws of each source in random order, about as many in all as
    there are rows, so that shares hold exactly over each.
    """

    rows: Mapping[str, np.ndarray]
    weights: Mapping[str, float]
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse sources without rows or weight."""
        if not self.rows or sorted(self.rows) != sorted(self.weights):
            raise ConfigError(
                f"found weights for {', '.join(sorted(self.weights)) or 'nothing'} and rows of "
                f"{', '.join(sorted(self.rows)) or 'nothing'}; the same sources are needed."
            )
        empty = sorted(name for name, rows in self.rows.items() if not len(rows))
        if empty:
            raise ConfigError(
                f"found no record to draw in {', '.join(empty)}; leave the source out, or change "
                "its split."
            )
        if min(self.weights.values()) <= 0:
            raise ConfigError("found a weight of 0 or less; leave the source out instead.")

    @classmethod
    def of(
        cls,
        shards: Mapping[str, Shards],
        *,
        split: str = "train",
        weights: Mapping[str, float] | None = None,
        rarity: float = 1.0,
        seed: int = 0,
    ) -> "Mixture":
        """The tagged records of a split; sources without a weight share the rest of 1 by size.

        With a `rarity` above 1 a round through a source brings records with rare tags more than
        once, up to so often.
        """
        rows = {name: np.asarray(s.rows(split), dtype=np.int64) for name, s in shards.items()}
        given = dict(weights or {})
        refuse_weights(given, rows)
        unweighted = {name: len(kept) for name, kept in rows.items() if name not in given}
        rest = max(0.0, 1.0 - sum(given.values()))
        whole = sum(unweighted.values())
        shared = {name: rest * count / max(whole, 1) for name, count in unweighted.items()}
        if rarity > 1:
            rows = {name: _repeated(shards[name], found, rarity) for name, found in rows.items()}
        return cls(rows, {**given, **{name: max(w, 1e-12) for name, w in shared.items()}}, seed)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Draws of each source in one cycle; at least one."""
        total, every = sum(self.weights.values()), sum(map(len, self.rows.values()))
        share = {name: self.weights[name] / total for name in sorted(self.rows)}
        return {name: max(1, round(every * part)) for name, part in share.items()}

    @property
    def cycle_length(self) -> int:
        """Draws in one cycle, about as many as there are records."""
        return sum(self.counts.values())

    def draw(self, position: int) -> Draw:
        """The record at a position of the endless stream."""
        cycle, place = divmod(position, self.cycle_length)
        sources, ranks = _cycle(self.seed, tuple(self.counts.values()), cycle)
        name = list(self.counts)[sources[place]]
        drawn_before = cycle * self.counts[name] + int(ranks[place])
        rows = self.rows[name]
        round_, rank = divmod(drawn_before, len(rows))
        return Draw(name, int(rows[_order(self.seed, name, round_, len(rows))[rank]]))


def _repeated(shards: Shards, rows: Int[np.ndarray, " R"], most: float) -> Int[np.ndarray, " D"]:
    """Every row at least once, and by 1 / sqrt(share) of the rarest of its tags, up to `most`."""
    tags = [shards.tag_ids(int(row)) for row in rows]
    share = np.bincount(np.concatenate(tags), minlength=len(shards.vocabulary)) / len(rows)
    often = [np.clip(1 / np.sqrt(share[found].min()), 1, most) for found in tags]
    return np.repeat(rows, np.rint(often).astype(int))


@lru_cache(maxsize=4)
def _cycle(
    seed: int, counts: tuple[int, ...], cycle: int
) -> tuple[Int[np.ndarray, " C"], Int[np.ndarray, " C"]]:
    """The source of every draw of a cycle, and how many of its draws came before in it."""
    rng = np.random.default_rng([seed, cycle])
    sources = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    ranks = np.empty_like(sources)
    for number, count in enumerate(counts):
        ranks[sources == number] = np.arange(count)
    return sources, ranks


@lru_cache(maxsize=16)
def _order(seed: int, name: str, round_: int, count: int) -> Int[np.ndarray, " R"]:
    """In which order the rows of a source come in one round through it."""
    return np.random.default_rng([seed, round_, *name.encode()]).permutation(count)
