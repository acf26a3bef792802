"""Files that hold an ECG in another format than WFDB: what they are, and what to do with them."""

from collections.abc import Sequence
from pathlib import Path

_KINDS = {
    "a DICOM file": (".dcm", ".dicom"),
    "an XML file, such as devices by GE, Philips or HL7 write,": (".xml",),
    "an EDF file": (".edf", ".bdf"),
    "an SCP-ECG file": (".scp", ".ecg"),
    "a table": (".csv", ".tsv", ".txt", ".xls", ".xlsx"),
    "an array": (".npy", ".npz", ".h5", ".hdf5"),
    "a picture": (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".svg", ".webp"),
    "a printed page": (".pdf",),
    "an archive": (".zip", ".gz", ".tar", ".7z", ".rar"),
}
_NAMED = {ending: kind for kind, endings in _KINDS.items() for ending in endings}
_PRINTED = ("a picture", "a printed page")
_EXPORT = "Export the recording as WFDB, or write it with the Python package wfdb (wrsamp)."
_ADVICE = {
    "an archive": "Unpack it, and choose the header and its signal file.",
    **dict.fromkeys(_PRINTED, "It holds no samples: export the recording itself as WFDB."),
}


def what_to_do(path: Path, *, needed: Sequence[str]) -> str:
    """One sentence on what a file is that is no WFDB, and one on what to do."""
    ending = path.suffix.lower()
    kind = _NAMED.get(ending)
    # An ending that is not known may be anybody's name.
    unknown = "a file of an unknown kind" if ending else "a file without an ending"
    found = f"{kind} ({ending})" if kind else unknown
    header, *signals = needed
    wanted = f"this app reads WFDB, a header ({header}) with its signal ({' or '.join(signals)})"
    return f"found {found}; {wanted}. {_ADVICE.get(kind or '', _EXPORT)}"
