"""A step of a visit: what it alters on a tab, or why it is refused, in the tab's own place."""

from collections.abc import Callable
from typing import TypeVar

from gradio.components import Component

from focal_app.errors import FocalError
from focal_app.ui import wording
from focal_app.ui.gradio_helpers import Updates
from focal_app.ui.read import html

State = TypeVar("State")


def step(
    trouble: Component,
    change: Callable[[], State],
    shown: Callable[[State], Updates],
) -> Updates:
    """What a change alters, or why it is refused."""
    try:
        return shown(change())
    except FocalError as error:
        return refused(trouble, error)


def refused(trouble: Component, error: FocalError) -> Updates:
    """Why nothing is altered."""
    return {trouble: html.trouble(str(error))}


def expired(trouble: Component) -> Updates:
    """That the visit was forgotten."""
    return {trouble: html.trouble(wording.EXPIRED)}
