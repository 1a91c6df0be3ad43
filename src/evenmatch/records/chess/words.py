"""Words of PGN's movetext as compiled kernels: blanks, comments, moves and remarks.

Letters beyond ASCII are read as ``records.letters`` says: figurines, dashes, blanks. Only
the commands ``[%eval]``, ``[%clk]`` and ``[%evenmatch ...]`` of comments are read, for the move
before them.
"""

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.records.chess.tags import (
    among,
    is_name,
    line_end,
    pack,
    packed,
    skip_spaces,
)
from evenmatch.records.letters import BLANK as WHITE_SPACE
from evenmatch.records.letters import LETTER as FOREIGN
from evenmatch.records.letters import SIGN, character, meaning
from evenmatch.records.record import MATE, MOST_EVAL, NO_CLOCK, NO_EVAL, UNKNOWN_RESULT

NEWLINE, RETURN, SPACE, PERCENT, SEMICOLON = (ord(c) for c in "\n\r %;")
OPEN_TAG, CLOSE_TAG, OPEN_COMMENT, CLOSE_COMMENT, OPEN_LINE, CLOSE_LINE = (ord(c) for c in "[]{}()")
DOT, COLON, HASH, PLUS, MINUS, STAR, DOLLAR = (ord(c) for c in ".:#+-*$")
TABULATOR, QUOTE, LETTER_E, LETTER_P = (ord(c) for c in '\t"ep')
SLASH, EQUALS, ONE, TAKES = (ord(c) for c in "/=1x")
ZERO, NINE = ord("0"), ord("9")
EVAL, CLOCK = packed(b"[%eval "), packed(b"[%clk ")
AIDED = packed(b"[%evenma"), packed(b"tch")  # see records.pgn_text
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
    decides: comments do not nest, so an opening brace means that the comment has ended.
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
