"""What readers of other programs' weights share: the file, layers, and whether they fit."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError

Floats = NDArray[np.float32]
LARGEST = 20  #: times its size, that a file of weights may have unpacked; they pack badly
SMALL = 1 << 26  #: bytes that any may have
GZIP = 31  #: what zlib calls that form, with its sums


class Affine(NamedTuple):
    """A convolution or dense layer, the batch norm after it folded in."""

    weight: Floats  # [out, in, k, k] or [out, in]
    bias: Floats  # [out]


def read_file(path: Path) -> bytes:
    """Return the bytes of a weights file; NetworkError if it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NetworkError(f"no weights file {path}; check the path") from None
    except OSError as error:
        reason = error.strerror or error
        raise NetworkError(f"cannot read weights {path} ({reason}); check the path") from None


def unpacked(packed: bytes) -> bytes:
    """Return the bytes of a file that may be gzipped.

    ValueError if it is far more than weights pack into such a file, EOFError if it ends early,
    zlib.error if it is damaged.
    """
    if packed[:2] != b"\x1f\x8b":
        return packed
    parts, room = [], max(SMALL, LARGEST * len(packed))
    while packed.strip(b"\0"):  # members may follow each other, and zeros after the last
        member = zlib.decompressobj(GZIP)
        parts.append(member.decompress(packed, room + 1))
        room -= len(parts[-1])
        expect(room >= 0)
        if not member.eof:
            raise EOFError
        packed = member.unused_data
    return b"".join(parts)


def affine(weight: NDArray, bias: NDArray) -> Affine:
    """Return a layer in float32; ValueError if a number is not finite."""
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
