"""What readers of other programs' weights share: the file, layers, and whether they fit."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.files import read_bounded
from evenmatch.network.artifact import LARGEST

Floats = NDArray[np.float32]
UNPACKED, LEAST_ROOM = 20, 1 << 24  #: bytes of one packed byte, and more; weights hardly shrink


class Affine(NamedTuple):
    """A convolution or dense layer, the batch norm after it folded in."""

    weight: Floats  # [out, in, k, k] or [out, in]
    bias: Floats  # [out]


def read_file(path: Path) -> bytes:
    """Return the bytes of a weights file; NetworkError if it cannot be read."""
    try:
        return read_bounded(path, LARGEST)
    except FileNotFoundError:
        raise NetworkError(f"no weights file {path}; check the path") from None
    except OSError as error:
        reason = error.strerror or error
        raise NetworkError(f"cannot read weights {path} ({reason}); check the path") from None


def unpacked(packed: bytes) -> bytes:
    """Return the bytes of a file that may be gzipped.

    ValueError, EOFError, OSError or zlib.error if it is damaged, or holds far more than weights do.
    """
    if packed[:2] != b"\x1f\x8b":
        return packed
    most = UNPACKED * len(packed) + LEAST_ROOM
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
        data = file.read(most + 1)
    expect(len(data) <= most)
    return data


def affine(weight: NDArray, bias: NDArray) -> Affine:
    """Return a layer in float32; ValueError if a number is not finite."""
    with np.errstate(over="ignore"):  # what overflows is refused below
        layer = Affine(weight.astype(np.float32), bias.astype(np.float32))
    expect(bool(np.isfinite(layer.weight).all() and np.isfinite(layer.bias).all()))
    return layer


def shaped(flat: NDArray, *shape: int) -> NDArray:
    """Return flat numbers in a shape; ValueError if there are more or fewer."""
    expect(flat.size == np.prod(shape))
    return flat.reshape(shape)


def expect(fits: bool) -> None:
    """Raise ValueError if sizes or values do not fit, which readers call corrupt."""
    if not fits:
        raise ValueError("a layer that does not fit")
