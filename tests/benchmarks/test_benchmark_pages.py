"""The pages of benchmarks that are committed are those of their files, which say what made them."""

import json
import sys
from pathlib import Path

import pytest

from evenmatch_lab.provenance import code_of_script, version_of

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import gtp_match
import table
import uci_match

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
MADE = [
    "bench",
    "bench_chess",
    "bench_go",
    "bench_maia",
    "bench_memory",
    "bench_precision",
    "connect4_optimal",
    "gtp_match_go",
    "gtp_match_go9",
    "go_rules",
    "othello6_second",
    "rating_drift",
    "records",
    "startup",
    "startup_amx",
    "uci_match",
    "web_drill",
    "web_hostile",
]
#: Files whose results no network has a part in.
NO_NETWORKS = ("records", "rating_drift", "web_drill", "web_hostile")


def test_the_table_is_that_of_its_files():
    """After new rows: python benchmarks/table.py > docs/results/bench.md."""
    assert (RESULTS / "bench.md").read_text() == table.page(table.FILES)


def test_the_match_is_told_as_it_was():
    found = json.loads((RESULTS / "uci_match.json").read_text())
    assert (RESULTS / "uci_match.md").read_text() == uci_match.page(found)


@pytest.mark.parametrize("game", ["go9", "go"])
def test_matches_by_gtp_are_told_as_they_were(game):
    found = json.loads((RESULTS / f"gtp_match_{game}.json").read_text())
    assert (RESULTS / f"gtp_match_{game}.md").read_text() == gtp_match.page(found)


@pytest.mark.parametrize("name", MADE)
def test_files_say_what_made_them(name):
    made = json.loads((RESULTS / f"{name}.json").read_text())["made"]
    assert version_of(made["modules"]) == made["code"]
    assert made["networks"] or name in NO_NETWORKS


def test_code_of_scripts_is_theirs_and_what_they_import():
    code = code_of_script(str(ROOT / "benchmarks" / "connect4_optimal.py"), "measure")
    assert {"scripts.connect4_optimal", "connect4_judgements", "connect4_search"} <= code.keys()
    assert "evenmatch.search.forest" in code
