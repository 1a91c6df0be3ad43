"""What the record of a game that was played elsewhere told, besides its moves and its result."""

import sqlite3
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from evenmatch.records.record import NO_CLOCK, NO_EVAL, GameRecord

LONGEST = 200  #: characters of the event, the site and the time control
EVALS, CLOCKS = "<i2", "<u2"  #: of numbers as bytes


@dataclass(frozen=True, kw_only=True)
class RecordFacts:
    """What a record told. Numbers of plies are bytes, and none where the record had none."""

    event: str = ""
    site: str = ""
    date: str = ""  #: such as 2022-03-14, 2022-03, or 2022
    time_control: str = ""  #: as written
    first_rating: int | None = None  #: of who moves first by the rules, such as Black at Go
    second_rating: int | None = None
    evals: bytes = b""
    clocks: bytes = b""

    @classmethod
    def of(cls, record: GameRecord, first: int) -> "RecordFacts":
        """Return what a record told; ``first`` is the side, 1 or -1, that began the game."""
        ratings = record.ratings[::first]
        return cls(
            event=record.event[:LONGEST],
            site=record.site[:LONGEST],
            date=record.known_date,
            time_control=record.time_control[:LONGEST],
            first_rating=ratings[0],
            second_rating=ratings[1],
            evals=b"" if record.evals is None else record.evals.astype(EVALS).tobytes(),
            clocks=b"" if record.clocks is None else record.clocks.astype(CLOCKS).tobytes(),
        )

    def filled_by(self, other: "RecordFacts") -> "RecordFacts":
        """Return it with what the other tells where this tells nothing, or less of the date."""
        filled = {name: getattr(self, name) or getattr(other, name) for name in NAMES}
        if other.date.startswith(self.date):
            filled["date"] = other.date
        return RecordFacts(**filled)

    def sound(self, plies: int) -> bool:
        """Tell whether it can be that of a game of so many plies."""
        texts = (self.event, self.site, self.date, self.time_control)
        ratings = (self.first_rating, self.second_rating)
        lengths = (0, 2 * plies)
        return (
            all(type(text) is str for text in texts)
            and all(rating is None or type(rating) is int for rating in ratings)
            and all(type(x) is bytes and len(x) in lengths for x in (self.evals, self.clocks))
        )

    @property
    def ply_evals(self) -> NDArray[np.int16] | None:
        """[plies] as `GameRecord.evals`."""
        return np.frombuffer(self.evals, EVALS).astype(np.int16) if self.evals else None

    @property
    def ply_clocks(self) -> NDArray[np.uint16] | None:
        """[plies] as `GameRecord.clocks`."""
        return np.frombuffer(self.clocks, CLOCKS).astype(np.uint16) if self.clocks else None

    def facts(self) -> dict[str, object]:
        """Return it as plain data; what is missing of a ply is None."""
        return {
            "event": self.event,
            "site": self.site,
            "date": self.date,
            "time_control": self.time_control,
            "ratings": [self.first_rating, self.second_rating],
            "evals": _numbers(self.ply_evals, NO_EVAL),
            "clocks": _numbers(self.ply_clocks, NO_CLOCK),
        }


NAMES = tuple(RecordFacts.__dataclass_fields__)


def _numbers(values: NDArray | None, none: int) -> list[int | None]:
    if values is None:
        return []
    return [None if value == none else value for value in values.tolist()]


def write(connection: sqlite3.Connection, row: int, told: RecordFacts) -> None:
    """Keep what the record of a game told, in place of what was kept of it."""
    places = ", ".join("?" * (1 + len(NAMES)))
    connection.execute(
        f"INSERT OR REPLACE INTO told (game, {', '.join(NAMES)}) VALUES ({places})",
        (row, *astuple(told)),
    )


def read(connection: sqlite3.Connection, row: int) -> RecordFacts | None:
    """Return what the record of a game told; None if that was not kept."""
    question = f"SELECT {', '.join(NAMES)} FROM told WHERE game = ?"
    found = connection.execute(question, (row,)).fetchone()
    return None if found is None else RecordFacts(**dict(found))
