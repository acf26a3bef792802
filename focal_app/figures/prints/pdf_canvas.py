"""Drawings and text on the pages of a PDF, measured in millimetres from the left upper corner."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from focal_app.figures.prints.pdf_fonts import BOLD, PLAIN, fonts, writable
from focal_app.figures.prints.svg_shapes import Picture, Shape, Words

POINTS_PER_MM = 72 / 25.4
A4_MM = (297.0, 210.0)
"""Landscape, as carts print."""


@dataclass(frozen=True)
class Box:
    """A filled rectangle."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    colour: str
    opacity: float = 1.0


@dataclass(frozen=True)
class Window:
    """A part of a picture, and where its left upper corner comes to lie on the page."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    to_x_mm: float
    to_y_mm: float


class PdfPages:
    """Pages of one size; `finished` gives the file. The same content is the same bytes."""

    def __init__(self, title: str, *, size_mm: tuple[float, float] = A4_MM) -> None:
        from reportlab.pdfgen.canvas import Canvas

        fonts()
        self.height_mm = size_mm[1]
        self._buffer, self._stored = io.BytesIO(), 0
        size = (size_mm[0] * POINTS_PER_MM, size_mm[1] * POINTS_PER_MM)
        # Invariant: no date, no name of a machine, no random id.
        self._canvas: Canvas = Canvas(self._buffer, size, pageCompression=1, invariant=1)
        self._canvas.setTitle(title)
        self._canvas.setCreator("FOCAL Explorer")
        self._canvas.setViewerPreference("PrintScaling", "None")
        self._begin()

    def _begin(self) -> None:
        self._canvas.scale(POINTS_PER_MM, POINTS_PER_MM)

    def next_page(self) -> None:
        """The present page is full."""
        self._canvas.showPage()
        self._begin()

    def finished(self) -> bytes:
        """The file, with the present page as its last."""
        self._canvas.showPage()
        self._canvas.save()
        return self._buffer.getvalue()

    def mark(self, mark: Box | Words) -> None:
        """A rectangle or a line of text."""
        if isinstance(mark, Words):
            self._words(mark, self.height_mm)
            return
        down = self.height_mm - mark.y_mm - mark.height_mm
        self._canvas.setFillColor(mark.colour)
        self._canvas.setFillAlpha(mark.opacity)
        self._canvas.rect(mark.x_mm, down, mark.width_mm, mark.height_mm, stroke=0, fill=1)
        self._canvas.setFillAlpha(1.0)

    def store(self, picture: Picture) -> str:
        """Keeps a picture in the file, to be shown once or in parts under the name it gets."""
        self._stored += 1
        name = f"ecg{self._stored}"
        self._canvas.beginForm(name, 0, 0, picture.width_mm, picture.height_mm)
        self._canvas.setLineJoin(1)
        for shape in picture.shapes:
            if isinstance(shape, Words):
                self._canvas.setFillAlpha(1.0)
                self._canvas.setStrokeAlpha(1.0)
                self._words(shape, picture.height_mm)
            else:
                self._shape(shape, picture.height_mm)
        self._canvas.endForm(Resources=self._resources())
        return name

    def _resources(self) -> object:
        """What a stored picture draws with: fonts, and the opacities that ReportLab leaves out."""
        from reportlab.pdfbase.pdfdoc import PDFResourceDictionary

        resources, canvas = cast(Any, PDFResourceDictionary()), cast(Any, self._canvas)
        resources.basicFonts()
        resources.allProcs()
        if opacities := canvas._extgstate.getState():
            resources.ExtGState = opacities
        return resources

    def show(self, name: str, picture: Picture, window: Window) -> None:
        """A window of a stored picture on the present page."""
        left, top = window.to_x_mm, self.height_mm - window.to_y_mm
        self._canvas.saveState()
        clip = self._canvas.beginPath()
        clip.rect(left, top - window.height_mm, window.width_mm, window.height_mm)
        self._canvas.clipPath(clip, stroke=0, fill=0)
        self._canvas.translate(left - window.x_mm, top + window.y_mm - picture.height_mm)
        self._canvas.doForm(name)
        self._canvas.restoreState()

    def _shape(self, shape: Shape, height_mm: float) -> None:
        path = self._canvas.beginPath()
        for line in shape.lines_mm:
            (x, y), *others = line.tolist()
            path.moveTo(x, height_mm - y)
            for x, y in others:
                path.lineTo(x, height_mm - y)
        if shape.fill:
            self._canvas.setFillColor(shape.fill)
            self._canvas.setFillAlpha(shape.fill_opacity)
        if shape.stroke:
            self._canvas.setStrokeColor(shape.stroke)
            self._canvas.setStrokeAlpha(shape.stroke_opacity)
            self._canvas.setLineWidth(shape.width_mm)
            self._canvas.setDash(list(shape.dash_mm))
        self._canvas.drawPath(path, stroke=bool(shape.stroke), fill=bool(shape.fill))

    def _words(self, said: Words, height_mm: float) -> None:
        """In letters that the font has; a rim is stroked below them."""
        font, words = (BOLD if said.bold else PLAIN), writable(said.text)
        wide = self._canvas.stringWidth(words, font, said.size_mm)
        back = {"start": 0.0, "middle": wide / 2, "end": wide}[said.anchor]
        at = (said.x_mm - back, height_mm - said.y_mm)
        if said.rim:
            self._canvas.setStrokeColor(said.rim)
            self._canvas.setLineWidth(0.6)
            self._canvas.setFillColor(said.rim)
            self._canvas.setFont(font, said.size_mm)
            self._canvas.drawString(*at, words, mode=2)  # strokes the letters too
        self._canvas.setFillColor(said.colour)
        self._canvas.setFont(font, said.size_mm)
        self._canvas.drawString(*at, words, mode=0)


def wrapped(text: str, *, size_mm: float, width_mm: float, bold: bool = False) -> Sequence[str]:
    """The text in lines no wider than that."""
    from reportlab.lib.utils import simpleSplit

    fonts()
    return simpleSplit(writable(text), BOLD if bold else PLAIN, size_mm, width_mm)
