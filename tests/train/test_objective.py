"""Claims about the loss over report tags: the paper's equations, one by one, are the oracle."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.transport import semi_unbalanced_transport
from train.fit.objective import Objective, TagBatch
from train.fit.soft_targets import Semantics, of_reports
from train.recipe import ObjectiveConfig

TAGS = (
    ("atrial fibrillation", "left bundle branch block"),
    ("sinus rhythm",),
    ("sinus rhythm", "inferior myocardial infarction", "atrial fibrillation"),
    ("anterior infarct, old", "sinus rhythm"),
)


@pytest.fixture
def model(tiny_checkpoint: Path) -> Focal:
    return Focal.load(tiny_checkpoint)


@pytest.fixture
def batch() -> TagBatch:
    torch.manual_seed(1)
    seen = torch.ones(4, 12, 10, dtype=torch.bool)
    seen[1, 3], seen[2, :, 8:] = False, False
    signal = torch.randn(4, 12, 5000) * seen.repeat_interleave(500, 2)
    return TagBatch(signal, seen, TAGS)


def test_own_routing_is_the_mean_over_all_pairs_of_tags(model, batch):
    """Eq. 5 to 8, tag by tag, with equal tags of different reports as columns of their own."""
    loss = Objective(model, ObjectiveConfig(routing="own", targets="online"))(batch)["tags"]
    every = [(ecg, tag) for ecg, tags in enumerate(TAGS) for tag in tags]
    z = model.encode_tags([tag for _, tag in every])
    s = 0.5 * (1 + z @ z.T)
    routed = []
    for ecg, tags in enumerate(TAGS):
        h = model.encode_ecg(batch.signal[ecg : ecg + 1], batch.seen[ecg : ecg + 1])
        cost = 1 - model.encode_tags(tags)[None] @ h.mT
        mask = batch.seen[ecg : ecg + 1].flatten(1)
        config = model.config
        found = semi_unbalanced_transport(
            cost, epsilon=config.epsilon, tau=config.tau, patch_mask=mask
        )
        routed += list(len(tags) * found.plan[0] @ h[0])
    total = 0.0
    for k, other in itertools.product(range(len(every)), repeat=2):
        x = model.logits(F.cosine_similarity(routed[k], z[other], dim=0))
        total += s[k, other] * F.softplus(-x) + (1 - s[k, other]) * F.softplus(x)
    torch.testing.assert_close(loss, total / len(every) ** 2, rtol=1e-5, atol=1e-6)


def test_cross_routing_asks_every_ecg_about_every_tag_alone(model, batch):
    loss = Objective(model, ObjectiveConfig(routing="cross", targets="identity"))(batch)["tags"]
    names = sorted({tag for tags in TAGS for tag in tags})
    total = 0.0
    for ecg, name in itertools.product(range(4), names):
        one = slice(ecg, ecg + 1)
        h, kept = model.encode_ecg(batch.signal[one], batch.seen[one]), batch.seen[one].flatten(1)
        similarity, _ = model.route(h, model.encode_tags([name]), kept)
        x = model.logits(similarity)[0, 0]
        total += F.softplus(-x) if name in TAGS[ecg] else F.softplus(x)
    torch.testing.assert_close(loss, total / 4, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("routing", ("own", "cross"))
@pytest.mark.parametrize("targets", ("online", "frozen", "lexicon", "identity"))
def test_scoring_tags_in_parts_changes_neither_loss_nor_gradient(model, batch, routing, targets):
    found = []
    for chunk in (1024, 2):
        model.zero_grad()
        config = ObjectiveConfig(routing=routing, targets=targets, chunk=chunk)
        loss = Objective(model, config)(batch)["tags"]
        loss.backward()
        gradient = {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}
        found.append((loss.detach(), gradient))
    torch.testing.assert_close(found[0][0], found[1][0], rtol=1e-6, atol=1e-6)
    for name, gradient in found[0][1].items():
        torch.testing.assert_close(gradient, found[1][1][name], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("routing", ("own", "cross"))
@pytest.mark.parametrize("alignment", ("semi-uot", "balanced-ot", "cross-attention", "global"))
def test_every_alignment_trains_the_ecg_encoder(tiny_checkpoint, batch, routing, alignment):
    model = Focal.load(tiny_checkpoint)
    changed = Focal(replace(model.config, alignment=alignment), model.text)
    Objective(changed, ObjectiveConfig(routing=routing, targets="identity"))(batch)[
        "tags"
    ].backward()
    trained = changed.encoder.stem.weight.grad
    assert trained is not None and trained.isfinite().all() and trained.abs().max() > 0


def test_a_fixed_tag_encoder_gives_the_same_loss_and_no_gradient(model, batch):
    config = ObjectiveConfig(routing="cross", targets="lexicon")
    free = Objective(model, config)(batch)["tags"]
    fixed = Objective(model, config, text_fixed=True)(batch)["tags"]
    fixed.backward()
    torch.testing.assert_close(free, fixed)
    assert all(p.grad is None for p in model.text.parameters())


def test_equal_tags_are_alike_while_dropout_draws(model, batch):
    """METHOD: the published code compared tags under dropout and found equal ones 0.90 alike."""
    objective = Objective(model, ObjectiveConfig(routing="own", targets="online"))
    for module in model.text.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.5
    model.text.train()
    names = sorted({tag for tags in TAGS for tag in tags})
    relation = objective._relation(names, model.encode_tags(names))
    torch.testing.assert_close(relation.similarity.diagonal(), torch.ones(len(names)))
    assert model.text.training


def test_a_tag_speaks_for_what_it_implies_and_is_silent_about_what_is_more_specific():
    semantics = Semantics(load_lexicon())
    rows, columns = (
        ["inferior myocardial infarction"],
        [
            "myocardial infarction",
            "inferior myocardial infarction",
            "inferior MI",
            "atrial fibrillation",
            "a finding of no lexicon",
        ],
    )
    found = semantics.between(rows, columns)
    assert found.similarity.tolist() == [[1, 1, 1, 0, 0]]
    assert found.known.tolist() == [[1, 1, 1, 1, 1]]
    general = semantics.between(["myocardial infarction"], columns[:2])
    assert general.similarity.tolist() == [[1, 0]] and general.known.tolist() == [[1, 0]]


def test_a_report_says_the_most_that_one_of_its_tags_says():
    names = ["myocardial infarction", "inferior myocardial infarction", "sinus rhythm"]
    relation = Semantics(load_lexicon()).between(names, names)
    said = of_reports(relation, [[0], [0, 1], [2]])
    assert said.similarity.tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
    assert said.known.tolist() == [[1, 0, 1], [1, 1, 1], [1, 1, 1]]
