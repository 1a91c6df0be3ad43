"""Files that visitors send: kept while they are read, by a name of ours."""

from __future__ import annotations

import tempfile
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path

from evenmatch.errors import RecordError, UsageError
from evenmatch.frontends.web.asked import NOT_PLAYED
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.records.streams import Stream

MOST_UNPACKED = 200_000_000  #: bytes of a file that is unpacked
PIECE = 1 << 20  #: bytes read at a time
COMPRESSED = (".zst", ".gz", ".bz2")  #: endings behind that of the records


def kind_of(game_id: str, offered: Container[str]) -> str:
    """Return the id of a game that is offered; UsageError if its records cannot be read here."""
    game = get_game(game_id)
    if game.id not in offered:
        raise UsageError(NOT_PLAYED)
    if not game_info(game.id).notation:
        raise UsageError(f"there are no files of games of {game.title}; choose another game")
    return game.id


@contextmanager
def kept(data: bytes, name: str, game_id: str) -> Iterator[Path]:
    """Yield a file of what was sent; of its name no more is kept than how it is compressed."""
    if not data:
        raise UsageError("the file is empty; choose another")
    end = next((end for end in COMPRESSED if name.lower().endswith(end)), "")
    with tempfile.TemporaryDirectory(prefix="evenmatch-") as folder:
        path = Path(folder) / f"games.{game_info(game_id).notation}{end}"
        path.write_bytes(data)
        try:
            _require_small(path)
            yield path
        except RecordError as error:  # its folder is nothing to tell
            raise RecordError(str(error).replace(str(path), "the file")) from None


def _require_small(path: Path) -> None:
    """Raise UsageError where a file is much larger than what was sent."""
    left = MOST_UNPACKED
    with Stream(path) as stream:
        while left >= 0 and (data := stream.read(PIECE)):
            left -= len(data)
    if left < 0:
        raise UsageError(
            f"the file unpacks to more than {MOST_UNPACKED // 1_000_000} MB; send fewer games"
        )
