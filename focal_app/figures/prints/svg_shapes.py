"""The shapes of an SVG that this app drew, in millimetres: what the PDF has to draw.

Only what `figures.paper` uses is known; anything else is an error, so that nothing is left out
silently. It is no reader for the SVGs of others.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
from jaxtyping import Float

from focal_app.figures.marks import INK

MM_PER_PX = 25.4 / 96
_GRID_MM = 0.12
"""A hairline of the screen would be too thick on paper."""
_SVG = "{http://www.w3.org/2000/svg}"
_INHERITED = ("fill", "stroke", "stroke-width", "stroke-opacity", "fill-opacity", "opacity")
_TOKEN = re.compile(r"[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
_TRANSFORM = re.compile(r"(translate|scale)\(([-\d.e]+)[ ,]+([-\d.e]+)\)")
_STEPS = {"M": (1, 1), "L": (1, 1), "H": (1, 0), "V": (0, 1)}


@dataclass(frozen=True)
class Shape:
    """Lines through points (n, 2), y down; closed where filled. Widths are millimetres."""

    lines_mm: tuple[Float[np.ndarray, "_ 2"], ...]
    fill: str | None
    stroke: str | None
    width_mm: float
    fill_opacity: float = 1.0
    stroke_opacity: float = 1.0
    dash_mm: tuple[float, ...] = ()


@dataclass(frozen=True)
class Words:
    """A line of text whose baseline begins, ends or has its middle at a point.

    `rim` is the colour around its letters.
    """

    text: str
    x_mm: float
    y_mm: float
    size_mm: float
    colour: str = INK
    bold: bool = False
    anchor: str = "start"
    rim: str | None = None


@dataclass(frozen=True)
class Picture:
    """All shapes, in their order, from the left upper corner; `rows_mm` are where rows end."""

    width_mm: float
    height_mm: float
    shapes: tuple[Shape | Words, ...]
    rows_mm: tuple[float, ...]


def picture(svg: str) -> Picture:
    """The shapes of a paper; a `ValueError` for what this does not know."""
    root = ElementTree.fromstring(svg)
    left, top, width, height = map(float, root.get("viewBox", "").split())
    if (root.get("width"), root.get("height")) != (f"{width:g}mm", f"{height:g}mm"):
        raise ValueError("the user unit of this drawing is no millimetre")
    ends = {end for one in root.iter(f"{_SVG}g") if (end := one.get("data-bottom"))}
    shapes = tuple(_inside(root, {}, np.array([left, top])))
    return Picture(width, height, shapes, tuple(sorted(float(end) - top for end in ends)))


def _inside(
    element: ElementTree.Element, inherited: Mapping[str, str], origin: np.ndarray
) -> Iterator[Shape | Words]:
    for child in element:
        kind = child.tag.removeprefix(_SVG)
        style = {**inherited, **{k: child.attrib[k] for k in _INHERITED if k in child.attrib}}
        if kind == "g":
            yield from _inside(child, style, origin)
        elif kind == "text":
            yield _said(child, style, origin)
        elif kind in ("rect", "path"):
            yield _shape(child, style, _rect(child) if kind == "rect" else _path(child), origin)
        else:
            raise ValueError(f"found <{kind}> in a drawing of paper, which a PDF does not know")


def _shape(
    element: ElementTree.Element,
    style: Mapping[str, str],
    lines: list[np.ndarray],
    origin: np.ndarray,
) -> Shape:
    whole = float(style.get("opacity", 1))
    dash = tuple(map(float, element.get("stroke-dasharray", "").split()))
    return Shape(
        lines_mm=tuple(line - origin for line in lines),
        fill=_colour(style.get("fill", "#000000")),
        stroke=_colour(style.get("stroke", "none")),
        width_mm=_width_mm(element, style),
        fill_opacity=whole * float(style.get("fill-opacity", 1)),
        stroke_opacity=whole * float(style.get("stroke-opacity", 1)),
        dash_mm=dash,
    )


def _width_mm(element: ElementTree.Element, style: Mapping[str, str]) -> float:
    if element.get("class") == "grid":
        return _GRID_MM
    width = float(style.get("stroke-width", 1))
    return width * MM_PER_PX if element.get("vector-effect") else width


def _colour(value: str) -> str | None:
    return None if value == "none" else value


def _said(element: ElementTree.Element, style: Mapping[str, str], origin: np.ndarray) -> Words:
    return Words(
        text="".join(element.itertext()),
        x_mm=float(element.get("x", 0)) - float(origin[0]),
        y_mm=float(element.get("y", 0)) - float(origin[1]),
        size_mm=float(element.get("font-size", 3)),
        colour=style.get("fill", "#000000"),
        bold=element.get("font-weight") == "600",
        anchor=element.get("text-anchor", "start"),
        rim=_colour(style.get("stroke", "none")),
    )


def _rect(element: ElementTree.Element) -> list[np.ndarray]:
    x, y, wide, high = (float(element.get(name, 0)) for name in ("x", "y", "width", "height"))
    return [np.array([(x, y), (x + wide, y), (x + wide, y + high), (x, y + high), (x, y)])]


def _path(element: ElementTree.Element) -> list[np.ndarray]:
    """The lines of a path, moved and scaled as its transform says."""
    lines = _lines(_TOKEN.findall(element.get("d", "")))
    for kind, x, y in reversed(_TRANSFORM.findall(element.get("transform", ""))):
        by = np.array([float(x), float(y)])
        lines = [line + by if kind == "translate" else line * by for line in lines]
    return lines


def _lines(tokens: list[str]) -> list[np.ndarray]:
    """M, L, H, V and Z, absolute or relative; numbers after them repeat them, after M as L."""
    lines: list[list[tuple[float, float]]] = []
    at, command, values = (0.0, 0.0), "", iter(tokens)
    for token in values:
        if token.isalpha():
            command, number = token, None
            if command in "Zz":
                lines[-1].append(lines[-1][0])
                continue
            token = next(values)
        across, down = _STEPS[command.upper()]
        number = float(token)
        x = number if across else None
        y = float(next(values)) if across and down else (number if down else None)
        at = _moved(at, x, y, relative=command.islower())
        if command in "Mm":
            lines.append([at])
            command = "l" if command == "m" else "L"
        else:
            lines[-1].append(at)
    return [np.array(line) for line in lines if len(line) > 1]


def _moved(
    at: tuple[float, float], x: float | None, y: float | None, *, relative: bool
) -> tuple[float, float]:
    base = at if relative else (0.0, 0.0)
    return (
        at[0] if x is None else base[0] + x,
        at[1] if y is None else base[1] + y,
    )
