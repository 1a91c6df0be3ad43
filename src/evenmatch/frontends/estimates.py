"""``evenmatch estimate``: how strong the players of recorded games are."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from evenmatch.errors import EvenmatchError, RecordError, UsageError, quoted
from evenmatch.estimation import Estimate, PlayerGame
from evenmatch.estimation.fitted import MAIA, shipped_estimator
from evenmatch.estimation.running import RunningEstimates, Tally
from evenmatch.frontends import console
from evenmatch.frontends.progress import Line
from evenmatch.network.imported import as_artifact
from evenmatch.records.pgn import read_games
from evenmatch.records.record import Fault, GameRecord, Speed

BATCH = 64  # sides rated at once
SHOWN = 20  # players in the table
SPEEDS = {"lichess-rapid": Speed.rapid}  # that scales are of


def estimate(
    files: Sequence[Path], player: str | None, scale: str, maia: Path | None, as_json: bool
) -> None:
    """Rate the players of PGN files, or one of them, by their moves."""
    weights = maia_weights(maia) if maia else []
    estimates = RunningEstimates(shipped_estimator(scale, weights))
    reader = Reader()
    sides = reader.sides(files)
    wanted = [player] if player else None
    with Rating() as bar:
        try:
            while batch := list(islice(sides, BATCH)):
                estimates.add(batch, lambda name: wanted is None or name in wanted)
                bar.update(sum(tally.games for tally in estimates.tallies.values()))
        except KeyboardInterrupt:
            reader.ended = UsageError("interrupted; the ratings are by the games before that")
    reader.tell(scale)
    if estimates.aided:
        some = "1 move" if estimates.aided == 1 else f"{estimates.aided:,} moves"
        console.note(
            f"Left out {some} that players did not choose alone (hints, moves given or taken back)."
        )
    found = estimates.estimates()
    if reader.ended is not None and not found:
        raise reader.ended
    if not found:
        raise UsageError(_nobody(player, estimates))
    rows = [_row(name, estimates.tallies[name], one) for name, one in found.items()]
    rows.sort(key=lambda row: (-row["games"], row["player"]))
    if as_json:
        ranks = estimates.estimator.ranks
        told = {"scale": scale, "lowest": ranks.lowest, "highest": ranks.highest, "players": rows}
        console.print_json(told)
    else:
        _print(rows, scale, estimates)
    if reader.ended is not None:
        raise reader.ended


def maia_weights(folder: Path) -> list[Path]:
    """Return the networks of MAIA in a folder, as artifacts; UsageError names one that is missing.

    Leela's format is read too.
    """
    found = []
    for name in MAIA:
        here = [p for p in (folder / f"{name}.onnx", folder / f"{name}.pb.gz") if p.exists()]
        if not here:
            raise UsageError(f"no {name}.pb.gz in {folder}; download it from the Maia project")
        found.append(as_artifact(here[0]))
    return found


def _nobody(player: str | None, estimates: RunningEstimates) -> str:
    if player is None or estimates.tallies:
        return (
            "nobody to rate; give games with the players' names, in which they moved and were "
            "answered"
        )
    return f"no game of {quoted(player)}; write the name as the games do"


class Reader:
    """Reads the games of files, and notes what is odd about them."""

    def __init__(self) -> None:
        self.ended: EvenmatchError | None = None  #: why not all was read; what was is rated
        self._left_out: list[Fault] = []
        self._speeds: Counter[Speed] = Counter()
        self._known: set[int] = set()  # hashes of the games
        self._again = 0

    def sides(self, files: Sequence[Path]) -> Iterator[PlayerGame]:
        """Yield both sides of every game, of those that are there twice only once."""
        try:
            for path in files:
                for record in read_games(path, self._left_out.append):
                    if self._is_new(record):
                        self._speeds[record.speed] += 1
                        yield PlayerGame(record, 1)
                        yield PlayerGame(record, -1)
        except RecordError as error:
            self.ended = error

    def _is_new(self, record: GameRecord) -> bool:
        """Return whether a game was not there before, and keep it in mind."""
        told = record.players, record.ratings, record.year, record.event, record.result
        key = hash((*told, record.time_control, record.moves.tobytes()))
        self._again += key in self._known
        new = key not in self._known
        self._known.add(key)
        return new

    def tell(self, scale: str) -> None:
        """Say what was left out, and how many games are of another speed than the scale's."""
        if self._left_out:
            count, first = len(self._left_out), self._left_out[0]
            console.note(f"games left out that cannot be read: {count:,}, such as {first}")
        if self._again:
            console.note(f"games given twice: {self._again:,}; each is counted once")
        told = SPEEDS.get(scale)
        others = sum(n for speed, n in self._speeds.items() if speed not in (told, Speed.unknown))
        if told is not None and others:
            console.note(
                f"{others:,} games are not {told.name}; {scale} is learned from such alone"
            )


def _row(name: str, tally: Tally, one: Estimate) -> dict[str, Any]:
    """Return what is known of a player as plain data."""
    assert one.interval is not None, "the shipped method tells intervals"
    return {
        "player": name,
        "games": tally.games,
        "moves": one.moves,
        "rating": round(one.rating),
        "low": round(one.interval[0]),
        "high": round(one.interval[1]),
        "rating_told": round(tally.ratings / tally.told) if tally.told else None,
    }


def _print(rows: list[dict[str, Any]], scale: str, estimates: RunningEstimates) -> None:
    ranks = estimates.estimator.ranks
    table = console.table(f"Ratings by moves, as {scale} has them")
    table.add_column("player")
    for name in ("games", "moves", "rating", "95% sure", "in the file"):
        table.add_column(name, justify="right")
    for row in rows[:SHOWN]:
        table.add_row(
            Text(row["player"]),
            f"{row['games']:,}",
            f"{row['moves']:,}",
            f"[bold]{row['rating']}[/bold]",
            f"{row['low']} to {row['high']}",
            str(row["rating_told"] or ""),
        )
    console.output().print(table)
    if len(rows) > SHOWN:
        console.tell(f"and {len(rows) - SHOWN:,} more; --json lists all")
    console.tell(
        f"Ratings from {ranks.lowest} to {ranks.highest} can be told; who is beyond counts as at "
        "the end."
    )


class Rating(Line):
    """Tells how many sides are rated, and how fast."""

    def __init__(self) -> None:
        super().__init__(
            "rating",
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
        )

    def update(self, sides: int) -> None:
        """Show how many sides are rated."""
        self.show(note=self.counted(sides, "sides"))
