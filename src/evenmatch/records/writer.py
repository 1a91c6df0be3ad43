"""Datasets built from files of games: in a folder beside the target, which is renamed when whole.

Memory holds a batch of games and the tables of names, so it grows with the players, not with
the games.
"""

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import RecordError, printable
from evenmatch.files import umask
from evenmatch.games.bits import kernel
from evenmatch.records.dataset import (
    BANDS,
    GAME,
    NAMES,
    NO_PLAYER,
    NONE,
    PLAYER,
    STARTS,
    VERSION,
    Dataset,
    arrays_of,
    bands_of,
    names_of,
)
from evenmatch.records.form import GameBatch, Reader, RecordForm, form_of
from evenmatch.records.record import NAMELESS, Fault, Reason, Speed, speed_of
from evenmatch.records.splits import SALT, SHARES, split_of

AT_ONCE = 1 << 18  #: games indexed at a time
MOST_GAMES = 1 << 31  #: sides are numbered in 32 bits

BuildListener = Callable[[int, int, int, int], None]  #: (bytes done, bytes in all, games, left out)


def build(
    files: Sequence[str | Path],
    out: str | Path,
    *,
    game: str = "chess",
    shares: Sequence[int] = SHARES,
    salt: str = SALT,
    speed: Speed | None = None,
    listener: BuildListener | None = None,
) -> Dataset:
    """Build a dataset of the games of files in the folder ``out``, and open it.

    ``game`` is the id of their game, whose domain knows the format: PGN for chess. ``out`` is there
    when it is whole, and not before. ``shares`` and ``salt`` draw the split of players, see
    splits.py; with a ``speed`` only games of that speed are kept. Raises RecordError if ``out``
    exists already or cannot be written, a file cannot be read, or no game is left.
    """
    out = Path(out)
    try:
        form = form_of(game)
        return _built(form, out, [Path(file) for file in files], shares, salt, speed, listener)
    except OSError as error:
        raise RecordError(
            f"cannot write {out} ({error.strerror or error}); make room or choose another folder"
        ) from None


def _built(
    form: RecordForm,
    out: Path,
    files: Sequence[Path],
    shares: Sequence[int],
    salt: str,
    speed: Speed | None,
    listener: BuildListener | None,
) -> Dataset:
    """Build beside ``out``, then rename."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise RecordError(f"{out} exists already; delete it or choose another folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}-"))
    try:
        with _Writer(form, partial, speed) as writer:
            _read_all(writer, files, listener)
            writer.finish(shares, salt)
        os.chmod(partial, 0o777 & ~umask())  # mkdtemp makes it private
        os.replace(partial, out)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return Dataset.open(out)


def _read_all(writer: "_Writer", files: Sequence[Path], listener: BuildListener | None) -> None:
    """Add the games of all files; files that are not there are refused before any is read.

    Of several files one that is damaged counts as skipped, and the others are read.
    """
    sizes = [writer.form.size(file) for file in files]
    for k, file in enumerate(files):
        try:
            _read_one(writer, file, sum(sizes[:k]), sum(sizes), listener)
        except RecordError as error:
            if len(files) == 1:
                raise
            writer.skip(Fault(str(file), 1, Reason.unreadable_file, str(error)))


def _read_one(
    writer: "_Writer", file: Path, before: int, due: int, listener: BuildListener | None
) -> None:
    """Add the games of a file, behind as many bytes of others; RecordError if it is damaged."""
    with writer.form.reader(file) as reader:
        writer.begin_source(reader)
        try:
            for batch in reader.batches(writer.skip):
                writer.add(batch)
                if listener:
                    done = before + reader.stream.done
                    listener(done, due, writer.games, sum(writer.skipped.values()))
        finally:
            writer.end_source(reader)


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
            number = NO_PLAYER if text in nameless else self._of_text.get(text)
            if number is None:
                number = self._of_text[text] = len(self.texts)
                self.texts.append(text)
            self._of_bytes[raw] = number
        return number


class _Writer:
    """The files of a dataset while they grow; a context manager."""

    def __init__(self, form: RecordForm, folder: Path, speed: Speed | None = None):
        self.form, self.folder, self._only = form, folder, speed
        self._kinds = arrays_of(form)
        self.other_speeds = 0  #: games left out for theirs
        self.games = 0
        self.skipped: Counter[str] = Counter()  #: reason -> games
        self._sizes = dict.fromkeys(self._kinds, 0)
        self._names = {name: _Names() for name in names_of(form)}
        self._speeds: dict[tuple[bytes, bytes], Speed] = {}
        self._sources: list[dict[str, Any]] = []
        grown = ("games", "moves", "evals", "clocks", *([STARTS] if form.has_starts else []))
        self._files = {name: (folder / f"{name}.bin").open("wb") for name in grown}
        self._skips = (folder / "skipped.tsv").open("w", encoding="utf-8")

    def __enter__(self) -> "_Writer":
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
        """Note a game that is left out."""
        self.skipped[fault.reason.name] += 1
        word = printable(fault.word)  # a tab or an end of line would be another column or row
        print(fault.source, fault.line, fault.reason.name, word, sep="\t", file=self._skips)

    def _append(self, name: str, values: NDArray[Any]) -> None:
        values.astype(self._kinds[name], copy=False).tofile(self._files[name])
        self._sizes[name] += len(values)

    def add(self, batch: GameBatch) -> None:
        """Add the games of a batch that have no fault, and the speed asked for."""
        fine = batch.reasons == 0
        speeds = self._speeds_of(batch, fine)
        if self._only is not None:
            wanted = speeds == self._only
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
            games[name] = self._add_told(name, values, fine, lengths)
        games["ratings"] = np.maximum(batch.ratings[fine], 0)
        games["speed"] = speeds
        games["year"], games["result"] = batch.years[fine], batch.results[fine]
        games["line"] = np.minimum(batch.lines[fine], 2**32 - 1)
        games["source"] = len(self._sources) - 1
        self._add_names(batch, fine, games)
        self.games += len(games)
        if self.games > MOST_GAMES:
            raise RecordError(f"more than {MOST_GAMES} games; build several datasets")
        self._append("games", games)

    def _add_told(
        self, name: str, values: NDArray[Any], fine: NDArray[np.bool_], lengths: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Append the evals or clocks of games that have any; return where each one's begin."""
        told = np.append(0, np.cumsum(values != NONE[name]))
        ends = np.cumsum(lengths)
        has = fine & (told[ends] > told[ends - lengths])
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
        if self.form.has_starts:
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

    # -- the end -------------------------------------------------------------------------------

    def finish(self, shares: Sequence[int], salt: str) -> None:
        """Write the tables and indexes. Raises RecordError if there is no game."""
        if self.games == 0:
            some = f"{self._only.name} " if self._only is not None else ""
            reasons = [f"{Reason[name].text} {count:,}" for name, count in self.skipped.items()]
            left = f" (skipped: {', '.join(reasons)})" if reasons else ""
            raise RecordError(f"no {some}game is left of these files{left}; name files with some")
        self.__exit__()
        for name, names in self._names.items():
            text = "".join(f"{text}\n" for text in names.texts)
            (self.folder / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")
        games = np.memmap(self.folder / "games.bin", GAME, "r").view(np.ndarray)
        players = self._index_players(games, shares, salt)
        cells = self._index_cells(games)
        splits = {"shares": list(shares), "salt": salt}
        facts = {
            "version": VERSION,
            "game": self.form.game.id,
            "move_order": self.form.fingerprint(),
            "sizes": self._sizes,
            "sources": self._sources,
            "skipped": {r.name: self.skipped[r.name] for r in Reason if self.skipped[r.name]},
            "speed": None if self._only is None else self._only.name,
            "other_speeds": self.other_speeds,
            "split": splits,
            "named_sides": int(players["sides"].sum()),
            "cells": cells.tolist(),
        }
        path = self.folder / "dataset.json"
        path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")

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
    """Put sides, counted from ``first``, behind those of the same key; -1 is no key."""
    for i in range(len(keys)):
        if keys[i] >= 0:
            sides[ends[keys[i]]] = first + i
            ends[keys[i]] += 1


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
