"""The drill of the page's server in a small size, and that it notices what is wrong."""

import shutil

import pytest

pytest.importorskip("starlette", reason="the page needs the extra web")
pytest.importorskip("websockets", reason="the page needs the extra web")

from evenmatch.profiles import Profile
from evenmatch_lab.drills import web_kills, web_seen
from evenmatch_lab.drills.web_seen import Seen


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a drill of a few games, the games, and what was seen."""
    folder = tmp_path_factory.mktemp("drill")
    return folder, *web_kills.drill(2, 1, folder, quick=True)


def test_nothing_is_lost_by_kills(played):
    _, games, seen = played
    assert web_kills.passed(seen), seen
    assert seen["kills"] > 0
    assert seen["games"] == len(games) >= 2


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("DELETE FROM game WHERE ended IS NOT NULL", "finished games missing"),
        ("DELETE FROM move WHERE ply = 3", "finished games that differ"),
        ("UPDATE move SET mark = 'hint' WHERE ply = 3", "finished games that differ"),
        ("UPDATE game SET result = (result + 2) % 3 - 1", "finished games that differ"),
        (
            "INSERT INTO game SELECT NULL, kind, number, person, opponent, side, seed, start, "
            "seen, hints, forgets, plays_on, disputed, pace, clock, begun, changed, ended, "
            "result, ending, level, score, counts, imported FROM game LIMIT 1",
            "games that nobody began",
        ),
    ],
)
def test_what_is_wrong_in_the_profile_is_noticed(played, tmp_path, sentence, wrong):
    folder, games, seen = played
    shutil.copytree(folder / "state", tmp_path / "state")
    with Profile(tmp_path / "state").together() as connection:
        connection.execute(sentence)
    found = web_kills.compared(tmp_path / "state", games, unanswered=0)
    assert found[wrong] > 0
    assert not web_kills.passed(seen | found)


# -- what may follow from what a browser saw -------------------------------------------------------


MARKED = {"!": "hint", "?": "retry"}


def state(*moves: str, seq: int = 10, left: float = 60.0, **more):
    """A state in which the first player sees these moves; "x!" and "x?" are marked."""
    told = [
        {
            "text": text.rstrip("!?"),
            "side": 1 if ply % 2 == 0 else -1,
            "mark": MARKED.get(text[-1], ""),
        }
        for ply, text in enumerate(moves)
    ]
    clock = {"left": {"1": left, "-1": 60.0}, "increment": 2.0}
    usual = {"table": 1, "game": "go9", "side": 1, "over": None, "clock": clock}
    return usual | {"seq": seq, "moves": told} | more


def faults(before, after, asked=None, furthest=None):
    """What is wrong with a state after another, before which something was asked."""
    game = Seen(1, "go9")
    if furthest is not None:
        game.take(furthest)
        game.ask({"do": "undo"})
    game.take(before)
    if asked is not None:
        game.ask(asked)
    game.take(after)
    return game.wrong


MOVE = {"do": "move", "move": "c"}


@pytest.mark.parametrize(
    ("after", "asked"),
    [
        (state("a", "b", seq=11), None),
        (state("a", "b", seq=11), MOVE),
        (state("a", "b", "c", seq=11), MOVE),
        (state("a", "b", "c", "d", seq=11), MOVE),
        (state("a", "b", "c", seq=11, left=61.9), MOVE),  # with the increment
        (state(seq=11), {"do": "undo"}),
        (state("a", "b", "pass", "d", seq=11), {"do": "pass"}),
    ],
)
def test_what_may_follow(after, asked):
    assert faults(state("a", "b"), after, asked) == []


@pytest.mark.parametrize(
    ("after", "asked", "wrong"),
    [
        (state("a", seq=11), None, web_seen.MISSING),
        (state("a", "x", seq=11), None, web_seen.MISSING),
        (state("a", "b!", seq=11), None, web_seen.MISSING),
        (state("a", "b", "c", seq=11), None, web_seen.UNASKED),
        (state("a", "b", "x", seq=11), MOVE, web_seen.UNASKED),
        (state("a", "b", "c", "d", "c", seq=11), MOVE, web_seen.UNASKED),
        (state("a", "b", "c!", seq=11), MOVE, web_seen.MARKS),
        (state("a", "b", seq=11, left=90.0), None, web_seen.CLOCKS),
        (state("a", "b", seq=11, left=20.0), None, web_seen.CLOCKS),
        (state("a", "b", seq=11, clock=None), None, web_seen.CLOCKS),
        (state("a", "b", seq=9), None, web_seen.NUMBERS),
        (state("a", "b", seq=11, side=-1), None, web_seen.GAMES),
        (state("a", seq=11), {"do": "undo"}, web_seen.MISSING),
    ],
)
def test_what_may_not_follow(after, asked, wrong):
    assert wrong in faults(state("a", "b"), after, asked)


def test_a_move_in_place_of_one_taken_back_is_marked():
    before, furthest = state(seq=11), state("a", "b")
    asked = {"do": "move", "move": "c"}
    assert faults(before, state("c?", seq=12), asked, furthest) == []
    assert faults(before, state("c", seq=12), asked, furthest) == [web_seen.MARKS]


def test_games_without_an_end_fail_the_drill(played):
    _, _, seen = played
    for name in web_kills.LOSSES:
        assert not web_kills.passed(seen | {name: 1})
    assert not web_kills.passed(seen | {"games interrupted": 0})
