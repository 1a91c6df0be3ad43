"""Whole games of chess as text, read by python-chess: their moves, and where they end."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from evenmatch.errors import UsageError, quoted

if TYPE_CHECKING:
    import chess.pgn

RANKS = 8
MOST_PLIES = 1 << 12  #: of a game; far more than any game that was played


def is_fen(text: str) -> bool:
    """Tell whether a text begins as a position does, not as a game."""
    first = text.strip().partition("\n")[0]
    return first.count("/") == RANKS - 1 and not first.startswith("[")


def read_game(text: str, name: str) -> chess.pgn.Game:
    """Return the first game of a PGN text, which has moves or a position.

    UsageError where there is none; ``name`` is what the text is called there.
    """
    import chess.pgn

    class Quiet(chess.pgn.GameBuilder):
        """Keeps faults, and logs none: they have what was pasted in them. Reads the main line."""

        plies = 0

        def begin_variation(self) -> chess.pgn.SkipType:  # type: ignore[override]
            return chess.pgn.SKIP

        def end_variation(self) -> None:
            """Stay in the main line, which was not left."""

        def visit_move(self, board: chess.Board, move: chess.Move) -> None:
            self.plies += 1
            if self.plies > MOST_PLIES:
                raise UsageError(f"{name} has more than {MOST_PLIES:,} moves; give a shorter game")
            super().visit_move(board, move)

        def handle_error(self, error: Exception) -> None:
            self.game.errors.append(error)

    game = chess.pgn.read_game(io.StringIO(text), Visitor=Quiet)
    if game is None or game.errors:
        why = f" ({quoted(str(game.errors[0]))})" if game and game.errors else ""
        raise UsageError(f"{name} has no game of chess that can be read{why}; give PGN or FEN")
    if not game.variations and "FEN" not in game.headers:
        raise UsageError(f"{name} has no moves and no position; give PGN or FEN")
    return game


def count_games(text: str) -> int:
    """Return how many games a PGN text has."""
    import chess.pgn

    source, count = io.StringIO(text), 0
    while chess.pgn.skip_game(source):
        count += 1
    return count


def end_text(text: str) -> str:
    """Return the position at the end of a PGN's main line, as FEN; UsageError if there is none."""
    import chess

    position = read_game(text, "that text").end().board()
    if type(position) is not chess.Board or position.chess960:
        raise UsageError("that is a game of another kind of chess; paste one of chess")
    return position.fen()
