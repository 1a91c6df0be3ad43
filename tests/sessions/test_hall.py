"""Sessions in a hall play as they would with opponents of their own."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from evenmatch.errors import MoveError, UsageError
from evenmatch.games import get_game
from evenmatch.profiles import Profile
from evenmatch.sessions import Hall, Session

SPECS = {
    "connect4": ("random", "mcts:sims=20", "even:sims=8,looks=1", "inter:sims=8", "softmax:sims=8"),
    "chess": ("human:elo=1300", "sa:elo=1500,sims=4"),
}


@pytest.fixture
def hall():
    with Hall() as hall:
        yield hall


def play(session: Session, plies: int) -> list[int]:
    """Let the person play the first legal action, with a hint and an undo on the way."""
    undone = False
    while session.ply < plies and not session.over:
        if not session.yours:
            session.reply()
            continue
        session.move(session.legal[0])
        if session.ply > 2 and not undone:
            undone = session.undo()
            session.hint()
            session.move(session.legal[-1])
    return session.actions


@pytest.mark.parametrize(("game", "spec"), [(g, spec) for g in SPECS for spec in SPECS[g]])
def test_a_session_in_a_hall_plays_as_one_alone(hall, game, spec):
    one = Session(get_game(game), spec, 1, 7)
    other = Session(get_game(game), spec, 1, 7, opponents=hall.opponents(game))
    assert play(one, 9) == play(other, 9)
    assert one.saved == other.saved
    assert one._seat.expects == other._seat.expects
    resumed = Session.resumed(one.saved, opponents=hall.opponents(game))
    assert play(resumed, 12) == play(one, 12)


def test_sessions_of_many_people_at_once(hall):
    """Each on a thread of its own, as a page drives them; their moves are found together."""
    game = get_game("connect4")
    sessions = [
        Session(game, "mcts:sims=20", -1, seed, opponents=hall.opponents("connect4"))
        for seed in range(12)
    ]
    with ThreadPoolExecutor(12) as threads:
        played = list(threads.map(lambda session: play(session, 8), sessions))
    assert played == [play(Session(game, "mcts:sims=20", -1, seed), 8) for seed in range(12)]
    figures = hall.rooms["connect4"].figures
    assert figures.moves >= 48
    assert figures.calls < figures.moves


def test_what_an_opponent_learns_is_kept_as_ever(hall, tmp_path):
    known = []
    for at, opponents in enumerate((None, hall.opponents("connect4"))):
        profile = Profile(tmp_path / str(at))
        for seed in range(2):
            session = Session(
                get_game("connect4"), "inter:sims=8", 1, seed, "Ann",
                store=profile.memories, opponents=opponents,
            )  # fmt: skip
            assert session.recognised == (seed > 0)
            play(session, 50)
            session.finish()
            session.leave()
        known.append(profile.memories._read("connect4", "inter:sims=8", "Ann"))
        profile.close()
    assert known[0] == known[1]
    assert known[0]["games"] == 2


def test_a_seat_is_free_again_once_a_session_leaves(hall):
    session = Session(get_game("connect4"), "random", 1, 1, opponents=hall.opponents("connect4"))
    session.hint()
    hosts = hall.rooms["connect4"]._hosts
    assert sorted(host.seats for host in hosts.values()) == [1, 1]
    session.leave()
    assert not hosts
    session.leave()  # nothing more to leave


def test_a_seat_is_free_again_where_a_session_cannot_be_set_up(hall):
    session = Session(get_game("connect4"), "random", 1, 1)
    session.push(3)
    saved = replace(session.saved, actions=(3, 99), marks=("", ""))
    with pytest.raises(MoveError, match="illegal move at ply 2"):
        Session.resumed(saved, opponents=hall.opponents("connect4"))
    assert not hall.rooms["connect4"]._hosts


def test_who_has_left_hears_no_more(hall):
    """The number may be somebody else's by now."""
    session = Session(
        get_game("connect4"), "inter:sims=8", 1, 1, opponents=hall.opponents("connect4")
    )
    player = session._seat.player
    session.leave()
    with pytest.raises(UsageError, match="this seat is closed"):
        player.finish(0, 1.0)
    with pytest.raises(NotImplementedError):
        player.snapshot(0)


def test_a_closed_hall_stays_closed():
    hall = Hall()
    hall.opponents("connect4")
    hall.close()
    with pytest.raises(UsageError, match="this hall is closed"):
        hall.opponents("connect4")
