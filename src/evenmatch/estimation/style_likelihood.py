"""The likelihood of moves under each style, for games in which no rated people are known.

A style (`search/styles.py`) draws its moves from a policy that one search of the position gives.
So a move's likelihood under every style needs one search. The calibration gives the rating that
each style plays at (`opponents/dials.py`); between two styles the log-likelihood is linear.

People and other programs do not play in a style. A share of moves is taken to be random at every
strength, so that one blunder does not decide. Games of one player are alike beyond the rating
(``ALIKE``). And a player may be stronger or weaker than the style that moves most alike
(``UNLIKE``).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game, States
from evenmatch.progress import Progress, ignore
from evenmatch.search import Evaluator, Plan, Search
from evenmatch.search.styles import between, policies

Floats = NDArray[np.float64]

VERSION = 1  #: of the likelihoods, to be raised with any change of them or of the styles
SLIP = 0.05  #: share of moves taken to be random at every strength, as `even` has it
ALIKE = 0.3
"""How alike the moves of two games of one player are beyond the rating, an intraclass correlation:
a guess that is not measured yet."""
UNLIKE = 300.0
"""Standard deviation of a player's rating about that of the style that moves most alike, in Elo:
the players of the scale, by the moves of 24 games of Connect Four each, are off by 301 (root mean
square; docs/notes/archive/estimator.md)."""
AT_ONCE = 256  #: positions searched side by side
STEP = 25  #: Elo between ratings of the grid
BEYOND = 300  #: Elo that the grid extends above and below the range of the dial


class JudgedMoves(NamedTuple):
    """Moves to be judged: of n positions."""

    states: States  #: [n, S]
    actions: NDArray[np.intp]  #: [n]


def likelihoods(
    moves: JudgedMoves,
    game: Game,
    evaluator: Evaluator,
    styles: tuple[float, ...],
    simulations: int,
    progress: Progress = ignore,
) -> Floats:
    """Return the log-likelihood of each move under each of L styles, [n, L]."""
    count = len(moves.actions)
    found = np.zeros((count, len(styles)))
    for start in range(0, count, AT_ONCE):
        rows = slice(start, min(start + AT_ONCE, count))
        found[rows] = _of_batch(
            JudgedMoves(moves.states[rows], moves.actions[rows]),
            game, evaluator, styles, simulations,
        )  # fmt: skip
        progress(rows.stop, count)
    return found


def _of_batch(
    moves: JudgedMoves,
    game: Game,
    evaluator: Evaluator,
    styles: tuple[float, ...],
    simulations: int,
) -> Floats:
    trees = np.arange(len(moves.actions))
    search = Search(game, evaluator, trees=len(trees), nodes=simulations + 1)
    search.plant(trees, moves.states, 1 + trees)
    stats = search.run(trees, [Plan(simulations=simulations)] * len(trees))
    return np.stack(
        [
            _logs(
                policies(between(style), stats.priors, stats.visits, stats.legal),
                stats.legal,
                moves.actions,
            )
            for style in styles
        ],
        1,
    )


def _logs(policy: Floats, legal: NDArray[np.bool_], actions: NDArray[np.intp]) -> Floats:
    """Return the log-likelihood of actions [n] by a policy [n, A], some moves being random."""
    chosen = policy[np.arange(len(actions)), actions]
    return np.log((1 - SLIP) * chosen + SLIP / legal.sum(1))


def grid_of(ratings: tuple[float, float]) -> Floats:
    """Return the grid of ratings [G] around those that a dial plays at, in Elo."""
    low, high = ratings
    first = STEP * np.floor((low - BEYOND) / STEP)
    return np.arange(first, high + BEYOND + STEP, STEP)


def on_grid(logs: Floats, ratings: tuple[float, ...], grid: Floats) -> Floats:
    """Return log-likelihoods [..., L] of styles that play at ``ratings`` [L] on a grid, [..., G].

    Beyond the weakest and the strongest style they are constant, because moves do not distinguish
    ratings there.
    """
    places = np.interp(grid, ratings, np.arange(len(ratings)))
    low = np.minimum(places.astype(int), len(ratings) - 2)
    share = places - low
    return (1 - share) * logs[..., low] + share * logs[..., low + 1]
