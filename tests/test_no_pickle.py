"""No file that somebody hands us can run code: nothing here unpickles, but what workers send.

Workers exchange pickles among themselves. They are one user's, on one machine or cluster.
"""

import ast
from pathlib import Path

import pytest

import evenmatch
import evenmatch_lab

ROOTS = [Path(evenmatch.__file__).parent, Path(evenmatch_lab.__file__).parent]
PICKLERS = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
RUNNERS = {"eval", "exec", "compile", "__import__"}  #: built in, of text that is code
BETWEEN_WORKERS = ("workshop/tasks.py",)


def unsafe(source: str) -> list[str]:
    """Return what of a module's source could run code that a file holds."""
    return [f"line {node.lineno}: {what}" for node, what in _unsafe(ast.parse(source))]


def _unsafe(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {(node.module or "").split(".")[0]}
        elif isinstance(node, ast.Attribute):
            names = {node.attr}
        else:
            names = set()
        for name in sorted(names & PICKLERS):
            yield node, name
        if isinstance(node, ast.Call):
            yield from ((node, what) for what in _called(node))


def _called(call: ast.Call):
    given = {one.arg: getattr(one.value, "value", None) for one in call.keywords}
    if isinstance(call.func, ast.Name) and call.func.id in RUNNERS:
        yield call.func.id
    if given.get("weights_only", True) is not True:
        yield "weights_only"
    if given.get("allow_pickle", False) is not False:
        yield "allow_pickle"
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        name = call.func.value.id, call.func.attr
        if name == ("torch", "load") and given.get("weights_only") is not True:
            yield "torch.load without weights_only=True"
        if name in {("yaml", "load"), ("np", "load"), ("numpy", "load")} and len(call.args) > 1:
            yield f"{name[0]}.load with more than a file"


@pytest.mark.parametrize(
    "path",
    sorted(path for root in ROOTS for path in root.rglob("*.py")),
    ids=lambda path: "/".join(path.parts[-3:]),
)
def test_nothing_read_can_run(path):
    if path not in [ROOTS[0] / name for name in BETWEEN_WORKERS]:
        assert not unsafe(path.read_text())


@pytest.mark.parametrize("name", BETWEEN_WORKERS)
def test_workers_do_pickle(name):
    assert unsafe((ROOTS[0] / name).read_text())  # else the exception is out of date


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import os, pickle as p",
        "from pickle import loads",
        "from joblib.externals import cloudpickle",
        "import shelve",
        "ray.cloudpickle.loads(x)",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "torch.load(path, weights_only=chosen)",
        "np.load(path, allow_pickle=True)",
        "np.load(path, None, True)",
        "numpy.load(path, allow_pickle=chosen)",
        "eval(text)",
    ],
)
def test_the_guard_sees(source):
    assert unsafe(source)


@pytest.mark.parametrize(
    "source",
    ["torch.load(path, weights_only=True)", "np.load(path)", "module.eval()", "re.compile(x)"],
)
def test_the_guard_lets_pass(source):
    assert not unsafe(source)
