"""Chess: rules, history, moves and network planes as kernels over packed positions."""

from evenmatch.games.chess.chess import Chess

__all__ = ["Chess"]
