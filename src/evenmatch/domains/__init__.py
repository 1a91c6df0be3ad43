"""Domains: what is known of each game besides its rules. ``DOMAINS`` is the one table.

Common rooms (records, training, estimation, players, front ends) know no game: they look up here
what a game's records, networks, opponents, rating scales and board are.
"""

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


def domain_of(game_id: str) -> Domain:
    """Return the domain of a game; a game without one gets the defaults."""
    return DOMAINS.get(game_id) or Domain(game=game_id)


__all__ = ["DOMAINS", "SOURCES", "Domain", "Look", "RatingSource", "domain_of"]
