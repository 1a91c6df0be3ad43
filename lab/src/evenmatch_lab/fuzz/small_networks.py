"""Very small networks of random weights, as files of Leela and KataGo, and as artifacts."""

import random
import struct
from functools import cache
from pathlib import Path

from evenmatch.network.imported import import_network
from evenmatch.network.leela.policy_planes import PADDED
from evenmatch.network.leela.protobuf import field
from evenmatch.network.leela.weights import INPUT_PLANES, SQUARES

CHANNELS = 2
SEED = 5


@cache
def leela_file(squeezed: bool = True, wdl: bool = True) -> bytes:
    """Return Leela's weights of one block, not compressed."""
    rng = random.Random(SEED)
    kind = field(1, 1) + field(2, 1 + wdl) + field(3, 3 + squeezed) + field(4, 2)
    kind += field(5, 1 + wdl)
    unit = _dense(rng, 1, 1, CHANNELS) + _dense(rng, 3, 2 * CHANNELS, 1)
    block = field(1, _normed(rng, CHANNELS, CHANNELS, 9))
    block += field(2, _normed(rng, CHANNELS, CHANNELS, 9)) + (field(3, unit) if squeezed else b"")
    weights = field(1, _normed(rng, CHANNELS, INPUT_PLANES, 9)) + field(2, block)
    weights += field(11, _normed(rng, CHANNELS, CHANNELS, 1))
    weights += field(3, _layer(rng, 1, PADDED * CHANNELS * 9) + _layer(rng, 2, PADDED))
    weights += field(6, _normed(rng, 1, CHANNELS, 1))
    weights += _dense(rng, 7, 4, SQUARES) + _dense(rng, 9, 3 if wdl else 1, 4)
    told = field(2, "CC0-1.0") + field(4, field(1, 1) + field(2, kind)) + field(5, field(1, 7))
    return b"\x0d" + (0x1C0).to_bytes(4, "little") + told + field(10, weights)


def _layer(rng: random.Random, number: int, count: int, least: float = -0.3) -> bytes:
    """Return a field with numbers from ``least`` to 0.3, of 16 bits each."""
    ends = b"\x0d" + struct.pack("<f", least) + b"\x15" + struct.pack("<f", 0.3)
    return field(number, ends + field(3, rng.randbytes(2 * count)))


def _normed(rng: random.Random, outputs: int, inputs: int, cells: int) -> bytes:
    """Return a convolution with a batch norm."""
    parts = [_layer(rng, 1, outputs * inputs * cells), _layer(rng, 3, outputs)]
    return b"".join(
        [*parts, _layer(rng, 4, outputs, 0.1), *(_layer(rng, n, outputs) for n in (5, 6))]
    )


def _dense(rng: random.Random, number: int, outputs: int, inputs: int) -> bytes:
    return _layer(rng, number, outputs * inputs) + _layer(rng, number + 1, outputs)


# -- KataGo ----------------------------------------------------------------------------------------


@cache
def katago_file() -> bytes:
    """Return a model file of KataGo's, version 8, of two blocks, not compressed."""
    return b"".join(_KataGo().parts)


class _KataGo:
    """Writes the parts of a model file in their order."""

    def __init__(self) -> None:
        self._rng = random.Random(SEED)
        self.parts: list[bytes] = []
        kinds = ("ordinary_block", "gpool_block")
        self._words("random", 8, 22, 19, "trunk", len(kinds), CHANNELS, 2, 2, 1, 1)
        self._conv(1, 22, CHANNELS)
        self._dense(19, CHANNELS)
        for kind in kinds:
            self._block(kind)
        self._norm(CHANNELS)
        self._words("act", "policyhead")
        self._pooled(1, 2)
        self._words("act")
        self._conv(1, 2, 1)
        self._dense(3, 1)
        self._words("valuehead")
        self._conv(1, CHANNELS, 2)
        self._norm(2)
        self._words("act")
        self._dense(6, 3, biased=True)
        self._words("act")
        self._dense(3, 3, biased=True)
        self._dense(3, 4, biased=True)
        self._conv(1, 2, 1)

    def _words(self, *words: object) -> None:
        self.parts.append("".join(f"{word}\n" for word in words).encode())

    def _numbers(self, count: int, least: float = -0.3) -> None:
        drawn = [self._rng.uniform(least, 0.3) for _ in range(count)]
        self.parts.append(b"@BIN@" + struct.pack(f"<{count}f", *drawn) + b"\n")

    def _conv(self, size: int, inputs: int, outputs: int) -> None:
        self._words("conv", size, size, inputs, outputs, 1, 1)
        self._numbers(size * size * inputs * outputs)

    def _dense(self, inputs: int, outputs: int, biased: bool = False) -> None:
        self._words("dense", inputs, outputs)
        self._numbers(inputs * outputs)
        if biased:
            self._words("bias", outputs)
            self._numbers(outputs)

    def _norm(self, channels: int) -> None:
        self._words("norm", channels, 0.001, 1, 1)
        for least in (-0.3, 0.1, -0.3, -0.3):
            self._numbers(channels, least)

    def _block(self, kind: str) -> None:
        self._words(kind, "block")
        self._norm(CHANNELS)
        self._words("act")
        if kind == "gpool_block":
            self._pooled(3, 2)
        else:
            self._conv(3, CHANNELS, 2)
            self._norm(2)
        self._words("act")
        self._conv(3, 2, CHANNELS)

    def _pooled(self, size: int, outputs: int) -> None:
        """Write a convolution with what pooling adds to it, and the norm after both."""
        self._conv(size, CHANNELS, outputs)
        self._conv(size, CHANNELS, 1)
        self._norm(1)
        self._words("act")
        self._dense(3, outputs)
        self._norm(outputs)


# -- artifacts -------------------------------------------------------------------------------------


def chess_network(folder: Path) -> Path:
    """Write an artifact of chess; return it."""
    return _imported(folder, "small.pb", leela_file())


def go_network(folder: Path) -> Path:
    """Write an artifact of Go, for boards of any size; return it."""
    return _imported(folder, "small.bin", katago_file())


def _imported(folder: Path, name: str, data: bytes) -> Path:
    source = folder / name
    source.write_bytes(data)
    target = source.with_suffix(".onnx")
    import_network(source, target)
    return target
