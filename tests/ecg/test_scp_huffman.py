"""SCP-ECG as carts write it: second differences in the standard's own Huffman code."""

import struct
from pathlib import Path

import hospital_files
import numpy as np

from focal_app.ecg.files import read_recording
from focal_app.ecg.recording import ECG

DEFAULT_TABLE = 19999


def _code(value: int) -> str:
    """One value in the default table of EN 1064: ones, a zero and a sign, or 8 or 16 plain bits."""
    if value == 0:
        return "0"
    if abs(value) <= 8:
        return "1" * abs(value) + ("00" if value > 0 else "01")
    if -128 <= value <= 127:
        return "1111111110" + f"{value & 0xFF:08b}"
    return "1111111111" + f"{value & 0xFFFF:016b}"


def _packed(row: np.ndarray) -> bytes:
    """A lead as its first two samples and then second differences, filled up to whole bytes."""
    values = np.concatenate([row[:2], np.diff(row.astype(int), 2)])
    bits = "".join(_code(int(value)) for value in values)
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8)


def _bodies(record: bytes) -> dict[int, bytes]:
    """What each section of a record holds, by its number."""
    made = {}
    for at in range(7 + 15, 7 + 15 + 10 * 12, 10):
        number, length, index = struct.unpack_from("<HII", record, at)
        if number and length:
            made[number] = record[index - 1 + 16 : index - 1 + length]
    return made


def scp_huffman(ecg: ECG) -> bytes:
    """The record of `hospital_files.scp` with its rhythm coded so."""
    bodies, rows = _bodies(hospital_files.scp(ecg)), hospital_files.steps(ecg)
    packed = [_packed(row) for row in rows]
    lengths = struct.pack(f"<{len(packed)}H", *map(len, packed))
    rhythm = bodies[6][:4] + bytes([2, 0]) + lengths + b"".join(packed)
    made = {**bodies, 2: struct.pack("<H", DEFAULT_TABLE), 6: rhythm}
    return hospital_files.scp_record(dict(sorted(made.items())))


def test_huffman_code_gives_the_samples_of_the_plain_record(ecg: ECG, tmp_path: Path) -> None:
    plain, coded = tmp_path / "plain.scp", tmp_path / "coded.scp"
    plain.write_bytes(hospital_files.scp(ecg))
    coded.write_bytes(scp_huffman(ecg))
    assert coded.stat().st_size < 0.7 * plain.stat().st_size
    found, wanted = read_recording([coded]), read_recording([plain])
    assert found.leads == wanted.leads and found.source == wanted.source
    np.testing.assert_array_equal(found.signal_mv, wanted.signal_mv)
