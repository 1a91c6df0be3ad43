"""Lines of games: positions, actions, what lines of one game share."""

import numpy as np
import pytest

from evenmatch.games import GAMES
from evenmatch.games.line import GIVEN, ROOM, Line


def random_line(name: str, seed: int = 1) -> Line:
    rng, line = np.random.default_rng(seed), Line(GAMES[name])
    while line.legal and line.ply < 2 * ROOM + 9:
        line.push(int(rng.choice(line.legal)))
    return line


@pytest.mark.parametrize("name", GAMES)
def test_positions_are_those_of_the_game(name):
    line, game = random_line(name), GAMES[name]
    states = game.initial()
    for ply, action in enumerate(line.actions):
        assert (line.states[ply] == states[0]).all()
        assert line.first(ply).side == int(game.to_play(states)[0])
        states = game.after(states, [action])
    assert (line.state == states[0]).all()
    assert len(line.states) == line.ply + 1


def test_lines_that_part_do_not_change_each_other():
    """Each goes on in its own way from what they share; the first to go on keeps the arrays."""
    whole = random_line("chess")
    one = whole.first(20)
    assert np.shares_memory(one.states, whole.states)
    before = whole.states.copy()
    two = whole.first(20)
    one.push(one.legal[0])
    two.push(two.legal[-1])
    assert (whole.states == before).all()
    assert (one.states[:21] == two.states[:21]).all()
    assert (one.state != two.state).any()


def test_a_line_that_goes_on_copies_nothing():
    line = Line(GAMES["othello"])
    arrays = line.states
    for _ in range(40):
        line.push(line.legal[0])
        assert np.shares_memory(arrays, line.states)


def test_a_cut_line_goes_on_otherwise():
    line = random_line("connect4")
    line.cut(3)
    assert (line.ply, len(line.marks), len(line.states)) == (3, 3, 4)
    line.push(line.legal[0], "hint")
    assert line.marks[3] == "hint"
    assert line.common(random_line("connect4").actions) >= 3


def test_moves_are_written_as_they_are_now():
    """Also where a move was taken back for another, and in lines that go on otherwise."""
    line, chess = Line(GAMES["chess"]), GAMES["chess"]
    for word in ("e4", "e5", "Nf3"):
        line.push(chess.read_action(line.state, word))
    assert [line.text(ply) for ply in range(3)] == ["e4", "e5", "Nf3"]
    other = line.first(1)
    other.push(chess.read_action(other.state, "c5"))
    assert [other.text(ply) for ply in range(2)] == ["e4", "c5"]
    line.cut(2)
    line.push(chess.read_action(line.state, "Bc4"))
    assert [line.text(ply) for ply in range(3)] == ["e4", "e5", "Bc4"]


def test_a_line_after_plies_that_are_not_known():
    line = random_line("othello").first(4)
    after = line.after_unknown(3)
    assert after.ply == 7
    assert after.actions == [-1] * 3 + line.actions
    assert after.marks[:3] == [GIVEN] * 3
    assert (after.states[:4] == line.states[0]).all()
    after.push(after.legal[0])
    assert (after.states[3:8] == line.states).all()
    assert line.ply == 4
