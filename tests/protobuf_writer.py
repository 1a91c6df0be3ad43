"""Fields of protobuf messages, for files that no schema allows."""


def field(number: int, value: int | bytes | str) -> bytes:
    """Write one field: an int of at least 0 as a varint, text and bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
