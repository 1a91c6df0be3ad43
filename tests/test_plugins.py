"""The plugins of the tests themselves, in runs of their own."""

import os
import re
from pathlib import Path

import pytest
import shared_data

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


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest on a text with the plugins; options."""
    paths = [str(HERE), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))

    def run_on(text, *options):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("-p", "fuzz_plugin", "-p", "shared_data", *options)

    return run_on


def test_a_failure_in_a_hundred_is_found_and_can_be_pinned(run):
    """Within half a minute each, thousands of examples: missed with under 0.99^1000 = 5e-5."""
    text = PROPERTIES.format(forbidden=37)
    run(text, "-k", "not hypothesis").assert_outcomes(passed=4, deselected=1)
    result = run(text, "--fuzz", "1")
    assert result.ret == 1
    result.assert_outcomes(failed=2, deselected=3)
    for told in (r"number=\d*37\b", "@reproduce_failure", r"seed=\d*37\."):
        assert re.search(told, result.stdout.str())


def drawn(run, *options, before="", within="pass"):
    path = Path("drawn")
    path.unlink(missing_ok=True)
    text = NOTES_WHAT_IT_DRAWS.format(before=before, within=within)
    run(text, *options).assert_outcomes(passed=1 if options else 2, deselected=int(bool(options)))
    return path.read_text()


def test_an_ordinary_run_draws_the_same_examples_whatever_was_imported(run, pytester):
    pytester.makepyfile(ours=f"NUMBERS = {list(range(123456, 133456, 10))}")
    first = drawn(run)
    assert first == drawn(run, within="import ours")
    assert first == drawn(run, before="import ours")


NEEDS_DATA = """
import pytest
from shared_data import needs, shared_file

@needs("a.csv")
def test_is_marked():
    pass

def test_opens_a_file():
    shared_file("b.csv")

@pytest.mark.skip(reason="of another kind")
def test_is_skipped():
    pass
"""


@pytest.mark.parametrize(("folder", "lack"), [("none", "is not here"), ("some", "lacks files")])
def test_tests_without_shared_data_are_counted(pytester, monkeypatch, tmp_path, folder, lack):
    (tmp_path / "some").mkdir()
    monkeypatch.setattr(shared_data, "FOLDER", tmp_path / folder)
    monkeypatch.setenv("EVENMATCH_DATA", folder)
    pytester.makepyfile(NEEDS_DATA)
    result = pytester.runpytest_inprocess("-p", "shared_data")
    result.assert_outcomes(skipped=3)
    result.stdout.fnmatch_lines([f"Skipped 2 tests: {folder} {lack}."])
