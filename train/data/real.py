"""Real recordings with labels: PTB-XL, PhysioNet challenge files and LUDB, as published.

Each source speaks of its own statements only: what PTB-XL's annotators could not write down is
unknown, not absent.
"""

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from focal_app.ecg.files import read_recording
from focal_app.ecg.preprocess import prepare
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError, RecordingError
from focal_app.lexicon import Lexicon, load_lexicon
from train.data.ptbxl_labels import read_table
from train.data.records import Labelled

LUDB_MAP = Path(__file__).parent / "ludb.yaml"


@dataclass(frozen=True)
class Source:
    """One data set: where each recording lies, its tags, its split group; what it speaks of.

    `skipped` counts recordings whose labels map to no statement, `unmapped` the labels themselves.
    """

    name: str
    items: tuple[tuple[Path, tuple[str, ...], str], ...]
    vocabulary: frozenset[str]
    unmapped: tuple[str, ...] = ()

    def labelled(self, spec: SignalSpec) -> Iterator[Labelled | None]:
        """Every recording, prepared; None for one that cannot be read."""
        for path, tags, group in self.items:
            try:
                prepared = prepare(read_recording([path]), spec)
            except RecordingError:
                yield None
            else:
                yield Labelled(prepared, tags, {}, group)


def ptb_xl(folder: Path) -> Source:
    """PTB-XL in its official layout; tags from `scp_codes`, the fold as the split group."""
    lexicon = load_lexicon()
    rows = read_table(folder / "ptbxl_database.csv")
    items, unmapped = [], set()
    for row in rows:
        codes = ast.literal_eval(row["scp_codes"])
        tags, unknown = _mapped(codes, lexicon.of_scp)
        unmapped |= unknown
        header = folder / f"{row['filename_hr']}.hea"
        if tags and header.is_file():
            items.append((header, tags, f"fold {int(float(row['strat_fold']))}"))
    return Source("ptb-xl", tuple(items), _scp_vocabulary(folder, lexicon), tuple(sorted(unmapped)))


def _scp_vocabulary(folder: Path, lexicon: Lexicon) -> frozenset[str]:
    codes = [row[""] for row in read_table(folder / "scp_statements.csv")]
    return frozenset(_mapped(codes, lexicon.of_scp)[0])


def challenge(folder: Path) -> Source:
    """Challenge files (CPSC2018, CPSC-Extra, Georgia, CSN) with SNOMED CT codes in the header.

    The four sources code with different care, so that only what is named counts as known.
    """
    lexicon = load_lexicon()
    items, unmapped = [], set()
    for header in sorted(folder.rglob("*.hea")):
        try:
            codes = read_recording([header]).source.codes
        except RecordingError:
            continue
        tags, unknown = _mapped(codes, lexicon.of_snomed)
        unmapped |= unknown
        if tags:
            items.append((header, tags, "challenge"))
    return Source("challenge", tuple(items), frozenset(), tuple(sorted(unmapped)))


def ludb(folder: Path) -> Source:
    """LUDB; its diagnoses are worded its own way and mapped by `ludb.yaml`."""
    wording = yaml.safe_load(LUDB_MAP.read_text(encoding="utf-8"))
    rows = read_table(folder / "ludb.csv")
    items, unmapped = [], set()
    for row in rows:
        said = [
            line.strip() for cell in list(row.values())[3:] for line in (cell or "").split("\n")
        ]
        said = [line for line in said if line]
        unmapped |= {line for line in said if line not in wording}
        tags = tuple(dict.fromkeys(tag for line in said for tag in wording.get(line, ())))
        header = folder / "data" / f"{row['ID'].strip()}.hea"
        if tags and header.is_file():
            items.append((header, tags, "ludb"))
    spoken = frozenset(tag for tags in wording.values() for tag in tags)
    return Source("ludb", tuple(items), spoken, tuple(sorted(unmapped)))


SOURCES = {"ptb-xl": ptb_xl, "challenge": challenge, "ludb": ludb}


def find_sources(folder: Path) -> list[Source]:
    """The sources that lie in `folder`, each in a sub-folder of its name."""
    found = [make(folder / name) for name, make in SOURCES.items() if (folder / name).is_dir()]
    empty = [source.name for source in found if not source.items]
    if empty:
        raise ConfigError(
            f"found no usable recording in {', '.join(empty)}; needed the data set in its official "
            "layout, with its signal files. Add them or take the folder away"
        )
    if not found:
        raise ConfigError(
            f"found none of {', '.join(SOURCES)} in {folder.name!r}; --real needs a folder that "
            "holds at least one of them"
        )
    return found


def describe(source: Source) -> str:
    """One line for the log and for the card."""
    lost = f", labels without a statement: {json.dumps(source.unmapped)}" if source.unmapped else ""
    return f"{source.name}: {len(source.items)} recordings{lost}"


def _mapped(codes, find) -> tuple[tuple[str, ...], set[str]]:
    tags, unknown = [], set()
    for code in codes:
        statement = find(code)
        if statement is None:
            unknown.add(code)
        else:
            tags.append(statement.tag)
    return tuple(dict.fromkeys(tags)), unknown
