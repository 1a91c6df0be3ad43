"""Networks in eight bits: what is compared, in which precision players play, the page."""

import os

import numpy as np
import pytest

from evenmatch.games import get_game
from evenmatch.network.precision import VARIABLE
from evenmatch.players.evaluators import network_of
from evenmatch_lab.ours import eight_bits
from evenmatch_lab.ours.eight_bits import Said, compared, playing_in
from evenmatch_lab.shared.positions import DrawnMoves

CHESS = get_game("chess")


def test_what_is_compared():
    """By hand: two moves of two people, one of whose best moves changes."""
    exact = Said(np.array([[0.6, 0.4], [0.5, 0.5]]), np.array([0.1, -0.2]))
    said = Said(np.array([[0.4, 0.6], [0.5, 0.5]]), np.array([0.2, -0.2]))
    moves = DrawnMoves(CHESS.initial(2), np.zeros(2), np.array([1, 0]), np.array([0, 1]))
    found = {key: ends[0] for key, ends in compared(said, exact, moves).items()}
    assert found == pytest.approx(
        {
            "same": 0.5, "moved": 0.1, "cross_entropy": np.log(0.4 / 0.6) / 2, "foreseen": 0.5,
            "value": 0.05, "bias": 0.05,
        },
        abs=1e-5,
    )  # fmt: skip


def test_players_play_in_a_precision_for_a_time(monkeypatch):
    monkeypatch.setenv(VARIABLE, "auto")
    with playing_in("f32"):
        assert network_of(CHESS)._backend.precision == "f32"
    assert os.environ[VARIABLE] == "auto"
    monkeypatch.delenv(VARIABLE)
    with playing_in("int8"):
        assert network_of(CHESS)._backend.precision == "int8"
    assert VARIABLE not in os.environ


def test_games_are_of_two_precisions(monkeypatch):
    """The one network has ranges beside it, the other has not."""
    seen = []

    def stub(specs, some, game, **options):
        for spec in specs:
            net = network_of(game, spec.partition("net=")[2])
            seen.append(net._backend._ranges is not None)
        raise KeyboardInterrupt

    monkeypatch.setattr(eight_bits, "play", stub)
    monkeypatch.setattr("evenmatch.network.openvino_backend.eight_bits_pay", lambda: True)
    with pytest.raises(KeyboardInterrupt):
        eight_bits.measure_games(1, 0, 2, 2, lambda done, due: None, {})
    assert seen == [True, False]


def test_the_page():
    ends = [0.1, 0.0, 0.2]
    said = dict.fromkeys(eight_bits.HEADS, ends)
    results = {
        "moves: chess": {"bf16": said, "int8": said},
        "levels: D": {"settings": {"positions": 500}, "other": 7, "loses": [0.001, -0.001, 0.003]},
        "games 1 to 100": {
            "row": {"first": [20, 20, 10], "second": [21, 19, 10], "pairs": [0, 0, 49, 1, 0],
                    "distinct": 100},
        },
    }  # fmt: skip
    text = "\n".join(eight_bits.page(results))
    assert "| D | 500 | 7 | +0.10 (-0.10 to +0.30) |" in text
    assert "| chess | int8 | 10.0% (0.0 to 20.0) | 0.1000 (0.0000 to 0.2000) |" in text
    assert "41 won, 39 lost, 20 drawn" in text
    assert "not shown to be within 15 Elo" in text
