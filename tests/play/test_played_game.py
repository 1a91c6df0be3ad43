"""A game as it stands: its result, its score, its value, what it tells of the person."""

import pytest
from small_sessions import chess_at, go9, play, start

from evenmatch.play.played_game import End
from evenmatch.play.session import Session


@pytest.mark.usefixtures("without_network")
def test_result_and_resigning():
    for side in (1, -1):
        session = start(side=side)
        play(session, "1 2 1 2 1 2")
        assert not session.over
        play(session, "1")
        assert session.over
        assert session.result == side
    session = start()
    session.end = End.YOU_RESIGNED
    assert session.over
    assert session.result == -1


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize(
    ("marks", "end", "value", "taught"),
    [
        (["", ""], End.YOU_RESIGNED, -0.75, 0.75),
        (["", ""], End.YOU_RESIGNED, 0.0, None),
        (["", ""], End.YOU_RESIGNED, 0.5, None),
        (["", ""], End.YOU_RESIGNED, None, 1.0),
        (["", ""], End.OPPONENT_RESIGNED, 0.9, -1.0),
        (["", ""], End.DRAW_AGREED, 0.0, 0.0),
        (["", ""], End.YOUR_TIME, 0.0, None),
        (["", ""], End.YOUR_TIME, 0.6, None),
        (["", ""], End.YOUR_TIME, -0.6, 0.6),
        (["", ""], End.OPPONENTS_TIME, 0.3, -0.3),
        (["hint", "hint"], End.OPPONENT_RESIGNED, 1.0, None),
        (["", "hint"], End.YOU_RESIGNED, -0.5, 0.25),
        (["", "retry"], End.OPPONENT_RESIGNED, 1.0, -0.5),
        (["hint", "hint"], End.YOU_RESIGNED, -0.5, None),
        (["given", ""], End.OPPONENT_RESIGNED, 1.0, None),
    ],
)
def test_what_a_result_teaches(monkeypatch, marks, end, value, taught):
    """A resignation less the less lost the game was; hints and moves taken back a share less."""
    monkeypatch.setattr(Session, "value", lambda self: value)
    session = start()
    session.push(3, marks[0])
    session.push(3)
    session.push(2, marks[1])
    session.end = end
    assert session.taught() == taught


BARE = "8/8/4k3/8/8/4P3/4K3/8 w - - 0 1"


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize(
    ("end", "result"), [(End.YOUR_TIME, 0), (End.OPPONENTS_TIME, 1), (End.YOU_RESIGNED, -1)]
)
def test_a_bare_king_does_not_win_on_time(end, result):
    session = chess_at(BARE, "random")
    session.end = end
    assert session.result == result


@pytest.mark.usefixtures("without_network")
def test_the_bar_waits_until_both_have_moved():
    session = start()
    told = [session.both_moved]
    for text in ("1", "2", "3"):
        play(session, text)
        told.append(session.both_moved)
    assert told == [False, False, True, True]


@pytest.mark.usefixtures("with_network")
def test_values_are_the_persons():
    session = start(side=-1)
    play(session, "1 2 1")
    assert session.values() == [-0.5, 0.5, -0.5, 0.5]
    play(session, "2 1 2 1")
    assert session.value() == -1  # lost, whatever the network says


@pytest.mark.usefixtures("without_network")
def test_no_network_no_values():
    session = start()
    assert session.value() is None
    assert session.values() == []


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize("side", [1, -1])
def test_two_passes_are_settled_by_a_score(side):
    session = go9("D4 pass pass", side)
    assert session.over
    assert session.unsettled
    session.agree()
    assert not session.unsettled
    assert (session.score().text, session.result) == ("B+74", side)


@pytest.mark.usefixtures("without_network")
def test_other_games_have_no_score():
    session = start()
    assert session.score() is None
    assert not session.unsettled


@pytest.mark.usefixtures("without_network")
def test_the_agreed_result_is_taught():
    session = go9("D4 pass pass")
    session.agree()
    assert session.taught() == -1.0
    with_handicap = go9("pass pass", start="KM[0.5]AB[dd]PL[W]")
    with_handicap.agree()
    assert with_handicap.taught() is None, "a game that began otherwise is no evidence of strength"
