"""Moves in standard algebraic notation found among the legal ones, as compiled kernels.

A move is a word of at most eight bytes, the first lowest, without its signs of check. What is
understood, and what is refused as ambiguous, is as in python-chess: castling with O or 0, long
forms such as Ng1-f3 and e7e8q, castling in two squares and as Chess960 writes it (e1g1 and e1h1),
promotion with or without the equals sign. A move's *choice* is its place among the legal moves in
the order of `games.chess.moves.legal_moves`: one byte.
"""

import numpy as np

from evenmatch.games.bits import inlined, kernel
from evenmatch.games.chess.moves import KING_, MAX_LEGAL, PAWN_, legal_moves, make_move
from evenmatch.games.chess.moves import piece_on as piece_at
from evenmatch.records.chess.tags import is_null, packed
from evenmatch.records.record import Reason

START_BOARD = np.array(
    [
        0x2CFF00000000FF2C,  # pawns, bishops, queens: pieces of an odd number, and no king
        0x7600000000000076,  # knights, bishops, kings
        0x9900000000000099,  # rooks, queens, kings
        0x000000000000FFFF,  # White
        0b11110,  # White to move, all castling rights
    ],
    np.uint64,
)  # [BOARD_WORDS] the ordinary start
FINE, UNREADABLE = int(Reason.fine), int(Reason.unreadable_move)
NULL, ILLEGAL, AMBIGUOUS, FOREIGN = (
    int(reason)
    for reason in (
        Reason.null_move, Reason.illegal_move, Reason.ambiguous_move, Reason.foreign_piece
    )
)  # fmt: skip
SHORT = tuple(packed(text) for text in (b"O-O", b"0-0", b"o-o", b"00"))
LONG = tuple(packed(text) for text in (b"O-O-O", b"0-0-0", b"o-o-o", b"000"))
ANY = -1  #: no piece, file or rank is named
BYTE = np.uint64(0xFF)
A_FILE, E_FILE, H_FILE = 0, 4, 7
DASH, TAKES, EQUALS, CASTLES = (ord(c) for c in "-x=O")


def _numbers(letters: str, first: int) -> np.ndarray:
    """Return the number of each letter, counted from ``first``, and ANY for other bytes, [256]."""
    numbers = np.full(256, ANY, np.int8)
    for number, letter in enumerate(letters, first):
        numbers[ord(letter)] = number
    return numbers


PIECES, FILES, RANKS = _numbers("NBRQK", 2), _numbers("abcdefgh", 0), _numbers("12345678", 0)
PROMOTIONS = np.maximum(PIECES, _numbers("nbrqk", 2))


@inlined
def byte_of(word, at):
    """Return a byte of a word, 0 if ``at`` is before its beginning."""
    return np.int64((word >> np.uint64(8 * at)) & BYTE) if at >= 0 else 0


@inlined
def length_of(word):
    """Return how many bytes a word has."""
    length = 0
    while length < 8 and word >> np.uint64(8 * length):
        length += 1
    return length


@inlined
def parse(word):
    """Return (a Reason, piece, file, rank, ``target | promotion << 6``), ANY for what is unknown.

    The target of castling is on the first rank and the piece is ANY: the king's file and the
    target distinguish it from all other moves of a king.
    """
    at = length_of(word) - 1
    promotion = 0
    letter = PROMOTIONS[byte_of(word, at)]
    if letter != ANY and (byte_of(word, at - 1) == EQUALS or RANKS[byte_of(word, at - 1)] != ANY):
        promotion = np.int64(letter)
        at -= 2 if byte_of(word, at - 1) == EQUALS else 1
    to_file, to_rank = FILES[byte_of(word, at - 1)], RANKS[byte_of(word, at)]
    if to_file == ANY or to_rank == ANY:
        return UNREADABLE, ANY, ANY, ANY, 0
    at -= 2
    if byte_of(word, at) == DASH or byte_of(word, at) == TAKES:
        at -= 1
    rank = np.int64(RANKS[byte_of(word, at)])
    at -= rank != ANY
    file = np.int64(FILES[byte_of(word, at)])
    at -= file != ANY
    piece = np.int64(PIECES[byte_of(word, at)])
    at -= piece != ANY
    target = 8 * np.int64(to_rank) + np.int64(to_file) | promotion << 6
    return UNREADABLE if at >= 0 else FINE, piece, file, rank, target


@inlined
def is_piece_elsewhere(byte):
    """Tell whether a byte may belong to a piece letter of another language: S, T, К, D."""
    return byte >= 128 or (65 <= byte <= 90 and PIECES[byte] == ANY and byte != CASTLES)


@inlined
def is_foreign(word):
    """Tell whether a word is a move but for the letter of its piece, or of its promotion."""
    length = length_of(word)
    last = byte_of(word, length - 1)
    if length > 2 and is_piece_elsewhere(last) and last < 128:
        length -= 2 if byte_of(word, length - 2) == EQUALS else 1
        kept = word & ((np.uint64(1) << np.uint64(8 * length)) - np.uint64(1))
        if parse(kept)[0] == FINE:
            return True
    rest = word
    while is_piece_elsewhere(rest & BYTE):
        rest >>= np.uint64(8)
    return rest != word and rest != np.uint64(0) and parse(rest)[0] == FINE


@inlined
def castling_file(word):
    """Return the file a castling king goes to, ANY if the word is not castling."""
    if word in SHORT:
        return 6
    return 2 if word in LONG else ANY


@inlined
def is_castling(board, move):
    """Tell whether a legal move castles."""
    return piece_at(board, move & 63) == KING_ and abs((move & 7) - (move >> 6 & 7)) == 2


@inlined
def in_two_squares(board, start, target):
    """Return the target of a king on the e-file, two squares on if it is in a corner's file.

    Chess960 writes castling as the king taking its own rook, e1h1 for e1g1. No other move leads a
    king from the e-file to the a-file or the h-file, so that nothing else is changed.
    """
    if start & 7 == E_FILE and piece_at(board, start) == KING_:
        if target & 7 == H_FILE:
            return target - 1
        if target & 7 == A_FILE:
            return target + 2
    return target


@inlined
def fits(board, move, piece, file, rank):
    """Return whether a legal move to the right square is of the given piece, file and rank."""
    start = np.int64(move) & 63
    if (file != ANY and start & 7 != file) or (rank != ANY and start >> 3 != rank):
        return False
    if piece == ANY:  # a whole square tells the piece
        return True
    return piece_at(board, start) == piece and not is_castling(board, np.int64(move))


@inlined
def find_castling(board, legal, count, file):
    """Return (a Reason, the choice) of castling towards a file."""
    for i in range(count):
        move = np.int64(legal[i])
        if move >> 6 & 7 == file and is_castling(board, move):
            return FINE, i
    return ILLEGAL, 0


@inlined
def find(board, word, legal, count):  # [5], word, [>= count] int16, int
    """Return (a Reason, the choice) of a move among the legal ones."""
    towards = castling_file(word)
    if towards != ANY:
        return find_castling(board, legal, count, towards)
    reason, piece, file, rank, target = parse(word)
    if reason != FINE:
        return NULL if is_null(word) else FOREIGN if is_foreign(word) else UNREADABLE, 0
    if piece == ANY and (file == ANY or rank == ANY):
        piece = PAWN_
        file = target & 7 if file == ANY else file  # it does not capture
    elif piece == ANY:
        target = in_two_squares(board, 8 * rank + file, target)
    matches, choice = 0, 0
    for i in range(count):
        if legal[i] >> 6 == target and fits(board, legal[i], piece, file, rank):
            matches += 1
            choice = i
    if matches == 1:
        return FINE, choice
    return AMBIGUOUS if matches else ILLEGAL, choice


@kernel
def resolve(words, first, games, starts, scratch, legal, reasons, faults, moves, choices):
    """Resolve the words of all games that have no fault yet, [M] and [G + 1], [G].

    ``starts`` [G or 1, 5] are the boards they begin with, ``scratch`` [5] and ``legal``
    [>= MAX_LEGAL] int16 are room to work in. Writes ``moves`` [M] and ``choices`` [M]; of a game
    whose reason is not FINE afterwards, ``faults`` [G] is the number of the word that was refused.
    """
    for g in range(games):
        if reasons[g] != FINE:
            continue
        for word in range(5):
            scratch[word] = starts[g if len(starts) > 1 else 0, word]
        for i in range(first[g], first[g + 1]):
            count = legal_moves(scratch, legal)
            reason, choice = find(scratch, words[i], legal, count)
            if reason != FINE:
                reasons[g], faults[g] = reason, i
                break
            moves[i], choices[i] = legal[choice], choice
            make_move(scratch, np.int64(legal[choice]), scratch)


def scratch() -> tuple[np.ndarray, np.ndarray]:
    """Return scratch arrays of the kernels: a board and its legal moves."""
    return np.zeros(len(START_BOARD), np.uint64), np.zeros(MAX_LEGAL, np.int16)
