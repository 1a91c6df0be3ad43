"""Fitting `PooledFeatures`: features of moves by a small network, then a normal model of games.

A deep set (Zaheer et al. 2017) is trained so that the mean of its features over a game's moves
predicts the rank: cross-entropy of a linear classifier of the means, which is thrown away
afterwards. So a blunder can count less in a hard position than in an easy one, or more in the
opening. Then a normal model of the features given the rating is fitted (`NormalCurve`).

People are split in two halves. Features learned from one half are modelled on the other, and the
other way round, so that no game is rated by features that have seen it; the two are averaged.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MissingExtraError, UsageError
from evenmatch.estimation.estimator_files import FILE_KEYS, Targets
from evenmatch.estimation.move_features import STRENGTH, MoveFeatures
from evenmatch.estimation.pooled import (
    DEGREE,
    HALVES,
    VERSION,
    Evals,
    Floats,
    GameModel,
    Layer,
    NormalCurve,
    PooledFeatures,
    Standardization,
    game_features,
    powers,
    spread_of,
    with_evals,
)
from evenmatch.files import replacing
from evenmatch.network.artifact import digest_of, graph_digest
from evenmatch.ratings.ranks import Ranks

LEAST_GAMES = 2  #: of each rank and half, to learn from
SEED = 0
HIDDEN, FEATURES = 32, 12
EPOCHS, GAMES = 64, 128  #: passes over the games, games of a step
LEARNING_RATE, WARM_UP, WEIGHT_DECAY = 5e-3, 50, 0.5  #: AdamW's, rising for 50 steps
EVENNESS = 0.5  #: a rank with n games is drawn n ** (1 - this) often: 1 draws all ranks alike
RIDGE = 1e-3  #: added to the variance of features, which are standardized
LEAST_RATINGS = 2 * (DEGREE + 1)  #: different ones, that a curve is fitted to
ROUNDS = 3  #: of fitting means and lengths in turn
PLIES = 200  #: as many have a target of their own
NEAR = 8  #: plies on either side that count too, the less the farther away
LEAST = 100  #: moves a ply's mean needs, those near it included; later plies are as the last


def learn(
    method: PooledFeatures, moves: MoveFeatures, ratings: Floats, players: NDArray[np.int64]
) -> None:
    """Learn from games of known ratings.

    What ratings follow from features is learned as if all ranks had as many games; the features
    themselves favour the common ranks a little (``EVENNESS``).

    They should be of players that the network did not learn from. UsageError names a rank with
    too few games, MissingExtraError without torch.
    """
    halves = halves_of(players)
    labels = np.where(moves.counts > 0, method.ranks.of(ratings), 0)
    _require(method, labels, halves)
    known = moves, ratings, labels, players, halves
    method.models = {Evals.NONE: _models(method, *known, Evals.NONE)}
    method.centres = np.bincount(labels, ratings)[1:] / np.bincount(labels)[1:]
    labels = np.where(with_evals(moves), labels, 0)
    if method.evals and not _scarce(method, labels, halves):
        known = moves, ratings, labels, players, halves
        method.models[Evals.RECORDED] = _models(method, *known, Evals.RECORDED)


def learn_made(
    method: PooledFeatures, moves: MoveFeatures, ratings: Floats, players: NDArray[np.int64]
) -> None:
    """Learn also from games whose evaluations were made here.

    UsageError as `learn`.
    """
    halves = halves_of(players)
    labels = np.where(with_evals(moves), method.ranks.of(ratings), 0)
    _require(method, labels, halves)
    known = moves, ratings, labels, players, halves
    method.models[Evals.MADE] = _models(method, *known, Evals.MADE)


def _require(method: PooledFeatures, labels: NDArray[np.int64], halves: NDArray[np.int64]) -> None:
    scarce = _scarce(method, labels, halves)
    if scarce:
        raise UsageError(
            f"fewer than {LEAST_GAMES} games of each half of the people rated "
            f"{method.ranks.name(scarce)}; add some"
        )


def _scarce(method: PooledFeatures, labels: NDArray[np.int64], halves: NDArray[np.int64]) -> int:
    """Return a rank with too few games in a half to learn from; 0 if there is none."""
    counts = np.zeros((HALVES, 1 + method.ranks.count), np.int64)
    np.add.at(counts, (halves, labels), 1)
    least = counts[:, 1:].min(0)
    return 1 + int(least.argmin()) if least.min() < LEAST_GAMES else 0


def _models(
    method: PooledFeatures,
    moves: MoveFeatures,
    ratings: Floats,
    labels: NDArray[np.int64],
    players: NDArray[np.int64],
    halves: NDArray[np.int64],
    kind: Evals,
) -> list[GameModel]:
    """Learn from games that have a label: features from each half, modelled on the other."""
    raw = method.numbers(moves, kind)
    scale = standardization(raw[labels[moves.games] > 0])
    scaled = scale(raw).astype(np.float32)
    models = []
    for half in range(HALVES):
        own = np.where(halves == half, labels, 0)
        layers = learn_layers(scaled, moves, own, method.ranks.count, SEED + half)
        others = np.nonzero((halves != half) & (labels > 0))[0]
        pooled = game_features(layers, scaled, moves)[others]
        of = labels[others]
        weights = 1.0 / np.bincount(of)[of]
        known = (
            method.ranks.scaled(ratings[others]),
            moves.counts[others],
            weights / weights.sum(),
        )
        features = standardization(pooled)
        sample = RatedGames(features(pooled), *known, players[others])
        models.append(GameModel(scale, layers, features, fit_curve(sample)))
    return models


def standardization(rows: Floats) -> Standardization:
    """Return the means and deviations of rows [n, C]."""
    rows = np.where(np.isnan(rows).all(0), 0.0, rows)
    mean, deviation = np.nanmean(rows, 0), np.nanstd(rows, 0)
    varies = deviation > 1e-6 * (1 + np.abs(mean))  # otherwise it is rounding that varies
    return Standardization(mean, np.where(varies, deviation, np.inf))


def halves_of(players: NDArray[np.int64]) -> NDArray[np.int64]:
    """Part people in two, [G]; games of nobody known are parted each by itself."""
    rng = np.random.default_rng(SEED)
    drawn = rng.integers(0, HALVES, 1 + players.max(initial=0))
    return np.where(players >= 0, drawn[players], rng.integers(0, HALVES, len(players)))


# -- features of moves ---


def torch_module() -> Any:
    """Return torch, which learning needs; MissingExtraError if it is not installed."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError(
            "learning features of moves needs torch: pip install 'evenmatch[train]'"
        ) from error
    return torch


def learn_layers(
    numbers: NDArray[np.float32],
    moves: MoveFeatures,
    labels: NDArray[np.int64],
    ranks: int,
    seed: int,
) -> list[Layer]:
    """Learn from games of ranks ``labels`` [G], 1 to ``ranks``; 0 leaves a game out.

    Rare ranks are drawn oftener than they come. MissingExtraError without torch.
    """
    torch = torch_module()
    functional = torch.nn.functional
    rng = np.random.default_rng(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        sizes = (numbers.shape[1], HIDDEN, HIDDEN, FEATURES, ranks)
        dense = [torch.nn.Linear(*pair) for pair in pairwise(sizes)]
    parameters = [p for layer in dense for p in layer.parameters()]
    optimizer = torch.optim.AdamW(parameters, LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    drawn_from = np.nonzero(labels)[0]
    of = labels[drawn_from]
    chance = np.bincount(of)[of] ** -EVENNESS
    chance /= chance.sum()
    starts = np.cumsum(moves.counts) - moves.counts
    steps = max(1, EPOCHS * len(drawn_from) // GAMES)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * min(1, (step + 1) / WARM_UP) * (1 - step / steps)
        games = rng.choice(drawn_from, GAMES, p=chance)
        truth = labels[games] - 1
        counts = moves.counts[games]
        rows = np.repeat(starts[games] - np.cumsum(counts) + counts, counts) + np.arange(
            counts.sum()
        )
        x = torch.from_numpy(numbers[rows])
        for layer in dense[:-2]:
            x = functional.gelu(layer(x))
        at = torch.from_numpy(np.repeat(np.arange(GAMES), counts))
        sums = torch.zeros(GAMES, FEATURES).index_add(0, at, dense[-2](x))
        means = sums / torch.from_numpy(counts.astype(np.float32))[:, None]
        loss = functional.cross_entropy(dense[-1](means), torch.from_numpy(truth))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [
        Layer(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in dense[:-1]
    ]


# -- the normal model ---


class RatedGames(NamedTuple):
    """Games of known ratings."""

    rows: Floats  # [G, F] standardized features
    ratings: Floats  # [G] scaled, about -1 to 1; see `Ranks.scaled`
    moves: NDArray[np.int64]  # [G]
    weights: Floats  # [G] how much each counts; they add up to 1
    players: NDArray[np.int64]  # [G] who played, -1: nobody else's game


def fit_curve(sample: RatedGames) -> NormalCurve:
    """Fit the model to games of known ratings; UsageError if too few of those are different."""
    if len(np.unique(sample.ratings)) < LEAST_RATINGS:
        raise UsageError(
            f"fewer than {LEAST_RATINGS} different ratings to learn from; add games of others"
        )
    spread = np.array([1.0, 0.0])
    for _ in range(ROUNDS):
        curve, precision, residuals = _fit_means(sample, spread_of(spread, sample.moves))
        spread = _fit_spread(sample, (residuals @ (precision @ curve[1])) ** 2)
    said = residuals @ (precision @ curve[1]) / np.sqrt(spread_of(spread, sample.moves))
    return NormalCurve(curve, precision, spread, intraclass_correlation(said, sample.players))


def _fit_means(sample: RatedGames, spread: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the curve's coefficients, the precision, and the residuals [G, F]."""
    weights = sample.weights / spread  # W is the weighted mean of r r^T / s: no division by a sum
    terms = powers(sample.ratings)
    heavy = terms * weights[:, None]
    curve = np.asarray(np.linalg.solve(heavy.T @ terms, heavy.T @ sample.rows), np.float64)
    residuals = sample.rows - terms @ curve
    within = (residuals * weights[:, None]).T @ residuals
    precision = np.linalg.inv(within + RIDGE * np.eye(len(within)))
    return curve, np.asarray(precision, np.float64), residuals


def _fit_spread(sample: RatedGames, squares: Floats) -> Floats:
    """Return a and b of s(n), for squared residuals along the curve; their mean becomes 1."""
    root = np.sqrt(sample.weights)
    terms = np.stack([np.ones(len(squares)), 1 / np.maximum(sample.moves, 1)], 1)
    coefficients = np.linalg.lstsq(terms * root[:, None], squares * root, rcond=None)[0]
    return coefficients / (sample.weights @ (terms @ coefficients))


def intraclass_correlation(said: Floats, players: NDArray[np.int64]) -> float:
    """Return the correlation of two games of one player in ``said`` [G]; 0 if nobody has two."""
    known = players >= 0
    _, of, counts = np.unique(players[known], return_inverse=True, return_counts=True)
    values = said[known]
    sums, squares = np.bincount(of, values), np.bincount(of, values**2)
    pairs = (counts * (counts - 1)).astype(float)
    some = counts > 1
    if not some.any():
        return 0.0
    # players weigh by their games, not by pairs: few have hundreds
    products = (sums**2 - squares)[some] / pairs[some]
    variance = (squares[some] / counts[some]).mean()
    return float(np.clip(products.mean() / variance, 0.0, 1.0))


# -- files ---


def save(
    method: PooledFeatures,
    network: Path,
    scales: list[str],
    path: Path,
    policies: Sequence[Path] = (),
    **facts: Any,
) -> None:
    """Write a method that has learned from the outputs of ``network``, which knows ``scales``.

    ``policies`` are the extra networks that it uses. ``facts`` about it are kept as JSON. The
    file appears whole.
    """
    facts = {
        "scale": scales[method.scale],  # that the network is asked about
        "scales": scales,
        "ranks": asdict(method.ranks),
        "classes": method.classes,
        "network": digest_of(network),
        "policies": [graph_digest(policy) for policy in policies],
        "centres": method.centres.tolist(),
        "version": VERSION,
        **facts,
    }
    arrays: dict[str, Any] = {
        f"{kind.value}.{half}.{name}": np.asarray(value, np.float32)
        for kind, models in method.models.items()
        for half, model in enumerate(models)
        for name, value in _flat(model)
    }
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, facts=np.array(json.dumps(facts)), **arrays)


def _flat(model: GameModel) -> list[tuple[str, Any]]:
    """Return the arrays of a model with their names."""
    layers = [
        (f"layer{number}.{name}", value)
        for number, layer in enumerate(model.layers)
        for name, value in layer._asdict().items()
    ]
    scales = [
        (f"{part}.{name}", value)
        for part, scale in (("numbers", model.numbers), ("features", model.features))
        for name, value in scale._asdict().items()
    ]
    curve = [(FILE_KEYS.get(name, name), value) for name, value in model.curve._asdict().items()]
    return [*layers, *scales, *curve]


# -- targets of SE-MCTS ---


def target_curves(
    moves: MoveFeatures, sides: NDArray, labels: NDArray, column: int, ranks: Ranks
) -> NDArray[np.float64]:
    """Return the mean beta of each rank at each ply [R, PLIES], smoothed.

    ``sides`` [G] of the players judged are 0 for who moved first, ``labels`` [G] their ranks,
    ``column`` is BETA (SE_inf) or BETA_PLAIN (SE).
    """
    plies = 2 * moves.places + np.repeat(sides, moves.counts)
    rank = np.repeat(labels, moves.counts)
    kept = (plies < PLIES) & (rank > 0)
    cell = (rank[kept] - 1) * PLIES + plies[kept]
    shape = ranks.count, PLIES
    size = ranks.count * PLIES
    counts = np.bincount(cell, minlength=size).reshape(shape)
    betas = moves.columns[STRENGTH][kept, column]
    sums = np.bincount(cell, weights=betas, minlength=size).reshape(shape)
    return np.array([_smooth(*row) for row in zip(sums, counts, strict=True)])


def _smooth(sums: NDArray, counts: NDArray) -> NDArray[np.float64]:
    """Return means [P] over the plies near each, triangular weights."""
    weights = NEAR + 1 - np.abs(np.arange(-NEAR, NEAR + 1))
    near = np.convolve(counts, weights > 0, "same")
    wide = np.convolve(counts, weights, "same")
    means = np.convolve(sums, weights, "same") / np.maximum(wide, 1)
    few = NEAR + np.flatnonzero(near[NEAR:] < LEAST)  # the first plies have fewer near them
    if len(few):
        means[few[0] :] = means[few[0] - 1]
    return means


def save_targets(targets: Targets, path: Path, network: str) -> None:
    """Write them, whole; ``network`` is the digest of the network that gave the betas."""
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(
            file,
            beta=targets.beta.astype(np.float32),
            plain=targets.plain.astype(np.float32),
            ranks=np.array([targets.ranks.lowest, targets.ranks.width, targets.ranks.count]),
            written=np.array(targets.ranks.written),
            network=np.array(network),
        )
