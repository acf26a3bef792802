"""The six labelled sets of the benchmark, read from the layouts in which they are published.

chosen = load_set("ptbxl-super", Path("DATA"))
chosen.items, chosen.classes, chosen.truth(chosen.items)
"""

from train.benchmark.sets.labelled import SPLITS, Item, LabelledSet
from train.benchmark.sets.sets import LABELS, SETS, load_set

__all__ = ["LABELS", "SETS", "SPLITS", "Item", "LabelledSet", "load_set"]
