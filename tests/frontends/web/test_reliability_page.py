"""The page on reliability names tests and commands that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`((?:[\w/]+/)?test_\w+\.py)?(?:::)?(test_\w+)?`", PAGE)


def named() -> list[tuple[str, str]]:
    """Return the files and tests that are named; a test without a file is in the one before it."""
    found, file = [], ""
    for path, test in NAMED:
        file = path or file
        if path or test:
            found.append((file, test))
    return found


@pytest.mark.parametrize(("file", "test"), sorted(set(named())))
def test_tests_that_it_names_are_there(file, test):
    folder = ROOT if "/" in file else ROOT / "tests" / "frontends" / "web"
    assert f"def {test}" in (folder / file).read_text(encoding="utf-8")
