"""Which states a patient has: asked for, or drawn as they occur together in clinics."""

from collections.abc import Collection
from functools import cache

import numpy as np

from focal_app.errors import ConfigError
from train.simulate.electrodes import swap_arms
from train.simulate.measure import ROW
from train.simulate.places import Mark
from train.simulate.state import ALL_SLOTS, State
from train.simulate.states_chambers import chamber_states
from train.simulate.states_conduction import conduction_states
from train.simulate.states_rhythm import TECHNICAL, rhythm_states
from train.simulate.states_st_t import st_t_states
from train.simulate.states_territory import infarctions, ischemias
from train.simulate.tagging import LIMB

NORMAL_SHARE = 0.35

_RAREST = 0.6
"""Rare states are drawn more often than in clinics, so that training meets them at all."""


@cache
def catalogue() -> dict[str, State]:
    """Every state by name."""
    every = [
        State("normal ECG", 0.0, ALL_SLOTS, of_the_healthy=True),
        *conduction_states(),
        *chamber_states(),
        *infarctions(),
        *ischemias(),
        *st_t_states(),
        *rhythm_states(),
        State(
            "limb lead reversal",
            0.8,
            ALL_SLOTS,
            (Mark("limb lead reversal", LIMB, "all"),),
            order=9,
            shape=swap_arms,
            holds=lambda ruler: ruler.swing[ROW["I"]] > 0.3 and ruler.p_low[ROW["I"]] < -0.03,
        ),
        *(State(tag, 0.0, frozenset({tag})) for tag in TECHNICAL),
    ]
    return {state.name: state for state in every}


def check(names: Collection[str]) -> tuple[State, ...]:
    """The states of these names; refuses unknown ones and contradictions."""
    known = catalogue()
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise ConfigError(
            f"found the state {unknown[0]!r}, which the simulator does not know; "
            "ask for one of train.simulate.STATES."
        )
    states = [known[name] for name in sorted(set(names))]
    for index, first in enumerate(states):
        for second in states[index + 1 :]:
            shared = first.slots & second.slots
            if shared:
                raise ConfigError(
                    f"{first.name!r} and {second.name!r} exclude each other "
                    f"(both decide: {', '.join(sorted(shared))}); ask for one of them."
                )
    return tuple(states)


def draw_states(rng: np.random.Generator) -> tuple[State, ...]:
    """Nothing in a third of patients, else one state and up to two that go with it."""
    known = catalogue()
    if rng.random() < NORMAL_SHARE:
        return (known["normal ECG"],)
    drawn = [state for state in known.values() if state.weight > 0]
    weights = np.array([max(state.weight, _RAREST) for state in drawn])
    chosen = [drawn[int(rng.choice(len(drawn), p=weights / weights.sum()))]]
    for _ in range(int(rng.choice(3, p=[0.42, 0.35, 0.23]))):
        added = _companion(rng, chosen)
        if added is not None:
            chosen.append(added)
    return tuple(chosen)


def _companion(rng: np.random.Generator, chosen: list[State]) -> State | None:
    taken = frozenset().union(*(state.slots for state in chosen))
    known = catalogue()
    free = {
        name: weight
        for name, weight in chosen[0].companions.items()
        if not known[name].slots & taken
    }
    if not free:
        return None
    weights = np.array(list(free.values()))
    return known[list(free)[int(rng.choice(len(free), p=weights / weights.sum()))]]
