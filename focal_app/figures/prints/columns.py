"""Blocks of text that flow through three columns, from page to page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from focal_app.explore.reading.reading import Finding, percent
from focal_app.figures.marks import INK, QUIET
from focal_app.figures.prints import wording
from focal_app.figures.prints.pdf_canvas import Box, wrapped
from focal_app.figures.prints.svg_shapes import Words
from focal_app.figures.tint import COLOUR

COLUMNS, WIDTH_MM, GAP_MM = 3, 83.0, 9.0
SIZE_MM, SMALL_MM, LEADING = 3.2, 2.7, 1.35
INDENT_MM = 12.0


@dataclass(frozen=True)
class Block:
    """Marks about their own left upper corner; a block is never parted."""

    marks: tuple[Box | Words, ...]
    height_mm: float


def finding_blocks(heading: str, findings: Sequence[Finding]) -> Iterator[Block]:
    """A heading, then every finding with its probability, the likeliest first."""
    ranked = sorted(findings, key=lambda one: -one.probability)
    yield from _under(heading, [_finding(finding) for finding in ranked])


def note_blocks(notes: Mapping[str, Sequence[str]]) -> Iterator[Block]:
    """Headings, each with its sentences."""
    for heading, sentences in notes.items():
        yield from _under(heading, [_text(sentence, SMALL_MM + 0.2) for sentence in sentences])


def pages_of(
    blocks: Sequence[Block], *, left_mm: float, top_mm: float, bottom_mm: float
) -> list[list[Box | Words]]:
    """The marks of every page, the blocks one below the other and column by column."""
    pages: list[list[Box | Words]] = [[]]
    column, down = 0, top_mm
    for block in blocks:
        if down > top_mm and down + block.height_mm > bottom_mm:
            column, down = column + 1, top_mm
        if column == COLUMNS:
            pages.append([])
            column = 0
        left = left_mm + column * (WIDTH_MM + GAP_MM)
        pages[-1] += [_moved(mark, left, down) for mark in block.marks]
        down += block.height_mm
    return pages


def _moved(mark: Box | Words, across: float, down: float) -> Box | Words:
    return replace(mark, x_mm=mark.x_mm + across, y_mm=mark.y_mm + down)


def _under(heading: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """A heading and what it stands over; it is never parted from the first of it."""
    above = _text(heading, 3.6, bold=True)
    first, *others = blocks or [Block((), 0.0)]
    moved = tuple(_moved(mark, 0.0, above.height_mm) for mark in first.marks)
    yield Block((*above.marks, *moved), above.height_mm + first.height_mm)
    yield from others


def _finding(finding: Finding) -> Block:
    """Its percentage, a bar as long as that below its name, and what was measured about it."""
    room = WIDTH_MM - INDENT_MM
    name = _lines(wording.finding(finding), SIZE_MM, room, 0.0, left=INDENT_MM)
    down = SIZE_MM * LEADING * len(name)
    share = Words(percent(finding.probability), INDENT_MM - 2.5, SIZE_MM, SIZE_MM, anchor="end")
    bars = (
        Box(INDENT_MM, down + 0.2, room, 0.9, COLOUR, 0.12),
        Box(INDENT_MM, down + 0.2, room * finding.probability, 0.9, COLOUR),
    )
    remark = wording.remark(finding)
    said = _lines(remark, SMALL_MM, room, down + 1.2, left=INDENT_MM) if remark else []
    height = down + 2.4 + SMALL_MM * LEADING * len(said)
    return Block((share, *name, *bars, *said), height)


def _text(text: str, size_mm: float, *, bold: bool = False) -> Block:
    lines = _lines(text, size_mm, WIDTH_MM, 1.0 if bold else 0.0, bold=bold)
    return Block(tuple(lines), size_mm * LEADING * len(lines) + 1.5)


def _lines(
    text: str,
    size_mm: float,
    width_mm: float,
    down: float,
    *,
    left: float = 0.0,
    bold: bool = False,
) -> list[Words]:
    """A text in lines, the first with its top at `down`."""
    colour = QUIET if size_mm < SIZE_MM and left else INK
    return [
        Words(line, left, down + size_mm + number * size_mm * LEADING, size_mm, colour, bold)
        for number, line in enumerate(wrapped(text, size_mm=size_mm, width_mm=width_mm, bold=bold))
    ]
