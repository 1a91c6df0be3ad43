"""The README's numbers are those of the results."""

import json
import re
from pathlib import Path

import pytest

from evenmatch_lab.headline import headline

ROOT = Path(__file__).parents[2]
KEPT = json.loads((ROOT / "docs" / "headline.json").read_text())


def test_the_file_is_made_from_the_results():
    """After new results: python -m evenmatch_lab.headline."""
    assert headline(ROOT / "docs" / "results") == KEPT


@pytest.mark.parametrize("question", KEPT)
def test_the_readme_answers_with_these_numbers(question):
    row = re.search(
        rf"^\| {re.escape(question)} \| (.*) \|$", (ROOT / "README.md").read_text(), re.M
    )
    at = 0
    for number in KEPT[question]:
        at = row[1].index(number, at) + len(number)
