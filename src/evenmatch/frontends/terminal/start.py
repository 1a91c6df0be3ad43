"""Where a game in the terminal begins: a position, or the moves of a file."""

from pathlib import Path

from evenmatch.domains import domain_of
from evenmatch.errors import MoveError, RecordError, UsageError
from evenmatch.games.game import Game
from evenmatch.records.chess.position import is_fen, read_game
from evenmatch.records.form import form_of
from evenmatch.records.go.game_text import is_sgf

MOST_BYTES = 1 << 20  #: of a file that holds one game or position


def read_file(game: Game, path: Path) -> tuple[str, list[str]]:
    """Return the position ("" for the usual one) and the moves of a file, to go on from there.

    The file holds a position in the game's notation (FEN), or moves: one game as PGN where the game
    is chess, as SGF or words where it is Go, else words. Raises UsageError for a file that cannot
    be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read {path} ({error.strerror}); choose another file") from None
    text = data.decode("utf-8", errors="replace").strip()
    if not text:
        raise UsageError(f"{path} is empty; choose another file")
    notation = domain_of(game.id).notation
    if notation == "sgf" and is_sgf(data):
        return _read_sgf(game, path)
    if notation != "pgn":
        words = text.split()
        try:
            game.read_action(game.initial()[0], next(filter(str.isalnum, words), ""))
        except MoveError:
            raise UsageError(f"{path} has no moves of {game.title}; choose another file") from None
        return "", words
    if is_fen(text):
        return text.splitlines()[0], []
    return _read_pgn(path, text)


def _read_sgf(game: Game, path: Path) -> tuple[str, list[str]]:
    """Return the start and the moves of an SGF file's first game on a board of this size."""
    from evenmatch.records.go.form import GoForm

    form = form_of(game.id)
    assert isinstance(form, GoForm)
    try:
        record = form.first(path)
    except RecordError as error:
        raise UsageError(f"{error}; choose another file, a game of {game.title} as SGF") from None
    if not len(record.moves) and not record.start:
        raise UsageError(f"{path} has no moves and no position; choose another file")
    states = form.played(record.moves, record.start)
    texts = [
        game.action_text(state, int(move))
        for state, move in zip(states[:-1], record.moves, strict=True)
    ]
    return record.start, texts


def _read_pgn(path: Path, text: str) -> tuple[str, list[str]]:
    """Return the start and the moves of the first game of a PGN text."""
    game = read_game(text, str(path))
    return game.headers.get("FEN", ""), [move.uci() for move in game.mainline_moves()]
