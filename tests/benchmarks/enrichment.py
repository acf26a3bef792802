"""Requests to a language model per report, on tags drawn as MIMIC-IV-ECG's are distributed.

What is known of MIMIC-IV-ECG: 800,035 reports of 161,352 patients hold about 3,100 different
statements, of which 22 % are technical (dropped) and 31 % of the rest hedged (one tag with their
sure wording): 1,670 tags. What is assumed, for want of the data itself:

- a report has one of 60 rhythms (Zipf, exponent 1.6: the commonest in 47 %) and 0 to 5 findings in
  35, 28, 19, 10, 5 and 3 % of the reports;
- findings follow Zipf-Mandelbrot, p(rank r) ~ (r + q)^-s, with s such that 800,035 reports show
  1,670 different tags; q says how flat the head is, and is varied, since it decides the result;
- findings are drawn independently, which is pessimistic: real ones go together;
- a patient's next report says the same as the last one in 25 % of the cases (one row: in none).
"""

from collections.abc import Iterator

import numpy as np

from tests.benchmarks.timing import Row
from train.enrich.generate import distinct_sets

REPORTS, PATIENTS = 800_035, 161_352
RHYTHMS, FINDINGS, LONGEST_TAIL = 60, 1_610, 20_000
FINDINGS_PER_REPORT = np.array([0.35, 0.28, 0.19, 0.10, 0.05, 0.03])
AIM, CENTRAL, FLATTER, STEEPER, REPEATED = 0.15, 12, 20, 5, 0.25


def rows() -> list[Row]:
    """The central assumption against the aim, and what others would give."""
    central = requests_per_report(CENTRAL)
    what = "Enrichment: requests per report, 800,035 MIMIC-like reports"
    return [
        Row(what, f"{central:.3f}", f"{AIM:.2f}", central <= AIM),
        Row("The same in calls, both prompts of a request counted", f"{2 * central:.3f}"),
        *(_other(q, REPEATED) for q in (STEEPER, FLATTER)),
        _other(CENTRAL, 0.0),
    ]


def requests_per_report(flatness: float, *, repeated: float = REPEATED) -> float:
    """Distinct tag sets over reports."""
    return len(distinct_sets(reports(flatness, repeated=repeated))) / REPORTS


def reports(flatness: float, *, repeated: float) -> Iterator[tuple[str, ...]]:
    """The tags of every report; a repeated one is its patient's last again."""
    rng = np.random.default_rng(0)
    rhythms = rng.choice(RHYTHMS, REPORTS, p=_zipf(RHYTHMS, 0, 1.6))
    many = rng.choice(len(FINDINGS_PER_REPORT), REPORTS, p=FINDINGS_PER_REPORT)
    law = finding_law(flatness)
    findings = rng.choice(len(law), (REPORTS, many.max()), p=law)
    same = rng.random(REPORTS) < repeated * (1 - PATIENTS / REPORTS)
    names = [f"finding {i}" for i in range(len(law))]
    last: tuple[str, ...] = ()
    for i, rhythm in enumerate(rhythms):
        if not (same[i] and last):
            last = (f"rhythm {rhythm}", *(names[j] for j in findings[i, : many[i]]))
        yield last


def finding_law(flatness: float) -> np.ndarray:
    """Probabilities by rank, with the exponent at which all reports show so many findings."""
    drawn = REPORTS * float(FINDINGS_PER_REPORT @ np.arange(len(FINDINGS_PER_REPORT)))
    low, high = 1.05, 8.0
    for _ in range(50):
        middle = (low + high) / 2
        seen = -np.expm1(-drawn * _zipf(LONGEST_TAIL, flatness, middle)).sum()
        low, high = (middle, high) if seen > FINDINGS else (low, middle)
    return _zipf(LONGEST_TAIL, flatness, (low + high) / 2)


def _zipf(count: int, flatness: float, exponent: float) -> np.ndarray:
    weights = (np.arange(1, count + 1) + flatness) ** -exponent
    return weights / weights.sum()


def _other(flatness: float, repeated: float) -> Row:
    head = finding_law(flatness)[0] * (FINDINGS_PER_REPORT @ np.arange(6))
    what = f"The same, commonest finding in {head:.0%} of reports, {repeated:.0%} said again"
    return Row(what, f"{requests_per_report(flatness, repeated=repeated):.3f}")
