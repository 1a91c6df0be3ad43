import numpy as np
import pytest

from evenmatch.errors import MoveError
from evenmatch.games import GAMES
from evenmatch.players import Player
from evenmatch.search.evaluator import Evaluation
from evenmatch.sessions import resigning
from evenmatch.sessions import session as module
from evenmatch.sessions.saved import Saved
from evenmatch.sessions.seat import Seat
from evenmatch.sessions.session import End, Session, evenness


class Optimist:
    """An evaluator that gives every side to move the value 0.5."""

    def __init__(self, game):
        self.game = game

    def evaluate(self, states, request=None):
        n = len(states)
        return Evaluation(
            np.zeros((n, self.game.num_actions), np.float32), np.full(n, 0.5, np.float32)
        )


@pytest.fixture
def with_network(monkeypatch):
    monkeypatch.setattr(module, "_judge", lambda networks, opponent: Optimist(networks.game))


@pytest.fixture
def without_network(monkeypatch):
    monkeypatch.setattr(module, "_judge", lambda game, opponent: None)


def play(session, moves):
    for text in moves.split():
        session.push(session.game.read_action(session.state, text))


def start(game="connect4", side=1, opponent="random"):
    return Session(GAMES[game], opponent, side, 1)


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


@pytest.mark.parametrize("opponent", ["even:sims=8,looks=2", "intra:sims=8"])
def test_what_the_opponent_learned_in_this_game_survives_resume_and_undo(opponent):
    """With the shipped network; what controllers hold is compared number for number."""

    def held(session):
        controller = session._seat.player.controller(0)
        if opponent.startswith("even"):
            return controller.belief.log_weights.tolist()
        return [controller.dial.z]

    live = start(side=-1, opponent=opponent)
    seen = []
    for text in ("4", "4", "3", "1"):
        live.reply()
        seen.append(held(live))
        play(live, text)
    live.reply()
    assert seen[1] != seen[2]
    assert held(Session.resumed(live.saved)) == held(live)
    assert live.undo()
    assert held(live) == seen[-1]


@pytest.mark.usefixtures("without_network")
def test_moves_that_are_not_the_person_s_are_marked(monkeypatch):
    session = start()
    session.push(3, "given")
    session.push(3, "given")
    session.move(0)
    session.push(1)
    monkeypatch.setattr(Session, "_ask", lambda self, seat: 2)
    session.hint()
    session.move(2)  # the hint
    session.push(1)
    session.hint()
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
def test_a_hint_is_not_forgotten(monkeypatch):
    """Not by leaving the game, and not by taking moves back."""
    monkeypatch.setattr(Session, "_ask", lambda self, seat: 2)
    session = start()
    session.move(0)
    session.push(1)
    session.hint()
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


def test_given_moves_teach_the_same_live_and_resumed():
    """With the shipped network: the first own move after them counts, and they do not."""
    live = start(side=1, opponent="even:sims=8,looks=2")
    before = live._seat.player.controller(0).belief.log_weights.copy()
    for action in (3, 3):
        live.push(action, "given")
    live.move(0)
    live.reply()
    odds = live._seat.player.controller(0).belief.log_weights
    assert not np.allclose(odds, before)
    resumed = Session.resumed(live.saved)
    assert np.allclose(resumed._seat.player.controller(0).belief.log_weights, odds)


@pytest.mark.usefixtures("without_network")
def test_opponents_of_another_scale_do_not_resign(monkeypatch):
    monkeypatch.setattr(resigning, "resign_chance", lambda rating, chances: 1.0)
    monkeypatch.setattr(Session, "values", lambda self: [0.0] * (self.ply + 1))
    for scale, resigned in (("fide", False), ("lichess-rapid", True)):
        session = chess_at("", f"human:elo=1700,scale={scale}")
        play(session, "e4")
        assert session.resigns() == resigned


class Watched(Player):
    """A player that notes which actions it is told were their mover's own, and the result."""

    def __init__(self, reply=0):
        self.reply, self.own, self.results = reply, [], []

    def begin(self, games, sides, seed):
        pass

    def choose(self, turns):
        self.own = turns.own[0].tolist()
        return np.array([self.reply])

    def finish(self, game, result):
        self.results.append(result)


@pytest.mark.usefixtures("without_network")
def test_opponents_are_told_whose_moves_they_are():
    session = start()
    watched = Watched()
    session._seat = Seat(watched)
    session._seat.begin(session.line, -1, 1)
    session.push(3, "given")
    session.push(3, "given")
    session.move(1)
    session.reply()
    assert watched.own == [False, False, True, True]


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
    monkeypatch.setattr(module, "_judge", lambda game, opponent: None)
    monkeypatch.setattr(Session, "value", lambda self: value)
    session = start()
    session._seat.player = Watched()
    session.push(3, marks[0])
    session.push(3)
    session.push(2, marks[1])
    session.end = end
    session.finish()
    assert session._seat.player.results == [taught]


def chess_at(fen, opponent="human:elo=1500", **how):
    return Session(GAMES["chess"], opponent, 1, 3, start=fen, **how)


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
    assert session.resigns() == (text == "chance 1")
    assert (session.end is End.OPPONENT_RESIGNED) == (text == "chance 1")
    if text == "chance 1":
        assert asked == [(1700.0, pytest.approx([0.2, 0.01]))], "at its own turns"


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize("accepted", [True, False])
def test_draws_are_agreed_on_where_the_game_has_them(monkeypatch, accepted):
    monkeypatch.setattr(resigning, "accepts_draw", lambda chances, plies: accepted)
    monkeypatch.setattr(Session, "values", lambda self: [0.0])
    session = chess_at("")
    assert session.offer_draw() == accepted
    assert session.over == accepted
    assert not start().offer_draw(), "not in Connect Four"


def test_a_saved_game_with_an_illegal_move():
    saved = Saved(game="connect4", opponent="random", side=1, seed=0, actions=(0,) * 7)
    with pytest.raises(MoveError, match="illegal move at ply 7"):
        Session.resumed(saved)


@pytest.mark.usefixtures("with_network")
def test_values_are_the_persons():
    session = start(side=-1)
    play(session, "1 2 1")
    assert session.values() == [-0.5, 0.5, -0.5, 0.5]
    play(session, "2 1 2 1")
    assert session.value() == -1  # lost, whatever the network says
    assert session.hint is not None


@pytest.mark.usefixtures("without_network")
def test_no_network_no_values():
    session = start()
    assert session.value() is None
    assert session.values() == []


@pytest.mark.usefixtures("without_network")
def test_rematch_swaps_sides():
    session = start()
    play(session, "1 2")
    session.rematch(5)
    assert (session.side, session.seed, session.ply) == (-1, 5, 0)
    session.reply()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "even"),
        (-0.19, "even"),
        (0.3, "you are a little ahead"),
        (-0.6, "bob is ahead"),
        (1.0, "you are winning"),
    ],
)
def test_evenness(value, words):
    assert evenness(value, "bob") == words


@pytest.mark.parametrize(("mean", "resigned"), [(-0.9, True), (-0.7, False)])
def test_an_opponent_whose_search_sees_chances_plays_on(monkeypatch, mean, resigned):
    """10% is the most with which anybody resigns: a mean value of -0.8."""
    monkeypatch.setattr(module, "_judge", lambda game, opponent: None)
    monkeypatch.setattr(resigning, "resign_chance", lambda rating, chances: 1.0)
    monkeypatch.setattr(Session, "values", lambda self: [0.0] * (self.ply + 1))
    session = chess_at("", "sa:sims=1")

    def ask(self, seat):
        seat.expects = (1 + mean) / 2

    monkeypatch.setattr(Session, "_ask", ask)
    play(session, "e4 e5 d4")
    assert session.resigns() == resigned


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

    monkeypatch.setattr(module, "_judge", lambda networks, opponent: None)
    monkeypatch.setattr(Session, "_values", values)
    session = go9("A1", **how)
    given_up = [session.resigns()]
    for moves in ("B1 C1", "D1 E1"):
        play(session, moves)
        given_up.append(session.resigns())
    assert given_up == [False, False, resigned]
    assert (session.end is End.OPPONENT_RESIGNED) == resigned


def test_other_games_are_not_given_up_without_a_rating(monkeypatch):
    monkeypatch.setattr(module, "_judge", lambda networks, opponent: None)
    monkeypatch.setattr(Session, "_values", lambda self, rows: np.full(len(rows), 0.95))
    session = start()
    play(session, "1 2 3 4 5")
    assert not session.resigns()


# -- the score of a game of area -----------------------------------------------------------------


def go9(moves, side=1, **how):
    session = Session(GAMES["go9"], "random", side, 1, **how)
    play(session, moves)
    return session


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


@pytest.mark.usefixtures("without_network")
def test_the_agreed_result_is_taught(monkeypatch):
    heard = []
    monkeypatch.setattr(Player, "finish", lambda self, game, result: heard.append(result))
    session = go9("D4 pass pass")
    session.agree()
    session.finish()
    with_handicap = go9("pass pass", start="KM[0.5]AB[dd]PL[W]")
    with_handicap.agree()
    with_handicap.finish()
    assert heard == [-1.0, None], "a game that began otherwise tells nothing of a person's strength"
