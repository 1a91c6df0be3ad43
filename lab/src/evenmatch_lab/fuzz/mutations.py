"""Valid examples made wrong: by bytes, words, lines, numbers, brackets and encodings."""

import random
import re
from collections.abc import Callable, Sequence

LONGEST = 1 << 17  #: bytes of an input before it is packed
NUMBER = re.compile(rb"[+-]?\d+(?:\.\d+)?")
WORD = re.compile(rb"[^\s,:;=\[\](){}\"]+")
HUGE = (
    b"0", b"-1", b"1", b"255", b"256", b"65535", b"65536", b"2147483647", b"2147483648",
    b"-2147483649", b"4294967296", b"9223372036854775807", b"9223372036854775808",
    b"18446744073709551616", b"1e308", b"1e309", b"-1e400", b"nan", b"inf", b"-inf", b"0.1",
    b"1e-320", b"9" * 400, b"9" * 5000, b"0x10", b"1_000", b"+5", b"--1", "٣".encode(),
    "²".encode(),
)  # fmt: skip
ODD = (
    b"\x00", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\r", b"\r\n",
    b"\n\n", b"\t", b"\x1b[2J", b"\x1a", b"\x85", "\u2028".encode(), "\u202e".encode(),
    "é".encode("latin-1"), "\U0001f600".encode(), b"\\", b"'", b'"', b"%s", b"{}", b"$(x)",
    b"\\u0000",
    b'"\\ud800"', b"null", b"true", b"[]", b"{}", b'""', b"NaN",
)  # fmt: skip
NESTS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b'{"a":', b"}"), (b"(;", b")"), (b'"', b'"'))
DEPTHS = (3, 30, 900, 1100, 20_000)
CODECS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "utf-7", "cp037")

Change = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def mutated(
    rng: random.Random,
    examples: Sequence[bytes],
    words: Sequence[bytes] = (),
    text: bool = True,
) -> bytes:
    """Return an example with some changes, sometimes none.

    ``words`` are what the door knows; of what is no ``text`` mostly bytes are changed.
    """
    data = rng.choice(examples)
    usual = TEXT_CHANGES if text else BYTE_CHANGES
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 4, 6, 10))):
        among = usual if rng.random() < 0.85 else EVERY_CHANGE
        change = rng.choice(among)
        known = examples if change is spliced else words
        data = change(rng, data, known)[:LONGEST]
    return data


# -- bytes -----------------------------------------------------------------------------------------


def bit_flipped(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Flip a bit."""
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def bytes_set(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Set some bytes in a row to the least, the most, or anything."""
    at, count = _span(rng, data, 8)
    kind = rng.randrange(4)
    new = (bytes(count), b"\xff" * count, b"\x7f" * count, rng.randbytes(count))[kind]
    return data[:at] + new + data[at + count :]


def number_set(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Set a number of 2, 4 or 8 bytes that stands where such a number would."""
    size = rng.choice((2, 4, 8))
    if len(data) < size:
        return data
    at = rng.randrange(len(data) // size) * size
    bits = 8 * size
    value = rng.choice((0, 1, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) - 1, 1 << 16, 300))
    return data[:at] + (value % 2**bits).to_bytes(size, "little") + data[at + size :]


def bytes_put_in(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Put something in that is odd, or anything."""
    at = rng.randint(0, len(data))
    new = rng.choice(ODD) if rng.random() < 0.7 else rng.randbytes(rng.randint(1, 20))
    return data[:at] + new + data[at:]


def bytes_left_out(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Leave some bytes out."""
    at, count = _span(rng, data, max(8, len(data) // 4))
    return data[:at] + data[at + count :]


def bytes_repeated(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Repeat some bytes, a few times or very often."""
    at, count = _span(rng, data, 40)
    times = rng.choice((2, 3, 10, 300, 20_000))
    return data[:at] + data[at : at + count] * times + data[at + count :]


def ended_early(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """End early."""
    return data[: rng.randint(0, len(data))]


def spliced(rng: random.Random, data: bytes, examples: Sequence[bytes]) -> bytes:
    """Go on as another example does."""
    other = rng.choice(examples)
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


# -- text ------------------------------------------------------------------------------------------


def word_put_in(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Put a word of the door between others, or in the place of one."""
    if not words:
        return bytes_put_in(rng, data, words)
    found = rng.choice(_matches(WORD, data) or [(0, 0)])
    new = rng.choice(words)
    if rng.random() < 0.5:
        return data[: found[0]] + new + data[found[1] :]
    return data[: found[1]] + rng.choice((b" ", b"\n", b",", b"")) + new + data[found[1] :]


def number_replaced(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Put another number in the place of one."""
    found = _matches(NUMBER, data)
    if not found:
        return data
    start, stop = rng.choice(found)
    return data[:start] + rng.choice(HUGE) + data[stop:]


def words_swapped(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Put one word in the place of another."""
    found = _matches(WORD, data)
    if len(found) < 2:
        return data
    (start, stop), (other, end) = rng.choice(found), rng.choice(found)
    return data[:start] + data[other:end] + data[stop:]


def lines_changed(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Leave out, repeat or move a line."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    line = lines.pop(at)
    kept = rng.choice(([], [line, line], [line]))
    return b"".join(lines[:to] + kept + lines[to:])


def nested(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Put brackets around a part, or leave them open, to some depth."""
    opening, closing = rng.choice(NESTS)
    depth = rng.choice(DEPTHS)
    at, count = _span(rng, data, 40)
    end = closing * depth if rng.random() < 0.6 else b""
    return data[:at] + opening * depth + data[at : at + count] + end + data[at + count :]


def stretched(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Make a word very long."""
    found = _matches(WORD, data)
    if not found:
        return data
    start, stop = rng.choice(found)
    filled = rng.choice((b"x", b"9", b" ", b"-", b"/", b"\\", data[start:stop]))
    return data[:start] + filled * rng.choice((300, 5000, 70_000 // len(filled))) + data[stop:]


def recoded(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Write text in another encoding, or with other ends of lines."""
    if rng.random() < 0.3:
        return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b" ", b"")))
    return data.decode("utf-8", "replace").encode(rng.choice(CODECS), "replace")


def letters_turned(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Turn a word's letters into large or small ones."""
    found = _matches(WORD, data)
    if not found:
        return data
    start, stop = rng.choice(found)
    return data[:start] + data[start:stop].swapcase() + data[stop:]


def _matches(pattern: re.Pattern[bytes], data: bytes) -> list[tuple[int, int]]:
    """Return where a pattern is found, in what is near the beginning."""
    return [found.span() for found in pattern.finditer(data[:20_000])]


def _span(rng: random.Random, data: bytes, most: int) -> tuple[int, int]:
    """Return where some bytes are, and how many; none of nothing."""
    if not data:
        return 0, 0
    at = rng.randrange(len(data))
    return at, min(rng.randint(1, most), len(data) - at)


BYTE_CHANGES: Sequence[Change] = (
    bit_flipped, bit_flipped, bytes_set, bytes_set, number_set, number_set, bytes_put_in,
    bytes_left_out, bytes_repeated, ended_early, spliced,
)  # fmt: skip
TEXT_CHANGES: Sequence[Change] = (
    word_put_in, word_put_in, word_put_in, number_replaced, number_replaced, words_swapped,
    lines_changed, lines_changed, nested, stretched, recoded, letters_turned, bytes_put_in,
    bytes_left_out, bytes_repeated, bit_flipped, ended_early, spliced,
)  # fmt: skip
EVERY_CHANGE: Sequence[Change] = (*BYTE_CHANGES, *TEXT_CHANGES)
