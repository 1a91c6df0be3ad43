"""Seats: a player begins once a game, learns over it, and goes back without a search."""

import json
from itertools import pairwise

import numpy as np
import pytest

from evenmatch.errors import StateError
from evenmatch.games import GAMES, get_game
from evenmatch.players import Networks, SearchPlayer, make_player
from evenmatch.search import NOTHING, CachedEvaluator
from evenmatch.sessions import GameLine, Saved, Seat, Session

CONNECT4, CHESS = get_game("connect4"), get_game("chess")
SPECS = (
    "even:sims=8,looks=1",
    "intra:sims=8",
    "alphadda2:sims=8,quirks=on",
    "random",
    "mcts:sims=8",
)


class Counted:
    """An evaluator that counts what it is asked."""

    def __init__(self, inner):
        self.inner, self.positions = inner, 0

    def evaluate(self, states, request=NOTHING):
        self.positions += len(states)
        return self.inner.evaluate(states, request)


@pytest.fixture
def counted(monkeypatch):
    """Counts all positions that the networks of a session are asked about, cached ones too."""
    counters = []
    evaluator = Networks.evaluator

    def counting(self, path=None):
        counters.append(Counted(evaluator(self, path)))
        return counters[-1]

    monkeypatch.setattr(Networks, "evaluator", counting)
    return lambda: sum(counter.positions for counter in counters)


def play(session: Session, plies: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    while session.ply < plies and not session.over:
        if session.yours:
            session.move(int(rng.choice(session.legal)))
        else:
            session.reply()


def long_game(plies: int) -> Session:
    """Return a game of chess with so many random moves that is not over."""
    for seed in range(50):  # networks differ a little from processor to processor, games with them
        session = Session(CHESS, "pikl:elo=1500,sims=2,lam=1,t=1", 1, 3)
        play(session, plies, seed)
        if not session.over:
            return session
    raise AssertionError("all random games were over sooner")


def test_undo_at_ply_60_of_chess_searches_nothing(counted):
    session = long_game(60)
    before = counted()
    assert before > 0
    while session.ply > 20:
        assert session.undo()
    assert counted() == before
    session.move(session.legal[0])
    session.reply()
    assert counted() > before


def test_resuming_searches_nothing(counted):
    session = Session(CHESS, "pikl:elo=1500,sims=2,lam=1,t=1", 1, 3)
    play(session, 40)
    saved, before = session.saved, counted()
    again = Session.resumed(saved)
    assert counted() == before
    assert again.undo()
    assert counted() == before


def told_anew(line: GameLine) -> GameLine:
    """The same game from its actions alone, as UCI tells it before every move."""
    again = GameLine(line.game)
    for action in line.actions:
        again.push(action)
    return again


def test_even_learns_over_a_game_that_is_told_anew_before_every_move():
    """As UCI does; begun once, its belief moves with every reply, as in the arena."""
    rng = np.random.default_rng(5)
    player = make_player("even:sims=8,looks=1", CONNECT4)
    seat, line = Seat(player), GameLine(CONNECT4)
    seat.begin(line, -1, 7)
    seen = []
    while line.legal and line.ply < 16:
        line.push(int(rng.choice(line.legal)))
        if line.legal:
            line.push(seat.choose(told_anew(line)))
            seen.append(player.controller(0).belief.probabilities.copy())
    assert len(seen) >= 5
    assert all((one != two).any() for one, two in pairwise(seen))


def test_another_game_is_told_from_the_same_one():
    seat, line = Seat(make_player("random", CONNECT4)), GameLine(CONNECT4)
    seat.begin(line, -1, 7)
    line.push(3)
    line.push(seat.choose(line))
    assert seat.is_in(told_anew(line), -1)
    assert seat.is_in(line.first(1), -1)
    assert not seat.is_in(line, 1)
    other = GameLine(CONNECT4)
    other.push(0)
    assert not seat.is_in(other, -1)


@pytest.mark.parametrize("spec", SPECS)
def test_a_player_taken_back_moves_as_one_that_was_never_further(spec):
    """The game is played to its 12th ply, taken back to the 5th, and played on otherwise."""
    moves = [3, None, 2, None, 4, None, 3, None, 1, None, 5]

    def played(seat, line, mine):
        for action in mine:
            if not line.legal:
                return
            line.push(seat.choose(line) if action is None else action)

    one, line = Seat(make_player(spec, CONNECT4)), GameLine(CONNECT4)
    one.begin(line, -1, 11)
    played(one, line, moves)
    line.cut(5)
    played(one, line, [None, 0, None])
    two, plain = Seat(make_player(spec, CONNECT4)), GameLine(CONNECT4)
    two.begin(plain, -1, 11)
    played(two, plain, [*moves[:5], None, 0, None])
    assert line.actions == plain.actions
    assert one.player.snapshot(0) == two.player.snapshot(0)


def test_the_same_turn_twice_counts_once():
    player = make_player("even:sims=8,looks=1", CONNECT4)
    seat, line = Seat(player), GameLine(CONNECT4)
    seat.begin(line, -1, 7)
    line.push(0)
    first = seat.choose(line)
    odds = player.controller(0).belief.log_weights.copy()
    assert seat.choose(line) == first
    assert (player.controller(0).belief.log_weights == odds).all()


def test_a_player_that_could_not_be_taken_back_is_taken_back_later(monkeypatch):
    """The second undo in a row fails once; the next turn is where it would have been."""
    spec, line = "even:sims=8,looks=1", GameLine(CONNECT4)
    player = make_player(spec, CONNECT4)
    seat = Seat(player)
    seat.begin(line, -1, 7)
    for column in (3, 2, 4):
        line.push(column)
        line.push(seat.choose(line))
    states = dict(seat.snapshots)
    line.cut(4)
    seat.go_to(line)
    line.cut(2)
    with monkeypatch.context() as patch:
        patch.setattr(player, "restore", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            seat.go_to(line)
    seat.go_to(line)
    wanted = max((ply, state) for ply, state in states.items() if ply <= 2)[1]
    assert player.snapshot(0) == wanted


def test_players_that_keep_trees_play_again_to_go_back():
    player = make_player("alphazero:sims=8,reuse=on", CONNECT4)
    assert isinstance(player, SearchPlayer)
    seat, line = Seat(player), GameLine(CONNECT4)
    seat.begin(line, -1, 7)
    for action in (3, 3, 2):
        line.push(action if line.ply % 2 == 0 else seat.choose(line))
    assert seat.snapshots == []
    line.cut(1)
    fresh = Seat(make_player("alphazero:sims=8,reuse=on", CONNECT4))
    fresh.begin(line, -1, 7)
    assert seat.choose(line) == fresh.choose(line)


@pytest.mark.parametrize("spec", SPECS)
def test_a_saved_game_goes_on_as_if_it_had_not_been_left(spec):
    session = Session(CONNECT4, spec, 1, 3)
    play(session, 9)
    saved = session.saved
    kept = json.loads(json.dumps(saved.snapshots))
    again = Session.resumed(Saved(**{**vars(saved), "snapshots": tuple(map(tuple, kept))}))
    for one in (session, again):
        play(one, 14, seed=2)
    assert session.actions == again.actions


@pytest.mark.parametrize("spec", SPECS)
def test_a_saved_game_of_an_older_version_is_played_again(spec):
    """Without snapshots the opponent is asked once more about every turn of its own."""
    session = Session(CONNECT4, spec, 1, 3)
    play(session, 9)
    again = Session.resumed(Saved(**{**vars(session.saved), "snapshots": ()}))
    for one in (session, again):
        play(one, 14, seed=2)
    assert session.actions == again.actions


@pytest.mark.parametrize("state", [{}, {"moved": 1, "controller": {}}, {"moved": True}])
def test_a_foreign_snapshot_is_not_used(state):
    session = Session(CONNECT4, "even:sims=8,looks=1", 1, 3)
    play(session, 4)
    with pytest.raises(StateError, match="damaged; start without it"):
        session._seat.player.restore(0, state)
    saved = Saved(**{**vars(session.saved), "snapshots": ((0, state),)})
    again = Session.resumed(saved)
    assert again._seat.snapshots == [] or again._seat.snapshots[-1][1] != state
    for one in (session, again):
        play(one, 9, seed=2)
    assert session.actions == again.actions


def test_evaluations_are_counted_at_all():
    """Else the tests that count would show nothing."""
    game = GAMES["connect4"]
    counter = Counted(CachedEvaluator(Networks(game).network(), game))
    counter.evaluate(game.initial(3))
    assert counter.positions == 3
