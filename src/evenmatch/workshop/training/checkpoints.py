"""Checkpoints of training runs: files of tensors, numbers and text, so reading one runs nothing.

``torch.load`` refuses all else (``weights_only``). So arrays are kept as tensors, and become arrays
again where they are wanted, with :func:`arrays`.
"""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np

from evenmatch.errors import StateError
from evenmatch.files import replacing

import torch  # isort: skip  (network.fit explains what to install when it is missing)


def save(path: Path, state: dict[str, Any]) -> None:
    """Replace a checkpoint, whole. TypeError if the state holds what could not be read back.

    OSError if the disk is full; with a file torch would raise a RuntimeError.
    """
    held = io.BytesIO()
    torch.save(plain(state), held)
    with replacing(path) as partial:
        partial.write_bytes(held.getbuffer())


def go_on(
    path: Path, preset: dict[str, Any], name: str, restore: Callable[[dict[str, Any]], None]
) -> bool:
    """Let ``restore`` take up the checkpoint in a file, on the CPU; False if there is none.

    StateError if it cannot be read, or was written with other settings than those of the
    ``preset`` of that name, or ``restore`` cannot use it.
    """
    if not path.exists():
        return False
    why = "cannot be read"
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        same = state["preset"] == plain(preset)
        if same:
            restore(state)
    except Exception as error:  # pickle, zipfile, torch and numpy raise all kinds of them
        if is_zipfile(path):
            why = "is damaged, or was not written by this version of evenmatch"
        raise StateError(f"{path} {why}; start again with another --out") from error
    if not same:
        raise StateError(
            f"preset {name} has changed since {path} was written; start again with another --out"
        )
    return True


def plain(value: Any) -> Any:
    """Return a state as dicts, lists, tensors, numbers and text; TypeError for all else."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, np.ndarray):
        return torch.tensor(value)
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
