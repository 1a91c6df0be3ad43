"""How ratings are written and read: as Elo, or as kyu and dan."""

import re
from dataclasses import dataclass
from typing import Protocol

from evenmatch.errors import UsageError, quoted


class Scale(Protocol):
    """A way to write the strength that a number of Elo stands for."""

    def write(self, rating: float) -> str:
        """Return the rating in words of the scale."""

    def read(self, text: str) -> float:
        """Return the rating, in Elo, that a text says; UsageError if it says none."""

    def ends(self, low: float, high: float) -> tuple[str, str]:
        """Return the first and the last rating from ``low`` up to ``high``, which is not one."""


@dataclass(frozen=True)
class Elo:
    """Whole numbers, such as 1500."""

    def write(self, rating: float) -> str:
        """Return the nearest whole number."""
        return f"{rating:.0f}"

    def read(self, text: str) -> float:
        """Read a number; UsageError if it is none."""
        if not re.fullmatch(r"\d{1,4}(\.\d+)?", text.strip(), re.ASCII):
            raise UsageError(f"{quoted(text)} is not a rating; write a number such as 1500")
        return float(text)

    def ends(self, low: float, high: float) -> tuple[str, str]:
        """Return the lowest and the highest whole number."""
        return self.write(low), self.write(high - 1)


@dataclass(frozen=True)
class KyuDan:
    """Ranks of Go: 30k, the weakest, to 1k, then 1d to 9d; between neighbours ``width`` Elo."""

    one_dan: float = 2100.0  #: the Elo in the middle of 1d
    width: float = 100.0

    def write(self, rating: float) -> str:
        """Return the rank that the rating is nearest to."""
        steps = min(max(round((rating - self.one_dan) / self.width), -30), 8)
        return f"{steps + 1}d" if steps >= 0 else f"{-steps}k"

    def read(self, text: str) -> float:
        """Read a rank such as 5k or 2d, of which it is the middle; UsageError if it is none."""
        match = re.fullmatch(r"([1-9]\d?)\s*(kyu|dan|k|d)", text.strip().lower(), re.ASCII)
        number, kyu = (int(match[1]), match[2].startswith("k")) if match else (0, False)
        if not 1 <= number <= (30 if kyu else 9):
            raise UsageError(f"{quoted(text)} is not a rank; write one such as 8k or 2d")
        steps = -number if kyu else number - 1
        return self.one_dan + steps * self.width

    def ends(self, low: float, high: float) -> tuple[str, str]:
        """Return the first and the last rank whose middle lies there; the nearest if none does."""
        inside = [middle for middle in self.middles() if low <= middle < high]
        first, *_, last = [*inside, *inside] or [low, low]
        return self.write(first), self.write(last)

    def middles(self) -> list[float]:
        """Return the Elo in the middle of each rank, the weakest in front."""
        return [self.one_dan + step * self.width for step in range(-30, 9)]


@dataclass(frozen=True)
class RecordedRanks(KyuDan):
    """Ranks as records have them: numbers above 0, a step of 100, professionals above 9d.

    30k is 100, 1k 3000, 1d 3100, 9d 3900. They are no Elo: steps of different servers, or of weak
    and of strong players, are not of equal strength. Professional dans are a tenth of a step each:
    1p is 4000, 9p 4080.
    """

    one_dan: float = 3100.0
    first_pro: float = 4000.0
    pro_step: float = 10.0

    def middles(self) -> list[float]:
        """Return the number of each rank, the weakest in front."""
        pros = [self.first_pro + self.pro_step * dan for dan in range(9)]
        return [*super().middles(), *pros]

    def write(self, rating: float) -> str:
        """Return the rank that the number is nearest to."""
        if rating < self.first_pro - self.width / 2:
            return super().write(rating)
        return f"{min(max(round((rating - self.first_pro) / self.pro_step), 0), 8) + 1}p"

    def read(self, text: str) -> float:
        """Read a rank such as 5k, 2d or 7p; UsageError if it is none."""
        match = re.fullmatch(r"([1-9])\s*p", text.strip().lower(), re.ASCII)
        return self.first_pro + self.pro_step * (int(match[1]) - 1) if match else super().read(text)


RANKS = RecordedRanks()

#: By `RatingSource.written`.
SCALES: dict[str, Scale] = {"elo": Elo(), "kyu": RANKS}
