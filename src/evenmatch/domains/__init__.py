"""Domains: what is known of each game besides its rules. ``DOMAINS`` is the one table.

Common rooms (records, training, estimation, players, front ends) know no game: they look up here
what a game's records, networks, opponents, rating scales and board are.
"""

from collections.abc import Sequence
from pathlib import Path

from evenmatch.domains.chess import CHESS
from evenmatch.domains.connect4 import CONNECT4
from evenmatch.domains.domain import Domain, Look, RatingSource
from evenmatch.domains.go import GO, GO9, GO13
from evenmatch.domains.othello import OTHELLO, OTHELLO6

DOMAINS: dict[str, Domain] = {
    domain.game: domain for domain in (CONNECT4, OTHELLO6, OTHELLO, CHESS, GO9, GO13, GO)
}

SOURCES: dict[str, tuple[Domain, RatingSource]] = {
    source.name: (domain, source) for domain in DOMAINS.values() for source in domain.sources
}  #: by rating scale, whose name tells its game


def games_by(protocol: str) -> tuple[str, ...]:
    """Return the games that are played by a protocol: gtp or uci."""
    return tuple(domain.game for domain in DOMAINS.values() if domain.protocol == protocol)


def domain_of(game_id: str) -> Domain:
    """Return the domain of a game; a game without one gets the defaults."""
    return DOMAINS.get(game_id) or Domain(game=game_id)


def game_of_files(files: Sequence[Path]) -> str | None:
    """Return the game whose records the first file, or one in that folder, is by its name."""
    for path in files[:1]:
        paths = sorted(path.rglob("*")) if path.is_dir() else [path]
        for domain in DOMAINS.values():
            if any(ending in _endings(file) for file in paths for ending in domain.endings):
                return domain.game
    return None


def _endings(path: Path) -> list[str]:
    """Return the last two endings of a name, of which one may be that of a compressed file."""
    return [ending.lower() for ending in path.suffixes[-2:]]


__all__ = [
    "DOMAINS",
    "SOURCES",
    "Domain",
    "Look",
    "RatingSource",
    "domain_of",
    "game_of_files",
    "games_by",
]
