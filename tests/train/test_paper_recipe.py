"""`--config paper` computes what the paper's equations say, written here once more in plain torch.

Nothing of `train` or of the model's own arithmetic is used for the rendering: only the weights, by
name, and the pre-trained text encoder, which is a library's. Sizes are small, choices the recipe's.
"""

import dataclasses
import itertools
import math

import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional as F

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from focal_app.model.text import TagEncoder
from train.__main__ import main
from train.data.batch import Batch
from train.data.build import build
from train.data.mimic import MimicIvEcg
from train.data.mimic_fixture import Fixture, write_fixture
from train.data.source import Shares
from train.fit.asked import Asked
from train.fit.curves import read_figures
from train.fit.loop import Loop, freeze_text
from train.fit.objective import Objective
from train.fit.soft_targets import Speech
from train.fit.text_source import load_text_model
from train.recipe import load_recipe
from train.runs.pipeline import commands
from train.runs.plan import EnrichOptions, Plan, VerifyOptions, Whole
from train.runs.preflight import check
from train.runs.training import new_model

SMALL = {
    "text.name": "untrained-tiny-bert",
    "encoder": {"width": 24, "depth": 2, "heads": 3},
    "embed_dim": 16,
    "coarse": {
        "epochs": 0,
        "steps": 10,
        "judged": 10,
        "batch": 4,
        "frozen_layers": 1,
        "bf16": False,
    },
}
REPORTS = (
    ("sinus rhythm", "inferior infarct", "old"),
    ("atrial fibrillation",),
    ("sinus rhythm", "left axis deviation"),
    ("st-t changes are nonspecific. abnormal ecg", "old"),
)
NAMES = sorted({tag for report in REPORTS for tag in report})


def paper_recipe(**changes):
    return load_recipe("paper", changes={**SMALL, **changes})


class Made:
    """The recipe's model, objective and loop on four reports; dropout draws with `dropout`."""

    def __init__(self, dropout: float, **changes) -> None:
        recipe = paper_recipe(**changes)
        backbone, tokenizer = load_text_model(recipe.text.name)
        for module in backbone.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = dropout
        torch.manual_seed(recipe.seed)
        text = TagEncoder(recipe.text, backbone, tokenizer, recipe.embed_dim)
        self.model = new_model(recipe, text)
        freeze_text(self.model, recipe.coarse)
        self.model.bias.requires_grad_(recipe.objective.learn_bias)
        asked = Asked.by_tags(NAMES, [Speech()], None)
        self.objective = Objective(self.model, recipe.objective, asked, bf16=False)
        self.recipe = recipe
        self.loop = Loop(
            self.objective, self.model, recipe.coarse, steps=recipe.coarse.steps, seed=recipe.seed
        )
        self.weights = dict(self.model.named_parameters())


@pytest.fixture
def batch() -> Batch:
    torch.manual_seed(1)
    seen = torch.ones(len(REPORTS), 12, 10, dtype=torch.bool)
    tags = [[NAMES.index(tag) for tag in report] for report in REPORTS]
    return Batch.of(torch.rand(len(REPORTS), 12, 5000), seen, tags)


def rendered_patches(w, signal: torch.Tensor, *, heads: int) -> torch.Tensor:
    """Eq. 1-2: patches by lead and window, embeddings added, a pre-norm transformer."""
    b = len(signal)
    x = signal.view(b, 12, 10, 500) @ w["encoder.stem.weight"].T + w["encoder.stem.bias"]
    x = (x + w["encoder.lead_embedding"] + w["encoder.time_embedding"]).reshape(b, 120, -1)
    width = x.shape[-1]
    depth = 1 + max(int(name.split(".")[2]) for name in w if name.startswith("encoder.blocks."))
    for i in range(depth):
        at = f"encoder.blocks.{i}."

        def linear(x, name, at=at):
            return x @ w[f"{at}{name}.weight"].T + w[f"{at}{name}.bias"]

        def norm(x, name, at=at):
            return F.layer_norm(x, (width,), w[f"{at}{name}.weight"], w[f"{at}{name}.bias"])

        q, k, v = (
            part.view(b, 120, heads, -1).transpose(1, 2)
            for part in linear(norm(x, "norm1"), "qkv").chunk(3, dim=-1)
        )
        attention = (q @ k.mT / math.sqrt(width // heads)).softmax(-1)
        x = x + linear((attention @ v).transpose(1, 2).reshape(b, 120, width), "out")
        x = x + linear(F.gelu(linear(norm(x, "norm2"), "up")), "down")
    x = F.layer_norm(x, (width,), w["encoder.norm.weight"], w["encoder.norm.bias"])
    return F.normalize(x @ w["projection.weight"].T, dim=-1)


def rendered_tags(made: Made) -> dict[str, torch.Tensor]:
    """Eq. 3-4: the pooled output of the text encoder through Linear-GELU-Linear, unit length.

    Encoded in one go from short to long, only so that dropout draws the same numbers.
    """
    text, w = made.model.text, made.weights
    names = sorted(NAMES, key=len)
    pieces = text.tokenizer(names, padding=True, return_tensors="pt")
    pooled = text.backbone(**pieces).pooler_output
    hidden = pooled @ w["text.projection.0.weight"].T + w["text.projection.0.bias"]
    z = F.gelu(hidden) @ w["text.projection.2.weight"].T + w["text.projection.2.bias"]
    return dict(zip(names, F.normalize(z, dim=-1), strict=True))


def rendered_plan(cosine: torch.Tensor, *, epsilon: float, tau: float) -> torch.Tensor:
    """Eq. 5 by unrolled unbalanced Sinkhorn in double precision, hard tags, soft patches."""
    m, n = cosine.shape
    kernel = -(1 - cosine.double()) / epsilon
    log_a, log_b = -math.log(m), -math.log(n)
    g = torch.zeros(n, dtype=torch.double)
    for _ in range(300):
        f = log_a - (kernel + g).logsumexp(1)
        g = tau / (tau + epsilon) * (log_b - (kernel + f[:, None]).logsumexp(0))
    f = log_a - (kernel + g).logsumexp(1)
    return (kernel + f[:, None] + g).exp().float()


def rendered_loss(made: Made, batch: Batch) -> torch.Tensor:
    """Eq. 6-8 over all K tags of the batch, one pair after the other; S is a constant."""
    recipe, w = made.recipe, made.weights
    h = rendered_patches(w, batch.signal, heads=recipe.encoder.heads)
    by_name = rendered_tags(made)
    routed, tags = [], []
    for ecg, report in enumerate(REPORTS):
        z = torch.stack([by_name[tag] for tag in report])
        plan = rendered_plan(z @ h[ecg].T, epsilon=recipe.epsilon, tau=recipe.tau)
        routed += list(len(report) * plan @ h[ecg])
        tags += list(z)
    t, total, count = w["log_temperature"].exp(), torch.tensor(0.0), len(tags)
    for k, other in itertools.product(range(count), repeat=2):
        s = ((1 + torch.dot(tags[k], tags[other])) / 2).clamp(0, 1).detach()
        x = t * torch.dot(routed[k] / routed[k].norm(), tags[other])
        total = total + s * F.softplus(-x) + (1 - s) * F.softplus(x)
    return total / count**2


def gradients(made: Made, loss: torch.Tensor) -> dict[str, torch.Tensor]:
    made.model.zero_grad()
    loss.backward()
    return {n: p.grad.clone() for n, p in made.weights.items() if p.grad is not None}


@pytest.mark.parametrize("dropout", (0.0, 0.1))
def test_loss_and_gradients_are_those_of_the_equations(batch, dropout):
    made = Made(dropout)
    made.model.train()
    torch.manual_seed(3)
    ours = made.objective(batch)["tags"]
    found = gradients(made, ours)
    torch.manual_seed(3)
    wanted_loss = rendered_loss(made, batch)
    wanted = gradients(made, wanted_loss)
    torch.testing.assert_close(ours, wanted_loss, rtol=0, atol=1e-5)
    assert found.keys() == wanted.keys() and len(found) > 40
    for name, gradient in wanted.items():
        torch.testing.assert_close(found[name], gradient, rtol=1e-5, atol=1e-5, msg=name)
    largest = max(float(g.abs().max()) for g in wanted.values())
    assert largest > 1e-2, "an agreement of zeros would say nothing"


def test_without_its_switch_s_is_not_that_of_the_dropped_out_embeddings(batch):
    """The rendering sees what `online-dropout` changes: `online` is not the published loss."""
    made = Made(0.1, **{"objective.targets": "online"})
    made.model.train()
    torch.manual_seed(3)
    ours = made.objective(batch)["tags"]
    torch.manual_seed(3)
    assert (ours - rendered_loss(made, batch)).abs().item() > 1e-4


def test_a_step_is_adamw_with_decay_on_everything_that_is_not_frozen(batch):
    """w (1 - r d) - r g / (|g| + 1e-8) at the first step, at the rate r that warm-up reached."""
    rate, decay = 0.01, 0.1
    made = Made(0.0, **{"coarse.learning_rate": rate, "coarse.weight_decay": decay})
    before = {n: p.detach().clone() for n, p in made.weights.items()}
    gradient = gradients(made, rendered_loss(made, batch))
    made.loop.advance(iter([batch]))
    for name, g in gradient.items():
        wanted = before[name] * (1 - rate * decay) - rate * g / (g.abs() + 1e-8)
        sure = g.abs() > 1e-5
        torch.testing.assert_close(
            made.weights[name][sure], wanted[sure], rtol=1e-5, atol=1e-5, msg=name
        )
    frozen = {n for n in before if torch.equal(before[n], made.weights[n])}
    assert {n.split(".")[4] for n in frozen if "layer." in n} == {"0"}
    assert all(".encoder.layer.0." in n for n in frozen - {"bias"})


def test_the_recipe_names_every_published_setting():
    recipe = load_recipe("paper")
    assert recipe.signal.highpass_hz is None and recipe.signal.normalisation == "record-minmax"
    assert (recipe.text.head, recipe.encoder.head_bias) == ("mlp", False)
    assert recipe.data.tagging == "commas" and recipe.objective.targets == "online-dropout"
    assert (recipe.enrichment.score, recipe.enrichment.threshold) == ("confidence", 0.95)
    for stage in (recipe.coarse, recipe.fine):
        assert (stage.frozen_layers, stage.frozen_embeddings) == (9, False)
        assert (stage.decayed, stage.keep, stage.clip, stage.average) == (
            "everything",
            "best",
            0,
            0,
        )


def test_the_published_heads_are_saved_with_the_model(tmp_path):
    made = Made(0.0)
    made.model.save_pretrained(tmp_path)
    loaded = Focal.load(tmp_path)
    assert "projection.bias" not in loaded.state_dict()
    assert torch.equal(loaded.encode_tags(NAMES), made.model.eval().encode_tags(NAMES))


def test_the_recipe_trains_on_reports_cut_at_commas_and_ends_on_its_best_weights(tmp_path, capsys):
    """Of such reports the lexicon knows next to nothing: as a proposer it is refused."""
    write_fixture(tmp_path / "raw", Fixture(24, seed=2))
    shares = Shares(0.6, 0.4, 0)
    build(MimicIvEcg(tmp_path / "raw", shares, tagging="commas"), tmp_path / "cut", workers=1)
    changes = [
        "text.name=untrained-tiny-bert",
        "encoder.width=12",
        "encoder.depth=1",
        "embed_dim=8",
    ]
    changes += ["coarse.epochs=0", "coarse.steps=4", "coarse.judged=2", "coarse.batch=4"]
    changes += ["coarse.frozen_layers=1", "coarse.bf16=false", "embed_dim=8"]
    folders = ["--shards", str(tmp_path / "cut"), "--out", str(tmp_path / "run"), "--workers", "0"]
    settings = [word for change in changes for word in ("--set", change)]
    assert main(["coarse", "--config", "paper", *folders, *settings]) == 0
    stage = tmp_path / "run" / "coarse"
    best, model = load_file(stage / "best.safetensors"), Focal.load(stage / "model")
    assert torch.equal(best["text.projection.2.weight"], model.text.projection[2].weight)
    curve = read_figures(stage / "log")["validation/auc"]
    assert list(curve) == [2, 4] and all(0 <= auc <= 1 for auc in curve.values())
    asked = ["--shards", str(tmp_path / "cut"), "--out", str(tmp_path / "candidates")]
    assert main(["enrich", *asked, "--backend", "curated"]) == 2
    assert "cut at commas" in capsys.readouterr().err


def test_the_pipeline_cuts_and_verifies_as_the_recipe_says():
    plan = Plan(recipe=load_recipe("paper"), whole=Whole(source=("mimic-iv-ecg=DIR",)))
    said = [" ".join(command.arguments) for command in commands(plan)]
    assert "--tagging commas" in said[0]
    (verify,) = [one for one in said if " verify " in one]
    assert "--threshold 0.95 --score confidence" in verify
    chosen = dataclasses.replace(plan, verify=VerifyOptions(score="candidate"))
    assert "--score candidate" in " ".join(" ".join(c.arguments) for c in commands(chosen))


def test_the_recipe_is_refused_on_sources_without_reports_before_anything_is_begun():
    plan = Plan(recipe=paper_recipe(), whole=Whole(source=("simulated=2000",)))
    with pytest.raises(ConfigError, match=r"data\.tagging commas and --source simulated"):
        check(plan)
    by_lexicon = dataclasses.replace(plan, enrich=EnrichOptions(backend="curated"))
    with pytest.raises(ConfigError, match="backend curated and reports that are cut at commas"):
        check(by_lexicon)
