"""Many games as compact arrays on disk, mapped into memory: about 2 bytes a move.

A dataset is a folder:

==================  ========================================================================
``dataset.json``    sizes, sources, what was left out, the split, the order of legal moves
``games.bin``       [G] of GAME
``moves.bin``       [M] each move's place among the legal moves: uint8, uint16 for large boards
``evals.bin``       [games with evals, their moves] int16, as in GameRecord
``clocks.bin``      [games with clocks, their moves] uint16
``players.bin``     [P] of PLAYER; their names are the lines of ``players.txt``
``by_player.bin``   [sides] uint32, in order of player; a side is 2 * game + (0 first, 1 second)
``by_cell.bin``     [2 G] uint32, sides in order of speed * BANDS + band
``starts.bin``      [G] uint32, how each game begins: a line of ``starts.txt`` (Go alone)
``*.txt``           names of players, events and time controls, one a line
``skipped.tsv``     file, line, reason and word of each game left out
==================  ========================================================================

Evals and clocks, where there are any, are 2 bytes a move each on top. All numbers are
little-endian. A player is a name: that two people share one is for the source to
avoid. A side without a name (empty, or ?) has player -1 and is in no split.
"""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import RecordError, UsageError, quoted
from evenmatch.games.catalog import CATALOG
from evenmatch.records.codec import NO_STARTS, RecordCodec, Replayed, Starts, codec_for
from evenmatch.records.record import NO_CLOCK, NO_EVAL, UNKNOWN_RESULT, GameRecord, Speed
from evenmatch.workshop.datasets.splits import NO_SPLIT, SPLITS

VERSION = 1
BAND = 200  #: Elo of a band
BANDS = 21  #: band 0 is below 200 or unrated, the last is 4000 and above
NO_PLAYER = -1
GAME = np.dtype(
    [
        ("first", "<i8"),  # its first move
        ("evals", "<i8"),  # its first eval, -1 without evals
        ("clocks", "<i8"),  # its first clock, -1 without clocks
        ("players", "<i4", 2),  # who moved first, second; NO_PLAYER
        ("ratings", "<u2", 2),  # 0 if unknown
        ("event", "<u4"),
        ("time_control", "<u4"),
        ("line", "<u4"),  # where it begins in its source
        ("source", "<u2"),
        ("plies", "<u2"),
        ("year", "<i2"),  # 0 if unknown
        ("result", "i1"),  # 1, 0, -1 for the first player, UNKNOWN_RESULT
        ("speed", "u1"),
    ]
)
PLAYER = np.dtype([("first", "<i8"), ("sides", "<i4"), ("split", "u1")])  # in by_player; how many
ARRAYS = {
    "games": GAME,
    "moves": np.dtype("u1"),  # or as the codec of the game's records has choices
    "evals": np.dtype("<i2"),
    "clocks": np.dtype("<u2"),
    "players": PLAYER,
    "by_player": np.dtype("<u4"),
    "by_cell": np.dtype("<u4"),
}
NAMES = ("players", "events", "time_controls")
STARTS = "starts"  #: name of the array and of the text


class Sides(NamedTuple):
    """Halves of games: game numbers and who of the two."""

    games: NDArray[np.int64]  #: [K], increasing
    sides: NDArray[np.int8]  #: [K], 0 who moved first, 1 the other


def arrays_of(codec: RecordCodec) -> dict[str, np.dtype]:
    """Return the types of the arrays of a dataset whose records have this codec."""
    starts = {STARTS: np.dtype("<u4")} if codec.has_starts else {}
    return ARRAYS | {"moves": codec.choices} | starts


def names_of(codec: RecordCodec) -> tuple[str, ...]:
    """Return what a dataset whose records have this codec has texts of, one a line."""
    return (*NAMES, STARTS) if codec.has_starts else NAMES


def bands_of(ratings: NDArray[Any]) -> NDArray[np.int64]:
    """Return the band of each rating."""
    return np.minimum(ratings.astype(np.int64) // BAND, BANDS - 1)


class Dataset:
    """A dataset that was built before; made by :meth:`open`. G games, P players, M moves."""

    def __init__(
        self,
        folder: Path,
        facts: dict[str, Any],
        codec: RecordCodec,
        arrays: dict[str, NDArray[Any]],
    ):
        self.folder = folder
        self.codec = codec  #: how its records are replayed
        self.facts = facts  #: contents of dataset.json
        self.games = arrays["games"]  #: [G] of GAME
        self.players = arrays["players"]  #: [P] of PLAYER
        self._arrays = arrays

    @classmethod
    def open(cls, folder: str | Path) -> "Dataset":
        """Map a dataset into memory. Raises RecordError if it is missing, damaged or outdated."""
        folder = Path(folder)
        facts = _read_facts(folder)
        try:
            codec = codec_for(facts["game"])
            arrays = {
                name: _mapped(folder, name, kind, facts["sizes"][name])
                for name, kind in arrays_of(codec).items()
            }
            cells = facts["cells"]
            fits = len(cells) == len(Speed) * BANDS and sum(cells) == facts["sizes"]["by_cell"]
            fits &= all(type(count) is int and count >= 0 for count in cells)
            fits &= all((folder / f"{name}.txt").is_file() for name in names_of(codec))
            fits &= all(type(source["file"]) is str for source in facts["sources"])
            fits &= "split" in facts
        except (KeyError, TypeError, ValueError, OverflowError):
            fits = False
        if not fits:
            raise _damaged(folder)
        return cls(folder, facts, codec, arrays)

    def __len__(self) -> int:
        """G, how many games."""
        return len(self.games)

    @cached_property
    def names(self) -> list[str]:
        """[P] the names of the players."""
        names = self._lines("players")
        if len(names) != len(self.players):
            raise _damaged(self.folder)
        return names

    @cached_property
    def events(self) -> list[str]:
        """The names that ``event`` of a game numbers."""
        return self._lines("events")

    @cached_property
    def time_controls(self) -> list[str]:
        """The time controls that ``time_control`` of a game numbers."""
        return self._lines("time_controls")

    @cached_property
    def starts(self) -> list[str]:
        """How games begin, where they do not all begin alike: texts of the codec."""
        return self._lines(STARTS) if self.codec.has_starts else []

    def start(self, game: int) -> str:
        """Return how a game begins; empty: as usual."""
        if not self.codec.has_starts:
            return ""
        number = self._arrays[STARTS][game]
        self._require(number, len(self.starts))
        return self.starts[number]

    def _starts_of(self, games: NDArray[np.int64]) -> Starts:
        """Return the starts of the games [K] asked for."""
        if not self.codec.has_starts:
            return NO_STARTS
        numbers, of_request = np.unique(self._arrays[STARTS][games], return_inverse=True)
        if len(numbers) and numbers[-1] >= len(self.starts):
            raise _damaged(self.folder)
        return Starts([self.starts[number] for number in numbers], of_request)

    def _lines(self, name: str) -> list[str]:
        try:
            text = (self.folder / f"{name}.txt").read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise _damaged(self.folder) from None
        return text.split("\n")[:-1]

    # -- choosing ------------------------------------------------------------------------------

    def select(
        self,
        *,
        split: str | None = None,
        band: int | tuple[int, int] | None = None,
        speed: str | Speed | None = None,
        player: str | None = None,
        both: bool = False,
    ) -> Sides:
        """Return the sides that fit all that is given, in order of game.

        ``band`` is where a band of 200 begins, or (from, up to) any ratings, of the side's own
        rating. ``both`` asks that the opponent too is in the split. Raises UsageError.
        """
        sides = self._of_player(player) if player is not None else self._of_cells(band, speed)
        if player is not None and (band is not None or speed is not None):
            sides = np.intersect1d(sides, self._of_cells(band, speed), assume_unique=True)
        if both and split is None:
            raise UsageError("both=True asks for a split; add split='train' or another")
        if split is not None:
            sides = sides[self.of_split(sides, split)]
            if both:
                sides = sides[self.of_split(sides ^ 1, split)]
        sides = np.sort(sides)
        self._require(sides, 2 * len(self))
        return Sides(sides >> 1, (sides & 1).astype(np.int8))

    def _of_player(self, name: str) -> NDArray[np.int64]:
        try:
            row = self.players[self._numbers[name]]
        except KeyError:
            raise UsageError(
                f"no player {quoted(name)} in {self.folder}; names are in players.txt"
            ) from None
        return np.asarray(
            self._arrays["by_player"][row["first"] : row["first"] + row["sides"]], np.int64
        )

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def _of_cells(
        self, band: int | tuple[int, int] | None, speed: str | Speed | None
    ) -> NDArray[np.int64]:
        first, end = _ratings_of(band)
        low, high = first // BAND, -(-end // BAND)
        speeds = Speed if speed is None else [speed_named(speed)]
        ends = np.cumsum(self.facts["cells"])
        parts = []
        for chosen in speeds:
            cells = slice(chosen * BANDS + low, chosen * BANDS + high)
            begin = ends[cells.start] - self.facts["cells"][cells.start]
            parts.append(self._arrays["by_cell"][begin : ends[cells.stop - 1]])
        sides = np.concatenate(parts).astype(np.int64)
        self._require(sides, 2 * len(self))
        if first % BAND == end % BAND == 0:
            return sides
        ratings = self.games["ratings"][sides >> 1, sides & 1]
        return sides[(ratings >= first) & (ratings < end)]

    def of_split(self, sides: NDArray[np.int64], split: str) -> NDArray[np.bool_]:
        """Tell whether the players of sides [K], 2 * game + side, are in a split. UsageError."""
        if split not in SPLITS:
            raise UsageError(f"no split {quoted(split)}; choose one of: {', '.join(SPLITS)}")
        self._require(sides, 2 * len(self))
        players = self.games["players"][sides >> 1, sides & 1]
        self._require(players, len(self.players), NO_PLAYER)
        of_players = np.append(self.players["split"], np.uint8(NO_SPLIT))  # player -1 is the last
        return of_players[players] == SPLITS.index(split)

    # -- playing again -------------------------------------------------------------------------

    def turns(self, chosen: Sides) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the (games [K], plies [K]) in which the chosen sides were to move."""
        plies = self.games["plies"][chosen.games].astype(np.int64)
        counts = (plies - chosen.sides + 1) // 2
        begins = np.repeat(np.cumsum(counts) - counts, counts)
        steps = np.arange(counts.sum()) - begins
        return np.repeat(chosen.games, counts), 2 * steps + np.repeat(chosen.sides, counts)

    def states(self, games: ArrayLike, plies: ArrayLike) -> Replayed:
        """Return the positions [K, S] before move number ``plies`` [K] (from 0) of ``games`` [K].

        With them come the moves [K]. Asking for many plies of one game at once costs no more than
        for the last of them. Raises UsageError.
        """
        game, ply = np.asarray(games, np.int64), np.asarray(plies, np.int64)
        self._check_requests(game, ply)
        self._require_moves(game, "moves", "first")
        first, lengths = self.games["first"], self.games["plies"]
        replayed, damaged = self.codec.replay(
            game, ply, first, lengths, self._arrays["moves"], self._starts_of(game)
        )
        if damaged >= 0:
            raise _damaged(self.folder)
        return replayed

    def turns_at(
        self, games: ArrayLike, plies: ArrayLike
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return what :meth:`states` does, with actions [K] in the place of moves."""
        replayed = self.states(games, plies)
        return replayed.states, self.codec.actions(replayed.states, replayed.moves)

    def _check_requests(self, games: NDArray[np.int64], plies: NDArray[np.int64]) -> None:
        if games.ndim != 1 or games.shape != plies.shape:
            raise UsageError("games and plies are to be lists of the same length")
        if len(games) and not 0 <= games.min() <= games.max() < len(self):
            raise UsageError(f"there are games 0 to {len(self) - 1} only; ask for one of them")
        if (plies < 0).any() or (plies > self.games["plies"][games]).any():
            raise UsageError("a ply is outside its game; ask for 0 up to games['plies']")

    def record(self, game: int) -> GameRecord:
        """Return a game as it was read. Raises UsageError if there is none of that number."""
        self._check_requests(np.array([game]), np.array([0]))
        self._require_moves(np.array([game]), "moves", "first")
        row = self.games[game]
        span = slice(row["first"], row["first"] + row["plies"])
        start = self.start(game)
        moves = self.codec.moves(self._arrays["moves"][span], start)
        if moves is None:
            raise _damaged(self.folder)
        lists = {"event": self.events, "time_control": self.time_controls}
        lists["source"] = self.facts["sources"]
        for name, known in lists.items():
            self._require(row[name], len(known))
        self._require(row["players"], len(self.players), NO_PLAYER)
        self._require(row["speed"], len(Speed))
        first, second = (self.names[n] if n >= 0 else "" for n in row["players"].tolist())
        ratings = [rating or None for rating in row["ratings"].tolist()]
        return GameRecord(
            game=self.facts["game"],
            moves=moves,
            result=None if row["result"] == UNKNOWN_RESULT else int(row["result"]),
            players=(first, second),
            ratings=(ratings[0], ratings[1]),
            event=self.events[row["event"]],
            speed=Speed(row["speed"]),
            time_control=self.time_controls[row["time_control"]],
            year=int(row["year"]) or None,
            evals=self.evals(game),
            clocks=self.clocks(game),
            start=start,
            source=self.facts["sources"][row["source"]]["file"],
            line=int(row["line"]),
        )

    def evals(self, game: int) -> NDArray[np.int16] | None:
        """Return the evals [plies] of a game, None if it has none; see GameRecord."""
        return self._side_array("evals", game)

    def evals_after(self, games: NDArray[np.int64], plies: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the evals [K] after move number ``plies`` [K] (from 0) of ``games`` [K].

        NO_EVAL where there is none, as before the first move (-1).
        """
        begins = self.games["evals"][games]
        known = (begins >= 0) & (plies >= 0) & (plies < self.games["plies"][games])
        self._require_moves(games[known], "evals", "evals")
        evals = np.full(len(games), NO_EVAL, np.int16)
        evals[known] = self._arrays["evals"][begins[known] + plies[known]]
        return evals

    def clocks(self, game: int) -> NDArray[np.uint16] | None:
        """Return the clocks [plies] of a game, None if it has none; see GameRecord."""
        return self._side_array("clocks", game)

    def _side_array(self, name: str, game: int) -> NDArray[Any] | None:
        row = self.games[game]
        if row[name] < 0:
            return None
        self._require_moves(np.array([game]), name, name)
        return np.array(self._arrays[name][row[name] : row[name] + row["plies"]])

    def _require(self, numbers: ArrayLike, end: int, first: int = 0) -> None:
        """Raise RecordError if a number is not one from ``first`` up to before ``end``."""
        found = np.asarray(numbers)
        if found.size and not first <= int(found.min()) <= int(found.max()) < end:
            raise _damaged(self.folder)

    def _require_moves(self, games: NDArray[np.int64], array: str, begins: str) -> None:
        """Raise RecordError if an array does not hold the moves of ``games`` [K].

        ``begins`` is the column of where those of each game begin.
        """
        first = self.games[begins][games]
        self._require(first, len(self._arrays[array]) + 1)
        self._require(first + self.games["plies"][games], len(self._arrays[array]) + 1)

    @property
    def identity(self) -> dict[str, Any]:
        """What identifies a dataset: its game, sizes and split."""
        return {key: self.facts[key] for key in ("game", "sizes", "split")}

    @property
    def bytes_on_disk(self) -> dict[str, int]:
        """How many bytes each file has."""
        return {path.name: path.stat().st_size for path in sorted(self.folder.iterdir())}


NONE = {"evals": NO_EVAL, "clocks": NO_CLOCK}  #: what stands for a missing entry


def _ratings_of(band: int | tuple[int, int] | None) -> tuple[int, int]:
    """Return the ratings (from, up to) that a caller asked for."""
    if band is None:
        return 0, BAND * BANDS
    low, high = (band, band + BAND) if isinstance(band, int) else band
    if not 0 <= low < high <= BAND * BANDS:
        raise UsageError(
            f"no ratings from {low} up to {high}; give some from 0 up to {BAND * BANDS}"
        )
    return low, high


def speed_named(speed: str | Speed) -> Speed:
    """Return the speed of that name; UsageError lists them."""
    if isinstance(speed, Speed):
        return speed
    if speed not in Speed.__members__:
        known = ", ".join(Speed.__members__)
        raise UsageError(f"no speed {quoted(speed)}; choose one of: {known}")
    return Speed[speed]


def _read_facts(folder: Path) -> dict[str, Any]:
    """Return the contents of dataset.json. Raises RecordError if its version is another."""
    path = folder / "dataset.json"
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise RecordError(
            f"{folder} is not a dataset; build one with `evenmatch dataset build`"
        ) from None
    except (ValueError, RecursionError):
        raise _damaged(folder) from None
    if not isinstance(facts, dict):
        raise _damaged(folder)
    if facts.get("version") != VERSION:
        found = quoted(str(facts.get("version")))
        raise RecordError(
            f"{folder} has version {found}, this evenmatch reads {VERSION}; build it again"
        )
    if facts.get("game") not in list(CATALOG):
        raise RecordError(f"{folder} is of a game that is not known; update evenmatch")
    if facts.get("move_order") != codec_for(facts["game"]).fingerprint():
        raise RecordError(f"{folder} orders the legal moves in another way; build it again")
    return facts


def _mapped(folder: Path, name: str, kind: np.dtype, size: int) -> NDArray[Any]:
    """Map an array of a dataset into memory. Raises RecordError if its file does not fit."""
    path = folder / f"{name}.bin"
    if not path.is_file() or path.stat().st_size != size * kind.itemsize:
        raise _damaged(folder)
    if size == 0:
        return np.empty(0, kind)
    return np.memmap(path, kind, "r", shape=(size,)).view(np.ndarray)


def _damaged(folder: Path) -> RecordError:
    return RecordError(f"{folder} is damaged; build it again")


def scale_names(datasets: Sequence[Dataset]) -> list[str]:
    """Return the names of the folders; UsageError if two are the same."""
    names = [dataset.folder.resolve().name for dataset in datasets]
    if len(set(names)) < len(names):
        raise UsageError(
            f"two datasets are named {max(names, key=names.count)}; every one is a rating scale, "
            "so give their folders different names"
        )
    return names
