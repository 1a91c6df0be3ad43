"""``evenmatch estimate``: how strong the players of recorded games are."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from evenmatch.domains import DOMAINS, SOURCES, RatingSource, domain_of, game_of_files
from evenmatch.errors import EvenmatchError, RecordError, UsageError, quoted
from evenmatch.estimation import Estimate, PlayerGame
from evenmatch.estimation.estimator_files import Fitted, shipped_fitted
from evenmatch.estimation.running import RunningEstimates, Tally, folded
from evenmatch.frontends import console
from evenmatch.frontends.console import counted
from evenmatch.frontends.progress_bars import Line
from evenmatch.games import get_game
from evenmatch.network.imported import as_artifact
from evenmatch.ratings.ranks import Ranks
from evenmatch.ratings.scale import SCALES
from evenmatch.records.form import form_of
from evenmatch.records.record import NAMELESS, Fault, GameRecord, Reason, Speed
from evenmatch.records.streams import STANDARD_INPUT

BATCH = 64  # sides rated at once
SHOWN = 20  # players in the table
SUGGESTED = 3  # names
DEFAULT = "chess"  # the game of files whose names tell none
OURS = "evenmatch"  # whose ratings are Lichess's
RATED = " or ".join(domain.game for domain in DOMAINS.values() if domain.sources)
FIT_ONE = (
    "make one from a dataset, `evenmatch network fit DATASET --out FOLDER`, and name it: "
    "--fitted FOLDER"
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What estimates are asked for by."""

    player: str | None = None  #: whose; None: everybody's
    scale: str | None = None  #: None: those that the game has in front
    game: str | None = None  #: None: what the names of the files tell
    maia: Path | None = None  #: folder of networks that are heard, too
    fitted: Path | None = None  #: folder of estimators; None: those that come with evenmatch
    net: Path | None = None  #: the network that those were fitted to


def estimate(files: Sequence[str], asked: Asked, as_json: bool) -> None:
    """Rate the players of files of games, or one of them, by their moves."""
    game = game_asked(files, asked)
    weights = maia_weights(asked.maia, game) if asked.maia else []
    fitted, scales = estimators_asked(game, asked)
    methods = [fitted.method(scale, game, weights) for scale in scales]
    estimates = RunningEstimates(fitted.scorer(scales, game, weights), methods)
    reader, wanted = EstimateReader(game, scales), Wanted(asked.player)
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
    told = [on_scale(estimates, number, scale) for number, scale in enumerate(scales)]
    if not told[0].rows:
        raise reader.ended or UsageError(reader.only_other_sizes or _nobody(wanted, estimates))
    if as_json:
        facts = [one.facts for one in told]
        console.print_json(facts[0] if len(facts) == 1 else {"game": game, "scales": facts})
    else:
        _print(told, unknown_scale=bool(reader.raters[""]))
    if reader.ended is not None:
        raise reader.ended


def game_asked(files: Sequence[str], asked: Asked) -> str:
    """Return the game that the options or the names of the files tell; UsageError if two."""
    named = [game_of_files([Path(file)]) for file in files if file != STANDARD_INPUT]
    games = list(dict.fromkeys(filter(None, named)))
    if len(games) > 1:
        raise UsageError(f"these are files of {' and of '.join(games)}; give those of one game")
    known = SOURCES.get(asked.scale or "")
    if asked.game is not None:
        return get_game(asked.game).id
    if known is not None and games and known[0].game != games[0]:
        fits = _listed(domain_of(games[0]).scales)
        raise UsageError(f"{asked.scale} is no scale of {games[0]}; choose {fits}, or other files")
    return games[0] if games else known[0].game if known is not None else DEFAULT


def estimators_asked(game: str, asked: Asked) -> tuple[Fitted, list[str]]:
    """Return where the estimators are, and the rating scales; UsageError if there are none."""
    if asked.fitted is None:
        if asked.net is not None:
            raise UsageError("--net goes with --fitted, the folder of what was fitted to it")
        fitted = shipped_fitted(game)
        sources = [one for one in domain_of(game).sources if one.ships]
        sources = [one for one in sources if one.listening or asked.maia is None]
        known = [one.name for one in sources]
        usual = [one.name for one in sources if not one.on_request]
    else:
        if not asked.fitted.is_dir():
            raise UsageError(f"there is no folder {asked.fitted}; check --fitted")
        fitted = Fitted(asked.fitted, asked.net or shipped_fitted(game).network)
        usual = known = fitted.scales(game)
    if not known and asked.fitted is None:
        raise UsageError(f"nobody's level at {game} can be told from moves; give games of {RATED}")
    if not known:
        raise UsageError(f"no estimator of {game} is in {asked.fitted}; {FIT_ONE}")
    if asked.scale is None:
        return fitted, usual
    if asked.scale not in known:
        if asked.scale in domain_of(game).scales:
            where = f"is in {asked.fitted}" if asked.fitted else "comes with evenmatch"
            raise UsageError(f"no estimator of {asked.scale} {where}; {FIT_ONE}")
        raise UsageError(f"no rating scale {quoted(asked.scale)}; choose one of: {_listed(known)}")
    return fitted, [asked.scale]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def maia_weights(folder: Path, game: str) -> list[Path]:
    """Return the networks in a folder that a game's estimators may hear, as artifacts.

    UsageError names one that is missing. Leela's format is read too.
    """
    heard, weights = domain_of(game).heard, []
    if not heard:
        raise UsageError(f"no estimator of {game} hears other networks; leave --maia out")
    for name in heard:
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

    def others(self) -> str:
        """Return names that are not wanted, the nearest in front, and how many more there are."""
        names = sorted(filter(None, self._others.values()), key=str.casefold)
        shown = list(dict.fromkeys([*self.nearest(), *names]))[:SUGGESTED]
        more = len(names) - len(shown)
        return ", ".join(map(quoted, shown)) + (f" and {more:,} more" if more else "")


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


def scale_of_server(game: str, server: str) -> RatingSource | None:
    """Return the scale of a server's ratings if an estimator of it comes with evenmatch."""
    sources = domain_of(game).sources
    return next((one for one in sources if one.ships and server in one.servers), None)


def _from_to(source: RatingSource) -> str:
    """Say which ratings of a scale are told, where it has ranks of its own."""
    if source.ranks is None:
        return ""
    lowest, width, count = source.ranks
    write = SCALES[source.written].write
    return f", from {write(lowest)} to {write(lowest + width * count)},"


class EstimateReader:
    """Reads the games of files, and notes what is odd about them."""

    def __init__(self, game: str, scales: Sequence[str]):
        """The ratings that are estimated are of ``scales``."""
        self._sources = [domain_of(game).source(scale) for scale in scales]
        self._form = form_of(game)
        self.ended: EvenmatchError | None = None  #: why not all was read; what was is rated
        self.raters: Counter[str] = Counter()  #: games that tell ratings, by whose they are
        self._left_out: list[Fault] = []
        self._speeds: Counter[Speed] = Counter()
        self._known: set[int] = set()  # hashes of the games
        self._again = 0
        self._handicaps = 0

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
        self._handicaps += self._form.has_handicap(record.start)
        if record.ratings != (None, None):
            self.raters[rater(record)] += 1

    @property
    def only_other_sizes(self) -> str:
        """Why nobody can be rated if all games are on boards of another size, else empty."""
        sized = self._left_out and all(x.reason == Reason.other_size for x in self._left_out)
        size = f"{self._form.game.height}x{self._form.game.width}"
        return f"no game is on {size}; give games that are" if sized and not self._known else ""

    def tell(self) -> None:
        """Say what was left out, and which games are of another speed or scale."""
        for text in self.notes():
            console.note(text)

    def notes(self) -> Iterator[str]:
        """Yield what was left out, and which games are of another speed or scale."""
        sized = sum(fault.reason == Reason.other_size for fault in self._left_out)
        unread = [fault for fault in self._left_out if fault.reason != Reason.other_size]
        if unread:
            games, such = counted(len(unread), "game"), ":" if len(unread) == 1 else ", such as"
            yield f"Skipped {games} that could not be read{such} {unread[0]}"
        if sized:
            yield f"Skipped {counted(sized, 'game')} on boards of another size."
        if self._handicaps:
            verb = "has" if self._handicaps == 1 else "have"
            yield (
                f"{counted(self._handicaps, 'game')} {verb} handicap stones. The moves count like "
                "those of even games."
            )
        if self._again:
            verb = "was" if self._again == 1 else "were"
            yield f"{counted(self._again, 'game')} {verb} given twice. Each counts once."
        for source in self._sources:
            yield from self._about_speeds(source)
        scales = " and ".join(source.name for source in self._sources)
        known = {server for source in self._sources for server in source.servers}
        for name, count in self.raters.items():
            if name and name not in known:
                noun = "scale" if len(self._sources) == 1 else "scales"
                theirs = scale_of_server(self._form.game.id, name)
                instead = ""
                if theirs is not None:
                    reach = _from_to(theirs)
                    instead = f" For estimates on theirs{reach} add --scale {theirs.name}."
                yield (
                    f"The ratings in {counted(count, 'game')} are on the scale of {name}. Do not "
                    f"compare them with the estimates, which are on the {noun} {scales}.{instead}"
                )

    def _about_speeds(self, source: RatingSource) -> Iterator[str]:
        """Say how many games are of another speed than those of a rating scale."""
        told = Speed[source.speed] if source.speed else None
        others = sum(n for speed, n in self._speeds.items() if speed not in (told, Speed.unknown))
        if told is not None and others:
            verb = "is" if others == 1 else "are"
            yield (
                f"{counted(others, 'game')} {verb} not {told.name}. The scale {source.name} was "
                f"learned from {told.name} games only."
            )


class OnScale(NamedTuple):
    """What is told on one rating scale."""

    scale: str
    ranks: Ranks
    rows: list[dict[str, Any]]  #: of players, as JSON

    @property
    def facts(self) -> dict[str, Any]:
        """All of it as JSON."""
        ends = {"lowest": self.ranks.lowest, "highest": self.ranks.highest}
        return {"scale": self.scale, **ends, "players": self.rows}


def on_scale(estimates: RunningEstimates, number: int, scale: str) -> OnScale:
    """Return what is told on the scale of that number, who has most games in front."""
    ranks = estimates.methods[number].ranks
    by_name = estimates.estimates(number)
    rows = [_row(name, estimates.tallies[name], one, ranks) for name, one in by_name.items()]
    return OnScale(scale, ranks, sorted(rows, key=lambda row: (-row["games"], row["player"])))


def _row(name: str, tally: Tally, one: Estimate, ranks: Ranks) -> dict[str, Any]:
    """Return what is known of a player as plain data."""
    assert one.interval is not None, "the shipped method tells intervals"
    numbers = {
        "rating": round(one.rating),
        "low": round(one.interval[0]),
        "high": round(one.interval[1]),
        "rating_told": round(tally.ratings / tally.told) if tally.told else None,
    }
    words: dict[str, str | None] = {}
    if ranks.written != "elo":
        write = SCALES[ranks.written].write
        for key, word in RANK_KEYS.items():
            number = numbers[key]
            words[word] = None if number is None else write(number)
    return {"player": name, "games": tally.games, "moves": one.moves, **numbers, **words}


RANK_KEYS = {"rating": "rank", "low": "rank_low", "high": "rank_high", "rating_told": "rank_told"}
"""What a rating is called in JSON, and the rank that it is, where ratings are written as ranks."""


def _print(told: list[OnScale], unknown_scale: bool) -> None:
    """Print the players with most games, the estimates on all scales side by side."""
    rows, names = told[0].rows, [one.scale for one in told]
    noun = "scale" if len(told) == 1 else "scales"
    table = console.table(f"Ratings estimated from moves, on the {noun} {' and '.join(names)}")
    table.add_column("player")
    heads = ["rating"] if len(told) == 1 else names
    estimated = [head for name in heads for head in (name, "95% interval")]
    for name in ("games", "moves", *estimated, "in the file"):
        table.add_column(name, justify="right")
    for same in zip(*(one.rows[:SHOWN] for one in told), strict=True):
        row = same[0]
        cells = [cell for one, x in zip(told, same, strict=True) for cell in _cells(one.ranks, x)]
        write = SCALES[told[0].ranks.written].write
        table.add_row(
            Text(row["player"]),
            f"{row['games']:,}",
            f"{row['moves']:,}",
            *cells,
            write(row["rating_told"]) if row["rating_told"] else "",
        )
    console.output().print(table)
    if len(rows) > SHOWN:
        more = len(rows) - SHOWN
        verb = "is" if more == 1 else "are"
        console.tell(f"{counted(more, 'more player')} {verb} not shown. --json lists all.")
    for one in told:
        of = "" if len(told) == 1 else f" of {one.scale}"
        console.tell(f"Players outside {_reach(one.ranks)}{of} are reported at the nearest end.")
    if unknown_scale and any(row["rating_told"] for row in rows[:SHOWN]):
        console.tell(
            'The column "in the file" is on the file\'s own scale. '
            f"Compare it with the estimates only if that scale is {' or '.join(names)}."
        )


def _cells(ranks: Ranks, row: dict[str, Any]) -> tuple[str, str]:
    """Return a player's rating and interval as they are written."""
    write = SCALES[ranks.written].write
    return f"[bold]{write(row['rating'])}[/bold]", f"{write(row['low'])} to {write(row['high'])}"


def _reach(ranks: Ranks) -> str:
    """Write which ratings can be estimated."""
    if ranks.written == "elo":
        return f"{ranks.lowest} to {ranks.highest}"
    return " to ".join(SCALES[ranks.written].ends(ranks.lowest, ranks.highest))


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
