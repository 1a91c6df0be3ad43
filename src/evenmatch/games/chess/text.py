"""Chess boards and moves as text: FEN, UCI and SAN, by python-chess.

python-chess is loaded when text is first read or written: the rules do not need it.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import MoveError, UsageError, listed, quoted
from evenmatch.games.chess.moves import BOARD_WORDS, CLOCK, EN_PASSANT, MOST_CLOCK, SIDE, SQUARE

if TYPE_CHECKING:
    import chess

RIGHTS_SQUARES = (7, 0, 63, 56)  # the rooks' corners in the order of the rights' bits
SMALL_LETTERS = tuple("nrqko")  # of pieces and castling; b is a file too
MOST_MOVES = 1 << 15  # that a FEN may count, so that its plies fit 16 bits
COMMENTS = "!?"  # on a move, at its end
NULL_MOVES = ("0000", "--", "Z0", "@@@@")  # python-chess reads them
CASTLING = "KQkq"  # the letters of the rights, in the order of their bits
SIDES = {"w": "w", "white": "w", "b": "b", "black": "b"}
DASHES = "-_\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}\N{HYPHEN}\N{NON-BREAKING HYPHEN}"
AROUND = " \"'`[],;:.=\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"  # of a field
UNSEEN = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060"))  # letters without a width
BEFORE = ("", "position", "fen")  # words before a FEN
RIGHTS = re.compile(r"[KQkqA-Ha-h-]*")  # python-chess reads files, too
SQUARES = re.compile(r"-|[a-h][1-8]")  # of the en passant field
COUNTER = re.compile(r"-|[+-]?\d+")
OPERATION = re.compile(r"[A-Za-z]\w*\b")  # of EPD
COUNTERS = ("hmvc", "fmvn")  # operations of EPD for the last two fields of a FEN


class Fen(NamedTuple):
    """A position that was read, and what of its text was passed over or supplied."""

    position: chess.Board
    notes: tuple[str, ...]


def board_of(position: chess.Board) -> NDArray[np.uint64]:
    """Return a python-chess board as a row [5]; its history is not kept."""
    board = np.zeros(BOARD_WORDS, np.uint64)
    board[0] = position.pawns | position.bishops | position.queens
    board[1] = position.knights | position.bishops | position.kings
    board[2] = position.rooks | position.queens | position.kings
    board[3] = position.occupied_co[True]
    rights = sum(
        1 << i for i in range(4) if position.clean_castling_rights() >> RIGHTS_SQUARES[i] & 1
    )
    passing = position.ep_square if position.has_legal_en_passant() else 0
    clock = min(position.halfmove_clock, int(MOST_CLOCK))
    rules = int(not position.turn) | rights << 1 | (passing or 0) << 5 | clock << 11
    board[4] = rules
    return board


def double_step(position: chess.Board) -> tuple[chess.Board, int] | None:
    """Return the position before a pawn's double step, and that move ``from | to << 6``.

    None if no pawn can be taken en passant.
    """
    import chess

    if position.ep_square is None or not position.has_legal_en_passant():
        return None
    at = position.ep_square ^ 8  # a rank before the square that was passed, or behind it
    start = at ^ 16
    before = position.copy(stack=False)
    before.set_piece_at(start, before.remove_piece_at(at))
    before.turn, before.ep_square = not position.turn, None
    return before, code_of(chess.Move(start, at))


def position_of(board: NDArray[np.uint64], ply: int = 0) -> chess.Board:
    """Return a board row [5] as a python-chess board, ``ply`` half-moves into its game."""
    import chess

    p, q, r, white, rules = map(int, board[:BOARD_WORDS])
    position = chess.Board(None)
    position.pawns, position.knights, position.kings = p & ~q & ~r, q & ~p & ~r, q & r
    position.bishops, position.rooks, position.queens = p & q, r & ~p & ~q, p & r
    position.occupied = p | q | r
    position.occupied_co[True], position.occupied_co[False] = white, position.occupied & ~white
    position.turn = not rules & int(SIDE)
    position.castling_rights = sum(1 << RIGHTS_SQUARES[i] for i in range(4) if rules >> (i + 1) & 1)
    position.ep_square = rules >> int(EN_PASSANT) & int(SQUARE) or None
    position.halfmove_clock = rules >> int(CLOCK) & int(MOST_CLOCK)
    position.fullmove_number = ply // 2 + 1
    return position


def read_fen(text: str, *, chess960: bool = False) -> Fen:
    """Read a FEN as people write it; UsageError says what is wrong with it.

    Fields may be missing at the end, and operations of EPD may follow. Castling rights and an en
    passant square that the position does not allow are dropped, which the notes say. Positions of
    Chess960 are refused; with ``chess960`` they are read without their castling rights.
    """
    import chess

    words, rest = _fields(text)
    notes = [f"passed over behind the FEN: {quoted(rest)}"] if rest else []
    try:
        board, side, rights, passing, clock, move = _completed(words, rest)
        position = chess.Board(f"{board} {side} - {passing} {clock} {move}")
    except ValueError as error:
        raise UsageError(f"cannot read {quoted(text)} as a FEN: {quoted(str(error))}") from None
    if len(words) == 1:
        notes.append("the FEN does not say who moves; it is taken to be White's move")
    if len(words) < 3 and _at_home(position, CASTLING):
        notes.append("the FEN does not name castling rights; none are assumed")
    notes += filter(None, (_castling(position, rights, chess960), _en_passant(position)))
    status = position.status()
    if status & ~(chess.STATUS_IMPOSSIBLE_CHECK | chess.STATUS_TOO_MANY_CHECKERS):
        wrong = status.name or "IMPOSSIBLE"
        words_of = wrong.lower().replace("_", " ").replace("|", ", ")
        raise UsageError(f"no game reaches {quoted(text)}: {words_of}; correct the FEN")
    if any(_promoted(position, side) > 8 for side in chess.COLORS):
        raise UsageError(f"no game reaches {quoted(text)}: too many promotions; correct the FEN")
    position.fullmove_number = min(position.fullmove_number, MOST_MOVES)
    return Fen(position, tuple(notes))


def _fields(text: str) -> tuple[list[str], str]:
    """Return up to six fields of a FEN, and the text behind them."""
    import chess

    words = text.translate(UNSEEN).split()
    if len(words) == 1:
        words = words[0].split("_")  # as in addresses of web pages
    while words and words[0].strip(AROUND).lower() in BEFORE:
        words.pop(0)
    if words and words[0].strip(AROUND) == "startpos":
        words[:1] = chess.STARTING_FEN.split()
    fields = [word.strip(AROUND) for word in words[:6]]
    fields = ["-" if len(word) == 1 and word in DASHES else word for word in fields]
    fields = fields[:4] + list(takewhile(COUNTER.fullmatch, fields[4:]))
    return fields, " ".join(words[len(fields) :]).strip(AROUND)


def _completed(words: list[str], rest: str) -> list[str]:
    """Return the six fields with what is usual for those that are missing.

    UsageError names a field that is another, ValueError says what is wrong otherwise.
    """
    if not words:
        raise ValueError("it is empty")
    if rest and not OPERATION.match(rest):
        raise ValueError(f"more than six fields: {rest}")
    board, side, rights, passing, *counters = words + ["w", "-", "-"][len(words) - 1 :]
    for name in COUNTERS[len(counters) :]:
        found = re.search(rf"\b{name} (\d+)", rest)
        counters.append(found[1] if found else "-")
    clock, move = counters
    if side.lower() not in SIDES:
        raise UsageError(f"the second field of a FEN says who moves: w or b, not {quoted(side)}")
    if not RIGHTS.fullmatch(rights):
        raise UsageError(
            f"the third field of a FEN has the castling rights: KQkq or -, not {quoted(rights)}"
        )
    if not SQUARES.fullmatch(passing.lower()):
        raise UsageError(
            f"the fourth field of a FEN is the en passant square or -, not {quoted(passing)}"
        )
    counted = [clock.replace("-", "0", clock == "-"), move.replace("-", "1", move == "-")]
    return [board, SIDES[side.lower()], rights, passing.lower(), *counted]


def _castling(position: chess.Board, rights: str, chess960: bool) -> str:
    """Give a position the castling rights that it allows; return a note of the others."""
    requested = "".join(dict.fromkeys(rights.replace("-", "")))
    kept = _at_home(position, requested)
    stray = "".join(letter for letter in requested if letter not in kept)
    if stray and _is_chess960(position, requested):
        if not chess960:
            raise UsageError(
                "Chess960 is not supported; in chess, castling rights are KQkq, where king and "
                "rook have not moved"
            )
        return "Chess960 is not supported; the position is played without castling"
    position.castling_rights = sum(1 << RIGHTS_SQUARES[CASTLING.index(one)] for one in kept)
    if not stray:
        return ""
    return f"castling rights {stray} are dropped: king or rook is not where it begins"


def _at_home(position: chess.Board, letters: str) -> str:
    """Return those of the letters of castling rights whose king and rook are where they begin."""
    import chess

    kept = ""
    for letter, corner in zip(CASTLING, RIGHTS_SQUARES, strict=True):
        side, home = letter.isupper(), corner & 56 | 4
        king, rook = chess.Piece(chess.KING, side), chess.Piece(chess.ROOK, side)
        stand = position.piece_at(home) == king and position.piece_at(corner) == rook
        kept += letter if letter in letters and stand else ""
    return kept


def _is_chess960(position: chess.Board, letters: str) -> bool:
    """Tell whether castling rights are those of Chess960: rooks by their file, or none at home.

    Kings begin on one file there, between rooks on the same files.
    """
    import chess

    files: dict[str, set[int]] = {}
    for letter in letters:
        if letter not in CASTLING:
            return True
        side, right = letter.isupper(), letter in "Kk"
        king, first = position.king(side), 56 * (not side)
        if king is None or not first < king < first + 7:
            return False
        rooks = [
            rook
            for rook in position.pieces(chess.ROOK, side)
            if (king < rook < first + 8 if right else first <= rook < king)
        ]
        if not rooks:
            return False
        files.setdefault("k", set()).add(king - first)
        files.setdefault(letter.upper(), set()).add((max if right else min)(rooks) - first)
    return all(len(found) == 1 for found in files.values())


def _en_passant(position: chess.Board) -> str:
    """Take an en passant square away that the position does not allow; return a note of it."""
    import chess

    square, unlike = position.ep_square, chess.STATUS_INVALID_EP_SQUARE
    if square is None or not position.status() & (unlike | chess.STATUS_IMPOSSIBLE_CHECK):
        return ""
    position.ep_square = None
    name = chess.square_name(square)
    return f"the en passant square {name} is dropped: no pawn can just have passed it"


def _promoted(position: chess.Board, side: chess.Color) -> int:
    """Return how many pawns a side's pieces take: those it has, one for each piece too many.

    Positions with more than eight may have more moves than any a game reaches.
    """
    import chess

    first = {chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 2, chess.QUEEN: 1}
    counts = {piece: len(position.pieces(piece, side)) for piece in chess.PIECE_TYPES}
    return counts[chess.PAWN] + sum(max(0, counts[piece] - most) for piece, most in first.items())


def move_of(code: int) -> chess.Move:
    """Return a move ``from | to << 6 | promotion << 12`` as python-chess has it."""
    import chess

    return chess.Move(code & 63, code >> 6 & 63, code >> 12 or None)


def code_of(move: chess.Move) -> int:
    """Return a python-chess move as ``from | to << 6 | promotion << 12``."""
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


def read_move(board: NDArray[np.uint64], text: str) -> int:
    """Return the move that UCI or SAN text names on a board row [5]; MoveError if none."""
    import chess

    position, word = position_of(board), text.strip()
    word = word.rstrip(COMMENTS) or word
    try:
        move = _read(position, word)
    except chess.AmbiguousMoveError:
        raise MoveError(
            f"{quoted(word)} may be several moves; say which, as in Nbd2 or b1d2"
        ) from None
    except chess.IllegalMoveError:
        move = chess.Move.null()
    except ValueError:
        raise MoveError(
            f"cannot read {quoted(word)} as a move; type it as in Nf3, exd5, O-O or g1f3"
        ) from None
    if move not in position.legal_moves and _is_legal(position, f"{word}=Q"):
        raise MoveError(f"{quoted(word)} reaches the last rank; say what it becomes: {word}=Q")
    if move not in position.legal_moves:
        names = listed(_legal_names(position, word))
        here = "does not end the check" if position.is_check() else "is not legal here"
        raise MoveError(f"{quoted(word)} {here}; legal moves: {names or 'none, game over'}")
    return code_of(move)


def _legal_names(position: chess.Board, word: str) -> list[str]:
    """Write all legal moves in SAN; first those of the piece or the square ``word`` begins with."""
    moves = {position.san(move): move.uci() for move in position.legal_moves}
    return sorted(
        moves, key=lambda name: name[0] != word[0] and moves[name][:2] != word[:2].lower()
    )


def _is_legal(position: chess.Board, word: str) -> bool:
    try:
        return bool(position.parse_san(word))
    except ValueError:
        return False


def _read(position: chess.Board, word: str) -> chess.Move:
    """Read SAN first: B1b2 is a bishop's move in SAN, and not b1b2 in UCI.

    Small letters will do for castling and for pieces whose letter is not that of a file.
    """
    import chess

    if word in NULL_MOVES:
        raise ValueError("a null move")
    large = word.upper() if word[:1] == "o" else word[:1].upper() + word[1:]
    if word[:1] in SMALL_LETTERS and _is_legal(position, large):
        word = large
    try:
        return position.parse_san(word)
    except (chess.InvalidMoveError, chess.IllegalMoveError):
        try:
            return chess.Move.from_uci(word.lower())
        except ValueError:
            pass
        raise


def san(board: NDArray[np.uint64], move: int) -> str:
    """Write a legal move of a board row [5] in standard algebraic notation."""
    return position_of(board).san(move_of(move))
