"""Read the weights of Leela Chess Zero, Maia's included, and make a network artifact of them.

The format is Leela's protobuf, gzipped: https://github.com/LeelaChessZero/lc0 (proto/net.proto).
Read are residual networks with the classical 112 input planes: with or without
squeeze-excitation, with a convolutional or dense policy, with a value of one number or of win, draw
and loss. All else (attention, Mish, other planes, ONNX inside) is refused by name. A moves-left
head is ignored. Neither torch nor onnx is needed.

What is easily missed: `bn_stddivs` are variances; a bias beside a batch norm stands before it;
Leela takes the absolute value of a norm's gamma; planes go in as they are, the count of plies
without progress too.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import NetworkError
from evenmatch.network.foreign import Affine, affine, expect, read_file, shaped, unpacked
from evenmatch.network.leela.policy_planes import MOVES, PADDED
from evenmatch.network.protobuf import Message

INPUT_PLANES, SQUARES = 112, 64
MAGIC = (0x1C0).to_bytes(4, "little")
EPSILON = 1e-5  #: added to the variance of a batch norm


class Block(NamedTuple):
    """A residual block: relu(x + excite(second(relu(first(x)))))."""

    first: Affine
    second: Affine
    excitation: tuple[Affine, Affine] | None  # dense: [S, C] and [2C, S], S the squeezed size


class LeelaNet(NamedTuple):
    """A network as read, its parts in the order of the forward pass."""

    stem: Affine
    blocks: tuple[Block, ...]
    policy: tuple[Affine, Affine]  # a convolution; then one to 80 planes, or dense to 1858 moves
    value: Affine  # a convolution
    value_hidden: Affine  # dense
    value_out: Affine  # dense, [1, F] (tanh) or [3, F] (softmax of win, draw and loss)
    steps: int  # of training, 0 if the file tells none
    licence: str  # as the file tells it, mostly nothing
    digest: str  # SHA-256 of the file, hexadecimal


class _RefusedError(Exception):
    """A network of another kind; the message names what was found."""


def read_leela(path: str | Path) -> LeelaNet:
    """Read a weights file (.pb.gz, or .pb), and fold its batch norms.

    Raises NetworkError if the file is missing, holds something else, is corrupt, or is of a kind
    that is not read, which the message names.
    """
    packed = read_file(Path(path))
    try:
        data = unpacked(packed)
        if data[:5] != b"\x0d" + MAGIC:  # field 1, fixed32
            raise NetworkError(
                f"{path} holds no Leela weights; give a .pb.gz file of Leela or .bin.gz of KataGo"
            )
        net = Message(data)
        return _net(net, hashlib.sha256(packed).hexdigest())
    except _RefusedError as found:
        raise NetworkError(
            f"network {path} has {found}, which is not read; use a residual network with classical "
            "input planes, such as Maia-1"
        ) from None
    except (ValueError, EOFError, OSError, zlib.error):
        raise NetworkError(f"weights {path} are corrupt; download them again") from None


# What is read and what is refused: NetworkFormat of net.proto, by its field numbers.


class _Choice(NamedTuple):
    """A field of NetworkFormat: its name, the values that are read, and the names of others."""

    what: str
    read: tuple[int, ...]
    others: dict[int, str]


_STRUCTURE, _INPUT, _OUTPUT, _POLICY, _VALUE, _ACTIVATION = 3, 1, 2, 4, 5, 7
_CHOICES = {
    _STRUCTURE: _Choice(
        "body", (1, 2, 3, 4), {5: "ONNX", 6: "attention", 7: "attention", 134: "attention"}
    ),
    _INPUT: _Choice(
        "input planes",
        (1,),
        {
            2: "with castling rooks",
            3: "canonical",
            4: "canonical hectoplies",
            5: "canonical v2",
            132: "canonical hectoplies armageddon",
            133: "canonical v2 armageddon",
        },
    ),
    _OUTPUT: _Choice("output", (1, 2), {}),
    _POLICY: _Choice("policy head", (1, 2), {3: "attention"}),
    _VALUE: _Choice("value head", (1, 2), {3: "parameters"}),
    _ACTIVATION: _Choice("activation", (0,), {1: "Mish"}),
}
_CONVOLUTIONAL, _WDL = 2, 2  # values of policy and value
_ENCODERS, _SMOLGEN, _HEADS = 27, 35, (44, 45)  # fields of Weights that residual networks lack


def _format(net: Message) -> dict[int, int]:
    """Return NetworkFormat, field -> value, completed where old files are silent."""
    outer = net.message(4)
    if 2 not in outer:
        return {_STRUCTURE: 1, _INPUT: 1, _OUTPUT: 1, _POLICY: 1, _VALUE: 1, _ACTIVATION: 0}
    told = outer.message(2)
    given = {number: told.integer(number) for number in _CHOICES}
    if given[_STRUCTURE] in (1, 2):  # of the time before heads had a format
        given |= {_POLICY: 1, _VALUE: 1}
    return given


def _check_kind(given: dict[int, int], net: Message, weights: Message) -> None:
    """Raise _RefusedError, naming the first thing that is not read."""
    if 11 in net and 10 not in net:  # onnx_model, weights
        raise _RefusedError("body ONNX")
    for number, choice in _CHOICES.items():
        value = given[number]
        if value not in choice.read:
            raise _RefusedError(f"{choice.what} {choice.others.get(value, f'number {value}')}")
    if _ENCODERS in weights or _SMOLGEN in weights:  # early attention networks say "SE"
        raise _RefusedError("body attention")
    if any(number in weights for number in _HEADS):
        raise _RefusedError("several heads")


# Weights


def _net(net: Message, digest: str) -> LeelaNet:
    given, w = _format(net), net.message(10)
    _check_kind(given, net, w)
    stem = _convolution(w.message(1), INPUT_PLANES)
    channels = len(stem.bias)
    value = _convolution(w.message(6), channels)
    hidden = _dense(w, 7, len(value.bias) * SQUARES)
    out = _dense(w, 9, len(hidden.bias))
    expect(len(out.bias) == (3 if given[_VALUE] == _WDL else 1))
    return LeelaNet(
        stem=stem,
        blocks=tuple(_block(block, channels) for block in w.messages(2)),
        policy=_policy(w, given[_POLICY] == _CONVOLUTIONAL, channels),
        value=value,
        value_hidden=hidden,
        value_out=out,
        steps=net.message(5).integer(1),
        licence=net.raw(2).decode(errors="replace"),
        digest=digest,
    )


def _policy(w: Message, convolutional: bool, channels: int) -> tuple[Affine, Affine]:
    if convolutional:
        first = _convolution(w.message(11), channels)
        second = _convolution(w.message(3), len(first.bias))
        expect(len(second.bias) == PADDED)
    else:
        first = _convolution(w.message(3), channels)
        second = _dense(w, 4, len(first.bias) * SQUARES)
        expect(len(second.bias) == MOVES)
    return first, second


def _block(block: Message, channels: int) -> Block:
    first = _convolution(block.message(1), channels)
    second = _convolution(block.message(2), len(first.bias))
    expect(len(second.bias) == channels)
    if 3 not in block:
        return Block(first, second, None)
    unit = block.message(3)
    squeeze = _dense(unit, 1, channels)
    expand = _dense(unit, 3, len(squeeze.bias))
    expect(len(expand.bias) == 2 * channels)
    return Block(first, second, (squeeze, expand))


def _convolution(block: Message, inputs: int) -> Affine:
    """Return a ConvBlock of net.proto with its batch norm, if there is one, folded in."""
    weight, bias, mean, variance, gamma, beta = (
        _layer(block.message(number)) for number in range(1, 7)
    )
    outputs = max(len(bias), len(variance))
    expect(outputs > 0)
    kernel = 3 if len(weight) == outputs * inputs * 9 else 1
    weight = shaped(weight, outputs, inputs, kernel, kernel)
    bias = shaped(bias, outputs) if len(bias) else np.zeros(outputs)
    if len(variance):
        scale = 1 / np.sqrt(shaped(variance, outputs) + EPSILON)
        if len(gamma):
            scale = scale * np.abs(shaped(gamma, outputs))
        weight = weight * scale[:, None, None, None]
        bias = (bias - shaped(mean, outputs)) * scale
        bias = bias + shaped(beta, outputs) if len(beta) else bias
    return affine(weight, bias)


def _dense(weights: Message, number: int, inputs: int) -> Affine:
    """Return the dense layer whose weight is that field and whose bias is the next."""
    bias = _layer(weights.message(number + 1))
    expect(len(bias) > 0)
    return affine(shaped(_layer(weights.message(number)), len(bias), inputs), bias)


def _layer(layer: Message) -> NDArray[np.float64]:
    """Return the numbers of a Layer of net.proto, flat; none if it is absent."""
    raw, encoding = layer.raw(3), layer.integer(4) or 1
    if encoding == 1:  # LINEAR16: 0 to 65535 is min to max
        least, most = layer.real(1), layer.real(2)
        return least + (most - least) * (np.frombuffer(raw, "<u2") / 65535)
    if encoding == 3:  # BFLOAT16: the upper half of a float32
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32).astype(float)
    if encoding in (2, 4):
        return np.frombuffer(raw, "<f2" if encoding == 2 else "<f4").astype(float)
    raise _RefusedError(f"weight encoding number {encoding}")
