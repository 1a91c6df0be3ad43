"""Minimax1 and Minimax2, the depth-limited baselines of Fujita 2022 ('Minimax algorithm').

All positions of a batch are searched together, level by level: expand every position, judge
the leaves with one compiled call, fold minima and maxima back. The rules stay in the game,
the knowledge of it in ``EVALUATIONS``. Scores are for the minimax player, the side to move
at the root, and are not values in [-1, 1].

A run is two or three equal discs in a row, column or diagonal that extend no further to
either side: three in a row count as one run of three and no run of two. Whether a run can
still grow to four does not matter.

Where the paper and the authors' code disagree, this is what happens here:

=========================  =======================  ====================  ================
subject                    paper                    authors' code         here
=========================  =======================  ====================  ================
Connect4 Minimax1 runs     R, R^2, R = 100          100, 10000            100, 10000
Connect4 Minimax2 runs     R, R^2, R = 2            100, 200              the code's
Connect4 terminal          R^3                      1000000               the code's
Othello, 6 or fewer empty  to the terminal nodes    six plies             the paper's
backup                     min and max in turn      min over all leaves   ``worst_leaf``
=========================  =======================  ====================  ================

The published numbers come from the code. For Minimax2 both sets of weights order unfinished
boards alike, two to one, but R^3 = 8 is no more than two runs of three, so that the paper's
Minimax2 would give up a win for runs; a terminal score of 1000000 is beyond any sum of runs.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import SpecError, UsageError
from evenmatch.games.bits import allocating, inlined
from evenmatch.games.game import Game, States, expand

BLOCK = 1 << 14  # positions handled at a time: their planes fit a processor's cache
DEEPEST = 12  # plies: one more takes several times as long, and 12 take hours on Othello


class StaticEvaluation(Protocol):
    """Scores boards without search."""

    @property
    def terminal(self) -> float:
        """Score of a won position; a lost one has its negative, a draw 0."""

    @property
    def endgame(self) -> int:
        """Roots with at most this many empty cells are searched to the end of the game."""

    def score(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return scores [M] of boards [M, H, W] for the first player."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Discs:
    """Sum of cell weights, the first player's discs less the second's; eq. 13."""

    table: NDArray[np.float64]  #: [H, W] v(x, y), eqs. 14 and 15
    terminal: float = 1000.0  #: E_end
    endgame: int = 6  #: empty cells

    def score(self, boards):
        """Return scores [M] of boards [M, H, W] for the first player."""
        return disc_scores(boards, self.table)


@dataclass(frozen=True, kw_only=True)
class Runs:
    """Sum over maximal runs of two and of three discs, the first player's less the second's."""

    two: float = 100.0  #: R
    three: float = 10_000.0  #: R^2
    terminal: float = 1_000_000.0  #: beyond any sum of runs, see the module
    endgame: int = 0  #: empty cells

    def score(self, boards):
        """Return scores [M] of boards [M, H, W] for the first player."""
        return run_scores(boards, np.array([0, 0, self.two, self.three], float))


@allocating
def disc_scores(boards, table):  # [M, H, W], [H, W] -> [M]
    """Return the sums of table * board, eq. 13."""
    scores = np.zeros(len(boards))
    for m in range(len(boards)):
        for row in range(table.shape[0]):
            for column in range(table.shape[1]):
                scores[m] += table[row, column] * boards[m, row, column]
    return scores


@inlined
def runs_along(board, down, right, worth):  # [H, W], step, [4] worth of a run by its length
    """Return the worth of the maximal runs in one direction."""
    height, width = board.shape
    total = 0.0
    for row in range(height):
        for column in range(width):
            disc = board[row, column]
            r, c = row - down, column - right
            if disc == 0 or (r >= 0 and 0 <= c < width and board[r, c] == disc):
                continue  # empty, or not the first of its run
            length, r, c = 1, row + down, column + right
            while r < height and 0 <= c < width and board[r, c] == disc:
                length, r, c = length + 1, r + down, c + right
            if length < len(worth):
                total += disc * worth[length]
    return total


@allocating
def run_scores(boards, worth):  # [M, H, W], [4] worth of a run by its length -> [M]
    """Return the worth of all maximal runs; those longer than three count 0."""
    scores = np.zeros(len(boards))
    for m in range(len(boards)):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            scores[m] += runs_along(boards[m], down, right, worth)
    return scores


def mirrored(*quarter: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the table [2n, 2n] whose top left quarter [n, n] is given."""
    return np.pad(np.array(quarter, float), (0, len(quarter)), "symmetric")


EQ_14 = mirrored((30, -5, 2), (-5, -15, 3), (2, 3, 0))
EQ_15 = mirrored((120, -20, 20, 5), (-20, -40, -5, -5), (20, -5, 15, 3), (5, -5, 3, 3))

#: What each baseline knows, by game id and name.
EVALUATIONS: dict[tuple[str, str], StaticEvaluation] = {
    ("connect4", "minimax1"): Runs(),
    ("connect4", "minimax2"): Runs(two=100.0, three=200.0),
    ("othello6", "minimax1"): Discs(table=EQ_14),
    ("othello6", "minimax2"): Discs(table=np.ones((6, 6))),
    ("othello", "minimax1"): Discs(table=EQ_15),
    ("othello", "minimax2"): Discs(table=np.ones((8, 8))),
}


class Minimax:
    """Looks ``depth`` plies ahead and judges what it sees by a static evaluation.

    ``evaluation`` is a name in ``EVALUATIONS`` or an object of one's own. ``worst_leaf``
    backs up as the authors' code does: each leaf passes its score to all of its ancestors,
    so that a root action is worth its worst leaf, as if the opponent made every later move.
    """

    def __init__(
        self,
        game: Game,
        evaluation: str | StaticEvaluation = "minimax1",
        depth: int = 3,
        *,
        worst_leaf: bool = False,
    ):
        if not 1 <= depth <= DEEPEST:
            raise UsageError(f"depth={depth} is outside [1, {DEEPEST}]; choose one inside")
        self.game = game
        self.evaluation = get_evaluation(game, evaluation)
        self.depth = depth
        self.worst_leaf = worst_leaf

    def choose(self, states: States) -> NDArray[np.intp]:
        """Return the best action of each position [B, S], the first of equals: [B].

        UsageError if a position is terminal.
        """
        scores = self.root_values(states)
        over = np.isneginf(scores).all(1)
        if over.any():
            raise UsageError(f"position {over.argmax()} is terminal; choose for open games")
        return scores.argmax(1)

    def root_values(self, states: States) -> NDArray[np.float64]:
        """Return the score of each root action of positions [B, S]: [B, A], -inf if illegal."""
        scores = np.full((len(states), self.game.num_actions), -np.inf)
        empty = (self.game.board(states) == 0).sum((1, 2))
        late = empty <= self.evaluation.endgame
        for rows, depth in ((~late, self.depth), (late, self.game.max_plies)):
            children, parents, actions = expand(self.game, states[rows])
            players = self.game.to_play(states[rows])[parents]
            found = self._scores(children, players, depth - 1)
            scores[np.flatnonzero(rows)[parents], actions] = found
        return scores

    def _scores(self, states, players, depth):  # [M, S], [M] minimax player, plies -> [M]
        """Score the positions, searched ``depth`` plies deep, for ``players``."""
        if len(states) > BLOCK:
            blocks = [slice(start, start + BLOCK) for start in range(0, len(states), BLOCK)]
            return np.concatenate([self._scores(states[b], players[b], depth) for b in blocks])
        if depth == 0 or len(states) == 0:
            return self._leaf_scores(states, players)
        children, parents, _ = expand(self.game, states)
        below = self._scores(children, players[parents], depth - 1)
        starts = np.flatnonzero(np.diff(parents, prepend=-1))  # the first child of each parent
        inner = np.zeros(len(states), bool)
        inner[parents] = True
        own = (self.game.to_play(states) == players)[inner] & (not self.worst_leaf)
        best, worst = np.maximum.reduceat(below, starts), np.minimum.reduceat(below, starts)
        scores = np.empty(len(states))
        scores[inner] = np.where(own, best, worst)
        scores[~inner] = self._leaf_scores(states[~inner], players[~inner])
        return scores

    def _leaf_scores(self, states, players):  # [M, S], [M] minimax player -> [M]
        """Score the positions as they stand: the outcome, or the static evaluation."""
        over, outcomes = self.game.outcome(states)
        results = outcomes * self.game.to_play(states) * self.evaluation.terminal
        return np.where(over, results, self.evaluation.score(self.game.board(states))) * players


def get_evaluation(game: Game, evaluation: str | StaticEvaluation) -> StaticEvaluation:
    """Return an evaluation by name; SpecError listing the game's if it has none such."""
    if not isinstance(evaluation, str):
        return evaluation
    names = [name for game_id, name in EVALUATIONS if game_id == game.id]
    if not names:
        games = ", ".join(dict.fromkeys(game_id for game_id, _ in EVALUATIONS))
        raise SpecError(f"minimax has no evaluation for {game.id}; it plays {games}")
    if evaluation not in names:
        known = ", ".join(names)
        raise SpecError(f"no evaluation {evaluation!r} for {game.id}; choose one of: {known}")
    return EVALUATIONS[game.id, evaluation]
