"""What a network's graph may hold, looked at before any program runs it.

A file from elsewhere may be made to harm: it may name other files to be read, or tensors that fill
the memory. Only what our own writers use is let through.
"""

from __future__ import annotations

import math

from evenmatch.network.leela.protobuf import Message, fields

LARGEST = 1 << 30  #: bytes of a file; the largest networks of Go have a third of it
SIZES = {1: 4, 3: 1, 7: 8, 10: 2}  #: bytes by TensorProto.DataType: float32, int8, int64, float16
OPERATORS = {
    "Add", "Cast", "Concat", "Conv", "Flatten", "Gather", "Gemm", "GlobalAveragePool",
    "GlobalMaxPool", "Identity", "Mul", "ReduceProd", "Relu", "Reshape", "Shape", "Sigmoid",
    "Slice", "Softmax", "Sqrt", "Squeeze", "Sub", "Tanh", "Unsqueeze",
}  # fmt: skip
NODE, CONSTANT, SPARSE, QUANTIZED = 1, 5, 15, 14  #: fields of GraphProto
TENSOR_FIELDS = {1, 2, 8, 9}  #: dims, data_type, name, raw_data
ATTRIBUTE, DOMAIN = 5, 7  #: fields of NodeProto
TENSORS_WITHIN = {5, 6, 10, 11, 22, 23}  #: fields of AttributeProto with tensors or graphs


def check_graph(graph: bytes) -> None:
    """Raise ValueError, which says what is wrong, unless a serialized graph is like ours."""
    for number, value in fields(graph):
        if number in (SPARSE, QUANTIZED):
            raise ValueError("constants of another kind")
        if number in (NODE, CONSTANT):
            if not isinstance(value, bytes):
                raise ValueError("no graph")
            (_check_node if number == NODE else _check_constant)(value)


def _check_constant(tensor: bytes) -> None:
    message = Message(tensor)
    if not set(message) <= TENSOR_FIELDS:
        raise ValueError("weights that are not in it")
    size = SIZES.get(message.integer(2))
    if size is None:
        raise ValueError("weights of another type")
    if size * math.prod(message.integers(1)) != len(message.raw(9)):
        raise ValueError("weights of another size than it says")


def _check_node(node: bytes) -> None:
    message = Message(node)
    operator = message.raw(4).decode()
    if operator not in OPERATORS or DOMAIN in message:
        raise ValueError(f"the operator {operator[:20]!r}")
    if any(TENSORS_WITHIN & set(one) for one in message.messages(ATTRIBUTE)):
        raise ValueError("an operator with tensors of its own")
