"""When the opponent of a session resigns, or takes a draw."""

import numpy as np
import pytest
from small_sessions import chess_at, go9, play, start

from evenmatch.opponents import Decision
from evenmatch.opponents.controller import NEW
from evenmatch.play import resigning
from evenmatch.play.played_game import End
from evenmatch.play.session import Session


def resigns(session, value=0.0):
    """Tell whether the opponent resigns where its own search expects a score of ``value``."""
    request = session.ask_opponent()
    if request is not None:
        request.then(Decision(session.legal[0], NEW, value=value))
    return session.end is End.OPPONENT_RESIGNED


@pytest.mark.usefixtures("without_network")
def test_opponents_of_another_scale_do_not_resign(monkeypatch):
    monkeypatch.setattr(resigning, "resign_chance", lambda rating, chances: 1.0)
    monkeypatch.setattr(Session, "values", lambda self: [0.0] * (self.ply + 1))
    for scale, resigned in (("fide", False), ("lichess-rapid", True)):
        session = chess_at("", f"human:elo=1700,scale={scale}")
        play(session, "e4")
        assert resigns(session) == resigned


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize("text", ["chance 0", "plays on", "no rating", "no network", "chance 1"])
def test_opponents_resign_when_people_of_the_rating_would(monkeypatch, text):
    asked = []

    def chance(rating, chances):
        asked.append((rating, chances))
        return 1.0 if text != "chance 0" else 0.0

    monkeypatch.setattr(resigning, "resign_chance", chance)
    values = [] if text == "no network" else [0.2, 0.6, 0.9]
    monkeypatch.setattr(Session, "values", lambda self: values)
    spec = "random" if text == "no rating" else "human:elo=1700"
    session = chess_at("", spec, plays_on=text == "plays on")
    play(session, "e4 e5")  # and then White, the person, moves
    session.push(session.legal[0])
    values += [0.98] if values else []
    assert resigns(session) == (text == "chance 1")
    if text == "chance 1":
        assert asked == [(1700.0, pytest.approx([0.2, 0.01]))], "at its own turns"


@pytest.mark.usefixtures("without_network")
def test_even_resigns_as_people_of_the_level_that_it_played_at(monkeypatch):
    asked = []
    monkeypatch.setattr(
        resigning, "resign_chance", lambda rating, chances: asked.append(rating) or 1.0
    )
    monkeypatch.setattr(Session, "values", lambda self: [0.9] * (self.ply + 1))
    session = chess_at("", "even:sims=2")
    play(session, "e4")
    assert not resigns(session), "it has played at no level"
    session.line.cut(1)
    monkeypatch.setattr(Session, "played_at", property(lambda self: 1620.0))
    assert resigns(session)
    assert asked == [1620.0]


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize("accepted", [True, False])
def test_draws_are_agreed_on_where_the_game_has_them(monkeypatch, accepted):
    monkeypatch.setattr(resigning, "accepts_draw", lambda chances, plies: accepted)
    monkeypatch.setattr(Session, "values", lambda self: [0.0])
    session = chess_at("")
    assert session.offer_draw() == accepted
    assert session.over == accepted
    assert not start().offer_draw(), "not in Connect Four"


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize(("mean", "resigned"), [(-0.9, True), (-0.7, False)])
def test_an_opponent_whose_search_sees_chances_plays_on(monkeypatch, mean, resigned):
    """10% is the most with which anybody resigns: a mean value of -0.8."""
    monkeypatch.setattr(resigning, "resign_chance", lambda rating, chances: 1.0)
    monkeypatch.setattr(Session, "values", lambda self: [0.0] * (self.ply + 1))
    session = chess_at("", "sa:sims=1")

    play(session, "e4 e5 d4")
    assert resigns(session, (1 + mean) / 2) == resigned


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize(
    ("how", "lost", "resigned"),
    [
        ({}, 0.95, True),
        ({}, 0.85, False),
        ({"plays_on": True}, 0.95, False),
        ({"disputed": True}, 0.95, False),
        ({"start": "KM[-90]"}, 0.95, False),
    ],
)
def test_a_lost_game_of_go_is_given_up(monkeypatch, how, lost, resigned):
    """At the third own turn at which it is lost, by an opponent without a rating."""

    def values(self, rows):
        return np.full(len(rows), lost)

    monkeypatch.setattr(Session, "_values", values)
    session = go9("A1", **how)
    given_up = [resigns(session)]
    for move in ("C1", "E1"):
        play(session, move)
        given_up.append(resigns(session))
    assert given_up == [False, False, resigned]


@pytest.mark.usefixtures("without_network")
def test_other_games_are_not_given_up_without_a_rating(monkeypatch):
    monkeypatch.setattr(Session, "_values", lambda self, rows: np.full(len(rows), 0.95))
    session = start()
    play(session, "1 2 3 4 5")
    assert not resigns(session)
