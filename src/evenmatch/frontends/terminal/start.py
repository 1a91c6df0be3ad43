"""Where a game in the terminal begins: a position, or the moves of a file."""

from pathlib import Path

from evenmatch.domains import domain_of
from evenmatch.errors import UsageError
from evenmatch.games.game import Game

MOST_BYTES = 1 << 20  #: of a file that holds one game or position


def read_file(game: Game, path: Path) -> tuple[str, list[str]]:
    """Return the position ("" for the usual one) and the moves of a file, to go on from there.

    The file holds a position in the game's notation (FEN), or moves: one game as PGN where the game
    is chess, else words. Raises UsageError for a file that cannot be read.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES).decode("utf-8", errors="replace").strip()
    except OSError as error:
        raise UsageError(f"cannot read {path} ({error.strerror}); choose another --from") from None
    if not text:
        raise UsageError(f"{path} is empty; choose another --from")
    first = text.splitlines()[0]
    if not domain_of(game.id).pgn:
        return "", text.split()
    if first.count("/") == 7 and not first.startswith("["):
        return first, []
    return _read_pgn(path, text)


def _read_pgn(path: Path, text: str) -> tuple[str, list[str]]:
    """Return the start and the moves of the first game of a PGN text."""
    import io

    import chess.pgn

    game = chess.pgn.read_game(io.StringIO(text))
    if game is None or game.errors:
        why = f" ({game.errors[0]})" if game and game.errors else ""
        raise UsageError(f"{path} has no game of chess that can be read{why}; give PGN or FEN")
    moves = [move.uci() for move in game.mainline_moves()]
    if not moves and "FEN" not in game.headers:
        raise UsageError(f"{path} has no moves and no position; give PGN or FEN")
    return game.headers.get("FEN", ""), moves
