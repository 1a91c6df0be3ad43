"""The plugins of the tests themselves, in runs of their own."""

import os
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROPERTIES = """
import pytest
from hypothesis import given, settings, strategies as st

@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_of_hypothesis(number):
    assert number % 100 != {forbidden}

@pytest.mark.parametrize("seed", range(3))
def test_of_a_seed(seed):
    assert seed % 100 != {forbidden}

def test_of_nothing_random():
    pass
"""
NOTES_WHAT_IT_DRAWS = """
import pathlib
{before}
from hypothesis import given, strategies as st

def test_before():
    {within}

@given(st.integers(), st.text())
def test_draws(number, text):
    with pathlib.Path("drawn").open("a") as file:
        print(number, repr(text), file=file)
"""
NEEDS_DATA = """
import shared_data

def test_a_file():
    shared_data.shared_file("chess/games.pgn")

@shared_data.needs("weights", "chess")
def test_two_folders():
    pass

def test_none():
    pass
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest on a text with the plugins; options."""
    paths = [str(HERE), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))

    def run_on(text, *options):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("-p", "fuzz_plugin", "-p", "shared_data", *options)

    return run_on


def fuzzed(result):
    """How many properties, rounds and examples a run tells of."""
    line = next(line for line in result.outlines if line.startswith("Fuzzed"))
    return [int(number) for number in re.findall(r"\d+", line)]


def test_a_failure_in_a_hundred_is_found_and_can_be_pinned(run):
    """Within half a minute each, thousands of examples: missed with under 0.99^1000 = 5e-5."""
    text = PROPERTIES.format(forbidden=37)
    run(text, "-k", "not hypothesis").assert_outcomes(passed=4, deselected=1)
    result = run(text, "--fuzz", "1")
    assert result.ret == 1
    result.assert_outcomes(failed=2, deselected=3)
    for told in (r"number=\d*37\b", "@reproduce_failure", r"seed=\d*37\."):
        assert re.search(told, result.stdout.str())


@pytest.mark.parametrize("workers", [0, 2])
def test_properties_that_hold_are_drawn_until_the_time_is_over(run, workers):
    options = ["-n", str(workers)] if workers and pytest.importorskip("xdist") else []
    result = run(PROPERTIES.format(forbidden=100), "--fuzz", "0.05", *options)
    assert result.ret == 0
    properties, rounds, examples = fuzzed(result)
    assert properties == 2
    assert rounds > 10
    assert examples > rounds


def drawn(run, *options, before="", within="pass"):
    path = Path("drawn")
    path.unlink(missing_ok=True)
    text = NOTES_WHAT_IT_DRAWS.format(before=before, within=within)
    run(text, *options).assert_outcomes(passed=1 if options else 2, deselected=int(bool(options)))
    return path.read_text()


def test_an_ordinary_run_draws_the_same_examples_whatever_was_imported(run, pytester):
    pytester.makepyfile(ours=f"NUMBERS = {list(range(123456, 133456, 10))}")
    first = drawn(run)
    assert first == drawn(run)
    assert first == drawn(run, within="import ours")
    assert first == drawn(run, before="import ours")


def test_fuzzing_draws_others_each_time(run, monkeypatch):
    """On a CI server too, where hypothesis by itself draws the same ones."""
    monkeypatch.setenv("CI", "true")
    first, second = drawn(run, "--fuzz", "0"), drawn(run, "--fuzz", "0")
    assert first != second


def test_what_is_skipped_for_want_of_data_is_told(run, monkeypatch):
    monkeypatch.setenv("EVENMATCH_DATA", "data")
    result = run(NEEDS_DATA)
    result.assert_outcomes(passed=1, skipped=2)
    assert "Skipped 2 tests: data is not here." in result.outlines
    for folder in ("data/weights", "data/chess"):
        Path(folder).mkdir(parents=True)
    assert "Skipped 1 test: data lacks files." in run(NEEDS_DATA).outlines
    Path("data/chess/games.pgn").touch()
    result = run(NEEDS_DATA)
    result.assert_outcomes(passed=3)
    assert "Skipped" not in result.stdout.str()
