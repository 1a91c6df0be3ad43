"""When an opponent of a rating gives up, and when it takes a draw."""

from collections.abc import Sequence

LOST, LOST_TURNS = 0.02, 3  #: chances at or below which, for so many own turns, it may resign
EVEN, EVEN_TURNS, EARLIEST = 0.05, 5, 40  #: of a draw: distance from even, own turns, plies


def resign_chance(rating: float, chances: Sequence[float]) -> float:
    """Return the chance to resign now; ``chances`` in [0, 1] are those at the own turns so far."""
    latest = chances[-LOST_TURNS:]
    return 0.3 if len(latest) == LOST_TURNS and max(latest) <= LOST else 0.0


def accepts_draw(chances: Sequence[float], plies: int) -> bool:
    """Return whether a game of so many plies is dead even."""
    latest = chances[-EVEN_TURNS:]
    return plies >= EARLIEST and all(abs(chance - 0.5) <= EVEN for chance in latest)
