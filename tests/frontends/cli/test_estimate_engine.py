"""``evenmatch estimate`` of games without evaluations, which an engine makes if it is there."""

import json
import re
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import numpy as np
import pytest
from records_from_elsewhere import GAMES

from evenmatch.app import estimate as estimates
from evenmatch.opponents.engine_evals import EngineFailedError


class Seer:
    """Stands for an engine: it finds every position even."""

    name, asked = "Seer 1", 0

    def __init__(self, cmd, nodes, progress):
        self.nodes, self.progress = nodes, progress

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __call__(self, games):
        Seer.asked += len(games)
        self.progress(len(games), len(games))
        return [np.zeros(len(states)) for states in games]


@pytest.fixture
def seer(monkeypatch):
    monkeypatch.setattr(Seer, "asked", 0)
    monkeypatch.setattr(estimates, "engine_there", lambda cmd: True)
    monkeypatch.setattr(estimates, "EngineEvals", Seer)
    return Seer


@pytest.fixture
def bare(games, tmp_path):
    """The file of games without their evaluations."""
    path = tmp_path / "bare.pgn"
    path.write_text(re.sub(r"\{[^}]*\}", "", Path(games).read_text()))
    return str(path)


def even(path: str) -> str:
    """Return games with evaluations that find every position even."""
    texts = []
    with open(path) as file:
        while game := chess.pgn.read_game(file):
            for node in game.mainline():
                node.set_eval(chess.engine.PovScore(chess.engine.Cp(0), chess.WHITE))
            texts.append(f"{game}\n\n")
    return "".join(texts)


def test_games_without_evaluations_are_evaluated(run, bare, seer):
    result = run("estimate", bare, "--json")
    assert result.exit_code == 0, result.output
    told = f"Seer 1 evaluated {GAMES} games that had no evaluations, by 1,500 nodes a position."
    assert told in result.stderr
    assert seer.asked == GAMES, "each game once"
    path = Path(bare).with_name("even.pgn")
    path.write_text(even(bare))
    assert run("estimate", str(path), "--no-engine", "--json").stdout == result.stdout
    run("estimate", bare, "--player", "w1", "--json")
    assert seer.asked == GAMES + 2, "of nobody who is not wanted"


def test_without_an_engine_it_says_what_that_costs(run, bare, games, monkeypatch):
    told = f"{GAMES} games have no evaluations, so ratings err a little more. Install stockfish"
    assert told in run("estimate", bare, "--json").stderr
    for options in ((bare, "--no-engine"), (bare, "--fast"), (games,)):
        assert "Install stockfish" not in run("estimate", *options, "--json").stderr


def test_nothing_is_said_to_be_evaluated_that_was_not_rated(run, bare, seer, monkeypatch):
    def interrupted(self, games):
        raise KeyboardInterrupt

    monkeypatch.setattr(Seer, "__call__", interrupted)
    result = run("estimate", bare)
    assert result.exit_code == 2
    assert result.stderr == "error: interrupted before any game was rated\n"


def test_an_engine_that_fails_loses_no_ratings(run, bare, seer, monkeypatch):
    answer, calls = Seer.__call__, []

    def fails_later(self, games):
        calls.append(1)
        if len(calls) == 2:
            raise EngineFailedError("Seer 1 failed (it died); judge moves without it: --no-engine")
        return answer(self, games)

    monkeypatch.setattr(Seer, "__call__", fails_later)
    result = run("estimate", bare, "--json")
    assert result.exit_code == 2
    assert "Seer 1 failed (it died); judge moves without it: --no-engine" in result.stderr
    assert sum(row["games"] for row in json.loads(result.stdout)["players"]) == estimates.BATCH
