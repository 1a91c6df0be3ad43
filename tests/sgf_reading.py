"""SGF in a text, read whole."""

from evenmatch.records.go.game_text import SgfGame
from evenmatch.records.go.sgf import sgf_games
from evenmatch.records.streams import Text


def read_sgf(data: bytes | str) -> list[SgfGame]:
    """Return the games of a text that has no fault."""
    faults = []
    games = list(sgf_games(Text(data.encode() if isinstance(data, str) else data), faults.append))
    assert faults == []
    return games
