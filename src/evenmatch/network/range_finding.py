"""Finding the ranges of a network's layers for eight bits."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.games.game import Game
from evenmatch.network.artifact import CONDITIONS, read_card
from evenmatch.network.eight_bits import LEAST, Ranges, convolutions
from evenmatch.network.openvino_backend import OpenVinoBackend
from evenmatch.network.runtime import import_openvino

BATCH = 64  #: positions that are judged at once


def find_ranges(network: str | Path, game: Game, states: NDArray[np.uint64]) -> Ranges:
    """Return the most that goes into each convolution of a network's trunk, over states [n, S].

    Nobody's rating is told to the network. NetworkError if it has no such convolutions.
    """
    card = read_card(network)
    card = replace(card, shape=(card.shape[0], game.height, game.width))
    openvino, encode = import_openvino(), game.encoder(card.shape[0])
    model = OpenVinoBackend(network, card, "f32", None).model(BATCH, dropout=False)
    nodes = list(convolutions(model))
    if not nodes:
        raise NetworkError(f"network {network} has no convolutions for eight bits; use it as it is")
    first = len(model.outputs)
    for node in nodes:
        model.add_outputs(node.input_value(0))
    compiled = openvino.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    inputs = {port.get_any_name(): np.zeros(port.shape, np.float32) for port in compiled.inputs}
    if CONDITIONS in inputs:
        inputs[CONDITIONS][:, 0] = 1  # not known
    most = np.zeros(len(nodes))
    for at in range(0, len(states), BATCH):
        encode(states[at : at + BATCH], inputs["planes"][: len(states) - at])
        told = compiled(inputs)
        seen = [told[output].max() for output in compiled.outputs[first:]]
        most = np.maximum(most, seen)
    names = [node.get_friendly_name() for node in nodes]
    return {name: max(float(m), LEAST) for name, m in zip(names, most, strict=True)}
