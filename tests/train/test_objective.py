"""Claims about the loss over report tags: the paper's equations, one by one, are the oracle."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from focal_app.errors import ConfigError
from focal_app.lexicon import load_lexicon
from focal_app.model.focal import Focal
from focal_app.model.transport import semi_unbalanced_transport
from train.data.batch import Batch
from train.fit.asked import Asked
from train.fit.objective import Objective
from train.fit.soft_targets import Speech
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


NAMES = sorted({tag for tags in TAGS for tag in tags})


@pytest.fixture
def batch() -> Batch:
    torch.manual_seed(1)
    seen = torch.ones(4, 12, 10, dtype=torch.bool)
    seen[1, 3], seen[2, :, 8:] = False, False
    signal = torch.randn(4, 12, 5000) * seen.repeat_interleave(500, 2)
    return Batch.of(signal, seen, [[NAMES.index(tag) for tag in tags] for tags in TAGS])


def objective(model: Focal, **choices) -> Objective:
    """The objective over the tags of these reports, worded freely."""
    config = ObjectiveConfig(**{k: v for k, v in choices.items() if k != "text_fixed"})
    lexicon = load_lexicon() if config.targets == "lexicon" else None
    asked = Asked.by_tags(NAMES, [Speech()], lexicon)
    return Objective(model, config, asked, text_fixed=choices.get("text_fixed", False))


def test_own_routing_is_the_mean_over_all_pairs_of_tags(model, batch):
    """Eq. 5 to 8, tag by tag, with equal tags of different reports as columns of their own."""
    loss = objective(model, routing="own", targets="online")(batch)["tags"]
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
    loss = objective(model, routing="cross", targets="identity")(batch)["tags"]
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
        loss = objective(model, routing=routing, targets=targets, chunk=chunk)(batch)["tags"]
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
    objective(changed, routing=routing, targets="identity")(batch)["tags"].backward()
    trained = changed.encoder.stem.weight.grad
    assert trained is not None and trained.isfinite().all() and trained.abs().max() > 0


def test_a_fixed_tag_encoder_gives_the_same_loss_and_no_gradient(model, batch):
    free = objective(model)(batch)["tags"]
    fixed = objective(model, text_fixed=True)(batch)["tags"]
    fixed.backward()
    torch.testing.assert_close(free, fixed)
    assert all(p.grad is None for p in model.text.parameters())


def test_equal_tags_are_alike_while_dropout_draws(model, batch):
    """docs/method.md: the published code finds equal tags 0.90 alike, under dropout."""
    asked = objective(model, routing="own", targets="online")
    for module in model.text.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.5
    model.text.train()
    question = asked.asked.of(batch, asked.processes)
    similarity = asked._by_embedding(question, model.encode_tags(NAMES))
    assert similarity is not None
    torch.testing.assert_close(similarity.diagonal(), torch.ones(len(NAMES)))
    assert model.text.training


@pytest.fixture
def placed(batch) -> Batch:
    """The batch, in which the place of two findings is known, one of them on hidden patches."""
    first, hidden = torch.zeros(120), torch.zeros(120)
    first[[3, 50]], hidden[30:40] = 1, 1
    shown = [(0, NAMES.index(TAGS[0][1]), first), (1, NAMES.index("sinus rhythm"), hidden)]
    tags = [[NAMES.index(tag) for tag in tags] for tags in TAGS]
    return Batch.of(batch.signal, batch.seen, tags, shown=shown, number=3)


@pytest.mark.parametrize("chunk", (1024, 2))
def test_the_place_of_a_finding_is_the_surprise_at_the_mass_on_it(model, placed, chunk):
    found = objective(model, place_weight=2.0, chunk=chunk)(placed)
    h = model.encode_ecg(placed.signal[:1], placed.seen[:1])
    _, plan = model.route(h, model.encode_tags([TAGS[0][1]]), placed.seen[:1].flatten(1))
    wanted = -2 * plan[0, 0, [3, 50]].sum().log()
    torch.testing.assert_close(found["place"], wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("alignment", "known"),
    [("semi-uot", True), ("cross-attention", True), ("balanced-ot", False), ("global", False)],
)
def test_places_teach_where_the_plan_of_one_tag_can_know_them(model, placed, alignment, known):
    """Elsewhere a recipe with a weight for them is refused (`train.recipe`)."""
    changed = Focal(replace(model.config, alignment=alignment), model.text)
    place = objective(changed, place_weight=2.0)(placed)["place"]
    if place.requires_grad:
        place.backward()
    gradients = [p.grad.abs().max().item() for p in changed.parameters() if p.grad is not None]
    assert (max(gradients, default=0.0) > 1e-6) == known


def test_a_finding_of_which_nothing_is_seen_is_neither_present_nor_absent(model, batch, placed):
    """Record 1 hides lead 3, where its sinus rhythm is said to show."""
    with torch.no_grad():
        known = objective(model)(batch)["tags"]
        hidden = objective(model)(placed)["tags"]
        h = model.encode_ecg(batch.signal[1:2], batch.seen[1:2])
        similarity, _ = model.route(
            h, model.encode_tags(["sinus rhythm"]), batch.seen[1:2].flatten(1)
        )
        pair = F.softplus(-model.logits(similarity))[0, 0] / 4
    torch.testing.assert_close(known - hidden, pair, rtol=1e-4, atol=1e-5)


def statements(model: Focal, **choices) -> Objective:
    """The objective over the statements of which two sources speak."""
    speeches = [Speech(["sinus rhythm", "atrial fibrillation"], True), Speech(())]
    asked = Asked.by_statements(NAMES, speeches, load_lexicon(), seed=5)
    config = ObjectiveConfig(ask_over="lexicon", **choices)
    return Objective(model, config, asked, text_fixed=True)


def test_asked_for_statements_every_ecg_is_asked_for_each_in_the_same_words(model, placed):
    """What a source does not speak of is left out; a label that it has is never asked twice."""
    asked = statements(model).asked
    numbered = asked.vocabulary.numbers(NAMES)
    tags = [[int(numbered[NAMES.index(tag)]) for tag in tags] for tags in TAGS]
    batch = Batch.of(placed.signal, placed.seen, tags, source=[0, 0, 1, 1], number=3)
    question = asked.of(batch, statements(model).processes)
    lexicon = load_lexicon()
    named = [lexicon.resolve(name) for name in asked.names(question.ids)]
    assert len(set(question.meanings.tolist())) == len(named)
    said = asked.said(batch.tags, batch.owner, batch.source, question)
    column = {int(meaning): i for i, meaning in enumerate(question.meanings)}
    index = {tag: column.get(i) for i, tag in enumerate(lexicon.statements)}
    rhythm, block = index["sinus rhythm"], index["left bundle branch block"]
    assert rhythm is not None and block is not None
    assert said.similarity[:, rhythm].tolist() == [0, 1, 1, 1]
    assert said.known[:, rhythm].tolist() == [1, 1, 1, 1]
    assert said.known[:, block].tolist() == [1, 0, 0, 0]
    loss = statements(model)(batch)["tags"]
    again = statements(model)(batch)["tags"]
    assert loss.isfinite() and torch.equal(loss, again)


def test_another_step_asks_in_other_words_and_the_preferred_ones_come_half_of_the_time(model):
    asked = statements(model).asked
    drawn = torch.stack([asked._drawn(number) for number in range(200)])
    preferred = torch.tensor([int(words[0]) for words in asked._wordings])
    several = torch.tensor([len(words) > 3 for words in asked._wordings])
    share = (drawn == preferred).float().mean(0)[several].mean()
    assert 0.5 < share < 0.75
    assert not torch.equal(drawn[0], drawn[1])


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"ask_over": "lexicon", "targets": "online"}, "targets.*no effect"),
        ({"ask_over": "lexicon", "routing": "own"}, "ask_over"),
        ({"routing": "own", "place_weight": 1.0}, "place_weight"),
        ({"places": "leads"}, "places.*place_weight above 0"),
    ],
)
def test_a_choice_that_another_one_leaves_without_effect_is_refused_by_name(choices, said):
    with pytest.raises(ConfigError, match=said):
        ObjectiveConfig(**choices)
