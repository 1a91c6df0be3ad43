"""An ONNX graph of the layers that our networks need, built with `onnx.helper`.

Only writing imports this module, and onnx with it: networks are read, checked and run without.
Tensors are float32 unless their arrays are of another type; the batch is the dimension "B".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    checker,
    helper,
    numpy_helper,
)

from evenmatch.errors import NetworkError

OPSET, IR_VERSION = 17, 8


class Graph:
    """Nodes and constants, in the order of computation; a tensor is known by its name."""

    def __init__(self, half: bool = False) -> None:
        """Make an empty graph; with `half` its layers keep float32 weights as float16."""
        self._half = half
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, array: NDArray, name: str) -> str:
        """Add an array, int8, float16, float32 or int64; return its name."""
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op: str, *inputs: str, name: str, **attributes: float | Sequence[int]) -> str:
        """Add an operator, `name` being its one output; return that."""
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))  # type: ignore[arg-type]
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
        ends = (x, self.weight(weight, name), self.constant(bias, f"{name}.bias"))
        if weight.ndim == 2:
            return self.node("Gemm", *ends, name=name, transB=1)
        return self.node("Conv", *ends, name=name, pads=[weight.shape[2] // 2] * 4)

    def weight(self, array: NDArray, name: str) -> str:
        """Add a layer's weight, kept as float16 if this graph's are; return its float32."""
        array = _halved(array, name) if self._half else array
        held = self.constant(array, f"{name}.weight")
        if array.dtype == np.float16:
            held = self.node("Cast", held, name=f"{name}.cast", to=TensorProto.FLOAT)
        return held

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
    ) -> GraphProto:
        """Return the graph; inputs and outputs are name -> shape without the batch.

        A size that is a word is a dimension of that name, known when the graph is loaded.
        """
        takes, gives = ([_described(*pair) for pair in ends.items()] for ends in (inputs, outputs))
        return checked(helper.make_graph(self.nodes, name, takes, gives, self.constants))


def checked(graph: GraphProto) -> GraphProto:
    """Return a graph that keeps the rules of ONNX. Raises onnx.checker.ValidationError."""
    checker.check_model(_model(graph))
    return graph


def model(graph: GraphProto, properties: Mapping[str, str]) -> bytes:
    """Return the serialized ModelProto of a graph, with its metadata."""
    whole = _model(graph)
    helper.set_model_props(whole, dict(properties))
    return whole.SerializeToString()


def _model(graph: GraphProto) -> ModelProto:
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(
        graph, ir_version=IR_VERSION, producer_name="evenmatch", opset_imports=[opset]
    )


def _halved(weight: NDArray, name: str) -> NDArray[np.float16]:
    with np.errstate(over="ignore"):  # checked below
        half = weight.astype(np.float16)
    if not np.isfinite(half).all():
        raise NetworkError(f"layer {name} has weights too large for float16; keep them in full")
    return half


def _described(name: str, shape: tuple[int | str, ...]) -> ValueInfoProto:
    """Return the description of an input or output: float32 [B, *shape]."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ("B", *shape))
