import json
from dataclasses import replace
from pathlib import Path

import pytest

from evenmatch.errors import StateError, UsageError
from evenmatch_lab import NAMES, get_experiment
from evenmatch_lab.runner import Experiment, Part, run


def counting(calls, settings=1, fails=()):
    """An experiment of two parts that notes which of them run."""

    def part(name):
        def play(progress, done):
            if name in fails:
                raise KeyboardInterrupt
            calls.append(name)
            progress(1, 1)
            return {"number": calls.index(name)}

        return Part({"seed": settings}, play)

    def page(results):
        return [f"{key}: {row['number']}" for key, row in results.items()]

    return Experiment("counting", "Counting", lambda quick: {x: part(x) for x in "ab"}, page)


def test_a_finished_experiment_is_not_run_again(tmp_path):
    calls = []
    page = run(counting(calls), tmp_path)
    assert calls == ["a", "b"]
    assert page.read_text().endswith("a: 0\nb: 1\n")
    run(counting(calls), tmp_path)
    assert calls == ["a", "b"]


def test_an_interrupted_experiment_goes_on(tmp_path):
    calls = []
    with pytest.raises(KeyboardInterrupt):
        run(counting(calls, fails=("b",)), tmp_path)
    assert list(json.loads((tmp_path / "counting.json").read_text())) == ["a"]
    page = (tmp_path / "counting.md").read_text()
    assert "**1 of 2 parts are done**" in page
    assert page.endswith("a: 0\n")
    text = run(counting(calls), tmp_path).read_text()
    assert calls == ["a", "b"]
    assert "parts are done" not in text


def test_what_was_done_after_the_part_interrupted_is_on_the_page(tmp_path):
    """As when a later part was kept, and an earlier one is out of date."""
    run(counting([]), tmp_path)
    path = tmp_path / "counting.json"
    path.write_text(json.dumps({"b": json.loads(path.read_text())["b"]}))
    with pytest.raises(KeyboardInterrupt):
        run(counting([], fails=("a",)), tmp_path)
    page = (tmp_path / "counting.md").read_text()
    assert "**1 of 2 parts are done**" in page
    assert page.endswith("b: 1\n")


def test_other_settings_run_anew(tmp_path):
    calls = []
    run(counting(calls, settings=1), tmp_path)
    run(counting(calls, settings=2), tmp_path)
    assert calls == ["a", "b"] * 2


def test_pages_say_nothing_of_one_machine(tmp_path):
    paths = [Path("../else/games"), tmp_path / "more", Path("runs/data")]
    whole = replace(counting([]), reads_games=True, parts=lambda quick, data, nets: {})
    text = run(whole, tmp_path, data=paths).read_text()
    assert "`evenmatch experiment counting --data games --data more --data runs/data`" in text


def test_quick_runs_keep_to_themselves(tmp_path):
    calls = []
    run(counting(calls), tmp_path)
    assert run(counting(calls), tmp_path, quick=True).name == "counting_quick.md"
    assert calls == ["a", "b"] * 2


@pytest.mark.parametrize("text", ["{", "\x00", "[1]", "null", '{"a": 3}', '{"a": {}}'])
def test_broken_results_are_refused(tmp_path, text):
    (tmp_path / "counting.json").write_text(text)
    with pytest.raises(StateError, match="delete it or choose another"):
        run(counting([]), tmp_path)
    assert (tmp_path / "counting.json").read_text() == text


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="choose another folder"):
        run(counting([]), tmp_path / "file")


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_has_parts_with_settings(name):
    experiment = get_experiment(name)
    assert experiment.name == name
    if experiment.reads_games:
        with pytest.raises(UsageError, match="name each with --data"):
            experiment.parts_of(True, [], [])
        return
    with pytest.raises(UsageError, match="leave out --data"):
        experiment.parts_of(True, [Path("folder")], [])
    for quick in (False, True):
        parts = experiment.parts(quick)
        assert parts
        for part in parts.values():
            assert part.settings
            assert json.loads(json.dumps(part.settings)).keys() == part.settings.keys()


def test_unknown_experiments_list_the_known():
    with pytest.raises(UsageError, match="elo_table"):
        get_experiment("elo")
