"""HTML out of templates that lie beside the code which fills them; every value is escaped.

html = Templates(Path(__file__).parent, wording=wording)
html("trouble", message="found <nothing>")       # fills trouble.html
"""

import re
from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_BREAK = re.compile(r"(?<=[>}])\s*\n\s*|\s*\n\s*(?=[<{]|$)")


class Templates:
    """The templates of a folder; `shared` values are there in each of them."""

    def __init__(self, folder: Path, **shared: object) -> None:
        self._templates = Environment(
            loader=_Unbroken(folder),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=False,
        )
        self._templates.globals.update(shared)  # pyrefly: ignore[no-matching-overload]
        self._templates.filters["flag"] = lambda value: str(bool(value)).lower()

    def __call__(self, name: str, **values: object) -> Markup:
        """A filled template: HTML that another one takes as it is."""
        return Markup(self._templates.get_template(f"{name}.html").render(values))


class _Unbroken(FileSystemLoader):
    """Templates without the line breaks that are there for who reads them.

    One beside a tag or a statement is nothing, since between inline elements a browser would
    show it as a space; any other is a space.
    """

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        source, name, fresh = super().get_source(environment, template)
        return re.sub(r"\s*\n\s*", " ", _BREAK.sub("", source)), name, fresh
