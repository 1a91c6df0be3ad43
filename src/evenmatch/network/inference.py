"""Evaluate positions with a network artifact: OpenVINO on the CPU, torch on CUDA and MPS.

Both backends work on slots: fixed batch sizes with input and output buffers that are allocated
once. The game encodes straight into the input buffer. Measured on 2 cores with AMX (6x64 net on
8x8): one request on all cores beats two requests of one core each at every batch size, and
batches of 64 beat 256 by half (activations stay in the L2 cache), so large batches are chunked.

openvino and torch are imported when an evaluator is made, not with this module.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MissingExtraError, NetworkError, UsageError
from evenmatch.games.bits import kernel, next_random
from evenmatch.network.artifact import CONDITIONS, KEEP_NAMES, read_card
from evenmatch.network.card import Card
from evenmatch.network.conditions import Asked, condition_count, conditions
from evenmatch.network.processor import bf16_pays
from evenmatch.network.runtime import import_openvino
from evenmatch.search.evaluator import NOTHING, Evaluation, Request

if TYPE_CHECKING:
    from evenmatch.games.game import Game

Floats = NDArray[np.float32]
DeviceName = Literal["auto", "cpu", "cuda", "mps"]
Precision = Literal["auto", "bf16", "f32"]

OUTPUTS = {
    "policy": "logits",
    "value": "values",
    "wdl": "wdl",
    "strength": "scores",
    "lead": "leads",
    "ownership": "ownership",
}
"""Outputs of a network's graph -> fields of Evaluation."""
ANY_BOARD = (0, 0, 0)
"""Height, width and actions on the card of a network that serves every square board."""
INPUTS = ("planes", *KEEP_NAMES, CONDITIONS)
CPU_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64)
GPU_SIZES = (1, 8, 32, 64, 128, 256, 512, 1024)
SINGLE_THREAD_MACS = 60e6
"""Below this work per call (multiply-adds), waking a second core costs more than it brings."""


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

    def slot(self, size: int, dropout: bool) -> Slot:
        """Make a slot; with `dropout` it has keep-mask inputs."""


class _Views(NamedTuple):
    """The first n rows of a slot's buffers."""

    slot: Slot
    inputs: list[Floats]
    outputs: list[Floats]
    evaluation: Evaluation  # the outputs by name


class NetworkEvaluator:
    """The evaluator of the search seam, backed by a network file.

    `device` 'auto' is CUDA when torch sees it and else the CPU; `precision` 'auto' is bf16 where
    it pays; `threads` None is all cores (CPU only). `sizes` are the batches worth
    preparing, increasing, those of the device by default; each takes a tenth of a second when it
    is first used. Buffers are reused: threads that share it hold its `lock` until they have
    copied what they keep.

    Raises NetworkError for a bad file, a network of another game or a device that is not there,
    MissingExtraError when the device needs torch and it is not installed.
    """

    card: Card

    def __init__(
        self,
        path: str | Path,
        game: Game,
        *,
        device: DeviceName = "auto",
        precision: Precision = "auto",
        threads: int | None = None,
        sizes: tuple[int, ...] = (),
    ) -> None:
        self.card = read_card(path)
        self.game = game
        self._encode = _encoder(self.card, game, path)
        _check_choice("device", device, ("auto", "cpu", "cuda", "mps"))
        _check_choice("precision", precision, ("auto", "bf16", "f32"))
        self.device = _pick_device(self.card) if device == "auto" else device
        self._backend: Backend
        shape = (self.card.shape[0], game.height, game.width)  # a card may leave it open
        if self.device == "cpu":
            card = replace(self.card, shape=shape)
            self._backend = OpenVinoBackend(path, card, precision, threads)
        else:
            self._backend = TorchBackend(path, shape, self.device, precision)
        self._sizes = sizes or self._backend.sizes
        self.lock = threading.RLock()
        self._unknown = np.zeros(
            condition_count(len(self.card.scales), self.card.condition_knots), np.float32
        )
        self._unknown[:1] = 1
        self._slots: dict[tuple[int, bool], Slot] = {}
        self._asked: dict[tuple[int, int], Slot] = {}  # by size and policies
        self._views: dict[tuple[int, bool], _Views] = {}
        self._whole: list[Floats] = []  # outputs of several chunks together, as in a slot

    def evaluate(self, states: NDArray[np.uint64], request: Request = NOTHING) -> Evaluation:
        """Evaluate states [n, S]; see `Evaluation` for the shapes, None for what it does not tell.

        Dropout is each row's drop probability in [0, 1) in the heads (AlphaDDA2). Its masks depend
        on the row's seed (left as it is) and on nothing else; without seeds they are fresh each
        call. The next call overwrites the arrays returned: copy what is to be kept.
        """
        with self.lock:
            return self._run(states, request)

    def evaluate_asked(
        self, states: NDArray[np.uint64], asked: Sequence[Asked]
    ) -> tuple[Floats, Floats]:
        """Return the policies asked for, logits [R, n, A], of states [n, S], and values [n].

        They are copies. Where values depend on who is asked for, they are the first's.
        NetworkError if the network knows no such rating scale. Where the backend can, what does not
        depend on who is asked for is computed once.
        """
        with self.lock:
            if isinstance(self._backend, OpenVinoBackend) and len(asked) > 1:
                return self._run_asked(self._backend, states, asked)
            told, values = [], []
            for rating, scale in asked:
                rows = np.full(len(states), rating), np.full(len(states), scale)
                judged = self._run(states, Request(ratings=rows[0], scales=rows[1]))
                told.append(judged.logits.copy())
                values.append(judged.values.copy())
        return np.stack(told), values[0]

    def _run_asked(
        self, backend: OpenVinoBackend, states: NDArray[np.uint64], asked: Sequence[Asked]
    ) -> tuple[Floats, Floats]:
        """Return what `evaluate_asked` does, in chunks of one size."""
        ratings, scales = np.array(asked).T
        told = self._conditions(Request(ratings=ratings, scales=scales.astype(np.intp)))
        assert told is not None, "somebody's policy is asked for"
        n, count = len(states), len(asked)
        size = next((size for size in self._sizes if size >= n), self._sizes[-1])
        key = size, count
        slot = self._asked.get(key)
        if slot is None:
            slot = self._asked[key] = backend.slot(size, False, count)
        slot.inputs[-1][:] = np.repeat(told, size, 0)
        at_policy, at_value = slot.names.index("logits"), slot.names.index("values")
        actions = slot.outputs[at_policy].shape[1]
        logits, values = np.empty((count, n, actions), np.float32), np.empty(n, np.float32)
        for at in range(0, n, size):
            part = states[at : at + size]
            self._encode(part, slot.inputs[0][: len(part)])
            slot.run()
            of_all = slot.outputs[at_policy].reshape(count, size, actions)
            logits[:, at : at + size] = of_all[:, : len(part)]
            values[at : at + size] = slot.outputs[at_value][: len(part)]
        return logits, values

    def _run(self, states: NDArray[np.uint64], request: Request) -> Evaluation:
        """Evaluate states [n, S], chunk by chunk."""
        n, most = len(states), self._sizes[-1]
        told = self._conditions(request)
        drop = None if request.dropout is None else _checked_dropout(request.dropout, n)
        seeds = request.seeds
        if drop is not None and seeds is None:
            seeds = np.random.default_rng().integers(1, 1 << 63, n, np.uint64)
        if n <= most:
            return self._run_chunk(states, told, drop, seeds).evaluation
        for at in range(0, n, most):
            part = slice(at, at + most)
            chunk = (None, None) if drop is None or seeds is None else (drop[part], seeds[part])
            among = None if told is None else told[part]
            views = self._run_chunk(states[part], among, *chunk)
            if not self._whole or len(self._whole[0]) < n:
                self._whole = [np.empty((n, *out.shape[1:]), np.float32) for out in views.outputs]
            for array, out in zip(self._whole, views.outputs, strict=True):
                array[at : at + len(out)] = out
        return _named(views.slot.names, [array[:n] for array in self._whole])

    def _conditions(self, request: Request) -> Floats | None:
        """Return the conditions [n, K] of the rows' ratings, None where none is asked for."""
        ratings = request.ratings
        if ratings is None or not np.any(ratings):
            return None
        scales = len(self.card.scales)
        if not scales:
            raise NetworkError("this network knows no ratings; use one trained on rated games")
        numbers = 0 if request.scales is None else request.scales
        if np.any(np.asarray(numbers) >= scales):
            raise NetworkError(f"this network knows {scales} rating scales; ask for one of them")
        return conditions(ratings, numbers, scales, self.card.condition_knots)

    def _run_chunk(
        self, states: NDArray[np.uint64], told: Floats | None, drop: Any, seeds: Any
    ) -> _Views:
        """Evaluate states that fit one slot; the outputs hold until the slot runs again."""
        views = self._view(len(states), drop is not None)
        if len(states):
            self._encode(states, views.inputs[0])
            if drop is not None:
                draw_masks(drop, seeds, *views.inputs[1:4])
            if len(self._unknown):
                views.inputs[-1][:] = self._unknown if told is None else told
            views.slot.run()
        return views

    def _view(self, n: int, dropout: bool) -> _Views:
        """The views of n rows, from the smallest slot that holds them; made on first use."""
        views = self._views.get((n, dropout))
        if views is None:
            size = next(size for size in self._sizes if size >= n)
            slot = self._slots.get((size, dropout))
            if slot is None:
                slot = self._slots[size, dropout] = self._backend.slot(size, dropout)
            outputs = [array[:n] for array in slot.outputs]
            inputs = [array[:n] for array in slot.inputs]
            views = _Views(slot, inputs, outputs, _named(slot.names, outputs))
            self._views[n, dropout] = views
        return views


def _named(names: list[str], outputs: list[Floats]) -> Evaluation:
    """Return outputs as an evaluation; what else a slot gives is nobody's."""
    named = dict(zip(names, outputs, strict=True))
    return Evaluation(**{name: named[name] for name in Evaluation._fields if name in named})


def _checked_dropout(head_dropout: Any, n: int) -> NDArray | None:
    """Drop probabilities as an array [n], or None if nothing is dropped."""
    drop = np.asarray(head_dropout, np.float64)
    if drop.shape != (n,) or not ((drop >= 0) & (drop < 1)).all():
        raise NetworkError(f"head_dropout must be {n} probabilities in [0, 1); clip it")
    return drop if drop.any() else None


@kernel
def draw_masks(drop, seeds, policy, value, hidden):  # [n], [n], [n, F] each
    """Write inverted-dropout masks: 0 with the row's probability p, else 1/(1-p)."""
    for row in range(len(drop)):
        word = seeds[row]
        scale = np.float32(1.0 / (1.0 - drop[row]))
        least = np.uint64(drop[row] * 4294967296.0)  # of 32 random bits, to be kept
        for mask in (policy, value, hidden):
            for unit in range(mask.shape[1]):
                word, bits = next_random(word)
                mask[row, unit] = scale if bits >= least else np.float32(0.0)


def _encoder(card: Card, game: Game, path: str | Path) -> Callable[[Any, Floats], None]:
    """The game's encoding for a network. Raises NetworkError if the two do not fit."""
    if card.game != game.id and card.game != game.family:
        raise NetworkError(f"network {path} plays {card.game}; use one trained for {game.id}")
    planes, *board = card.shape
    have = (*board, card.actions)
    need = game.height, game.width, game.num_actions
    try:
        encoder = game.encoder(planes)
    except UsageError:
        encoder = None
    if encoder is None or have not in (need, ANY_BOARD):
        raise NetworkError(
            f"network {path} has planes and actions {(card.shape, card.actions)}, {game.id} has "
            f"{((game.planes, *need[:2]), need[2])}; train a new one"
        )
    return encoder


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise NetworkError(f"unknown {name} {value!r}; use one of {', '.join(choices)}")


def _pick_device(card: Card) -> DeviceName:
    """'cuda' if torch can use one, else 'cpu'; torch is imported only where a driver is present."""
    if not card.torch:
        return "cpu"
    if (os.path.exists("/dev/nvidiactl") or os.name == "nt") and find_spec("torch"):
        import torch

        if torch.cuda.is_available():
            return "cuda"
    return "cpu"


def _page_aligned(shape: tuple[int, ...]) -> Floats:
    """Zeros at the start of a memory page, which OpenVINO takes without copying."""
    count = int(np.prod(shape))
    raw = np.zeros(count * 4 + 4096, np.uint8)
    start = -raw.ctypes.data % 4096
    return raw[start : start + count * 4].view(np.float32).reshape(shape)


class OpenVinoBackend:
    """The CPU: one statically shaped compiled model per batch size, compiled on first use."""

    sizes: tuple[int, ...] = CPU_SIZES

    def __init__(
        self, path: str | Path, card: Card, precision: Precision, threads: int | None
    ) -> None:
        openvino = import_openvino()
        self._ov, self._core, self._path, self._card = openvino, openvino.Core(), path, card
        half = precision == "bf16" or (precision == "auto" and bf16_pays())
        self.precision: Precision = "bf16" if half else "f32"
        self._threads = threads

    def _model(self, size: int, dropout: bool, policies: int = 1) -> Any:
        try:
            model = self._core.read_model(str(self._path))
        except RuntimeError:
            raise NetworkError(f"network {self._path} cannot be read; export it again") from None
        if not dropout:
            for name in KEEP_NAMES:
                _remove_mask(model, name)
        shapes = {p: [size, *list(p.partial_shape)[1:]] for p in model.inputs}
        shapes[model.input("planes")] = [size, *self._card.shape]
        if policies > 1:
            shapes[model.input(CONDITIONS)][0] = policies * size
            _repeat_before(self._ov, model, CONDITIONS, policies)
        model.reshape(shapes)
        return model

    def _config(self, size: int) -> dict[str, Any]:
        config = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1}
        config["INFERENCE_PRECISION_HINT"] = "bf16" if self.precision == "bf16" else "f32"
        _, height, width = self._card.shape
        macs = 18 * self._card.blocks * self._card.channels**2 * height * width * size
        threads = 1 if macs < SINGLE_THREAD_MACS else self._threads
        if threads is not None:
            config["INFERENCE_NUM_THREADS"] = threads
        return config

    def slot(self, size: int, dropout: bool, policies: int = 1) -> Slot:
        """Compile for a batch size; with several ``policies`` conditions and policies are as many.

        They are [policies * size, ...], those of all positions by one condition in a row.
        """
        model = self._model(size, dropout, policies)
        return _OpenVinoSlot(self._ov, self._core.compile_model(model, "CPU", self._config(size)))


def _repeat_before(openvino: Any, model: Any, name: str, times: int) -> None:
    """Repeat along the batch what meets an input of a model that has ``times`` as many rows."""
    source = model.input(name).get_node()
    rest = [
        p for p in model.get_parameters() if p.get_friendly_name() != source.get_friendly_name()
    ]
    after, shared = _downstream(source), set()
    for parameter in rest:
        shared |= _downstream(parameter)
    repeated: dict[str, Any] = {}
    for node in model.get_ordered_ops():
        if node.get_friendly_name() not in after:
            continue
        for port in node.inputs():
            output = port.get_source_output()
            at, shape = output.get_node().get_friendly_name(), output.get_partial_shape()
            by_row = len(shape) > 0 and shape[0].is_dynamic  # not the width of the board, say
            if by_row and at in shared and at not in after:
                if at not in repeated:
                    rank = len(shape)
                    repeated[at] = openvino.opset13.tile(output, [times] + [1] * (rank - 1))
                port.replace_source_output(repeated[at].output(0))


def _downstream(node: Any) -> set[str]:
    """Return the names of a node and of all that are computed from it."""
    found, due = set(), [node]
    while due:
        one = due.pop()
        if one.get_friendly_name() in found:
            continue
        found.add(one.get_friendly_name())
        due += [user.get_node() for output in one.outputs() for user in output.get_target_inputs()]
    return found


def _remove_mask(model: Any, name: str) -> None:
    """Cut a keep-mask and the multiplication by it out of a model."""
    parameter = next(p for p in model.get_parameters() if p.get_friendly_name() == name)
    source = parameter
    while True:
        (use,) = source.output(0).get_target_inputs()
        if use.get_node().get_type_name() == "Multiply":
            break
        source = use.get_node()  # of another shape
    product = use.get_node()
    product.output(0).replace(product.input_value(1 - use.get_index()))
    model.remove_parameter(parameter)


class _OpenVinoSlot:
    """A compiled model whose request reads and writes our own numpy buffers (no copies)."""

    def __init__(self, ov: Any, compiled: Any) -> None:
        asked = {name for port in compiled.inputs for name in port.names}
        names = [name for name in INPUTS if name in asked]
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


class TorchBackend:
    """CUDA or MPS: the torch module rebuilt from the artifact."""

    sizes: tuple[int, ...] = GPU_SIZES

    def __init__(
        self, path: str | Path, shape: tuple[int, int, int], device: str, precision: Precision
    ) -> None:
        try:
            import torch
        except ImportError:
            raise MissingExtraError(
                f"device {device!r} needs torch: pip install 'evenmatch[train]', or use device=cpu"
            ) from None
        available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        if not available.get(device, True):
            raise NetworkError(f"there is no {device} device here; use device=cpu")
        from evenmatch.network.modules import read_weights

        half = precision == "bf16" or (precision == "auto" and device == "cuda")
        self.precision: Precision = "bf16" if half else "f32"
        self._dtype = torch.bfloat16 if half else torch.float32
        net = read_weights(path).to(device, self._dtype)
        net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._torch, self._device, self._net, self._shape = torch, device, net, shape

    def slot(self, size: int, dropout: bool) -> Slot:
        """Allocate for a batch size."""
        c = self._net.config
        shapes: list[tuple[int, ...]] = [(size, *self._shape)]
        shapes += [(size, keep) for keep in c.keep_sizes] if dropout else []
        shapes += [(size, c.conditions)] if c.conditions else []
        return _TorchSlot(self, shapes)

    def forward(self, inputs: list[Any]) -> dict[str, Any]:
        """Run host tensors through the network; float32 host tensors come back, by OUTPUTS."""
        with self._torch.inference_mode():
            planes, *rest = (x.to(self._device, self._dtype, non_blocking=True) for x in inputs)
            told = rest.pop() if self._net.config.conditions else None
            output = self._net(planes, tuple(rest) or None, told)._asdict()
            said = {**output, "policy": output["logits"]}
            return {
                OUTPUTS[name]: said[name].float().cpu()
                for name in OUTPUTS
                if said[name] is not None
            }


class _TorchSlot:
    """Host buffers (pinned for CUDA) of one batch size."""

    def __init__(self, backend: TorchBackend, shapes: list[tuple[int, ...]]) -> None:
        torch, pinned = backend._torch, backend._device == "cuda"
        self._backend = backend
        self._tensors = [torch.zeros(shape, pin_memory=pinned) for shape in shapes]
        self.inputs = [tensor.numpy() for tensor in self._tensors]
        outputs = backend.forward(self._tensors)
        self.outputs = [np.empty(tuple(x.shape), np.float32) for x in outputs.values()]
        self.names = list(outputs)

    def run(self) -> None:
        outputs = self._backend.forward(self._tensors).values()
        for mine, new in zip(self.outputs, outputs, strict=True):
            mine[:] = new.numpy()
