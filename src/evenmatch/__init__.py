"""evenmatch: a board-game opponent of exactly your strength."""

__version__ = "0.1.0"
