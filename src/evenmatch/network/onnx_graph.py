"""An ONNX graph, written by hand: the few messages of the format that our networks need.

Field numbers are those of onnx.proto, https://onnx.ai/onnx/repo-docs/IR.html. Writing needs neither
onnx nor torch. Tensors are float32 unless their arrays are of another type; the batch is the
dimension "B".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.network.protobuf import field

OPSET, IR_VERSION = 17, 8
TYPES = {"float32": 1, "int8": 3, "int64": 7, "float16": 10}
"""numpy type -> TensorProto.DataType."""
ATTRIBUTE_INT, ATTRIBUTE_INTS = 2, 7  # AttributeProto.AttributeType


class Graph:
    """Nodes and constants, in the order of computation; a tensor is known by its name."""

    def __init__(self, half: bool = False) -> None:
        """Make an empty graph; with `half` its layers keep float32 weights as float16."""
        self._half = half
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []

    def constant(self, array: NDArray, name: str) -> str:
        """Add an array, int8, float16, float32 or int64; return its name."""
        raw = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        dims = b"".join(field(1, size) for size in array.shape)
        tensor = dims + field(2, TYPES[array.dtype.name]) + field(8, name) + field(9, raw)
        self.constants.append(field(5, tensor))  # GraphProto.initializer
        return name

    def node(self, op: str, *inputs: str, name: str, **attributes: int | Sequence[int]) -> str:
        """Add an operator, `name` being its one output; return that."""
        ends = b"".join(field(1, x) for x in inputs) + field(2, name) + field(3, name)
        extra = b"".join(field(5, _attribute(*pair)) for pair in attributes.items())
        self.nodes.append(field(1, ends + field(4, op) + extra))  # GraphProto.node
        return name

    def relu(self, x: str) -> str:
        """Add a rectifier after `x`."""
        return self.node("Relu", x, name=f"{x}.relu")

    def flat(self, x: str) -> str:
        """Join all dimensions of `x` but the batch."""
        return self.node("Flatten", x, name=f"{x}.flat", axis=1)

    def affine(self, x: str, weight: NDArray, bias: NDArray, name: str) -> str:
        """Add a convolution that keeps the board's size (4-d weight) or a dense layer (2-d).

        weight [out, in, k, k] or [out, in], bias [out] float32. A float16 weight is cast when the
        network is read.
        """
        weight = _halved(weight, name) if self._half else weight
        held = self.constant(weight, f"{name}.weight")
        if weight.dtype == np.float16:
            held = self.node("Cast", held, name=f"{name}.cast", to=TYPES["float32"])
        ends = (x, held, self.constant(bias, f"{name}.bias"))
        if weight.ndim == 2:
            return self.node("Gemm", *ends, name=name, transB=1)
        return self.node("Conv", *ends, name=name, pads=[weight.shape[2] // 2] * 4)

    def excited(self, y: str, layers: Mapping[str, tuple[NDArray, NDArray]], name: str) -> str:
        """Add squeeze-excitation: y * sigmoid(s) + t, where s and t [B, C] follow from y's mean.

        `layers` are (weight, bias) of the dense layers squeeze, scale (to s) and shift (to t). They
        become 1x1 convolutions of the means [B, C, 1, 1], which saves the reshaping.
        """

        mean = self.node("GlobalAveragePool", y, name=f"{name}.mean")
        s = self.relu(self._dense(mean, layers["squeeze"], f"{name}.squeeze"))
        gate = self._dense(s, layers["scale"], f"{name}.scale")
        gate = self.node("Sigmoid", gate, name=f"{name}.gate")
        gated = self.node("Mul", y, gate, name=f"{name}.gated")
        shift = self._dense(s, layers["shift"], f"{name}.shift")
        return self.node("Add", gated, shift, name=f"{name}.excited")

    def modulated(
        self, y: str, told: str, layers: Mapping[str, tuple[NDArray, NDArray]], name: str
    ) -> str:
        """Add y + y * s + t, where s and t [B, C] are dense layers, scale and shift, of `told`."""
        shape = self.constant(np.array([0, 0, 1, 1], np.int64), f"{name}.shape")
        weights = self.node("Reshape", told, shape, name=f"{name}.told")
        scale = self._dense(weights, layers["scale"], f"{name}.scale")
        shift = self._dense(weights, layers["shift"], f"{name}.shift")
        scaled = self.node("Mul", y, scale, name=f"{name}.scaled")
        moved = self.node("Add", y, scaled, name=f"{name}.moved")
        return self.node("Add", moved, shift, name=f"{name}.modulated")

    def _dense(self, x: str, layer: tuple[NDArray, NDArray], name: str) -> str:
        """Add a dense layer of x [B, C, 1, 1], as a 1x1 convolution."""
        weight, bias = layer
        return self.affine(x, weight[:, :, None, None], bias, name)

    def column(self, x: str, i: int, name: str) -> str:
        """Add the i-th of the columns of `x` [B, n], as [B]."""
        index = self.constant(np.array(i, np.int64), f"{name}.index")
        return self.node("Gather", x, index, name=name, axis=1)

    def chess_moves(self, planes: str, indices: NDArray[np.int64], name: str) -> None:
        """Add the policy `name`: the moves at `indices` [A] of planes flattened."""
        self.node("Gather", self.flat(planes), self.constant(indices, "moves"), name=name, axis=1)

    def on_board(self, x: str, channels: int, name: str) -> str:
        """Undo `flat` for an 8 x 8 board."""
        shape = self.constant(np.array([-1, channels, 8, 8], np.int64), f"{name}.shape")
        return self.node("Reshape", x, shape, name=name)

    def serialize(
        self,
        name: str,
        inputs: Mapping[str, tuple[int | str, ...]],
        outputs: Mapping[str, tuple[int | str, ...]],
    ) -> bytes:
        """Return the GraphProto; inputs and outputs are name -> shape without the batch.

        A size that is a word is a dimension of that name, known when the graph is loaded.
        """
        ends = [field(11, _described(*pair)) for pair in inputs.items()]
        ends += [field(12, _described(*pair)) for pair in outputs.items()]
        return serialized(name, self.nodes, self.constants, ends)


def serialized(
    name: str, nodes: Sequence[bytes], constants: Sequence[bytes], ends: Sequence[bytes]
) -> bytes:
    """Return the GraphProto of its parts, in the order of computation."""
    return b"".join([*nodes, field(2, name), *constants, *ends])


def model(graph: bytes, properties: Mapping[str, str]) -> bytes:
    """Return the ModelProto of a serialized graph, with its metadata."""
    opset = field(1, "") + field(2, OPSET)
    head = field(1, IR_VERSION) + field(2, "evenmatch") + field(7, graph) + field(8, opset)
    return head + b"".join(
        field(14, field(1, key) + field(2, value)) for key, value in properties.items()
    )


def _halved(weight: NDArray, name: str) -> NDArray[np.float16]:
    with np.errstate(over="ignore"):  # checked below
        half = weight.astype(np.float16)
    if not np.isfinite(half).all():
        raise NetworkError(f"layer {name} has weights too large for float16; keep them in full")
    return half


def _attribute(name: str, value: int | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, ATTRIBUTE_INT)
    values = b"".join(field(8, item) for item in value)
    return field(1, name) + values + field(20, ATTRIBUTE_INTS)


def _described(name: str, shape: tuple[int | str, ...]) -> bytes:
    """Return a ValueInfoProto: float32 [B, *shape]."""
    dims = b"".join(field(1, _dimension(size)) for size in ("B", *shape))
    tensor = field(1, TYPES["float32"]) + field(2, dims)
    return field(1, name) + field(2, field(1, tensor))


def _dimension(size: int | str) -> bytes:
    return field(2 if isinstance(size, str) else 1, size)
