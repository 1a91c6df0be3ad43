"""Frontends: every test has its own state folder; commands run in this process."""

import pytest
from typer.testing import CliRunner

from evenmatch.frontends.cli import app


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    folder = tmp_path / "state"
    monkeypatch.setenv("EVENMATCH_STATE", str(folder))
    monkeypatch.setenv("COLUMNS", "120")
    return folder


@pytest.fixture
def run(state):
    """Run a command line; ``lines`` is what its standard input holds; ``run.state`` the folder."""

    def run(*arguments: str, lines: str | bytes = ""):
        return CliRunner().invoke(app, list(arguments), input=lines, prog_name="evenmatch")

    run.state = state
    return run


@pytest.fixture
def refused(run):
    """Run a command line that must fail: exit code 2, one line on standard error; return it."""

    def refused(*arguments: str, lines: str = "") -> str:
        result = run(*arguments, lines=lines)
        assert result.exit_code == 2, result.output
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1, result.stderr
        return result.stderr

    return refused
