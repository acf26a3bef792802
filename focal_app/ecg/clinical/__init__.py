"""Recordings as cardiographs and hospital archives write them, read through `ecgdatakit`.

formats.py     what a file is, by its content
checks.py      what is refused before a library sees it: bombs, claims, wrong units of storage
dicom.py       the same for DICOM, whose claims are the boldest
reading.py     one file in, an `ECG` out
samples.py     millivolts, gaps, a calibration pulse, the sampling rate
facts.py       age, sex, device, filters, the cardiograph's values and statements
identity.py    what must not stay in any of these
remarks.py     what the library warned of, in sentences for a user

Nothing but `reading.read_clinical` and `formats.recognised` is called from outside.
"""
