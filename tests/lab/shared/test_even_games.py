"""Games by which evenness is measured: who met whom, what is kept, and what it says."""

from typing import NamedTuple

import numpy as np
import pytest

from evenmatch.games import GAMES, get_game
from evenmatch.opponents import Engine, resolve
from evenmatch.play.arena import Pairing, Played
from evenmatch_lab.shared import even_games
from evenmatch_lab.shared.even_games import (
    Kept,
    evaluate,
    meet_by_coin,
    meet_by_profile,
    meet_in_series,
    meet_itself,
    meet_strangers,
    open_plies,
    row_of_units,
    score_of_row,
    score_rows,
)

CONNECT4 = get_game("connect4")
FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
#: Connect Four: both stack up, and the first player wins with its fourth stone in column 0.
WIN = (0, 1, 0, 1, 0, 1, 0)


class Someone(NamedTuple):
    name: str
    spec: str


def actions_of(words):
    game, state, found = GAMES["chess"], GAMES["chess"].initial(), []
    for word in words:
        found.append(game.read_action(state[0], word))
        state = game.after(state, np.array([found[-1]]))
    return found


def test_how_long_a_game_is_open():
    """White may be lost after 2. g4, never before the first move."""
    chess = get_game("chess")
    assert open_plies(chess, [actions_of(FOOLS_MATE[:1])]) == [1]
    assert open_plies(chess, [actions_of(FOOLS_MATE[:1]), actions_of(FOOLS_MATE)])[1] in (3, 4)


def test_what_is_kept_of_games():
    """Results are those of entrant 0, with either side."""
    units = [
        [Played(Pairing(0, 1), 1.0, WIN), Played(Pairing(1, 0), 1.0, WIN)],
        [Played(Pairing(0, 1), 0.0, WIN[:3]), Played(Pairing(1, 0), -1.0, WIN[:5])],
    ]
    row = row_of_units(CONNECT4, units)
    assert (row["results"], row["sides"]) == (["WL", "DW"], ["12", "12"])
    kept = Kept.of(row)
    assert kept.points.tolist() == [[1, 0], [0.5, 1]]
    assert kept.length.tolist() == [[7, 7], [3, 5]]
    assert (kept.open <= kept.length).all()
    assert Kept.of(row, slice(1, None)).points.tolist() == [[0], [1]]
    assert score_of_row(row) == (0.625, 0.25)
    assert len(row["hashes"].split()) == 4
    assert len(set(row["hashes"].split())) == 3, "the same moves are the same game"


def test_evenness_of_rows():
    """By hand: scores 1/2 and 3/4 of pairs that vary by 0 and 1/4; each side apart."""

    def row(*units):
        plies = ["10/20 5/20"] * len(units)
        return {"results": units, "sides": ["12"] * len(units), "plies": plies, "hashes": "a b c d"}

    found = score_rows({"a": row("WL", "WL"), "b": row("WW", "WL")})
    assert found.rms.square == pytest.approx((0 + 1 / 16 - (1 / 8) / 2) / 2)
    assert found.by_side.square == pytest.approx((1 / 4 + 1 / 4 + 1 / 4 + 0 - 1 / 4) / 4)
    assert (found.score, found.imbalance, found.drawn) == (0.625, 0.25, 0)
    assert (found.open, found.open_plies) == (0.375, 7.5)
    assert (found.distinct, found.total) == (4, 8)
    assert (found.opponents, found.games) == (2, 4)
    latter = score_rows({"a": row("WL", "WL"), "b": row("WW", "WL")}, slice(1, None))
    assert (latter.distinct, latter.total) == (2, 4), "the games b and d of each"


def test_strangers_meet_in_pairs_from_one_opening():
    rows = meet_strangers(CONNECT4, "minimax2:depth=3", {"a": "random", "b": "random"}, 4, 5)
    assert [len(x) for x in rows["a"]["results"]] == [2, 2]
    assert rows["a"]["sides"] == ["12", "12"]
    assert score_of_row(rows["a"])[0] > 0.8
    assert rows["a"]["hashes"] != rows["b"]["hashes"]


def test_a_coin_is_either_player():
    """It wins what full strength plays, and loses to it what random moves play."""
    strong, weak = "minimax2:depth=3", "random"
    rows = meet_by_coin(CONNECT4, (strong, weak), {"a": "mcts:sims=10"}, 20, 5)
    score = score_of_row(rows["a"])[0]
    assert 0.2 < score < 0.8
    assert score_of_row(meet_by_coin(CONNECT4, (weak, weak), {"a": strong}, 8, 5)["a"])[0] < 0.3


def test_series_are_units():
    rivals = {"weak": "random", "equal": "minimax2:depth=3"}
    rows = meet_in_series(CONNECT4, "minimax2:depth=3", rivals, 2, 3, 7)
    assert rows["weak"]["results"] == ["WWW", "WWW"]
    assert rows["weak"]["sides"] == ["121", "212"]
    assert [len(x) for x in rows["equal"]["results"]] == [3, 3]


def test_equals_meet_themselves_from_openings_that_differ():
    row = meet_itself(CONNECT4, "minimax2:depth=2", 6, 3)
    assert row["sides"] == ["1"] * 6
    assert len(set(row["hashes"].split())) == 6


@pytest.mark.parametrize(
    ("game_id", "default"), [("connect4", "style:s=7"), ("othello6", "random")]
)
def test_a_profile_seats_what_play_seats(game_id, default, monkeypatch):
    """Its results, sides and winner, with another default opponent than usual that is fast."""
    seated = []
    begin = even_games.start

    def start(options, **others):
        started = begin(type(options)(**vars(options) | {"opponent": default}), **others)
        seated.append(started.session)
        return started

    monkeypatch.setattr(even_games, "start", start)
    row = meet_by_profile(get_game(game_id), "random", 2, 2, 11)
    assert row["sides"] == ["21", "12"], "the person moves first in the first series' first game"
    assert len(seated) == 4
    assert [one.over for one in seated] == [True] * 4
    own = {(1, 1): "L", (0, 1): "D", (-1, 1): "W"}
    by_round = [[own[one.result, 1] for one in seated[at::2]] for at in (0, 1)]
    assert ["".join(x) for x in by_round] == row["results"]
    if default == "style:s=7":
        assert row["results"] == ["WW", "WW"]
    assert len(row["met"]) == 2


def test_evaluate_is_quick_to_call():
    met = [Someone("a", "random"), Someone("b", "mcts:sims=5")]
    apart = evaluate("connect4", "minimax1:depth=1", met, 4, seed=1)
    assert (apart.opponents, apart.games, apart.total) == (2, 4, 8)
    assert apart == evaluate("connect4", "minimax1:depth=1", met, 4, seed=1)
    assert apart != evaluate("connect4", "minimax1:depth=1", met, 4, seed=2)
    assert evaluate("connect4", "minimax1:depth=1", met, 3, seed=1, series=2).games == 6


def test_an_engine_decides_for_all_games_at_once(monkeypatch):
    """Games of a profile go on together: no more calls than the longest game has plies."""
    calls = []
    think = Engine.think
    monkeypatch.setattr(
        Engine, "think", lambda self, turns: calls.append(len(turns)) or think(self, turns)
    )
    game, opponent = CONNECT4, resolve("random", CONNECT4)
    sessions = [
        even_games.Session(game, "random", side, seed, plays_on=True)
        for seed, side in enumerate((1, -1, 1))
    ]
    people = [even_games.InGame(opponent, one.side, one.seed) for one in sessions]
    even_games.play_out(sessions, Engine(game), people)
    assert len(calls) == max(one.ply for one in sessions)
    assert calls[0] == 3
