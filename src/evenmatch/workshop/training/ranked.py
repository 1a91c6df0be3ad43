"""Batches of recorded positions with ranks: what Chen et al. 2025, section 3.2, learn from.

For every rank one game of a player of that rank is drawn and ``moves`` of the player's own moves
in it; what is shown is the position *after* the move, so that the strength score rates the move.
The reply that was played there and the game's result are the targets of policy and value; the
rating of who replied conditions networks that have such inputs.

Besides, and without ranks, moves of any player of the split are drawn for policy and value alone:
the few games of the outer ranks would else be learned by heart.

As in the authors' code the moves of a rank are one player's in one game, where the paper's text
draws them from all of the rank; their games are of two players of a rank, where here the rank is
that of the player who moved, for any opponent.

Only moves of one dataset are ranked against each other. Black's games begin one move before they
began, so that White's first move is a reply.

Both players of ranked games are of the split: otherwise the policy would learn the moves of
people of the test split. Or (``strangers``) the replies of others, and of bots, are not targets of
the policy: such a position teaches its mover's rank alone.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.ratings.ranks import Ranks
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.fitting.samples import answered
from evenmatch.workshop.networks.fit import NOBODY, Ranked
from evenmatch.workshop.training.recorded_positions import (
    AnyReplies,
    Batch,
    Replies,
    Source,
    joined,
)


class RankedTurns(NamedTuple):
    """Own moves of drawn sides."""

    games: NDArray[np.int64]  #: [K]
    plies: NDArray[np.int64]  #: [K] of the own move


class MixedPositions:
    """Draws batches from one split of several datasets, as many of each kind from each."""

    def __init__(
        self,
        datasets: Sequence[Dataset],
        game: Game,
        *,
        split: str,
        samples: int,
        replies: int = 0,
        ranks: Ranks,
        only: Sequence[int] = (),
        moves: int = 7,
        random_rank: bool = False,
        compared: int = 0,
        fewest: int = 1,
        strangers: bool = False,
        conditioned: bool = True,
        **shown: Any,
    ):
        """A batch has ``replies`` of any players and after them ``samples`` times every rank.

        ``shown`` says how positions are: see :class:`Source`, the rest :class:`RankedPositions`.
        Datasets with fewer ranks than are ``compared`` have replies alone. UsageError as there, and
        if all are such.
        """
        self._samples, self._replies = samples, replies
        sources = [
            Source(dataset, game, scale=scale, scales=len(datasets), **shown)
            for scale, dataset in enumerate(datasets)
        ]
        settings: dict[str, Any] = {
            "ranks": ranks,
            "only": only,
            "moves": moves,
            "random_rank": random_rank,
            "compared": compared,
            "fewest": fewest,
            "strangers": strangers,
            "conditioned": conditioned,
        }
        parts = [RankedPositions(source, split, **settings) for source in sources]
        self.ranked = [part for part in parts if len(part.sides) >= compared]
        if samples and not self.ranked:
            raise UsageError(
                f"no dataset has games of players of {compared} ranks in split {split}; add some"
            )
        self.loose = [AnyReplies(source, split) for source in sources]

    @property
    def games(self) -> int:
        """How many games are drawn from."""
        if self._replies:
            drawn = [part.sides for part in self.loose]  # of the ranked ones, too
        else:
            drawn = [np.concatenate(part.sides) for part in self.ranked]
        return sum(len(np.unique(sides >> 1)) for sides in drawn)

    def draw(self, rng: np.random.Generator) -> Batch:
        """Return a batch; the first datasets fill up what cannot be shared evenly."""
        loose = drawn_from(self.loose, self._replies, rng)
        ranked = drawn_from(self.ranked, self._samples, rng)
        shapes = [batch.ranked for batch in ranked if batch.ranked is not None]
        if not shapes:
            return joined(loose)
        scales = np.concatenate([shape.scales for shape in shapes if shape.scales is not None])
        which = [shape.which for shape in shapes if shape.which is not None]
        shape = shapes[0]._replace(
            scales=scales, first=self._replies, which=np.concatenate(which) if which else None
        )
        return joined([*loose, *ranked])._replace(ranked=shape)


def drawn_from(
    parts: Sequence["RankedPositions | AnyReplies"], count: int, rng: np.random.Generator
) -> list[Batch]:
    """Return batches of ``count`` in all, as many from each part."""
    shares = [(count + len(parts) - 1 - i) // len(parts) for i in range(len(parts))]
    return [part.draw(share, rng) for part, share in zip(parts, shares, strict=True) if share]


class RankedPositions:
    """Draws batches from one split of a dataset."""

    def __init__(
        self,
        source: Source,
        split: str,
        *,
        ranks: Ranks,
        only: Sequence[int] = (),
        moves: int = 7,
        random_rank: bool = False,
        compared: int = 0,
        fewest: int = 1,
        strangers: bool = False,
        conditioned: bool = True,
    ):
        """``only`` some ranks are drawn, if given, in increasing order.

        ``random_rank`` adds r_inf: moves replaced by random ones. A sample has all ranks, or so
        many as are ``compared``, drawn each time from those with the ``fewest`` sides and more
        (eqs. 4 and 5 hold for some ranks as for all). With ``strangers`` opponents may be of other
        splits. Without ``conditioned`` the rating of the player who replies is hidden. UsageError
        names a rank without games, where all are compared.
        """
        self.source, self.moves, self.random_rank = source, moves, random_rank
        self.game, self.dataset = source.game, source.dataset
        self._split, self._strangers, self._conditioned = split, strangers, conditioned
        drawn = tuple(only) or range(1, 1 + ranks.count)
        sides = [self._long_enough(ranks, rank) for rank in drawn]
        for rank, games in zip(drawn, sides, strict=True):
            if not len(games) and not compared:
                raise UsageError(
                    f"no games of players rated {ranks.name(rank)} in split {split}; add some"
                )
        kept = [i for i, games in enumerate(sides) if len(games) >= fewest or not compared]
        self.sides = [sides[i] for i in kept]  #: of each rank that is drawn, the strongest first
        self._numbers = np.array(kept, np.int64) if compared else None
        self._of = len(drawn) if compared else 0
        self._human = compared or len(self.sides)
        self.ranks = self._human + random_rank  #: R of the batches

    def _long_enough(self, ranks: Ranks, rank: int) -> NDArray[np.int64]:
        """Return the sides 2 * game + side of a rank with ``moves`` answered moves.

        Their opponents are of the split too, unless these may be strangers: it is their replies
        that are learned.
        """
        low = ranks.highest - rank * ranks.width
        chosen = self.dataset.select(
            split=self._split, band=(low, low + ranks.width), both=not self._strangers
        )
        rows = self.dataset.games[chosen.games]
        fits = answered(rows["plies"], chosen.sides) >= self.moves
        return 2 * chosen.games[fits] + chosen.sides[fits]

    def draw(self, samples: int, rng: np.random.Generator) -> Batch:
        """Return a batch of ``samples`` times every rank, the strongest first."""
        which = self._draw_ranks(samples, rng)
        turns = self._draw_turns(samples, rng, which)
        replies = self._learned(turns, self.source.replies(turns.games, turns.plies + 1, rng))
        if self.random_rank:
            strange = self._random_moves(samples, turns, rng)
            nothing = np.zeros(len(strange))  # targets that do not count
            last = (strange, *[nothing] * (len(replies) - 1))
            replies = Replies(
                *[self._joined(samples, *pair) for pair in zip(replies, last, strict=True)]
            )
        scales = np.full(samples, self.source.scale, np.int64)
        numbers = None if which is None or self._numbers is None else self._numbers[which]
        shape = Ranked(self.ranks, self.moves, self.random_rank, scales, which=numbers, of=self._of)
        return self.source.shown(replies, rng)._replace(ranked=shape)

    def _learned(self, turns: RankedTurns, replies: Replies) -> Replies:
        """Return replies as training targets: without strangers' moves, ratings if conditioned."""
        if self._strangers:
            known = self.dataset.of_split(2 * turns.games + (turns.plies + 1) % 2, self._split)
            replies = replies._replace(actions=np.where(known, replies.actions, NOBODY))
        if self._conditioned:
            return replies
        return replies._replace(ratings=np.zeros_like(replies.ratings))

    def _draw_ranks(self, samples: int, rng: np.random.Generator) -> NDArray[np.int64] | None:
        """Draw the places [samples, R] of the ranks compared in ``sides``; None: all of them."""
        if self._numbers is None:
            return None
        places = np.tile(np.arange(len(self.sides)), (samples, 1))
        return np.sort(rng.permuted(places, axis=1)[:, : self._human], 1)

    def _draw_turns(
        self, samples: int, rng: np.random.Generator, which: NDArray[np.int64] | None = None
    ) -> RankedTurns:
        """Draw for every sample and rank one side and distinct own moves of it."""
        if which is None:
            sides = np.array([rng.choice(sides, samples) for sides in self.sides]).T.reshape(-1)
        else:
            sides = np.array([rng.choice(self.sides[place]) for place in which.flat])
        counts = answered(self.dataset.games["plies"][sides >> 1], sides & 1)
        before = sides & 1  # Black's move before White's first
        chosen = np.concatenate([rng.choice(n, self.moves, replace=False) for n in counts + before])
        of = np.repeat(sides, self.moves)
        return RankedTurns(of >> 1, 2 * (chosen - (of & 1)) + (of & 1))

    def _random_moves(
        self, samples: int, turns: RankedTurns, rng: np.random.Generator
    ) -> NDArray[np.uint64]:
        """Return the moves of one rank of each sample replaced by random ones, [samples * m, S]."""
        picks = rng.integers(0, self._human, samples)
        games, plies = (
            x.reshape(samples, -1, self.moves)[np.arange(samples), picks].reshape(-1) for x in turns
        )
        before, played = self.source.positions(games, np.where(plies < 0, 1, plies))
        return self.game.after(before, self._other_moves(before, played, rng))

    def _joined(self, samples: int, ranks: NDArray, last: NDArray) -> NDArray:
        """Append ``last`` [samples * m, ...] to the ``ranks`` [samples * R * m, ...] as a rank."""
        rest = ranks.shape[1:]
        shape = (samples, -1, self.moves, *rest)
        last = last.astype(ranks.dtype).reshape(shape)
        return np.concatenate([ranks.reshape(shape), last], 1).reshape(-1, *rest)

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
