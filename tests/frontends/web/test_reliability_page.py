"""The pages on reliability and security name tests that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = ("docs/reliability.md", "docs/reference/security.md")
NAMED = r"`((?:[\w/]+/)?test_\w+\.py)?(?:::)?(test_\w+)?`"


def named() -> list[tuple[str, str]]:
    """Return the files and tests that are named; a test without a file is in the one before it."""
    found, file = [], ""
    for page in PAGES:
        for path, test in re.findall(NAMED, (ROOT / page).read_text(encoding="utf-8")):
            file = path or file
            if path or test:
                found.append((file, test))
    return found


@pytest.mark.parametrize(("file", "test"), sorted(set(named())))
def test_tests_that_it_names_are_there(file, test):
    folder = ROOT if "/" in file else ROOT / "tests" / "frontends" / "web"
    assert f"def {test}" in (folder / file).read_text(encoding="utf-8")
