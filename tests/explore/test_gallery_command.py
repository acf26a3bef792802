"""Claims about `gallery`, `search` and `similar` on the command line."""

import json

import pytest

from focal_app.__main__ import main
from focal_app.command.gallery import _counted
from focal_app.explore.reading.bundled_cases import CASES


@pytest.fixture
def run(tiny_checkpoint, built, capsys):
    """`run(*arguments)` with the untrained model and its gallery: exit code, output, errors."""

    def call(*arguments: str, searching: bool = True) -> tuple[int, str, str]:
        chosen = ["--gallery", str(built)] if searching else []
        code = main([*arguments, *chosen, "--checkpoint", str(tiny_checkpoint)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_search_prints_json_with_what_was_understood(run):
    code, out, _ = run("search", "AF without LBBB", "--top", "2", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["understood"].startswith('With atrial fibrillation ("AF")')
    assert [hit["rank"] for hit in found["hits"]] == [1, 2]


def test_similar_prints_a_table(run):
    code, out, _ = run("similar", str(CASES / "normal.hea"), "--top", "3")
    assert code == 0
    assert out.count("case-") == 3
    assert "not for diagnosis" in out


def test_what_is_not_understood_is_warned_of_in_every_form(run):
    said = '"notched T wave" is not a known ECG term; ranked by likeness of words alone.'
    assert f"Warning: {said}" in run("search", "notched T wave", "--top", "2")[1]
    assert json.loads(run("search", "notched T wave", "--top", "2", "--json")[1])["warnings"] == [
        said
    ]


def test_building_says_how_far_it_is_even_without_a_terminal(capsys):
    assert list(_counted(iter(range(70)))) == list(range(70))
    assert capsys.readouterr().err == "embedded 32\nembedded 64\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "and"),
        ("search", "AF", "--source", "third"),
        ("search", "AF", "--age", "60", "20"),
        ("similar", str(CASES / "normal.hea"), "--segment", "V1", "two", "4"),
        ("similar", str(CASES / "missing.hea")),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments, run):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_a_gallery_is_built_and_shown_before_it_is_pushed(run, tmp_path, capsys):
    data, out = tmp_path / "data", tmp_path / "gallery"
    data.mkdir()
    for name in ("normal.hea", "normal.dat"):
        (data / name).write_bytes((CASES / name).read_bytes())
    (data / "cases.csv").write_text("file,labels\nnormal.hea,normal ECG\n")
    options = ("--source", "folder", "--data", str(data), "--out", str(out))
    code, said, _ = run("gallery", "build", *options, searching=False)
    assert (code, said.split(",")[0]) == (0, "Own cases: 1 cases")
    (out / "notes.txt").write_text("private")
    assert main(["gallery", "push", str(out), "--to", "org/name", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "signals.bin" in said
    assert "notes.txt" not in said
    assert "nothing was sent" in said


def test_a_file_in_place_of_the_folder_is_refused_before_anything_is_read(tmp_path, capsys):
    (tmp_path / "out").write_text("mine")
    options = ("--source", "folder", "--data", str(tmp_path), "--out", str(tmp_path / "out"))
    assert main(["gallery", "build", *options]) == 2
    assert "found a file 'out'; --out needs a folder" in capsys.readouterr().err


def test_pushing_offline_says_so(built, monkeypatch, capsys):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert main(["gallery", "push", str(built), "--to", "org/name"]) == 2
    assert "HF_HUB_OFFLINE" in capsys.readouterr().err
