"""The blocks of KataGo's networks as operators of ONNX: residual, bottleneck, transformer.

x is always [B, C, H, W]. A transformer's tokens are the points, P = H * W of them; its dense layers
are 1x1 convolutions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenmatch.network.artifact import CONDITIONS
from evenmatch.network.foreign import Affine, Floats
from evenmatch.network.katago.net import (
    AnyBlock,
    Attention,
    Block,
    FeedForward,
    Nested,
    Norm,
    Pooling,
)
from evenmatch.network.onnx_graph import Graph

MOST_SIZE = 19  #: of a board


class BlockGraph(Graph):
    """A graph whose layers know the board's area, given as ``width`` and ``spread``."""

    width: str  #: see `pooled`
    spread: str

    def __init__(self, half: bool) -> None:
        super().__init__(half)
        self._one = self.constant(np.array([1], np.int64), "axis")
        self.cells = self.constant(np.array([2, 3], np.int64), "cells")
        self._places: tuple[str, str] | None = None
        self._sizes = ""

    # -- parts of layers --------------------------------------------------------------------------

    def number(self, value: float) -> str:
        """Add a number."""
        name = f"number.{len(self.constants)}"
        return self.constant(np.array(value, np.float32), name)

    def dense(self, x: str, layer: Affine, name: str) -> str:
        """Add a dense layer of x [B, C, 1, 1], or of each point, as a 1x1 convolution."""
        return self.affine(x, layer.weight[:, :, None, None], layer.bias, name)

    def activated(self, x: str, kind: str) -> str:
        """Add an activation of ACTIVATIONS after x."""
        if kind == "relu":
            return self.relu(x)
        if kind == "identity":
            return x
        if kind == "mish":
            gate = self.node("Softplus", x, name=f"{x}.softplus")
            gate = self.node("Tanh", gate, name=f"{x}.tanh")
        else:
            gate = self.node("Sigmoid", x, name=f"{x}.sigmoid")
        return self.node("Mul", x, gate, name=f"{x}.{kind}")

    def scaled(self, x: str, scale: np.ndarray, bias: np.ndarray, name: str) -> str:
        """Add x * scale + bias by channels."""
        factor = self.constant(scale[:, None, None], f"{name}.scale")
        shift = self.constant(bias[:, None, None], f"{name}.bias")
        return self.node(
            "Add", self.node("Mul", x, factor, name=f"{name}.scaled"), shift, name=name
        )

    def normed(self, x: str, norm: Norm, name: str) -> str:
        """Add a batch norm and its activation."""
        return self.activated(self.scaled(x, norm.scale, norm.bias, name), norm.activation)

    def root_mean(self, x: str, epsilon: float, name: str, axes: Sequence[int] = (1,)) -> str:
        """Add x by the root of its mean square over axes."""
        square = self.node("Mul", x, x, name=f"{name}.square")
        mean = self.node("ReduceMean", square, name=f"{name}.mean", axes=list(axes))
        mean = self.node("Add", mean, self.number(epsilon), name=f"{name}.above")
        return self.node("Div", x, self.node("Sqrt", mean, name=f"{name}.root"), name=name)

    def pooled(self, x: str, name: str, last: str) -> str:
        """Add what is pooled of x over the board, [B, 3C, 1, 1].

        It is the mean, the mean by the board's width, and `last` of these: its maximum, or the
        mean by the square of the width (appendix A.3 of Wu 2019).
        """
        mean = self.node("GlobalAveragePool", x, name=f"{name}.mean")
        wide = self.node("Mul", mean, self.width, name=f"{name}.wide")
        if last == "maximum":
            third = self.node("GlobalMaxPool", x, name=f"{name}.most")
        else:
            third = self.node("Mul", mean, self.spread, name=f"{name}.spread")
        return self.node("Concat", mean, wide, third, name=f"{name}.pooled", axis=1)

    def pooling(self, x: str, z: str, pooling: Pooling, name: str) -> tuple[str, str]:
        """Add to z what is pooled of x; return the sum and what was pooled."""
        y = self.affine(x, *pooling.channels, f"{name}.channels")
        pooled = self.pooled(self.activated(y, pooling.activation), name, "maximum")
        bias = self.dense(pooled, pooling.added, f"{name}.added")
        return self.node("Add", z, bias, name=f"{name}.sum"), pooled

    def part(self, x: str, start: int, end: int, name: str) -> str:
        """Add columns start to end of x, along dimension 1."""
        first = self.constant(np.array([start], np.int64), f"{name}.start")
        stop = self.constant(np.array([end], np.int64), f"{name}.end")
        return self.node("Slice", x, first, stop, self._one, name=name)

    def sizes(self) -> str:
        """Add the board's height and width, [2] int64."""
        if not self._sizes:
            shape = self.node("Shape", "planes", name="board.shape")
            self._sizes = self.node("Gather", shape, self.cells, name="board.sizes", axis=0)
        return self._sizes

    # -- blocks -----------------------------------------------------------------------------------

    def stack(self, x: str, blocks: Sequence[AnyBlock], name: str) -> str:
        """Add blocks, one after the other; each adds to x."""
        for i, block in enumerate(blocks):
            own = f"{name}.{i}"
            if isinstance(block, Block):
                y = self._residual(x, block, own)
            elif isinstance(block, Nested):
                y = self._nested(x, block, own)
            elif isinstance(block, Attention):
                y = self._attention(x, block, own)
            else:
                y = self._feed_forward(x, block, own)
            x = self.node("Add", x, y, name=own)
        return x

    def _residual(self, x: str, block: Block, name: str) -> str:
        y = self.normed(x, block.norm, f"{name}.norm")
        z = self.affine(y, *block.first, f"{name}.first")
        if block.pooling:
            z, _ = self.pooling(y, z, block.pooling, name)
        if block.film:
            z = self.modulated(z, CONDITIONS, block.film._asdict(), f"{name}.film")
        return self.affine(self.activated(z, block.activation), *block.second, f"{name}.second")

    def _nested(self, x: str, block: Nested, name: str) -> str:
        y = self.normed(x, block.norm, f"{name}.norm")
        y = self.stack(
            self.affine(y, *block.first, f"{name}.first"), block.blocks, f"{name}.blocks"
        )
        return self.affine(
            self.normed(y, block.last_norm, f"{name}.last_norm"), *block.last, f"{name}.last"
        )

    def _feed_forward(self, x: str, block: FeedForward, name: str) -> str:
        y = self.root_mean(x, block.epsilon, f"{name}.norm")
        z = self.activated(self.dense(y, block.first, f"{name}.first"), "silu")
        z = self.node("Mul", z, self.dense(y, block.gate, f"{name}.gate"), name=f"{name}.gated")
        return self.dense(z, block.second, f"{name}.second")

    def _attention(self, x: str, block: Attention, name: str) -> str:
        """Add attention; heads are N, queries and keys of D channels, values of V."""
        y = self.root_mean(x, block.epsilon, f"{name}.norm")
        query, key, value = (
            self._by_heads(y, layer, block.heads, block.frequencies, f"{name}.{part}")
            for part, layer in (("query", block.query), ("key", block.key), ("value", block.value))
        )
        query, value = (
            self.node("Transpose", part, name=f"{part}.points", perm=[0, 1, 3, 2])
            for part in (query, value)
        )
        scores = self.node("MatMul", query, key, name=f"{name}.scores")  # [B, N, P, P]
        shares = self.node("Softmax", scores, name=f"{name}.shares", axis=-1)
        seen = self.node("MatMul", shares, value, name=f"{name}.seen")  # [B, N, P, V]
        seen = self.node("Transpose", seen, name=f"{name}.channels", perm=[0, 1, 3, 2])
        kept = self.constant(np.array([0, block.out.weight.shape[1]], np.int64), f"{name}.kept")
        shape = self.node("Concat", kept, self.sizes(), name=f"{name}.shape", axis=0)
        return self.dense(
            self.node("Reshape", seen, shape, name=f"{name}.board"), block.out, f"{name}.out"
        )

    def _by_heads(
        self, y: str, layer: Affine, heads: int, frequencies: Floats | None, name: str
    ) -> str:
        """Add a dense layer by heads, [B, N, D, P]; queries and keys are turned."""
        x = self.dense(y, layer, name)
        size = len(layer.bias) // heads
        whole = self.constant(np.array([0, heads, size, -1], np.int64), f"{name}.shape")
        if frequencies is None or name.endswith("value"):
            return self.node("Reshape", x, whole, name=f"{name}.heads")
        shape = np.array([0, heads, 2, size // 2, -1], np.int64)
        x = self.node("Reshape", x, self.constant(shape, f"{name}.halves"), name=f"{name}.pairs")
        ends = [self.constant(np.array(i, np.int64), f"{name}.half{i}") for i in range(2)]
        a, b = (self.node("Gather", x, end, name=f"{end}.part", axis=2) for end in ends)
        cos, sin = self._angles(frequencies, name)
        first = self.node("Sub", self._mul(a, cos), self._mul(b, sin), name=f"{name}.turned0")
        second = self.node("Add", self._mul(a, sin), self._mul(b, cos), name=f"{name}.turned1")
        return self.node("Concat", first, second, name=f"{name}.turned", axis=2)

    def _mul(self, x: str, y: str) -> str:
        return self.node("Mul", x, y, name=f"{x}*{y}")

    def _angles(self, frequencies: Floats, name: str) -> tuple[str, str]:
        """Add cosine and sine of the angles by which pairs are turned, [N, D/2, P] each."""
        parts = []
        for i, place in enumerate(self.places()):
            factor = self.constant(frequencies[:, :, i, None], f"{name}.frequencies{i}")
            parts.append(self.node("Mul", factor, place, name=f"{name}.angle{i}"))
        angle = self.node("Add", *parts, name=f"{name}.angle")
        return tuple(self.node(op, angle, name=f"{name}.{op}") for op in ("Cos", "Sin"))  # type: ignore[return-value]

    def places(self) -> tuple[str, str]:
        """Add the columns and rows of the points, from 0, [P] each."""
        if self._places is None:
            line = self.constant(np.arange(MOST_SIZE, dtype=np.float32), "board.line")
            start = self.constant(np.array([0], np.int64), "board.start")
            both = []
            for i, shape in enumerate(((-1, 1), (1, -1))):  # rows, columns
                index = self.constant(np.array([i], np.int64), f"board.index{i}")
                end = self.node("Gather", self.sizes(), index, name=f"board.end{i}", axis=0)
                part = self.node("Slice", line, start, end, start, name=f"board.line{i}")
                wanted = self.constant(np.array(shape, np.int64), f"board.shape{i}")
                both.append(self.node("Reshape", part, wanted, name=f"board.along{i}"))
            flat, zero = self.constant(np.array([-1], np.int64), "board.flat"), self.number(0.0)
            nothing = [self.node("Mul", one, zero, name=f"{one}.none") for one in both]
            rows = self.node("Add", both[0], nothing[1], name="board.rows")
            columns = self.node("Add", nothing[0], both[1], name="board.columns")
            self._places = tuple(  # type: ignore[assignment]
                self.node("Reshape", x, flat, name=f"{x}.flat") for x in (columns, rows)
            )
        return self._places  # type: ignore[return-value]
