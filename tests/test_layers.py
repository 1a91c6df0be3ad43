"""The layers of the design: imports go one way only."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import evenmatch
import evenmatch_lab

ROOT = Path(evenmatch.__file__).parent

#: Each part of the package and the parts it may import; errors, files and progress are free to all.
ALLOWED = {
    "errors": set(),
    "files": set(),
    "progress": set(),
    "plots": {"files"},
    "games": set(),
    "ratings": set(),
    "search": {"games"},
    "records": {"games", "ratings"},
    "network": {"games", "search"},
    "estimation": {"games", "ratings", "search", "network", "records"},
    "opponents": {"games", "ratings", "search", "network", "estimation"},
    "play": {"games", "ratings", "search", "network", "opponents"},
    "profiles": {
        "games",
        "ratings",
        "search",
        "network",
        "records",
        "estimation",
        "opponents",
        "play",
    },
    "nets": set(),
    "app": {
        "games",
        "ratings",
        "search",
        "network",
        "records",
        "estimation",
        "opponents",
        "play",
        "profiles",
    },
}
#: Front ends, each of which may import the rooms above and no other front end. The command line is
#: one of two folders; it starts the others by the names in STARTED.
FRONT_ENDS = {
    "cli": "command line",
    "terminal": "command line",
    "web": "web",
    "engine": "engine",
    "uci": "uci",
    "gtp": "gtp",
}
DIALECTS = {"uci", "gtp"}  # of the front end engine, which they may import
STARTED = {
    "evenmatch.frontends.web.server",
    "evenmatch.frontends.uci",
    "evenmatch.frontends.uci.program_configs",
    "evenmatch.frontends.gtp",
}
#: What makers of networks use may import every room but the front ends; play imports none of it.
ALLOWED["workshop"] = set(ALLOWED)
#: The only modules that import the workshop: they load it when a command or a device needs it.
NEED_WORKSHOP = {
    "frontends/cli/calibrate.py",
    "frontends/cli/dataset.py",
    "frontends/cli/lab.py",
    "frontends/cli/parts.py",
    "frontends/cli/network.py",
    "frontends/cli/train.py",
    "network/owner.py",  # the torch backend, on CUDA and MPS
}
#: The same for the laboratory, all of which may import the product (but not its front ends).
LAB = Path(evenmatch_lab.__file__).parent
COMMON = {"runner", "pages", "shared"}
PAPERS = ("fujita2022", "wu2019", "chen2025", "ace2019")
LAB_ALLOWED = {
    "__init__": {"runner"},
    "pages": set(),
    "runner": {"pages"},
    "shared": COMMON,
    **dict.fromkeys(PAPERS, COMMON),
    "ours": COMMON | {"fujita2022"},
    "bench": {"runner"},
    "headline": set(),
    "baselines": set(),
}
MODULES = [path for path in sorted(ROOT.rglob("*.py")) if path.name != "__init__.py"]
FREE = {"frontends", "__init__", "__main__"}  # the top: may import everything


@cache
def imports_in(path: Path):
    """The imports of a module, wherever they stand: each file is parsed once."""
    tree = ast.walk(ast.parse(path.read_text()))
    return [node for node in tree if isinstance(node, (ast.Import, ast.ImportFrom))]


def imports_of(path: Path):
    for node in imports_in(path):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from names


def test_the_product_does_not_need_the_laboratory():
    for path in ROOT.rglob("*.py"):
        if path != ROOT / "frontends" / "cli" / "lab.py":
            for name in imports_of(path):
                assert not name.startswith("evenmatch_lab"), f"{path} imports {name}"


@pytest.mark.parametrize("path", sorted(LAB.rglob("*.py")), ids=lambda p: str(p.relative_to(LAB)))
def test_laboratory_imports(path):
    part = path.relative_to(LAB).parts[0].removesuffix(".py")
    for name in imports_of(path):
        if name.startswith("evenmatch_lab."):
            other = name.split(".")[1]
            assert other in LAB_ALLOWED[part] | {part}, f"{part} imports {other}"
        elif name.startswith("evenmatch.frontends"):
            assert part == "bench", f"{part} imports {name}"


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
            if other == "workshop" and str(path.relative_to(ROOT)) in NEED_WORKSHOP:
                continue
            assert other in ALLOWED[part] | {part, "errors", "files", "progress"}, (
                f"{part} imports {other}"
            )


@pytest.mark.parametrize("folder", FRONT_ENDS)
def test_front_ends_do_not_import_each_other(folder):
    for path in (ROOT / "frontends" / folder).rglob("*.py"):
        for name in imports_of(path):
            other = FRONT_ENDS.get(name.removeprefix("evenmatch.frontends.").split(".")[0])
            if name.startswith("evenmatch.frontends.") and other != FRONT_ENDS[folder]:
                started = FRONT_ENDS[folder] == "command line" and name in STARTED
                allowed = started or (folder in DIALECTS and other == "engine")
                assert other is None or allowed, f"{path} imports {name}"


def test_play_needs_no_workshop():
    """No room imports it but the commands that need it, and what play loads leaves it out."""
    for path in ROOT.rglob("*.py"):
        if part_of(path) != "workshop" and str(path.relative_to(ROOT)) not in NEED_WORKSHOP:
            for name in imports_of(path):
                assert not name.startswith("evenmatch.workshop"), f"{path} imports {name}"
    front = ("cli", "terminal.game", "uci.engine", "gtp.engine", "web.server")
    names = [f"evenmatch.frontends.{name}" for name in front]
    names += [f"evenmatch.app.{name}" for name in ("start_game", "estimate", "import_games")]
    code = (
        f"import sys, {', '.join(names)}\n"
        "print([name for name in sys.modules if name.startswith('evenmatch.workshop')])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_no_module_imports_itself_by_way_of_others():
    names = {
        ".".join(path.relative_to(ROOT.parent).with_suffix("").parts): path for path in MODULES
    }
    needs = {name: names.keys() & set(imported_modules(path)) for name, path in names.items()}
    left = dict(needs)
    while free := [name for name, used in left.items() if not used & left.keys()]:
        for name in free:
            del left[name]
    assert not left, f"in a circle, or above one: {sorted(left)}"


def imported_modules(path: Path):
    """The modules that a module imports, those named as a package's parts too."""
    for node in imports_in(path):
        if isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


#: Modules of common rooms that are about one game: what is in a folder of a game's, and these.
OF_CHESS = {"opponents/uci_program.py", "opponents/engine_evals.py", "workshop/datasets/puzzles.py"}


@pytest.mark.parametrize("part", ["records", "workshop", "estimation", "opponents", "play"])
def test_common_rooms_know_no_game(part):
    """No module imports chess, its rules or its records, but for those that are about it."""
    for path in (ROOT / part).rglob("*.py"):
        if path.parent.name == "chess" or str(path.relative_to(ROOT)) in OF_CHESS:
            continue
        for name in imports_of(path):
            assert not name.startswith(
                ("chess", "evenmatch.games.chess", "evenmatch.records.chess")
            ), f"{path} imports {name}"


@pytest.mark.parametrize("part", ["games", "search", "ratings", "opponents"])
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


def test_nobody_needs_ray_who_names_no_cluster():
    """What a command imports does not import it, the module that uses it included."""
    names = "evenmatch.frontends.cli, evenmatch.workshop.ray_tasks, evenmatch_lab.runner"
    code = f"import sys; sys.modules['ray'] = None; import {names}"
    subprocess.run([sys.executable, "-c", code], check=True)
