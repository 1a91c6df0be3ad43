"""Values as chess programs show them: centipawns, and chances of win, draw and loss."""

import math
from dataclasses import dataclass, replace

SPREAD, STEEPNESS = 90.0, 1.5637541897  # of lc0's formula for centipawns
EVEN_DRAWS = 0.1  # chance of a draw in an even position, where the network does not tell


@dataclass(frozen=True)
class ValueScore:
    """A value for the side to move in [-1, 1], and the chance of a draw if it is known."""

    value: float
    draw: float | None = None

    def moved(self, value: float) -> "ValueScore":
        """Return the score of another value of the position; draws go with 1 - value^2."""
        if self.draw is None:
            return replace(self, value=value)
        share = (1 - value**2) / max(1 - self.value**2, 1e-3)
        return ValueScore(value, min(self.draw * share, 1.0))

    @property
    def centipawns(self) -> int:
        """The value as lc0 writes it: 90 tan(1.5637541897 Q)."""
        return round(SPREAD * math.tan(STEEPNESS * max(-1.0, min(self.value, 1.0))))

    @property
    def wdl(self) -> tuple[int, int, int]:
        """Win, draw and loss of a thousand."""
        value = max(-1.0, min(self.value, 1.0))
        draw = EVEN_DRAWS * (1 - value**2) if self.draw is None else self.draw
        draw = min(draw, 1 - abs(value))
        wins, draws = round(500 * (1 + value - draw)), round(1000 * draw)
        return wins, min(draws, 1000 - wins), max(1000 - wins - draws, 0)

    def text(self, with_wdl: bool, *, mate: int | None = None, bound: bool = False) -> str:
        """Return what follows ``score``; ``mate`` is the number of moves to a proven mate.

        It is negative where the mover is mated. A ``bound`` is the least that the score may
        be.
        """
        score = self if mate is None else self.moved(1.0 if mate > 0 else -1.0)
        told = f"cp {score.centipawns}" + " lowerbound" * bound
        told = told if mate is None else f"mate {mate}"
        return f"{told} wdl {' '.join(map(str, score.wdl))}" if with_wdl else told
