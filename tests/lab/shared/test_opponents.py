"""What meeting and counting do, by players whose results are known."""

import numpy as np
import pytest

from evenmatch.games import GAMES
from evenmatch.play.arena import Pairing, Played
from evenmatch_lab.shared.opponents import (
    OPENING_PLIES,
    both,
    by_side,
    imbalance,
    lines_met,
    meet,
    openings_of,
    pairs_of,
    row_of,
    score_of,
)


def quiet(done, total):
    """No progress bar."""


def test_sides_are_counted_for_the_player():
    """Entrant 0 wins first and loses second; its games against others do not count."""
    results = [(0, 2, 1.0), (0, 2, 0.0), (2, 0, 1.0), (2, 0, -1.0), (0, 3, -1.0), (1, 2, 1.0)]
    played = [Played(Pairing(a, b), result, ()) for a, b, result in results]
    row = row_of(played, 0, 2)
    assert row == {"first": [1, 0, 1], "second": [1, 1, 0], "pairs": [0, 0, 1, 1, 0], "distinct": 2}
    assert pairs_of(row).pairs == 2
    assert both(row) == score_of([2, 1, 1])
    assert imbalance(both(row)) == pytest.approx(0.25)
    assert by_side(row) == pytest.approx((0.5 + 0) / 2)


def test_everybody_meets_every_opponent_half_with_each_side():
    """Two players, two opponents, five games each: three as first, two as second."""
    rivals = {"strong": "minimax2:depth=3", "weak": "random"}
    tables = meet(["random", "minimax2:depth=3"], rivals, GAMES["connect4"], 5, 1, quiet)
    assert [list(table) for table in tables] == [["strong", "weak"]] * 2
    for table in tables:
        for row in table.values():
            assert (np.sum(row["first"]), np.sum(row["second"])) == (3, 2)
    random, minimax = tables
    assert both(random["strong"]).losses == 5
    assert both(minimax["weak"]).wins == 5


def test_openings_are_shared_by_two_games_with_the_sides_changed(monkeypatch):
    seen = []

    def play(entrants, pairings, game, **settings):
        seen.extend(pairings)
        assert {len(line) for line in settings["lines"].values()} == {4}
        return []

    monkeypatch.setattr("evenmatch_lab.shared.opponents.play", play)
    meet(["random"], {"it": "random"}, GAMES["connect4"], 4, 1, quiet)
    assert [(p.first, p.second, p.opening) for p in seen] == [
        (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1)
    ]  # fmt: skip


@pytest.mark.parametrize("game_id", OPENING_PLIES)
def test_openings_that_are_avoided_do_not_occur(game_id):
    game = GAMES[game_id]
    avoided = lines_met(game, 40, seed=2)
    pairings = [Pairing(0, 1, number) for number in range(60)]

    def places(lines):
        states = game.initial(len(lines))
        for actions in np.array(list(lines)).T:
            states = game.after(states, actions)
        planes = game.encoded(states).reshape(len(lines), game.planes, -1)
        return {min(one[:, c].tobytes() for c in game.cell_symmetries) for one in planes}

    free = openings_of(game, pairings, seed=4)
    apart = openings_of(game, pairings, seed=4, avoid=avoided)
    assert len(places(avoided)) == 20
    assert not places(avoided) & places(apart.values())
    if game_id == "connect4":
        assert places(avoided) & places(free.values()), "else nothing was avoided"
