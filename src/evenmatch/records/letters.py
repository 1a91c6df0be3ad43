"""Letters of records as people and programs write them, and the ASCII that they stand for.

Typed records have dashes of every width, no-break and zero-width spaces, fractions by a sign,
ellipses in one character, figurines and signs of evaluation. ``plain`` reads a text; ``character``
and ``MEANINGS`` do the same inside compiled kernels, which read bytes in UTF-8. A byte that is no
UTF-8 is taken for Windows-1252, as the older programs wrote it.
"""

import unicodedata

import numpy as np

from evenmatch.games.bits import inlined

TABLE = 0x3000  #: code points that the table holds; few above it matter
LETTER, BLANK, NOTHING, SIGN = 0, 1, 2, 3
"""What a code point beyond ASCII can be, apart from ASCII in disguise: a letter, white space,
nothing to be seen, or a sign that says something about the move before it."""


def _written() -> dict[str, str]:
    """Return the ASCII that characters stand for."""
    dashes = [*map(chr, range(0x2010, 0x2016)), "\u2212", "\u2043", "\u2e3a", "\u2e3b"]
    figurines = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBN KQRBN ", strict=True))
    others = {"…": "...", "½": "1/2", "⁄": "/", "∕": "/", "×": "x", "†": "+", "‡": "#"}
    return {**dict.fromkeys(dashes, "-"), **figurines, **others}


WRITTEN = _written()


def _packed(text: str) -> int:
    """Return at most three letters as a number, the first lowest."""
    return int.from_bytes(text.encode(), "little")


def meaning_of(letter: str) -> int:
    """Return what a character beyond ASCII is: LETTER to SIGN, or ASCII packed by ``_packed``."""
    written = WRITTEN.get(letter)
    if written is not None:
        return NOTHING if written == " " else _packed(written)
    kind = unicodedata.category(letter)
    if kind[0] == "Z" or letter == "\x85":
        return BLANK
    if kind in ("Cf", "Cc", "Mn", "Me"):
        return NOTHING
    plain_form = unicodedata.normalize("NFKC", letter)
    if len(plain_form) == 1 and plain_form.isascii() and plain_form.isprintable():
        return _packed(plain_form)  # of full width
    return SIGN if kind[0] in "SP" else LETTER


MEANINGS = np.array([0] * 128 + [meaning_of(chr(at)) for at in range(128, TABLE)], np.int32)
WINDOWS = np.array(
    [ord(bytes([byte]).decode("cp1252", "replace")) for byte in range(256)], np.int32
)  # [256] the code points of bytes


@inlined
def meaning(code):
    """Return what a code point beyond ASCII is; see :func:`meaning_of`."""
    if code < TABLE:
        return np.int64(MEANINGS[code])
    if 0xFF01 <= code <= 0xFF5E:  # ASCII of full width
        return np.int64(code - 0xFEE0)
    if code == 0xFEFF or 0xFE00 <= code <= 0xFE0F:
        return NOTHING
    if code == 0x3000:
        return BLANK
    return SIGN if code >= 0x1F000 else LETTER


@inlined
def continues(data, at, stop):
    """Tell whether a byte inside a UTF-8 sequence stands here."""
    return at < stop and data[at] & 0xC0 == 0x80


@inlined
def character(data, at):
    """Return (code point, bytes) of the character beyond ASCII that begins at ``at``."""
    first, stop = np.int64(data[at]), len(data)
    if 0xC2 <= first <= 0xDF and continues(data, at + 1, stop):
        return (first & 0x1F) << 6 | np.int64(data[at + 1]) & 0x3F, 2
    if first >= 0xE0 and continues(data, at + 1, stop) and continues(data, at + 2, stop):
        low = (np.int64(data[at + 1]) & 0x3F) << 6 | np.int64(data[at + 2]) & 0x3F
        if first <= 0xEF:
            return (first & 0x0F) << 12 | low, 3
        if first <= 0xF4 and continues(data, at + 3, stop):
            return (first & 0x07) << 18 | low << 6 | np.int64(data[at + 3]) & 0x3F, 4
    return np.int64(WINDOWS[first]), 1


def _read(letter: str) -> str:
    means = int(MEANINGS[ord(letter)]) if ord(letter) < TABLE else meaning_of(letter)
    if means > SIGN:
        return means.to_bytes(4, "little").rstrip(b"\0").decode()
    return {BLANK: " ", NOTHING: ""}.get(means, letter)


def plain(text: str) -> str:
    """Return a text in ASCII as far as its characters stand for some; others stay."""
    return text if text.isascii() else "".join(x if x.isascii() else _read(x) for x in text)


def shown(raw: bytes) -> str:
    """Return bytes as text: UTF-8, of which the last letter may be cut, or Windows-1252."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        cut = error.start >= len(raw) - 3 and error.reason == "unexpected end of data"
        return raw[: error.start].decode() if cut else raw.decode("cp1252", "replace")
