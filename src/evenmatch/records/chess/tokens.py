"""PGN bytes cut into games and words, as compiled kernels. They know no rules of chess.

A game is its tag pairs and what follows them up to a result, to the next tag pair at the
beginning of a line, or to the end. Move numbers, NAGs, variations and comments are passed over;
of comments only ``[%eval]``, ``[%clk]`` and ``[%evenmatch ...]`` are read, for the move before
them. A game that cannot be read gets a reason, and reading goes on behind it.

Games that are not complete yet are left for the next call, together with the bytes after them.
"""

from typing import Any, NamedTuple

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.records.chess.tags import EVENT, TAGS, line_end, pack, packed, read_tag, result_of
from evenmatch.records.record import MATE, MOST_EVAL, NO_CLOCK, NO_EVAL, UNKNOWN_RESULT, Reason

FINE, UNCLOSED = int(Reason.fine), int(Reason.unclosed)
NO_MOVES, TOO_LONG = int(Reason.no_moves), int(Reason.too_long)
MOST_PLIES = 12_000  #: no game lasts longer under the rule of 75 moves
MORE = -1  #: instead of a reason: the bytes end before the game does
NEWLINE, RETURN, SPACE, PERCENT, SEMICOLON = (ord(c) for c in "\n\r %;")
OPEN_TAG, CLOSE_TAG, OPEN_COMMENT, CLOSE_COMMENT, OPEN_LINE, CLOSE_LINE = (ord(c) for c in "[]{}()")
DOT, COLON, HASH, PLUS, MINUS, STAR, DOLLAR = (ord(c) for c in ".:#+-*$")
ZERO, NINE = ord("0"), ord("9")
EVAL, CLOCK = packed(b"[%eval "), packed(b"[%clk ")
AIDED = packed(b"[%evenma"), packed(b"tch")  # see records.pgn_text
NULL_DASHES, NULL_ZEROS, NULL_DROP = packed(b"--"), packed(b"0000"), packed(b"@@@@")
EVENT_LINE, ORDER_MARK = packed(b"[Event "), packed(b"\xef\xbb\xbf")
BLANK, STOPPER, SYMBOL, DIGIT, LETTER = 0, 1, 2, 3, 4  # kinds of bytes
LONGEST_CLOCK = NO_CLOCK - 1


def _kinds() -> np.ndarray:
    """Return the kind of each byte, [256]."""
    kinds = np.full(256, LETTER, np.uint8)
    kinds[:33] = BLANK
    kinds[127] = BLANK
    for symbol in b"+-=/~^#.:,'\"":
        kinds[symbol] = SYMBOL
    for stopper in b"{}();$!?*":
        kinds[stopper] = STOPPER
    kinds[ZERO : NINE + 1] = DIGIT
    return kinds


KINDS = _kinds()


class Tokens(NamedTuple):
    """What :func:`tokenize` fills; G games, M words."""

    spans: Any  #: [G, TAGS, 2] int32, where the values of the tags begin and end; 0, 0 if absent
    starts: Any  #: [G] int32, where the games begin
    lines: Any  #: [G] int64, the lines they begin in
    first: Any  #: [G + 1] int32, the first word of each game; the last is the number of words
    reasons: Any  #: [G] uint8, a Reason
    faults: Any  #: [G] int32, where the fault is
    results: Any  #: [G] int8, as the movetext tells them
    words: Any  #: [M] uint64, the bytes of a word, the first lowest; 0 if more than eight
    places: Any  #: [M] int32, where the words begin
    evals: Any  #: [M] int16, centipawns for White; see GameRecord
    clocks: Any  #: [M] uint16, seconds
    aided: Any  #: [M] bool, whether a player did not choose the move alone


def allocate(games: int, size: int) -> Tokens:
    """Return room for the words of ``size`` bytes, and for at most ``games`` games."""
    words = size // 2 + 2  # a word and what ends it are two bytes
    return Tokens(
        np.zeros((games, TAGS, 2), np.int32),
        np.zeros(games, np.int32),
        np.zeros(games, np.int64),
        np.zeros(games + 1, np.int32),
        np.zeros(games, np.uint8),
        np.zeros(games, np.int32),
        np.zeros(games, np.int8),
        np.zeros(words, np.uint64),
        np.zeros(words, np.int32),
        np.zeros(words, np.int16),
        np.zeros(words, np.uint16),
        np.zeros(words, np.bool_),
    )


@inlined
def begins_line(data, at):
    """Tell whether a line begins here, as the first of the bytes does."""
    return at == 0 or data[at - 1] == NEWLINE or data[at - 1] == RETURN


@inlined
def skip_blanks(data, at, line):
    """Pass blanks, byte order marks, and lines from a percent sign on; return (where, line)."""
    while at < len(data):
        if data[at] == NEWLINE:
            line += 1
        elif data[at] == PERCENT:
            at = line_end(data, at) - 1
        elif pack(data, at, min(at + 3, len(data))) == ORDER_MARK:
            at += 2
        elif KINDS[data[at]] != BLANK:
            break
        at += 1
    return at, line


@inlined
def begins_tag(data, at):
    """Tell whether a tag pair begins here: a bracket and a letter at the beginning of a line."""
    if data[at] != OPEN_TAG or at + 1 >= len(data):
        return False
    return begins_line(data, at) and KINDS[data[at + 1]] == LETTER


# -- comments --------------------------------------------------------------------------------------


@inlined
def read_number(data, at, stop):
    """Return (number, where it ends), at most nine digits of it."""
    number, most = 0, min(stop, at + 9)
    while at < most and KINDS[data[at]] == DIGIT:
        number = 10 * number + data[at] - ZERO
        at += 1
    return number, at


@inlined
def read_eval(data, at, stop):
    """Return an eval such as -0.53 or #4, at most ``stop``; NO_EVAL if it is none."""
    mate = at < stop and data[at] == HASH
    at += mate
    negative = at < stop and data[at] == MINUS
    at += at < stop and (negative or data[at] == PLUS)
    begin = at
    number, at = read_number(data, at, stop)
    digits = at - begin
    if mate:
        number = MATE - min(number, MATE - MOST_EVAL - 1)
    else:
        number *= 100
        if at < stop and data[at] == DOT:
            hundredths, end = read_number(data, at + 1, stop)
            places = end - at - 1
            if places > 2:
                return NO_EVAL
            number += hundredths * (10 if places == 1 else 1)
            digits, at = digits + places, end
        number = min(number, MOST_EVAL)
    if digits == 0 or at >= stop or (data[at] != CLOSE_TAG and data[at] != ord(",")):
        return NO_EVAL
    return -number if negative else number


@inlined
def read_clock(data, at, stop):
    """Return the seconds of a clock such as 1:02:03.4, rounded down; NO_CLOCK if it is none."""
    hours, end = read_number(data, at, stop)
    if end == at or end >= stop or data[end] != COLON:
        return NO_CLOCK
    at = end + 1
    minutes, end = read_number(data, at, stop)
    if end == at or end >= stop or data[end] != COLON:
        return NO_CLOCK
    at = end + 1
    seconds, end = read_number(data, at, stop)
    if end == at or end >= stop or (data[end] != CLOSE_TAG and data[end] != DOT):
        return NO_CLOCK
    return min(3600 * hours + 60 * minutes + seconds, LONGEST_CLOCK)


@inlined
def begins_aided(data, at, stop):
    """Tell whether the command [%evenmatch ...] begins here."""
    if at + 12 > stop or data[at + 5] != ord("n"):  # most are [%eval] and [%clk]
        return False
    first, rest = pack(data, at, at + 8), pack(data, at + 8, at + 11)
    ended = data[at + 11] == CLOSE_TAG or KINDS[data[at + 11]] == BLANK
    return ended and first == AIDED[0] and rest == AIDED[1]


@kernel
def read_comment(data, at, stop, word, out):  # bytes, its inside, the word before it, Tokens
    """Note the first eval and the first clock of a comment, unless the word has them already.

    And note whether a command says that the player did not choose the move alone.
    """
    while at < stop:
        if data[at] == OPEN_TAG:
            if out.evals[word] == NO_EVAL and pack(data, at, min(at + 7, stop)) == EVAL:
                out.evals[word] = read_eval(data, at + 7, stop)
            elif out.clocks[word] == NO_CLOCK and pack(data, at, min(at + 6, stop)) == CLOCK:
                out.clocks[word] = read_clock(data, at + 6, stop)
            elif begins_aided(data, at, stop):
                out.aided[word] = True
        at += 1


@inlined
def comment_end(data, at, line):
    """Return (where, line, closed): a comment ends at its brace, unclosed at an Event tag."""
    while at < len(data):
        if data[at] == CLOSE_COMMENT:
            return at, line, True
        if data[at] == NEWLINE:
            line += 1
            if pack(data, at + 1, min(at + 8, len(data))) == EVENT_LINE:
                return at + 1, line, False
        at += 1
    return at, line, False


# -- words -----------------------------------------------------------------------------------------


@inlined
def word_end(data, at):
    """Return (where the word ends, the highest kind of its bytes)."""
    kind = BLANK
    while at < len(data) and KINDS[data[at]] > STOPPER:
        kind = max(kind, np.int64(KINDS[data[at]]))
        at += 1
    return at, kind


@inlined
def without_number(data, at, stop):
    """Return where the word goes on behind a move number and its dots: 12.e4, 3..., 1."""
    behind = at
    while behind < stop and KINDS[data[behind]] == DIGIT:
        behind += 1
    if behind == stop:
        return stop
    if data[behind] != DOT:
        return at
    while behind < stop and data[behind] == DOT:
        behind += 1
    return behind


@inlined
def is_null(word):
    """Tell whether a word of digits or symbols alone stands for a null move."""
    return word in (NULL_DASHES, NULL_ZEROS, NULL_DROP)


@inlined
def note_word(data, at, stop, token, out):
    """Note a word, its signs of check cut off."""
    end = stop
    while end > at and (data[end - 1] == PLUS or data[end - 1] == HASH):
        end -= 1
    out.words[token] = pack(data, at, end)
    out.places[token] = at
    out.evals[token] = NO_EVAL
    out.clocks[token] = NO_CLOCK
    out.aided[token] = False


# -- games -----------------------------------------------------------------------------------------


@kernel
def read_header(data, at, line, final, spans):  # bytes, int, int, bool, [TAGS, 2]
    """Read tag pairs up to something else; return (where, line, tag pairs, whole).

    A second Event tag begins another game, for one that has tags alone.
    """
    spans[:] = 0
    pairs = 0
    while True:
        at, line = skip_blanks(data, at, line)
        if at == len(data):
            return at, line, pairs, final
        if data[at] != OPEN_TAG:
            return at, line, pairs, True
        stop = line_end(data, at)
        if stop == len(data) and not final:
            return at, line, pairs, False
        had_event = spans[EVENT, 1] > 0
        if had_event and pack(data, at, min(at + 7, stop)) == EVENT_LINE:
            return at, line, pairs, True
        read_tag(data, at, stop, spans)
        pairs += 1
        at = stop


@kernel
def read_moves(data, at, line, final, first, game, out):
    """Read the movetext of a game; return (reason or MORE, where, line, the next word's number)."""
    token, depth, reason = first, 0, FINE
    size = len(data)
    if at < size and begins_tag(data, at):
        return reason, at, line, token  # another game's: this one has tags alone
    while at < size:
        byte = data[at]
        kind = KINDS[byte]
        if kind == BLANK:
            line += byte == NEWLINE
            at += 1
            if byte != NEWLINE and byte != RETURN:
                continue
            if at < size and data[at] == PERCENT:
                at = line_end(data, at)
            elif at + 1 >= size and not final:
                return MORE, at, line, token  # is it a tag?
            elif at < size and begins_tag(data, at):
                break
        elif byte == OPEN_COMMENT:
            begin = at + 1
            at, line, closed = comment_end(data, begin, line)
            if not closed:
                if at == size and not final:
                    return MORE, at, line, token
                reason, out.faults[game] = UNCLOSED, begin - 1
                break
            if depth == 0 and token > first:
                read_comment(data, begin, at, token - 1, out)
            at += 1
        elif byte == SEMICOLON:
            at = line_end(data, at)
        elif byte == OPEN_LINE:
            depth += 1
            at += 1
        elif byte == CLOSE_LINE:
            depth -= depth > 0
            at += 1
        elif byte == DOLLAR:
            at += 1
            while at < size and KINDS[data[at]] == DIGIT:
                at += 1
        elif byte == STAR:
            at += 1
            if depth == 0:
                return reason, at, line, token
        elif kind == STOPPER:
            at += 1
        else:
            stop, most = word_end(data, at)
            if stop == size and not final:
                return MORE, at, line, token
            word = pack(data, at, stop)
            result = result_of(word)
            if depth == 0:
                if result < UNKNOWN_RESULT:
                    out.results[game] = result
                    return reason, stop, line, token
                begin = without_number(data, at, stop)
                if (begin < stop and most > SYMBOL) or is_null(word):
                    note_word(data, at if is_null(word) else begin, stop, token, out)
                    token += 1
            at = stop
    if not final and at >= size:
        return MORE, at, line, token
    if depth > 0 and reason == FINE:
        reason, out.faults[game] = UNCLOSED, out.starts[game]
    return reason, at, line, token


@kernel
def tokenize(data, line, final, out):  # bytes, the first one's line, is this all?, Tokens
    """Fill ``out`` with the games of the bytes; return (games, bytes used, line there)."""
    at, game = 0, 0
    out.first[0] = 0
    while game < len(out.starts):
        begin, begun = skip_blanks(data, at, line)
        if begin == len(data):
            if final:
                at, line = begin, begun
            break
        after, row, pairs, whole = read_header(data, begin, begun, final, out.spans[game])
        if not whole:
            break
        out.starts[game], out.lines[game], out.faults[game] = begin, begun, begin
        out.results[game] = UNKNOWN_RESULT
        reason, after, row, token = read_moves(data, after, row, final, out.first[game], game, out)
        if reason == MORE:
            break
        at, line = after, row
        if token == out.first[game] and reason == FINE:
            if pairs == 0:
                continue  # a stray result or comment between games
            reason = NO_MOVES
        elif token - out.first[game] > MOST_PLIES:
            reason = TOO_LONG
        out.reasons[game] = reason
        game += 1
        out.first[game] = token
    return game, at, line
