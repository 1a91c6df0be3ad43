"""Changes to a network's graph before OpenVINO compiles it, among them those to eight bits.

Eight bits are quantisation after training (Jacob et al. 2018, sections 2 and 3). The weights of a
convolution are rounded to 255 levels for each of its output channels. Its input comes from an
activation. It is rounded to 256 levels between the least value of that, 0 of a ReLU, and the
largest value seen in positions of recorded games: its *range*. All else stays as precise as it was:
the first layer, the heads, sums between layers.

Ranges are kept beside the network, in ``NAME.ranges.json``, so that one file of weights serves
every processor. Ranges of another network are not used: the network was trained further.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from math import isfinite, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.files import replace_file
from evenmatch.network.artifact import graph_digest


def repeat_before(openvino: Any, model: Any, name: str, times: int) -> None:
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
    return _reached(
        node,
        lambda one: [
            user.get_node() for output in one.outputs() for user in output.get_target_inputs()
        ],
    )


def upstream(node: Any) -> set[str]:
    """Return the names of a node and of all that it is computed from."""
    return _reached(node, lambda one: [port.get_node() for port in one.input_values()])


def _reached(node: Any, neighbours: Callable[[Any], list[Any]]) -> set[str]:
    found, due = set(), [node]
    while due:
        one = due.pop()
        if one.get_friendly_name() not in found:
            found.add(one.get_friendly_name())
            due += neighbours(one)
    return found


def remove_mask(model: Any, name: str) -> None:
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


def drop_output(model: Any, name: str) -> None:
    """Remove an output, and the inputs that no other output needs."""
    model.remove_result(model.output(name).get_node())
    results = {result.get_friendly_name() for result in model.get_results()}
    for parameter in model.get_parameters():
        if not results & _downstream(parameter):
            model.remove_parameter(parameter)


def largest_output(model: Any) -> int:
    """Return how many numbers the largest output of a layer has, of those whose shape is known."""
    shapes = (
        output.get_partial_shape() for node in model.get_ordered_ops() for output in node.outputs()
    )
    return max(prod(shape.to_shape()) for shape in shapes if shape.is_static)


SUFFIX = ".ranges.json"
MOST_BYTES = 1 << 20  #: of a file of ranges
INPUT_LEVELS, WEIGHT_LEVELS = 256, 255
LEAST = 1e-6  #: a range; a layer that is never met above 0 says nothing

NOT_RANGES = (
    OSError,
    ValueError,
    ArithmeticError,  # numbers of hundreds of digits
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
)  #: what reading another file raises

Ranges = dict[str, float]  #: by the name of a convolution: the most of its input


def ranges_path(network: str | Path) -> Path:
    """Return where the ranges of a network lie."""
    return Path(network).with_suffix(SUFFIX)


def read_ranges(network: str | Path) -> Ranges | None:
    """Return the ranges that lie beside a network, None if there are none of this network.

    NetworkError if they are damaged.
    """
    path = ranges_path(network)
    try:
        if not path.exists():
            return None
        if path.stat().st_size > MOST_BYTES:
            raise ValueError
        kept = json.loads(path.read_text("utf-8"))
        graph, layers = kept["graph"], {str(k): float(v) for k, v in kept["layers"].items()}
        if not layers or not all(isfinite(x) and x >= LEAST for x in layers.values()):
            raise ValueError
    except NOT_RANGES:
        raise NetworkError(
            f"{path} holds no ranges of a network; delete it, or make it again with `evenmatch "
            "network quantize`"
        ) from None
    return layers if graph == graph_digest(network) else None


def write_ranges(network: str | Path, ranges: Ranges, made: dict[str, Any]) -> Path:
    """Keep the ranges of a network beside it, with how they were ``made``; return where."""
    path = ranges_path(network)
    rounded = {name: float(f"{most:.6g}") for name, most in ranges.items()}
    content = {"graph": graph_digest(network), "made": made, "layers": rounded}
    replace_file(path, json.dumps(content, indent=1) + "\n")
    return path


# -- graphs ----------------------------------------------------------------------------------------


LEAST_VALUES = {"Tanh": 0.30885, "Sigmoid": 0.27847}
"""How far below 0 an activation x * gate goes, mish and silu, by the last operator of its gate."""


def least_value(node: Any) -> float | None:
    """Return how far below 0 the output of an activation may be; None if the node is none."""
    if node.get_type_name() == "Relu":
        return 0.0
    if node.get_type_name() != "Multiply":
        return None
    x, gate = node.input_value(0).get_node(), node.input_value(1).get_node()
    kind = gate.get_type_name()
    if kind == "Tanh":
        gate = gate.input_value(0).get_node()
    of_itself = gate.get_input_size() and same(gate.input_value(0).get_node(), x)
    return LEAST_VALUES.get(kind) if of_itself else None


def same(one: Any, other: Any) -> bool:
    """Return whether two nodes are one."""
    return one.get_friendly_name() == other.get_friendly_name()


def convolutions(model: Any) -> Iterator[Any]:
    """Yield the convolutions of a model's trunk that can be computed in eight bits.

    They see more than one square, their input comes from an activation, and the value depends on
    them. The policy's own layers are left out, because they lose the most accuracy.
    """
    trunk = upstream(model.output("value").get_node())
    for node in model.get_ordered_ops():
        if node.get_type_name() != "Convolution" or node.get_friendly_name() not in trunk:
            continue
        kernel = node.input(1).get_partial_shape()
        least = least_value(node.input_value(0).get_node())
        if least is not None and kernel.is_static and kernel.to_shape()[-1] > 1:
            yield node


def quantize(openvino: Any, model: Any, ranges: Ranges) -> None:
    """Let the convolutions of a model that have ranges be computed in eight bits.

    LookupError if a range is of none of them.
    """
    known = {node.get_friendly_name(): node for node in convolutions(model)}
    if not known.keys() >= ranges.keys():
        raise LookupError("ranges of other layers")
    for name, most in ranges.items():
        _round_input(openvino, known[name], most)
        _round_weights(openvino, known[name])


def _round_input(openvino: Any, node: Any, most: float) -> None:
    """Round to levels of which one is 0, which stands around the board."""
    least = least_value(node.input_value(0).get_node()) or 0.0
    step = (most + least) / (INPUT_LEVELS - 1)
    below = np.ceil(least / step)
    low, high = (np.float32(step * (n - below)) for n in (0, INPUT_LEVELS - 1))
    rounded = openvino.opset13.fake_quantize(
        node.input_value(0), low, high, low, high, INPUT_LEVELS
    )
    node.input(0).replace_source_output(rounded.output(0))


def _round_weights(openvino: Any, node: Any) -> None:
    """Round to levels of each output channel's own, as far up as down, with 0 among them."""
    weights = _constant(node.input_value(1).get_node())
    most = np.abs(weights).max(axis=(1, 2, 3), keepdims=True).clip(LEAST)
    rounded = openvino.opset13.fake_quantize(
        openvino.opset13.constant(weights), -most, most, -most, most, WEIGHT_LEVELS
    )
    node.input(1).replace_source_output(rounded.output(0))


def _constant(node: Any) -> NDArray[np.float32]:
    """Return the numbers of a constant, which may be kept in half precision. ValueError if none."""
    while node.get_type_name() == "Convert":
        node = node.input_value(0).get_node()
    if node.get_type_name() != "Constant":
        raise ValueError("weights that are computed")
    return np.asarray(node.data, np.float32)
