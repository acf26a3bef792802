"""Every flag of `python -m focal_app` acts, or is refused where nothing would come of it.

The parsers are walked: a flag without a case fails here, and so does a case whose flag is gone.
"""

import argparse
import io
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tiny_model import save_tiny_model

from focal_app.__main__ import _parser, main
from focal_app.ecg.recording import LEADS
from focal_app.explore.reading.bundled_cases import CASES, load_case
from focal_app.explore.reading.explorer import Explorer

ECG, OTHER_ECG = str(CASES / "normal.hea"), str(CASES / "hypertrophy.hea")
GALLERY = {
    "normal": ("normal ECG", "female", 30, "first"),
    "left-bundle-branch-block": ("left bundle branch block", "female", 50, "first"),
    "atrial-fibrillation": ("atrial fibrillation", "male", 70, "second"),
}
"""Cases of the gallery that is searched: labels, sex, age and source of each."""
TOLD = ("--rate-hz", "500", "--unit", "mV", "--leads", " ".join(LEADS))
REPORT = ("--report", "LBBB")
NOWHERE = "http://127.0.0.1:9/"


@dataclass(frozen=True)
class Case:
    """A flag that acts: `sign` is told by one of the runs alone, and not by the other.

    Without a sign it is enough that the two runs differ. `DIR/...` lies in the folder of the test,
    what else is written in one of the run's own.
    """

    flag: str
    without: tuple[str, ...]
    run: tuple[str, ...]
    sign: str = ""


def acts(flag: str, given: tuple[str, ...], *value: str, sign: str = "") -> Case:
    """The flag beside what is given, against what is given alone."""
    *words, name = flag.split()
    return Case(flag, (*words, *given), (*words, *given, name, *value), sign)


def all_act(command: str, given: tuple[str, ...], **asked: tuple[str, str]) -> Iterator[Case]:
    """Several flags in one run, a value and a sign each, against what is given alone."""
    named = {f"--{name.replace('_', '-')}": value for name, (value, _) in asked.items()}
    more = [word for pair in named.items() for word in pair if word]
    for flag, (_, sign) in zip(named, asked.values(), strict=True):
        words = (*command.split(), *given)
        yield Case(f"{command} {flag}", words, (*words, *more), sign)


def instead(flag: str, given: tuple[str, ...], one: str, other: str, *, sign: str = "") -> Case:
    """The flag with a value against the same with another."""
    *words, name = flag.split()
    return Case(flag, (*words, *given, name, one), (*words, *given, name, other), sign)


def of_tables(command: str, *given: str) -> Iterator[Case]:
    """What is told of a table: without any of it, it is asked for."""
    asked = ("the sampling rate", "the unit", "the names of the leads")
    for place, sign in enumerate(asked):
        rest = (*TOLD[: 2 * place], *TOLD[2 * place + 2 :])
        run = (command, *given, *TOLD)
        yield Case(f"{command} {TOLD[2 * place]}", (command, *given, *rest), run, f"{sign} must be")


def of_searches(command: str, *given: str) -> Iterator[Case]:
    """What `search` and `similar` share, each told by a case that passes or does not."""
    every = (*given, "--json")
    yield acts(f"{command} --json", given, sign='"hits"')
    yield acts(f"{command} --top", every, "1", sign='"rank": 2')
    yield acts(f"{command} --label", every, "LBBB", sign='"key": "atrial-fibrillation"')
    yield acts(f"{command} --sex", every, "male", sign='"key": "left-bundle-branch-block"')
    yield acts(f"{command} --age", every, "60", "80", sign='"key": "left-bundle-branch-block"')
    yield acts(f"{command} --source", every, "first", sign='"key": "atrial-fibrillation"')
    yield instead(f"{command} --gallery", every, "DIR/gallery", "DIR/one", sign='"gallery": "One"')
    model = (f"{command} --checkpoint", (*every, "--gallery", "DIR/gallery"))
    yield instead(*model, "DIR/tiny", "DIR/other", sign="made by another checkpoint")


def of_models(command: str, *given: str) -> Case:
    """Another model gives other figures."""
    return instead(f"{command} --checkpoint", given, "DIR/tiny", "DIR/other")


TWO = (ECG, OTHER_ECG, "--json")
BUILD = ("--source", "folder", "--data", "DIR/one-case")
FETCH = ("--source", "ptb-xl", "--data", "fetched", "--download")
ALL_SHOW = ("sinus rhythm or atrial fibrillation or LBBB or normal ECG",)
ACTS = (
    acts("read --prompt", (ECG,), "LBBB", sign="LBBB (read as"),
    acts("read --prompt-set", (ECG, "--prompt", "LBBB"), "ptbxl-super", sign="ST-T change"),
    of_models("read", ECG),
    acts("read --start", (ECG, "--json"), "0.5", sign='"start_s": 0.5'),
    acts("read --heatmap", (ECG,), sign="where it shows most"),
    acts("read --tau", (ECG, "--heatmap"), "0.01"),
    acts("read --json", (ECG,), sign='"findings"'),
    *all_act(
        "read",
        (ECG,),
        csv=("out.csv", "out.csv: row,file"),
        pdf=("kept", "kept/000001.pdf"),
        wfdb=("kept", "kept/000001.hea"),
        dicom=("kept", "kept/000001.dcm"),
    ),
    *of_tables("read", "DIR/ecg.npy"),
    instead("verify --report", (ECG,), "LBBB", "AF", sign="atrial fibrillation"),
    acts("verify --threshold", (ECG, *REPORT, "--json"), "1", sign='"would_add": []'),
    acts("verify --llm", (ECG, *REPORT), sign="found no FOCAL_LLM_BASE_URL"),
    of_models("verify", ECG, *REPORT),
    acts("verify --start", (ECG, *REPORT, "--json"), "0.5", sign='"start_s": 0.5'),
    acts("verify --json", (ECG, *REPORT), sign='"statements"'),
    *of_tables("verify", "DIR/ecg.npy", *REPORT),
    acts("compare --prompt", TWO, "my words of LBBB", sign="my words of"),
    acts("compare --prompt-set", TWO, "ptbxl-super", sign="sinus bradycardia"),
    of_models("compare", *TWO),
    acts("compare --json", TWO[:2], sign='"findings"'),
    *of_tables("compare", "DIR/ecg.npy", "DIR/ecg.npy"),
    *of_searches("search", *ALL_SHOW),
    acts("search --labelled", ("LBBB", "--json"), sign='"labelled": false'),
    *of_searches("similar", OTHER_ECG),
    acts("similar --finding", (OTHER_ECG, "--json"), "AF", sign='"probability"'),
    acts("similar --segment", (OTHER_ECG, "--json"), "V1", "2", "4"),
    acts("similar --start", (OTHER_ECG, "--json"), "0.5"),
    *of_tables("similar", "DIR/ecg.npy"),
    instead("gallery build --source", BUILD[2:], "folder", "csn", sign="found no header JS"),
    instead("gallery build --data", BUILD[:2], "DIR/one-case", "DIR/none", sign="found no folder"),
    acts("gallery build --download", FETCH[:-1], "--from", NOWHERE, sign="cannot reach"),
    acts("gallery build --cases", (*FETCH, "--from", NOWHERE), "0", sign="and 0 cases"),
    instead("gallery build --from", FETCH, NOWHERE, "ftp://127.0.0.1/", sign="needed one of http"),
    of_models("gallery build", *BUILD),
    *all_act(
        "gallery build",
        BUILD,
        out=("mine", "mine/gallery.json"),
        title=("Mine", '"title": "Mine"'),
        simulated=("", '"simulated": true'),
        index=("ivfpq", "--index ivfpq is for 10,000 cases"),
        patches=("compact", '"patches": "compact"'),
        rate_hz=("250", '"rate_hz": 250'),
        step_uv=("5", '"step_uv": 5'),
    ),
    instead("gallery push --to", ("DIR/one", "--dry-run"), "a/b", "c/d", sign="sent to c/d"),
    acts("gallery push --dry-run", ("DIR/one", "--to", "a/b"), sign="nothing was sent"),
    acts("gallery push --private", ("DIR/one", "--to", "a/b", "--dry-run"), sign="leave one out"),
)
REFUSED = (
    ("read", ECG, "--tau", "0.5", "found --tau without --heatmap"),
    ("read", ECG, "--csv", "out.csv", "--heatmap", "a table holds no heatmap"),
    ("read", ECG, "--csv", "out.csv", "--json", "--json: not allowed with argument --csv"),
    ("read", ECG, "--prompt-set", "", "found no prompt set ''"),
    ("read", ECG, "--rate-hz", "250", "found --rate-hz, without effect"),
    ("read", ECG, OTHER_ECG, "--rate-hz", "250", "--unit", "V", "found --rate-hz and --unit"),
    ("read", ECG, "--csv", "DIR/out.csv", "--pdf", "late", "found --pdf with a table whose 1 rows"),
    ("read", ECG, "--csv", "DIR/out.csv", "--wfdb", "late", "found --wfdb with a table"),
    ("read", ECG, "--csv", "DIR/out.csv", "--dicom", "late", "found --dicom with a table"),
    ("verify", ECG, *REPORT, "--unit", "V", "found --unit, without effect"),
    ("compare", ECG, OTHER_ECG, "--leads", "", "found --leads, without effect"),
    ("similar", ECG, "--rate-hz", "250", "found --rate-hz, without effect"),
    ("similar", ECG, "--finding", "AF", "--segment", "V1", "2", "4", "not allowed with argument"),
    ("similar", ECG, "--top", "0", "argument --top: found '0'; needed a whole number"),
    ("search", "AF", "--top", "-1", "argument --top: found '-1'"),
    ("search", "AF", "--gallery", "", "needed"),
    ("gallery", "build", *BUILD, "--cases", "3", "found --cases without --download"),
    ("gallery", "build", *BUILD, "--from", NOWHERE, "found --from without --download"),
    ("gallery", "build", *BUILD, "--download", "found --download with --source folder"),
)
"""Runs that end with exit code 2, and what each is told."""


def flags(parser: argparse.ArgumentParser, words: str = "") -> Iterator[str]:
    """Every flag below a parser, with the command that it belongs to."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from flags(inner, f"{words}{name} ")
        elif action.option_strings and action.dest != "help":
            yield words + action.option_strings[-1]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """`told(words...)`: a command's exit code, output, errors and files, over a tiny model."""
    place = tmp_path_factory.mktemp("flags")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FOCAL_GALLERY", "FOCAL_LLM_BASE_URL", "FOCAL_LLM_MODEL", "FOCAL_LLM_API_KEY"):
            patch.delenv(name, raising=False)
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        patch.setattr(Explorer, "load", cache(Explorer.load))  # one model, loaded once

        def run(*words: str) -> str:
            return outcome(*_with_model(words))

        @cache
        def outcome(*words: str) -> str:
            asked = [word.replace("DIR/", f"{place}/") for word in words]
            folder, printed = tmp_path_factory.mktemp("run"), io.StringIO()
            with chdir(folder), redirect_stdout(printed), redirect_stderr(printed):
                try:
                    code = main(asked)
                except SystemExit as end:
                    code = end.code
            return "\n".join([f"exit {code}", printed.getvalue(), *_files(folder)])

        _lay(place, run)
        yield run


def _with_model(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command with the tiny model and its gallery, where it does not name others itself."""
    made = words
    if words[0] in ("search", "similar") and "--gallery" not in words:
        made = (*made, "--gallery", "DIR/gallery")
    if words[:2] != ("gallery", "push") and "--checkpoint" not in words:
        made = (*made, "--checkpoint", "DIR/tiny")
    return made


def _files(folder: Path) -> Iterator[str]:
    """The names of what was written, and of short texts what they hold."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()[:20_000]
        text = "" if b"\0" in content else content.decode("latin-1")
        yield f"{path.relative_to(folder)}: {text}"


def _lay(place: Path, run: Callable[..., str]) -> None:
    """Models, a table of numbers, two galleries, and a table of readings without copies."""
    save_tiny_model(place / "tiny")
    save_tiny_model(place / "other", seed=1)
    np.save(place / "ecg.npy", load_case("normal").signal_mv)
    for name, cases in (("cases", GALLERY), ("one-case", ["normal"])):
        (place / name).mkdir()
        lines = [_line(case, place / name) for case in cases]
        (place / name / "cases.jsonl").write_text("\n".join(lines))
    for cases, name, title in (("cases", "gallery", "Three"), ("one-case", "one", "One")):
        folders = ("--data", f"DIR/{cases}", "--out", f"DIR/{name}")
        run("gallery", "build", "--source", "folder", *folders, "--title", title)
    run("read", ECG, "--csv", "DIR/out.csv")


def _line(case: str, folder: Path) -> str:
    for suffix in (".hea", ".dat"):
        shutil.copy(CASES / f"{case}{suffix}", folder)
    labels, sex, age_years, source = GALLERY[case]
    known = {"labels": [labels], "sex": sex, "age_years": age_years, "source": source}
    return json.dumps({"file": f"{case}.hea", **known})


def test_every_flag_has_a_case_and_every_case_a_flag():
    assert sorted(flags(_parser())) == sorted(case.flag for case in ACTS)


@pytest.mark.parametrize("case", ACTS, ids=lambda case: case.flag)
def test_a_flag_acts(case, told):
    without, run = told(*case.without), told(*case.run)
    if case.sign:
        assert (case.sign in run) != (case.sign in without)
    else:
        assert run != without


@pytest.mark.parametrize("words", REFUSED, ids=lambda words: " ".join(words[:-1])[-60:])
def test_a_flag_that_would_do_nothing_is_refused_by_name(words, told):
    said = told(*words[:-1])
    assert said.startswith("exit 2\n") and words[-1] in said
