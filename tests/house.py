"""What the house is made of, counted: source lines, rooms, arrows, and what it should not have.

python -m tests.house              # this checkout, as a table of docs/architecture.md has it
git worktree add ../before 147ed5d && python -m tests.house ../before
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PACKAGES = ("focal_app", "train")
LONGEST_FILE = 400
MOST_PARAMETERS = 8


def sources(root: Path = ROOT, packages: tuple[str, ...] = PACKAGES) -> list[Path]:
    return sorted(path for package in packages for path in (root / package).rglob("*.py"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def long_files(root: Path = ROOT, packages: tuple[str, ...] = PACKAGES) -> list[str]:
    paths = sources(root, packages)
    return [str(path.relative_to(root)) for path in paths if lines(path) >= LONGEST_FILE]


def rooms(root: Path = ROOT) -> list[str]:
    """The first folders and files of both packages, as `focal_app.ecg`; entrances are none."""
    below = {path.relative_to(root).with_suffix("").parts[:2] for path in sources(root)}
    return [".".join(parts) for parts in sorted(below) if not parts[-1].startswith("__")]


def folders(root: Path = ROOT) -> list[str]:
    """The sub-packages of both packages, as `train.data`."""
    return [one for one in rooms(root) if root.joinpath(*one.split(".")).is_dir()]


def graph_of(root: Path = ROOT) -> grimp.ImportGraph:
    sys.path.insert(0, str(root))
    try:
        return grimp.build_graph(*PACKAGES, cache_dir=None)
    finally:
        sys.path.remove(str(root))


def arrows(graph: grimp.ImportGraph) -> list[tuple[str, str]]:
    """Which module imports which, as (importer, imported)."""
    found = ((one, graph.find_modules_directly_imported_by(one)) for one in sorted(graph.modules))
    return [(one, other) for one, imported in found for other in sorted(imported)]


def arrows_between_rooms(graph: grimp.ImportGraph) -> list[tuple[str, str]]:
    pairs = {(_room(one), _room(other)) for one, other in arrows(graph)}
    return sorted((one, other) for one, other in pairs if one != other)


def circles(graph: grimp.ImportGraph) -> list[tuple[str, str]]:
    """Arrows whose head leads back to their tail."""
    return [
        (one, other)
        for one, other in arrows(graph)
        if graph.chain_exists(importer=other, imported=one)
    ]


def private_names(root: Path = ROOT) -> list[tuple[str, str, str]]:
    """Names with an underscore that a module takes from another: (file, module, name)."""
    return [
        (str(path.relative_to(root)), node.module or "", one.name)
        for path, node in _nodes(root)
        if isinstance(node, ast.ImportFrom)
        for one in node.names
        if one.name.startswith("_") and (node.module or "").split(".")[0] in PACKAGES
    ]


def crowded_functions(root: Path = ROOT) -> list[tuple[str, str]]:
    """Functions of more than 8 parameters, self and cls left out: (file, name)."""
    return [
        (str(path.relative_to(root)), node.name)
        for path, node in _nodes(root)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _parameters(node) > MOST_PARAMETERS
    ]


def counted(root: Path = ROOT) -> dict[str, int]:
    graph = graph_of(root)
    return {
        **{f"source lines of {one}": sum(map(lines, sources(root, (one,)))) for one in PACKAGES},
        "files": len(sources(root)),
        "rooms": len(rooms(root)),
        "import arrows between rooms": len(arrows_between_rooms(graph)),
        "import arrows between files": len(arrows(graph)),
        "import arrows that lie on a circle": len(circles(graph)),
        "private names taken from another file": len(private_names(root)),
        "files of 400 lines or more": len(long_files(root)),
        "functions with more than 8 parameters": len(crowded_functions(root)),
    }


def _room(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _nodes(root: Path) -> Iterator[tuple[Path, ast.AST]]:
    for path in sources(root):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            yield path, node


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    said = node.args
    every = [*said.posonlyargs, *said.args, *said.kwonlyargs]
    return len([one for one in every if one.arg not in ("self", "cls")])


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.house",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkout", nargs="?", type=Path, default=ROOT, metavar="CHECKOUT")
    root = parser.parse_args().checkout.resolve()
    if absent := [one for one in PACKAGES if not (root / one / "__init__.py").is_file()]:
        parser.error(
            f"found no {' and no '.join(absent)} in {root.name!r}; name a checkout of both"
        )
    for what, number in counted(root).items():
        print(f"{number:7,}  {what}")


if __name__ == "__main__":
    main()
