"""PGN bytes cut into games and words, as compiled kernels. They know no rules of chess.

A game is its tag pairs and what follows them up to a result, to the next tag pair, or to the end.
Move numbers, NAGs, signs of evaluation, variations and comments are passed over; of comments some
commands are read (``words.py``). A game that cannot be read
gets a reason, and reading continues behind it.

Games that are not complete yet are left for the next call, together with the bytes after them.
"""

from typing import Any, NamedTuple

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.records.chess.tags import (
    EVENT,
    TAGS,
    among,
    is_null,
    line_end,
    pack,
    packed,
    read_tag,
    result_of,
)
from evenmatch.records.chess.words import (
    BLANK,
    CLOSE_LINE,
    DIGIT,
    DOLLAR,
    KINDS,
    LONGEST_WORD,
    NEWLINE,
    ONE,
    OPEN_COMMENT,
    OPEN_LINE,
    OPEN_TAG,
    PERCENT,
    SEMICOLON,
    SPACE,
    STAR,
    STOPPER,
    ZERO,
    as_move,
    begins_tag,
    comment_end,
    is_passed,
    is_remark,
    note_word,
    read_comment,
    read_number,
    read_word,
    result_apart,
    skip_blanks,
)
from evenmatch.records.letters import character, meaning
from evenmatch.records.record import UNKNOWN_RESULT, Reason

FINE, UNCLOSED = int(Reason.fine), int(Reason.unclosed)
NO_MOVES, TOO_LONG = int(Reason.no_moves), int(Reason.too_long)
MOST_PLIES = 12_000  #: no game lasts longer under the rule of 75 moves
MORE = -1  #: instead of a reason: the bytes end before the game does
EVENT_LINE = packed(b"[Event ")
ZEROS = np.array([packed(text) for text in (b"0", b"00", b"000")], np.uint64)
LONGEST_PAIR = 1 << 14  #: bytes of a tag pair
LONGEST_TAG = 64  #: bytes of a tag's name, with which a tag pair is known in the middle of a line


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
    variants: Any  #: [G] bool, whether a tag names a variant of chess
    letters: Any  #: [LONGEST_WORD] uint8, room for the letters of a word


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
        np.zeros(games, np.bool_),
        np.zeros(LONGEST_WORD, np.uint8),
    )


@kernel
def behind_tags(data, at):
    """Return where moves continue behind tag pairs that stand among them; ``at`` if a game begins.

    They continue with a move number above 1, and never behind an Event tag.
    """
    begin = at
    while at < len(data) and data[at] == OPEN_TAG:
        if pack(data, at, min(at + 7, len(data))) == EVENT_LINE:
            return begin
        at, _ = skip_blanks(data, line_end(data, at), np.int64(0))
    number, _ = read_number(data, at, len(data))
    return at if number > 1 or at == len(data) else begin


@inlined
def count_lines(data, start, stop):
    """Return how many lines end between two places."""
    lines = 0
    for at in range(start, stop):
        lines += data[at] == NEWLINE
    return lines


# -- games -----------------------------------------------------------------------------------------


@kernel
def read_header(data, at, line, final, game, out):  # bytes, int, int, bool, int, Tokens
    """Read tag pairs up to something else; return (where, line, tag pairs, whole).

    A second Event tag begins another game, for one that has tags alone.
    """
    spans = out.spans[game]
    spans[:] = 0
    out.variants[game] = False
    pairs = 0
    while True:
        at, line = skip_blanks(data, at, line)
        if at == len(data):
            return at, line, pairs, final
        if data[at] != OPEN_TAG:
            return at, line, pairs, True
        stop = line_end(data[: at + LONGEST_PAIR], at)
        if stop == len(data) and not final:
            return at, line, pairs, False
        had_event = spans[EVENT, 1] > 0
        if had_event and pack(data, at, min(at + 7, stop)) == EVENT_LINE:
            return at, line, pairs, True
        at, odd = read_tag(data, at, stop, spans)
        out.variants[game] |= odd
        pairs += 1


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
            if byte != SPACE and at < size and data[at] == PERCENT:
                at = line_end(data, at)
        elif byte == OPEN_TAG and not final and size - at < LONGEST_TAG:
            return MORE, at, line, token  # is it a tag?
        elif byte == OPEN_TAG and begins_tag(data, at):
            behind = behind_tags(data, at) if token > first else at
            if behind == size and not final:
                return MORE, at, line, token
            if behind == at:
                break
            line += count_lines(data, at, behind)
            at = behind
        elif byte == OPEN_COMMENT:
            begin = at + 1
            at, line, closed = comment_end(data, begin, line)
            if not closed:
                if (at < 0 or at == size) and not final:
                    return MORE, at, line, token
                at = ~at if at < 0 else at
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
        elif byte >= 128 and at > size - 4 and not final:
            return MORE, at, line, token  # the letter may be cut
        elif byte >= 128 and is_passed(meaning(character(data, at)[0])):
            at += character(data, at)[1]
        else:
            begin, stop, count, whole = read_word(data, at, out.letters)
            if stop > size - 4 and not final:  # the last letter may be cut
                return MORE, at, line, token
            if depth == 0:
                word = pack(out.letters, 0, count)
                result = min(result_of(whole), result_of(word))
                if stop - at == 1 and (data[at] == ONE or data[at] == ZERO):
                    result, stop = result_apart(data, at, stop)
                if result < UNKNOWN_RESULT:
                    out.results[game] = result
                    return reason, stop, line, token
                if is_null(whole) or among(whole, ZEROS):
                    begin, word, count = at, whole, 1
                elif count > 0:
                    word = as_move(out.letters, count)
                if count > 0 and not is_remark(data, stop, word):
                    note_word(word, begin, token, out)
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
    at, game = np.int64(0), np.int64(0)
    out.first[0] = 0
    while game < len(out.starts):
        begin, begun = skip_blanks(data, at, line)
        if begin == len(data):
            if final:
                at, line = begin, begun
            break
        after, row, pairs, whole = read_header(data, begin, begun, final, game, out)
        if not whole:
            break
        out.starts[game], out.lines[game], out.faults[game] = begin, begun, begin
        out.results[game] = UNKNOWN_RESULT
        first = np.int64(out.first[game])
        reason, after, row, token = read_moves(data, after, row, final, first, game, out)
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
