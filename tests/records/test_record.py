"""Records: speeds told from events and time controls, faults in words."""

import pytest

from evenmatch.records.record import REASONS, Fault, Reason, Speed, date_of, speed_of


@pytest.mark.parametrize(
    ("event", "control", "speed"),
    [
        ("classical", "", Speed.classical),
        ("rated rapid", "600+5", Speed.rapid),
        ("Rated Blitz game", "", Speed.blitz),
        ("online", "", Speed.online),
        ("Linares", "", Speed.unknown),
        ("Linares", "60+0", Speed.bullet),
        ("Linares", "179", Speed.bullet),
        ("Linares", "180+0", Speed.blitz),
        ("Linares", "479+0", Speed.blitz),
        ("Linares", "300+5", Speed.rapid),
        ("Linares", "900+15", Speed.classical),
        ("Linares", "40/7200:3600", Speed.unknown),
        ("Blitzkrieg Open", "-", Speed.unknown),
        ("Live Chess", "179", Speed.bullet),
        ("Live Chess", "300+5", Speed.blitz),
        ("Live Chess", "599", Speed.blitz),
        ("Live Chess - Rapid", "600", Speed.rapid),
        ("Live Chess", "600", Speed.rapid),
        ("Live Chess", "3600", Speed.rapid),
    ],
)
def test_speed(event, control, speed):
    assert speed_of(event, control) == speed


def test_every_reason_has_words():
    assert set(REASONS) == set(Reason)


def test_a_fault_is_one_line():
    fault = Fault("a.pgn", 12, Reason.illegal_move, "Qh9")
    assert str(fault) == "a.pgn:12: an illegal move: Qh9"
    assert str(Fault("a.pgn", 1, Reason.no_moves)) == "a.pgn:1: no moves"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2022.03.14", "2022-03-14"),
        ("2019-11-03,04", "2019-11-03"),
        ("played on 2019-11-30", "2019-11-30"),
        ("2022.03.??", "2022-03"),
        ("2022-03,04", "2022-03"),
        ("2022.13.??", ""),
        ("2022", ""),
        ("2022-03-145", ""),
        ("2021-02-29", ""),
        ("2021-02-29, 2021-03-01", "2021-03-01"),
        ("", ""),
    ],
)
def test_dates(text, date):
    assert date_of(text) == date
