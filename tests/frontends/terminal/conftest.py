"""What tests of the terminal share."""

import pytest
from scripted_terminal import Scripted

from evenmatch.frontends.terminal import game as terminal
from evenmatch.games import GAMES
from evenmatch.play import session
from evenmatch.play.session import Session


@pytest.fixture
def play(monkeypatch, capsys):
    """Play interactively; returns what was printed."""
    monkeypatch.setattr(terminal, "PAUSE", 0)
    monkeypatch.setattr(session, "_evaluator_of", lambda game, opponent: None)

    def play(words, game="connect4", opponent="mcts:sims=2", side=1, screen=None):
        started = Session(GAMES[game], opponent, side, 3)
        terminal.TerminalGame(started, words=Scripted(words), screen=screen).run()
        return capsys.readouterr().out

    return play
