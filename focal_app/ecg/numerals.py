"""Numbers as people write them: with a minus, not a hyphen, and no nought below zero."""


def numeral(value: float, form: str = ".0f") -> str:
    """A number in a format of Python's."""
    text = format(value, form)
    return (text if float(text) else text.replace("-", "")).replace("-", "−")
