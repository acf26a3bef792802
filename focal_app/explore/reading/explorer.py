"""What the app does with a model: read an ECG.

explorer = Explorer.load()                       # the embedded checkpoint
reading = explorer.read(ecg, ["atrial fibrillation", "ST elevation"])
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Self

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F

from focal_app.ecg.complete import CompleteECG, completed
from focal_app.ecg.measured import Measured
from focal_app.ecg.preprocess import Prepared, prepare
from focal_app.ecg.quality import quality_warnings
from focal_app.ecg.recording import ECG, LEADS
from focal_app.ecg.signal_spec import SignalSpec
from focal_app.errors import CheckpointError, PromptError, TooLittleSignal
from focal_app.explore.measured.contradictions import judged
from focal_app.explore.measured.device import differences, impossible_rate
from focal_app.explore.reading.checkpoint_card import FEW_POSITIVES, Card, HeldOut, read_card
from focal_app.explore.reading.encoded import Encoded, is_kept, kept_with
from focal_app.explore.reading.heatmap import Heatmap
from focal_app.explore.reading.normal import ABNORMAL, KINDS, NORMAL
from focal_app.explore.reading.prompts import checked, group_of, read_as, scored
from focal_app.explore.reading.reading import Finding, Reading, RecordFacts
from focal_app.explore.reading.routing import Routed
from focal_app.explore.reading.told import Telling
from focal_app.explore.reading.zones import Zones, read_zones
from focal_app.lexicon import load_lexicon
from focal_app.model.checkpoint_folder import EMBEDDED, local_folder
from focal_app.model.combination import Combined, load_combination
from focal_app.model.device import best_device
from focal_app.model.focal import Focal
from focal_app.model.measuring import measured
from focal_app.model.places import by_leads, within
from focal_app.model.transport import relative_weights
from focal_app.words.prompts import Asked

LOWEST_TAU, HIGHEST_TAU = 0.01, 100.0
FINE_STEP_S = 0.2
"""Columns of a fine heatmap: a fifth of a patch, the length of a P wave and its interval."""


class Explorer:
    """A loaded model and everything that a page or a command asks of it. Safe to share.

    The encoders run where the model lies; their embeddings come back to the CPU, where tags are
    routed.
    """

    def __init__(self, model: Focal) -> None:
        if model.config.alignment != "semi-uot":
            raise CheckpointError(
                f"found a checkpoint that was trained with the alignment {model.config.alignment!r}"
                "; heatmaps and their tau need 'semi-uot'. Measure this one with "
                "`python -m train evaluate`, and open another here"
            )
        self.combination: Mapping[str, Combined] = {}
        """By statement, how its probability is made of the model's and of measurements."""
        self.card = Card()
        """What was measured of this checkpoint; empty where its folder says nothing."""
        self.zones = Zones()
        """From which probability on a statement of a report is supported."""
        self.model = model.eval().requires_grad_(False)
        self._lock = threading.Lock()
        # Marks what it encoded; a copy, or another process, has another one.
        self._mark = object()
        self._tag = lru_cache(maxsize=4096)(self._embed)

    @classmethod
    def load(cls, source: str | Path | None = None) -> Self:
        """The explorer of a checkpoint: a folder, `org/name@revision`, or the embedded one."""
        folder = local_folder(EMBEDDED if source is None else source)
        return cls(Focal.load(folder).to(best_device())).with_facts(folder)

    def with_facts(self, folder: Path) -> Self:
        """The same, with what lies beside the weights: what was measured of them and joins them."""
        fingerprint = cache(self.model.fingerprint)
        self.card, self.combination = read_card(folder), load_combination(folder, fingerprint)
        self.zones = read_zones(folder, fingerprint)
        return self

    @property
    def telling(self) -> Telling:
        """What makes probabilities of the model's own and of measurements."""
        return Telling(self.combination)

    @property
    def spec(self) -> SignalSpec:
        """How the model wants its signals."""
        return self.model.config.signal

    @property
    def tau(self) -> float:
        """The weight of the even share with which the model was trained."""
        return self.model.config.tau

    def read(
        self,
        ecg: ECG,
        prompts: Sequence[str],
        *,
        start_s: float = 0.0,
        tau: float | None = None,
    ) -> Reading:
        """Every prompt against the window of `ecg` that starts at `start_s` seconds.

        Each prompt is scored on its own, at the tau of the training, one that the lexicon knows in
        the lexicon's words, and in the leads that it names alone. `tau` changes the heatmaps alone:
        less sharpens them. What has too few leads or seconds, or beats as no heart has, comes back
        without findings, and says why. Raises a `FocalError` for an ECG that cannot be read at all,
        and for a prompt that denies a finding or names none.
        """
        asked = checked(prompts)
        focus = self.tau if tau is None else _checked(tau)
        complete, encoded, not_read = completed(ecg), None, None
        try:
            encoded = self.encoded(complete, start_s)
        except TooLittleSignal as too_little:
            not_read = str(too_little)
        found = measured(complete, start_s=start_s, duration_s=self.spec.duration_s)
        not_read = not_read or impossible_rate(found)
        findings, notes, unread = (), (), []
        if encoded and not not_read:
            findings, notes = self._findings(asked, encoded, found, focus), encoded.notes
            looked_at = zip(LEADS, encoded.seen[0], strict=True)
            unread = [lead for lead, seen in looked_at if not seen.any()]
        shown = (start_s, start_s + self.spec.duration_s)
        checks = quality_warnings(complete, window_s=shown, unread=unread)
        return Reading(
            record=RecordFacts.of(complete),
            start_s=start_s,
            edges_s=self._edges(start_s),
            findings=tuple(self._beside(found, one) for one in findings),
            warnings=(*complete.notes, *notes, *checks, *differences(found)),
            not_read=not_read,
            measured=found,
        )

    def fine(
        self,
        ecg: ECG,
        prompt: str,
        *,
        start_s: float = 0.0,
        tau: float | None = None,
        step_s: float = FINE_STEP_S,
    ) -> Heatmap:
        """The heatmap of one prompt finer than a patch: the mean over windows `step_s` apart.

        As many windows as a patch has steps begin at `start_s` and after; those that hold
        too little signal are left out. All are encoded at once.
        """
        checked([prompt])
        focus = self.tau if tau is None else _checked(tau)
        encoded = self._shifted(completed(ecg), start_s, step_s)
        patches, kept = encoded.patches, encoded.kept
        parts = scored(prompt).each
        with torch.inference_mode():
            each = [
                self.route(patches, one[None], within(kept, part.leads), tau=focus).weights[:, 0]
                for part, one in zip(parts, self._embedded(parts), strict=True)
            ]
        weights = mean_weights(np.stack(each))
        shifted = [
            Heatmap(where, self._edges(begin_s))
            for where, begin_s in zip(weights, encoded.starts_s, strict=True)
        ]
        return Heatmap.averaged(shifted, step_s=step_s)

    def has_fine(self, ecg: CompleteECG, *, start_s: float = 0.0) -> bool:
        """Whether a fine heatmap costs no encoding: the windows of another one are kept."""
        return is_kept(ecg, "shifted", (self._mark, start_s, FINE_STEP_S))

    def encoded(self, ecg: CompleteECG, start_s: float = 0.0) -> Encoded:
        """The window that starts at `start_s`, encoded once: of a recording the last one is kept.

        Raises `TooLittleSignal` where it holds too few leads or seconds.
        """

        def encode() -> Encoded:
            window = prepare(ecg, self.spec, start_s=start_s)
            return Encoded.of([window], self.patches(window))

        return kept_with(ecg, "window", (self._mark, start_s), encode)

    def _shifted(self, ecg: CompleteECG, start_s: float, step_s: float) -> Encoded:
        """The window at `start_s`, and those after it that hold enough signal; kept as well."""

        def encode() -> Encoded:
            windows = self._windows(ecg, start_s, step_s)
            return Encoded.of(windows, self.patches(*windows))

        return kept_with(ecg, "shifted", (self._mark, start_s, step_s), encode)

    def _windows(self, ecg: CompleteECG, start_s: float, step_s: float) -> list[Prepared]:
        prepared = [prepare(ecg, self.spec, start_s=start_s)]
        steps = round(self.spec.duration_s / self.spec.windows / step_s)
        latest_s = ecg.duration_s - self.spec.minimum_duration_s
        for later_s in (start_s + step_s * number for number in range(1, steps)):
            if later_s <= latest_s:
                with suppress(TooLittleSignal):
                    prepared.append(prepare(ecg, self.spec, start_s=later_s))
        return prepared

    def _score(
        self, encoded: Encoded, parts: Sequence[Asked], focus: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Cosine and weights of every part of what is asked."""
        patches, kept = encoded.patches, encoded.kept
        with torch.inference_mode():
            tags = self._embedded(parts)
            cosine, weights = np.empty(len(parts), np.float32), [np.empty(0)] * len(parts)
            for leads, rows in by_leads(part.leads for part in parts).items():
                places = within(kept, leads)
                routed = self.route(patches, tags[rows], places)
                sharp = focus != self.tau
                shown = self.route(patches, tags[rows], places, tau=focus) if sharp else routed
                cosine[rows] = routed.cosine[0]
                for row, tint in zip(rows, shown.weights[0], strict=True):
                    weights[row] = tint
        return cosine, np.stack(weights)

    def _findings(
        self, asked: Sequence[str], encoded: Encoded, found: Measured, focus: float
    ) -> Iterator[Finding]:
        """Every prompt; of several findings in one as likely as the least likely of them."""
        each = [scored(prompt).each for prompt in asked]
        parts = [part for parts in each for part in parts]
        beside = tuple(dict.fromkeys(one for p in parts for one in self.telling.beside(p.text)))
        parts += map(Asked, beside)
        cosine, weights = self._score(encoded, parts, focus)
        own = self.probability(cosine)
        texts = [part.text for part in parts]
        told = self.telling.told(texts, own[None], [found])[0]
        of = dict(zip(texts[::-1], told[::-1].tolist(), strict=True))  # what comes first of words
        first, lexicon = 0, load_lexicon()
        for prompt, several in zip(asked, each, strict=True):
            rows = slice(first, first + len(several))
            least = first + int(told[rows].argmin())
            words, first = parts[least].text, rows.stop
            if words in (NORMAL, ABNORMAL):
                by = max(KINDS, key=of.__getitem__)
            else:
                under = self.telling.beside(words)
                as_told = [one for one in under if of[one] == told[least] != own[least]]
                by = min(as_told, key=lambda one: len(lexicon.descendants(one)), default=None)
            yield Finding(
                prompt,
                group_of(prompt),
                float(cosine[least]),
                float(told[least]),
                mean_weights(weights[rows]),
                model_probability=None if told[least] == own[least] else float(own[least]),
                left_by=by if words == NORMAL else None,
                raised_by=None if words == NORMAL else by,
            )

    def route(
        self,
        patches: Float[Tensor, "B N d"],
        embeddings: Float[Tensor, "U d"],
        kept: Bool[Tensor, "B N"],
        *,
        tau: float | None = None,
    ) -> Routed:
        """Every embedding routed on its own over the patches that are kept, as a prompt is."""
        cosine, plan = self.model.route(patches, embeddings, kept, tau=tau)
        weights = relative_weights(plan, kept).masked_fill(~kept[:, None], torch.nan)
        return Routed(
            cosine.numpy(),
            weights.unflatten(-1, (len(LEADS), -1)).numpy(),
            F.normalize(plan @ patches, dim=-1),
        )

    def probability(self, cosine: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
        """Calibrated probabilities of tags with these cosines."""
        with torch.inference_mode():
            return self.model.probability(torch.from_numpy(cosine)).numpy()

    def patches(self, *prepared: Prepared) -> Float[Tensor, "B N d"]:
        """Unit patch embeddings of prepared windows; zero where nothing was seen."""
        signal = torch.from_numpy(np.stack([one.signal for one in prepared]))
        seen = torch.from_numpy(np.stack([one.seen for one in prepared]))
        with torch.inference_mode():
            here = self.model.device
            return self.model.encode_ecg(signal.to(here), seen.to(here)).cpu()

    def tags(self, asked: Sequence[str]) -> Float[Tensor, "K d"]:
        """Embeddings of prompts; each is embedded alone once, so that no batch changes it."""
        return self._embedded([scored(prompt) for prompt in asked])

    def _embedded(self, parts: Sequence[Asked]) -> Float[Tensor, "K d"]:
        with self._lock, torch.inference_mode():
            return torch.stack([self._tag(part.words.lower()) for part in parts])

    def _beside(self, found: Measured, finding: Finding) -> Finding:
        """The finding with what was measured of it, and how well it was told so far."""
        judgement = judged(found, finding.prompt)
        return replace(
            finding,
            measured=judgement.measured,
            contradicted=judgement.contradicted,
            held_out=self._held_out(finding),
        )

    def _held_out(self, finding: Finding) -> HeldOut | None:
        """What is known of how well this is told; where nothing is, by its own prompt.

        Of what measurements join it is how well its own curve tells it, which a narrower finding
        may raise.
        """
        words = read_as(finding.prompt)
        by_more = finding.model_probability is not None
        curve = self.combination.get(words)
        if by_more and curve and curve.unseen and not finding.raised_by:
            told = curve.unseen
            return HeldOut(
                told.recordings, told.positives, told.auc, told.positives < FEW_POSITIVES
            )
        own = self.card.findings.get(words)
        return replace(own, by_own_prompt=True) if own and by_more else own

    def _embed(self, prompt: str) -> Tensor:
        return self.model.encode_tags([prompt])[0].cpu()

    def _edges(self, start_s: float) -> np.ndarray:
        step = self.spec.window_samples / self.spec.sampling_rate_hz
        return start_s + step * np.arange(self.spec.windows + 1)


def mean_weights(parts: Float[np.ndarray, " P *places"]) -> Float[np.ndarray, "*places"]:
    """Where several findings show: the mean of those that a place takes part in, else NaN."""
    taking = (~np.isnan(parts)).sum(0)
    total = np.nansum(parts, axis=0)
    return np.divide(total, taking, out=np.full(total.shape, np.nan, total.dtype), where=taking > 0)


def _checked(tau: float) -> float:
    if not LOWEST_TAU <= tau <= HIGHEST_TAU:
        raise PromptError(f"found tau = {tau}; needed {LOWEST_TAU} to {HIGHEST_TAU}")
    return float(tau)
