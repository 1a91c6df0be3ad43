"""A game reviewed: what each move gave up, and what people of a level play instead.

A network judges every position of the game once, without a search. What a move gave up is the
chance to win before it less that after it. Single judgements are noisy: the order of the largest
losses is better than their sizes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game, States
from evenmatch.network.conditions import Asked
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.search import Evaluator
from evenmatch.search.evaluator import evaluated

LIKELY = 3  #: moves that are told of a position, besides the one that was played
LEAST_LOST = 0.01  #: of the chance to win: it is shown in whole percent, so less would show as none


class Choice(NamedTuple):
    """How often people play a move."""

    move: str
    share: float


class Loss(NamedTuple):
    """A move of a person's that gave up something."""

    ply: int  #: counted from 0
    move: str
    lost: float  #: of the chance to win
    played: float  #: share of people of the level who play it; nan if the network knows no people
    likely: tuple[Choice, ...]  #: what they play besides, the likeliest in front


def chances(evaluator: Evaluator, game: Game, states: States, side: int) -> NDArray[np.float64]:
    """Return the chance to win of ``side`` (1 moves first, -1 second) in positions [n, S], [n]."""
    values = evaluated(evaluator, states).values.astype(np.float64)
    over, outcomes = game.outcome(states)
    values[over] = outcomes[over]
    return (1 + np.clip(values * game.to_play(states) * side, -1, 1)) / 2


def lost_by(chance: NDArray[np.float64], game: Game, states: States, side: int) -> NDArray:
    """Return what each ply of a game gave up of its mover's chance, [P].

    It is nan for the other side's plies, and where there was no choice. ``chance`` [P + 1] is of
    `chances` in its positions [P + 1, S].
    """
    own = game.to_play(states[:-1]) == side
    chosen = own & (game.legal_mask(states[:-1]).sum(1) > 1)
    return np.where(chosen, chance[:-1] - chance[1:], np.nan)


def largest_losses(
    network: NetworkEvaluator,
    states: States,
    actions: NDArray[np.intp],
    lost: NDArray[np.float64],
    asked: Asked | None,
    most: int = 3,
) -> list[Loss]:
    """Return the moves that gave up most, the largest in front; none below `LEAST_LOST`.

    ``states`` [P + 1, S] and ``actions`` [P] are the game's, ``lost`` [P] is of `lost_by`;
    ``asked`` says whose moves are told beside them, if the network knows people.
    """
    order = np.argsort(-np.nan_to_num(lost, nan=-1.0), kind="stable")[:most]
    plies = [int(ply) for ply in order if lost[ply] >= LEAST_LOST]
    if not plies:
        return []
    return [
        Loss(
            ply,
            network.game.action_text(states[ply], int(actions[ply])),
            float(lost[ply]),
            float(shares[actions[ply]]) if asked else float("nan"),
            _others(network.game, states[ply], shares, int(actions[ply])) if asked else (),
        )
        for ply, shares in zip(plies, _shares(network, states[plies], asked), strict=True)
    ]


def _shares(network: NetworkEvaluator, states: States, asked: Asked | None) -> NDArray[np.float64]:
    """Return how often people of a level play each action in positions [n, S], [n, A]."""
    if asked is None:
        return np.full((len(states), network.game.num_actions), np.nan)
    logits = network.evaluate_asked(states, [asked])[0][0].astype(np.float64)
    logits = np.where(network.game.legal_mask(states), logits, -np.inf)
    weights = np.exp(logits - logits.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def _others(
    game: Game, state: NDArray[np.uint64], shares: NDArray, played: int
) -> tuple[Choice, ...]:
    """Return what people play most in a position besides the action that was ``played``."""
    order = np.argsort(-shares, kind="stable")
    others = [int(action) for action in order if action != played and shares[action] > 0]
    return tuple(
        Choice(game.action_text(state, action), float(shares[action])) for action in others[:LIKELY]
    )
