"""What the pages of a PDF say, by a parser that knows nothing of ours."""

import io

from pypdf import PdfReader


def page_texts(content: bytes) -> list[str]:
    """The text of every page."""
    return [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]
