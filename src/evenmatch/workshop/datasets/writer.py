"""The files of a dataset while it is written: games, tables of names, and indexes at the end.

Memory holds a batch of games and the tables of names, so it grows with the players, not with
the games.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError, printable
from evenmatch.games.bits import kernel
from evenmatch.records.codec import GameBatch, Reader, RecordCodec
from evenmatch.records.record import NAMELESS, Fault, Reason, Speed, speed_of
from evenmatch.workshop.datasets.dataset import (
    BANDS,
    GAME,
    NAMES,
    NO_PLAYER,
    NONE,
    PLAYER,
    STARTS,
    VERSION,
    arrays_of,
    bands_of,
    names_of,
)
from evenmatch.workshop.datasets.splits import split_of

AT_ONCE = 1 << 18  #: games indexed at a time
MOST_GAMES = 1 << 31  #: sides are numbered in 32 bits
#: A table of names -> the field of a game that has their numbers.
FIELDS = {"players": "players", "events": "event", "time_controls": "time_control"}


class _Names:
    """Names numbered in order of appearance."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._of_text: dict[str, int] = {}
        self._of_bytes: dict[bytes, int] = {}

    def number(
        self, raw: bytes, text_of: Callable[[bytes], str], nameless: Sequence[str] = ()
    ) -> int:
        """Return the number of a name as it stands in a file, NO_PLAYER if it is nameless."""
        number = self._of_bytes.get(raw)
        if number is None:
            text = text_of(raw)
            number = NO_PLAYER if text in nameless else self.number_of(text)
            self._of_bytes[raw] = number
        return number

    def number_of(self, text: str) -> int:
        """Return the number of a name."""
        number = self._of_text.get(text)
        if number is None:
            number = self._of_text[text] = len(self.texts)
            self.texts.append(text)
        return number


class Part(NamedTuple):
    """What `Writer.take` needs to know of the games of another, whose folder has the rest."""

    folder: Path
    games: int
    skipped: dict[str, int]  #: reason -> games
    noted: dict[str, int]  #: reason -> faults of games that were kept
    other_speeds: int
    sources: list[dict[str, Any]]


class Writer:
    """The files of a dataset while they grow; a context manager."""

    def __init__(self, codec: RecordCodec, folder: Path, speed: Speed | None = None):
        self.codec, self.folder = codec, folder
        self.only = speed  #: the games that are kept; None: all
        self._kinds = arrays_of(codec)
        self.other_speeds = 0  #: games left out for theirs
        self.games = 0
        self.skipped: Counter[str] = Counter()  #: reason -> games
        self.noted: Counter[str] = Counter()  #: reason -> faults of games that were kept
        self._sizes = dict.fromkeys(self._kinds, 0)
        self._names = {name: _Names() for name in names_of(codec)}
        self._speeds: dict[tuple[bytes, bytes], Speed] = {}
        self._sources: list[dict[str, Any]] = []
        grown = ("games", "moves", "evals", "clocks", *([STARTS] if codec.has_starts else []))
        self._files = {name: (folder / f"{name}.bin").open("wb") for name in grown}
        self._skips = (folder / "skipped.tsv").open("w", encoding="utf-8")

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_: object) -> None:
        for file in (*self._files.values(), self._skips):
            file.close()

    def begin_source(self, reader: Reader) -> None:
        """Note the file that the next games are of."""
        self._sources.append({"file": reader.source, "bytes": reader.stream.size})

    def end_source(self, reader: Reader) -> None:
        """Note what was found in it."""
        self._sources[-1] |= {"games": reader.good, "bad_ratings": reader.bad_ratings}

    def skip(self, fault: Fault) -> None:
        """Note a game that is left out, or what was passed over in one that is kept."""
        (self.noted if fault.keeps_game else self.skipped)[fault.reason.name] += 1
        word = printable(fault.word)  # a tab or an end of line would be another column or row
        print(fault.source, fault.line, fault.reason.name, word, sep="\t", file=self._skips)

    def _append(self, name: str, values: NDArray[Any]) -> None:
        values.astype(self._kinds[name], copy=False).tofile(self._files[name])
        self._sizes[name] += len(values)

    def add(self, batch: GameBatch) -> None:
        """Add the games of a batch that have no fault, and the speed asked for."""
        fine = batch.reasons == 0
        speeds = self._speeds_of(batch, fine)
        if self.only is not None:
            wanted = speeds == self.only
            fine[fine] = wanted
            speeds = speeds[wanted]
            self.other_speeds += int(np.sum(~wanted))
        lengths = np.diff(batch.first)
        kept = np.repeat(fine, lengths)  # [M] moves
        games = np.zeros(int(fine.sum()), GAME)
        games["plies"] = lengths[fine]
        games["first"] = self._sizes["moves"] + _begins(games["plies"])
        self._append("moves", batch.choices[kept])
        for name in NONE:
            values = getattr(batch, name)[: len(kept)]
            games[name] = self._add_notes(name, values, fine, lengths)
        games["ratings"] = np.maximum(batch.ratings[fine], 0)
        games["speed"] = speeds
        games["year"], games["result"] = batch.years[fine], batch.results[fine]
        games["line"] = np.minimum(batch.lines[fine], 2**32 - 1)
        games["source"] = len(self._sources) - 1
        self._add_names(batch, fine, games)
        self._add_games(games)

    def _add_games(self, games: NDArray[Any]) -> None:
        """Append games whose names and moves are here."""
        self.games += len(games)
        if self.games > MOST_GAMES:
            raise RecordError(f"more than {MOST_GAMES} games; build several datasets")
        self._append("games", games)

    def _add_notes(
        self, name: str, values: NDArray[Any], fine: NDArray[np.bool_], lengths: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Append the evals or clocks of games that have any; return where each one's begin."""
        recorded = np.append(0, np.cumsum(values != NONE[name]))
        ends = np.cumsum(lengths)
        has = fine & (recorded[ends] > recorded[ends - lengths])
        begins = np.full(len(fine), -1, np.int64)
        begins[has] = self._sizes[name] + _begins(lengths[has])
        self._append(name, values[np.repeat(has, lengths)])
        return begins[fine]

    def _add_names(self, batch: GameBatch, fine: NDArray[np.bool_], games: NDArray[Any]) -> None:
        """Number the names of the games."""
        players, events, controls = (self._names[name] for name in NAMES)
        read = batch.text_of
        for side, field in enumerate(("first", "second")):
            games["players"][:, side] = [
                players.number(raw, read, NAMELESS) for raw in batch.texts(field, fine)
            ]
        games["event"] = [events.number(raw, read) for raw in batch.texts("event", fine)]
        raws = batch.texts("time_control", fine)
        games["time_control"] = [controls.number(raw, read) for raw in raws]
        if self.codec.has_starts:
            starts = self._names[STARTS]
            numbers = [starts.number(raw, read) for raw in batch.texts("start", fine)]
            self._append(STARTS, np.array(numbers, np.int64))

    def _speeds_of(self, batch: GameBatch, games: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Return the speeds of the games [G] chosen."""
        pairs = zip(batch.texts("event", games), batch.texts("time_control", games), strict=True)
        return np.array([self._speed(batch, *pair) for pair in pairs], np.uint8)

    def _speed(self, batch: GameBatch, event: bytes, control: bytes) -> Speed:
        speed = self._speeds.get((event, control))
        if speed is None:
            texts = batch.text_of(event), batch.text_of(control)
            speed = self._speeds[event, control] = speed_of(*texts)
        return speed

    # -- games of another writer -----------------------------------------------------------------

    def part(self) -> Part:
        """Write what is still to be written for `take`, and return what it needs to know."""
        self.__exit__()
        self._write_names()
        skipped, noted = dict(self.skipped), dict(self.noted)
        return Part(self.folder, self.games, skipped, noted, self.other_speeds, self._sources)

    def take(self, part: Part) -> None:
        """Append the games of another writer, as if they had been added here.

        Its folder is not needed any more then.
        """
        numbers = {name: self._numbers(part, name) for name in self._names}
        for some in _slices(_mapped(part.folder / "games.bin", GAME)):
            games = some.copy()
            for name in ("moves", *NONE):
                field = "first" if name == "moves" else name
                games[field] += np.where(games[field] >= 0, self._sizes[name], 0)
            games["source"] += len(self._sources)
            for name, field in FIELDS.items():
                games[field] = numbers[name][games[field]]
            self._add_games(games)
        for name in ("moves", *NONE):
            self._copy(part, name)
        if self.codec.has_starts:
            for kept in _slices(_mapped(part.folder / f"{STARTS}.bin", self._kinds[STARTS])):
                self._append(STARTS, numbers[STARTS][kept])
        with (part.folder / "skipped.tsv").open(encoding="utf-8") as skips:
            shutil.copyfileobj(skips, self._skips)
        self.skipped.update(part.skipped)
        self.noted.update(part.noted)
        self.other_speeds += part.other_speeds
        self._sources += part.sources

    def _numbers(self, part: Part, name: str) -> NDArray[np.int64]:
        """Return the numbers here of the names of a part; the last one is that of no name."""
        texts = (part.folder / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:-1]
        numbers = [self._names[name].number_of(text) for text in texts]
        return np.array([*numbers, NO_PLAYER])

    def _copy(self, part: Part, name: str) -> None:
        with (part.folder / f"{name}.bin").open("rb") as file:
            shutil.copyfileobj(file, self._files[name])
            self._sizes[name] += file.tell() // self._kinds[name].itemsize

    # -- the end -------------------------------------------------------------------------------

    def finish(self, shares: Sequence[int], salt: str) -> None:
        """Write the tables and indexes. Raises RecordError without games."""
        if self.games == 0:
            some = f"{self.only.name} " if self.only is not None else ""
            reasons = [f"{Reason[name].text} {count:,}" for name, count in self.skipped.items()]
            left = f" (skipped: {', '.join(reasons)})" if reasons else ""
            raise RecordError(f"no {some}game is left of these files{left}; name files with some")
        self.__exit__()
        self._write_names()
        games = _mapped(self.folder / "games.bin", GAME)
        players = self._index_players(games, shares, salt)
        cells = self._index_cells(games)
        splits = {"shares": list(shares), "salt": salt}
        facts = {
            "version": VERSION,
            "game": self.codec.game.id,
            "move_order": self.codec.fingerprint(),
            "sizes": self._sizes,
            "sources": self._sources,
            "skipped": {r.name: self.skipped[r.name] for r in Reason if self.skipped[r.name]},
            "noted": {r.name: self.noted[r.name] for r in Reason if self.noted[r.name]},
            "speed": None if self.only is None else self.only.name,
            "other_speeds": self.other_speeds,
            "split": splits,
            "named_sides": int(players["sides"].sum()),
            "cells": cells.tolist(),
        }
        path = self.folder / "dataset.json"
        path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")

    def _write_names(self) -> None:
        for name, names in self._names.items():
            text = "".join(f"{text}\n" for text in names.texts)
            (self.folder / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")

    def _index_players(self, games: NDArray[Any], shares: Sequence[int], salt: str) -> NDArray[Any]:
        names = self._names["players"].texts
        players = np.zeros(len(names), PLAYER)
        players["split"] = [split_of(name, shares, salt) for name in names]
        counts = np.zeros(len(names), np.int64)
        for at in range(0, len(games), AT_ONCE):
            some = games["players"][at : at + AT_ONCE].ravel()
            counts += np.bincount(some[some >= 0], minlength=len(names))
        players["sides"], players["first"] = counts, _begins(counts)
        self._place("by_player", counts, (g["players"] for g in _slices(games)))
        players.tofile(self.folder / "players.bin")
        self._sizes["players"] = len(players)
        return players

    def _index_cells(self, games: NDArray[Any]) -> NDArray[np.int64]:
        counts = np.zeros(len(Speed) * BANDS, np.int64)
        for some in _slices(games):
            counts += np.bincount(_cells(some).ravel(), minlength=len(counts))
        self._place("by_cell", counts, (_cells(some) for some in _slices(games)))
        return counts

    def _place(self, name: str, counts: NDArray[np.int64], keys: Any) -> None:
        """Write the sides in order of their keys, which come game after game."""
        size = self._sizes[name] = int(counts.sum())
        path = self.folder / f"{name}.bin"
        if size == 0:
            path.touch()
            return
        sides = np.memmap(path, self._kinds[name], "w+", shape=(size,))
        ends, first = _begins(counts), 0
        for some in keys:
            flat = np.ascontiguousarray(some, np.int64).ravel()
            place(flat, first, ends, sides.view(np.ndarray))
            first += len(flat)
        sides.flush()


@kernel
def place(keys, first, ends, sides):  # [n], the number of the first side, [keys], [sides]
    """Put sides, counted from ``first``, behind those of the same key; key -1 stands for none."""
    for i in range(len(keys)):
        if keys[i] >= 0:
            sides[ends[keys[i]]] = first + i
            ends[keys[i]] += 1


def _mapped(path: Path, kind: np.dtype) -> NDArray[Any]:
    """Return the array of a file, which is not read before it is used."""
    if not path.stat().st_size:
        return np.zeros(0, kind)
    return np.memmap(path, kind, "r").view(np.ndarray)


def _slices(games: NDArray[Any]) -> Any:
    """Yield the games, some at a time."""
    return (games[at : at + AT_ONCE] for at in range(0, len(games), AT_ONCE))


def _cells(games: NDArray[Any]) -> NDArray[np.int64]:
    """Return the cell of both sides of each game, [n, 2]."""
    return games["speed"].astype(np.int64)[:, None] * BANDS + bands_of(games["ratings"])


def _begins(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each of some runs begins when they follow each other."""
    ends = np.cumsum(counts, dtype=np.int64)
    return ends - counts
