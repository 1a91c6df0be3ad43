"""The tag pairs of a PGN game, ``[White "Euwe, Max"]``, as compiled kernels over its bytes.

A value runs from the first quote to the last quote of its line; a backslash before a quote or a
backslash in it is taken off when it is read as text. Tags that nobody here asks for are skipped,
and so are lines in brackets that are no tag pair.
"""

import re
from enum import IntEnum

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.records.record import LEAST_RATING, MOST_RATING, UNKNOWN_RESULT, Reason


class Tag(IntEnum):
    """The tags that are kept."""

    Event = 0
    Site = 1
    Date = 2
    UTCDate = 3
    White = 4
    Black = 5
    Result = 6
    WhiteElo = 7
    BlackElo = 8
    TimeControl = 9
    Variant = 10
    FEN = 11


TAGS = len(Tag)
EVENT, DATE, UTC_DATE, RESULT, VARIANT, FEN = (
    int(tag) for tag in (Tag.Event, Tag.Date, Tag.UTCDate, Tag.Result, Tag.Variant, Tag.FEN)
)
ELOS = (int(Tag.WhiteElo), int(Tag.BlackElo))
FNV_START, FNV_STEP = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
QUOTE, SPACE, TABULATOR, OPEN_TAG, CLOSE_TAG = ord('"'), ord(" "), ord("\t"), ord("["), ord("]")
NEWLINE, RETURN, MINUS, QUERY, ZERO, NINE = (ord(c) for c in "\n\r-?09")
OTHER_START, ODD_VARIANT = int(Reason.other_start), int(Reason.variant)
BAD_RATING = -1  #: in arrays of ratings, where 0 is none
START_FEN = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"  # the counters may differ
ESCAPED = re.compile(rb'\\(["\\])')  # by a backslash, as the standard has it
STANDARD = (b"standard", b"chess", b"normal", b"from position")


def packed(text: bytes) -> np.uint64:
    """Return at most eight bytes as a word, the first byte lowest."""
    return np.uint64(int.from_bytes(text, "little"))


def _hashed(text: bytes) -> int:
    """Return the FNV-1a hash of a name, 64 bits."""
    digest = int(FNV_START)
    for byte in text:
        digest = (digest ^ byte) * int(FNV_STEP) % 2**64
    return digest


NAMES = np.array([_hashed(tag.name.encode()) for tag in Tag], np.uint64)  # [TAGS]
WON, LOST, DRAWN, OPEN = packed(b"1-0"), packed(b"0-1"), packed(b"1/2-1/2"), packed(b"*")
START = np.frombuffer(START_FEN, np.uint8).copy()
ORDINARY = np.array([_hashed(name) for name in STANDARD], np.uint64)


@inlined
def line_end(data, at):
    """Return where the line ends: at a newline or a return, or at the end of the bytes."""
    while at < len(data) and data[at] != NEWLINE and data[at] != RETURN:
        at += 1
    return at


@inlined
def pack(data, start, stop):
    """Return the bytes as a word, 0 if there are more than eight or none."""
    word = np.uint64(0)
    if stop - start <= 8:
        for i in range(stop - start):
            word |= np.uint64(data[start + i]) << np.uint64(8 * i)
    return word


@kernel
def read_tag(data, start, stop, spans):  # bytes, the line from its bracket on, [TAGS, 2] -> int
    """Note where the value of a tag pair is; return the tag's number, -1 if it is not kept.

    Of two tags of the same name the later one counts.
    """
    at, name = start + 1, FNV_START
    while at < stop and data[at] != SPACE and data[at] != TABULATOR and data[at] != QUOTE:
        name = (name ^ np.uint64(data[at])) * FNV_STEP
        at += 1
    while at < stop and (data[at] == SPACE or data[at] == TABULATOR):
        at += 1
    last = stop - 1
    while last > at and data[last] != QUOTE:
        last -= 1
    if last <= at or data[at] != QUOTE:
        return -1
    for tag in range(TAGS):
        if NAMES[tag] == name:
            spans[tag, 0], spans[tag, 1] = at + 1, last
            return tag
    return -1


@inlined
def result_of(word):
    """Return 1, 0 or -1 for White, UNKNOWN_RESULT for an asterisk, and any other number if none."""
    if word == WON:
        return 1
    if word == LOST:
        return -1
    if word == DRAWN:
        return 0
    return UNKNOWN_RESULT if word == OPEN else UNKNOWN_RESULT + 1


@inlined
def read_rating(data, start, stop):
    """Return a rating, 0 for none (empty, 0, - or ?), BAD_RATING for what cannot be one."""
    number = 0
    for i in range(start, stop):
        if data[i] < ZERO or data[i] > NINE:
            blank = stop - start == 1 and (data[i] == MINUS or data[i] == QUERY)
            return 0 if blank else BAD_RATING
        number = min(10 * number + data[i] - ZERO, MOST_RATING + 1)
    if number == 0 or LEAST_RATING <= number <= MOST_RATING:
        return number
    return BAD_RATING


@inlined
def read_year(data, start, stop):
    """Return the year of a date such as 2013.12.??, 0 if it is unknown."""
    year = 0
    if stop - start < 4:
        return 0
    for i in range(start, start + 4):
        if data[i] < ZERO or data[i] > NINE:
            return 0
        year = 10 * year + data[i] - ZERO
    return year


@inlined
def lowered(byte):
    """Return the lower case of a letter of ASCII; any other byte as it is."""
    return byte + 32 if 65 <= byte <= 90 else byte


@inlined
def is_ordinary(data, start, stop):
    """Tell whether the Variant tag names standard chess."""
    name = FNV_START
    for i in range(start, stop):
        name = (name ^ np.uint64(lowered(data[i]))) * FNV_STEP
    ordinary = stop == start
    for known in ORDINARY:
        ordinary |= known == name
    return ordinary


@inlined
def is_start(data, start, stop):
    """Tell whether a FEN is that of the ordinary start."""
    if start == stop:
        return True
    if stop - start < len(START):
        return False
    for i in range(len(START)):  # noqa: SIM110 - kernels know no all()
        if data[start + i] != START[i]:
            return False
    return True


@kernel
def read_tags(data, games, spans, reasons, results, ratings, years):
    """Read the tags of the first ``games``: bytes, int, [G, TAGS, 2], [G], [G], [G, 2], [G].

    A result that the movetext told stays where the tag tells none. A game that is not standard
    chess from the start gets that reason, if it had none.
    """
    for g in range(games):
        told = result_of(pack(data, spans[g, RESULT, 0], spans[g, RESULT, 1]))
        if told < UNKNOWN_RESULT:
            results[g] = told
        for side in range(2):
            ratings[g, side] = read_rating(data, spans[g, ELOS[side], 0], spans[g, ELOS[side], 1])
        years[g] = read_year(data, spans[g, DATE, 0], spans[g, DATE, 1])
        if years[g] == 0:
            years[g] = read_year(data, spans[g, UTC_DATE, 0], spans[g, UTC_DATE, 1])
        if not is_start(data, spans[g, FEN, 0], spans[g, FEN, 1]):
            reasons[g] = OTHER_START
        if not is_ordinary(data, spans[g, VARIANT, 0], spans[g, VARIANT, 1]):
            reasons[g] = ODD_VARIANT


def value(data: bytes, span) -> str:  # [2]
    """Return a tag's value as text on one line; bytes that are no UTF-8 are read as Latin-1.

    Backslashes that escape something are taken off, others stay.
    """
    raw = data[span[0] : span[1]]
    if b"\\" in raw:
        raw = ESCAPED.sub(rb"\1", raw)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]+", " ", text).strip()
