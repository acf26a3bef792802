"""Other text encoders and language models: one command, and no work twice."""

import json

import pytest
from llm_server import KNOWN, answering

from focal_app.errors import ConfigError
from focal_app.model.focal import Focal
from train.__main__ import main
from train.benchmark.comparison import checkpoints_of
from train.recipe import load_recipe
from train.runs.ablation_plan import Variants
from train.runs.components import Components, check, commands, folder_of
from train.runs.plan import EnrichOptions
from train.runs.shared_runs import NOTE

TINY = "untrained-tiny-bert"
RECIPE = f"""
signal: {{normalisation: millivolt, sampling_rate_hz: 100, window_samples: 100}}
encoder: {{width: 16, depth: 1, heads: 2, stem: linear, dropout: 0}}
text: {{name: {TINY}, pooling: mean, max_tokens: 16}}
tuning: {{steps: 0}}
coarse: {{steps: 2, batch: 4, bf16: false, freeze_text: true}}
fine: {{steps: 1, batch: 4, bf16: false, freeze_text: true}}
enrichment: {{threshold: 0.001, score: probability}}
embed_dim: 8
"""
ALONE = ("--workers", "0")


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(RECIPE)
    return path


@pytest.fixture
def asked(recipe, shards, tmp_path):
    given = ["--config", str(recipe), "--shards", str(shards), "--out", str(tmp_path / "out")]
    return ["components", *given, *ALONE]


@pytest.fixture
def server():
    """A server of two language models."""
    with answering() as made:
        yield made


def url(server) -> list[str]:
    return ["--enrich.base-url", f"http://127.0.0.1:{server.server_port}/v1"]


def valued(words: list[str], flag: str) -> str:
    return words[words.index(flag) + 1]


def test_what_does_not_differ_is_done_once(recipe, text, tmp_path):
    plan = Components(
        config=str(recipe),
        out=tmp_path / "out",
        shards=(tmp_path / "s",),
        seeds=(3, 4),
        encoders=(TINY, str(text)),
        models=("curated", "org/one"),
        candidates=tmp_path / "c",
        enrich=EnrichOptions(backend="server", base_url="http://127.0.0.1:9/v1"),
    )
    made = [one.arguments[2:] for one in commands(plan)]
    enriched, of_seeds = made[:2], made[2:]
    assert [valued(one, "--backend") for one in enriched] == ["curated", "server"]
    assert "--model" not in enriched[0] and valued(enriched[1], "--model") == "org/one"
    assert [one[0] for one in of_seeds] == 2 * [
        *("coarse", "verify", "fine", "coarse", "verify", "fine"),
        *("verify", "fine", "verify", "fine"),
    ]
    of_seed = of_seeds[10:]
    base, other = (tmp_path / "out/seed-4" / name / "coarse/model" for name in (TINY, text.name))
    starts = [valued(one, "--start") for one in of_seed if one[0] == "fine"]
    assert starts == [str(base), str(other), str(base), str(base)]
    verified = [one for one in of_seed if one[0] == "verify"]
    assert [valued(one, "--checkpoint") for one in verified] == starts
    proposed = [valued(one, "--candidates") for one in verified]
    given, asked = str(tmp_path / "c"), [valued(one, "--out") for one in enriched]
    assert proposed == [given, given, *asked]
    assert {valued(one, "--threshold") for one in verified} == {"0.001"}
    recipes = {
        name: load_recipe(tmp_path / f"out/seed-4/{name}.yaml") for name in (text.name, "one")
    }
    assert {one.seed for one in recipes.values()} == {4}
    assert recipes[text.name].text.name == str(text) and recipes["one"].text.name == TINY
    assert recipes["one"].enrichment.model == "org/one"


@pytest.mark.usefixtures("stages_here")
def test_every_language_model_proposes_what_one_coarse_model_verifies(asked, server, tmp_path):
    models = ["--models", *KNOWN, "--enrich.backend", "server", *url(server)]
    server.mood = "dies"
    assert main([*asked, *models, "--enrich.tries", "1"]) == 2
    server.mood = "well"
    assert main([*asked, *models]) == 0
    out = tmp_path / "out"
    assert sorted(checkpoints_of(out)) == ["one", "two", f"{TINY} coarse"]
    assert {one["model"] for _, _, one in server.heard} == set(KNOWN)
    for name in ("one", "two"):
        used = json.loads((out / name / "fine" / "used.json").read_text())
        assert used["verified_features"] > 0 and used["start"] == f"{TINY}/coarse/model"
    answered, trained = len(server.heard), Focal.load(out / "two/fine/model").fingerprint()
    server.mood = "dies"
    assert main([*asked, *models]) == 0
    assert len(server.heard) == answered
    assert Focal.load(out / "two/fine/model").fingerprint() == trained


def test_all_that_is_missing_is_said_at_once_and_nothing_is_begun(asked, server, tmp_path, capsys):
    absent = str(tmp_path / "nowhere")
    given = ["--shards", str(tmp_path / "no-shards"), "--candidates", str(tmp_path / "no-list")]
    ask = ["--models", "tiny/three", "--enrich.backend", "server", *url(server)]
    assert main([*asked, *given, "--encoders", absent, *ask]) == 2
    said = capsys.readouterr().err
    for one in ("no manifest.json", "no report.json", "text model", "not 'tiny/three'"):
        assert one in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "--encoders"),
        (["--models", "curated", "--enrich.seed", "3"], "found --enrich.seed, without effect"),
        (["--models", "curated", "--enrich-python", "python"], "--enrich-python, without effect"),
        (["--encoders", TINY, "--enrich.backend", "vllm"], "found --enrich.backend, without"),
        (
            ["--models", "x", "--enrich.backend", "server"],
            "--enrich.backend server needs --enrich.base-url",
        ),
        (
            ["--models", "x", "--enrich.backend", "vllm", "--enrich.timeout", "3"],
            "found --enrich.timeout, without effect with --enrich.backend vllm",
        ),
        (
            ["--models", "x", "--enrich.backend", "vllm", "--enrich.engine", "x"],
            "--enrich.engine is not JSON",
        ),
        (
            ["--models", "x", "--enrich.backend", "server", "--enrich.token-variable", "NO_KEY"],
            "--enrich.token-variable names NO_KEY",
        ),
        (["--models", "curated", "--candidates", "x"], "--candidates, without effect"),
        (["--models", "x", "--enrich.backend", "vllm", "--enrich.model", "y"], "with --models"),
        (["--models", "x", "--enrich.backend", "vllm"], "enrichment lacks vllm"),
        (["--models", "x"], "the backend curated, which asks none"),
        (["--models", "curated", "curated"], "folder curated is that of curated"),
        (["--encoders", TINY, TINY], f"folder {TINY} is that of {TINY}"),
        (["--models", f"org/{TINY}"], f"folder {TINY} is that of"),
        (["--models", "org/candidates"], "that of what is proposed"),
        (["--models", ".."], "found '..'"),
        (["--models", "curated", "--seeds", "7", "7"], "different numbers"),
    ],
)
def test_what_cannot_be_compared_is_one_clear_line(given, said, asked, tmp_path, capsys):
    assert main([*asked, *given]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_holds_the_runs_of_one_command_and_of_one_component_a_name(
    recipe, shards, tmp_path
):
    def plan(kind, folder, **tried):
        return kind(config=str(recipe), shards=(shards,), out=tmp_path / folder, **tried)

    plan(Variants, "ablation").note()
    plan(Components, "components", encoders=(TINY, "a/bert")).note()
    added = plan(Components, "components", models=("curated",))
    check(added)
    added.note()
    for held in ({"encoders": ("b/bert",)}, {"models": ("a/bert",)}, {"encoders": ("a/curated",)}):
        with pytest.raises(ConfigError, match=r"where .* would lie"):
            plan(Components, "components", **held).note()
    (tmp_path / "pipeline").mkdir()
    (tmp_path / "pipeline" / "recipe.yaml").touch()
    for kind, folder in (
        (Components, "ablation"),
        (Variants, "components"),
        (Components, "pipeline"),
    ):
        [said] = plan(kind, folder).missing()
        assert repr(folder) in said and f"`{kind.command}`" in said


@pytest.mark.parametrize(
    "noted",
    [b"", b"\xff", b"[]", b"null", b"{}", b'{"command": "components", "runs": []}', b"[" * 100_000],
)
def test_a_damaged_note_is_one_clear_line(noted, recipe, shards, tmp_path):
    (tmp_path / NOTE).write_bytes(noted)
    plan = Components(config=str(recipe), shards=(shards,), out=tmp_path, encoders=(TINY,))
    [said] = plan.missing()
    assert f"{NOTE} of" in said and "cannot be read" in said


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("Qwen/Qwen3-8B", "Qwen3-8B"),
        ("qwen3:8b", "qwen3-8b"),
        ("models/bert/", "bert"),
        ("../..", ""),
        ("a b\n", "a-b"),
    ],
)
def test_a_name_becomes_a_folder_that_stays_where_it_belongs(name, folder):
    assert folder_of(name) == folder
