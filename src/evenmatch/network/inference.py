"""Evaluate positions with a network artifact, by `backend` or `torch_backend`.

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
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError, UsageError
from evenmatch.games.bits import kernel, next_random
from evenmatch.network.artifact import OPTIMISTIC, read_card, shipped_path
from evenmatch.network.backend import Floats, OpenVinoBackend, Slot
from evenmatch.network.card import Card
from evenmatch.network.conditions import RatingCondition, condition_rows
from evenmatch.network.imported import as_artifact
from evenmatch.network.owner import backend_of, threads_in_use
from evenmatch.network.processor import PRECISIONS, Precision, precision
from evenmatch.search.evaluator import NOTHING, Evaluation, Evaluator, Request

if TYPE_CHECKING:
    from evenmatch.games.game import Game

DeviceName = Literal["auto", "cpu", "cuda", "mps"]

OF_POINTS = {"logits", "ownership", OPTIMISTIC}  #: outputs that begin with those of the points
ANY_BOARD = (0, 0, 0)
"""Height, width and actions on the card of a network that serves every square board."""


class _Views(NamedTuple):
    """The first n rows of a slot's buffers."""

    slot: Slot
    inputs: list[Floats]
    outputs: list[Floats]
    evaluation: Evaluation  # the outputs by name


class NetworkEvaluator:
    """The evaluator of the search seam, backed by a network file.

    `device` 'auto' is CUDA when torch sees it and else the CPU; `precision` 'auto' is bf16 where
    it pays, 'fast' is int8 where that pays and the network is prepared for it (`openvino_graph`),
    otherwise as 'auto'; `threads` None is all cores (CPU only). `sizes` are the batches worth
    preparing, increasing, those of the device by default; each takes a tenth of a second when it
    is first used. Evaluators of one file share what is compiled of it (see `owner`), and reuse
    its buffers: threads hold the `lock` until they have copied what they keep.

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
        _check_choice("precision", precision, PRECISIONS)
        self.device = _pick_device(self.card) if device == "auto" else device
        shape = (self.card.shape[0], game.height, game.width)  # a card may leave it open
        self._backend = backend_of(path, self.card, shape, self.device, precision, threads)
        self._sizes = sizes or self._backend.sizes
        self.lock = self._backend.lock
        self._unknown = condition_rows(self.card, [0.0], 0, game.height * game.width)[0]
        self._slots: dict[tuple[int, bool], Slot] = {}
        self._views: dict[tuple[int, bool], _Views] = {}
        self._whole: list[Floats] = []  # outputs of several chunks together, as in a slot

    def evaluate(self, states: NDArray[np.uint64], request: Request = NOTHING) -> Evaluation:
        """Evaluate states [n, S]; see `Evaluation` for the shapes, None for what it lacks.

        Dropout is each row's drop probability in [0, 1) in the heads (AlphaDDA2). Its masks depend
        on the row's seed (left as it is) and on nothing else; without seeds they are fresh each
        call. The next call overwrites the arrays returned: copy what is to be kept.
        """
        with self.lock:
            return self._run(states, request)

    def evaluate_policies(
        self, states: NDArray[np.uint64], conditions: Sequence[RatingCondition]
    ) -> tuple[Floats, Floats]:
        """Return policies of states [n, S] under R conditions, logits [R, n, A], and values [n].

        They are copies. Where values depend on the condition, they are those of the first.
        NetworkError if the network does not know a condition's rating scale. Where the backend can,
        what does not depend on the condition is computed once.
        """
        if isinstance(self._backend, OpenVinoBackend) and len(conditions) > 1:
            return self._run_policies(self._backend, states, conditions)
        with self.lock:
            logits, values = [], []
            for rating, scale in conditions:
                rows = np.full(len(states), rating), np.full(len(states), scale)
                judged = self._run(states, Request(ratings=rows[0], scales=rows[1]))
                logits.append(judged.logits.copy())
                values.append(judged.values.copy())
        return np.stack(logits), values[0]

    def evaluate_worth(self, states: NDArray[np.uint64]) -> Evaluation:
        """Evaluate states [n, S] as `evaluate` does, but for the policy, of which are 0 actions.

        All arrays are copies. Where the backend can, the policy is not computed.
        """
        if isinstance(self._backend, OpenVinoBackend):
            return self._run_worth(self._backend, states)
        with self.lock:
            judged = self._run(states, NOTHING)
            copies = {k: v.copy() for k, v in judged._asdict().items() if v is not None}
        return Evaluation(**copies | {"logits": copies["logits"][:, :0]})

    def evaluate_whole(
        self, state: NDArray[np.uint64], symmetry: int = 0, condition: Floats | None = None
    ) -> dict[str, Floats]:
        """Return all outputs for a position [S] of a square board, copies by their names.

        They are the fields of `Evaluation` that the network has, and what `artifact` says of
        OPTIMISTIC and DETAILS, on the CPU in float32. The board is turned by a ``symmetry``
        (`turned`) and the outputs back. ``condition`` [K] is of the policy; None: not known.
        """
        backend, size = self._backend, self.game.height
        with self.lock:
            if isinstance(backend, OpenVinoBackend):
                slot = backend.slot(1, False, whole=True)
            else:
                slot = backend.slot(1, False)
            self._encode(state[None], slot.inputs[0])
            slot.inputs[0][0] = turned(slot.inputs[0][0], symmetry)
            if len(self._unknown):
                slot.inputs[-1][0] = self._unknown if condition is None else condition
            slot.run()
            outputs = zip(slot.names, slot.outputs, strict=True)
            found = {name: output[0].copy() for name, output in outputs}
        for name in OF_POINTS & found.keys():
            board = found[name][: size * size]
            board[:] = turned(board.reshape(size, size), symmetry, back=True).ravel()
        return found

    def _run_worth(self, backend: OpenVinoBackend, states: NDArray[np.uint64]) -> Evaluation:
        """Return what `evaluate_worth` does, chunk by chunk."""
        n, most = len(states), self._sizes[-1]
        slot, _ = self._policies_slot(backend, n, 0)
        whole = [np.empty((n, *out.shape[1:]), np.float32) for out in slot.outputs]
        for at in range(0, n, most):
            part = states[at : at + most]
            with self.lock:  # others get their turn between chunks
                slot, _ = self._policies_slot(backend, len(part), 0)
                self._encode(part, slot.inputs[0][: len(part)])
                if len(slot.inputs) > 1:
                    slot.inputs[-1][:] = self._unknown
                slot.run()
                for array, out in zip(whole, slot.outputs, strict=True):
                    array[at : at + most] = out[: len(part)]
        return _named(["logits", *slot.names], [np.empty((n, 0), np.float32), *whole])

    def _policies_slot(self, backend: OpenVinoBackend, n: int, policies: int) -> tuple[Slot, int]:
        """Return a slot with so many policies for chunks of n rows, and its size."""
        sizes = self._sizes
        if self.card.profiles or self.card.both_ratings:  # few layers are shared by policies
            sizes = tuple(x for x in sizes if x * policies <= sizes[-1]) or sizes[:1]
        size = next((size for size in sizes if size >= n), sizes[-1])
        with self.lock:
            return backend.slot(size, False, policies), size

    def _run_policies(
        self,
        backend: OpenVinoBackend,
        states: NDArray[np.uint64],
        conditions: Sequence[RatingCondition],
    ) -> tuple[Floats, Floats]:
        """Return what `evaluate_policies` does, in chunks of one size."""
        ratings, scales = np.array(conditions).T
        conditioned = self._conditions(Request(ratings=ratings, scales=scales.astype(np.intp)))
        assert conditioned is not None, "the policy is conditioned on ratings"
        n, count = len(states), len(conditions)
        slot, size = self._policies_slot(backend, n, count)
        rows = np.repeat(conditioned, size, 0)
        at_policy, at_value = slot.names.index("logits"), slot.names.index("values")
        actions = slot.outputs[at_policy].shape[1]
        logits, values = np.empty((count, n, actions), np.float32), np.empty(n, np.float32)
        for at in range(0, n, size):
            part = states[at : at + size]
            with self.lock:
                slot.inputs[-1][:] = rows
                self._encode(part, slot.inputs[0][: len(part)])
                slot.run()
                of_all = slot.outputs[at_policy].reshape(count, size, actions)
                logits[:, at : at + size] = of_all[:, : len(part)]
                values[at : at + size] = slot.outputs[at_value][: len(part)]
        return logits, values

    def _run(self, states: NDArray[np.uint64], request: Request) -> Evaluation:
        """Evaluate states [n, S], chunk by chunk."""
        n, most = len(states), self._sizes[-1]
        conditioned = self._conditions(request)
        drop = None if request.dropout is None else _checked_dropout(request.dropout, n)
        seeds = request.seeds
        if drop is not None and seeds is None:
            seeds = np.random.default_rng().integers(1, 1 << 63, n, np.uint64)
        if n <= most:
            return self._run_chunk(states, conditioned, drop, seeds).evaluation
        for at in range(0, n, most):
            part = slice(at, at + most)
            chunk = (None, None) if drop is None or seeds is None else (drop[part], seeds[part])
            among = None if conditioned is None else conditioned[part]
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
        points = self.game.height * self.game.width
        return condition_rows(self.card, ratings, numbers, points, request.opponents)

    def _run_chunk(
        self, states: NDArray[np.uint64], conditioned: Floats | None, drop: Any, seeds: Any
    ) -> _Views:
        """Evaluate states that fit one slot; the outputs hold until the slot runs again."""
        views = self._view(len(states), drop is not None)
        if len(states):
            self._encode(states, views.inputs[0])
            if drop is not None:
                draw_masks(drop, seeds, *views.inputs[1:4])
            if len(self._unknown):
                views.inputs[-1][:] = self._unknown if conditioned is None else conditioned
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
            self._check_outputs(slot)
            outputs = [array[:n] for array in slot.outputs]
            inputs = [array[:n] for array in slot.inputs]
            views = _Views(slot, inputs, outputs, _named(slot.names, outputs))
            self._views[n, dropout] = views
        return views

    def _check_outputs(self, slot: Slot) -> None:
        """Raise NetworkError unless a slot gives what is read of it: the search checks nothing."""
        game = self.game
        known = {"logits": (game.num_actions,), "values": (), "wdl": (3,), "leads": ()}
        known["ownership"] = (game.height * game.width,)
        shapes = {name: out.shape[1:] for name, out in zip(slot.names, slot.outputs, strict=True)}
        whole = {"logits", "values"} <= shapes.keys()
        if not whole or any(known.get(name, shape) != shape for name, shape in shapes.items()):
            raise NetworkError(f"what the network says does not fit {game.id}; train a new one")


def turned(board: NDArray, symmetry: int, back: bool = False) -> NDArray:
    """Return a square board [..., H, W] turned, as KataGo numbers its symmetries.

    Bit 2: rows and columns are exchanged; then bit 0: rows are reversed, bit 1: columns. ``back``
    undoes it.
    """
    flips = tuple(axis for axis, bit in ((-2, 1), (-1, 2)) if symmetry & bit)
    if symmetry & 4 and back:
        return np.swapaxes(np.flip(board, flips), -1, -2)
    return np.flip(np.swapaxes(board, -1, -2) if symmetry & 4 else board, flips)


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
    """Write inverted-dropout masks: 0 with the row's probability p, otherwise 1/(1-p)."""
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
    return getattr(game, "encode_with_suicide", encoder) if card.suicide_area else encoder


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise NetworkError(f"unknown {name} {value!r}; use one of {', '.join(choices)}")


def _pick_device(card: Card) -> DeviceName:
    """'cuda' if torch can use one, otherwise 'cpu'; imports torch only with a driver present."""
    if not card.torch:
        return "cpu"
    if (os.path.exists("/dev/nvidiactl") or os.name == "nt") and find_spec("torch"):
        import torch

        if torch.cuda.is_available():
            return "cuda"
    return "cpu"


class WithStrengthHead:
    """An evaluator that takes its strength scores from another one."""

    def __init__(self, evaluator: Evaluator, scores: Evaluator):
        self._evaluator, self._scores = evaluator, scores

    def evaluate(self, states, request: Request = NOTHING) -> Evaluation:
        """Judge positions [n, S] and score them."""
        evaluation = self._evaluator.evaluate(states, request)
        return evaluation._replace(scores=self._scores.evaluate(states).scores)


_loading = threading.Lock()


def network_of(game: Game, path: str | None = None) -> NetworkEvaluator:
    """Return the network of a game, the shipped one unless ``path`` names another or Leela's.

    It is loaded once in a process. NetworkError if it cannot be used.
    """
    with _loading:
        return _network(game, path, threads_in_use(), precision())


@lru_cache(maxsize=16)  # all that ship, for each game that they serve, and some more
def _network(
    game: Game, path: str | None, threads: int | None, precision: Precision
) -> NetworkEvaluator:
    file = as_artifact(Path(path)) if path else shipped_path(game.id, game.family)
    return NetworkEvaluator(file, game, precision=precision, threads=threads)
