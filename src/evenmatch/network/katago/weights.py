"""Read the weights of KataGo, a Go program, from its model files.

A file is gzipped: words between blanks, and after the words of a layer its numbers, as the mark
@BIN@ and float32s. Read is model version 8, that of the run g170: residual blocks with and without
global pooling, inputs of version 7. Source: https://github.com/lightvector/KataGo
(cpp/neuralnet/desc.cpp); Wu 2019, "Accelerating Self-Play Learning in Go", appendix A.

What is easily missed: weights are stored [k, k, in, out] and [in, out]; a norm stands *before* its
block's convolution, so the sum of the trunk needs scale and bias of its own; what pooling adds to a
convolution goes through the norm after that convolution, too.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.network.foreign import Affine, Floats, affine, expect, read_file, shaped, unpacked

VERSION = 8  #: of model files, the one that is read
SPATIAL, GLOBAL = 22, 19  #: inputs of version 7: planes, and numbers of the whole board
POINTS = 20.0  #: of a score output of 1
MARK = b"@BIN@"


class Norm(NamedTuple):
    """A batch norm that follows a sum, so that no layer can take it up."""

    scale: Floats  # [C]
    bias: Floats  # [C]


class Pooling(NamedTuple):
    """What a part of the channels, pooled over the board, adds to each of the others."""

    channels: Affine  # a convolution to G channels
    added: Affine  # [C, 3G]


class Film(NamedTuple):
    """How a block is conditioned on the rating: dense layers of the conditions (ours)."""

    scale: Affine  # [C, K]
    shift: Affine  # [C, K]


class Block(NamedTuple):
    """A residual block: x + second(relu(film(first(y) + pooling(y)))), where y is relu(norm(x))."""

    norm: Norm
    first: Affine
    pooling: Pooling | None
    second: Affine
    film: Film | None = None


class PolicyHead(NamedTuple):
    """Points: last(relu(first(x) + pooling(x))); a pass is the dense layer of what is pooled."""

    first: Affine
    pooling: Pooling
    last: Affine  # [1, C, 1, 1]
    passing: Affine  # [1, 3G]


class ValueHead(NamedTuple):
    """Channels, pooled and dense to `hidden`, whence outcome and lead; ownership by points."""

    channels: Affine
    hidden: Affine  # [F, 3C]
    outcome: Affine  # [3, F]: win, no result, loss; as win, draw and loss of other networks
    lead: Affine  # [1, F], in points
    ownership: Affine  # [1, C, 1, 1]


class StrengthHead(NamedTuple):
    """Channels, pooled and dense to `hidden`, whence the scores (ours)."""

    channels: Affine  # [C, ., 1, 1]
    hidden: Affine  # [F, 3C]
    out: Affine  # [n, F]


class KataGoNet(NamedTuple):
    """A network as read, its parts in the order of the forward pass."""

    name: str
    stem: Affine  # of the planes
    told: Affine  # [C, 19], of the whole board's inputs
    blocks: tuple[Block, ...]
    tip: Norm
    policy: PolicyHead
    value: ValueHead
    digest: str = ""  # SHA-256 of the file, hexadecimal
    strength: StrengthHead | None = None


def read_katago(path: str | Path) -> KataGoNet:
    """Read a model file (.bin.gz, or .bin), and fold the batch norms that follow a layer.

    Raises NetworkError if the file is missing, holds something else, is corrupt, or is of a
    version or kind that is not read, which the message names.
    """
    packed = read_file(Path(path))
    try:
        data = unpacked(packed)
        words = _Words(data)
        name, version = _header(words, path)
        if version != VERSION:
            raise NetworkError(
                f"network {path} is of KataGo's model version {version}; version {VERSION} is "
                "read, that of the g170 networks"
            )
        return _net(words, name, hashlib.sha256(packed).hexdigest())
    except _RefusedError as found:
        raise NetworkError(
            f"network {path} has {found}, which is not read; use a g170 network"
        ) from None
    except (ValueError, EOFError, OSError, zlib.error):
        raise NetworkError(f"weights {path} are corrupt; download them again") from None


class _RefusedError(Exception):
    """A network of another kind; the message names what was found."""


def _header(words: _Words, path: str | Path) -> tuple[str, int]:
    """Return the network's name and version; NetworkError if the file begins otherwise."""
    try:
        name, version = words.text(), words.integer()
        expect(0 <= version < 1000)
    except ValueError:
        raise NetworkError(
            f"{path} holds no KataGo network; give a .bin.gz file of model version {VERSION}"
        ) from None
    return name, version


class _Words:
    """The words and numbers of a model file, read in turn; ValueError where they end too soon."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def text(self) -> str:
        """Return the next word."""
        start = self._skipped()
        end = start
        while self._data[end : end + 1].strip():
            end += 1
        expect(0 < end - start <= 200)
        self._at = end
        return self._data[start:end].decode()

    def integer(self) -> int:
        """Return the next word, a whole number."""
        return int(self.text())

    def count(self) -> int:
        """Return the next word, a number of channels or blocks."""
        number = self.integer()
        expect(0 < number <= 1 << 16)
        return number

    def real(self) -> float:
        """Return the next word, a number."""
        return float(self.text())

    def floats(self, count: int) -> NDArray[np.float64]:
        """Return a block of numbers."""
        start = self._skipped()
        expect(self._data.startswith(MARK, start))
        start += len(MARK)
        self._at = start + 4 * count
        with np.errstate(invalid="ignore"):  # what is no number is found where layers are made
            numbers = np.frombuffer(self._data[start : self._at], "<f4").astype(float)
        expect(len(numbers) == count)
        return numbers

    def _skipped(self) -> int:
        """Return where the next word begins."""
        at = self._at
        while self._data[at : at + 1].isspace():
            at += 1
        return at


# Layers: a convolution and a dense layer without bias, a norm as scale and bias.


def _convolution(words: _Words, inputs: int) -> NDArray:
    """Return the weight [out, in, k, k] of a convolution."""
    words.text()
    height, width, found, outputs = (words.count() for _ in range(4))
    if (words.integer(), words.integer()) != (1, 1):
        raise _RefusedError("dilated convolutions")
    expect(found == inputs and height == width and height % 2 == 1)
    flat = words.floats(height * width * inputs * outputs)
    return shaped(flat, height, width, inputs, outputs).transpose(3, 2, 0, 1)


def _dense(words: _Words, inputs: int) -> NDArray:
    """Return the weight [out, in] of a dense layer."""
    words.text()
    found, outputs = words.count(), words.count()
    expect(found == inputs)
    return shaped(words.floats(inputs * outputs), inputs, outputs).T


def _bias(words: _Words, outputs: int) -> NDArray:
    words.text()
    expect(words.count() == outputs)
    return words.floats(outputs)


def _norm(words: _Words, channels: int) -> tuple[NDArray, NDArray]:
    """Return a batch norm as (scale [C], bias [C])."""
    words.text()
    expect(words.count() == channels)
    epsilon, scaled, shifted = words.real(), words.integer(), words.integer()
    mean, variance = words.floats(channels), words.floats(channels)
    gamma = words.floats(channels) if scaled else np.ones(channels)
    beta = words.floats(channels) if shifted else np.zeros(channels)
    expect(bool((variance + epsilon > 0).all()))
    scale = gamma / np.sqrt(variance + epsilon)
    return scale, beta - mean * scale


def _normed(weight: NDArray, norm: tuple[NDArray, NDArray]) -> Affine:
    """Return a convolution with the norm after it folded in."""
    return affine(weight * norm[0][:, None, None, None], norm[1])


def _unbiased(weight: NDArray) -> Affine:
    return affine(weight, np.zeros(len(weight)))


def _pre_activation(words: _Words, channels: int) -> Norm:
    """Return the norm before a layer, whose activation is a rectifier in this version."""
    norm = affine(*_norm(words, channels))
    words.text()
    return Norm(norm.weight, norm.bias)


# Parts


def _net(words: _Words, name: str, digest: str) -> KataGoNet:
    if (words.integer(), words.integer()) != (SPATIAL, GLOBAL):
        raise _RefusedError("inputs of another version than 7")
    words.text()
    blocks, channels = words.count(), words.count()
    for _ in range(4):  # channels of the middle, regular, dilated and pooled, told again by layers
        words.count()
    stem = _unbiased(_convolution(words, SPATIAL))
    expect(len(stem.bias) == channels)
    told = _unbiased(_dense(words, GLOBAL))
    expect(len(told.weight) == channels)
    return KataGoNet(
        name=name,
        stem=stem,
        told=told,
        blocks=tuple(_block(words, channels) for _ in range(blocks)),
        tip=_pre_activation(words, channels),
        policy=_policy(words, channels),
        value=_value(words, channels),
        digest=digest,
    )


def _block(words: _Words, channels: int) -> Block:
    kind = words.text()
    if kind not in ("ordinary_block", "gpool_block"):
        raise _RefusedError(f"blocks of kind {kind[:40]!r}")
    words.text()
    norm = _pre_activation(words, channels)
    first = _convolution(words, channels)
    if kind == "gpool_block":
        layer, pooling = _pooled(words, channels, first)
    else:
        layer, pooling = _normed(first, _norm(words, len(first))), None
    words.text()
    second = _unbiased(_convolution(words, len(first)))
    expect(len(second.bias) == channels)
    return Block(norm, layer, pooling, second)


def _pooled(words: _Words, channels: int, first: NDArray) -> tuple[Affine, Pooling]:
    """Return a convolution and what pooling adds to it, the norm after both folded in."""
    pooled, added = _pooling(words, channels, len(first))
    scale, bias = _norm(words, len(first))
    return _normed(first, (scale, bias)), _scaled(pooled, added, scale)


def _pooling(words: _Words, channels: int, outputs: int) -> tuple[Affine, NDArray]:
    """Return the convolution that is pooled, and the dense layer [outputs, 3G] after it."""
    weight = _convolution(words, channels)
    pooled = _normed(weight, _norm(words, len(weight)))
    words.text()
    added = _dense(words, 3 * len(weight))
    expect(len(added) == outputs)
    return pooled, added


def _scaled(pooled: Affine, added: NDArray, scale: NDArray) -> Pooling:
    return Pooling(pooled, _unbiased(added * scale[:, None]))


def _policy(words: _Words, channels: int) -> PolicyHead:
    words.text()
    first, pooling = _pooled(words, channels, _convolution(words, channels))
    words.text()
    last = _unbiased(_convolution(words, len(first.bias)))
    passing = _unbiased(_dense(words, 3 * len(pooling.channels.bias)))
    expect(last.weight.shape[::2] == (1, 1) and len(passing.bias) == 1)
    return PolicyHead(first, pooling, last, passing)


def _value(words: _Words, channels: int) -> ValueHead:
    words.text()
    weight = _convolution(words, channels)
    first = _normed(weight, _norm(words, len(weight)))
    words.text()
    hidden = _biased(words, 3 * len(weight))
    words.text()
    outcome, score = _biased(words, len(hidden.bias)), _biased(words, len(hidden.bias))
    ownership = _unbiased(_convolution(words, len(weight)))
    expect((len(outcome.bias), len(score.bias), len(ownership.bias)) == (3, 4, 1))
    in_order = Affine(*(array[[0, 2, 1]] for array in outcome))  # of win, loss, no result
    lead = Affine(*(array[2:3] * np.float32(POINTS) for array in score))  # of four outputs
    return ValueHead(first, hidden, in_order, lead, ownership)


def _biased(words: _Words, inputs: int) -> Affine:
    weight = _dense(words, inputs)
    return affine(weight, _bias(words, len(weight)))
