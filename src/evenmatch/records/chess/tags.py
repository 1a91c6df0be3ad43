"""The tag pairs of a PGN game, ``[White "Euwe, Max"]``, as compiled kernels over its bytes.

A value runs from its first quote to the quote before the closing bracket, and a line may hold
several pairs and moves behind them. A value without quotes runs to the bracket. A backslash before
a quote or a backslash is taken off when a value is read as text. Names are read in any case. Tags
that nobody here asks for are skipped, and so are lines in brackets that are no tag pair.

A variant of chess is recognized wherever a tag names one, but for tags of names and openings.
"""

import re
from collections.abc import Iterable
from enum import IntEnum

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.records.letters import BLANK, LETTER, NOTHING, SIGN, character, meaning, shown
from evenmatch.records.record import (
    BAD_RATING,
    LEAST_RATING,
    MOST_RATING,
    UNKNOWN_RESULT,
    Reason,
)


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
EVENT, SITE, DATE, UTC_DATE, RESULT, TIME_CONTROL, VARIANT, FEN = (
    int(tag)
    for tag in (
        Tag.Event, Tag.Site, Tag.Date, Tag.UTCDate, Tag.Result, Tag.TimeControl, Tag.Variant,
        Tag.FEN,
    )
)  # fmt: skip
ELOS = (int(Tag.WhiteElo), int(Tag.BlackElo))
FNV_START, FNV_STEP = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
QUOTE, SPACE, TABULATOR, OPEN_TAG, CLOSE_TAG = ord('"'), ord(" "), ord("\t"), ord("["), ord("]")
NEWLINE, RETURN, MINUS, QUERY, ZERO, NINE = (ord(c) for c in "\n\r-?09")
OTHER_START, ODD_VARIANT = int(Reason.other_start), int(Reason.variant)
START_FEN = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"  # the counters may differ
ESCAPED = re.compile(rb'\\(["\\])')  # by a backslash, as the standard has it
STANDARD = (
    "", "?", "-", "standard", "chess", "normal", "regular", "classic", "from position",
    "fromposition", "orthodox", "classical", "orthochess", "standard chess",
)  # fmt: skip
VARIANTS = (
    "3check", "antichess", "atomicarena", "atomicchess", "bughouse", "casualatomic", "casualhorde",
    "chess960", "chess324", "crazyhouse", "duckchess", "fischerandom", "fischerrandom",
    "fischerrandomchess",
    "fogofwar", "freestylechess960", "hordearena", "hordechess", "kingofthehill", "koth",
    "racingkings",
    "ratedatomic", "ratedhorde", "ratedlosers", "ratedsuicide", "ratedwild", "suicidechess",
    "threecheck", "unratedlosers", "unratedsuicide", "unratedwild",
)  # fmt: skip
"""Names that stand for nothing but a variant, in small letters without blanks and hyphens."""
NAMED = ("960", "atomic", "duck", "giveaway", "horde", "losers", "shuffle", "suicide", *VARIANTS)
"""Those that a tag on the game's kind may have too: an event may be named so by chance."""
KINDS_OF_GAME = ("gametype", "gamevariant", "ruleset", "rules", "type", "mode", "chessvariant")
OTHER_NAMES = (
    "annotator", "blackteam", "comment", "comments", "ecourl", "link", "source", "whiteteam",
)  # fmt: skip
LONGEST_NAME = max(map(len, VARIANTS))
BACKSLASH, APOSTROPHE, GRAVE = ord("\\"), ord("'"), ord("`")


def packed(text: bytes) -> np.uint64:
    """Return at most eight bytes as a word, the first byte lowest."""
    return np.uint64(int.from_bytes(text, "little"))


def _hashed(text: bytes) -> int:
    """Return the FNV-1a hash of a name, 64 bits."""
    digest = int(FNV_START)
    for byte in text:
        digest = (digest ^ byte) * int(FNV_STEP) % 2**64
    return digest


def _hashes(names: Iterable[str]) -> np.ndarray:
    """Return the hashes of names in small letters, [n]."""
    return np.array([_hashed(name.lower().encode()) for name in names], np.uint64)


NAMES = _hashes(tag.name for tag in Tag)  # [TAGS]
WON, WON_COLON, LOST, LOST_COLON = (packed(text) for text in (b"1-0", b"1:0", b"0-1", b"0:1"))
DRAWS = np.array(
    [packed(text) for text in (b"1/2-1/2", b"1/2:1/2", b"1/2", b"0.5-0.5", b"0.5:0.5", b"0,5-0,5")],
    np.uint64,
)
OPEN = packed(b"*")
NULLS = np.array([packed(text) for text in (b"--", b"Z0", b"0000", b"@@@@")], np.uint64)
START = np.frombuffer(START_FEN, np.uint8).copy()
ORDINARY, UNMISTAKABLE = _hashes(STANDARD), _hashes(VARIANTS)
BEHIND_RATING = np.frombuffer(b" ?p", np.uint8).astype(np.uint64) | np.uint64(32)
JOINTS = np.frombuffer(b":=", np.uint8).astype(np.uint64)
VARIANT_WORD = np.frombuffer(b"variant", np.uint8)
FOLLOWING = np.frombuffer(b"[{(;*$%", np.uint8).astype(np.uint64)
KIND_TAGS, SILENT_TAGS, POSSIBLE = _hashes(KINDS_OF_GAME), _hashes(OTHER_NAMES), _hashes(NAMED)


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


@inlined
def lowered(byte):
    """Return the lower case of a letter of ASCII; any other byte as it is."""
    return byte + 32 if 65 <= byte <= 90 else byte


@inlined
def is_name(byte):
    """Tell whether a byte may stand in a tag's name: a letter, a digit or an underscore."""
    return 97 <= lowered(byte) <= 122 or ZERO <= byte <= NINE or byte == ord("_")


@inlined
def among(name, names):
    """Tell whether a hash is one of ``names`` [n]."""
    for known in names:  # noqa: SIM110 - kernels know no any()
        if known == name:
            return True
    return False


@inlined
def skip_spaces(data, at, stop):
    """Return where the first byte is, from ``at`` on, other than a space."""
    while at < stop and (data[at] == SPACE or data[at] == TABULATOR):
        at += 1
    return at


@kernel
def goes_on(data, at, stop):
    """Tell whether what follows a bracket in its line can follow a tag pair: a pair, or moves."""
    if at == stop or 48 <= data[at] <= 57:
        return True
    if among(np.uint64(data[at]), FOLLOWING):
        return True
    for i in range(at, stop):  # noqa: SIM110 - kernels know no any()
        if data[i] == QUOTE:
            return False  # the value goes on: it has a quote and a bracket in it
    return True


@kernel
def quoted_end(data, at, stop):  # bytes, behind the first quote, the line's end
    """Return (where the value ends, behind the tag pair)."""
    last, i = -1, at
    while i < stop:
        if data[i] == BACKSLASH and i + 1 < stop:
            i += 1
            if data[i] == QUOTE:
                last = i
        elif data[i] == QUOTE:
            last = i
            bracket = skip_spaces(data, i + 1, stop)
            closed = bracket < stop and data[bracket] == CLOSE_TAG
            if closed and goes_on(data, skip_spaces(data, bracket + 1, stop), stop):
                return i, bracket + 1
        i += 1
    return last, stop


@inlined
def bare_end(data, at, stop):  # bytes, where the value begins, the line's end
    """Return (where a value without quotes ends, behind the tag pair); -1 if no bracket closes."""
    for i in range(at, stop):
        if data[i] == CLOSE_TAG:
            end = i
            while end > at and (data[end - 1] == SPACE or data[end - 1] == TABULATOR):
                end -= 1
            return end, i + 1
    return -1, stop


@kernel
def names_variant(data, start, stop, names):
    """Tell whether words of a value, written together or not, are one of ``names`` [n]."""
    for begin in range(start, stop):
        if not is_name(data[begin]) or (begin > start and is_name(data[begin - 1])):
            continue
        name, length = FNV_START, 0
        for i in range(begin, stop):
            if not is_name(data[i]):
                continue
            name = (name ^ np.uint64(lowered(data[i]))) * FNV_STEP
            length += 1
            if length > LONGEST_NAME:
                break
            if (i + 1 == stop or not is_name(data[i + 1])) and among(name, names):
                return True
    return False


@inlined
def has_word(data, start, stop, word):  # bytes, int, int, [n]
    """Tell whether small letters stand in a name, in any case."""
    for begin in range(start, stop - len(word) + 1):
        same = 0
        while same < len(word) and lowered(data[begin + same]) == word[same]:
            same += 1
        if same == len(word):
            return True
    return False


@kernel
def skip_between(data, at, stop):
    """Return where a tag's value begins: behind blanks, a colon or an equals sign."""
    while at < stop:
        width = 1
        if data[at] >= 128:
            code, width = character(data, at)
            if meaning(code) != BLANK:
                break
        elif data[at] != SPACE and data[at] != TABULATOR and not among(np.uint64(data[at]), JOINTS):
            break
        at += width
    return at


@inlined
def quote_width(data, at, stop):
    """Return the bytes of a quote that is not the format's: an apostrophe, or a typographic one."""
    if at < stop and (data[at] == APOSTROPHE or data[at] == GRAVE):
        return 1
    if at + 3 <= stop and data[at] == 0xE2 and data[at + 1] == 0x80:
        return 3 if 0x98 <= data[at + 2] <= 0x9F else 0
    return 0


@kernel
def without_quotes(data, at, last):
    """Return where a value begins and ends inside quotes that are not the format's."""
    first = quote_width(data, at, last)
    if first > 0 and last - first > at:
        behind = quote_width(data, last - first, last)
        if behind == first:
            return at + first, last - behind
    return at, last


@kernel
def read_tag(data, start, stop, spans):  # bytes, the bracket, the line's end, [TAGS, 2]
    """Note where the value of a tag pair is; return (behind the pair, whether it names a variant).

    The later one of two tags of a name counts. Anything but a tag pair ends with its line.
    """
    at, name = skip_spaces(data, start + 1, stop), FNV_START
    begin = at
    while at < stop and is_name(data[at]):
        name = (name ^ np.uint64(lowered(data[at]))) * FNV_STEP
        at += 1
    if at == begin:
        return stop, False
    of_kind = among(name, KIND_TAGS) or has_word(data, begin, at, VARIANT_WORD)
    at = skip_between(data, at, stop)
    last, end = -1, stop
    if at < stop and data[at] == QUOTE:
        at += 1
        last, end = quoted_end(data, at, stop)
    if last < at:
        last, end = bare_end(data, at, stop)
        at, last = without_quotes(data, at, last)
    if last < at:
        return end, False
    for tag in range(TAGS):
        if NAMES[tag] == name:
            spans[tag, 0], spans[tag, 1] = at, last
            named = tag in (EVENT, SITE, TIME_CONTROL)
            return end, named and names_variant(data, at, last, UNMISTAKABLE)
    if among(name, SILENT_TAGS):
        return end, False
    known = POSSIBLE if of_kind else UNMISTAKABLE
    return end, names_variant(data, at, last, known)


@inlined
def is_null(word):
    """Tell whether a word stands for a null move."""
    return among(word, NULLS)


@inlined
def result_of(word):
    """Return 1, 0 or -1 for White, UNKNOWN_RESULT for an asterisk, and any other number if none."""
    if word == WON or word == WON_COLON:  # noqa: SIM109 - kernels know no sets
        return 1
    if word == LOST or word == LOST_COLON:  # noqa: SIM109
        return -1
    if among(word, DRAWS):
        return 0
    return UNKNOWN_RESULT if word == OPEN else UNKNOWN_RESULT + 1


@kernel
def result_in(data, start, stop):
    """Return the result that a value says, by any dash and sign, as ``result_of`` does."""
    word, length, at = np.uint64(0), 0, start
    while at < stop:
        means, size = np.int64(data[at]), 1
        if means >= 128:
            code, size = character(data, at)
            means = meaning(code)
        elif means == SPACE or means == APOSTROPHE:  # noqa: SIM109 - kernels know no sets
            means = NOTHING
        at += size
        if means == LETTER:
            return UNKNOWN_RESULT + 1
        while means > SIGN:
            if length == 8:
                return UNKNOWN_RESULT + 1
            word |= np.uint64(means & 255) << np.uint64(8 * length)
            length, means = length + 1, means >> 8
    return result_of(word)


@inlined
def read_rating(data, start, stop):
    """Return a rating, 0 for none (empty, 0, - or ?), BAD_RATING for what cannot be one."""
    number, start = 0, skip_spaces(data, start, stop)
    for i in range(start, stop):
        if number >= LEAST_RATING and among(np.uint64(data[i] | 32), BEHIND_RATING):
            break
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
def is_ordinary(data, start, stop):
    """Tell whether the Variant tag names standard chess."""
    name, start = FNV_START, skip_spaces(data, start, stop)
    while stop > start and data[stop - 1] == SPACE:
        stop -= 1
    for i in range(start, stop):
        name = (name ^ np.uint64(lowered(data[i]))) * FNV_STEP
    return among(name, ORDINARY)


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
def read_tags(data, games, spans, variants, reasons, results, ratings, years):
    """Read the tags of the first ``games``: bytes, int, [G, TAGS, 2], [G], [G], [G], [G, 2], [G].

    The result of the movetext stays where the tag has none. A game that is not standard
    chess from the start gets that reason, if it had none.
    """
    for g in range(games):
        told = result_in(data, spans[g, RESULT, 0], spans[g, RESULT, 1])
        if told < UNKNOWN_RESULT:
            results[g] = told
        for side in range(2):
            ratings[g, side] = read_rating(data, spans[g, ELOS[side], 0], spans[g, ELOS[side], 1])
        years[g] = read_year(data, spans[g, DATE, 0], spans[g, DATE, 1])
        if years[g] == 0:
            years[g] = read_year(data, spans[g, UTC_DATE, 0], spans[g, UTC_DATE, 1])
        if not is_start(data, spans[g, FEN, 0], spans[g, FEN, 1]):
            reasons[g] = OTHER_START
        if variants[g] or not is_ordinary(data, spans[g, VARIANT, 0], spans[g, VARIANT, 1]):
            reasons[g] = ODD_VARIANT


def value(data: bytes, span) -> str:  # [2]
    """Return a tag's value as text on one line; bytes that are no UTF-8 are Windows-1252.

    Backslashes that escape something are taken off, others stay.
    """
    raw = data[span[0] : span[1]]
    if b"\\" in raw:
        raw = ESCAPED.sub(rb"\1", raw)
    text = shown(raw)
    return re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]+", " ", text).strip()
