"""`coarse` and `fine` as commands by several processes, on one node and on two.

They give what one process gives, write once, and go on after a kill as if there had been none.
"""

import shutil
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from several_processes import by, documented_for_two_nodes, environment

from focal_app.model.focal import Focal
from train.__main__ import main
from train.data.shards import Shards
from train.enrich.verify import verify

STEPS = {"coarse": 8, "fine": 2}
FEATURES = ("ST elevation", "wide QRS complex", "inverted T waves")
pytestmark = pytest.mark.slow


def sizes(stage: str, *, batch: int) -> list[str]:
    """What makes a stage of the recipe `tiny` smaller still; `batch` counts a process's ECGs.

    What rounding does to weights grows with the rate and with every step.
    """
    changed = {"steps": STEPS[stage], "batch": batch, "learning_rate": 5e-4}
    lines = [f for name, n in changed.items() for f in ("--set", f"{stage}.{name}={n}")]
    return ["--workers", "0", *lines]


def trained(stage: str, shards: Path, out: Path) -> list[str]:
    return [stage, "--config", "tiny", "--shards", str(shards), "--out", str(out)]


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> Path:
    """A run's folder with its tag encoder, which several processes have to find."""
    folder = tmp_path_factory.mktemp("tuned") / "run"
    assert main(["text", "--config", "tiny", "--set", "tuning.steps=20", "--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def together(tuned, shards, tmp_path_factory) -> Path:
    """A run of coarse and fine training, each by two processes."""
    out = tmp_path_factory.mktemp("together") / "run"
    shutil.copytree(tuned, out)
    for stage in STEPS:
        done = by(2, "-m", "train", *trained(stage, shards, out), *sizes(stage, batch=2))
        assert done.returncode == 0, done.stderr[:4000]
        if stage == "coarse":
            verified(out, shards)
    return out


def verified(run: Path, shards: Path) -> None:
    """What fine training adds to the reports: whatever is proposed and contradicts no tag."""
    opened = Shards.open(shards)
    candidates = {frozenset(tags): FEATURES for tags in opened.tags}
    model = Focal.load(run / "coarse" / "model")
    found = verify(
        model, [opened], candidates, run / "verified", threshold=1e-9, score="probability"
    )
    assert found.accepted


@pytest.fixture(scope="module")
def alone(tuned, together, shards, tmp_path_factory) -> Path:
    """The same stages by one process with all the recordings of a step, from the same start."""
    out = tmp_path_factory.mktemp("alone") / "run"
    shutil.copytree(tuned, out)
    assert main([*trained("coarse", shards, out), *sizes("coarse", batch=4)]) == 0
    from_there = tmp_path_factory.mktemp("from-there") / "run"
    for made in ("coarse/model", "verified"):
        shutil.copytree(together / made, from_there / made)
    assert main([*trained("fine", shards, from_there), *sizes("fine", batch=4)]) == 0
    shutil.move(from_there / "fine", out / "fine")
    return out


def curves_of(folder: Path) -> dict[str, dict[int, float]]:
    """Every curve by step, of the one log that there is."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    [log] = folder.glob("events.out.tfevents*")
    events = EventAccumulator(str(log)).Reload()
    return {
        name: {one.step: one.value for one in events.Scalars(name)}
        for name in events.Tags()["scalars"]
    }


@pytest.mark.parametrize("stage", STEPS)
def test_two_processes_log_the_losses_of_one(together, alone, stage):
    two, one = (curves_of(run / stage / "log") for run in (together, alone))
    assert two.keys() == one.keys() and len(one["loss/tags"]) == STEPS[stage]
    for name in one.keys() - {"plan_entropy"}:  # that of the first process's recordings
        assert two[name] == pytest.approx(one[name], rel=1e-5), name


@pytest.mark.parametrize("stage", STEPS)
def test_two_processes_end_on_the_weights_of_one(together, alone, stage):
    two, one = (load_file(run / stage / "model" / "model.safetensors") for run in (together, alone))
    assert two.keys() == one.keys()
    for name, weight in one.items():
        if name.endswith("qkv.bias"):
            # A bias of keys moves no attention: its gradient is rounding, Adam's food.
            weight, two[name] = (w.unflatten(0, (3, -1))[[0, 2]] for w in (weight, two[name]))
        torch.testing.assert_close(
            two[name], weight, rtol=0, atol=1e-5, msg=lambda m, n=name: f"{n}: {m}"
        )


@pytest.mark.parametrize("stage", STEPS)
def test_one_of_two_processes_writes_what_one_alone_writes(together, alone, stage):
    two, one = (written(run / stage) for run in (together, alone))
    assert two == one and {"model/config.json", "log/curves"} < {*one}
    used = [(run / stage / "used.json").read_text() for run in (together, alone)]
    assert used[0] == used[1]


def written(folder: Path) -> list[str]:
    """Every path below; files of curves, which are named by the clock, by another name."""
    return sorted(
        "log/curves" if "tfevents" in path.name else str(path.relative_to(folder))
        for path in folder.rglob("*")
    )


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def two_nodes(shards: Path, out: Path, logs: Path, until) -> list[int]:
    """The guide's command on each of two nodes that share a folder; how both ended."""
    command = documented_for_two_nodes(
        nproc_per_node=1,
        rdzv_endpoint=f"127.0.0.1:{free_port()}",
        config="tiny",
        shards=shards,
        out=out,
    )
    command += [*sizes("coarse", batch=2), "--save-every", "1"]
    with ExitStack() as stack:
        said = [stack.enter_context((logs / f"node-{node}").open("wb")) for node in (0, 1)]
        agents = [subprocess.Popen(command, env=environment(), stderr=file) for file in said]
        for agent in agents:
            stack.enter_context(agent)
            stack.callback(agent.kill)  # where the test fails before it has ended
        until(agents)
        return [agent.wait(500) for agent in agents]


def killed_when_there_is(saved: Path):
    """Ends both nodes, and all that they started, as a power cut does, once there is a save."""

    def wait(agents: list[subprocess.Popen]) -> None:
        while not saved.is_file():
            assert [agent.poll() for agent in agents] == [None, None]
            time.sleep(0.005)
        nodes = [psutil.Process(agent.pid) for agent in agents]
        ranks = [rank for node in nodes for rank in node.children(recursive=True)]
        assert len(ranks) >= 2
        for one in (*nodes, *ranks):
            one.kill()

    return wait


def test_two_nodes_that_were_killed_end_bit_for_bit_on_the_unbroken_run_of_one_node(
    together, tuned, shards, tmp_path
):
    out, straight = tmp_path / "run", together / "coarse"
    shutil.copytree(tuned, out)
    saved = out / "coarse" / "run.safetensors"
    assert two_nodes(shards, out, tmp_path, killed_when_there_is(saved)) == [-9, -9]
    with safe_open(saved, "pt") as file:
        assert 1 <= int(file.metadata()["step"]) < STEPS["coarse"]
    assert not (out / "coarse" / "model").exists()
    ended = two_nodes(shards, out, tmp_path, lambda agents: None)
    assert ended == [0, 0], [(tmp_path / f"node-{n}").read_text()[:4000] for n in (0, 1)]
    for name in ("run.safetensors", "model/model.safetensors"):
        one, other = (load_file(run / name) for run in (out / "coarse", straight))
        assert one.keys() == other.keys()
        assert [n for n in one if not torch.equal(one[n], other[n])] == []
