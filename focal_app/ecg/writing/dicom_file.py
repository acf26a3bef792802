"""A recording as a DICOM waveform, without identity: what an archive of a hospital opens.

The object is a 12-lead ECG (PS3.3 A.34.3) where rate and length allow it, else a general or an
ambulatory one. Its dates are placeholders, for DICOM wants some.
"""

import io
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.recording import ECG
from focal_app.ecg.writing.steps import MISSING, Steps, in_steps
from focal_app.errors import RecordingError

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

LEAD_CODES = {
    **{"I": "2:1", "II": "2:2", "III": "2:61", "aVR": "2:62", "aVL": "2:63", "aVF": "2:64"},
    **{f"V{number}": f"2:{number + 2}" for number in range(1, 7)},
}
"""MDC codes of the leads (PS3.16, CID 3001)."""
NO_DATE, NO_TIME = "19000101", "000000"
METHOD = "No identity kept, all dates are placeholders (FOCAL Explorer)"
_SEX = {"female": "F", "male": "M"}


@dataclass(frozen=True)
class _Kind:
    """A storage class, and what it may hold (PS3.3 A.34)."""

    uid: str
    rates_hz: tuple[float, float]
    most_samples: int


_KINDS = (
    _Kind("1.2.840.10008.5.1.4.1.1.9.1.1", (200, 1000), 16384),
    _Kind("1.2.840.10008.5.1.4.1.1.9.1.2", (200, 1000), 2**32 - 1),
    _Kind("1.2.840.10008.5.1.4.1.1.9.1.3", (50, 1000), 2**32 - 1),
)


def dicom_file(ecg: ECG) -> bytes:
    """The recording as a DICOM file, explicit little endian, int16, a step in microvolts.

    Derived limb leads are written too, each with a note that says so; a gap is padding. Raises a
    `RecordingError` for a rate that no ECG of DICOM may have.
    """
    ecg = completed(ecg)
    dicom, kind, buffer = _pydicom(), _kind_of(ecg), io.BytesIO()
    dataset = dicom.Dataset()
    dataset.file_meta = dicom.dataset.FileMetaDataset()
    dataset.file_meta.MediaStorageSOPClassUID = kind.uid
    dataset.file_meta.MediaStorageSOPInstanceUID = dicom.uid.generate_uid(prefix=None)
    dataset.file_meta.TransferSyntaxUID = dicom.uid.ExplicitVRLittleEndian
    dataset.SOPClassUID = kind.uid
    dataset.SOPInstanceUID = dataset.file_meta.MediaStorageSOPInstanceUID
    _say_who_and_when(dataset, ecg)
    dataset.WaveformSequence = [_waveform(ecg, in_steps(ecg.signal_mv))]
    dicom.dcmwrite(buffer, dataset, enforce_file_format=True)
    return buffer.getvalue()


@cache
def _pydicom() -> ModuleType:
    """The pydicom package, imported on first use."""
    import pydicom

    return pydicom


def _kind_of(ecg: CompleteECG) -> _Kind:
    rate, samples = ecg.sampling_rate_hz, ecg.signal_mv.shape[1]
    for kind in _KINDS:
        low, high = kind.rates_hz
        if low <= rate <= high and samples <= kind.most_samples:
            return kind
    raise RecordingError(
        f"found {rate:g} samples a second; a DICOM ECG has 50 to 1000. Write it as WFDB instead."
    )


def _say_who_and_when(dataset: "Dataset", ecg: CompleteECG) -> None:
    """Everything that DICOM wants of patient, study and series; empty where it may be."""
    generate_uid = _pydicom().uid.generate_uid
    dataset.SpecificCharacterSet = "ISO_IR 192"
    for empty in (
        *("PatientName", "PatientID", "PatientBirthDate", "StudyID", "AccessionNumber"),
        *("ReferringPhysicianName", "StudyDate", "StudyTime", "Manufacturer"),
    ):
        setattr(dataset, empty, "")
    dataset.PatientSex = _SEX.get(ecg.source.sex or "", "")
    if ecg.source.age_years is not None:
        dataset.PatientAge = f"{ecg.source.age_years:03d}Y"
    dataset.PatientIdentityRemoved = "YES"
    dataset.DeidentificationMethod = METHOD
    dataset.Modality = "ECG"
    dataset.StudyInstanceUID = generate_uid(prefix=None)
    dataset.SeriesInstanceUID = generate_uid(prefix=None)
    dataset.SeriesNumber = dataset.InstanceNumber = 1
    dataset.ContentDate, dataset.ContentTime = NO_DATE, NO_TIME
    dataset.AcquisitionDateTime = NO_DATE + NO_TIME
    dataset.AcquisitionContextSequence = []


def _waveform(ecg: CompleteECG, steps: Steps) -> "Dataset":
    item = _pydicom().Dataset()
    item.WaveformOriginality = "DERIVED"
    item.NumberOfWaveformChannels, item.NumberOfWaveformSamples = steps.values.shape
    item.SamplingFrequency = f"{ecg.sampling_rate_hz:.10g}"
    item.ChannelDefinitionSequence = [_channel(ecg, lead, steps.step_uv) for lead in ecg.leads]
    item.WaveformBitsAllocated = 16
    item.WaveformSampleInterpretation = "SS"
    item.add_new("WaveformPaddingValue", "OW", np.int16(MISSING).astype("<i2").tobytes())
    item.add_new("WaveformData", "OW", steps.values.T.astype("<i2").tobytes())
    return item


def _channel(ecg: CompleteECG, lead: str, step_uv: float) -> "Dataset":
    item = _pydicom().Dataset()
    item.ChannelSourceSequence = [_code(LEAD_CODES[lead], "MDC", f"Lead {lead}")]
    item.ChannelLabel = lead
    if lead in ecg.derived:
        item.ChannelDerivationDescription = "Derived from two other limb leads"
    item.ChannelSensitivity = f"{step_uv:g}"
    item.ChannelSensitivityUnitsSequence = [_code("uV", "UCUM", "microvolt")]
    item.ChannelSensitivityCorrectionFactor = "1"
    item.ChannelBaseline = "0"
    item.ChannelSampleSkew = "0"
    item.WaveformBitsStored = 16
    return item


def _code(value: str, scheme: str, meaning: str) -> "Dataset":
    item = _pydicom().Dataset()
    item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = value, scheme, meaning
    return item
