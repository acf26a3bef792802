"""One signal written as mere numbers: text, arrays of NumPy, a file of MATLAB."""

import io

import numpy as np

from focal_app.ecg.recording import ECG, LEADS


def csv(ecg: ECG, *, separator: str = ",", comma: bool = False, time: bool = True) -> bytes:
    """A table with names above it, and a column of seconds."""
    rows = [ecg.signal_mv.T]
    names = [*LEADS]
    if time:
        rows.insert(0, (np.arange(ecg.signal_mv.shape[1]) / ecg.sampling_rate_hz)[:, None])
        names.insert(0, "time")
    text = io.StringIO()
    np.savetxt(text, np.hstack(rows), delimiter=separator, fmt="%.4f")
    body = text.getvalue().replace(".", ",") if comma else text.getvalue()
    return (separator.join(names) + "\n" + body).encode()


def npy(ecg: ECG) -> bytes:
    """The samples alone."""
    file = io.BytesIO()
    np.save(file, ecg.signal_mv)
    return file.getvalue()


def npz(ecg: ECG) -> bytes:
    """The samples, and their rate."""
    file = io.BytesIO()
    np.savez_compressed(file, ecg=ecg.signal_mv, fs=ecg.sampling_rate_hz)
    return file.getvalue()


def mat(ecg: ECG, *, level: str = "5", compressed: bool = True) -> bytes:
    """The samples as MATLAB keeps them, and their rate."""
    from scipy.io import savemat

    file = io.BytesIO()
    held = {"ecg": ecg.signal_mv.T.astype(np.float64), "fs": ecg.sampling_rate_hz}
    savemat(file, held, format=level, do_compression=compressed and level == "5")
    return file.getvalue()
