"""The rules of Go beside OpenSpiel's and GNU Go's, position by position in random games."""

import random
import shutil
import subprocess

import numpy as np
import pytest

from evenmatch.games.go import Go
from evenmatch.games.go.text import point_text

GNUGO = shutil.which("gnugo")
RULES = ["--mode", "gtp", "--chinese-rules", "--positional-superko", "--forbid-suicide"]
LONGEST = 480  #: plies; GNU Go remembers 500 positions


def random_action(legal, rng):
    """Draw a point, and now and then the pass."""
    return rng.choice(legal[:-1]) if len(legal) > 1 and rng.random() >= 0.02 else legal[-1]


@pytest.mark.parametrize(("size", "positions"), [(4, 1500), (9, 1000), (19, 200)])
def test_openspiel_has_the_same_moves_and_winners(size, positions):
    """Its games end where a position repeats; ours forbid that move."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel absent: pip install evenmatch[test]")
    game, rng = Go(size), random.Random(size)
    spiel = pyspiel.load_game(f"go(board_size={size},komi=7.5,max_game_length={game.max_plies})")
    flip = np.append(np.arange(size * size).reshape(size, size)[::-1].ravel(), size * size)
    while positions > 0:
        theirs, state = spiel.new_initial_state(), game.start(komi=7.5)[None]
        while not theirs.is_terminal():
            positions -= 1
            ours = game.legal_actions(state)[0].tolist()
            legal = {int(flip[action]) for action in theirs.legal_actions()}
            assert legal >= set(ours)
            for action in legal - set(ours):
                assert theirs.child(int(flip[action])).is_terminal()
            action = random_action(ours, rng)
            theirs.apply_action(int(flip[action]))
            state = game.after(state, [action])
        assert not len(game.legal_actions(state)[0])
        assert np.sign(game.lead(state)[0]) == theirs.returns()[0]


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
@pytest.mark.parametrize(("size", "seed"), [(5, 1), (5, 2), (9, 3)])
def test_gnugo_has_the_same_stones_captures_and_moves(size, seed):
    game, rng = Go(size), random.Random(seed)
    names = [point_text(point, size) for point in range(game.points + 1)]
    state, ours, commands = game.initial(), [], [f"boardsize {size}", "clear_board"]
    while len(ours) < LONGEST and len(legal := game.legal_actions(state)[0].tolist()):
        stones = game.stones(state)[0]
        black, white = ({names[p] for p in np.flatnonzero(stones == side)} for side in (1, -1))
        points = {names[action] for action in legal if action < game.points}
        ours.append((black, white, *game.captures(state)[0].tolist(), points))
        side, action = ("white" if len(ours) % 2 == 0 else "black"), random_action(legal, rng)
        commands += [
            "list_stones black", "list_stones white", "captures black", "captures white",
            f"all_legal {side}", f"play {side} {names[action]}",
        ]  # fmt: skip
        state = game.after(state, [action])
    done = subprocess.run(
        [GNUGO, *RULES], input="\n".join([*commands, "quit\n"]), capture_output=True, text=True
    )
    answers = [answer.strip().split()[1:] for answer in done.stdout.split("\n\n")][2:]
    for at, (black, white, by_black, by_white, points) in enumerate(ours):
        theirs = answers[6 * at : 6 * at + 5]
        assert [set(theirs[0]), set(theirs[1])] == [black, white]
        assert [int(theirs[2][0]), int(theirs[3][0])] == [by_black, by_white]
        assert set(theirs[4]) == points
