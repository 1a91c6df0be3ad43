"""What a device with a network on it offers: slots, fixed batch sizes with buffers of their own."""

import threading
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.network.artifact import CONDITIONS, KEEP_NAMES

Floats = NDArray[np.float32]

OUTPUTS = {
    "policy": "logits",
    "value": "values",
    "wdl": "wdl",
    "strength": "scores",
    "lead": "leads",
    "ownership": "ownership",
}
"""Outputs of a network's graph -> fields of Evaluation."""
INPUTS = ("planes", *KEEP_NAMES, CONDITIONS)


class Slot(Protocol):
    """One batch size, ready to run: fill the inputs, `run()`, read the outputs."""

    inputs: list[Floats]  # planes [n, C, H, W], with dropout three keep-masks [n, F], conditions
    outputs: list[Floats]  # policy [n, A], value [n], and of OUTPUTS what else there is
    names: list[str]  # of the outputs, values of OUTPUTS

    def run(self) -> None:
        """Compute the outputs from the inputs."""


class Backend(Protocol):
    """A device with a network on it."""

    sizes: tuple[int, ...]  # batch sizes worth having a slot for, increasing
    lock: threading.RLock  # held from filling a slot's inputs until its outputs are copied

    def slot(self, size: int, dropout: bool) -> Slot:
        """Return the slot of a size, made once; with `dropout` it has keep-mask inputs."""
