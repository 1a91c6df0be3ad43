"""The weights of a mixture of networks, fitted to people's moves (`workshop/networks/mixture.py`).

The loss is the mean of -log p of the moves that people played, over the legal moves. With weights
that are linear in the conditions it is convex, so there is one best fit. A penalty on second
differences along the knots keeps weights smooth where few people have such ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from evenmatch.errors import UsageError
from evenmatch.estimation.rating_scales import bands_of
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import read_card
from evenmatch.network.card import Card
from evenmatch.network.conditions import conditions, scale_number
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.progress import Progress, ignore
from evenmatch.search import NOTHING, Request
from evenmatch.workshop.datasets.dataset import Dataset, Sides, scale_names
from evenmatch.workshop.networks.mixture import check_alike, write_mixture

SPLIT = "tune"  #: whose people the weights are fitted to
MOVES, LEAST = 12_000, 100  #: of each band, at most; in all, at least
SMOOTH, SMALL = 1e-3, 1e-5  #: penalties on second differences of weights, and on their squares
BLOCK = 1024
NEVER = -1e4  #: the logit of what is no move


class Judged(NamedTuple):
    """Moves of people, and what networks said of all legal ones. n moves, W most legal ones."""

    logits: NDArray[np.float32]  #: [n, W, N] of N networks; NEVER beyond the legal ones
    played: NDArray[np.intp]  #: [n] the place of the move that was played
    conditions: NDArray[np.float32]  #: [n, K] of its player


def fit_mixture(
    paths: Sequence[Path],
    folders: Sequence[Path],
    out: Path,
    *,
    seed: int = 0,
    command: str = "",
    progress: Progress = ignore,
) -> Card:
    """Write the mixture of networks that predicts moves of datasets best; return its card.

    NetworkError if the networks cannot be mixed, UsageError as `judged_moves`.
    """
    cards = [read_card(path) for path in paths]
    check_alike(paths, cards)
    scale_names([Dataset.open(folder) for folder in folders])  # refuses two of one name
    game = get_game(cards[0].game)
    networks = [NetworkEvaluator(path, game) for path in paths]
    judged = [judged_moves(x, networks, seed=seed, progress=progress) for x in folders]
    weights = completed(fit_weights(judged), judged, cards[0])
    moves = " and ".join(
        f"{len(one.played):,} of {x.name}" for one, x in zip(judged, folders, strict=True)
    )
    names = ", ".join(path.stem for path in paths)
    return write_mixture(
        paths, weights, out, command=command, date=date.today().isoformat(), seed=seed,
        positions=sum(len(one.played) for one in judged),
        notes=f"The policies of {names}, weighted by rating to predict moves of people of split "
        f"{SPLIT}: {moves}. Values and strength scores are {paths[0].stem}'s.",
    )  # fmt: skip


def fit_weights(judged: Sequence[Judged]) -> NDArray[np.float32]:
    """Return the weights [K, N] that predict moves best; ``judged`` are of one scale each."""
    scales = [scaled(one) for one in judged]
    knots, count = judged[0].conditions.shape[1], judged[0].logits.shape[2]
    start = np.zeros((knots, count))
    start[:, 0] = 1
    found = minimize(
        lambda flat: penalized(flat.reshape(knots, count), scales),
        start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 500},
    )  # fmt: skip
    return found.x.reshape(knots, count).astype(np.float32)


def scaled(judged: Judged) -> Judged:
    """Return moves with logits from 0 down, which no exponential overflows by."""
    top = judged.logits.max(1, keepdims=True)
    return judged._replace(logits=np.maximum(judged.logits - top, NEVER))


def penalized(
    weights: NDArray[np.float64], scales: Sequence[Judged]
) -> tuple[float, NDArray[np.float64]]:
    """Return the loss with its penalties, and its gradient, flat."""
    loss, slope = SMALL * float((weights**2).sum()), 2 * SMALL * weights
    for judged in scales:
        of_scale, its_slope = cost(weights, judged)
        loss, slope = loss + of_scale / len(scales), slope + its_slope / len(scales)
        known = np.flatnonzero(judged.conditions.any(0))
        bend = np.diff(weights[known], 2, axis=0)
        loss += SMOOTH * float((bend**2).sum())
        for shift, times in ((0, 1), (1, -2), (2, 1)):
            slope[known[shift : shift + len(bend)]] += 2 * SMOOTH * times * bend
    return loss, slope.ravel()


def cost(weights: NDArray[np.float64], judged: Judged) -> tuple[float, NDArray[np.float64]]:
    """Return the mean of -log p of the moves played, and its gradient [K, N]."""
    loss, slope = 0.0, np.zeros_like(weights)
    for at in range(0, len(judged.played), BLOCK):
        logits, played, conditions = (column[at : at + BLOCK] for column in judged)
        shares = conditions @ weights  # [b, N]
        sums = np.where(logits[:, :, 0] > NEVER, np.einsum("bwn,bn->bw", logits, shares), -np.inf)
        logs = sums - logsumexp(sums, axis=1, keepdims=True)
        rows = np.arange(len(played))
        loss -= float(logs[rows, played].sum())
        off = np.exp(logs)
        off[rows, played] -= 1
        slope += conditions.T @ np.einsum("bw,bwn->bn", off, logits)
    return loss / len(judged.played), slope / len(judged.played)


# -- people's moves --------------------------------------------------------------------------------


def judged_moves(
    folder: Path,
    networks: Sequence[NetworkEvaluator],
    *,
    split: str = SPLIT,
    most: int = MOVES,
    seed: int = 0,
    progress: Progress = ignore,
) -> Judged:
    """Return moves of a split's people, judged by networks; the first is conditioned on ratings.

    Up to ``most`` of each band of ratings are drawn. UsageError if the networks' first does not
    know the dataset's scale, or there are next to no moves.
    """
    dataset, scale = Dataset.open(folder), folder.resolve().name
    game, card = dataset.codec.game, networks[0].card
    number = scale_number(scale, card.scales)
    games, plies = turns(dataset, scale, split, most, np.random.default_rng(seed))
    if len(games) < LEAST:
        raise UsageError(f"{folder} has {len(games)} rated moves of split {split}; take more games")
    ratings = dataset.games["ratings"][games, plies % 2].astype(np.float64)
    states, moves = dataset.states(games, plies)
    actions = dataset.codec.actions(states, moves)
    parts = []
    for at in range(0, len(states), BLOCK):
        part = slice(at, at + BLOCK)
        some = ratings[part]
        request = Request(ratings=some, scales=np.full(len(some), number))
        legal = game.unclaimed_mask(states[part])
        said = [
            net.evaluate(states[part], NOTHING if k else request).logits.copy()
            for k, net in enumerate(networks)
        ]
        parts.append(legal_only(np.stack(said, 2), legal, actions[part]))
        progress(min(at + BLOCK, len(states)), len(states))
    width = max(logits.shape[1] for logits, _ in parts)
    logits = np.concatenate([widened(logits, width) for logits, _ in parts])
    played = np.concatenate([place for _, place in parts])
    told_of = conditions(ratings, number, len(card.scales), card.condition_knots)
    return Judged(logits, played, told_of)


def turns(
    dataset: Dataset, scale: str, split: str, most: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw up to ``most`` moves of each band of ratings; return their games and plies."""
    drawn = []
    for band in bands_of(scale, game_info(dataset.codec.game.id)).spans:
        chosen = dataset.select(split=split, band=band)
        games, plies = dataset.turns(Sides(chosen.games, chosen.sides))
        kept = rng.permutation(len(games))[:most]
        drawn.append((games[kept], plies[kept]))
    games, plies = (np.concatenate(column) for column in zip(*drawn, strict=True))
    return games, plies


def legal_only(
    logits: NDArray[np.float32], legal: NDArray[np.bool_], actions: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return logits [n, A, N] of legal moves alone, [n, W, N], and the places of the actions."""
    counts = legal.sum(1)
    rows, columns = np.nonzero(legal)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    out = np.full((len(legal), int(counts.max()), logits.shape[2]), NEVER, np.float32)
    out[rows, places] = logits[rows, columns]
    played = (np.cumsum(legal, 1) - 1)[np.arange(len(legal)), actions]
    return out, played.astype(np.intp)


def widened(logits: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Return logits [n, W, N] with room for more moves, which nobody can play."""
    more = ((0, 0), (0, width - logits.shape[1]), (0, 0))
    return np.pad(logits, more, constant_values=NEVER)


def completed(
    weights: NDArray[np.float32], judged: Sequence[Judged], card: Card
) -> NDArray[np.float32]:
    """Return weights [K, N] for all conditions of a network.

    Knots beyond everybody's ratings get the weights of the nearest one. Those of scales without
    games, and of a rating that is not known, are the means over all people that were judged.
    """
    conditions = np.concatenate([one.conditions for one in judged])
    out, seen = weights.copy(), np.asarray(conditions.any(0))
    out[0] = conditions.mean(0) @ weights
    for scale in range(len(card.scales)):
        knots = 1 + scale * len(card.condition_knots) + np.arange(len(card.condition_knots))
        there = knots[seen[knots]]
        for knot in knots[~seen[knots]]:
            nearest = there[np.abs(there - knot).argmin()] if len(there) else 0
            out[knot] = out[nearest]
    return out
