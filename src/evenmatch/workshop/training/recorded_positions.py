"""Recorded positions as networks learn from them: replies, results and ratings of one dataset.

Ratings of different sources are not the same: every dataset is a rating scale of its own.
White's first move is a reply too, to nothing. Some positions are shown without the boards before
them, as after a FEN, and of some the rating of who replied is left unknown.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.network.conditions import conditions
from evenmatch.records.record import UNKNOWN_RESULT, chances
from evenmatch.workshop.datasets.dataset import NO_EVAL, Dataset, bands_of
from evenmatch.workshop.networks.fit import NOBODY, Ranked


class Batch(NamedTuple):
    """B positions and what was made of them."""

    planes: NDArray[np.float32]  #: [B, C, H, W]
    actions: NDArray[np.int64]  #: [B] the reply played, seen by its mover; or NOBODY, to learn none
    values: NDArray[np.float32]  #: [B] what the position came to, for the side to move, or NaN
    conditions: NDArray[np.float32]  #: [B, K] the rating of who replied, where it is known
    states: NDArray[np.uint64]  #: [B, S] the positions
    legal: NDArray[np.bool_]  #: [B, A] the moves they allow
    cells: NDArray[np.int64]  #: [B] scale and rating of the mover, hidden or not, as one number
    ranked: Ranked | None = None  #: which of them are ranked, None if none


class Replies(NamedTuple):
    """Positions before recorded moves, not yet as a network sees them."""

    states: NDArray[np.uint64]  #: [K, S]
    actions: NDArray[np.int64]  #: [K] the moves
    results: NDArray[np.float64]  #: [K] what came of the game for its first player, -1 to 1, NaN
    ratings: NDArray[np.int64]  #: [K] of who moved; 0 where it is unknown
    cells: NDArray[np.int64]  #: [K] as in `Batch`


class Source:
    """One dataset, as one rating scale of several."""

    def __init__(
        self,
        dataset: Dataset,
        game: Game,
        *,
        planes: int | None = None,
        scale: int = 0,
        scales: int = 1,
        unknown: float = 0.0,
        bare: float = 0.0,
        judged: float = 0.0,
        turned: bool = False,
    ):
        """``planes`` is the encoding; the dataset is scale number ``scale`` of ``scales``.

        A share ``unknown`` of the ratings is hidden, a share ``bare`` of the positions has no
        history. A share ``judged`` of each value target is the game's eval, where there is one,
        the rest the result. With ``turned`` each position is shown in a symmetry drawn at random.
        """
        self.dataset, self.game, self.scale = dataset, game, scale
        self._scales, self._unknown, self._bare, self._judged = scales, unknown, bare, judged
        self._knots = game_info(game.id).knots
        self._planes = planes or game.planes
        self._encode = game.encoder(self._planes)
        self._turned = turned

    def replies(
        self, games: NDArray[np.int64], plies: NDArray[np.int64], rng: np.random.Generator
    ) -> Replies:
        """Return what was played at ``plies`` [K] of ``games`` [K]."""
        states, actions = self.positions(games, plies)
        ratings = self.dataset.games["ratings"][games, plies % 2].astype(np.int64)
        cells = self._cells(ratings)
        ratings[rng.random(len(ratings)) < self._unknown] = 0
        return Replies(states, actions, self._results(games, plies - 1), ratings, cells)

    def positions(
        self, games: NDArray[np.int64], plies: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the states [K, S] before the moves of some plies, and the actions played [K]."""
        return self.dataset.turns_at(games, plies)

    def shown(self, replies: Replies, rng: np.random.Generator) -> Batch:
        """Return positions as a network sees them."""
        states = replies.states.copy()
        bare = rng.random(len(states)) < self._bare
        states[bare] = self.dataset.codec.bare(states[bare])
        planes = np.empty(
            (len(states), self._planes, self.game.height, self.game.width), np.float32
        )
        self._encode(states, planes)
        values = (replies.results * self.game.to_play(states)).astype(np.float32)
        condition = conditions(replies.ratings, self.scale, self._scales, self._knots)
        legal = self.game.unclaimed_mask(states)
        shown = Batch(planes, replies.actions, values, condition, states, legal, replies.cells)
        return turned(shown, self.game, rng) if self._turned else shown

    def _results(self, games: NDArray[np.int64], plies: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what games [K] are worth after move ``plies`` [K] for the first player, -1 to 1.

        NaN where neither the result is known nor an eval.
        """
        results = self.dataset.games["result"][games].astype(float)
        results[results == UNKNOWN_RESULT] = np.nan
        evals = self.dataset.evals_after(games, plies)
        said = 2 * chances(evals) - 1
        share = np.where(evals == NO_EVAL, 0.0, self._judged)
        return np.where(share == 1, said, (1 - share) * results + share * said)

    def _cells(self, ratings: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a number for the scale and the nearest knot to each rating [n], 0 if unknown."""
        nearest = 1 + np.abs(ratings[:, None] - np.array(self._knots)).argmin(1)
        return self.scale * (1 + len(self._knots)) + np.where(ratings > 0, nearest, 0)


class AnyReplies:
    """Draws moves of the players of one split of a dataset, against any opponents.

    An opponent of another split is met as what came before: none of his moves is a target of the
    policy, though what came of them is one of the value. Bands of 200 Elo are drawn in proportion
    to the square root of their moves, so that the rarest are met often enough and yet seldom twice;
    within a band every move is as likely.
    """

    def __init__(self, source: Source, split: str):
        self._source = source
        chosen = source.dataset.select(split=split)
        rows = source.dataset.games[chosen.games]
        counts = (rows["plies"].astype(np.int64) - chosen.sides + 1) // 2
        fits = counts > 0
        self.sides = 2 * chosen.games[fits] + chosen.sides[fits]
        self._counts = counts[fits]
        ratings = rows["ratings"][np.arange(len(rows)), chosen.sides][fits]
        bands = np.unique(bands_of(ratings), return_inverse=True)[1]
        weights = self._counts / np.sqrt(np.bincount(bands, self._counts))[bands]
        self._ends = np.cumsum(weights)

    def draw(self, count: int, rng: np.random.Generator) -> Batch:
        """Return ``count`` positions, drawn with replacement."""
        picks = np.searchsorted(self._ends, rng.random(count) * self._ends[-1], side="right")
        sides = self.sides[picks]
        plies = 2 * (rng.random(count) * self._counts[picks]).astype(np.int64) + (sides & 1)
        return self._source.shown(self._source.replies(sides >> 1, plies, rng), rng)


def turned(batch: Batch, game: Game, rng: np.random.Generator) -> Batch:
    """Return a batch whose planes, actions and legal moves are each in a random symmetry."""
    cells, actions = game.cell_symmetries, game.action_symmetries
    which = rng.integers(0, len(cells), len(batch.actions))
    flat = batch.planes.reshape(*batch.planes.shape[:2], -1)
    planes = np.take_along_axis(flat, cells[which][:, None], 2).reshape(batch.planes.shape)
    legal = np.take_along_axis(batch.legal, actions[which], 1)
    places = np.argsort(actions, 1)[which, batch.actions]
    played = np.where(batch.actions == NOBODY, NOBODY, places)
    return batch._replace(planes=planes, actions=played, legal=legal)


def joined(batches: list[Batch]) -> Batch:
    """Return one batch of several, without what is said of ranks."""
    columns = list(zip(*batches, strict=True))[:-1]
    return Batch._make([*map(np.concatenate, columns), None])
