import json
from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path

import pytest

from evenmatch.errors import StateError, UsageError
from evenmatch_lab import NAMES, experiments, get_experiment
from evenmatch_lab.result_files import MADE, ResultFile, fingerprint
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
    kept = ResultFile.read(tmp_path / "counting.json")
    assert (list(kept.parts), kept.left) == (["a"], ["b"])
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
    kept = ResultFile.read(path)
    del kept.parts["a"]
    kept.write(path)
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


def test_rows_of_other_settings_are_kept_but_not_told_of(tmp_path):
    run(counting([], settings=1), tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run(counting([], settings=2, fails=("b",)), tmp_path)
    kept = ResultFile.read(tmp_path / "counting.json")
    assert [list(kept.parts), kept.left, list(kept.aside)] == [["a"], ["b"], ["b"]]
    calls = []
    run(counting(calls, settings=1), tmp_path)
    assert calls == ["a"]


def test_a_row_on_the_page_wins_over_one_set_aside(tmp_path):
    """Going on keeps what the page tells of, though the file has older rows of the same parts."""
    calls = []
    run(counting(calls, settings=1), tmp_path)
    path = tmp_path / "counting.json"
    kept = ResultFile.read(path)
    kept.aside = {key: row | {"settings": {"seed": 0}} for key, row in kept.parts.items()}
    kept.write(path)
    run(counting(calls, settings=1), tmp_path)
    assert calls == ["a", "b"], "nothing runs again"
    assert ResultFile.read(path).parts == kept.parts
    assert not ResultFile.read(path).aside


def test_no_part_begins_after_its_minutes(tmp_path):
    calls = []
    page = run(counting(calls), tmp_path, minutes=0)
    assert calls == []
    assert "**0 of 2 parts are done**" in page.read_text()
    run(counting(calls), tmp_path, minutes=1)
    assert calls == ["a", "b"]


def test_results_say_what_made_them_and_are_the_same_whatever_did(tmp_path):
    run(counting([]), tmp_path)
    kept = ResultFile.read(tmp_path / "counting.json")
    row = kept.parts["a"]
    assert row.keys() >= set(MADE)
    assert row["code"] in kept.versions
    assert date.fromisoformat(row["date"])
    assert fingerprint([{key: row[key] for key in row.keys() - set(MADE)}]) == fingerprint([row])
    assert fingerprint([row | {"number": 5}]) != fingerprint([row])


def test_results_of_before_that_are_still_done(tmp_path):
    """Files once held the rows alone, without their code and date."""
    run(counting([]), tmp_path)
    path = tmp_path / "counting.json"
    rows = ResultFile.read(path).parts
    bare = {
        key: {"settings": row["settings"], "number": row["number"]} for key, row in rows.items()
    }
    path.write_text(json.dumps(bare))
    calls = []
    text = run(counting(calls), tmp_path).read_text()
    assert calls == []
    assert "the code of 2 parts was not kept" in text


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
    for quick, one in product((False, True), (experiment, *map(experiment.on, experiment.games))):
        parts = one.parts_of(quick, [], [])
        assert parts
        for part in parts.values():
            assert part.settings
            assert json.loads(json.dumps(part.settings)).keys() == part.settings.keys()


def test_unknown_experiments_list_the_known():
    with pytest.raises(UsageError, match="elo_table"):
        get_experiment("elo")


def on_games(quick, game_id="othello"):
    """The parts of an experiment that is on Othello unless another game is asked for."""
    return {game_id: Part({"games": 1}, lambda progress, done: {"number": len(game_id)})}


def test_each_game_has_results_of_its_own(tmp_path):
    usual = replace(counting([]), parts=on_games, games=("go9",))
    go9 = usual.on("go9")
    assert run(usual, tmp_path).read_text().endswith("othello: 7\n")
    text = run(go9, tmp_path, quick=True).read_text()
    assert "`evenmatch experiment counting --game go9 --quick`" in text
    assert text.startswith("# Counting: 9x9 Go\n")
    assert {path.name for path in tmp_path.glob("*.json")} == {
        "counting.json", "counting_go9_quick.json",
    }  # fmt: skip


def test_other_games_than_an_experiments_are_refused():
    with pytest.raises(UsageError, match="give one of go9, or leave out --game"):
        replace(counting([]), games=("go9",)).on("chess")
    with pytest.raises(UsageError, match="leave out --game"):
        get_experiment("elo_table", "go9")


def test_all_experiments_are_those_of_all_games():
    stems = [one.stem for one in experiments()]
    assert [stem for stem in stems if stem.startswith("z_dial")] == [
        "z_dial", "z_dial_go9", "z_dial_go",
    ]  # fmt: skip
    assert {one.game for one in experiments(game_id="go9")} == {"go9"}
    assert [one.stem for one in experiments("even_fit", "go9")] == ["even_fit_go9"]
