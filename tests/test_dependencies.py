"""What is imported is declared, and what is declared is on the page of dependencies."""

import ast
import importlib.util
import re
import sys
from pathlib import Path

import pytest

import evenmatch

ROOT = Path(__file__).parents[1]
SOURCES = Path(evenmatch.__file__).parent
#: Modules that are named otherwise than their package, or that one brings for certain.
PACKAGES = {
    "argon2": "argon2-cffi",
    "prometheus_client": "prometheus-client",
    "llvmlite": "numba",
    "h11": "uvicorn",
}
NOT_IMPORTED = {"websockets"}  #: uvicorn does, where it is installed


def loaded():
    path = ROOT / "docs" / "reference" / "dependencies.py"
    spec = importlib.util.spec_from_file_location("dependencies", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DEPENDENCIES = loaded()
PAGE = DEPENDENCIES.PAGE.read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| [a-z]", line) and not line.startswith("| package")
]


@pytest.mark.parametrize("name", DEPENDENCIES.declared())
def test_what_is_declared_is_on_the_page(name):
    (asked,) = [by for package, by, *_ in ROWS if package == name]
    assert asked == ", ".join(DEPENDENCIES.declared()[name]), "write the page anew"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_licence_goes_with_the_gpl(row):
    assert DEPENDENCIES.compatible(row[3])


@pytest.mark.parametrize(
    "licence",
    ["GPL-2.0-only", "Proprietary", "", "MIT AND SSPL-1.0", "GPL-2.0-only OR BUSL-1.1", "BSD"],
)
def test_other_licences_do_not(licence):
    assert not DEPENDENCIES.compatible(licence)


def test_one_of_several_licences_is_enough():
    assert DEPENDENCIES.compatible("Apache-2.0 OR GPL-2.0-only")
    assert DEPENDENCIES.compatible("(MIT AND PSF-2.0)")


def imported():
    """The packages of others that the sources import, anywhere in a module."""
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                names = [node.module]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and not top.startswith("evenmatch"):
                    yield PACKAGES.get(top, top)


def test_what_is_imported_is_declared():
    wanted = {name for extra in DEPENDENCIES.FOR_USERS for name in DEPENDENCIES.wanted()[extra]}
    assert set(imported()) == wanted - NOT_IMPORTED
