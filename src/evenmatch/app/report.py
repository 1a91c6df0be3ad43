"""A person's report: level, scores and mistakes in each game, as data, words and tables.

Front ends draw it: the terminal, an HTML page, JSON.
"""

import shlex
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evenmatch.app.game_words import (
    against,
    how_ended,
    moves_of,
    no_level_yet,
    results_hint,
    shown_level,
)
from evenmatch.app.move_review import MyLosses, PlainTable
from evenmatch.errors import NetworkError, UsageError, counted
from evenmatch.games import GAMES, get_game
from evenmatch.games.catalog import game_info, game_of_files
from evenmatch.opponents.rating_range import likened, supported_range
from evenmatch.play.saved import YOU
from evenmatch.profiles import Finished, Profile
from evenmatch.profiles.export import TEXTS, as_dict, date_of, since
from evenmatch.profiles.games import Games
from evenmatch.profiles.levels import Level, is_set_aside
from evenmatch.profiles.people import json_of, named
from evenmatch.profiles.raters import LADDER, scale_of
from evenmatch.progress import Progress, no_progress
from evenmatch.ratings.scale import SCALES

OTHERS = 3  #: people that are named to whom has no games
SHOWN = 8  #: games and opponents in the lists
RESULTS = {1: "won", 0: "drawn", -1: "lost"}
#: Rating scales in words.
ON_SCALE = {
    "lichess-rapid": "on the scale of Lichess rapid",
    "ogs": "on the scale of OGS",
    LADDER: "on the scale of evenmatch's own players",
}
NOT_COUNTED = ", does not count"
JSON = (".json", ".jsonl")
Showing = Callable[[], AbstractContextManager[Progress]]


@dataclass(frozen=True)
class GameReport:
    """A person's games of one kind, in order, and their level after each that is evidence."""

    kind: str
    games: list[Finished]
    history: list[Level]
    now: Level | None  #: at the present day
    kept: Games
    searching: Showing = no_progress  #: entered while a search runs

    @cached_property
    def losses(self) -> MyLosses:
        """What the person's moves gave up."""
        level = None if self.now is None or self.now.missing else self.now
        return MyLosses(self.games, level, self.kept, self.searching)


def person_of(name: str | None) -> str:
    """Return the person that --name names, you by default; UsageError for an invalid name."""
    return YOU if name is None else named(name)


def reports(
    profile: Profile,
    person: str,
    game: str | None = None,
    judging: Showing = no_progress,
    searching: Showing = no_progress,
    max_new: int | None = None,
) -> list[GameReport]:
    """Return what is known of a person in each game, or in one, that they finished games of.

    ``judging`` is entered while games are judged for the level, ``searching`` while mistakes are
    searched for. ``max_new`` is the number of games that are judged for the first time, by default
    all.
    """
    found = []
    for kind in [get_game(game).id] if game else list(GAMES):
        if games := profile.games.finished(person, kind):
            with judging() as progress:
                history = profile.levels.history(
                    person, kind, progress, max_new=max_new, games=games
                )
            known = [level for level in history if not level.missing]
            now = profile.levels.now(person, kind, max_new=max_new, games=games)
            found.append(GameReport(kind, games, known, now, profile.games, searching))
    return found


def no_games(profile: Profile, name: str | None, game: str | None) -> str:
    """Return the message that no games were found; it names people who have some."""
    of = f" of {get_game(game).title}" if game else ""
    who = "you have" if name is None else f"{name} has"
    others = [
        other for other in profile.people.names() if other != YOU and profile.games.tallies(other)
    ]
    whose = " or ".join(f"--name {shlex.quote(other)}" for other in others[:OTHERS])
    hint = f"; games of others: {whose}" if name is None and others else ""
    return f"{who} finished no game{of} yet; play one: evenmatch play {game or 'GAME'}{hint}"


# -- in words and tables --------------------------------------------------------------------------


def tables_of(one: GameReport) -> tuple[list[PlainTable], str]:
    """Return the tables of a report that have rows, and a note on the moves."""
    tables = [scores(one), latest(one)]
    try:
        tables.append(one.losses.rows())
        note = one.losses.parts_text()
    except NetworkError as error:
        note = f"Your moves cannot be judged: {error}."
    return [table for table in tables if table.rows], note


def level_text(one: GameReport) -> str:
    """Say what the level is, with its interval; the text begins with `level_head`."""
    title = get_game(one.kind).title
    if one.now is None:
        if scale_of(one.kind) is not None:
            return "No game is evidence of your level yet."
        return f"No level: evenmatch knows no rated people of {title} to compare you with."
    last, write = one.now, writer_of(one.kind)
    if not last.games:
        return f"{write(last.rating)}, as you reported. No game is evidence of your level yet."
    if last.missing:
        return no_level_yet(last)
    sure = last.scale == LADDER and not last.provisional
    like = likened(one.kind, last.rating) if sure else ""
    first = since(one.games)
    return (
        f"{shown_level(one.kind, last)} ({write(last.low)} to {write(last.high)} with 95%) "
        f"today {ON_SCALE.get(last.scale, last.scale)}, from {counted(last.games, 'game')}"
        f"{first and f' since {first}'}{like and ': '}{like}.{_of_results(one.kind, last)}"
    )


def level_head(one: GameReport) -> str:
    """Return the level as people read it, empty if none may be shown."""
    last = one.now
    if last is None or last.missing:
        return ""
    return shown_level(one.kind, last)


def _of_results(kind: str, level: Level) -> str:
    """Say how results would count, where none does and programs alone made the scale."""
    if not (hint := results_hint(level)):
        return ""
    if level.provisional:
        return f" {hint}."
    low, high = supported_range(kind)
    rating = min(max(round(level.rating), low), high)
    return f" {hint}, as in `evenmatch play {kind} --elo {rating:.0f}`."


def met(games: list[Finished]) -> list[tuple[str, Counter[int]]]:
    """Return the opponents, those met most in front, each with how often a result occurred."""
    found: dict[str, Counter[int]] = {}
    for game in games:
        found.setdefault(against(game), Counter())[game.outcome.result] += 1
    return sorted(found.items(), key=lambda item: -item[1].total())


def scores(one: GameReport) -> PlainTable:
    """Return the scores against each opponent, those met most in front."""
    most = met(one.games)
    if rest := most[SHOWN:]:
        together = sum((counts for _, counts in rest), Counter())
        most = [*most[:SHOWN], (f"{len(rest)} others", together)]
    rows = [
        [name, *map(str, (counts.total(), counts[1], counts[0], counts[-1]))]
        for name, counts in most
    ]
    return PlainTable("", ("against", "games", "won", "drawn", "lost"), rows)


def latest(one: GameReport) -> PlainTable:
    """Return the latest games."""
    rows = [
        [
            date_of(game) or "?",
            against(game),
            RESULTS[game.outcome.result] + NOT_COUNTED * is_set_aside(game),
            str(moves_of(game)),
            how_ended(game),
        ]
        for game in one.games[-SHOWN:][::-1]
    ]
    return PlainTable("", ("latest games", "against", "you", "moves", "how"), rows)


def writer_of(kind: str) -> Callable[[float], str]:
    """Return what writes ratings of a game."""
    return SCALES[game_info(kind).written].write


# -- as JSON --------------------------------------------------------------------------------------


def facts_of(one: GameReport) -> dict[str, Any]:
    """Return a report as plain data."""
    missing = 0 if one.now is None else one.now.missing
    return {
        "game": one.kind,
        "level": None if one.now is None or missing else _level_facts(one.now),
        "moves_missing": missing,
        "history": list(map(_level_facts, one.history)),
        "losses": one.losses.facts(),
        "played": [as_dict(game) for game in one.games],
    }


def _level_facts(level: Level) -> dict[str, Any]:
    return {
        "scale": level.scale,
        "rating": round(level.rating),
        "low": round(level.low),
        "high": round(level.high),
        "provisional": level.provisional,
        "games": level.games,
        "when": level.date or None,
    }


# -- games in files -------------------------------------------------------------------------------


def export(
    profile: Profile, name: str | None, game: str | None, out: Path | None
) -> tuple[str, str]:
    """Return a person's finished games in the notation of a file, and a sentence on them.

    Where no game is named, the text has also what they said of pairs of games. UsageError for a
    file that exists or cannot hold the games.
    """
    person = person_of(name)
    notation = "" if out is None or out.suffix.lower() in JSON else out.suffix.lower()[1:]
    kind = get_game(game).id if game else None
    if notation not in TEXTS:
        raise _unfit(out)
    games = [
        one
        for one in profile.games.finished(person, kind)
        if kind or not notation or game_info(one.saved.game).notation == notation
    ]
    guesses = [] if kind or notation else profile.guesses.of(person)
    if not games and not guesses:
        raise UsageError(no_games(profile, name, kind or _kind_of(out)))
    if notation and notation != game_info(games[0].saved.game).notation:
        raise _unfit(out)
    text = "".join(map(TEXTS[notation], games)) + "".join(map(json_of, guesses))
    if out is not None and out.exists():
        raise UsageError(f"{out} is there already; choose another name, or delete it")
    judged = f" and what was said of {counted(len(guesses), 'pair')}" if guesses else ""
    return text, f"Wrote {counted(len(games), 'game')}{judged} to {out}"


def _unfit(out: Path | None) -> UsageError:
    kinds = ".json, or .pgn for chess, .sgf for Go"
    return UsageError(f"{out} cannot hold these games; choose a name that ends in {kinds}")


def _kind_of(out: Path | None) -> str | None:
    """Return the game by a file's name, None for any."""
    return None if out is None else game_of_files([out])
