"""Games as they are kept: how far each went, how it ended, and how that is written and read."""

import sqlite3
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError, printable
from evenmatch.games import get_game
from evenmatch.games.line import MARKS, OWN, Line
from evenmatch.opponents.rating_range import EVEN
from evenmatch.opponents.table import player_name
from evenmatch.play.saved import Saved
from evenmatch.profiles.people import person_number
from evenmatch.records.record import NO_CLOCK, NO_EVAL, GameRecord

if TYPE_CHECKING:
    from evenmatch.play.played_game import PlayedGame

MAX_TEXT = 200  #: characters of the event, the site and the time control
EVALS, CLOCKS = "<i2", "<u2"  #: of numbers as bytes
EARLIEST, LATEST = -3.1e10, 2.5e11  #: seconds since 1970 that a calendar has
MAX_INTEGER = 1 << 63
GAMES = "SELECT game.*, name FROM game JOIN person ON person.id = game.person"


class Outcome(NamedTuple):
    """How a game ended."""

    result: int  #: for the person: 1, 0 or -1
    ending: str  #: in words, such as resignation
    level: float | None = None  #: the rating that the opponent played at
    score: float | None = None  #: points by which the player who moves first leads, at Go
    counts: bool = True  #: whether the result is evidence of the person's strength

    @classmethod
    def of(cls, session: "PlayedGame") -> "Outcome":
        """Return how a game that is over ended."""
        score, end = session.score(), session.end
        return cls(
            result=session.result,
            ending=session.game.ending(session.state) if end is None else end.value[1],
            level=session.played_at,
            score=None if score is None else score.lead,
            counts=session.counts,
        )


@dataclass(frozen=True, kw_only=True)
class RecordMetadata:
    """What the record of a game from elsewhere has beyond moves and result; empty: unknown."""

    event: str = ""
    site: str = ""
    date: str = ""  #: such as 2022-03-14, 2022-03, or 2022
    time_control: str = ""  #: as written
    first_rating: int | None = None  #: of the player who moves first by the rules (Black at Go)
    second_rating: int | None = None
    evals: bytes = b""  #: int16 a ply
    clocks: bytes = b""  #: uint16 a ply

    @classmethod
    def of(cls, record: GameRecord, first: int) -> "RecordMetadata":
        """Return the metadata of a record; ``first`` is the side, 1 or -1, that began the game."""
        ratings = record.ratings[::first]
        return cls(
            event=record.event[:MAX_TEXT],
            site=record.site[:MAX_TEXT],
            date=record.known_date,
            time_control=record.time_control[:MAX_TEXT],
            first_rating=ratings[0],
            second_rating=ratings[1],
            evals=b"" if record.evals is None else record.evals.astype(EVALS).tobytes(),
            clocks=b"" if record.clocks is None else record.clocks.astype(CLOCKS).tobytes(),
        )

    def filled_by(self, other: "RecordMetadata") -> "RecordMetadata":
        """Return it with the other's values where its own are missing, or its date is shorter."""
        filled = {name: value or getattr(other, name) for name, value in vars(self).items()}
        if other.date.startswith(self.date):
            filled["date"] = other.date
        return RecordMetadata(**filled)

    @property
    def ply_evals(self) -> NDArray[np.int16] | None:
        """[plies] as `GameRecord.evals`."""
        return np.frombuffer(self.evals, EVALS).astype(np.int16) if self.evals else None

    @property
    def ply_clocks(self) -> NDArray[np.uint16] | None:
        """[plies] as `GameRecord.clocks`."""
        return np.frombuffer(self.clocks, CLOCKS).astype(np.uint16) if self.clocks else None

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data; a missing value of a ply is None."""
        return {
            "event": self.event,
            "site": self.site,
            "date": self.date,
            "time_control": self.time_control,
            "ratings": [self.first_rating, self.second_rating],
            "evals": _numbers(self.ply_evals, NO_EVAL),
            "clocks": _numbers(self.ply_clocks, NO_CLOCK),
        }


def _numbers(values: NDArray | None, none: int) -> list[int | None]:
    if values is None:
        return []
    return [None if value == none else value for value in values.tolist()]


@dataclass(frozen=True, kw_only=True)
class SavedGame:
    """A game as far as it went. Times are in seconds since 1970."""

    saved: Saved
    outcome: Outcome | None  #: None while it is unfinished
    begun: float
    ended: float  #: when the latest move was played, of an unfinished game
    imported: bool = False  #: whether it was played elsewhere; ``saved.opponent`` is a name then
    metadata: RecordMetadata | None = None  #: of an imported game
    row: int = 0  #: in the database
    name: str = ""  #: of an unfinished game: chess-2

    @cached_property
    def line(self) -> Line:
        """The positions and moves; StateError if a move is illegal."""
        rules, start = get_game(self.saved.game), self.saved.start
        line = Line(rules, rules.read_position(start) if start else None)
        for ply, action in enumerate(self.saved.actions, start=1):
            if action not in line.legal:
                raise StateError(
                    f"a game of {rules.title} that is kept has an illegal move at ply {ply}; "
                    f"delete row {self.row} of the table game in profile.sqlite"
                )
            line.push(action)
        return line

    def in_memory(self, line: Line | None) -> None:
        """Take the line of a game that is still in memory, so that it need not be replayed."""
        if line is not None:
            copy = line.first(len(self.saved.actions))  # the game at hand may change meanwhile
            if tuple(copy.actions) == self.saved.actions:
                vars(self)["line"] = copy


@dataclass(frozen=True, kw_only=True)
class Finished(SavedGame):
    """A finished game."""

    outcome: Outcome


def plays_even(game: SavedGame) -> bool:
    """Tell whether the opponent was `even`, whose level is the mean of those it played at."""
    return not game.imported and player_name(game.saved.opponent) == EVEN


def as_json(value: Saved | Outcome | RecordMetadata | None) -> str | None:
    """Return a part of a game as it is kept. The person is not in it: they may be renamed."""
    if value is None:
        return None
    if isinstance(value, Saved):
        value = replace(value, person="")
    return msgspec.json.encode(value).decode()


def name_of(row: sqlite3.Row) -> str:
    """Return the name of an unfinished game."""
    return f"{row['game_id']}-{row['number']}"


def game_of(row: sqlite3.Row) -> SavedGame:
    """Return the game of a row with the name of its person. StateError if it is damaged."""
    try:
        saved = replace(msgspec.json.decode(row["saved"], type=Saved), person=row["name"])
        parts = {
            "saved": saved,
            "begun": row["begun"],
            "ended": row["changed"] if row["ended"] is None else row["ended"],
            "imported": row["imported"] is not None,
            "row": row["id"],
        }
        if row["ended"] is None:
            game = SavedGame(outcome=None, name=name_of(row), **parts)
        else:
            metadata = row["metadata"]
            if metadata is not None:
                metadata = msgspec.json.decode(metadata, type=RecordMetadata)
            outcome = msgspec.json.decode(row["outcome"], type=Outcome)
            game = Finished(outcome=outcome, metadata=metadata, **parts)
        if _is_possible(game, row):
            return game
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        pass
    raise _damaged(row)


def _is_possible(game: SavedGame, row: sqlite3.Row) -> bool:
    """Tell whether values of the right types can be those of a game."""
    saved, plies, metadata = game.saved, len(game.saved.actions), game.metadata
    numbers = [saved.seed, saved.seen, *saved.actions, *chain(*saved.hints)]
    return (
        isinstance(saved.person, str)
        and (saved.game, saved.side) == (row["game_id"], row["side"])
        and saved.side in (1, -1)
        and all(0 <= number < MAX_INTEGER for number in numbers)
        and len(saved.marks) in (0, plies)
        and all(mark == OWN or mark in MARKS for mark in saved.marks)
        and (saved.pace or 0) >= 0
        and len(saved.clock) in (0, 4)
        and all(EARLIEST < moment < LATEST for moment in (game.begun, game.ended))
        and (game.outcome is None or game.outcome.result in (1, 0, -1))
        and (
            metadata is None
            or all(len(part) in (0, 2 * plies) for part in (metadata.evals, metadata.clocks))
        )
    )


def insert(
    connection: sqlite3.Connection,
    saved: Saved,
    begun: float,
    **columns: object,
) -> int:
    """Add a game; return its row. ``columns`` are further values."""
    columns = {
        "game_id": saved.game,
        "person": person_number(connection, saved.person),
        "side": saved.side,
        "saved": as_json(saved),
        "begun": begun,
        "changed": begun,
    } | columns
    places = ", ".join("?" * len(columns))
    sentence = f"INSERT INTO game ({', '.join(columns)}) VALUES ({places})"
    row = connection.execute(sentence, tuple(columns.values())).lastrowid
    assert row is not None
    return row


def update(connection: sqlite3.Connection, row: int | None, **columns: object) -> None:
    """Change columns of a game. StateError if it was deleted meanwhile."""
    settings = ", ".join(f"{name} = ?" for name in columns)
    sentence = f"UPDATE game SET {settings} WHERE id = ?"
    if not connection.execute(sentence, (*columns.values(), row)).rowcount:
        raise StateError("the game was deleted meanwhile")


def _damaged(row: sqlite3.Row) -> StateError:
    game_id = printable(str(row["game_id"]))
    open_ = type(row["number"]) is int
    fix = f"; delete it: evenmatch play --delete {name_of(row)}" if open_ else ""
    return StateError(f"what is kept of a game ({game_id}) is damaged{fix}")
