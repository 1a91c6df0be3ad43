"""What there is of experiments, told without running or reading data."""

import json

import pytest
from typer.testing import CliRunner

from evenmatch.frontends.cli import app
from evenmatch_lab import experiments
from evenmatch_lab.runner import Experiment, Part, run
from evenmatch_lab.status import HEADS, cells, status


def parts(quick, games=20):
    return {key: Part({"games": games, "network": "0" * 32}, play) for key in "ab"}


def play(progress, done):
    return {"positions": 7}


def page(rows):
    return []


def experiment(parts=parts, **more):
    return Experiment("some", "Some", parts, page, **more)


def test_what_was_never_run(tmp_path):
    reads = experiment(lambda quick, data, nets: {}, reads_games=True)
    assert [row["verdict"] for row in status([experiment(), reads], tmp_path)] == ["not run"] * 2
    assert (experiment().name, 0, 2) == tuple(
        status([experiment()], tmp_path)[0][key] for key in ("experiment", "done", "due")
    )


def test_parts_sizes_dates_and_networks(tmp_path):
    run(experiment(), tmp_path)
    (row,) = status([experiment()], tmp_path)
    assert (row["done"], row["due"]) == (2, 2)
    assert row["sizes"] == {"games": [20, 20], "positions": [7, 7]}
    assert row["networks"] == {"00000000": False}
    assert row["oldest"] == row["newest"]
    assert row["verdict"] == "other network"
    assert len(cells(row)) == len(HEADS)
    assert "2 of 2" in cells(row)


def test_parts_that_are_left_are_remembered_where_data_is_needed(tmp_path):
    reads = experiment(lambda quick, data, nets: parts(quick), reads_games=True)
    run(reads, tmp_path, data=[tmp_path], minutes=0)
    (row,) = status([reads], tmp_path)
    assert (row["done"], row["due"], row["verdict"]) == (0, 2, "not run")


def test_other_settings_than_those_of_now_are_not_done(tmp_path):
    run(experiment(), tmp_path)
    (row,) = status([experiment(lambda quick: parts(quick, games=30))], tmp_path)
    assert (row["done"], row["due"], row["verdict"]) == (0, 2, "settings changed")


@pytest.fixture
def command():
    def invoke(*words):
        result = CliRunner().invoke(app, ["experiment", *map(str, words)])
        assert result.exit_code == 0, result.output
        return result.output

    return invoke


def test_the_command_lists_all(command, tmp_path):
    rows = json.loads(command("--status", "--json", "--out", tmp_path))
    assert [row["experiment"] for row in rows] == [one.stem for one in experiments()]
    assert "z_dial" in command("z_dial", "--status", "--out", tmp_path)


def test_the_command_writes_pages_and_goes_on(command, tmp_path):
    shown = command("z_dial", "--quick", "--minutes", "0", "--out", tmp_path)
    assert "left: the same command goes on" in shown
    assert "z_dial_quick.md" in "".join(command("--pages", "--quick", "--out", tmp_path).split())
