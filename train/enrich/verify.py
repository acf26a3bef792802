"""Verification: the coarse model scores every candidate feature on the ECG of its report.

    python -m train verify --checkpoint runs/embedded/coarse/model --out runs/embedded/verified \
        --shards runs/embedded/data/simulated --candidates runs/embedded/candidates

Every score lies in [0, 1] and is never a cosine: a calibrated probability, or on request the
model's own sigmoid. The published "0.95" is a confidence in the paper and a cosine in its code.
Accepted and rejected candidates are both written, with their score and, where rejected, the reason.
A candidate is judged as the statement that it means; free text is held apart, unless it is to be
scored as it stands, as published.
"""

import hashlib
import json
import logging
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import ConfigError
from focal_app.lexicon import Lexicon, load_lexicon
from focal_app.model.focal import Focal
from train.data import verified_files as verified
from train.data.fingerprint import fingerprint
from train.data.prepared import PreparedStore
from train.data.shards import Shards
from train.data.verified_files import Line
from train.enrich.candidate_calibration import TooFew, excluded, fit_candidates, stated
from train.enrich.meanings import meanings
from train.enrich.reading_ahead import Part, Records, read_ahead
from train.enrich.scoring import Curve, Embedded, confidence, logits_of, own_curve
from train.enrich.shared_work import Share
from train.enrich.unstated import fit_unstated
from train.recipe import NOT_FITTED, FreeText, Score

THRESHOLD = 0.95
LENIENT = "unstated-lenient"
UNITS = {"confidence": "the model's sigmoid, not calibrated, 0 to 1"}
PART = 2048
"""Records a part file: what a stopped run repeats at the most."""

BELOW = "below the threshold"
CONTRADICTS = "contradicts a tag of the report"
KNOWN = "already in the report"
UNREADABLE = "the recording cannot be used"
APART = "free text, which names no statement"
UNKNOWN = "too seldom stated in reports to be judged"

log = logging.getLogger(__name__)

Candidates = Mapping[frozenset[str], Sequence[str]]
"""Candidate features by tag set, as `train.enrich` reads them."""
Block = tuple[Shards, range]
"""Records of one part file."""
Stores = Mapping[Path, PreparedStore | None]
"""Ready signals by the folder of the shards; None where they are filtered anew."""


@dataclass(frozen=True)
class Summary:
    """Counts of a verification; `rejected` by reason."""

    records: int
    without_candidates: int
    unreadable: int
    candidates: int
    accepted: int
    rejected: dict[str, int]


@dataclass(frozen=True)
class Reading:
    """`batch` ECGs at a time, read ahead by `workers` processes.

    The score is fitted on the validation records of `calibrate_on`. Below `prepared` lie signals
    that are ready for the model, else each is filtered anew.
    """

    batch: int = 64
    calibrate_on: Sequence[Shards] = ()
    workers: int = 0
    prepared: Path | None = None

    def store(self, shards: Shards, spec: SignalSpec) -> PreparedStore | None:
        """The signals of these shards, ready."""
        if self.prepared is None:
            return None
        if (found := PreparedStore.made(shards, spec, self.prepared)) is None:
            raise ConfigError(
                f"found no ready signals of {shards.name} for this model in {self.prepared.name!r};"
                " give the folder `prepared` of a run, made by `python -m train prepare` with a "
                "recipe of data.keep_prepared, or leave --prepared out"
            )
        return found


def verify(
    model: Focal,
    shards: Sequence[Shards],
    candidates: Candidates,
    out: Path,
    *,
    threshold: float = THRESHOLD,
    score: Score = "auto",
    free_text: FreeText = "apart",
    reading: Reading = Reading(),
) -> Summary:
    """Score every candidate of every record and write both sides; goes on where it was stopped.

    `score` is "candidate", the probability of a feature that was proposed, fitted on the
    validation records that `reading` names (of `shards` themselves where none are given),
    "unstated", that of one which reports often leave out (`train.enrich.unstated`; what it cannot
    judge is rejected, and kept by "unstated-lenient"), "probability", the model's own, or
    "confidence", its sigmoid as it is, as published; "auto" is the first where there are records
    enough, else "probability", with a warning. `free_text` is held "apart", or "scored" like a
    statement. A record whose tag set has no candidates is counted.
    """
    if not 0 < threshold < 1:
        raise ConfigError(f"found threshold {threshold}; needed a probability between 0 and 1")
    share, fitting = Share.of_this_process(), score not in NOT_FITTED
    calibrate_on = (reading.calibrate_on or shards) if fitting else ()
    about = {
        "threshold": threshold,
        "unit": UNITS.get(score, "calibrated probability, 0 to 1"),
        "score": score,
        "free_text": free_text,
        "batch": reading.batch,
        "made_from": _made_from(model, shards, candidates, calibrate_on),
        **({"signals": "prepared, float16"} if reading.prepared else {}),
    }
    stores = {one.folder: reading.store(one, model.config.signal) for one in shards}
    if share.first:
        verified.refuse_another(out, about)
        if not (out / verified.SCORE).is_file():
            curve = _fitted(model, score, calibrate_on, candidates, reading.batch)
            # Only now: where nothing can be fitted, another score may be asked for in this folder.
            verified.start(out, about)
            text = json.dumps(asdict(curve), indent=2) + "\n"
            verified.write_whole(out / verified.SCORE, text)
    share.wait_for(out / verified.SCORE)
    verified.refuse_another(out, about)
    curve = Curve(**verified.read_score(out))
    judge = _Judge(model, candidates, curve, threshold, load_lexicon(), apart=free_text == "apart")
    blocks = [(one, rows) for one in shards for rows in _batches(range(len(one)), PART)]
    _verify_blocks(judge, blocks, out, share, reading, stores)
    if not share.first:
        share.wait_for(out / verified.MANIFEST)
        return Summary(**verified.read_manifest(out)["counts"])
    parts = (share.until(partial(_whole, out, n, block)) for n, block in enumerate(blocks))
    summary = _summary(chain.from_iterable(parts), candidates)
    verified.finish(out, len(blocks), asdict(summary))
    return summary


def _verify_blocks(
    judge: "_Judge",
    blocks: Sequence[Block],
    out: Path,
    share: Share,
    reading: Reading,
    stores: Stores,
) -> None:
    """Write the parts of the blocks of this process that are not whole yet."""
    mine = [(n, block) for n, block in enumerate(blocks) if share.has(n)]
    left = [(n, block) for n, block in mine if _whole(out, n, block) is None]
    parts = {n: list(judge.parts(block, reading.batch, stores)) for n, block in left}
    every = [part for some in parts.values() for part in some]
    ahead = read_ahead(every, judge.model.config.signal, workers=reading.workers)
    total = sum(len(rows) for _, (_, rows) in mine)
    with tqdm(total=total, desc="verify", unit="ECG", mininterval=5) as bar:
        bar.update(total - sum(len(rows) for _, (_, rows) in left))
        for number, _ in left:
            lines: list[Line] = []
            for part in parts[number]:
                lines += judge(part, next(ahead))
                bar.update(len(part.rows))
            verified.write_part(out / verified.part_name(number), lines)


def _whole(out: Path, number: int, block: Block) -> list[Line] | None:
    """The lines of a block that is finished."""
    shard, rows = block
    return verified.whole_part(out / verified.part_name(number), [shard.keys[i] for i in rows])


def _fitted(
    model: Focal,
    score: Score,
    calibrate_on: Sequence[Shards],
    candidates: Candidates,
    batch: int,
) -> Curve:
    """The curve of a score, fitted once and kept beside the parts."""
    if score == "confidence":
        return confidence()
    if score == "probability":
        return own_curve(model)
    if score in ("unstated", LENIENT):
        return replace(fit_unstated(model, calibrate_on), name=score)
    try:
        return fit_candidates(model, calibrate_on, candidates, batch=batch)
    except TooFew as error:
        if score == "candidate":
            raise
        note = f"{error}. Candidates are judged by the model's own probability instead, which " + (
            "hardly ever reaches 0.95: few are accepted, or none"
        )
        log.warning(note)
        return replace(own_curve(model), fitted={"note": note})


class _Judge:
    """Candidates of records to lines; every distinct feature is embedded once."""

    def __init__(
        self,
        model: Focal,
        candidates: Candidates,
        curve: Curve,
        threshold: float,
        lexicon: Lexicon,
        *,
        apart: bool,
    ) -> None:
        self.model, self.curve, self.threshold, self.lexicon = model, curve, threshold, lexicon
        self.candidates = candidates
        wordings = {wording for found in candidates.values() for wording in found}
        self.meant = meanings(model.text, wordings, lexicon)
        if not apart:
            self.meant |= {one: one for one, meant in self.meant.items() if meant is None}
        self.embedded = Embedded.of(model, [meant for meant in self.meant.values() if meant])

    def parts(self, block: Block, size: int, stores: Stores) -> Iterator[Part]:
        """The records of a block, so many at a time, and of which of them something is asked."""
        shard, rows = block
        for some in _batches(rows, size):
            wanted = tuple(bool(self._asked(shard, row)) for row in some)
            yield Part(shard, some, wanted, stores[shard.folder])

    def __call__(self, part: Part, records: Records) -> list[Line]:
        asked = [self._asked(part.shard, row) for row in part.rows]
        logits = logits_of(self.model, records, asked, self.embedded)
        every = zip(part.rows, asked, logits, strict=True)
        return [self._line(part.shard, row, features, logit) for row, features, logit in every]

    def _proposed(self, shard: Shards, row: int) -> Sequence[str]:
        return self.candidates.get(frozenset(shard.tags[row]), ())

    def _asked(self, shard: Shards, row: int) -> tuple[str, ...]:
        """The statements that are asked of a record."""
        return _distinct(filter(None, map(self.meant.get, self._proposed(shard, row))))

    def _line(
        self, shard: Shards, row: int, features: Sequence[str], logit: np.ndarray | None
    ) -> Line:
        tags = shard.tags[row]
        free = _distinct(one for one in self._proposed(shard, row) if not self.meant[one])
        line: Line = {"key": shard.keys[row], "tags": list(tags), "accepted": [], "rejected": []}
        line["rejected"] += [_verdict(wording, None, APART) for wording in free]
        if logit is None:
            line["rejected"] += [_verdict(f, None, UNREADABLE) for f in features]
            return line
        known, against = stated(tags, (), self.lexicon), excluded(tags, self.lexicon)
        # Rounded before it is compared, so that the file agrees with itself.
        tags_of = [self.embedded.placed[feature].words for feature in features]
        rounded = np.round(self.curve.of(logit, tags_of), 6).tolist()
        for feature, probability in zip(features, rounded, strict=True):
            reason = self._reason(feature, probability, known, against)
            side = "rejected" if reason else "accepted"
            told = None if math.isnan(probability) else probability
            line[side].append(_verdict(feature, told, reason))
        return line

    def _reason(
        self, feature: str, probability: float, known: Collection[str], against: Collection[str]
    ) -> str:
        placed = self.embedded.placed[feature]
        if feature in known:
            return KNOWN
        if placed.words in against:
            return CONTRADICTS
        if math.isnan(probability):
            return "" if self.curve.name == LENIENT else UNKNOWN
        return "" if probability >= self.threshold else BELOW


def _distinct(features: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(features))


def _verdict(feature: str, probability: float | None, reason: str) -> dict[str, Any]:
    given = {"feature": feature, "probability": probability}
    return {**given, "reason": reason} if reason else given


def _batches(rows: range, size: int) -> Iterator[range]:
    return (rows[first : first + size] for first in range(0, len(rows), size))


def _summary(lines: Iterable[Line], candidates: Candidates) -> Summary:
    counts, rejected = Counter[str](), Counter[str]()
    for line in lines:
        reasons = [one["reason"] for one in line["rejected"]]
        counts["records"] += 1
        counts["without_candidates"] += frozenset(line["tags"]) not in candidates
        counts["unreadable"] += UNREADABLE in reasons
        counts["accepted"] += len(line["accepted"])
        rejected.update(reasons)
    return Summary(
        records=counts["records"],
        without_candidates=counts["without_candidates"],
        unreadable=counts["unreadable"],
        candidates=counts["accepted"] + rejected.total(),
        accepted=counts["accepted"],
        rejected=dict(sorted(rejected.items())),
    )


def _made_from(
    model: Focal,
    shards: Sequence[Shards],
    candidates: Candidates,
    calibrate_on: Sequence[Shards],
) -> str:
    weights = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        weights.update(name.encode() + tensor.detach().float().cpu().numpy().tobytes())
    asked = sorted((sorted(tags), list(found)) for tags, found in candidates.items())
    records = [[(shard.keys, shard.tags) for shard in some] for some in (shards, calibrate_on)]
    return fingerprint(model.config, weights.hexdigest(), asked, records)
