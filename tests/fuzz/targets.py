"""What is fuzzed: every parser of what strangers or hosts give, as one function each.

A target takes an input and an empty folder, and gives a few words on what came of it. It may raise
a `FocalError`, which is a refusal; anything else is a finding.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from tests.fuzz.kept import Files

Run = Callable[[Files, Path], str]


@dataclass(frozen=True)
class Target:
    """A parser: its good inputs, what is done with an input, and its share of all inputs.

    What `private` inputs hold is a patient's: no message may repeat the name in them.
    """

    seeds: Callable[[], list[Files]]
    run: Run
    share: int = 1
    private: bool = False


def _written(files: Files, folder: Path) -> list[Path]:
    """The files, each in a folder of its own, as a server stores uploads."""
    paths = []
    for number, (name, content) in enumerate(files.items()):
        place = folder / str(number)
        place.mkdir()
        (place / name).write_bytes(content)
        paths.append(place / name)
    return paths


def _text(files: Files) -> str:
    """The one text of an input, lone surrogates included, as JSON may bring them."""
    content = next(iter(files.values()))
    try:
        return content.decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def recording(files: Files, folder: Path) -> str:
    """Read, prepared, judged and drawn; whatever it says is what a visitor may see."""
    from focal_app.ecg.complete import completed
    from focal_app.ecg.files import read_recording
    from focal_app.ecg.preprocess import prepare
    from focal_app.ecg.quality import quality_warnings
    from focal_app.ecg.signal_spec import SignalSpec
    from focal_app.figures.paper import ecg_svg

    ecg = completed(read_recording(_written(files, folder)))
    warnings = quality_warnings(ecg)
    prepared = prepare(ecg, SignalSpec())
    ecg_svg(ecg)
    return " ".join((ecg.source.format, *ecg.leads, *ecg.notes, *warnings, *prepared.notes))


def hospital(files: Files, folder: Path) -> str:
    """A file of a cardiograph, a table or a zip, read, prepared and drawn; its guess is taken."""
    from focal_app.ecg.complete import completed
    from focal_app.ecg.files import read_recording
    from focal_app.ecg.preprocess import prepare
    from focal_app.ecg.quality import quality_warnings
    from focal_app.ecg.signal_spec import SignalSpec
    from focal_app.ecg.tables.question import SignalUnknown
    from focal_app.errors import TooLittleSignal
    from focal_app.figures.paper import ecg_svg

    try:
        ecg = completed(read_recording(_written(files, folder)))
    except SignalUnknown as unknown:
        ecg = completed(unknown.table.answered(unknown.table.guess))
    warnings = quality_warnings(ecg)
    try:
        prepare(ecg, SignalSpec())
    except TooLittleSignal:
        warnings = ("too little for the model", *warnings)
    ecg_svg(ecg)
    return " ".join((ecg.source.format, *ecg.leads, *ecg.notes, *warnings))


def report(files: Files, folder: Path) -> str:
    """Tags of a report and the features that go with them; the same text as one tag."""
    from focal_app.errors import FocalError
    from focal_app.explore.report.candidates import lexicon_candidates
    from focal_app.words.statements import report_tags, typed_tag

    text = _text(files)
    tags = report_tags(text)
    found = lexicon_candidates(tags)
    try:
        typed_tag(text)
    except FocalError:
        return f"{min(len(tags), 5)} tags"
    return f"{min(len(tags), 5)} tags, {min(len(found), 5)} candidates"


def query(files: Files, folder: Path) -> str:
    """A search as it is understood."""
    from focal_app.explore.cases.query import parse

    asked = parse(_text(files))
    return f"{len(asked.terms)} terms, {len(asked.warnings)} warnings"


def prompts(files: Files, folder: Path) -> str:
    """Prompts, the words that are scored for them, and their groups."""
    from focal_app.explore.reading.prompts import cleaned, group_of, prompt_set, read_as

    try:
        values = json.loads(_text(files))
    except (ValueError, RecursionError):
        values = [_text(files)]
    asked = cleaned([one for one in values if isinstance(one, str)] if _listed(values) else [])
    for one in asked:
        read_as(one), group_of(one)
    prompt_set(asked[0] if len(asked[0]) < 3 else "everyday")
    return f"{min(len(asked), 5)} prompts"


def _listed(values: object) -> bool:
    return isinstance(values, list)


def teaching(files: Files, folder: Path) -> str:
    """A teaching set from a file or a link."""
    from focal_app.explore.cases.teaching import TeachingSet

    text = _text(files)
    made = TeachingSet.from_link(text) if "link.txt" in files else TeachingSet.from_json(text)
    if TeachingSet.from_json(made.to_json()) != made:
        raise AssertionError("a set is another after saving")
    return f"{len(made.keys)} cases"


def settings(files: Files, folder: Path) -> str:
    """The host's environment: only what an environment can hold."""
    from focal_app.explore.report.language_model import server_from
    from focal_app.ui.server.settings import read_settings

    try:
        values = json.loads(_text(files))
    except (ValueError, RecursionError):
        values = {}
    values = values if isinstance(values, dict) else {}
    held = {name: one for name, one in values.items() if isinstance(one, str) and "\0" not in one}
    made = read_settings(held)
    server = server_from(held)
    return (
        f"port {made.port > 0}, {len(made.auth)} users, {server is not None and server.host > ''}"
    )


def answer(files: Files, folder: Path) -> str:
    """What a language model says, as features."""
    from focal_app.llm.answers import parse_features

    features = parse_features(_text(files))
    return "none" if features is None else f"{min(len(features), 5)} features"


def server(files: Files, folder: Path) -> str:
    """What a language model's server sends, over a real connection on this machine."""
    from focal_app.explore.report.language_model import LLMServer, propose
    from tests.fuzz.answering import answering

    address, serve = answering()
    serve(next(iter(files.values())))
    return f"{min(len(propose(LLMServer(address, 'tiny'), ['LBBB'])), 5)} features"


def gallery(files: Files, folder: Path) -> str:
    """A gallery whose manifest is the input, and a line and a block of one."""
    from focal_app.errors import GalleryError
    from focal_app.explore.cases.gallery import signals, table
    from focal_app.explore.cases.gallery.gallery import EMBEDDED, Gallery
    from focal_app.explore.cases.gallery.manifest import Manifest

    said = []
    for step in (
        lambda: table.facts_of(files.get("line.json", b"")),
        lambda: signals.unpack(files.get("block.bin", b""), rate_hz=250),
    ):
        try:
            step()
            said.append("read")
        except GalleryError:
            said.append("refused")
    shutil.copytree(EMBEDDED, folder, dirs_exist_ok=True)
    (folder / "gallery.json").write_bytes(files.get("gallery.json", b""))
    opened = Gallery(folder, Manifest.read(folder))
    opened.ecg(0), opened.labels(), opened.rarity, opened.findings([0])
    return " ".join(said)


def listed(files: Files, folder: Path) -> str:
    """A list of cases of one's own, beside a recording."""
    from focal_app.explore.cases.gallery.sources import folder_of_cases
    from tests.fuzz.seeds import recordings

    for name, content in (*recordings()[0].items(), *files.items()):
        (folder / name).write_bytes(content)
    return f"{min(sum(1 for _ in folder_of_cases(folder)), 3)} cases"


def checkpoint(files: Files, folder: Path) -> str:
    """A tiny checkpoint whose config and index, its tag encoder's too, are the input."""
    from focal_app.model.focal import Focal
    from tests.fuzz.seeds import tiny_checkpoint

    shutil.copytree(tiny_checkpoint(), folder, dirs_exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("text-", "text/")).write_bytes(content)
    Focal.load(folder)
    return "loaded"


def recipe(files: Files, folder: Path) -> str:
    """A recipe of training."""
    from train.recipe import load_recipe

    path = folder / "recipe.yaml"
    path.write_bytes(next(iter(files.values())))
    return f"{load_recipe(path).fine is not None}"


@cache
def targets() -> Mapping[str, Target]:
    """All targets by name."""
    from tests.fuzz import seeds

    return {
        "recording": Target(seeds.recordings, recording, share=6, private=True),
        "hospital": Target(seeds.hospital, hospital, share=6, private=True),
        "report": Target(partial(seeds.texts, seeds.REPORTS), report, share=3),
        "query": Target(partial(seeds.texts, seeds.QUERIES), query, share=3),
        "prompts": Target(seeds.prompts, prompts),
        "teaching": Target(seeds.teaching, teaching),
        "settings": Target(seeds.settings, settings),
        "answer": Target(partial(seeds.texts, seeds.ANSWERS), answer, share=2),
        "server": Target(seeds.served, server),
        "gallery": Target(seeds.manifests, gallery),
        "listed": Target(seeds.lists, listed),
        "checkpoint": Target(seeds.checkpoints, checkpoint),
        "recipe": Target(seeds.recipes, recipe),
    }
