"""The ranges of a network's layers for eight bits, from positions of people's games."""

from datetime import date
from pathlib import Path

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.network.artifact import read_card
from evenmatch.network.openvino_graph import write_ranges
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.networks.range_finding import find_ranges

SPLIT = "tune"  #: whose positions are looked at
POSITIONS = 1_024


def fit_ranges(network: Path, folder: Path, *, seed: int = 0, command: str = "") -> Path:
    """Write the ranges of a network beside it; return where. The dataset is of the same game.

    UsageError if it is of another, or has no moves of the split.
    """
    dataset, card = Dataset.open(folder), read_card(network)
    game = get_game(dataset.codec.game.id)
    if card.game not in (game.id, game.family):
        raise UsageError(f"{folder} is of {game.id}, {network} of {card.game}; take games of that")
    games, plies = dataset.turns(dataset.select(split=SPLIT))
    if not len(games):
        raise UsageError(f"{folder} has no moves of split {SPLIT}; build it with some")
    kept = np.random.default_rng(seed).permutation(len(games))[:POSITIONS]
    states = dataset.states(games[kept], plies[kept]).states
    made = {
        "command": command,
        "date": date.today().isoformat(),
        "seed": seed,
        "positions": len(states),
    }
    return write_ranges(network, find_ranges(network, game, states), made)
