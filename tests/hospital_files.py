"""One signal written as every hospital format, with a patient's identity in it.

Small writers from the formats' own descriptions, apart from what reads them; those of mere numbers
stand in `tables_of_numbers.py`.
"""

import base64
import binascii
import io
import struct
import warnings
import zipfile
from collections.abc import Callable

import numpy as np

from focal_app.ecg.recording import ECG, LEADS
from tests.tables_of_numbers import csv, mat, npy, npz

SURNAME, GIVEN, NUMBER, DOCTOR, CLINIC = "Zyxqvardson", "Wilfreda", "ZX998877", "Quimbyx", "Vexhall"
BORN, TAKEN = "19340219", "20190312"
IDENTITY = (SURNAME, GIVEN, NUMBER, DOCTOR, CLINIC, "1934", "2019", "12-MAR", "09:41")
SAID = (
    "Sinus rhythm",
    "Left bundle branch block",
    f"Confirmed by {DOCTOR}, M.D.",
    f"Seen by {SURNAME}",
    "When compared with ECG of 12-MAR-2019 09:41,",
    "No significant change",
)
KEPT = ("Sinus rhythm", "Left bundle branch block")
STEP_UV = 1
SCP_LEADS = {"I": 1, "II": 2, "III": 61, "aVR": 62, "aVL": 63, "aVF": 64}
SCP_LEADS |= {f"V{number}": number + 2 for number in range(1, 7)}
EIGHT = ("I", "II", *LEADS[6:])


def steps(ecg: ECG, leads: tuple[str, ...] = LEADS) -> np.ndarray:
    """Microvolts as whole numbers, (L, T)."""
    rows = ecg.signal_mv[[ecg.leads.index(lead) for lead in leads]]
    return np.rint(rows * 1000 / STEP_UV).astype("<i2")


def dicom(
    ecg: ECG,
    *,
    sensitivity: bool = True,
    padding: int | None = None,
    syntax: str = "1.2.840.10008.1.2.1",
) -> bytes:
    """A 12-lead waveform of DICOM, with its median beats before the rhythm."""
    import pydicom
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.sequence import Sequence

    def coded(value: str, scheme: str, meaning: str) -> Sequence:
        code = Dataset()
        code.CodeValue, code.CodingSchemeDesignator, code.CodeMeaning = value, scheme, meaning
        return Sequence([code])

    def group(label: str, rows: np.ndarray) -> Dataset:
        held = Dataset()
        held.MultiplexGroupLabel, held.WaveformOriginality = label, "ORIGINAL"
        held.NumberOfWaveformChannels, held.NumberOfWaveformSamples = rows.shape
        held.SamplingFrequency, held.WaveformBitsAllocated = ecg.sampling_rate_hz, 16
        held.WaveformSampleInterpretation, channels = "SS", []
        if padding is not None:
            held.add_new(0x5400100A, "OW", struct.pack("<h", padding))
        for lead in LEADS:
            channel = Dataset()
            code = f"5.6.3-9-{SCP_LEADS[lead]}"
            channel.ChannelSourceSequence = coded(code, "SCPECG", f"Lead {lead}")
            channel.WaveformBitsStored = 16
            if sensitivity:
                channel.ChannelSensitivity, channel.ChannelBaseline = STEP_UV, 0
                channel.ChannelSensitivityCorrectionFactor = 1
                channel.ChannelSensitivityUnitsSequence = coded("uV", "UCUM", "microvolt")
            channels.append(channel)
        held.ChannelDefinitionSequence = Sequence(channels)
        held.WaveformData = np.ascontiguousarray(rows.T).tobytes()
        return held

    held = Dataset()
    held.SOPClassUID = "1.2.840.10008.5.1.4.1.1.9.1.1"
    held.SOPInstanceUID, held.Modality = "1.2.3.4.5", "ECG"
    held.PatientName, held.PatientID = f"{SURNAME}^{GIVEN}", NUMBER
    held.PatientBirthDate, held.PatientSex, held.PatientAge = BORN, "F", "085Y"
    held.StudyDate = held.AcquisitionDate = TAKEN
    held.AcquisitionDateTime = f"{TAKEN}094100"
    held.InstitutionName, held.ReferringPhysicianName = CLINIC, DOCTOR
    held.Manufacturer, held.ManufacturerModelName = "Acme Instruments, Inc.", "Cart 7"
    held.PatientComments = f"{SURNAME} felt dizzy"
    rows = steps(ecg)
    beat = rows[:, : round(ecg.sampling_rate_hz)]
    held.WaveformSequence = Sequence([group("MEDIAN BEAT", beat), group("RHYTHM", rows)])
    notes = []
    for line in SAID:
        note = Dataset()
        note.UnformattedTextValue, note.AnnotationGroupNumber = line, 1
        note.ReferencedWaveformChannels = [2, 0]
        notes.append(note)
    for code, value, unit in (("5.10.3-7", 148, "ms"), ("5.10.3-9", 96, "ms")):
        note = Dataset()
        name = {"5.10.3-7": "PR Interval", "5.10.3-9": "QRS Duration"}[code]
        note.ConceptNameCodeSequence = coded(code, "SCPECG", name)
        note.MeasurementUnitsCodeSequence = coded(unit, "UCUM", "millisecond")
        note.NumericValue, note.ReferencedWaveformChannels = value, [2, 0]
        note.AnnotationGroupNumber = 0
        notes.append(note)
    held.WaveformAnnotationSequence = Sequence(notes)
    held.file_meta = FileMetaDataset()
    held.file_meta.TransferSyntaxUID = syntax
    held.file_meta.MediaStorageSOPClassUID = held.SOPClassUID
    held.file_meta.MediaStorageSOPInstanceUID = held.SOPInstanceUID
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pydicom.dcmwrite(file, held, enforce_file_format=True)
    return file.getvalue()


def hl7(ecg: ECG) -> bytes:
    """An annotated ECG of HL7 (FDA)."""
    sequences = "".join(
        f'<component><sequence><code code="MDC_ECG_LEAD_{lead.upper()}"/>'
        '<value xsi:type="SLIST_PQ"><origin value="0" unit="uV"/>'
        f'<scale value="{STEP_UV}" unit="uV"/><digits>{" ".join(map(str, row))}</digits>'
        "</value></sequence></component>"
        for lead, row in zip(LEADS, steps(ecg), strict=True)
    )
    said = "".join(
        '<component><annotation><code code="MDC_ECG_INTERPRETATION"/><component><annotation>'
        f'<code code="MDC_ECG_INTERPRETATION_STATEMENT"/><value xsi:type="ST">{line}</value>'
        "</annotation></component></annotation></component>"
        for line in SAID
    )
    measured = (
        '<component><annotation><code code="MDC_ECG_TIME_PD_PR"/>'
        '<value xsi:type="PQ" value="148" unit="ms"/></annotation></component>'
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<AnnotatedECG xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<id root="{NUMBER}"/><effectiveTime><low value="{TAKEN}094100"/></effectiveTime>
<componentOf><timepointEvent><componentOf><subjectAssignment><subject><trialSubject>
<id extension="{NUMBER}"/><subjectDemographicPerson><name><given>{GIVEN}</given>
<family>{SURNAME}</family></name><administrativeGenderCode code="F"/>
<birthTime value="{BORN}"/></subjectDemographicPerson></trialSubject></subject>
<componentOf><clinicalTrial><location><trialSite><location><name>{CLINIC}</name></location>
<responsibleParty><trialInvestigator><investigatorPerson><name>{DOCTOR}</name>
</investigatorPerson></trialInvestigator></responsibleParty></trialSite></location>
</clinicalTrial></componentOf></subjectAssignment></componentOf></timepointEvent></componentOf>
<component><series><code code="RHYTHM"/><effectiveTime><low value="{TAKEN}094100"/>
</effectiveTime><author><seriesAuthor><manufacturedSeriesDevice>
<manufacturerModelName>Cart 7</manufacturerModelName></manufacturedSeriesDevice>
<manufacturerOrganization><name>Acme Instruments, Inc.</name></manufacturerOrganization>
</seriesAuthor></author><component><sequenceSet><component><sequence>
<code code="TIME_ABSOLUTE"/><value xsi:type="GLIST_TS"><head value="{TAKEN}094100"/>
<increment value="{1 / ecg.sampling_rate_hz!r}" unit="s"/></value></sequence></component>
{sequences}</sequenceSet></component>
<subjectOf><annotationSet>{said}{measured}</annotationSet></subjectOf></series></component>
</AnnotatedECG>""".encode()


def muse(ecg: ECG) -> bytes:
    """An export of GE MUSE: eight leads, a median waveform before the rhythm, and a DOCTYPE."""
    rate = round(ecg.sampling_rate_hz)

    def waveform(kind: str, rows: np.ndarray) -> str:
        leads = "".join(
            f"<LeadData><LeadID>{lead}</LeadID><LeadSampleCountTotal>{len(row)}"
            f"</LeadSampleCountTotal><LeadAmplitudeUnitsPerBit>{STEP_UV}</LeadAmplitudeUnitsPerBit>"
            "<LeadAmplitudeUnits>MICROVOLTS</LeadAmplitudeUnits><LeadSampleSize>2</LeadSampleSize>"
            f"<WaveFormData>{base64.b64encode(row.tobytes()).decode()}</WaveFormData></LeadData>"
            for lead, row in zip(EIGHT, rows, strict=True)
        )
        return (
            f"<Waveform><WaveformType>{kind}</WaveformType><NumberofLeads>8</NumberofLeads>"
            f"<SampleBase>{rate}</SampleBase><SampleExponent>0</SampleExponent>"
            f"<HighPassFilter>16</HighPassFilter><LowPassFilter>150</LowPassFilter>{leads}"
            "</Waveform>"
        )

    rows = steps(ecg, EIGHT)
    said = "".join(
        "<DiagnosisStatement><StmtFlag>ENDSLINE</StmtFlag>"
        f"<StmtText>{line}</StmtText></DiagnosisStatement>"
        for line in SAID
    )
    return f"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE RestingECG SYSTEM "restecg.dtd">
<RestingECG><MuseInfo><MuseVersion>9.0</MuseVersion></MuseInfo>
<PatientDemographics><PatientID>{NUMBER}</PatientID><PatientAge>85</PatientAge>
<AgeUnits>YEARS</AgeUnits><DateofBirth>02-19-1934</DateofBirth><Gender>FEMALE</Gender>
<PatientLastName>{SURNAME}</PatientLastName><PatientFirstName>{GIVEN}</PatientFirstName>
</PatientDemographics><TestDemographics><SiteName>{CLINIC}</SiteName>
<AcquisitionDevice>CART7</AcquisitionDevice><Status>UNCONFIRMED</Status>
<AcquisitionTime>09:41:00</AcquisitionTime><AcquisitionDate>03-12-2019</AcquisitionDate>
<ReferringMDLastName>{DOCTOR}</ReferringMDLastName></TestDemographics>
<RestingECGMeasurements><VentricularRate>60</VentricularRate><PRInterval>148</PRInterval>
<QRSDuration>96</QRSDuration><QTInterval>400</QTInterval><QTCorrected>400</QTCorrected>
<RAxis>45</RAxis></RestingECGMeasurements><Diagnosis>{said}</Diagnosis>
{waveform("Median", rows[:, :rate])}{waveform("Rhythm", rows)}</RestingECG>""".encode("latin-1")


def sierra(ecg: ECG, *, pulse: bool = True) -> bytes:
    """A Philips export of plain numbers, with the calibration pulse at its end."""
    rows, rate = steps(ecg), round(ecg.sampling_rate_hz)
    if pulse:
        shape = np.repeat([0, 1000 // STEP_UV, 0], [rate // 10, rate // 5, rate // 10])
        rows = np.concatenate([rows, np.tile(shape, (12, 1))], axis=1)
    said = "".join(
        f"<statement><leftstatement>{line}</leftstatement><rightstatement/></statement>"
        for line in SAID
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<restingecgdata xmlns="http://www3.medical.philips.com"><documentinfo>
<documenttype>PhilipsECG</documenttype><documentversion>1.04</documentversion></documentinfo>
<dataacquisition date="2019-03-12" time="09:41:00"><machine machineid="{NUMBER}">Cart 7</machine>
<acquirer><institutionname>{CLINIC}</institutionname><operatorid>{DOCTOR}</operatorid></acquirer>
<signalcharacteristics><samplingrate>{rate}</samplingrate><resolution>{STEP_UV}</resolution>
<bitspersample>16</bitspersample><signalsigned>True</signalsigned></signalcharacteristics>
</dataacquisition><patient><generalpatientdata><patientid>{NUMBER}</patientid>
<name><lastname>{SURNAME}</lastname><firstname>{GIVEN}</firstname></name>
<age><dateofbirth>1934-02-19</dateofbirth><years>85</years></age><sex>Female</sex>
</generalpatientdata></patient><interpretations><interpretation><globalmeasurements>
<heartrate>60</heartrate><print>148</print><qrsdur>96</qrsdur><qtint>400</qtint>
</globalmeasurements>{said}</interpretation></interpretations>
<waveforms><parsedwaveforms dataencoding="Plain" numberofleads="12"
leadlabels="{" ".join(LEADS)}" samplespersecond="{rate}" resolution="{STEP_UV}"
durationperchannel="{round(rows.shape[1] * 1000 / rate)}">{" ".join(map(str, rows.ravel()))}
</parsedwaveforms></waveforms></restingecgdata>""".encode()


def mortara(ecg: ECG) -> bytes:
    """A Mortara ELI export."""
    rate = round(ecg.sampling_rate_hz)
    channels = "".join(
        f'<CHANNEL NAME="{lead}" UNITS_PER_MV="{1000 // STEP_UV}" SAMPLE_FREQ="{rate}" BITS="16" '
        f'FORMAT="SIGNED" ENCODING="BASE64" OFFSET="0" DURATION="{len(row)}" '
        f'DATA="{base64.b64encode(row.tobytes()).decode()}"/>'
        for lead, row in zip(LEADS, steps(ecg), strict=True)
    )
    said = "".join(f'<STATEMENT TEXT="{line}" REASON=""/>' for line in SAID)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ECG ACQUISITION_TIME="{TAKEN}094100" VENT_RATE="60" COMMENT="{SURNAME} felt dizzy">
<SUBJECT LAST_NAME="{SURNAME}" FIRST_NAME="{GIVEN}" ID="{NUMBER}" DOB="{BORN}" GENDER="Female"
AGE="85" AGE_UNITS="Years"/><SOURCE MANUFACTURER="Acme" MODEL="Cart 7"/>
<SITE NAME="{CLINIC}"/><AUTOMATIC_INTERPRETATION>{said}</AUTOMATIC_INTERPRETATION>
{channels}</ECG>""".encode()


def scp(ecg: ECG) -> bytes:
    """An SCP-ECG record of version 1.3: uncompressed rhythm, no reference beat."""
    rows = steps(ecg)

    def tag(number: int, value: bytes) -> bytes:
        return struct.pack("<BH", number, len(value)) + value

    device = struct.pack("<HHHBB", 0, 0, 0, 0, 0) + b"Cart7\0" + bytes(26)
    about = b"".join(
        [
            tag(0, SURNAME.encode() + b"\0"),
            tag(1, GIVEN.encode() + b"\0"),
            tag(2, NUMBER.encode() + b"\0"),
            tag(4, struct.pack("<HB", 85, 1)),
            tag(5, struct.pack("<HBB", 1934, 2, 19)),
            tag(8, b"\2"),
            tag(14, device),
            tag(16, CLINIC.encode() + b"\0"),
            tag(20, DOCTOR.encode() + b"\0"),
            tag(25, struct.pack("<HBB", 2019, 3, 12)),
            tag(26, bytes([9, 41, 0])),
            tag(30, f"{SURNAME} felt dizzy".encode() + b"\0"),
            b"\xff\0\0",
        ]
    )
    leads = struct.pack("<BB", 12, 0x04) + b"".join(
        struct.pack("<IIB", 1, rows.shape[1], SCP_LEADS[lead]) for lead in LEADS
    )
    rhythm = struct.pack("<HHBB", STEP_UV * 1000, round(1e6 / ecg.sampling_rate_hz), 0, 0)
    rhythm += struct.pack("<12H", *[row.nbytes for row in rows]) + rows.tobytes()
    said = struct.pack("<BHBBBBBB", 0, 2019, 3, 12, 9, 41, 0, len(SAID))
    for number, line in enumerate(SAID, 1):
        said += struct.pack("<BH", number, len(line) + 1) + line.encode() + b"\0"
    return scp_record({1: about, 3: leads, 6: rhythm, 8: said})


def scp_record(bodies: dict[int, bytes]) -> bytes:
    def section(number: int, body: bytes) -> bytes:
        body += bytes(len(body) % 2)
        reserved = b"SCPECG" if number == 0 else bytes(6)
        held = struct.pack("<HIBB", number, len(body) + 16, 13, 13) + reserved + body
        return struct.pack("<H", binascii.crc_hqx(held, 0xFFFF)) + held

    parts = {number: section(number, body) for number, body in bodies.items()}
    length = 16 + 10 * 12
    pointers, at = struct.pack("<HII", 0, length, 7), 7 + length
    for number in range(1, 12):
        part = parts.get(number, b"")
        pointers += struct.pack("<HII", number, len(part), at if part else 0)
        at += len(part)
    whole = section(0, pointers) + b"".join(parts.values())
    whole = struct.pack("<I", len(whole) + 6) + whole
    return struct.pack("<H", binascii.crc_hqx(whole, 0xFFFF)) + whole


def edf(ecg: ECG, *, unit: str = "uV") -> bytes:
    """An EDF+ file: one data record a second."""
    rows, rate = steps(ecg), round(ecg.sampling_rate_hz)
    count = rows.shape[1] // rate

    def field(text: object, width: int) -> bytes:
        return str(text).ljust(width)[:width].encode("ascii")

    def each(texts: list[object], width: int) -> bytes:
        return b"".join(field(text, width) for text in texts)

    largest = 32767 * STEP_UV / (1 if unit == "uV" else 1000)
    header = field(0, 8) + field(f"{NUMBER} F 19-FEB-1934 {SURNAME}_{GIVEN}", 80)
    header += field(f"Startdate 12-MAR-2019 X {DOCTOR} {CLINIC}", 80)
    header += field("12.03.19", 8) + field("09.41.00", 8) + field(256 * 13, 8)
    header += field("EDF+C", 44) + field(count, 8) + field(1, 8) + field(12, 4)
    header += each([f"ECG {lead}" for lead in LEADS], 16) + each([""] * 12, 80)
    header += (
        each([unit] * 12, 8) + each([f"{-largest:g}"] * 12, 8) + each([f"{largest:g}"] * 12, 8)
    )
    header += each([-32767] * 12, 8) + each([32767] * 12, 8)
    header += each(["HP:0.05Hz LP:150Hz"] * 12, 80) + each([rate] * 12, 8) + each([""] * 12, 32)
    body = rows[:, : count * rate].reshape(12, count, rate).swapaxes(0, 1)
    return header + np.ascontiguousarray(body).tobytes()


def mfer(ecg: ECG) -> bytes:
    """An MFER file of one frame."""
    rows = steps(ecg)

    def item(number: int, value: bytes) -> bytes:
        long = len(value) > 127
        size = b"\x84" + struct.pack(">I", len(value)) if long else bytes([len(value)])
        return bytes([number]) + size + value

    parts = [
        item(0x40, b"MFR ".ljust(32)),
        item(0x01, b"\1"),
        item(0x81, f"{SURNAME}^{GIVEN}".encode()),
        item(0x82, NUMBER.encode()),
        item(0x84, b"\2"),
        item(0x0B, struct.pack("<BbH", 0, 0, round(ecg.sampling_rate_hz))),
        item(0x0C, struct.pack("<BbH", 0, -6, STEP_UV)),
        item(0x0A, b"\0"),
        item(0x04, struct.pack("<I", rows.shape[1])),
        item(0x05, b"\x0c"),
        item(0x06, struct.pack("<I", 1)),
    ]
    for number, lead in enumerate(LEADS):
        name = item(0x09, struct.pack("<H", SCP_LEADS[lead]))
        parts.append(b"\x3f" + bytes([number, len(name)]) + name)
    parts.append(item(0x16, f"{SURNAME} felt dizzy".encode()))
    return b"".join([*parts, item(0x1E, rows.tobytes())])


def zipped(**files: bytes) -> bytes:
    """Files in a zip, by their names."""
    return zip_of(list(files.items()))


def zip_of(files: list[tuple[str, bytes]]) -> bytes:
    """Files in a zip; a name may stand twice, or be a path."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return file.getvalue()


Writer = Callable[[ECG], bytes]
CLINICAL: dict[str, Writer] = {
    "DICOM": dicom,
    "HL7 aECG": hl7,
    "GE MUSE XML": muse,
    "Philips XML": sierra,
    "Mortara XML": mortara,
    "SCP-ECG": scp,
    "EDF": edf,
    "MFER": mfer,
}
TABLES: dict[str, Writer] = {"CSV": csv, "NPY": npy, "NPZ": npz, "MAT": mat}
