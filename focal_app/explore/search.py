"""Cases that show what a text asks for.

found = search(explorer, gallery, "atrial fibrillation without LBBB", top=10)
found.understood        # how the text was read, in words
"""

from dataclasses import dataclass

from focal_app.explore.explorer import Explorer
from focal_app.explore.gallery import Filters, Gallery
from focal_app.explore.hits import Hit


@dataclass(frozen=True)
class Search:
    """Cases, best first, and how the text was read, in one sentence for the page."""

    hits: tuple[Hit, ...]
    understood: str


def search(
    explorer: Explorer,
    gallery: Gallery,
    text: str,
    *,
    filters: Filters = Filters(),  # noqa: B008
    top: int = 10,
) -> Search:
    """The `top` cases that show every wanted term of `text` and none of the unwanted ones.

    A `PromptError` says what is wrong with a text that cannot be asked.
    """
    raise NotImplementedError
