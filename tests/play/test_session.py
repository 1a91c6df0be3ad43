"""A game in progress: moves, undo, hints, resuming, a rematch."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from small_sessions import go9, play, start

from evenmatch.errors import MoveError, StateError
from evenmatch.games import GAMES
from evenmatch.opponents import Decision, dials
from evenmatch.opponents.controller import NEW
from evenmatch.play.played_game import End
from evenmatch.play.saved import Saved
from evenmatch.play.session import Session


@pytest.mark.usefixtures("without_network")
def test_undo_takes_back_own_move_and_reply():
    session = start()
    assert not session.undo()
    play(session, "4 3 5")  # the person, the reply, the person
    session.reply()
    assert session.undo()
    assert [session.text(ply) for ply in range(session.ply)] == ["4", "3"]
    assert session.undo()
    assert session.ply == 0
    second = start(side=-1)
    second.reply()
    assert not second.undo()  # the opponent's opening move stays
    play(second, "4")
    second.reply()
    assert second.undo()
    assert second.ply == 1


@pytest.mark.usefixtures("without_network")
def test_undo_goes_back_beyond_a_pass():
    game = GAMES["othello6"]
    rng = np.random.default_rng(0)
    while True:  # a random game until the person (who moves first) has to pass
        session = start("othello6")
        while not session.over and session.forced_pass is None:
            session.push(int(rng.choice(session.legal)))
        if not session.over and session.yours:
            break
    session.push(session.forced_pass)
    assert session.undo()
    assert session.yours
    assert session.forced_pass is None
    assert game.action_text(session.state, session.legal[0]) != "pass"


@pytest.mark.usefixtures("without_network")
def test_replies_repeat_after_undo_and_resume():
    session = start(side=-1, opponent="mcts:sims=20")
    moves = []
    for text in ("4", "4", "3"):
        moves.append(session.reply())
        play(session, text)
    moves.append(session.reply())
    assert session.undo()
    play(session, "3")
    assert session.reply() == moves[-1]
    resumed = Session.resumed(session.saved)
    assert resumed.actions == session.actions
    assert (resumed.state == session.state).all()


@pytest.mark.parametrize("opponent", ["even:sims=8", "intra:sims=8"])
def test_what_the_opponent_learned_in_this_game_survives_resume_and_undo(opponent):
    """With the shipped network; what the opponent knows is compared number for number."""

    def held(session):
        states = session.saved.states
        return states[max(states, key=int)]

    live = start(side=-1, opponent=opponent)
    seen = []
    for text in ("4", "4", "3"):
        live.reply()
        seen.append(held(live))
        play(live, text)
    live.reply()
    assert seen[1] != seen[2]
    assert held(Session.resumed(live.saved)) == held(live)
    assert live.undo()
    assert held(live) == seen[-1]


@pytest.mark.usefixtures("without_network")
def test_moves_that_are_not_the_person_s_are_marked():
    session = start()
    session.push(3, "given")
    session.push(3, "given")
    session.move(0)
    session.push(1)
    session.ask_hint().then(Decision(2, NEW))
    session.move(2)  # the hint
    session.push(1)
    session.ask_hint().then(Decision(2, NEW))
    session.move(4)  # another move than the hint
    assert session.marks == ["given", "given", "", "", "hint", "", ""]
    assert session.undo()
    session.move(5)
    session.push(1)
    assert session.undo()
    assert session.undo()
    for action in (5, 5, 5, 1, 6):
        session.move(action) if session.yours else session.push(action)
    assert session.marks == ["given", "given", "", "", "retry", "", "retry", "", ""]
    again = Session.resumed(session.saved)
    assert again.saved == session.saved


@pytest.mark.usefixtures("without_network")
def test_a_hint_is_not_forgotten():
    """Not by leaving the game, and not by taking moves back."""
    session = start()
    session.move(0)
    session.push(1)
    session.ask_hint().then(Decision(2, NEW))
    again = Session.resumed(session.saved)
    again.move(2)
    assert again.marks[-1] == "hint"
    assert session.undo()
    session.move(0)
    session.push(1)
    session.move(2)
    assert session.marks == ["retry", "", "hint"]


@pytest.mark.usefixtures("without_network")
def test_moves_given_are_not_taken_back():
    session = start()
    session.push(3, "given")
    session.push(3, "given")
    assert not session.undo()
    session.move(1)
    assert session.undo()
    assert session.actions == [3, 3]
    session.move(2)
    session.rematch(7)
    assert (session.actions, session.marks, session.side) == ([3, 3], ["given"] * 2, -1)


class Notes(dict):
    """A store in memory."""

    def recall(self, game_id, spec, person):
        return self.get((game_id, spec, person), {})

    def learn(self, game_id, spec, person, learned, forget=False):
        key = game_id, spec, person
        self[key] = learned({} if forget else self.get(key, {}))

    def forget(self, game_id, spec, person):
        self.pop((game_id, spec, person), None)


def remembered(store, spec, result, side=1):
    """Play a move each, end with a result for the person, and return what is remembered."""
    session = Session(GAMES["connect4"], spec, side, 1, "Ada", store=store)
    if side < 0:
        session.reply()
    session.move(3)
    session.reply()
    session.end = End.YOU_RESIGNED if result < 0 else End.OPPONENT_RESIGNED
    session.finish()
    return store.recall("connect4", spec, "Ada")


@pytest.mark.usefixtures("without_network")
def test_opponents_remember_people_from_game_to_game():
    store = Notes()
    assert remembered(store, "inter:sims=4", -1) == {"z": -0.375, "games": 1}
    assert remembered(store, "inter:sims=4", 1)["games"] == 2
    again = Session(GAMES["connect4"], "inter:sims=4", 1, 2, "Ada", store=store)
    assert again.recognised
    assert not Session(GAMES["connect4"], "inter:sims=4", 1, 2, "Bob", store=store).recognised
    forgetting = Session(GAMES["connect4"], "inter:sims=4", 1, 2, "Ada", store=store, forgets=True)
    assert not forgetting.recognised
    assert store.recall("connect4", "inter:sims=4", "Ada"), "until the first move"
    forgetting.move(3)
    assert not store.recall("connect4", "inter:sims=4", "Ada")


@pytest.mark.usefixtures("without_network")
def test_somebody_is_recognised_in_a_rematch():
    session = Session(GAMES["connect4"], "inter:sims=4", 1, 2, "Ada", store=Notes())
    assert not session.recognised
    session.move(3)
    session.reply()
    session.end = End.YOU_RESIGNED
    session.finish()
    session.rematch(3)
    assert session.recognised


@pytest.mark.usefixtures("without_network")
def test_who_was_chosen_by_the_profile_remembers_nothing_itself():
    """Neither in a store nor from game to game; the next opponent may be another."""
    store, spec = Notes(), "inter:sims=4"
    assert remembered(store, spec, -1)["games"] == 1
    before = dict(store)
    for place in (store, None):
        session = Session(GAMES["connect4"], spec, 1, 1, "Ada", store=place, by_profile=True)
        assert not session.recognised
        session.move(3)
        session.reply()
        resumed = Session.resumed(session.saved, place)
        assert resumed.by_profile
        resumed.end = End.YOU_RESIGNED
        resumed.finish()
        resumed.rematch(2)
        assert (resumed.by_profile, resumed._at.memory) == (True, {})
    assert store == before
    resumed.rematch(3, "random")
    assert not resumed.by_profile


@pytest.mark.usefixtures("without_network")
def test_the_levels_of_even_go_with_the_moves(tmp_path, monkeypatch):
    """They are taken back, saved and resumed like those."""
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    session = start(opponent="even:sims=2")
    assert session.path is None
    seen = []
    for column in (3, 3, 2):
        session.move(column)
        session.reply()
        seen.append(session.path)
    assert len({path.last for path in seen}) > 1
    assert {path.first for path in seen} == {seen[0].last}
    saved = Saved(**json.loads(json.dumps(asdict(session.saved))))
    resumed = Session.resumed(saved)
    for path in reversed(seen):
        assert session.path == resumed.path == path
        assert session.undo()
        assert resumed.undo()
    assert session.path is None


@pytest.mark.usefixtures("without_network")
def test_two_games_against_one_person_both_count():
    store, spec = Notes(), "inter:sims=4"
    games = [Session(GAMES["connect4"], spec, 1, 1, "Ada", store=store) for _ in range(2)]
    for session in games:
        session.move(3)
        session.end = End.YOU_RESIGNED
    for session in games:
        session.finish()
    assert store.recall("connect4", spec, "Ada")["games"] == 2


@pytest.mark.usefixtures("without_network")
def test_a_memory_that_cannot_be_used():
    store = Notes({("connect4", "inter:sims=4", "Ada"): {"z": "high", "games": 1}})
    with pytest.raises(StateError, match=r"cannot be used: .*; start again with --forget"):
        Session(GAMES["connect4"], "inter:sims=4", 1, 2, "Ada", store=store)


def test_a_saved_game_keeps_its_calibration(tmp_path, monkeypatch):
    """`evenmatch calibrate` in between changes new games alone."""
    monkeypatch.setenv("EVENMATCH_STATE", str(tmp_path))
    live = start(opponent="style:elo=1500")
    live.move(3)
    live.reply()
    saved = Saved(**json.loads(json.dumps(asdict(live.saved))))
    own = replace(
        live._resolved.curve, ratings=tuple(x + 300 for x in live._resolved.curve.ratings)
    )
    own.save(dials.own_curve_path("connect4", "style"))
    assert Session.resumed(saved)._resolved == live._resolved
    assert start(opponent="style:elo=1500")._resolved.curve == own


def test_a_saved_game_with_an_illegal_move():
    saved = Saved(game="connect4", opponent="random", side=1, seed=0, actions=(0,) * 7)
    with pytest.raises(MoveError, match="illegal move at ply 7"):
        Session.resumed(saved)


@pytest.mark.usefixtures("without_network")
def test_rematch_swaps_sides():
    session = start()
    play(session, "1 2")
    session.rematch(5)
    assert (session.side, session.seed, session.ply) == (-1, 5, 0)
    session.reply()


@pytest.mark.usefixtures("without_network")
def test_who_plays_on_does_so_from_before_the_passes():
    session = go9("D4 E5 pass pass")
    session.play_on()
    assert [session.text(ply) for ply in range(session.ply)] == ["D4", "E5"]
    assert not session.over
    assert Session.resumed(session.saved).disputed
    session.rematch(2)
    assert not session.disputed


@pytest.mark.usefixtures("without_network")
def test_a_given_pass_that_was_taken_back_is_there_in_the_next_game():
    session = go9("D4 E5 pass")
    session.line.marks[:] = ["given"] * 3
    session.push(session.legal[-1])
    session.play_on()
    assert session.ply == 2
    session.rematch(2)
    assert [session.text(ply) for ply in range(session.ply)] == ["D4", "E5", "pass"]
    assert session.given == 3


@pytest.mark.usefixtures("without_network")
def test_a_pass_that_somebody_chose_is_a_move():
    session = go9("pass D4")
    assert session.begun
    assert session.undo()
    assert session.ply == 0
