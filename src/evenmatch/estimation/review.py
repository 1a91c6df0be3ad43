"""A game reviewed: what each move gave up, and what people of a level play instead.

A network judges every position of the game once, without a search: what a move gave up is the
chance to win before it less that after it. Single judgements are noisy, so they only find
candidates. A move is called a mistake if a search confirms it: it is not the search's first choice,
and the position after it, searched as well, is worse than that after the first choice.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.game import Game, States
from evenmatch.network.conditions import RatingCondition
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.progress import Progress, ignore
from evenmatch.search import Evaluator, Plan, RootStats, Search, Solve
from evenmatch.search.evaluator import evaluated

LIKELY = 3  #: moves that are shown of a position, beside the one that was played
LEAST_LOST = 0.05  #: of the chance to win, by a move that is called a mistake
MOST_CANDIDATES = 6  #: moves of a game that are searched: those that a look finds worst
USUAL = 0.1  #: share of a search's prior from which a first move is a usual one
VERSION = 1  #: of what is confirmed, to be raised with any change of it


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
    likely: tuple[Choice, ...]  #: their other moves, the most likely in front


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


def confirmed(
    evaluator: Evaluator,
    game: Game,
    states: States,
    actions: NDArray[np.intp],
    lost: NDArray[np.float64],
    plan: Plan,
    progress: Progress = ignore,
) -> dict[int, float]:
    """Return the plies of a game's mistakes and what they lost, as a search by a plan confirms.

    ``states`` [P + 1, S] and ``actions`` [P] are the game's. Of ``lost`` [P], as of `lost_by`, the
    largest are searched: before the move, after it, and after what the search prefers. A usual
    first move is never a mistake.
    """
    order = np.argsort(-np.nan_to_num(lost, nan=-1.0), kind="stable")[:MOST_CANDIDATES]
    plies = np.sort(order[lost[order] >= LEAST_LOST])
    if not len(plies):
        return {}
    stats = _searched(evaluator, game, states[plies], plan)
    progress(1, 3)
    best, played, rows = stats.best(), actions[plies], np.arange(len(plies))
    first = np.flatnonzero(~np.isnan(lost))[0]
    usual = (plies == first) & (stats.priors[rows, played] >= USUAL)
    doubted = (best != played) & ~usual
    plies, best, played = plies[doubted], best[doubted], played[doubted]
    if not len(plies):
        return {}
    movers = game.to_play(states[plies])
    after = [game.after(states[plies], chosen) for chosen in (best, played)]
    worth = _worth(evaluator, game, np.concatenate(after), plan) * np.tile(movers, 2)
    progress(3, 3)
    found = (worth[: len(plies)] - worth[len(plies) :]) / 2
    return {
        int(ply): float(of_move)
        for ply, of_move in zip(plies, found, strict=True)
        if of_move >= LEAST_LOST
    }


def full_strength(simulations: int, proofs: bool) -> Plan:
    """Return the plan by which mistakes are confirmed: that of the player at full strength."""
    return Plan(simulations=simulations, solve=Solve.SETTLE if proofs else Solve.NEVER)


def _searched(evaluator: Evaluator, game: Game, states: States, plan: Plan) -> RootStats:
    """Return what a search finds in positions that are not over."""
    trees = np.arange(len(states))
    search = Search(game, evaluator, trees=len(trees), nodes=plan.simulations + 1)
    search.plant(trees, states, 1 + trees)
    return search.run(trees, plan)


def _worth(evaluator: Evaluator, game: Game, states: States, plan: Plan) -> NDArray[np.float64]:
    """Return what positions [n, S] are worth to the side that moves first, [n] in [-1, 1]."""
    over, worth = game.outcome(states)
    worth = worth.astype(np.float64)
    if not over.all():
        stats = _searched(evaluator, game, states[~over], plan)
        rows, best = np.arange(int((~over).sum())), stats.best()
        values = stats.means[rows, best]
        if stats.known is not None:
            known = stats.known[rows, best]
            values = np.where(np.isnan(known), values, known)
        worth[~over] = values
    return np.asarray(np.clip(worth, -1, 1) * game.to_play(states), np.float64)


def largest_losses(
    network: NetworkEvaluator,
    states: States,
    actions: NDArray[np.intp],
    lost: NDArray[np.float64],
    condition: RatingCondition | None,
    most: int = 3,
) -> list[Loss]:
    """Return the moves that gave up most, the largest in front; none below `LEAST_LOST`.

    ``states`` [P + 1, S] and ``actions`` [P] are the game's, ``lost`` [P] is of `confirmed`, nan
    for all other moves;
    ``condition`` says whose moves are listed beside them, if the network knows people.
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
            float(shares[actions[ply]]) if condition else float("nan"),
            _others(network.game, states[ply], shares, int(actions[ply])) if condition else (),
        )
        for ply, shares in zip(plies, _shares(network, states[plies], condition), strict=True)
    ]


def _shares(
    network: NetworkEvaluator, states: States, condition: RatingCondition | None
) -> NDArray[np.float64]:
    """Return how often people of a level play each action in positions [n, S], [n, A]."""
    if condition is None:
        return np.full((len(states), network.game.num_actions), np.nan)
    logits = network.evaluate_policies(states, [condition])[0][0].astype(np.float64)
    logits = np.where(network.game.legal_mask(states), logits, -np.inf)
    weights = np.exp(logits - logits.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def _others(
    game: Game, state: NDArray[np.uint64], shares: NDArray, played: int
) -> tuple[Choice, ...]:
    """Return the other moves that people play most where the action ``played`` was chosen."""
    order = np.argsort(-shares, kind="stable")
    others = [int(action) for action in order if action != played and shares[action] > 0]
    return tuple(
        Choice(game.action_text(state, action), float(shares[action])) for action in others[:LIKELY]
    )
