"""Where a finding shows: from a part of a beat and some leads to exact seconds."""

from dataclasses import dataclass

from focal_app.ecg.recording import LEADS


@dataclass(frozen=True)
class Place:
    """Where a finding shows: these leads, from `start_s` to `end_s` of the recording."""

    tag: str
    leads: tuple[str, ...]
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Mark:
    """A tag, its leads and the part of a beat that carries it.

    `part` is "P", "PR", "QRS", "delta", "ST", "T", "ST-T", "QRST", "beat" or "all" (every second);
    `kinds` are the kinds of beat that carry it.
    """

    tag: str
    leads: tuple[str, ...] = LEADS
    part: str = "all"
    kinds: tuple[str, ...] = ("own",)


@dataclass(frozen=True)
class Span:
    """The drawn limits of one beat, in seconds of the recording; P limits None without P."""

    kind: str
    qrs_on_s: float
    qrs_off_s: float
    t_on_s: float
    t_off_s: float
    p_on_s: float | None = None
    p_off_s: float | None = None
    run: str = ""

    def part(self, name: str) -> tuple[float, float] | None:
        """Start and end of a part of this beat, None where the beat has no such part."""
        first = self.qrs_on_s if self.p_on_s is None else self.p_on_s
        bounds = {
            "QRS": (self.qrs_on_s, self.qrs_off_s),
            "ST": (self.qrs_off_s, self.t_on_s),
            "T": (self.t_on_s, self.t_off_s),
            "ST-T": (self.qrs_off_s, self.t_off_s),
            "QRST": (self.qrs_on_s, self.t_off_s),
            "U": (self.t_off_s - 0.02, self.t_off_s + 0.16),
            "beat": (first, self.t_off_s),
            "delta": (self.qrs_on_s, self.qrs_on_s + 0.05),
        }
        if name in bounds:
            return bounds[name]
        if self.p_on_s is None or self.p_off_s is None:
            return None
        return (self.p_on_s, self.p_off_s if name == "P" else self.qrs_on_s)


def place_mark(mark: Mark, spans: list[Span], *, duration_s: float) -> list[Place]:
    """One place a beat, or one for the whole recording; cut at its edges."""
    if mark.part == "all":
        return [Place(mark.tag, mark.leads, 0.0, duration_s)]
    found = []
    for span in spans:
        if span.kind not in mark.kinds and span.run not in mark.kinds:
            continue
        bounds = span.part(mark.part)
        if bounds is not None:
            found.append(cut(mark.tag, mark.leads, *bounds, duration_s=duration_s))
    return [place for place in found if place is not None]


def cut(
    tag: str, leads: tuple[str, ...], start_s: float, end_s: float, *, duration_s: float
) -> Place | None:
    """A place inside the recording, or None where nothing of it is left."""
    start, end = max(start_s, 0.0), min(end_s, duration_s)
    if end - start < 0.02:
        return None
    return Place(tag, leads, round(start, 4), round(end, 4))
