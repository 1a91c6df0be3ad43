"""Checkpoints of training runs, read again; what is in a file runs no code."""

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from evenmatch.errors import StateError


def go_on(
    path: Path, preset: dict[str, Any], name: str, restore: Callable[[dict[str, Any]], None]
) -> bool:
    """Let ``restore`` take up the checkpoint in a file; False if there is none.

    StateError if it cannot be read, or was written with other settings than those of the
    ``preset`` of that name, or ``restore`` cannot use it.
    """
    if not path.exists():
        return False
    try:
        with torch.serialization.safe_globals(arrays()):  # anything else in it is refused
            state = torch.load(path, map_location="cpu", weights_only=True)
        same = state["preset"] == preset
        if same:
            restore(state)
    except Exception as error:  # pickle, zipfile, torch and numpy raise all kinds of them
        raise StateError(f"{path} cannot be read; start anew with another --out") from error
    if not same:
        raise StateError(
            f"preset {name} has changed since {path} was written; start anew with another --out"
        )
    return True


def arrays() -> list[Any]:
    """Return what arrays of numpy are made of in a checkpoint."""
    kinds = {type(np.dtype(code)) for code in np.typecodes["AllInteger"] + "?efd"}
    rebuilt = np.zeros(1).__reduce__()[0]
    scalar = np.float64(0).__reduce__()[0]
    return [np.ndarray, np.dtype, bytes, codecs.encode, rebuilt, scalar, *kinds]
