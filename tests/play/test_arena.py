import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.games import GAMES
from evenmatch.play.arena import (
    Pairing,
    Played,
    distinct_games,
    paired,
    play,
    play_match,
    play_series,
    random_opening,
    random_openings,
    round_robin,
)

CONNECT4, OTHELLO6 = GAMES["connect4"], GAMES["othello6"]


def replay(game, actions):
    state = game.initial()
    for action in actions:
        assert action in game.legal_actions(state)[0], "an illegal action was played"
        state = game.after(state, np.array([action]))
    return state


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_games_are_legal_and_results_true(game):
    games = 6 if game.max_plies < 500 else 2
    match = play_match("mcts4:sims=10", "random", game, games, seed=5, openings=3)
    for played in match.games:
        state = replay(game, played.actions)
        ended, value = game.outcome(state)
        assert ended[0]
        assert played.result == value[0] * game.to_play(state)[0]


def test_colours_are_halved_and_counts_add_up():
    match = play_match("mcts2", "random", CONNECT4, 10, seed=1)
    assert match.score_first.games == match.score_second.games == 5
    assert match.score_first + match.score_second == match.score
    assert match.score.wins >= 8  # 100 playouts against random


def test_the_same_seed_gives_the_same_games():
    one, two, other = (play_match("random", "mcts4", OTHELLO6, 4, seed=s) for s in (1, 1, 2))
    assert [g.actions for g in one.games] == [g.actions for g in two.games]
    assert [g.actions for g in one.games] != [g.actions for g in other.games]


def test_openings_come_in_pairs():
    match = play_match("random", "random", CONNECT4, 6, seed=9, openings=4)
    starts = [played.actions[:4] for played in match.games]
    assert starts[0] == starts[1]
    assert starts[2] == starts[3]
    assert len(set(starts)) > 1


def test_an_opening_never_ends_the_game():
    rng = np.random.default_rng(1)
    for _ in range(20):
        actions, _ = random_opening(CONNECT4, 20, rng)
        assert len(actions) == 20
        assert not CONNECT4.outcome(replay(CONNECT4, actions))[0][0]


def test_games_do_not_depend_on_their_neighbours():
    pairings = [Pairing(0, 1), Pairing(1, 0), Pairing(0, 1)]
    together = play(["mcts4", "random"], pairings, CONNECT4, seed=4)
    alone = play(["mcts4", "random"], pairings[:1], CONNECT4, seed=4)
    assert together[0].actions == alone[0].actions


def test_round_robin_meets_everybody():
    played = round_robin(["random", "minimax1", "minimax2"], CONNECT4, 4, seed=2)
    assert len(played) == 3 * 4
    firsts = [game.pairing.first for game in played]
    assert [firsts.count(entrant) for entrant in range(3)] == [4, 4, 4]


def test_games_are_heard_as_they_end():
    heard = []
    match = play_match("random", "mcts4", CONNECT4, 6, seed=3, finished=heard.append)
    assert sorted(heard, key=match.games.index) == list(match.games)
    assert [len(game.actions) for game in heard] == sorted(len(g.actions) for g in match.games)


def test_no_games_is_an_error():
    with pytest.raises(UsageError, match="at least 1"):
        play_match("random", "random", CONNECT4, 0)


def test_long_games_are_broken_off_as_drawn():
    pairings = [Pairing(k % 2, 1 - k % 2, k) for k in range(12)]
    whole = play(["random", "random"], pairings, CONNECT4, seed=5)
    broken = play(["random", "random"], pairings, CONNECT4, seed=5, most_plies=17)
    lengths = [len(one.actions) for one in whole]
    assert min(lengths) < 17 < max(lengths)
    for one, other in zip(broken, whole, strict=True):
        assert one.actions == other.actions[:17]
        assert one.result == (other.result if len(other.actions) <= 17 else 0)


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_games_are_the_same_however_many_go_on_together(at_once):
    pairings = [Pairing(i % 2, 1 - i % 2, i // 2) for i in range(7)]
    specs = ["mcts:sims=5", "random"]
    all_together = play(specs, pairings, CONNECT4, seed=3, openings=2)
    heard = []
    found = play(
        specs, pairings, CONNECT4, seed=3, openings=2, at_once=at_once, finished=heard.append
    )
    assert found == all_together
    assert len(heard) == 7
    if at_once == 1:
        assert heard == found, "one after another"


def numbered(count):
    return [Pairing(0, 1, opening) for opening in range(count)]


def test_openings_differ_by_more_than_a_symmetry():
    """Othello's four first moves are one by symmetry, and there are three replies to each."""
    openings = random_openings(OTHELLO6, 2, 1, numbered(3))
    boards = {
        frozenset(np.rot90(OTHELLO6.board(replay(OTHELLO6, actions))[0], k).tobytes()
                  for k in range(4))
        for actions in openings.values()
    }  # fmt: skip
    assert len(boards) == 3
    assert len(random_openings(OTHELLO6, 2, 1, numbered(5))) == 5  # some occur again


def test_openings_do_not_depend_on_who_plays_them():
    pairings = numbered(4)
    assert random_openings(CONNECT4, 3, 7, pairings) == random_openings(
        CONNECT4, 3, 7, [*pairings, Pairing(3, 2, 1)]
    )


def test_distinct_games_are_counted():
    """Minimax draws no lots: both games of a pair with a side occur again and again."""
    match = play_match("minimax1:depth=2", "minimax2:depth=2", CONNECT4, 6, seed=3)
    assert match.distinct == distinct_games(match.games) == 2
    assert play_match("random", "random", CONNECT4, 6, seed=3).distinct == 6


def test_pairs_are_of_one_opening_with_either_side():
    results = [(0, 1, 0, 1.0), (1, 0, 0, 1.0), (0, 1, 1, 1.0), (1, 0, 1, 0.0), (0, 1, 2, -1.0)]
    played = [Played(Pairing(a, b, opening), result, ()) for a, b, opening, result in results]
    assert paired(played, 0, 1).counts == (0, 0, 1, 1, 0)  # won and lost; won and drawn
    assert paired(played, 1, 0).counts == (0, 1, 1, 0, 0)
    assert paired(played, 0, 2).pairs == 0


def test_games_of_a_series_may_share_an_opening():
    rounds = [[Pairing(0, 1, 0)], [Pairing(1, 0, 0)], [Pairing(0, 1, 1)]]
    games = [one for (one,) in play_series(["random", "random"], rounds, CONNECT4, openings=4)]
    starts = [played.actions[:4] for played in games]
    assert starts[0] == starts[1] != starts[2]
