"""Finding the ranges of a network's layers for eight bits."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.games.game import Game
from evenmatch.network.artifact import CONDITIONS, read_card
from evenmatch.network.backend import OpenVinoBackend
from evenmatch.network.card import Card
from evenmatch.network.conditions import condition_rows
from evenmatch.network.openvino_graph import LEAST, Ranges, convolutions
from evenmatch.network.processor import import_openvino

BATCH = 64  #: positions that are judged at once


def find_ranges(network: str | Path, game: Game, states: NDArray[np.uint64]) -> Ranges:
    """Return the most that goes into each convolution of a network's trunk, over states [n, S].

    The network gets no rating, one that knows profiles all ranks. NetworkError if it has no such
    convolutions.
    """
    card = read_card(network)
    encode = game.encoder(card.shape[0])
    card = replace(card, shape=(card.shape[0], game.height, game.width))
    try:
        names, first, compiled = _with_inputs_shown(network, card)
    except (RuntimeError, ValueError, LookupError, StopIteration, TypeError):
        raise NetworkError(f"network {network} cannot be run; export it again") from None
    if not names:
        raise NetworkError(f"network {network} has no convolutions for eight bits; use it as it is")
    inputs = {port.get_any_name(): np.zeros(port.shape, np.float32) for port in compiled.inputs}
    if CONDITIONS in inputs:
        inputs[CONDITIONS][:] = condition_rows(card, _ratings(card), 0, game.height * game.width)
    most = np.zeros(len(compiled.outputs) - first)
    for at in range(0, len(states), BATCH):
        some = states[at : at + BATCH]
        encode(some, inputs["planes"][: len(some)])
        told = compiled(inputs)
        seen = [told[output][: len(some)].max() for output in compiled.outputs[first:]]
        most = np.maximum(most, seen)
    return {name: max(float(most[at]), LEAST) for name, at in names.items()}


def _ratings(card: Card) -> NDArray[np.float64]:
    """Return the ratings [BATCH] that a network is asked for: none, or all that profiles have."""
    if not card.profiles:
        return np.zeros(BATCH)
    low, high = card.condition_knots
    return np.concatenate([[0.0], np.linspace(low, high, BATCH - 1)])


def _with_inputs_shown(network: str | Path, card: Card) -> tuple[dict[str, int], int, Any]:
    """Return the convolutions by name, and a compiled model that returns what goes into each.

    Its outputs for them begin with the one of the number between; each convolution has the place of
    its own among these, which several may share.
    """
    model = OpenVinoBackend(network, card, "f32", None).model(BATCH, dropout=False)
    nodes, first = list(convolutions(model)), len(model.outputs)
    places: dict[str, int] = {}
    names = {}
    for node in nodes:
        before = node.input_value(0).get_node().get_friendly_name()
        if before not in places:
            places[before] = len(places)
            model.add_outputs(node.input_value(0))
        names[node.get_friendly_name()] = places[before]
    openvino = import_openvino()
    compiled = openvino.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return names, first, compiled
