"""A table of players by the level that they play at, beside people of that level."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenmatch_lab import pages

PEOPLE = "people"  #: the row that all others are compared with


class Moves(Protocol):
    """Moves of a player that were judged."""

    @property
    def losses(self) -> NDArray[np.float64]:
        """[n] what each loses."""

    @property
    def movers(self) -> NDArray[np.int64]:
        """[n] who made people's moves in the same positions."""


M = TypeVar("M", bound=Moves)


def table(
    found: Mapping[str, Mapping[str, M]], names: Sequence[str], write: Callable[[str, M], str]
) -> list[str]:
    """Write what ``write(name, moves)`` says of players ``names`` by the levels of ``found``.

    In square brackets of how many positions, where not all are judged yet.
    """
    heads = []
    for label, rows in found.items():
        movers = rows[PEOPLE].movers
        heads.append(f"{label}: {len(movers)} positions of {len(np.unique(movers))} people")
    lines = []
    for name in names:
        cells = []
        for rows in found.values():
            own, all_of_them = rows.get(name), len(rows[PEOPLE].losses)
            cells.append(write(name, own) if own else "")
            if own and len(own.losses) < all_of_them:
                cells[-1] += f" [{len(own.losses)}]"
        lines.append([name, *cells])
    return [pages.table(["", *heads], lines)]
