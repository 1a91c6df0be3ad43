"""What graphs of Maia-2 and Maia-3 share: parameters by name, layers of transformers, the policy.

Both predict people's moves at chess, conditioned on the ratings of the mover and the opponent. A
condition [B, 2 K] of such a network is two of `conditions`, the mover's and then the opponent's.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.network.foreign import Affine, Floats, affine, expect
from evenmatch.network.leela.policy_planes import moves
from evenmatch.network.onnx_graph import Graph

DEFAULT_RATING = 1500  #: where none is named, as in the package maia3-runtime
NORM_EPSILON = 1e-5  #: of LayerNorm and BatchNorm, torch's default
PAWN_PLANE, KING_PLANE = 0, 5  #: own ones, of the planes of either network

PROMOTED = "qrbn"  #: the order of pieces in both vocabularies

Move = tuple[int, int, str]  #: squares from and to, 0 = a1; piece promoted to or ""


def promotions() -> list[Move]:
    """Return the promotions, seen by the mover: by file, file moved to and piece (q, r, b, n)."""
    return [
        (48 + file, 56 + to, piece)
        for file in range(8)
        for to in range(max(file - 1, 0), min(file + 2, 8))
        for piece in PROMOTED
    ]


class Parameters:
    """The arrays of a state dict, each to be taken once, so that none is left out unseen."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self._left = dict(weights)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array that is still there. ValueError if it is not."""
        expect(name in self._left)
        return self._left[name].shape

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str, *shape: int) -> NDArray[np.float64]:
        """Return an array of that shape. ValueError if it has another, or is not there."""
        expect(self.shape(name) == shape)
        array = self._left.pop(name)
        expect(bool(np.isfinite(array).all()))
        return array.astype(np.float64)

    def floats(self, name: str, *shape: int) -> Floats:
        """Return an array as `take` does, in float32."""
        return self.take(name, *shape).astype(np.float32)

    def dense(self, name: str, outputs: int, inputs: int) -> Affine:
        """Return a dense layer."""
        weight = self.take(f"{name}.weight", outputs, inputs)
        return affine(weight, self.take(f"{name}.bias", outputs))

    def norm(self, name: str, size: int) -> Affine:
        """Return the gain and shift of a LayerNorm, [size] each."""
        return affine(self.take(f"{name}.weight", size), self.take(f"{name}.bias", size))

    def done(self, *modules: str, but: tuple[str, ...] = ()) -> None:
        """Raise ValueError if an array is left whose name begins so; ``but``: ends of its name.

        Such a layer is of another architecture.
        """
        expect(not any(x.startswith(modules) and not x.endswith(but) for x in self._left))


class MaiaGraph(Graph):
    """A graph of tokens [B, T, C]; dense layers with a 3-d input work on each token."""

    def number(self, value: ArrayLike, name: str) -> str:
        """Add a constant float32."""
        return self.constant(np.asarray(value, np.float32), name)

    def reshape(self, x: str, shape: tuple[int, ...], name: str) -> str:
        """Add x in another shape; 0 keeps a dimension, -1 takes what is left."""
        return self.node(
            "Reshape", x, self.constant(np.array(shape, np.int64), f"{name}.shape"), name=name
        )

    def product(self, x: str, weight: NDArray, name: str) -> str:
        """Add x [..., in] by a weight [out, in]: no bias."""
        return self.node(
            "MatMul", x, self.weight(np.ascontiguousarray(weight.T, np.float32), name), name=name
        )

    def dense(self, x: str, layer: Affine, name: str) -> str:
        """Add a dense layer of x [..., in]."""
        y = self.product(x, layer.weight, f"{name}.product")
        return self.node("Add", y, self.number(layer.bias, f"{name}.bias"), name=name)

    def gelu(self, x: str) -> str:
        """Add x * Phi(x), Phi the normal distribution (Hendrycks and Gimpel 2016, exact)."""
        root, one, half = (
            self.number(value, f"{x}.{part}")
            for part, value in (("root", math.sqrt(0.5)), ("one", 1.0), ("half", 0.5))
        )
        y = self.node("Erf", self.node("Mul", x, root, name=f"{x}.scaled"), name=f"{x}.erf")
        y = self.node("Mul", x, self.node("Add", y, one, name=f"{x}.above"), name=f"{x}.twice")
        return self.node("Mul", y, half, name=f"{x}.gelu")

    def layer_norm(self, x: str, norm: Affine, name: str) -> str:
        """Add x normalised over its last dimension (Ba et al. 2016)."""
        gain, shift = (
            self.number(norm.weight, f"{name}.gain"),
            self.number(norm.bias, f"{name}.shift"),
        )
        return self.node(
            "LayerNormalization", x, gain, shift, name=name, axis=-1, epsilon=NORM_EPSILON
        )

    def rms_norm(self, x: str, gain: NDArray, name: str) -> str:
        """Add x over the root of its mean square, times a gain (Zhang and Sennrich 2019)."""
        square = self.node("Mul", x, x, name=f"{name}.square")
        mean = self.node("ReduceMean", square, name=f"{name}.mean", axes=[-1], keepdims=1)
        least = self.number(np.finfo(np.float32).eps, f"{name}.least")
        root = self.node(
            "Sqrt", self.node("Add", mean, least, name=f"{name}.sum"), name=f"{name}.root"
        )
        y = self.node("Div", x, root, name=f"{name}.over")
        return self.node("Mul", y, self.number(gain, f"{name}.gain"), name=name)

    def heads(self, x: str, count: int, size: int, name: str, keys: bool = False) -> str:
        """Add x [B, T, count * size] as [B, count, T, size]; ``keys``: as [B, count, size, T].

        Keys are turned twice, because OpenVINO joins the second turn with the product after it.
        """
        y = self.reshape(x, (0, -1, count, size), f"{name}.split")
        y = self.node("Transpose", y, name=f"{name}.by_head", perm=[0, 2, 1, 3])
        return self.node("Transpose", y, name=name, perm=[0, 1, 3, 2]) if keys else y

    def attended(self, q: str, k: str, v: str, name: str, bias: str | None = None) -> str:
        """Add softmax(q k + bias) v (Vaswani et al. 2017), [B, T, count * size], for `heads`."""
        scores = self.node("MatMul", q, k, name=f"{name}.scores")
        if bias is not None:
            scores = self.node("Add", scores, bias, name=f"{name}.biased")
        shares = self.node("Softmax", scores, name=f"{name}.shares", axis=-1)
        y = self.node("MatMul", shares, v, name=f"{name}.mixed")
        y = self.node("Transpose", y, name=f"{name}.turned", perm=[0, 2, 1, 3])
        return self.reshape(y, (0, 0, -1), name)

    def mean_token(self, x: str, name: str) -> str:
        """Add the mean of tokens, [B, C]."""
        return self.node("ReduceMean", x, name=name, axes=[1], keepdims=0)

    def kept(self, x: str, mask: str) -> str:
        """Add x times a keep-mask [B, F]."""
        return self.node("Mul", x, mask, name=f"{mask}.kept")

    def policy(self, logits: str, places: dict[Move, int], flat_planes: str) -> None:
        """Add the policy [B, 1858] of logits [B, V], where ``places`` are of moves in V.

        Maia writes castling as the king's move by two squares and a promotion to a knight like any
        other. The artifact's moves are Leela's: the king takes its rook, a knight is the plain
        move. Which of the two logits counts depends on the piece on the square of departure.
        """
        special = {(4, 7, ""): (4, 6, ""), (4, 0, ""): (4, 2, "")}
        special |= {(a, b, ""): (a, b, "n") for a, b, piece in moves() if piece == "q"}
        planes = [(PAWN_PLANE if to >= 56 else KING_PLANE) * 64 + start for start, to, _ in special]
        on = self.columns(flat_planes, planes, "policy.on")
        off = self.node("Sub", self.number(1.0, "policy.one"), on, name="policy.off")
        named = self.columns(logits, [places[move] for move in special.values()], "policy.named")
        bare = self.columns(logits, [places[move] for move in special], "policy.bare")
        either = self.node(
            "Add",
            self.node("Mul", on, named, name="policy.on_named"),
            self.node("Mul", off, bare, name="policy.off_bare"),
            name="policy.either",
        )
        every = self.node("Concat", logits, either, name="policy.every", axis=1)
        count = max(places.values()) + 1
        ours = {move: count + i for i, move in enumerate(special)}
        self.columns(every, [ours.get(move, places.get(move, -1)) for move in moves()], "policy")

    def columns(self, x: str, columns: list[int], name: str) -> str:
        """Add some columns of x [B, n]."""
        expect(min(columns) >= 0)
        index = self.constant(np.array(columns, np.int64), f"{name}.columns")
        return self.node("Gather", x, index, name=name, axis=1)
