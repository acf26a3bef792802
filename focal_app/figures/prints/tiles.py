"""How a picture that is larger than the page goes over several, at its true size."""

from itertools import pairwise
from math import ceil

from focal_app.figures.prints.pdf_canvas import Window
from focal_app.figures.prints.svg_shapes import Picture
from focal_app.figures.sheet import LEFT_MM, SHEET_MM


def tiles(
    picture: Picture, *, x_mm: float, y_mm: float, width_mm: float, height_mm: float
) -> list[list[Window]]:
    """The windows of every page: parts of `SHEET_MM`, each beside its pulses.

    A part ends where a row ends, and never within one that fits.
    """
    pages = []
    for top, bottom in pairwise(_cuts(picture, height_mm)):
        for left, right in pairwise(_across(picture.width_mm - LEFT_MM, width_mm - LEFT_MM)):
            high = bottom - top
            edge = Window(0.0, top, LEFT_MM, high, x_mm, y_mm)
            part = Window(LEFT_MM + left, top, right - left, high, x_mm + LEFT_MM, y_mm)
            pages.append([edge, part])
    return pages


def _across(whole: float, most: float) -> list[float]:
    """Where the paper is cut; the last part takes the margin along."""
    cuts = [0.0]
    while whole - cuts[-1] > most:
        cuts.append(cuts[-1] + SHEET_MM)
    return [*cuts, whole]


def _cuts(picture: Picture, most: float) -> list[float]:
    """Heights at which the picture is cut: after a row, as late as the page allows."""
    even = picture.height_mm / ceil((picture.height_mm - 1e-6) / most)
    cuts = [0.0]
    while picture.height_mm - cuts[-1] > most:
        ends = [end for end in picture.rows_mm if cuts[-1] < end <= cuts[-1] + most]
        nearest = min(ends, key=lambda end: abs(end - cuts[-1] - even), default=cuts[-1] + most)
        cuts.append(nearest)
    return [*cuts, picture.height_mm]
