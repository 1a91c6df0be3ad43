"""What it costs that `evenmatch uci` with MultiPV plays the first line, not the most visited move.

    python benchmarks/multipv_match.py [--games 200] [--sims 100] [--lines 3] [--seed 1]

The first of several lines is the one with the highest mean of those that were searched about as
long (`frontends/uci/scores.py`). Both players search alike, as the UCI engine does; each pair of
games starts from the same random plies, with colours swapped. The interval is over pairs.
"""

import argparse
from dataclasses import replace
from functools import partial

import numpy as np

from evenmatch.arena import play_match
from evenmatch.frontends.uci.scores import shown_lines
from evenmatch.games import get_game
from evenmatch.players import PLAYERS, SearchPlayer
from evenmatch.players.evaluators import load_evaluator
from evenmatch.players.spec import Key, PlayerKind
from evenmatch.search import Plan, RootStats
from evenmatch.sessions.tree import LEAVES, PLAN
from evenmatch.strength.controller import Fixed

COUNTS = np.zeros(2, int)  # moves of the first player, and those that were not the most visited


class FirstLine(Fixed):
    """Plays the first of some lines."""

    def __init__(self, plan: Plan, lines: int):
        super().__init__(plan)
        self._lines = lines

    def choose(self, root, rng):
        """Return the first line's action."""
        stats = RootStats(
            root.visits[None], root.means[None], root.priors[None], root.legal[None],
            np.array([root.value]), np.zeros((1, len(root.visits))), np.zeros(1, bool),
        )  # fmt: skip
        action = shown_lines(stats, self._lines, root.value, lambda action: False)[0].action
        if self._lines > 1:
            COUNTS[:] += (1, root.visits[action] < root.visits.max())
        return action


def player(game, games, *, sims: int, lines: int) -> SearchPlayer:
    """Return a player that searches as the UCI engine does."""
    make = partial(FirstLine, replace(PLAN, simulations=sims), lines)
    return SearchPlayer(game, games, load_evaluator(game), make, leaves=LEAVES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--sims", type=int, default=100)
    parser.add_argument("--lines", type=int, default=3)
    parser.add_argument("--openings", type=int, default=8, help="random plies")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    keys = {"sims": Key(int, asked.sims, ""), "lines": Key(int, 1, "")}
    PLAYERS["first-line"] = PlayerKind("plays the first of some lines", player, keys)
    specs = f"first-line:lines={asked.lines}", "first-line"
    result = play_match(
        *specs, get_game("chess"), asked.games, seed=asked.seed, openings=asked.openings
    )
    won = [one.result * (1 if one.pairing.first == 0 else -1) for one in result.games]
    pairs = np.array(won).reshape(-1, 2).mean(1) / 2 + 0.5  # [pairs] scores of the first player
    mean, error = pairs.mean(), 1.96 * pairs.std(ddof=1) / np.sqrt(len(pairs))
    score = result.score
    print(f"{asked}: {score.wins} won, {score.draws} drawn, {score.losses} lost")
    print(f"score {mean:.1%}, 95% interval {mean - error:.1%} to {mean + error:.1%}")
    print(f"{COUNTS[1]:,} of {COUNTS[0]:,} moves were not the most visited")


if __name__ == "__main__":
    main()
