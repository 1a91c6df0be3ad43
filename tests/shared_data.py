"""The folder of real games and weights, which not everybody has: tests skip where it is absent.

As a plugin it says at the end of a run how many tests that were.
"""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("EVENMATCH_DATA", REPOSITORY.parent / "shared" / "data"))
ABSENT = "shared data is absent: "


def shared_file(name: str) -> Path:
    """Return the path of a file in the folder; skip the test if it is absent."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{ABSENT}{path}")
    return path


def needs(*names: str) -> pytest.MarkDecorator:
    """Mark a test that skips if one of these files or folders is absent."""
    absent = [FOLDER / name for name in names if not (FOLDER / name).exists()]
    return pytest.mark.skipif(bool(absent), reason=f"{ABSENT}{', '.join(map(str, absent))}")


def pytest_terminal_summary(terminalreporter):
    """Say how many tests were skipped for want of the folder."""
    reports = terminalreporter.stats.get("skipped", [])
    count = sum(ABSENT in report.longrepr[2] for report in reports)
    if count:
        where = os.environ.get("EVENMATCH_DATA", os.path.relpath(FOLDER, REPOSITORY))
        lack = "lacks files" if FOLDER.is_dir() else "is not here"
        tests = "test" if count == 1 else "tests"
        terminalreporter.write_line(f"Skipped {count} {tests}: {where} {lack}.")
