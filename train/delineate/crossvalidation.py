"""From LUDB to the app's delineator: five that never saw what they are measured on, and one of all.

Every network is resumed where it stopped; `figures.json` says what the five measured.
"""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from focal_app.model.delineator import Delineator, DelineatorConfig
from train.delineate.agreement import Agreement, agreements, compared
from train.delineate.ludb import annotated_records
from train.delineate.simulated import simulated_leads
from train.delineate.training import Plan, train_delineator

FOLDS = 5
FIGURES = "figures.json"


def train_and_measure(
    ludb: Path, out: Path, plan: Plan, *, simulated: int
) -> tuple[Delineator, list[Agreement]]:
    """The delineator of all recordings, and how five others agree with what they never saw."""
    settings = DelineatorConfig().signal
    records = annotated_records(ludb)
    leads = [record.known(settings) for record in records]
    drawn = list(simulated_leads(simulated, settings))
    found = []
    for fold in range(FOLDS):
        learnt = [lead for index, lead in enumerate(leads) if index % FOLDS != fold]
        saved, name = out / f"fold-{fold + 1}.pt", f"fold {fold + 1}"
        delineator = train_delineator(learnt, drawn, plan, saved, name=name)
        found += [compared(record, delineator) for record in records[fold::FOLDS]]
    measured = agreements(found)
    _write(out / FIGURES, measured, records=len(records), simulated=simulated, plan=plan)
    return train_delineator(leads, drawn, plan, out / "all.pt", name="all"), measured


def _write(
    path: Path, measured: Sequence[Agreement], *, records: int, simulated: int, plan: Plan
) -> None:
    """What was measured, and of what: no value that is no number."""
    figures = {
        "data": {"ludb": records, "simulated": simulated, "folds": FOLDS},
        "plan": dataclasses.asdict(plan),
        "agreement": [_plain(dataclasses.asdict(one)) for one in measured],
    }
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _plain(values: dict) -> dict:
    rounded = {k: round(v, 2) if isinstance(v, float) else v for k, v in values.items()}
    rounded["interval"] = [round(edge, 2) for edge in values["interval"]]
    return {k: None if v != v or v == [float("nan")] * 2 else v for k, v in rounded.items()}
