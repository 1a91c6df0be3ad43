"""Which executor a command gets, which code it takes, and what it says of parts that were lost."""

import sys

import pytest
from typer.testing import CliRunner

from evenmatch.errors import StateError, UsageError
from evenmatch.frontends.cli import app
from evenmatch.frontends.cli.parts import Retries as Lost
from evenmatch.workshop.cluster import Here, Processes, executor
from evenmatch.workshop.cluster.code import check
from evenmatch.workshop.cluster.cores import cores


@pytest.mark.parametrize(("jobs", "kind"), [(None, Here), (1, Here), (2, Processes)])
def test_without_a_cluster_parts_are_done_here(monkeypatch, jobs, kind):
    monkeypatch.setattr("evenmatch.workshop.cluster.cores.cores", lambda: (0, 1))
    assert type(executor(None, jobs)) is kind


@pytest.mark.parametrize("jobs", [0, -1, 10**6])
def test_numbers_of_jobs_that_cannot_be(jobs):
    with pytest.raises(UsageError, match=f"{jobs} jobs at once; give 1 to {len(cores())}"):
        executor(None, jobs)


def test_other_code_is_refused():
    with pytest.raises(StateError, match="node7 has another evenmatch than this machine"):
        check({"evenmatch": "0" * 16}, "node7")


def test_a_cluster_without_ray(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    words = ["experiment", "elo_table", "--quick", "--cluster", "auto", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "pip install 'evenmatch[cluster]'" in result.output
    assert not list(tmp_path.iterdir())


def test_lost_parts_are_told_of_and_counted(capsys):
    lost = Lost()
    lost.tell()
    assert capsys.readouterr().err == ""
    lost("a", "its machine was lost")
    lost("a", "its process ended")
    lost.tell()
    assert capsys.readouterr().err.splitlines() == [
        "note: a begins again: its machine was lost",
        "note: a begins again: its process ended",
        "2 lost parts done again",
    ]


def test_lost_parts_are_counted_after_an_interruption_too(monkeypatch, tmp_path):
    def run(*asked):
        lost = asked[-1]
        lost("a", "its machine was lost")
        raise KeyboardInterrupt

    monkeypatch.setattr("evenmatch_lab.runner.run", run)
    result = CliRunner().invoke(app, ["experiment", "elo_table", "--quick", "--out", str(tmp_path)])
    told = result.output.splitlines()
    assert "1 lost part done again" in told
    assert told.index("note: a begins again: its machine was lost") < told.index(
        "1 lost part done again"
    )
    assert "Interrupted; finished parts are kept" in told[-1]
