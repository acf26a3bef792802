"""How much is lost where a finding is asked for in clinicians' own words.

python -m tests.benchmarks.own_words --ptb-xl DIR

Every line of `tests/words/paraphrases.txt` whose finding some recordings of PTB-XL's folds have and
some lack: AUC of the words against that of the lexicon's tag, by the embedded checkpoint, on
patients that its training has not seen. What is refused has no AUC, and is counted. Of the third
that is kept back only sums are printed.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "words"))

from paraphrased import Paraphrase, paraphrases

from focal_app.ecg.archives.ptbxl import read_ptbxl
from focal_app.ecg.files import read_recording
from focal_app.errors import PromptError
from focal_app.explore.reading.explorer import Explorer
from focal_app.explore.reading.prompts import checked
from focal_app.lexicon import load_lexicon
from tests.benchmarks.options import bench_parser, run
from train.benchmark.metrics import auc, mean_interval

FEWEST = 2
FOLDS = (7, 8)
MOST = 100
WORST = 0.15
"""So much is any wording to lose at most."""
PARTS = (("rules were made on", False), ("kept back", True))

Scores = Mapping[str, np.ndarray]


def main() -> None:
    """Print what is lost, of the lines that rules were made on and of those that were kept back."""
    parser = bench_parser("own_words", __doc__)
    parser.add_argument("--ptb-xl", type=Path, required=True)
    folder = parser.parse_args().ptb_xl
    rows = [one for one in read_ptbxl(folder) if one.fold in FOLDS]
    rows = [one for one in rows if one.header(folder).is_file()]
    said = [_tags(row.codes) for row in rows]
    lines = [one for one in paraphrases() if not one.denied and _enough(_truth(one, said))]
    names = [one.words for one in lines if _answered(one.words)]
    names += sorted({group[0] for one in lines for group in one.meant})
    scores = _scores([row.header(folder) for row in rows], names)
    print(f"{len(rows)} recordings; {len(lines)} lines whose finding {FEWEST} or more have")
    by_line = lost(lines, said, scores)
    parts = (("all", lines), *((t, [x for x in lines if x.final == f]) for t, f in PARTS))
    for title, part in parts:
        some = {one: by_line[one] for one in part if one in by_line}
        shown = title == PARTS[0][0]
        print(_told(title, some, refused=len(part) - len(some), shown=shown))


def _scores(headers: Sequence[Path], names: Sequence[str]) -> Scores:
    explorer, found = Explorer.load(), []
    for header in headers:
        ecg, line = read_recording([header]), []
        for at in range(0, len(names), MOST):
            line += [one.probability for one in explorer.read(ecg, names[at : at + MOST]).findings]
        found.append(line)
    return dict(zip(names, np.array(found).T, strict=True))


def lost(
    lines: Sequence[Paraphrase], said: Sequence[frozenset[str]], scores: Scores
) -> Mapping[Paraphrase, float]:
    """AUC of the tag less that of the words, of every line that is answered."""
    found = {}
    for one in lines:
        if one.words in scores:
            truth = _truth(one, said)
            by_tag = np.min([scores[group[0]] for group in one.meant], axis=0)
            found[one] = auc(truth, by_tag) - auc(truth, scores[one.words])
    return found


def _told(title: str, lost_by: Mapping[Paraphrase, float], *, refused: int, shown: bool) -> str:
    """Mean and worst; of lines that were kept back no words."""
    values = np.array(list(lost_by.values()))
    mean, worst = mean_interval(values), max(lost_by, key=lambda one: lost_by[one])
    text = (
        f"{title}: {len(values) + refused} lines, {refused} refused; AUC lost by the others "
        f"{mean.value:+.3f} ({mean.low:+.3f} to {mean.high:+.3f}), at worst {values.max():+.3f}, "
        f"more than {WORST} by {(values > WORST).sum()}, nothing by {(values <= 0).sum()}"
    )
    return f"{text} ({worst.words})" if shown else text


def _answered(words: str) -> bool:
    try:
        checked([words])
    except PromptError:
        return False
    return True


def _tags(codes: Iterable[str]) -> frozenset[str]:
    lexicon = load_lexicon()
    own = [found.tag for code in codes if (found := lexicon.of_scp(code))]
    return frozenset(name for tag in own for name in (tag, *lexicon.ancestors(tag)))


def _truth(one: Paraphrase, said: Sequence[frozenset[str]]) -> np.ndarray:
    return np.array([all(group[0] in tags for group in one.meant) for tags in said], bool)


def _enough(truth: np.ndarray) -> bool:
    return min(truth.sum(), (~truth).sum()) >= FEWEST


if __name__ == "__main__":
    run(main)
