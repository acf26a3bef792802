"""The traces of the paper as the browser has them, read back in millimetres of the paper."""

import re
from itertools import pairwise

import numpy as np
from scipy.ndimage import minimum_filter1d

UNITS_PER_MM, COLUMN_MM, COLUMNS = 50, 0.5, 500
"""What a path counts in (figures/traces.py), and in what columns waves stand beside each other."""
READ = """traces => traces.map((trace) => [+trace.closest(".strip").dataset.zero,
    trace.getAttribute("transform"), trace.getAttribute("d")])"""


def drawn(page):
    """Of every trace its zero line, and where its points lie across and above that line."""
    read = page.locator("#paper path.trace").evaluate_all(READ)
    return [(zero, *_points(transform, path)) for zero, transform, path in read]


def _points(transform, path):
    moved = r"translate\((\S+) \S+\) scale\((\S+) \S+\)"
    right, across = map(float, re.fullmatch(moved, transform).groups())
    runs = [np.array(re.findall(r"-?\d+", run), int).reshape(-1, 2) for run in path.split("M")[1:]]
    along, down = np.concatenate([run.cumsum(axis=0) for run in runs]).T
    return right + across * along, -down / UNITS_PER_MM


def crossed_mm(page):
    """How far waves of a row reach past waves of the next that stand beside them, at each place."""
    top, bottom = {}, {}
    for zero, across, height in drawn(page):
        column = np.clip((across / COLUMN_MM).astype(int), 0, COLUMNS - 1)
        np.minimum.at(top.setdefault(zero, np.full(COLUMNS, zero)), column, zero - height)
        np.maximum.at(bottom.setdefault(zero, np.full(COLUMNS, zero)), column, zero - height)
    rows = sorted(top)
    past = [bottom[above] - minimum_filter1d(top[below], 3) for above, below in pairwise(rows)]
    return np.max(past, axis=0)
