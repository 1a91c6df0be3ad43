"""Features of moves: the columns of numbers that estimators read, and the networks that fill them.

As in training (Chen et al. 2025, section 3.2) the strength head sees a move as the position after
it. The last move of a game, which has no reply, is left out there and here. Moves that a player did
not choose alone (``GameRecord.aided``) are left out too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.estimation.player_games import PlayerGame, evals_around
from evenmatch.estimation.rating_scales import conditioned_as, number_of, ranks_of
from evenmatch.network.card import Card
from evenmatch.network.combined import WithOurScores, with_strength_head
from evenmatch.network.conditions import RatingCondition
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.records.codec import RecordCodec, codec_for

STRENGTH = "strength"  #: [M, n] all that the strength head says of the position after the move
LIKELIHOOD = "likelihood"  #: [M, K] log P(move) by the policy, conditioned on each of K ratings
ENTROPY = "entropy"  #: [M, K] of the policy, conditioned on them
CHOICE = "choice"  #: [M, 2] at the highest: P of the most likely move, log(1 + likelier moves)
POLICIES = "policies"
"""[M, 4 N] of N other networks, each: log P(move), entropy, log(1 + number of moves with a higher
P), and the difference from log P(move) to the highest log P."""
VALUE = "value"  #: [M, 2] of the network for the mover, before and after the move
EVALS = "evals"  #: [M, 2] centipawns of the record for the mover, likewise; NaN: none
MADE = "made"  #: [M, 1] 1 where EVALS were made by an engine here, 0 where they were recorded
PLACE = "place"
"""[M, 2] a move's number in its game, from 0, and of how many; where some were left out."""


class MoveFeatures(NamedTuple):
    """Columns of M moves in G games, those of each game together and in order."""

    columns: dict[str, NDArray[np.float32]]  # name, of those above, -> [M, ...]
    counts: NDArray[np.int64]  # [G] moves of each game; their sum is M

    @property
    def games(self) -> NDArray[np.int64]:
        """Which game each move belongs to, [M]."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def places(self) -> NDArray[np.int64]:
        """The number of each move in its game, [M], from 0."""
        if PLACE in self.columns:
            return self.columns[PLACE][:, 0].astype(np.int64)
        return np.arange(self.moves) - np.repeat(np.cumsum(self.counts) - self.counts, self.counts)

    @property
    def left(self) -> NDArray[np.int64]:
        """How many moves of its game come from each move on, [M], from 1."""
        whole = self.counts[self.games]
        if PLACE in self.columns:
            whole = self.columns[PLACE][:, 1].astype(np.int64)
        return whole - self.places

    @property
    def moves(self) -> int:
        """How many moves there are."""
        return int(self.counts.sum())

    def __add__(self, other: "MoveFeatures") -> "MoveFeatures":  # type: ignore[override]
        """Return the games of both."""
        columns = {
            name: np.concatenate([rows, other.columns[name]]) for name, rows in self.columns.items()
        }
        return MoveFeatures(columns, np.concatenate([self.counts, other.counts]))

    def only(self, chosen: NDArray[np.bool_]) -> "MoveFeatures":
        """Return the moves chosen [M]; no game is dropped, even if it has none left."""
        counts = np.bincount(self.games[chosen], minlength=len(self.counts))
        columns = {name: rows[chosen] for name, rows in self.columns.items()}
        return MoveFeatures(columns, counts.astype(np.int64))

    def games_only(self, chosen: NDArray[np.bool_]) -> "MoveFeatures":
        """Return the games chosen [G]; the others are dropped."""
        kept = self.only(np.repeat(chosen, self.counts))
        return kept._replace(counts=self.counts[chosen])

    def first(self, count: int) -> "MoveFeatures":
        """Return the first ``count`` moves of each game."""
        return self.only(self.places < count)

    def last(self, count: int) -> "MoveFeatures":
        """Return the last ``count`` moves of each game."""
        return self.only(self.left <= count)

    def one_each(self, rng: np.random.Generator) -> "MoveFeatures":
        """Return one random move of each game."""
        return self.only(
            self.places == (rng.random(len(self.counts)) * self.counts).astype(np.int64)[self.games]
        )

    def sums(self, values: NDArray) -> NDArray[np.float64]:
        """Add up ``values`` [M, D] of the moves over each game, [G, D]."""
        totals = np.zeros((len(self.counts), values.shape[1]))
        some = self.counts > 0
        if some.any():
            starts = (np.cumsum(self.counts) - self.counts)[some]
            totals[some] = np.add.reduceat(values, starts, dtype=np.float64)
        return totals


BLOCK = 4096  #: moves rated at once
CONDITIONS = 3  #: ratings of a scale that the policy is conditioned on
LEAST_LOG = -8.0  #: log-likelihoods below count as this: nobody is that sure of being human

Columns = dict[str, NDArray[np.float32]]


class AnsweredMoves(NamedTuple):
    """Own moves that have a reply."""

    before: NDArray[np.uint64]  # [n, S] states in which they were played
    actions: NDArray[np.int64]  # [n]
    after: NDArray[np.uint64]  # [n, S]


class NetworkScorer:
    """Rates the moves of games."""

    def __init__(
        self,
        evaluator: NetworkEvaluator | WithOurScores,
        scale: str | None = None,
        policies: Sequence[NetworkEvaluator] = (),
        more_scales: Sequence[str] = (),
    ):
        """With a rating scale of the network all features are computed, otherwise only strength.

        ``policies`` are other networks, such as Maia's, that say how likely people's moves are.
        ``more_scales``: further scales for which `on_each_scale` returns features. A network that
        knows profiles is read with the strength scores of ours.
        NetworkError if the network has no strength head, UsageError if it has no such scale.
        """
        self.evaluator = with_strength_head(evaluator)
        self.game = evaluator.game
        if not self.evaluator.card.ranks:
            raise NetworkError(
                "this network has no strength head; train one with "
                f"`evenmatch train {self.game.id} --data`"
            )
        scales = [] if scale is None else [scale, *more_scales]
        self._conditions = [
            one for name in scales for one in rating_conditions(name, self.evaluator.card)
        ]
        self._policies = policies

    def __call__(self, games: Sequence[PlayerGame]) -> MoveFeatures:
        """Rate the players' own moves in records of games."""
        return self.on_each_scale(games)[0]

    def on_each_scale(
        self, games: Sequence[PlayerGame], every: Sequence[int] = ()
    ) -> list[MoveFeatures]:
        """Rate the players' own moves in records of games, on each rating scale.

        ``every`` [G] selects moves of each game: 2 is every second one. By default all are rated.
        """
        codec = codec_for(self.game.id)
        start = codec.start_eval
        whole = [int(one.counted.sum()) for one in games]
        steps = list(every) or [1] * len(games)
        kept = [np.arange(0, n, step) for n, step in zip(whole, steps, strict=True)]
        played = [_own_moves(codec, one, some) for one, some in zip(games, kept, strict=True)]
        counts = np.array([len(moves.actions) for moves in played], np.int64)
        none = codec.played(np.zeros(0, np.uint16))[:0]
        nothing = AnsweredMoves(none, np.zeros(0, np.int64), none)
        together = [np.concatenate(x) for x in zip(nothing, *played, strict=True)]
        parts = [
            self.rate(AnsweredMoves._make(x[at : at + BLOCK] for x in together))
            for at in range(0, max(len(together[1]), 1), BLOCK)
        ]
        evals = [
            evals_around(one.record.evals, bool(one.number), len(one.counted), start)[one.counted]
            for one in games
        ]
        made = np.array([[one.record.evals_made] for one in games], np.float32).reshape(-1, 1)
        shared = {
            EVALS: stacked([x[some] for x, some in zip(evals, kept, strict=True)]),
            MADE: np.repeat(made, counts, 0),
        }
        if max(steps, default=1) > 1:
            places = np.concatenate(kept), np.repeat(whole, counts)
            shared[PLACE] = np.stack(places, 1).astype(np.float32)
        return [
            MoveFeatures(joined(of_scale) | shared, counts) for of_scale in zip(*parts, strict=True)
        ]

    def rate(self, moves: AnsweredMoves) -> list[Columns]:
        """Return the columns of some moves on each rating scale, all but EVALS and MADE."""
        reply = self.evaluator.evaluate_worth(moves.after)
        assert reply.scores is not None, "the card names a strength head"
        columns = {STRENGTH: reply.scores}
        if not self._conditions:
            return [columns]
        worth = -reply.values  # for the mover
        legal = self.game.unclaimed_mask(moves.before)
        logits, before = self.evaluator.evaluate_policies(moves.before, self._conditions)
        columns[VALUE] = np.stack([before, worth], 1)
        if self._policies:
            opinions = [_opinion(net, moves, legal) for net in self._policies]
            columns[POLICIES] = np.hstack(opinions).astype(np.float32)
        of_scale = logits.reshape(
            len(self._conditions) // CONDITIONS, CONDITIONS, *logits.shape[1:]
        )
        return [columns | _expected(moves, x, legal) for x in of_scale]


def rating_conditions(scale: str, card: Card) -> list[RatingCondition]:
    """Return whose moves the policy is asked for on a scale: of the lowest rank's, middling, best.

    UsageError if the network knows neither the scale nor one that stands for it.
    """
    ranks, number = ranks_of(conditioned_as(scale, card), card), number_of(scale, card)
    return [RatingCondition(float(x), number) for x in (ranks.lowest, ranks.centre, ranks.highest)]


def _expected(moves: AnsweredMoves, logits: NDArray[np.float32], legal: NDArray) -> Columns:
    """Return the likelihood columns of moves, by ``logits`` [CONDITIONS, n, A]."""
    rows, likelihoods, entropies = np.arange(len(moves.actions)), [], []
    for row in logits:
        logs = log_chances(row, legal)
        entropies.append(entropy(logs, legal))
        likelihoods.append(logs[rows, moves.actions])
    likelier = (logs > likelihoods[-1][:, None]).sum(1)
    columns = {
        LIKELIHOOD: np.maximum(np.stack(likelihoods, 1), LEAST_LOG),
        ENTROPY: np.stack(entropies, 1),
        CHOICE: np.stack([np.exp(logs.max(1, initial=LEAST_LOG)), np.log1p(likelier)], 1),
    }
    return {name: column.astype(np.float32) for name, column in columns.items()}


def _opinion(
    network: NetworkEvaluator, moves: AnsweredMoves, legal: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return what a network's policy says of moves, [n, 4]; see POLICIES."""
    with network.lock:
        logs = log_chances(network.evaluate(moves.before).logits, legal)
    mine = logs[np.arange(len(logs)), moves.actions]
    likelier = (logs > mine[:, None]).sum(1)
    behind = logs.max(1, initial=LEAST_LOG) - mine
    return np.stack(
        [np.maximum(mine, LEAST_LOG), entropy(logs, legal), np.log1p(likelier), behind], 1
    )


def entropy(logs: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return the entropy of each row of log-chances [n, A]."""
    return -(np.exp(logs) * np.where(legal, logs, 0)).sum(1)


def log_chances(logits: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return the logs of the softmax over the legal actions [n, A]; others have ``-inf``."""
    some = np.where(legal, logits, -np.inf)
    some -= some.max(1, keepdims=True)
    return some - np.log(np.exp(some).sum(1, keepdims=True))


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the columns of several parts as those of one."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def stacked(evals: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return the column EVALS of several games [G, n, 2] as that of all."""
    return np.concatenate([np.zeros((0, 2), np.float32), *evals])


def _own_moves(codec: RecordCodec, one: PlayerGame, kept: NDArray[np.intp]) -> AnsweredMoves:
    """Return some of a player's answered moves that count, by their numbers among those."""
    moves = one.record.moves
    states = codec.played(moves, one.record.start)
    plies = np.arange(one.number, max(len(moves) - 1, 0), 2)[one.counted][kept]
    before = states[plies]
    return AnsweredMoves(before, codec.actions(before, moves[plies]), states[plies + 1])
