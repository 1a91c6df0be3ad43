"""Devices with networks on them: what they offer, and the CPU, where OpenVINO runs them.

A device offers slots, fixed batch sizes with buffers of their own. On the CPU each is a model that
is compiled for its batch on first use.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.network.artifact import CONDITIONS, DETAILS, KEEP_NAMES, OPTIMISTIC
from evenmatch.network.card import Card
from evenmatch.network.openvino_graph import (
    Ranges,
    drop_output,
    largest_output,
    quantize,
    read_ranges,
    remove_mask,
    repeat_before,
)
from evenmatch.network.processor import Precision, bf16_pays, eight_bits_pay, import_openvino

Floats = NDArray[np.float32]

OUTPUTS = {
    "policy": "logits",
    "value": "values",
    "wdl": "wdl",
    "strength": "scores",
    "lead": "leads",
    "ownership": "ownership",
    OPTIMISTIC: OPTIMISTIC,
    DETAILS: DETAILS,
}
"""Outputs of a network's graph -> fields of Evaluation, and those that it does not have."""
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


LARGEST_OUTPUT = 1 << 26  #: numbers; 64 positions of the largest convolutions have a fifth of it
UNUSABLE = (RuntimeError, ValueError, LookupError, StopIteration, TypeError)
"""What OpenVINO and changes to a graph raise if it is not like ours."""
ATTENTION = "attention"  #: in `Card.architecture`: points are compared with each other
CPU_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64)
SINGLE_THREAD_MACS = 60e6
"""Below this work per call (multiply-adds), waking a second core costs more than it brings."""


def chosen_precision(path: str | Path, precision: Precision) -> Precision:
    """Return int8, bf16 or f32, as a network is computed on this CPU. Raises NetworkError."""
    if _wanted_ranges(path, precision):
        return "int8"
    return "bf16" if precision == "bf16" or (precision != "f32" and bf16_pays()) else "f32"


def _wanted_ranges(path: str | Path, precision: Precision) -> Ranges | None:
    """Return the ranges of layers to compute in eight bits, None for all as they are."""
    wanted = precision == "int8" or (precision == "fast" and eight_bits_pay())
    ranges = read_ranges(path) if wanted else None
    if precision == "int8" and ranges is None:
        raise NetworkError(
            f"network {path} is not prepared for eight bits; prepare it with `evenmatch "
            "network quantize`, or set EVENMATCH_PRECISION=fast"
        )
    return ranges


class OpenVinoBackend:
    """The CPU: one statically shaped compiled model per batch size, compiled on first use."""

    sizes: tuple[int, ...] = CPU_SIZES

    def __init__(
        self, path: str | Path, card: Card, precision: Precision, threads: int | None
    ) -> None:
        openvino = import_openvino()
        self._ov, self._core, self._path, self._card = openvino, openvino.Core(), path, card
        self._half = precision == "bf16" or (precision != "f32" and bf16_pays())
        self._ranges = _wanted_ranges(path, precision)
        self.precision: Precision = "int8" if self._ranges else "bf16" if self._half else "f32"
        self._threads = threads
        self._slots: dict[tuple[int, bool, int, bool], Slot] = {}
        self.lock = threading.RLock()
        if ATTENTION in card.architecture:
            self.sizes = self._sizes_that_fit()

    def _sizes_that_fit(self) -> tuple[int, ...]:
        """Return the batch sizes of a transformer whose attention fits the memory, 1 at least.

        NetworkError if the graph is not of a network.
        """
        try:
            one = largest_output(self.model(1, False))
        except UNUSABLE:
            raise self._unusable() from None
        return tuple(size for size in CPU_SIZES if size == 1 or size * one <= LARGEST_OUTPUT)

    def _unusable(self) -> NetworkError:
        return NetworkError(f"network {self._path} cannot be run; export it again")

    def model(self, size: int, dropout: bool, policies: int = 1, whole: bool = False) -> Any:
        """Return the graph for a batch size, before it is compiled; see :meth:`slot`."""
        model = self._core.read_model(str(self._path))
        given = {name for output in model.outputs for name in output.names}
        for name in () if whole else given & {OPTIMISTIC, DETAILS}:
            drop_output(model, name)
        if not dropout:
            for name in KEEP_NAMES:
                remove_mask(model, name)
        if policies == 0:
            drop_output(model, "policy")
        if self._ranges and not whole:
            quantize(self._ov, model, self._ranges)
        shapes = {p: [size, *list(p.partial_shape)[1:]] for p in model.inputs}
        shapes[model.input("planes")] = [size, *self._card.shape]
        if policies > 1:
            shapes[model.input(CONDITIONS)][0] = policies * size
            repeat_before(self._ov, model, CONDITIONS, policies)
        model.reshape(shapes)
        if largest_output(model) > LARGEST_OUTPUT:
            raise ValueError("a layer that fills the memory")
        return model

    def _config(self, size: int, half: bool) -> dict[str, Any]:
        config = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1}
        config["INFERENCE_PRECISION_HINT"] = "bf16" if half else "f32"
        _, height, width = self._card.shape
        macs = 18 * self._card.blocks * self._card.channels**2 * height * width * size
        threads = 1 if macs < SINGLE_THREAD_MACS else self._threads
        if threads is not None:
            config["INFERENCE_NUM_THREADS"] = threads
        return config

    def slot(self, size: int, dropout: bool, policies: int = 1, whole: bool = False) -> Slot:
        """Return the slot of a batch size, compiled once.

        With several ``policies`` conditions and policies are as many: [policies * size, ...],
        those of all positions by one condition in a row. With 0 there is neither. ``whole``: it has
        the outputs that no search asks for, too, and is computed in float32.
        NetworkError if the graph is none, or none of ours.
        """
        key = size, dropout, policies, whole
        if key in self._slots:
            return self._slots[key]
        try:
            model = self.model(size, dropout, policies, whole)
            config = self._config(size, self._half and not whole)
            compiled = self._core.compile_model(model, "CPU", config)
            slot = self._slots[key] = _OpenVinoSlot(self._ov, compiled)
            return slot
        except UNUSABLE:
            raise self._unusable() from None


class _OpenVinoSlot:
    """A compiled model whose request reads and writes our own numpy buffers (no copies)."""

    def __init__(self, ov: Any, compiled: Any) -> None:
        wanted = {name for port in compiled.inputs for name in port.names}
        names = [name for name in INPUTS if name in wanted]
        self.inputs = [_page_aligned(tuple(compiled.input(name).shape)) for name in names]
        given = {name for output in compiled.outputs for name in output.names}
        names_out = [name for name in OUTPUTS if name in given]
        self.names = [OUTPUTS[name] for name in names_out]
        self.outputs = [_page_aligned(tuple(compiled.output(name).shape)) for name in names_out]
        self._request = compiled.create_infer_request()
        for name, array in zip(names + names_out, self.inputs + self.outputs, strict=True):
            self._request.set_tensor(name, ov.Tensor(array, shared_memory=True))

    def run(self) -> None:
        self._request.infer(share_outputs=True)


def _page_aligned(shape: tuple[int, ...]) -> Floats:
    """Zeros at the start of a memory page, which OpenVINO takes without copying."""
    count = int(np.prod(shape))
    raw = np.zeros(count * 4 + 4096, np.uint8)
    start = -raw.ctypes.data % 4096
    return raw[start : start + count * 4].view(np.float32).reshape(shape)
