"""Ratings of the players of a file that a visitor sends, row by row while it is worked on."""

from __future__ import annotations

import asyncio
import logging
import secrets
import tempfile
from collections.abc import AsyncIterator, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from evenmatch.app.estimate import BATCH, EstimateOptions, begun, on_scale
from evenmatch.app.estimate_reader import EstimateReader
from evenmatch.errors import EvenmatchError, RecordError, UsageError, counted
from evenmatch.estimation.running import RunningEstimates, folded
from evenmatch.frontends.web.guard import WRONG, on_page
from evenmatch.frontends.web.new_game_request import NOT_PLAYED
from evenmatch.frontends.web.service import Service
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.ratings.scale import SCALES
from evenmatch.records.streams import Stream

MOST_UNPACKED = 200_000_000  #: bytes of a file that is unpacked
PIECE = 1 << 20  #: bytes read at a time
COMPRESSED = (".zst", ".gz", ".bz2")  #: endings behind that of the records


def kind_of(game_id: str, offered: Container[str]) -> str:
    """Return the id of a game that is offered; UsageError if its records cannot be read here."""
    game = get_game(game_id)
    if game.id not in offered:
        raise UsageError(NOT_PLAYED)
    if not game_info(game.id).notation:
        raise UsageError(f"there are no files of games of {game.title}; choose another game")
    return game.id


@contextmanager
def kept(data: bytes, name: str, game_id: str) -> Iterator[Path]:
    """Yield a file of what was sent; of its name no more is kept than how it is compressed."""
    if not data:
        raise UsageError("the file is empty; choose another")
    end = next((end for end in COMPRESSED if name.lower().endswith(end)), "")
    with tempfile.TemporaryDirectory(prefix="evenmatch-") as folder:
        path = Path(folder) / f"games.{game_info(game_id).notation}{end}"
        path.write_bytes(data)
        try:
            _require_small(path)
            yield path
        except RecordError as error:  # its folder is nothing to tell
            raise RecordError(str(error).replace(str(path), "the file")) from None


def _require_small(path: Path) -> None:
    """Raise UsageError where a file is much larger than what was sent."""
    left = MOST_UNPACKED
    with Stream(path) as stream:
        while left >= 0 and (data := stream.read(PIECE)):
            left -= len(data)
    if left < 0:
        raise UsageError(
            f"the file unpacks to more than {MOST_UNPACKED // 1_000_000} MB; send fewer games"
        )


LOG = logging.getLogger("evenmatch.web")
MOST_JOBS = 32  #: that are remembered
MOST_OF_ONE = 4  #: of a person; the oldest is cancelled
MOST_SIDES = 2000  #: of a file that are rated, where many people play
KEPT = 180.0  #: seconds that a file at its end is remembered if its events were not read
CANCELLED = "this file was cancelled; choose it again to rate it"
Event = tuple[str, dict[str, Any]]
LAST = ("end", "problem")


@dataclass
class Job:
    """One file. Each event is sent once, to the request that listens."""

    person: str
    data: bytes
    name: str
    game: str
    events: asyncio.Queue[Event] = field(default_factory=asyncio.Queue)
    cancelled: bool = False


class Ratings:
    """Files at work: some sides of one, then some of the next."""

    def __init__(self, service: Service):
        self._service = service
        self._most = MOST_SIDES if service.person is None else None
        self._jobs: dict[str, Job] = {}
        self._turn = asyncio.Lock()  # the file that waits longest has it next
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, person: str, data: bytes, name: str, game: str) -> str:
        """Begin to rate a person's file; return its number."""
        theirs = self._of(person)
        if len(theirs) >= MOST_OF_ONE:
            self._cancel(theirs[0])
        if len(self._jobs) >= MOST_JOBS:
            raise UsageError("many files are waiting here; try again in some minutes")
        number = secrets.token_urlsafe(16)
        job = self._jobs[number] = Job(person, data, name, game)
        task = asyncio.get_running_loop().create_task(self._work(number, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return number

    def knows(self, number: str, person: str) -> bool:
        """Whether a person sent the file of a number."""
        return number in self._jobs and self._jobs[number].person == person

    def _of(self, person: str) -> list[str]:
        return [number for number in self._jobs if self.knows(number, person)]

    def cancel(self, number: str, person: str) -> bool:
        """Stop to rate a person's file; False if there is none."""
        known = self.knows(number, person)
        if known:
            self._cancel(number)
        return known

    def cancel_all(self, person: str) -> None:
        """Stop to rate all files of a person."""
        for number in self._of(person):
            self._cancel(number)

    def _cancel(self, number: str) -> None:
        job = self._jobs.pop(number)
        job.cancelled, job.data = True, b""
        job.events.put_nowait(("problem", {"error": CANCELLED}))

    def rename(self, person: str, name: str) -> None:
        """Let a person's files be those of another name."""
        for number in self._of(person):
            self._jobs[number].person = name

    async def events(self, number: str) -> AsyncIterator[Event]:
        """Yield what happens to a file until the end."""
        job = self._jobs.get(number)
        while job is not None:
            event = await job.events.get()
            yield event
            if event[0] in LAST:
                self._jobs.pop(number, None)
                return

    async def _work(self, number: str, job: Job) -> None:
        loop = asyncio.get_running_loop()

        def tell(name: str, **told: Any) -> None:
            loop.call_soon_threadsafe(job.events.put_nowait, (name, told))

        try:
            await self._take_turns(job, _rate(job, self._most, tell))
        except EvenmatchError as error:
            tell("problem", error=on_page(str(error)))
        except Exception:
            LOG.exception("a file could not be rated")
            tell("problem", error=WRONG)
        loop.call_later(KEPT, self._jobs.pop, number, None)

    async def _take_turns(self, job: Job, work: Iterator[int]) -> None:
        """Do a file's work, and let others do some of theirs in between."""
        done: int | None = 0
        while done is not None:
            async with self._turn:
                if job.cancelled:
                    return
                done = await self._service.run(next, work, None)


def _rate(job: Job, most: int | None, tell: Any) -> Iterator[int]:
    """Read a file, judge the moves of both sides of every game, send what is known by then.

    Yields between batches, where others may have their turn, how many sides are judged.
    """
    estimates, scales = begun(job.game, EstimateOptions())
    reader = EstimateReader(job.game, scales)
    data, job.data = job.data, b""  # which may be large
    with kept(data, job.name, job.game) as path:
        del data
        found = reader.sides([str(path)])
        sides = list(islice(found, most))
        more = next(found, None) is not None
    for at in range(0, len(sides), BATCH):
        tell("progress", done=at, due=len(sides), text="judging sides")
        batch = sides[at : at + BATCH]
        estimates.add(batch)
        _tell_rows(estimates, scales, {folded(side.name) for side in batch}, tell)
        yield at
    ended = [] if reader.ended is None else [str(reader.ended).replace(str(path), "the file")]
    if ended and not sides:
        raise RecordError(*ended)
    read = f"Read {counted(len(sides) // 2, 'game')}."
    left = ["The file has more games; send the others as another file."] if more else []
    notes = [note.replace(str(path), "the file") for note in reader.notes()]
    tell("end", text=" ".join([read, *left, *notes, *ended]))


def _tell_rows(
    estimates: RunningEstimates, scales: list[str], players: set[str], tell: Any
) -> None:
    """Tell what is known of some players, by their folded names."""
    for number, scale in enumerate(scales):
        one = on_scale(estimates, number, scale)
        write = SCALES[one.ranks.written].write
        for row in (row for row in one.rows if folded(row["player"]) in players):
            told = {"player": row["player"], "games": row["games"], "moves": row["moves"]}
            ends = {name: row[name] for name in ("rating", "low", "high")}
            shown, low, high = map(write, ends.values())
            tell("row", **told, **ends, scale=scale, shown=shown, **{"from": low, "to": high})
