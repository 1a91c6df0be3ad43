"""``evenmatch estimate``: how strong the players of recorded games are."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from evenmatch.domains import SOURCES, domain_of
from evenmatch.errors import EvenmatchError, RecordError, UsageError, quoted
from evenmatch.estimation import Estimate, PlayerGame
from evenmatch.estimation.estimator_files import MAIA, shipped_estimator
from evenmatch.estimation.running import RunningEstimates, Tally, folded
from evenmatch.frontends import console
from evenmatch.frontends.console import counted
from evenmatch.frontends.progress_bars import Line
from evenmatch.network.imported import as_artifact
from evenmatch.ratings.scale import SCALES
from evenmatch.records.form import form_of
from evenmatch.records.record import NAMELESS, Fault, GameRecord, Speed

BATCH = 64  # sides rated at once
SHOWN = 20  # players in the table
SUGGESTED = 3  # names
OURS = "evenmatch"  # whose ratings are Lichess's


def estimate(
    files: Sequence[str], player: str | None, scale: str, maia: Path | None, as_json: bool
) -> None:
    """Rate the players of files of games, or one of them, by their moves."""
    weights = maia_weights(maia) if maia else []
    estimates = RunningEstimates(shipped_estimator(scale, weights))
    reader, wanted = EstimateReader(scale), Wanted(player)
    sides = reader.sides(files)
    with RatingLine() as bar:
        try:
            while batch := list(islice(sides, BATCH)):
                estimates.add(batch, wanted)
                bar.update(sum(tally.games for tally in estimates.tallies.values()))
        except KeyboardInterrupt:
            reader.ended = UsageError("interrupted; the ratings are from the games read until then")
    reader.tell()
    _tell_aided(estimates.aided)
    by_name = estimates.estimates()
    if reader.ended is not None and not by_name:
        raise reader.ended
    if not by_name:
        raise UsageError(_nobody(wanted, estimates))
    rows = [_row(name, estimates.tallies[name], one) for name, one in by_name.items()]
    rows.sort(key=lambda row: (-row["games"], row["player"]))
    if as_json:
        ranks = estimates.estimator.ranks
        told = {"scale": scale, "lowest": ranks.lowest, "highest": ranks.highest, "players": rows}
        console.print_json(told)
    else:
        _print(rows, scale, estimates, unknown_scale=bool(reader.raters[""]))
    if reader.ended is not None:
        raise reader.ended


def maia_weights(folder: Path) -> list[Path]:
    """Return the networks of MAIA in a folder, as artifacts; UsageError names one that is missing.

    Leela's format is read too.
    """
    weights = []
    for name in MAIA:
        here = [p for p in (folder / f"{name}.onnx", folder / f"{name}.pb.gz") if p.exists()]
        if not here:
            raise UsageError(f"no {name}.pb.gz in {folder}; download it from the Maia project")
        weights.append(as_artifact(here[0]))
    return weights


class Wanted:
    """Tells whose games are wanted, and remembers the names of the others."""

    def __init__(self, player: str | None):
        """``player`` is one name, or None if everybody is wanted."""
        self.player = player
        self._folded = None if player is None else folded(player)
        self._others: dict[str, str] = {}  # as the games spell them, by the folded name

    def __call__(self, name: str) -> bool:
        """Return whether a name is wanted: as it is or in another spelling of case and spaces."""
        if self._folded is None or folded(name) == self._folded:
            return True
        self._others.setdefault(folded(name), name)
        return False

    def nearest(self) -> list[str]:
        """Return the names most like the one that is wanted, at most ``SUGGESTED``.

        Those that have all words of it, in whatever order, come first.
        """
        assert self._folded is not None, "one player is wanted"
        words = set(_words(self._folded))
        same = [key for key in self._others if words and words <= set(_words(key))]
        like = difflib.get_close_matches(self._folded, self._others, SUGGESTED)
        return [self._others[key] for key in dict.fromkeys([*same, *like])][:SUGGESTED]


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", name)


def _nobody(wanted: Wanted, estimates: RunningEstimates) -> str:
    """Say why there is nobody to rate."""
    rated = "moves that were answered and that the player chose alone"
    if wanted.player is None:
        return f"no player can be rated; give games that name the players and have {rated}"
    if estimates.tallies:
        return f"{quoted(wanted.player)} cannot be rated; give games that have {rated}"
    near = [quoted(name) for name in wanted.nearest()]
    if not near:
        return f"no game of {quoted(wanted.player)}; write the name as the games do"
    names = near[0] if len(near) == 1 else f"{', '.join(near[:-1])} or {near[-1]}"
    return f"no game of {quoted(wanted.player)}; did you mean {names}?"


def _tell_aided(count: int) -> None:
    """Say how many moves do not count because players did not choose them alone."""
    if count:
        console.note(
            f"Left out {counted(count, 'move')} that players did not choose alone (hints, moves "
            "given or taken back)."
        )


def rater(record: GameRecord) -> str:
    """Return whose ratings a game tells, as far as its tags say so; else the empty string.

    Ratings of events that were only held on such a server (their site ends in INT, as The Week in
    Chess has it) or relayed by it are not the server's.
    """
    servers = domain_of(record.game).servers
    event, site = record.event.lower(), record.site.lower()
    if event.startswith(OURS):
        return OURS
    if site.endswith(" int") or re.search(r"lichess\.org/(study|broadcast)", site):
        return ""
    told = event if site in NAMELESS else site
    return next((name for word, name in servers if word in told), "")


class EstimateReader:
    """Reads the games of files, and notes what is odd about them."""

    def __init__(self, scale: str):
        """The games are those that ratings of ``scale`` are of."""
        domain, self._source = SOURCES[scale]
        self._form = form_of(domain.game)
        self.ended: EvenmatchError | None = None  #: why not all was read; what was is rated
        self.raters: Counter[str] = Counter()  #: games that tell ratings, by whose they are
        self._left_out: list[Fault] = []
        self._speeds: Counter[Speed] = Counter()
        self._known: set[int] = set()  # hashes of the games
        self._again = 0

    def sides(self, files: Sequence[str]) -> Iterator[PlayerGame]:
        """Yield both sides of every game, of those that are there twice only once."""
        try:
            for path in files:
                for record in self._form.games(path, self._left_out.append):
                    if self._is_new(record):
                        self._note(record)
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

    def _note(self, record: GameRecord) -> None:
        """Count the game's speed, and whose ratings it tells."""
        self._speeds[record.speed] += 1
        if record.ratings != (None, None):
            self.raters[rater(record)] += 1

    def tell(self) -> None:
        """Say what was left out, and which games are of another speed or scale."""
        scale = self._source.name
        if self._left_out:
            games, first = counted(len(self._left_out), "game"), self._left_out[0]
            such = ":" if len(self._left_out) == 1 else ", such as"
            console.note(f"Skipped {games} that could not be read{such} {first}")
        if self._again:
            verb = "was" if self._again == 1 else "were"
            console.note(f"{counted(self._again, 'game')} {verb} given twice. Each counts once.")
        told = Speed[self._source.speed] if self._source.speed else None
        others = sum(n for speed, n in self._speeds.items() if speed not in (told, Speed.unknown))
        if told is not None and others:
            verb = "is" if others == 1 else "are"
            console.note(
                f"{counted(others, 'game')} {verb} not {told.name}. The scale {scale} was learned "
                f"from {told.name} games only."
            )
        for name, count in self.raters.items():
            if name and name not in self._source.servers:
                console.note(
                    f"The ratings in {counted(count, 'game')} are on the scale of {name}. Do not "
                    f"compare them with the estimates, which are on the scale {scale}."
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


def _print(
    rows: list[dict[str, Any]], scale: str, estimates: RunningEstimates, unknown_scale: bool
) -> None:
    ranks, write = estimates.estimator.ranks, SCALES[SOURCES[scale][1].written].write
    table = console.table(f"Ratings estimated from moves, on the scale {scale}")
    table.add_column("player")
    for name in ("games", "moves", "rating", "95% interval", "in the file"):
        table.add_column(name, justify="right")
    for row in rows[:SHOWN]:
        table.add_row(
            Text(row["player"]),
            f"{row['games']:,}",
            f"{row['moves']:,}",
            f"[bold]{write(row['rating'])}[/bold]",
            f"{write(row['low'])} to {write(row['high'])}",
            write(row["rating_told"]) if row["rating_told"] else "",
        )
    console.output().print(table)
    if len(rows) > SHOWN:
        more = len(rows) - SHOWN
        verb = "is" if more == 1 else "are"
        console.tell(f"{counted(more, 'more player')} {verb} not shown. --json lists all.")
    console.tell(
        f"Players outside {write(ranks.lowest)} to {write(ranks.highest)} are reported at the "
        "nearest end."
    )
    if unknown_scale and any(row["rating_told"] for row in rows[:SHOWN]):
        console.tell(
            'The column "in the file" is on the file\'s own scale. '
            f"Compare it with the estimates only if that scale is {scale}."
        )


class RatingLine(Line):
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
