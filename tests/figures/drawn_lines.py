"""Lines of a PDF, read back in millimetres by a parser that knows nothing of ours."""

import io

import numpy as np
from pypdf import PdfReader
from pypdf.generic import ContentStream

MM_PER_POINT = 25.4 / 72


def pdf_pages(content):
    """The pages of a PDF."""
    return PdfReader(io.BytesIO(content), strict=True).pages


def pdf_lines(page):
    """Every stroked path of a page as (n, 2) in millimetres from the left lower corner."""
    return _lines(page["/Contents"], page["/Resources"], page.pdf, np.eye(3))


def _lines(content, resources, pdf, matrix):
    kept, lines, points = [], [], []
    for operands, operator in ContentStream(content, pdf).operations:
        numbers = [float(one) for one in operands if isinstance(one, (int, float))]
        if operator == b"q":
            kept.append(matrix)
        elif operator == b"Q":
            matrix = kept.pop()
        elif operator == b"cm":
            a, b, c, d, e, f = numbers
            matrix = np.array([[a, b, 0], [c, d, 0], [e, f, 1]]) @ matrix
        elif operator == b"Do":
            inner = resources["/XObject"][operands[0]].get_object()
            lines += _lines(inner, inner["/Resources"], pdf, matrix)
        elif operator == b"m":
            points.append([])
        if operator in (b"m", b"l"):
            points[-1].append((np.array([*numbers, 1]) @ matrix)[:2] * MM_PER_POINT)
        elif operator in (b"S", b"f", b"f*", b"n", b"B"):
            lines += [np.array(piece) for piece in points] if operator == b"S" else []
            points = []
    return lines
