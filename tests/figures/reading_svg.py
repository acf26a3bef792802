"""What a drawn paper says, read back from its SVG."""

import re
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

NAME = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?[\d.]+")


@dataclass(frozen=True)
class Line:
    """The trace of one strip: seconds of the window and millimetres above its zero line."""

    lead: str
    gain: float
    second: np.ndarray
    height_mm: np.ndarray
    runs: int


def drawn(svg):
    """The root of the drawing."""
    return ElementTree.fromstring(svg)


def of_class(root, kind):
    """Every element of a class, in the order in which it is drawn."""
    return [one for one in root.iter() if kind in one.get("class", "").split()]


def texts(svg):
    """All words on the paper."""
    return ["".join(one.itertext()) for one in drawn(svg).iter(f"{NAME}text")]


def lines(svg, lead):
    """The traces of a lead, where it has one."""
    root = drawn(svg)
    speed = float(root.get("data-speed"))
    return [
        _line(strip, trace, speed)
        for strip in of_class(root, "strip")
        if strip.get("data-lead") == lead
        for trace in of_class(strip, "trace")
    ]


def _line(strip, trace, speed):
    left, zero, step, scale = map(float, NUMBER.findall(trace.get("transform")))
    assert zero == float(strip.get("data-zero"))
    xs, ys = [], []
    runs = trace.get("d").split("M")[1:]
    for run in runs:
        numbers = [int(number) for number in NUMBER.findall(run)]
        xs.append(np.cumsum(numbers[0::2]))
        ys.append(np.cumsum(numbers[1::2]))
    x, y = np.concatenate(xs), np.concatenate(ys)
    second = (left + step * x) / speed
    return Line(
        strip.get("data-lead"), float(strip.get("data-gain")), second, -scale * y, len(runs)
    )
