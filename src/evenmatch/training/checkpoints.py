"""Checkpoints of training runs: files of tensors, numbers and text, so reading one runs nothing.

``torch.load`` refuses all else (``weights_only``). So arrays are kept as tensors, and become arrays
again where they are wanted, with :func:`arrays`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np

from evenmatch.errors import StateError
from evenmatch.files import replacing

import torch  # isort: skip  (network.fit explains what to install when it is missing)

#: What a value is when it is not of the form that a run wrote.
MALFORMED = AttributeError, IndexError, KeyError, OverflowError, RuntimeError, TypeError, ValueError


def save(path: Path, state: dict[str, Any]) -> None:
    """Replace a checkpoint, whole. TypeError if the state holds what could not be read back."""
    with replacing(path) as partial:
        torch.save(plain(state), partial)


@contextmanager
def reading(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the state that a checkpoint holds, to go on from, on the CPU.

    StateError if it cannot be read, or if what it holds turns out not to be of a run's form.
    """
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        why = "cannot be read"
        if is_zipfile(path):
            why = "is damaged, or was not written by this version of evenmatch"
        raise StateError(f"{path} {why}; start anew with another --out") from error
    try:
        yield state
    except MALFORMED as error:
        raise StateError(f"{path} cannot be read; start anew with another --out") from error


def plain(value: Any) -> Any:
    """Return a state as dicts, lists, tensors, numbers and text; TypeError for all else."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.ascontiguousarray(value))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {plain(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    raise TypeError(f"a checkpoint cannot hold {type(value).__name__}")


def arrays(value: Any) -> Any:
    """Return a state that :func:`plain` made, with its tensors as arrays again."""
    if isinstance(value, torch.Tensor):
        return value.numpy()
    if isinstance(value, dict):
        return {key: arrays(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(arrays, value))
    return value
