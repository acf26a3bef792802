"""Figures of agreement as a table in Markdown."""

from collections.abc import Sequence

from train.delineate.agreement import Agreement

_HEADINGS = ("group", "", "measured", "median error (95 %)", "p90", "bias", "given without one")
_NAMES = {"rate_per_min": "rate, /min", "pr_ms": "PR, ms", "qrs_ms": "QRS, ms", "qt_ms": "QT, ms"}


def agreement_table(measured: Sequence[Agreement]) -> str:
    """A row for every quantity of every group."""
    rows = [_HEADINGS, ("---",) * len(_HEADINGS), *(map(_row, measured))]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(one: Agreement) -> tuple[str, ...]:
    known = f"{one.measured} of {one.recordings}"
    invented = f"{one.invented} of {one.unmarked}" if one.unmarked else ""
    if not one.measured:
        return one.group, _NAMES[one.quantity], known, "", "", "", invented
    low, high = one.interval
    error = f"{one.median_error:.1f} ({low:.1f} to {high:.1f})"
    sizes = (f"{one.p90_error:.1f}", f"{one.bias:+.1f}")
    return one.group, _NAMES[one.quantity], known, error, *sizes, invented
