"""Chess boards and moves as text: FEN, UCI and SAN, by python-chess.

python-chess is loaded when text is first read or written: the rules do not need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def read_fen(text: str) -> chess.Board:
    """Return the position of a FEN; UsageError saying what is wrong with it."""
    import chess

    try:
        position = chess.Board(text.strip())
    except ValueError as error:
        raise UsageError(f"cannot read {quoted(text)} as a FEN: {quoted(str(error))}") from None
    if not position.is_valid():
        wrong = position.status().name or "IMPOSSIBLE"
        words = wrong.lower().replace("_", " ").replace("|", ", ")
        raise UsageError(f"no game reaches {quoted(text)}: {words}; correct the FEN")
    if any(_promoted(position, side) > 8 for side in chess.COLORS):
        raise UsageError(f"no game reaches {quoted(text)}: too many promotions; correct the FEN")
    position.fullmove_number = min(position.fullmove_number, MOST_MOVES)
    return position


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

    Small letters will do for castling and for pieces whose letter is no file.
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
