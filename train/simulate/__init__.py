"""The 12-lead simulator: ECGs with known findings and the places where they show."""

from train.simulate.places import Place
from train.simulate.simulator import STATES, VOCABULARY, SimulatedECG, simulate

__all__ = ["STATES", "VOCABULARY", "Place", "SimulatedECG", "simulate"]
