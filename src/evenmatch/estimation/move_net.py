"""A small network that turns what is known of a move into features worth averaging over a game.

It is learned so that the mean over a game's moves tells the rank (a deep set, Zaheer et al. 2017):
cross-entropy of a linear classifier of the means, which is thrown away afterwards. So a blunder
can count less in a hard position than in an easy one, or more in the opening. Learning needs torch;
what was learned is arrays.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MissingExtraError
from evenmatch.estimation.move_features import MoveFeatures

Floats = NDArray[np.float64]

HIDDEN, FEATURES = 32, 12
EPOCHS, GAMES = 64, 128  #: passes over the games, games of a step
LEARNING_RATE, WARM_UP, WEIGHT_DECAY = 5e-3, 50, 0.5  #: AdamW's, rising for 50 steps
EVENNESS = 0.5  #: a rank with n games is drawn n ** (1 - this) often: 1 draws all ranks alike
BLOCK = 65536  #: moves at a time


class Layer(NamedTuple):
    """A dense layer."""

    weight: NDArray[np.float32]  # [out, in]
    bias: NDArray[np.float32]  # [out]


def game_features(layers: list[Layer], numbers: NDArray[np.float32], moves: MoveFeatures) -> Floats:
    """Return each game's mean features [G, FEATURES], 0 if it has no moves; ``numbers`` [M, C]."""
    parts = [_forward(layers, numbers[at : at + BLOCK]) for at in range(0, len(numbers), BLOCK)]
    features = np.concatenate([np.zeros((0, len(layers[-1].bias))), *parts])
    return moves.sums(features) / np.maximum(moves.counts, 1)[:, None]


def _forward(layers: list[Layer], x: NDArray[np.float32]) -> NDArray[np.float32]:
    from scipy.special import ndtr

    for number, layer in enumerate(layers):
        x = x @ layer.weight.T + layer.bias
        if number < len(layers) - 1:
            x = x * ndtr(x)  # GELU
    return x


def torch_module() -> Any:
    """Return torch, which learning needs; MissingExtraError if it is not installed."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError(
            "learning features of moves needs torch: pip install 'evenmatch[train]'"
        ) from error
    return torch


def learn(
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
