"""WFDB records and challenge .mat files: a checked header, a private copy, millivolts."""

import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate, chain, groupby
from pathlib import Path
from types import ModuleType

import numpy as np
from jaxtyping import Float

from focal_app.ecg.header import Channel, Header
from focal_app.ecg.leads import ordered_by_name
from focal_app.ecg.recording import ECG
from focal_app.ecg.signal_file import COMPRESSED, check_size_in_memory, frames_to_read
from focal_app.errors import RecordingError

_PRIVATE_NAME = "recording"
_BITS = {"80": 8, "508": 8, "310": 10, "311": 10, "212": 12, "24": 24, "524": 24, "32": 32}


def read_wfdb(header: Header, files: Mapping[str, Path], *, proven: bool = True) -> ECG:
    """The recording of `header`, whose signal files lie at `files` by the names it gives them.

    With `proven` false nothing but the checksums says that header and files belong together,
    so that they all must hold.
    """
    frames = frames_to_read(header, dict(files))
    check_size_in_memory(header, frames)
    steps = _decoded(header, files, frames)
    agrees = [*map(_checksum_agrees, header.channels, steps)]
    if not proven and not all(agrees):
        raise RecordingError(
            "found a header and a signal file of different names whose checksums do not fit; "
            "a matching pair is needed. Choose both files of one recording."
        )
    signal_mv, rate_hz = _calibrated(header, steps, frames)
    kind = "challenge .mat" if any(p.suffix.lower() == ".mat" for p in files.values()) else "WFDB"
    return ordered_by_name(
        ECG(
            signal_mv=signal_mv,
            leads=tuple(channel.name for channel in header.channels),
            sampling_rate_hz=rate_hz,
            source=replace(header.facts, format=kind),
            notes=_notes(header, agrees),
        )
    )


@cache
def load_wfdb() -> ModuleType:
    """The wfdb package, imported on first use.

    Its annotation tables are built with a keyword that newer pandas deprecates; nothing of
    them is used here.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import wfdb
    return wfdb


def _decoded(header: Header, files: Mapping[str, Path], frames: int) -> list[np.ndarray]:
    """Converter steps of each channel, NaN where the format's value for "missing" stood.

    Decoded in a private directory (mode 0700) that is removed whatever happens.

    wfdb never sees the uploaded header: it gets one that is written from the checked numbers,
    without identity, with file names of our own, and with one step as its unit. As it takes half
    a millisecond to read a line of a header, channels side by side are one line.
    """
    together = _side_by_side(header.channels)
    with tempfile.TemporaryDirectory(prefix="focal-") as name:
        folder = Path(name)
        private = {given: f"signal{i}.dat" for i, given in enumerate(files)}
        for given, path in files.items():
            shutil.copyfile(path, folder / private[given])
        (folder / f"{_PRIVATE_NAME}.hea").write_text(_rewritten(header, together, private, frames))
        wfdb = load_wfdb()
        try:
            record = wfdb.rdrecord(
                str(folder / _PRIVATE_NAME), smooth_frames=False, return_res=_float_bits(header)
            )
            blocks = [samples.reshape(frames, -1) for samples in record.e_p_signal]
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  a foreign decoder of foreign bytes may raise anything
            raise RecordingError(
                "found a signal file that cannot be decoded as its header says; "
                "it is damaged. Export or download the recording again."
            ) from None
    return list(chain.from_iterable(map(_apart, blocks, together)))


def _float_bits(header: Header) -> int:
    """Bits of a float that holds every step exactly: 32 do where a step has at most 24.

    Format 8 stores differences, which may add up to anything.
    """
    return 64 if {channel.storage for channel in header.channels} & {"8", "32"} else 32


def _side_by_side(channels: Sequence[Channel]) -> list[list[Channel]]:
    """Channels whose samples follow each other in every frame of a file, and nothing else.

    Those that are skewed, stored as differences or compressed are read each by itself.
    """

    def group(numbered: tuple[int, Channel]) -> tuple[str, int]:
        number, channel = numbered
        alone = channel.skew or channel.storage in ("8", *COMPRESSED)
        return channel.file_name, number if alone else -1

    return [[one for _, one in several] for _, several in groupby(enumerate(channels), group)]


def _apart(frames: np.ndarray, channels: Sequence[Channel]) -> Iterator[np.ndarray]:
    """The samples of each channel, from frames of all."""
    ends = accumulate(channel.samples_per_frame for channel in channels)
    return (part.reshape(-1) for part in np.split(frames, list(ends)[:-1], axis=1))


def _rewritten(
    header: Header, together: Sequence[Sequence[Channel]], private: Mapping[str, str], frames: int
) -> str:
    lines = [f"{_PRIVATE_NAME} {len(together)} {header.frame_rate_hz!r} {frames}"]
    for channels in together:
        first, samples = channels[0], sum(channel.samples_per_frame for channel in channels)
        lines.append(
            f"{private[first.file_name]} {first.storage}x{samples}:{first.skew}"
            f"+{first.byte_offset} 1(0)/mV 0 0 {first.initial} 0 0 lead"
        )
    return "\n".join(lines) + "\n"


def _calibrated(
    header: Header, steps: list[np.ndarray], frames: int
) -> tuple[Float[np.ndarray, "L T"], float]:
    """The signal in mV, and its sampling rate in Hz."""
    widest = [channel.samples_per_frame for channel in header.channels]
    per_frame = widest[0] if len(set(widest)) == 1 else 1
    rows = []
    for channel, samples in zip(header.channels, steps, strict=True):
        row = (samples.astype(np.float64) - channel.baseline) * channel.mv_per_step
        if channel.samples_per_frame != per_frame:
            row = row.reshape(frames, channel.samples_per_frame).mean(axis=1)
        rows.append(row.astype(np.float32))
    return np.stack(rows), header.frame_rate_hz * per_frame


def _checksum_agrees(channel: Channel, steps: np.ndarray) -> bool | None:
    """Whether the stored numbers add up to the header's checksum, modulo 2^16; None without one.

    A missing sample is stored as the lowest number of its format.
    """
    if channel.checksum is None:
        return None
    missing = int(np.isnan(steps).sum()) * -(1 << (_BITS.get(channel.storage, 16) - 1))
    return (int(np.nansum(steps, dtype=np.float64)) + missing - channel.checksum) % 65536 == 0


def _notes(header: Header, agrees: Sequence[bool | None]) -> tuple[str, ...]:
    notes = []
    uncalibrated = [channel.name for channel in header.channels if not channel.calibrated]
    if uncalibrated:
        notes.append(
            "The header gives no calibration for "
            f"{len(uncalibrated)} channels; 200 units per mV were assumed, as the WFDB standard "
            "says. Amplitudes may be wrong."
        )
    if wrong := agrees.count(False):
        notes.append(
            f"The header's checksum does not fit {wrong} of {len(agrees)} channels: "
            "the signal file may be changed or belong to another recording."
        )
    return tuple(notes)
