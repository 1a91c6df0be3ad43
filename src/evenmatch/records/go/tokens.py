"""SGF bytes cut into games, as a compiled kernel. It knows neither sizes of boards nor rules.

A game is a tree in parentheses. Its *main line* takes the first variation wherever there are
several, so it is all that stands before the first closing parenthesis; what follows is passed over.
Text between games is passed over too. A game that cannot be read gets a reason, and reading
continues behind it. The format: https://www.red-bean.com/sgf/

A game that is not closed would swallow those behind it. It ends where a line begins with a root
node, ``(;FF[4]`` and the like; in a file of one game a line, at the end of its line.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.records.record import Reason


class Prop(IntEnum):
    """The properties that are kept, of the nodes before the first move."""

    SZ = 0
    KM = 1
    HA = 2
    RU = 3
    RE = 4
    PB = 5
    PW = 6
    BR = 7
    WR = 8
    DT = 9
    GC = 10
    CA = 11
    GM = 12
    PL = 13
    TM = 14
    OT = 15
    EV = 16
    PC = 17


PROPS = len(Prop)
FINE, UNCLOSED, AMBIGUOUS = (int(r) for r in (Reason.fine, Reason.unclosed, Reason.ambiguous_move))
BAD_MOVE, BAD_WORD = int(Reason.unreadable_move), int(Reason.unreadable_property)
NO_GAME = int(Reason.no_game)
MORE = -1  #: instead of a reason: the bytes end before the game does
OPEN, CLOSE, NODE, OPEN_VALUE, CLOSE_VALUE, ESCAPE, COLON = (ord(c) for c in "();[]\\:")
NEWLINE, RETURN = ord("\n"), ord("\r")
BLACK_LETTER, WHITE_LETTER = ord("B"), ord("W")
NO_POINT = 0xFFF  #: the point of an empty value, which is a pass
SETUP_SHIFT = 24  #: of the stone in an entry of ``setup``: its two points lie below
ADDED = (1, 2, 0)  #: stones in setup: black, white, none
TURN = 3  #: instead of a stone: who is to play, whose colour is 1 or 2 where the points are


def _word(name: str) -> np.uint64:
    """Return a property's name as a word, the last letter lowest."""
    return np.uint64(int.from_bytes(name.encode(), "big"))


NAMES = np.array([_word(prop.name) for prop in Prop], np.uint64)  # [PROPS]
BLACK_MOVE, WHITE_MOVE = _word("B"), _word("W")
ADD_BLACK, ADD_WHITE, ADD_EMPTY = _word("AB"), _word("AW"), _word("AE")
TO_PLAY = _word("PL")
ROOTS = np.array([_word(name) for name in ("FF", "GM", "SZ", "CA", "AP", "ST")], np.uint64)
"""Properties that the standard allows in root nodes alone."""


class Tokens(NamedTuple):
    """What :func:`tokenize` fills. G games, M moves, N entries of setup."""

    spans: Any  #: [G, PROPS, 2] int32, where the values of the properties are; -1, -1 if absent
    starts: Any  #: [G] int32, where the games begin
    ends: Any  #: [G] int32, behind their last byte
    reasons: Any  #: [G] uint8, a Reason
    faults: Any  #: [G] int32, where the fault is
    first: Any  #: [G + 1] int32, the first move of each game
    setup_first: Any  #: [G + 1] int32, the first entry of each game
    moves: Any  #: [M] int32, side << 12 | column << 6 | row; side 0 Black, 1 White; NO_POINT
    places: Any  #: [M] int32, where the moves stand
    setup: Any  #: [N] int32, stone << 24 | point << 12 | the opposite corner of a rectangle
    setup_at: Any  #: [N] int32, how many moves of the game stand before an entry
    setup_places: Any  #: [N] int32, where the entries stand


def allocate(games: int, size: int) -> Tokens:
    """Return room for so many games, and for the moves of ``size`` bytes."""
    moves = size // 3 + 1  # B[], the shortest move, and [aa] of a list are no shorter
    return Tokens(
        spans=np.empty((games, PROPS, 2), np.int32),
        starts=np.empty(games, np.int32),
        ends=np.empty(games, np.int32),
        reasons=np.empty(games, np.uint8),
        faults=np.empty(games, np.int32),
        first=np.zeros(games + 1, np.int32),
        setup_first=np.zeros(games + 1, np.int32),
        moves=np.empty(moves, np.int32),
        places=np.empty(moves, np.int32),
        setup=np.empty(moves, np.int32),
        setup_at=np.empty(moves, np.int32),
        setup_places=np.empty(moves, np.int32),
    )


@inlined
def is_blank(byte):
    """Tell whether a byte is white space, or a control character."""
    return byte <= 32


@inlined
def skip_blanks(data, at):
    """Return where the first byte is, from ``at`` on, other than a blank."""
    while at < len(data) and is_blank(data[at]):
        at += 1
    return at


@inlined
def read_name(data, at):
    """Return the upper case letters of a property's name as a word, and where the name ends.

    Lower case letters, which old versions of the format had, are no part of it.
    """
    word = np.uint64(0)
    while at < len(data):
        byte = data[at]
        if 65 <= byte <= 90:
            word = word << np.uint64(8) | np.uint64(byte)
        elif not 97 <= byte <= 122:
            break
        at += 1
    return word, at


@inlined
def begins_game(data, at):
    """Tell whether a root node begins at the parenthesis ``at``, by the property it begins with."""
    at = skip_blanks(data, at + 1)
    if at == len(data) or data[at] != NODE:
        return False
    word, at = read_name(data, skip_blanks(data, at + 1))
    for root in ROOTS:  # noqa: SIM110 - kernels know no any()
        if root == word:
            return True
    return False


@inlined
def cut_at(data, at, lined):
    """Tell whether the newline ``at`` ends an open game: the next one begins behind it."""
    if lined:
        return True
    return at + 1 < len(data) and data[at + 1] == OPEN and begins_game(data, at + 1)


@inlined
def value_end(data, at, lined):
    """Return where the bracket is that closes the value beginning at ``at``.

    A value that ends nowhere gives ~place: the place of the newline that cuts it, or the end.
    """
    while at < len(data):
        byte = data[at]
        if byte == CLOSE_VALUE:
            return at
        if byte == ESCAPE:
            at += 1
        elif byte == NEWLINE and cut_at(data, at, lined):
            return ~at
        at += 1
    return ~len(data)


@inlined
def coordinate(byte):
    """Return the number of a letter, a 0 to z 25, A 26 to Z 51; -1 if it is none."""
    if 97 <= byte <= 122:
        return byte - 97
    return byte - 39 if 65 <= byte <= 90 else -1


@inlined
def read_point(data, start, stop):
    """Return column << 6 | row of two letters, NO_POINT of an empty value, -1 if it is neither."""
    if start == stop:
        return NO_POINT
    if stop - start != 2:
        return -1
    column, row = coordinate(np.int64(data[start])), coordinate(np.int64(data[start + 1]))
    return -1 if column < 0 or row < 0 else column << 6 | row


@inlined
def read_setup(data, start, stop):
    """Return the two corners of a point or rectangle, one above the other; -1 if it is neither."""
    if stop - start == 2:
        point = read_point(data, start, stop)
        return -1 if point < 0 else point << 12 | point
    if stop - start != 5 or data[start + 2] != COLON:
        return -1
    one, other = read_point(data, start, start + 2), read_point(data, start + 3, stop)
    return -1 if one < 0 or other < 0 else one << 12 | other


@kernel
def read_game(data, at, lined, game, out):  # bytes, int, bool, int, Tokens -> (int, int, int)
    """Read the game at the parenthesis ``at``; return a reason, where the fault is, and its end."""
    out.spans[game] = -1
    out.first[game + 1], out.setup_first[game + 1] = out.first[game], out.setup_first[game]
    depth, nodes, moved, reason, fault = 0, 0, False, FINE, at
    main = True  # until a parenthesis closes
    while at < len(data):
        byte = data[at]
        if byte == NEWLINE and cut_at(data, at, lined):
            return UNCLOSED, at, at
        if is_blank(byte):
            at += 1
        elif byte == OPEN:
            depth, at = depth + 1, at + 1
        elif byte == CLOSE:
            depth, main, at = depth - 1, False, at + 1
            if depth == 0:
                return reason, fault, at
        elif byte == NODE:
            nodes, moved, at = nodes + 1, False, at + 1
        else:
            begin, count = at, 0
            name, at = read_name(data, at)
            wrong = BAD_WORD if at == begin else FINE
            value = skip_blanks(data, at)
            while value < len(data) and data[value] == OPEN_VALUE:
                at = value
                end = value_end(data, at + 1, lined)
                if end < 0:
                    return UNCLOSED if ~end < len(data) else MORE, begin, ~end
                if main and reason == FINE and wrong == FINE:
                    if name == BLACK_MOVE or name == WHITE_MOVE:  # noqa: SIM109
                        wrong = take_move(data, at + 1, end, name, moved, game, out)
                        moved = True
                    elif name == ADD_BLACK or name == ADD_WHITE or name == ADD_EMPTY:  # noqa: SIM109
                        wrong = take_setup(data, at + 1, end, name, game, out)
                    elif name == TO_PLAY and out.first[game + 1] > out.first[game]:
                        take_turn(data, at + 1, end, game, out)
                    elif count == 0 and (nodes == 1 or out.first[game + 1] == out.first[game]):
                        keep(name, at + 1, end, out.spans[game])
                count, at = count + 1, end + 1
                value = skip_blanks(data, at)
            if count == 0 and value < len(data):
                wrong = BAD_WORD
                at = max(at, begin + 1)
            if wrong != FINE and reason == FINE:
                reason, fault = wrong, begin
    return MORE, fault, at


@inlined
def take_move(data, start, stop, name, moved, game, out):
    """Add a move to the game, unless its node has one already; return a reason."""
    point = read_point(data, start, stop)
    if moved:
        return AMBIGUOUS
    if point < 0:
        return BAD_MOVE
    at = out.first[game + 1]
    out.moves[at] = np.int64(name == WHITE_MOVE) << 12 | point
    out.places[at] = start
    out.first[game + 1] = at + 1
    return FINE


@inlined
def take_setup(data, start, stop, name, game, out):
    """Add a point or a rectangle to the game's setup, unless it is empty; return a reason."""
    if skip_blanks(data[:stop], start) == stop:
        return FINE
    corners = read_setup(data, start, stop)
    if corners < 0:
        return BAD_WORD
    stone = 1 if name == ADD_BLACK else 2 if name == ADD_WHITE else 0
    add_setup(stone << SETUP_SHIFT | corners, start, game, out)
    return FINE


@inlined
def take_turn(data, start, stop, game, out):
    """Add to the game's setup who is to play after some moves, if it is said."""
    at = skip_blanks(data[:stop], start)
    letter = np.int64(data[at]) & ~32 if at < stop else 0  # a capital
    if letter == BLACK_LETTER or letter == WHITE_LETTER:  # noqa: SIM109
        add_setup(TURN << SETUP_SHIFT | (1 + (letter == WHITE_LETTER)), start, game, out)


@inlined
def add_setup(entry, place, game, out):
    """Add an entry to the game's setup."""
    at = out.setup_first[game + 1]
    out.setup[at] = entry
    out.setup_at[at] = out.first[game + 1] - out.first[game]
    out.setup_places[at] = place
    out.setup_first[game + 1] = at + 1


@inlined
def keep(name, start, stop, spans):  # word, int, int, [PROPS, 2]
    """Note where a value is if its property is kept and was not met before."""
    for prop in range(PROPS):
        if NAMES[prop] == name and spans[prop, 0] < 0:
            spans[prop, 0], spans[prop, 1] = start, stop


@kernel
def tokenize(data, lined, final, out):  # bytes, bool, bool, Tokens -> (games, bytes used)
    """Read as many games as are complete and as there is room for.

    ``lined`` bytes are whole lines of one game each, and a line without a game is an error.
    ``final`` bytes are the last ones of the file.
    """
    games, at, used = np.int64(0), np.int64(0), np.int64(0)
    begun, found = np.int64(0), False  # the line: where it begins, and whether it has something
    while at < len(data) and games < len(out.starts):
        byte = data[at]
        if byte == OPEN and starts_node(data, at):
            reason, fault, end = read_game(data, at, lined, games, out)
            if reason == MORE:
                if not final:
                    return games, at
                reason = UNCLOSED
            finish(games, at, end, reason, fault, out)
            games, at, used, found = games + 1, end, end, True
            continue
        if lined and byte == NEWLINE:
            if not found and skip_blanks(data, begun) < at:
                finish(games, begun, at, NO_GAME, begun, out)
                games += 1
            begun, found, used = at + 1, False, at + 1
        at += 1
    if at < len(data) or games == len(out.starts):
        return games, used
    if lined and not found and skip_blanks(data, begun) < at:
        finish(games, begun, at, NO_GAME, begun, out)
        games += 1
    return games, at


@inlined
def starts_node(data, at):
    """Tell whether the parenthesis ``at`` is followed by a node, or by the end of the bytes."""
    at = skip_blanks(data, at + 1)
    return at == len(data) or data[at] == NODE


@inlined
def finish(game, start, end, reason, fault, out):
    """Note where a game is, and what is wrong with it; one that is not closed, at its beginning."""
    out.starts[game], out.ends[game] = start, end
    out.reasons[game], out.faults[game] = reason, start if reason == UNCLOSED else fault
    if reason:
        out.first[game + 1], out.setup_first[game + 1] = out.first[game], out.setup_first[game]
        if reason == NO_GAME:
            out.spans[game] = -1
