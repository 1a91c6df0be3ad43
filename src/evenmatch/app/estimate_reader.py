"""Games of files for estimates, each once; whose are wanted; what is odd about them."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from evenmatch.errors import EvenmatchError, RecordError, counted, quoted
from evenmatch.estimation import PlayerGame
from evenmatch.estimation.running import RunningEstimates, folded
from evenmatch.games.catalog import RatingSource, game_info
from evenmatch.ratings.scale import SCALES
from evenmatch.records.codec import codec_for
from evenmatch.records.record import NAMELESS, Fault, GameRecord, Reason, Speed

OURS = "evenmatch"  # whose ratings are Lichess's


def rater(record: GameRecord) -> str:
    """Return the server whose ratings a game has, by its tags; "" if unknown.

    Ratings of events that were only held on such a server (their site ends in INT, as The Week in
    Chess has it) or relayed by it are not the server's.
    """
    servers = game_info(record.game).servers
    event, site = record.event.lower(), record.site.lower()
    if event.startswith(OURS):
        return OURS
    if site.endswith(" int") or re.search(r"lichess\.org/(study|broadcast)", site):
        return ""
    place = event if site in NAMELESS else site
    return next((name for word, name in servers if word in place), "")


def scale_of_server(game: str, server: str) -> RatingSource | None:
    """Return the scale of a server's ratings if an estimator of it comes with evenmatch."""
    sources = game_info(game).sources
    return next((one for one in sources if one.ships and server in one.servers), None)


def _from_to(source: RatingSource) -> str:
    """Write the range of ratings of a scale, where it has ranks of its own."""
    if source.ranks is None:
        return ""
    lowest, width, count = source.ranks
    write = SCALES[source.written].write
    return f", from {write(lowest)} to {write(lowest + width * count)},"


def what_was_passed_over(faults: Sequence[Fault]) -> Iterator[str]:
    """Yield a sentence on games that were skipped, and one on parts of games that were."""
    for kept, said in ((False, "Skipped {} that could not be read"), (True, "Passed over {}")):
        some = [fault for fault in faults if fault.keeps_game == kept]
        if some:
            such = ":" if len(some) == 1 else ", such as"
            parts = "a part of a game" if len(some) == 1 else f"{len(some):,} parts of games"
            what = parts if kept else counted(len(some), "game")
            yield f"{said.format(what)}{such} {some[0]}"


class EstimateReader:
    """Reads the games of files, and notes what is odd about them."""

    def __init__(self, game: str, scales: Sequence[str]):
        """The ratings that are estimated are of ``scales``."""
        self._sources = [game_info(game).source(scale) for scale in scales]
        self._codec = codec_for(game)
        self.ended: EvenmatchError | None = None  #: why not all was read; what was is rated
        self.raters: Counter[str] = Counter()  #: games with ratings, by server
        self._faults: list[Fault] = []
        self._speeds: Counter[Speed] = Counter()
        self._known: set[int] = set()  # hashes of the games
        self._again = 0
        self._handicaps = 0

    def sides(self, files: Sequence[str]) -> Iterator[PlayerGame]:
        """Yield both sides of every game, of those that are there twice only once."""
        try:
            for path in files:
                for record in self._codec.games(path, self._faults.append):
                    if self._is_new(record):
                        self._note(record)
                        yield PlayerGame(record, 1)
                        yield PlayerGame(record, -1)
        except RecordError as error:
            self.ended = error

    def _is_new(self, record: GameRecord) -> bool:
        """Return whether a game was not there before, and keep it in mind."""
        facts = record.players, record.ratings, record.year, record.event, record.result
        key = hash((*facts, record.time_control, record.moves.tobytes()))
        self._again += key in self._known
        new = key not in self._known
        self._known.add(key)
        return new

    def _note(self, record: GameRecord) -> None:
        """Count the game's speed, and whose ratings it has."""
        self._speeds[record.speed] += 1
        self._handicaps += self._codec.has_handicap(record.start)
        if record.ratings != (None, None):
            self.raters[rater(record)] += 1

    @property
    def nothing_read(self) -> str:
        """Why no player can be rated, and the fix, if all games were skipped; otherwise ""."""
        skipped = [fault for fault in self._faults if not fault.keeps_game]
        if self._known or not skipped:
            return ""
        reasons = Counter(fault.reason for fault in skipped).most_common()
        if [reason for reason, _ in reasons] == [Reason.other_size]:
            game = self._codec.game
            return f"no game is on {game.height}x{game.width}; give games that are"
        if len(skipped) == 1:
            return f"no game could be read: {skipped[0]}; {reasons[0][0].fix}"
        each = ", ".join(f"{reason.text} ({count:,})" for reason, count in reasons)
        return (
            f"no game could be read, {len(skipped):,} were skipped: {each}; {reasons[0][0].fix}. "
            f"The first is {skipped[0].source}:{skipped[0].line}"
        )

    def notes(self) -> Iterator[str]:
        """Yield what was left out, and which games are of another speed or scale."""
        sized = sum(fault.reason == Reason.other_size for fault in self._faults)
        yield from what_was_passed_over(
            [fault for fault in self._faults if fault.reason != Reason.other_size]
        )
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
                theirs = scale_of_server(self._codec.game.id, name)
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
        wanted = Speed[source.speed] if source.speed else None
        others = sum(n for speed, n in self._speeds.items() if speed not in (wanted, Speed.unknown))
        if wanted is not None and others:
            verb = "is" if others == 1 else "are"
            yield (
                f"{counted(others, 'game')} {verb} not {wanted.name}. The scale {source.name} was "
                f"learned from {wanted.name} games only."
            )


# -- whose games are wanted -------------------------------------------------------------------

SUGGESTED = 3  # names


class Wanted:
    """A filter by the name of a player; it remembers the other names."""

    def __init__(self, player: str | None):
        """``player`` is one name, or None for all players."""
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


def nobody(wanted: Wanted, estimates: RunningEstimates) -> str:
    """Say why no player can be rated."""
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
