"""Changes to a network's graph before OpenVINO compiles it."""

from collections.abc import Callable
from math import prod
from typing import Any


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
