"""Words, layers and blocks of KataGo's model files, in the order in which they stand there.

A file is words between blanks, and after the words of a layer its numbers, as the mark @BIN@ and
float32s. Source: https://github.com/lightvector/KataGo (cpp/neuralnet/desc.cpp).

What is easily missed: weights are stored [k, k, in, out] and [in, out]; a norm stands *before* its
block's convolution, so the sum of the trunk needs scale and bias of its own; what pooling adds to a
convolution goes through the norm after that convolution, too. From version 11 each activation has a
kind; before it is a rectifier.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evenmatch.network.foreign import Affine, affine, expect, shaped
from evenmatch.network.katago.net import (
    ACTIVATIONS,
    AnyBlock,
    Attention,
    Block,
    FeedForward,
    Nested,
    Norm,
    Pooling,
)

MARK = b"@BIN@"
DEEPEST = 8  #: bottlenecks within each other
ACTIVATIONS_SINCE = 11  #: the version from which activations have kinds


class RefusedError(Exception):
    """A network of another kind; the message names what was found."""


class Words:
    """The words and numbers of a model file, read in turn; ValueError where they end too soon."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        self.version = 0  #: of the file, once it is read

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
        """Return the next word, a finite number."""
        number = float(self.text())
        expect(bool(np.isfinite(number)))
        return number

    def zeros(self, count: int, what: str) -> None:
        """Read options that are 0 in all networks known. RefusedError names ``what`` they are."""
        if any(self.integer() for _ in range(count)):
            raise RefusedError(f"{what} of a kind that is not known")

    def floats(self, count: int) -> NDArray[np.float64]:
        """Return a block of numbers."""
        start = self._skipped()
        expect(self._data.startswith(MARK, start))
        start += len(MARK)
        self._at = start + 4 * count
        with np.errstate(invalid="ignore"):  # NaN is refused where layers are made
            numbers = np.frombuffer(self._data[start : self._at], "<f4").astype(float)
        expect(len(numbers) == count)
        return numbers

    def _skipped(self) -> int:
        """Return where the next word begins."""
        at = self._at
        while self._data[at : at + 1].isspace():
            at += 1
        return at


# Layers: a convolution and a dense layer without bias, a norm as scale and bias


def convolution(words: Words, inputs: int) -> NDArray:
    """Return the weight [out, in, k, k] of a convolution."""
    words.text()
    height, width, found, outputs = (words.count() for _ in range(4))
    if (words.integer(), words.integer()) != (1, 1):
        raise RefusedError("dilated convolutions")
    expect(found == inputs and height == width and height % 2 == 1)
    flat = words.floats(height * width * inputs * outputs)
    return shaped(flat, height, width, inputs, outputs).transpose(3, 2, 0, 1)


def dense(words: Words, inputs: int) -> NDArray:
    """Return the weight [out, in] of a dense layer."""
    words.text()
    found, outputs = words.count(), words.count()
    expect(found == inputs)
    return shaped(words.floats(inputs * outputs), inputs, outputs).T


def biased(words: Words, inputs: int) -> Affine:
    """Return a dense layer and its bias."""
    weight = dense(words, inputs)
    words.text()
    expect(words.count() == len(weight))
    return affine(weight, words.floats(len(weight)))


def batch_norm(words: Words, channels: int) -> tuple[NDArray, NDArray]:
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


def activation(words: Words) -> str:
    """Return the kind of an activation. RefusedError if it is not known."""
    words.text()
    if words.version < ACTIVATIONS_SINCE:
        return "relu"
    kind = words.text()
    name = kind.removeprefix("ACTIVATION_").lower()
    if name not in ACTIVATIONS:
        raise RefusedError(f"activations of kind {kind[:40]!r}")
    return name


def normed(weight: NDArray, norm: tuple[NDArray, NDArray]) -> Affine:
    """Return a convolution with the norm after it folded in."""
    return affine(weight * norm[0][:, None, None, None], norm[1])


def unbiased(weight: NDArray) -> Affine:
    """Return a layer that has no bias."""
    return affine(weight, np.zeros(len(weight)))


def norm_of(words: Words, channels: int) -> Norm:
    """Return a norm before a layer, and its activation."""
    scale, bias = affine(*batch_norm(words, channels))
    return Norm(scale, bias, activation(words))


# Blocks


def pooled(words: Words, channels: int, first: NDArray) -> tuple[Affine, Pooling]:
    """Return a convolution and what pooling adds to it, the norm after both folded in."""
    weight = convolution(words, channels)
    layer = normed(weight, batch_norm(words, len(weight)))
    kind = activation(words)
    added = dense(words, 3 * len(weight))
    expect(len(added) == len(first))
    scale, bias = batch_norm(words, len(first))
    return normed(first, (scale, bias)), Pooling(layer, unbiased(added * scale[:, None]), kind)


def blocks_of(words: Words, count: int, channels: int, depth: int = 0) -> tuple[AnyBlock, ...]:
    """Return so many blocks of a stack with so many channels. RefusedError for other kinds."""
    expect(depth <= DEEPEST)
    return tuple(_block(words, channels, depth) for _ in range(count))


def _block(words: Words, channels: int, depth: int) -> AnyBlock:
    kind = words.text()
    if kind not in KINDS:
        raise RefusedError(f"blocks of kind {kind[:40]!r}")
    words.text()
    return KINDS[kind](words, channels, depth)


def _residual(words: Words, channels: int, depth: int) -> Block:
    norm = norm_of(words, channels)
    first = convolution(words, channels)
    layer = normed(first, batch_norm(words, len(first)))
    return _ended(words, norm, layer, None)


def _with_pooling(words: Words, channels: int, depth: int) -> Block:
    norm = norm_of(words, channels)
    return _ended(words, norm, *pooled(words, channels, convolution(words, channels)))


def _ended(words: Words, norm: Norm, first: Affine, pooling: Pooling | None) -> Block:
    """Return a residual block whose end is still to be read."""
    middle = activation(words)
    second = unbiased(convolution(words, len(first.bias)))
    expect(len(second.bias) == len(norm.bias))
    return Block(norm, first, pooling, second, activation=middle)


def _nested(words: Words, channels: int, depth: int) -> Nested:
    count, norm = words.count(), norm_of(words, channels)
    first = unbiased(convolution(words, channels))
    inner = len(first.bias)
    blocks = blocks_of(words, count, inner, depth + 1)
    last_norm = norm_of(words, inner)
    last = unbiased(convolution(words, inner))
    expect(len(last.bias) == channels)
    return Nested(norm, first, blocks, last_norm, last)


def _root_mean(words: Words, channels: int) -> tuple[NDArray, float]:
    """Return the scale [C] of a transformer's norm, and its epsilon."""
    words.text()
    expect(words.count() == channels)
    epsilon = words.real()
    expect(0 < epsilon <= 1)
    return words.floats(channels), epsilon


def _attention(words: Words, channels: int, depth: int) -> Attention:
    heads, shared, size, value_size = (words.count() for _ in range(4))
    turned, learned = words.integer(), words.integer()
    expect(heads % shared == 0 and max(heads * size, heads * value_size) <= 1 << 16)
    scale, epsilon = _root_mean(words, channels)
    query, key, value = (dense(words, channels) * scale for _ in range(3))
    out = dense(words, heads * value_size)
    sizes = [heads * size, shared * size, shared * value_size, channels]
    expect([len(weight) for weight in (query, key, value, out)] == sizes)
    frequencies = None
    if turned:
        expect(size % 2 == 0)
        frequencies = (_learned if learned else _fixed)(words, shared, size // 2)
        query, key = (x.reshape(-1, size // 2, 2, channels) for x in (query, key))
        query, key = (x.transpose(0, 2, 1, 3) for x in (query, key))
    repeated = [x.reshape(shared, -1).repeat(heads // shared, 0) for x in (key, value)]
    query, key, value = (x.reshape(-1, channels) for x in (query / np.sqrt(size), *repeated))
    if frequencies is not None:
        frequencies = frequencies.repeat(heads // shared, 0).astype(np.float32)
        expect(bool(np.isfinite(frequencies).all()))
    q, k, v, o = map(unbiased, (query, key, value, out))
    return Attention(q, k, v, o, heads, frequencies, epsilon)


def _learned(words: Words, heads: int, pairs: int) -> NDArray:
    """Return the frequencies [N, pairs, 2] by which pairs are turned, as they were learned."""
    words.text()
    expect([words.count() for _ in range(3)] == [heads, pairs, 2])
    return shaped(words.floats(heads * pairs * 2), heads, pairs, 2)


def _fixed(words: Words, heads: int, pairs: int) -> NDArray:
    """Return the frequencies [N, pairs, 2]: one half of the pairs turn by y, the other by x."""
    words.text()
    theta, half = words.real(), pairs // 2
    expect(theta > 0 and pairs % 2 == 0)
    frequencies = np.zeros((heads, pairs, 2))
    falling = theta ** (-2 * np.arange(half) / pairs)
    frequencies[:, :half, 1] = frequencies[:, half:, 0] = falling
    return frequencies


def _feed_forward(words: Words, channels: int, depth: int) -> FeedForward:
    expect(words.count() == channels)
    width, gated = words.count(), words.integer()
    if not gated:
        raise RefusedError("feed-forward layers without a gate")
    scale, epsilon = _root_mean(words, channels)
    first, gate = (dense(words, channels) * scale for _ in range(2))
    second = dense(words, width)
    expect([len(x) for x in (first, gate, second)] == [width, width, channels])
    return FeedForward(unbiased(first), unbiased(gate), unbiased(second), epsilon)


KINDS: dict[str, Callable[[Words, int, int], AnyBlock]] = {
    "ordinary_block": _residual,
    "gpool_block": _with_pooling,
    "nested_bottleneck_block": _nested,
    "transformer_attention_block": _attention,
    "transformer_ffn_block": _feed_forward,
}
