"""A recording as bytes and back: numbers and plain words only, so that nothing is unpickled."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from focal_app.ecg.recording import ECG, SourceFacts
from focal_app.ecg.tables.question import SignalQuestion, SignalTable

PREFIX_BYTES = 16
MOST_BYTES = 400_000_000
"""No message is longer: a length beyond it is nonsense and is not waited for."""


def packed(head: dict[str, object], body: bytes = b"") -> bytes:
    """A message: how long its head and its body are, the head as JSON, the body as it is."""
    text = json.dumps(head).encode()
    return len(text).to_bytes(8, "big") + len(body).to_bytes(8, "big") + text + body


def received(read: Callable[[int], bytes]) -> tuple[dict[str, Any], bytearray]:
    """Head and body of the next message; `read` gives up to so many bytes, none at the end.

    A `ValueError` for a message that is cut off, or none.
    """
    prefix = _exactly(read, PREFIX_BYTES)
    long, more = int.from_bytes(prefix[:8], "big"), int.from_bytes(prefix[8:], "big")
    if long + more > MOST_BYTES:
        raise ValueError("a message that is too long")
    head = json.loads(_exactly(read, long))
    if not isinstance(head, dict):
        raise ValueError("a message without a head")
    return head, _exactly(read, more)


def _exactly(read: Callable[[int], bytes], count: int) -> bytearray:
    message = bytearray()
    while len(message) < count:
        part = read(min(count - len(message), 1 << 20))
        if not part:
            raise ValueError("a message was cut off")
        message += part
    return message


def to_bytes(ecg: ECG) -> bytes:
    """A recording as a message."""
    facts: dict[str, object] = {
        "shape": ecg.signal_mv.shape,
        "leads": ecg.leads,
        "sampling_rate_hz": ecg.sampling_rate_hz,
        "source": asdict(ecg.source),
        "notes": ecg.notes,
    }
    return packed(facts, np.ascontiguousarray(ecg.signal_mv, dtype=np.float32).tobytes())


def from_bytes(head: dict[str, Any], body: bytearray) -> ECG:
    """The recording in a message; a `ValueError` where head and body do not fit."""
    return ECG(
        signal_mv=_rows(head, body),
        leads=tuple(head["leads"]),
        sampling_rate_hz=float(head["sampling_rate_hz"]),
        source=SourceFacts(**_with_tuples(head["source"])),
        notes=tuple(head["notes"]),
    )


def table_to_bytes(table: SignalTable) -> bytes:
    """Numbers of which rate, unit and leads are not known, as a message."""
    facts: dict[str, object] = {
        "asks": asdict(table.guess),
        "shape": table.values.shape,
        "format": table.format,
    }
    return packed(facts, np.ascontiguousarray(table.values, dtype=np.float32).tobytes())


def table_from_bytes(head: dict[str, Any], body: bytearray) -> SignalTable:
    """The numbers in a message."""
    guess = SignalQuestion(**_with_tuples(head["asks"]))
    return SignalTable(_rows(head, body), str(head["format"]), guess)


def _rows(head: dict[str, Any], body: bytearray) -> np.ndarray:
    return np.frombuffer(body, dtype=np.float32).reshape(head["shape"])


def _with_tuples(values: dict[str, Any]) -> dict[str, Any]:
    """JSON knows lists alone."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
