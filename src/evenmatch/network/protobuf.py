"""A bounded reader of the protobuf wire format: numbers, bytes, nothing about schemas.

ONNX files and Leela weights, which may come from a stranger, are both protobuf, and of either we
need a few fields. Format:
https://protobuf.dev/programming-guides/encoding
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
LONGEST_VARINT = 10  #: bytes of a 64-bit number, 7 bits in each


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield (field number, value) of a message in the order of the file.

    The value is an int for varints and `bytes` for all else: strings, messages, packed arrays, and
    the 4 or 8 bytes of fixed-width numbers. Raises ValueError if the data is no such message.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == BYTES:
            size, at = _varint(data, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise ValueError("not protobuf")
        if at + size > len(data):
            raise ValueError("truncated")
        yield number, data[at : at + size]
        at += size


def blobs(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the fields that are not varints. Raises ValueError."""
    for number, value in fields(data):
        if isinstance(value, bytes):
            yield number, value


def packed(data: bytes) -> Iterator[int]:
    """Yield varints that stand one behind another. Raises ValueError."""
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return (number, next offset) of the base-128 varint at an offset."""
    number = 0
    for i, byte in enumerate(data[at : at + LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return number, at + i + 1
    raise ValueError("truncated")


class Message:
    """A message read into memory: field number -> its values, in the order of the file.

    The accessors give the last value, as the format wants, and what is absent as zero or empty.
    Raises ValueError for data that is not a message, and when a field is of another type.
    """

    def __init__(self, data: bytes) -> None:
        self._values: dict[int, list[int | bytes]] = {}
        for number, value in fields(data):
            self._values.setdefault(number, []).append(value)

    def __contains__(self, number: int) -> bool:
        return number in self._values

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def integer(self, number: int) -> int:
        """Return a varint."""
        value = self._values.get(number, [0])[-1]
        if isinstance(value, bytes):
            raise ValueError(f"field {number} is no integer")
        return value

    def integers(self, number: int) -> list[int]:
        """Return a repeated varint, each in a field of its own or packed."""
        found: list[int] = []
        for value in self._values.get(number, []):
            found += [value] if isinstance(value, int) else packed(value)
        return found

    def raw(self, number: int) -> bytes:
        """Return bytes."""
        return self._all(number)[-1] if number in self else b""

    def real(self, number: int) -> float:
        """Return a float32."""
        raw = self.raw(number) or bytes(4)
        if len(raw) != 4:
            raise ValueError(f"field {number} is no float32")
        return struct.unpack("<f", raw)[0]

    def message(self, number: int) -> Message:
        """Return a message inside this one."""
        return Message(self.raw(number))

    def messages(self, number: int) -> list[Message]:
        """Return all messages of a repeated field."""
        return [Message(raw) for raw in self._all(number)]

    def _all(self, number: int) -> list[bytes]:
        values = self._values.get(number, [])
        if any(isinstance(value, int) for value in values):
            raise ValueError(f"field {number} is an integer")
        return values  # type: ignore[return-value]
