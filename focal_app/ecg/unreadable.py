"""Files without a recording that can be read: what they are by content, and what to do."""

from focal_app.ecg.clinical.formats import xml_text

READ = (
    "DICOM, HL7 aECG, GE MUSE, Philips, Mortara, SCP-ECG, EDF, MFER, WFDB (.hea with .dat or "
    ".mat), CSV, NPY, NPZ and MAT files are read"
)
_PICTURE = "a picture"
_PAGE = "a printed page (PDF)"
_EXPORT = "Export the ECG from the cardiograph or its archive in one of these formats."
_NO_SAMPLES = "It holds no samples: export the recording itself, as DICOM or XML for example."
_SIGNS = (
    ((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF"), _PICTURE),
    (b"%PDF", _PAGE),
    (b"\x1f\x8b", "a packed file (gzip)"),
    (b"7z\xbc\xaf", "a packed file (7z)"),
    (b"Rar!", "a packed file (RAR)"),
    (b"BZh", "a packed file (bzip2)"),
    (b"\xfd7zXZ", "a packed file (xz)"),
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"\xffBIOSEMI", "a BDF file (24-bit EDF)"),
    (b"ISHNE1.0", "a Holter recording (ISHNE)"),
    (b"ANN  1.0", "a Holter annotation (ISHNE)"),
    (b"SQLite", "a database"),
)


def what_it_is(start: bytes) -> str:
    """One sentence on what a file is that begins with `start`, and one on what to do."""
    kind = next((kind for sign, kind in _SIGNS if start.startswith(sign)), None) or _of_text(start)
    advice = _EXPORT
    if kind in (_PICTURE, _PAGE):
        advice = _NO_SAMPLES
    elif kind.startswith("a packed file"):
        advice = "Unpack it, or pack it as zip."
    return f"found {kind}; {READ}. {advice}"


def _of_text(start: bytes) -> str:
    if not start:
        return "an empty file (0 bytes)"
    text = xml_text(start)
    if "<svg" in text[:2000]:
        return _PICTURE
    if "<html" in text[:2000].lower():
        return "a web page"
    if text:
        return "an XML file that is no ECG of a known kind"
    printable = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in start)
    is_text = b"\0" not in start and printable > 0.9 * len(start)
    return "text without a recording" if is_text else "a file of an unknown kind"
