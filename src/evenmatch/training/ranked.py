"""Batches of recorded positions with ranks: what Chen et al. 2025, section 3.2, learn from.

For every rank one game of a player of that rank is drawn and ``moves`` of the player's own moves
in it; what is shown is the position *after* the move, so that the strength score rates the move.
The reply that was played there and the game's result are the targets of policy and value; the
rating of who replied is told to networks with conditions.

As in the authors' code the moves of a rank are one player's in one game, where the paper's text
draws them from all of the rank; their games are of two players of a rank, where here the rank is
that of who moved, whoever the opponent.

Ratings of different sources are not the same: every dataset is a rating scale of its own, and only
moves of one dataset are ranked against each other.

White's first move is a reply too, to nothing: Black's games begin one move before they began.
Some positions are shown without the boards before them, as after a FEN.

Games of two players of the split alone are drawn from: else the policy would learn the moves of
people it is to be judged by.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation.ranks import Ranks
from evenmatch.estimation.scorer import answered
from evenmatch.games.chess import Chess
from evenmatch.games.chess_history import without_history
from evenmatch.games.chess_policy import actions_of_moves
from evenmatch.network.conditions import KNOTS, conditions
from evenmatch.network.fit import Ranked
from evenmatch.records.dataset import NO_EVAL, Dataset
from evenmatch.records.evals import chances
from evenmatch.records.record import UNKNOWN_RESULT


class RankedBatch(NamedTuple):
    """B = samples * ranks * moves positions, in this order, the strongest rank first."""

    planes: NDArray[np.float32]  #: [B, C, H, W]
    actions: NDArray[np.int64]  #: [B] the reply played, seen by its mover
    values: NDArray[np.float32]  #: [B] what the position came to, for the side to move
    conditions: NDArray[np.float32]  #: [B, K] the rating of who replied, where it is told
    states: NDArray[np.uint64]  #: [B, S] the positions
    legal: NDArray[np.bool_]  #: [B, A] the moves they allow
    cells: NDArray[
        np.int64
    ]  #: [B] numbers of scale and rating, which is of who replied, told or not
    ranked: Ranked


class Turns(NamedTuple):
    """Own moves of drawn sides."""

    games: NDArray[np.int64]  #: [K]
    plies: NDArray[np.int64]  #: [K] of the own move


class MixedPositions:
    """Draws batches from one split of several datasets, as many samples from each."""

    def __init__(self, datasets: Sequence[Dataset], game: Chess, **settings: Any):
        """``settings`` are those of :class:`RankedPositions`. UsageError as there."""
        count = len(datasets)
        self.parts = [
            RankedPositions(dataset, game, scale=scale, scales=count, **settings)
            for scale, dataset in enumerate(datasets)
        ]

    @property
    def games(self) -> int:
        """How many games are drawn from."""
        return sum(len(np.unique(np.concatenate(part.sides) // 2)) for part in self.parts)

    def draw(self, samples: int, rng: np.random.Generator) -> RankedBatch:
        """Return a batch of ``samples`` times every rank; the first datasets fill up a rest."""
        count = len(self.parts)
        shares = [(samples + count - 1 - i) // count for i in range(count)]
        drawn = [
            part.draw(share, rng) for part, share in zip(self.parts, shares, strict=True) if share
        ]
        if len(drawn) == 1:
            return drawn[0]
        scales = np.concatenate([batch.ranked.scales for batch in drawn])
        arrays = [np.concatenate(rows) for rows in list(zip(*drawn, strict=True))[:-1]]
        return RankedBatch._make([*arrays, drawn[0].ranked._replace(scales=scales)])


class RankedPositions:
    """Draws batches from one split of a dataset."""

    def __init__(
        self,
        dataset: Dataset,
        game: Chess,
        *,
        split: str,
        ranks: Ranks,
        only: Sequence[int] = (),
        moves: int = 7,
        random_rank: bool = False,
        planes: int | None = None,
        scale: int = 0,
        scales: int = 1,
        unknown: float = 0.0,
        bare: float = 0.0,
        judged: float = 0.0,
    ):
        """``only`` some ranks are drawn, if given, in increasing order.

        ``random_rank`` adds r_inf: moves replaced by random ones. ``planes`` is the encoding. The
        dataset is rating scale number ``scale`` of ``scales``; a share ``unknown`` of the
        ratings is not told, a share ``bare`` of the positions has no history. Of a value a share
        ``judged`` is what the game's eval says, where there is one, the rest the result. UsageError
        names a rank without games.
        """
        self.dataset, self.game, self.moves, self.random_rank = dataset, game, moves, random_rank
        self._scale, self._scales, self._unknown, self._bare = scale, scales, unknown, bare
        self._judged = judged
        self._encode = game.encoder(planes or game.planes)
        self._planes = planes or game.planes
        drawn = tuple(only) or range(1, 1 + ranks.count)
        self.sides = [self._long_enough(split, ranks, rank) for rank in drawn]
        for rank, games in zip(drawn, self.sides, strict=True):
            if not len(games):
                raise UsageError(
                    f"no games of players rated {ranks.name(rank)} in split {split}; add some"
                )
        self.ranks = len(self.sides) + random_rank  #: R of the batches

    def _long_enough(self, split: str, ranks: Ranks, rank: int) -> NDArray[np.int64]:
        """Return the sides 2 * game + side of a rank with a result and ``moves`` answered moves.

        Their opponents are of the split too: it is their replies that are learned.
        """
        low = ranks.highest - rank * ranks.width
        chosen = self.dataset.select(split=split, band=(low, low + ranks.width), both=True)
        rows = self.dataset.games[chosen.games]
        fits = answered(rows["plies"], chosen.sides) >= self.moves
        fits &= rows["result"] != UNKNOWN_RESULT
        return 2 * chosen.games[fits] + chosen.sides[fits]

    def draw(self, samples: int, rng: np.random.Generator) -> RankedBatch:
        """Return a batch of ``samples`` times every rank."""
        turns = self._draw_turns(samples, rng)
        states, actions = self._replies(turns.games, turns.plies + 1)
        results = self._results(turns.games, turns.plies)
        ratings = self.dataset.games["ratings"][turns.games, (turns.plies + 1) % 2].astype(int)
        cells = self._cells(ratings)
        ratings[rng.random(len(ratings)) < self._unknown] = 0
        if self.random_rank:
            strange = self._random_moves(samples, turns, rng)
            nothing = np.zeros(samples * self.moves, np.int64)  # targets that do not count
            states = self._joined(samples, states, strange)
            actions, results, ratings, cells = (
                self._joined(samples, x, nothing) for x in (actions, results, ratings, cells)
            )
        bare = rng.random(len(states)) < self._bare
        states[bare] = without_history(states[bare])
        planes = np.empty(
            (len(states), self._planes, self.game.height, self.game.width), np.float32
        )
        self._encode(states, planes)
        values = results * self.game.to_play(states)
        told = conditions(ratings, self._scale, self._scales)
        scales = np.full(samples, self._scale, np.int64)
        shape = Ranked(self.ranks, self.moves, self.random_rank, scales)
        values = values.astype(np.float32)
        legal = self.game.unclaimed_mask(states)
        return RankedBatch(planes, actions, values, told, states, legal, cells, shape)

    def _results(self, games: NDArray[np.int64], plies: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what games [K] after move number ``plies`` [K] are worth for White, -1 to 1."""
        results = self.dataset.games["result"][games].astype(float)
        evals = self.dataset.evals_after(games, plies)
        said = 2 * chances(evals) - 1
        share = np.where(evals == NO_EVAL, 0.0, self._judged)
        return (1 - share) * results + share * said

    def _cells(self, ratings: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a number for the scale and the nearest knot to each rating [n], 0 if unknown."""
        nearest = 1 + np.abs(ratings[:, None] - KNOTS).argmin(1)
        return self._scale * (1 + len(KNOTS)) + np.where(ratings > 0, nearest, 0)

    def _replies(
        self, games: NDArray[np.int64], plies: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the states [K, S] before the moves of some plies, and the actions played [K]."""
        positions = self.dataset.states(games, plies)
        return positions.states, actions_of_moves(positions.states, positions.moves)

    def _draw_turns(self, samples: int, rng: np.random.Generator) -> Turns:
        """Draw for every sample and rank one side and distinct own moves of it."""
        sides = np.array([rng.choice(sides, samples) for sides in self.sides]).T.reshape(-1)
        counts = answered(self.dataset.games["plies"][sides >> 1], sides & 1)
        before = sides & 1  # Black's move before White's first
        chosen = np.concatenate([rng.choice(n, self.moves, replace=False) for n in counts + before])
        of = np.repeat(sides, self.moves)
        return Turns(of >> 1, 2 * (chosen - (of & 1)) + (of & 1))

    def _random_moves(
        self, samples: int, turns: Turns, rng: np.random.Generator
    ) -> NDArray[np.uint64]:
        """Return the moves of one rank of each sample replaced by random ones, [samples * m, S]."""
        picks = rng.integers(0, len(self.sides), samples)
        games, plies = (
            x.reshape(samples, -1, self.moves)[np.arange(samples), picks].reshape(-1) for x in turns
        )
        before, played = self._replies(games, np.where(plies < 0, 1, plies))
        return self.game.after(before, self._other_moves(before, played, rng))

    def _joined(self, samples: int, ranks: NDArray, last: NDArray) -> NDArray:
        """Append ``last`` [samples * m, ...] to the ``ranks`` [samples * R * m, ...] as a rank."""
        rest = ranks.shape[1:]
        shape = (samples, -1, self.moves, *rest)
        return np.concatenate([ranks.reshape(shape), last.reshape(shape)], 1).reshape(-1, *rest)

    def _other_moves(
        self, states: NDArray[np.uint64], played: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return a random legal action of each position, another than the one played if any."""
        legal, counts = self.game.unclaimed(states)
        picks = (rng.random(len(states)) * np.maximum(counts - 1, 1)).astype(np.intp)
        rows = np.arange(len(states))
        at_played = (legal == played[:, None]).argmax(1)
        picks += (picks >= at_played) & (counts > 1)
        return legal[rows, picks].astype(np.int64)
