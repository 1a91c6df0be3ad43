"""The layers of the design: imports go one way only."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import evenmatch

ROOT = Path(evenmatch.__file__).parent

#: Each part of the package and the parts it may import; errors is free to all.
ALLOWED = {
    "errors": set(),
    "files": set(),
    "plots": {"files"},
    "games": set(),
    "ratings": set(),
    "search": {"games"},
    "records": {"games"},
    "network": {"games", "search"},
    "strength": {"games", "search", "network"},
    "estimation": {"games", "search", "network", "records"},
    "players": {"games", "search", "network", "strength", "estimation", "engines"},
    "arena": {"games", "search", "players", "ratings", "strength"},
    "training": {
        "games",
        "search",
        "network",
        "arena",
        "players",
        "ratings",
        "records",
        "estimation",
    },
    "engines": {"games", "records"},
    "experiments": {
        "games",
        "search",
        "network",
        "strength",
        "players",
        "arena",
        "ratings",
        "records",
        "estimation",
        "training",
    },
    "nets": set(),
}
FREE = {"frontends", "__init__", "__main__"}  # the top: may import everything


def imports_of(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from names


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_down(path):
    part = part_of(path)
    if part in FREE:
        return
    for name in imports_of(path):
        if name.startswith("evenmatch."):
            other = name.split(".")[1]
            assert other in ALLOWED[part] | {part, "errors", "files"}, f"{part} imports {other}"


@pytest.mark.parametrize("part", ["games", "search", "ratings", "strength"])
def test_no_inference_library_below_network(part):
    for path in (ROOT / part).rglob("*.py"):
        for name in imports_of(path):
            assert name.split(".")[0] not in {"torch", "openvino", "onnx"}, f"{path} imports {name}"


def test_public_names_exist():
    for name in evenmatch.__all__:
        assert getattr(evenmatch, name) is not None


def test_import_is_cheap():
    heavy = "{'numba', 'openvino', 'torch', 'scipy', 'numpy'}"
    code = f"import evenmatch, sys; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
