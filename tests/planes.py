"""A network's answers to planes that are already encoded, for comparison with other programs."""

from contextlib import contextmanager

import numpy as np

from evenmatch.search import NOTHING


def evaluate_planes(evaluator, planes, request=NOTHING):
    """``evaluator.evaluate`` with planes [n, C, H, W] in the place of states and their encoding."""
    with _encoded(evaluator):
        return evaluator.evaluate(planes, request)


def all_outputs(evaluator, planes, condition=None, symmetry=0):
    """``evaluator.evaluate_whole`` with planes [C, H, W] in the place of a state."""
    with _encoded(evaluator):
        return evaluator.evaluate_whole(planes, symmetry, condition)


@contextmanager
def _encoded(evaluator):
    encode = evaluator._encode
    evaluator._encode = lambda rows, out: np.copyto(out, rows)
    try:
        yield
    finally:
        evaluator._encode = encode
