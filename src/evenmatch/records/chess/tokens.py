"""PGN bytes cut into games and words, as compiled kernels. They know no rules of chess.

A game is its tag pairs and what follows them up to a result, to the next tag pair, or to the end.
Move numbers, NAGs, signs of evaluation, variations and comments are passed over; of comments only
``[%eval]``, ``[%clk]`` and ``[%evenmatch ...]`` are read, for the move before them. Letters beyond
ASCII are read as ``records.letters`` says: figurines, dashes, blanks. A game that cannot be read
gets a reason, and reading goes on behind it.

Games that are not complete yet are left for the next call, together with the bytes after them.
"""

from typing import Any, NamedTuple

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.records.chess.tags import (
    EVENT,
    TAGS,
    among,
    is_name,
    is_null,
    line_end,
    pack,
    packed,
    read_tag,
    result_of,
    skip_spaces,
)
from evenmatch.records.letters import BLANK as WHITE_SPACE
from evenmatch.records.letters import LETTER as FOREIGN
from evenmatch.records.letters import SIGN, character, meaning
from evenmatch.records.record import MATE, MOST_EVAL, NO_CLOCK, NO_EVAL, UNKNOWN_RESULT, Reason

FINE, UNCLOSED = int(Reason.fine), int(Reason.unclosed)
NO_MOVES, TOO_LONG = int(Reason.no_moves), int(Reason.too_long)
MOST_PLIES = 12_000  #: no game lasts longer under the rule of 75 moves
MORE = -1  #: instead of a reason: the bytes end before the game does
NEWLINE, RETURN, SPACE, PERCENT, SEMICOLON = (ord(c) for c in "\n\r %;")
OPEN_TAG, CLOSE_TAG, OPEN_COMMENT, CLOSE_COMMENT, OPEN_LINE, CLOSE_LINE = (ord(c) for c in "[]{}()")
DOT, COLON, HASH, PLUS, MINUS, STAR, DOLLAR = (ord(c) for c in ".:#+-*$")
TABULATOR, QUOTE, LETTER_E, LETTER_P = (ord(c) for c in '\t"ep')
SLASH, EQUALS, ONE, TAKES = (ord(c) for c in "/=1x")
ZERO, NINE = ord("0"), ord("9")
EVAL, CLOCK = packed(b"[%eval "), packed(b"[%clk ")
AIDED = packed(b"[%evenma"), packed(b"tch")  # see records.pgn_text
EVENT_LINE = packed(b"[Event ")
ZEROS = np.array([packed(text) for text in (b"0", b"00", b"000")], np.uint64)
CASTLES = np.array([packed(b"0-0"), packed(b"0-0-0")], np.uint64)
PIECES = np.array([packed(b"N"), packed(b"D")], np.uint64)
NO_MOVE = packed(b"no move")
FIGURINES = (0x2654, 0x265F)  #: the first and the last
REMARKS = np.array(
    [
        packed(text)
        for text in (
            b"N",
            b"TN",
            b"D",
            b"RR",
            b"ep",
            b"e.p",
            b"e",
            b"p",
            b"ch",
            b"dis",
            b"dbl",
            b"mate",
        )
    ],
    np.uint64,
)  #: words about the move before them: a novelty, a diagram, a remark, en passant, check
BLANK, STOPPER, SYMBOL, DIGIT, LETTER = 0, 1, 2, 3, 4  # kinds of bytes
LONGEST_CLOCK = NO_CLOCK - 1
LONGEST_WORD = 24  #: letters of a word that are looked at; no move has so many
LONGEST_PAIR = 1 << 14  #: bytes of a tag pair
LONGEST_TAG = 64  #: bytes of a tag's name, with which a tag pair is known in the middle of a line


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


@inlined
def begins_line(data, at):
    """Tell whether nothing but spaces stands before ``at`` in its line."""
    at -= 1
    while at >= 0 and (data[at] == SPACE or data[at] == TABULATOR):
        at -= 1
    return at < 0 or data[at] == NEWLINE or data[at] == RETURN


@kernel
def skip_blanks(data, at, line):
    """Pass blanks, signs, and lines from a percent sign on; return (where, line)."""
    while at < len(data):
        size = 1
        if data[at] == NEWLINE:
            line += 1
        elif data[at] == PERCENT:
            size = line_end(data, at) - at
        elif data[at] >= 128:
            code, size = character(data, at)
            if not is_passed(meaning(code)):
                break
        elif KINDS[data[at]] != BLANK:
            break
        at += size
    return at, line


@inlined
def is_passed(means):
    """Tell whether a character beyond ASCII is passed over: it is no letter and stands for none."""
    return FOREIGN < means <= SIGN


@kernel
def begins_tag(data, at):
    """Tell whether a tag pair begins here: bracket and name, in a line's beginning or quoted."""
    if data[at] != OPEN_TAG:
        return False
    name = skip_spaces(data, at + 1, len(data))
    stop = name
    while stop < len(data) and is_name(data[stop]):
        stop += 1
    if stop == name or KINDS[data[name]] != LETTER:
        return False
    if begins_line(data, at):
        return True
    value = skip_spaces(data, stop, len(data))
    return value > stop and value < len(data) and data[value] == QUOTE


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


@kernel
def comment_end(data, at, line):
    """Return (where, line, closed): a comment ends at its brace.

    One that is not closed ends before an Event tag: where such a tag begins a line, the next brace
    tells whether the comment goes on. Comments do not nest, so an opening one says that it does
    not.
    """
    sure = at
    while at < len(data):
        if data[at] == CLOSE_COMMENT:
            return at, line, True
        if data[at] == NEWLINE:
            line += 1
            name = skip_spaces(data, at + 1, len(data))
            if sure <= name < len(data) and begins_tag(data, name):
                sure = name
                while (
                    sure < len(data) and data[sure] != OPEN_COMMENT and data[sure] != CLOSE_COMMENT
                ):
                    sure += 1
                if sure < len(data) and data[sure] == OPEN_COMMENT:
                    return name, line, False
                if sure == len(data):
                    return ~name, line, False
        at += 1
    return at, line, False


# -- words -----------------------------------------------------------------------------------------


@kernel
def read_word(data, at, letters):  # bytes, int, [LONGEST_WORD]
    """Write the letters of a word without its move number and the signs behind it.

    Return (where it begins, behind it, how many letters, the whole of it as a word): 12.exd6e.p.
    has the letters exd6, 1. none. A word with letters that do not fit has LONGEST_WORD of them.
    """
    whole, size, count, begin, numbering = np.uint64(0), 0, 0, at, True
    while at < len(data):
        means, width, code = np.int64(data[at]), 1, np.int64(0)
        if means < 128:
            if KINDS[means] <= STOPPER:
                break
        else:
            code, width = character(data, at)
            means = meaning(code)
            if means == WHITE_SPACE or means == SIGN:  # noqa: SIM109
                break
            if means == FOREIGN:
                for i in range(width):
                    if count < len(letters):
                        letters[count] = data[at + i]
                        count += 1
                numbering, size, means = False, 9, 0
            elif means <= SIGN:
                means = 0
            elif FIGURINES[0] <= code <= FIGURINES[1] and count == 0:
                width = skip_spaces(data, at + width, len(data)) - at  # the square may stand apart
        while means > 0:  # its letters of ASCII
            letter = means & 255
            means >>= 8
            if size < 8:
                whole |= np.uint64(letter) << np.uint64(8 * size)
            size += 1
            if numbering and letter == DOT:
                count, begin = 0, at + width
                continue
            numbering = numbering and KINDS[letter] == DIGIT
            if count < len(letters):
                letters[count] = letter
                count += 1
        at += width
    if size > 8:
        whole = np.uint64(0)
    return begin, at, 0 if numbering else without_signs(letters, count), whole


@kernel
def as_move(letters, count):
    """Return the letters of a move as a word: e4:d5 takes, e8/Q promotes.

    What has no letter is NO_MOVE, an evaluation such as +0.35/20, but for castling by zeros.
    """
    most = BLANK
    for i in range(count):
        most = max(most, np.int64(KINDS[letters[i]]))
        if letters[i] == COLON:
            letters[i] = TAKES
        elif letters[i] == SLASH:
            letters[i] = EQUALS
    word = pack(letters, 0, count)
    return word if most == LETTER or count > 8 or among(word, CASTLES) else NO_MOVE


@kernel
def is_remark(data, at, word):  # bytes, behind the word
    """Tell whether a word says something about the move before it: N of a novelty.

    N and D before a square are no remarks: N f3 is a move of a knight.
    """
    if word == NO_MOVE:
        return True
    if not among(word, REMARKS):
        return False
    square = skip_spaces(data, at, len(data))
    apart = square + 1 < len(data) and 97 <= data[square] <= 104 and 49 <= data[square + 1] <= 56
    return not (apart and among(word, PIECES))


@inlined
def without_signs(letters, count):
    """Return how many letters a word has without check, evaluation and en passant behind it."""
    if count == len(letters):
        return count
    while count > 0 and KINDS[letters[count - 1]] == SYMBOL:
        count -= 1
    if count > 3 and letters[count - 1] == LETTER_P:
        end = count - 2 if letters[count - 2] == DOT else count - 1
        if letters[end - 1] == LETTER_E and end > 1 and KINDS[letters[end - 2]] == DIGIT:
            count = end - 1
    return count


@inlined
def note_word(word, at, token, out):
    """Note a word that begins at ``at``."""
    out.words[token] = word
    out.places[token] = at
    out.evals[token] = NO_EVAL
    out.clocks[token] = NO_CLOCK
    out.aided[token] = False


@kernel
def result_apart(data, at, stop):
    """Return (the result 1 - 0 or 0 - 1 that stands in three words at ``at``, behind it).

    The result is beyond UNKNOWN_RESULT, and the place ``stop``, if there is none.
    """
    dash = skip_spaces(data, stop, len(data))
    behind = dash + 1
    if dash < len(data) and data[dash] >= 128:
        code, size = character(data, dash)
        behind = dash + size
        is_dash = meaning(code) == MINUS
    else:
        is_dash = dash < len(data) and (data[dash] == MINUS or data[dash] == COLON)
    last = skip_spaces(data, behind, len(data))
    if not is_dash or last >= len(data) or data[last] != ZERO + ONE - data[at]:
        return UNKNOWN_RESULT + 1, stop
    if last + 1 < len(data) and KINDS[data[last + 1]] > STOPPER:
        return UNKNOWN_RESULT + 1, stop
    return 1 if data[at] == ONE else -1, last + 1


@kernel
def behind_tags(data, at):
    """Return where moves go on behind tag pairs that stand among them; ``at`` if a game begins.

    They go on with a move number above 1, and never behind an Event tag.
    """
    begin = at
    while at < len(data) and data[at] == OPEN_TAG:
        if pack(data, at, min(at + 7, len(data))) == EVENT_LINE:
            return begin
        at, _ = skip_blanks(data, line_end(data, at), 0)
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
    at, game = 0, 0
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
