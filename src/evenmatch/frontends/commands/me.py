"""``evenmatch me``: your level in each game, your games, and what can be done with them."""

import datetime
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from evenmatch import __version__
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
from evenmatch.files import replace_file
from evenmatch.frontends import console
from evenmatch.frontends.commands import me_page
from evenmatch.frontends.progress_bars import Line, move_columns
from evenmatch.games import GAMES, get_game
from evenmatch.games.catalog import game_info
from evenmatch.players.anchors import likened
from evenmatch.players.measured import offered
from evenmatch.profiles import Finished, Profile
from evenmatch.profiles.database import OWNER_ONLY
from evenmatch.profiles.export import as_dict, date_of, since
from evenmatch.profiles.games import Games
from evenmatch.profiles.levels import Level, is_set_aside
from evenmatch.profiles.people import named
from evenmatch.profiles.raters import LADDER, scale_of
from evenmatch.progress import Progress
from evenmatch.ratings.scale import SCALES
from evenmatch.sessions.saved import YOU

CHART_ROWS, CHART_COLUMNS = 12, 48  #: games and characters of the chart, at most
LEAST_COLUMNS = 16  #: of the chart
BESIDE = 20  #: characters of a line beside the chart
OTHERS = 3  #: people that are named to whom has no games
SHOWN = 8  #: games and opponents in the lists
RESULTS = {1: "won", 0: "drawn", -1: "lost"}
NOT_COUNTED = ", does not count"


@dataclass(frozen=True)
class InGame:
    """A person's games of one kind, in order, and their level after each that tells something."""

    kind: str
    games: list[Finished]
    history: list[Level]
    now: Level | None  #: at the present day
    kept: Games

    @cached_property
    def losses(self) -> MyLosses:
        """What the person's moves gave up."""
        level = None if self.now is None or self.now.missing else self.now
        return MyLosses(self.games, level, self.kept, searching)


@contextmanager
def searching() -> Iterator[Progress]:
    """Show how far a search of a game's moves is."""
    with Line("searching your moves", *move_columns()) as line:
        yield lambda done, due: line.show(completed=done, total=due)


def show(name: str | None, game: str | None, as_json: bool, page: Path | None = None) -> None:
    """Show a person's level in each game, the games and the score against each opponent."""
    profile, person = Profile(), person_of(name)
    kinds = [get_game(game).id] if game else list(GAMES)
    known = [(kind, profile.games.finished(person, kind)) for kind in kinds]
    found = [_in_game(profile, person, kind, games) for kind, games in known if games]
    if as_json and page is not None:
        raise UsageError("--html writes a page, --json prints; choose one")
    if as_json:
        console.print_json({"name": person, "games": [_facts(one) for one in found]})
        return
    if page is not None:
        write_page(found, person, page)
        return
    if not found:
        text = no_games(profile, name, game)
        text = text if name is not None else f"{text[0].upper()}{text[1:]}"
        console.output().print(f"{text}.", markup=False, soft_wrap=True)
    for one in found:
        _print(one)


def person_of(name: str | None) -> str:
    """Return who is asked for by --name; UsageError for what is no name."""
    return YOU if name is None else named(name)


def _in_game(profile: Profile, person: str, kind: str, games: list[Finished]) -> InGame:
    with Line("judging games", *move_columns()) as line:
        history = profile.levels.history(
            person, kind, lambda done, due: line.show(completed=done, total=due)
        )
    told = [level for level in history if not level.missing]
    return InGame(kind, games, told, profile.levels.now(person, kind), profile.games)


def no_games(profile: Profile, name: str | None, game: str | None) -> str:
    """Say that there are no games, and who has some."""
    of = f" of {get_game(game).title}" if game else ""
    who = "you have" if name is None else f"{name} has"
    others = [
        other for other in profile.people.names() if other != YOU and profile.games.tallies(other)
    ]
    whose = " or ".join(f"--name {shlex.quote(other)}" for other in others[:OTHERS])
    hint = f"; games of others: {whose}" if name is None and others else ""
    return f"{who} finished no game{of} yet; play one: evenmatch play {game or 'GAME'}{hint}"


# -- as text -----------------------------------------------------------------------------------


def _print(one: InGame) -> None:
    out = console.output()
    out.print(Text(get_game(one.kind).title, style="bold"))
    out.print(level_text(one), markup=False)
    if len(one.history) > 1:
        columns = min(max(out.width - BESIDE, LEAST_COLUMNS), CHART_COLUMNS)
        out.print(chart(one.history, _writer(one.kind), columns), markup=False)
    tables, note = told_of(one)
    for table in tables:
        if table.title:
            out.print(Text(table.title, style="bold"))
        out.print(drawn(table))
    if note:
        out.print(note, markup=False)


def told_of(one: InGame) -> tuple[list[PlainTable], str]:
    """Return the tables of a game, and what is told below them."""
    tables = [scores(one), latest(one)]
    try:
        tables.append(one.losses.rows())
        note = one.losses.parts_text()
    except NetworkError as error:
        note = f"Your moves cannot be judged: {error}."
    return [table for table in tables if table.rows], note


def drawn(rows: PlainTable) -> Table:
    """Return a table for the terminal."""
    table = console.table()
    for head, right in zip(rows.heads, rows.numeric, strict=True):
        table.add_column(head, justify="right" if right else "left")
    for row in rows.rows:
        table.add_row(*map(Text, row))
    return table


def write_page(found: Sequence[InGame], person: str, path: Path) -> None:
    """Write levels and games as one HTML file. UsageError if that would replace another file."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file, such as me.html")
    if path.exists() and not me_page.is_ours(path):
        raise UsageError(f"{path} is another file; choose another name, or delete it")
    sections = []
    for one in found:
        tables, note = told_of(one)
        title = get_game(one.kind).title
        sections.append(
            me_page.section(
                title, _level_head(one), level_text(one), one.history, _writer(one.kind), tables,
                note,
            )
        )  # fmt: skip
    made = f"evenmatch {__version__}, {datetime.date.today().isoformat()}"
    name = "You" if person == YOU else person
    replace_file(path, me_page.page(name, sections, made), OWNER_ONLY)
    console.tell(f"Wrote {path}")


def level_text(one: InGame) -> str:
    """Say how strong somebody is, and how sure that is: it begins with `_level_head`."""
    title = get_game(one.kind).title
    if one.now is None:
        if scale_of(one.kind) is not None:
            return "No game tells your level yet."
        return f"No level: evenmatch knows no rated people of {title} to compare you with."
    last, write = one.now, _writer(one.kind)
    if not last.games:
        return f"{write(last.rating)}, as you said. No game tells your level yet."
    if last.missing:
        return no_level_yet(last)
    sure = last.scale == LADDER and not last.provisional
    like = likened(one.kind, last.rating) if sure else ""
    first = since(one.games)
    return (
        f"{shown_level(one.kind, last)} ({write(last.low)} to {write(last.high)} with 95%) on the "
        f"scale {last.scale} today, from {counted(last.games, 'game')}"
        f"{first and f' since {first}'}{like and ': '}{like}.{_of_results(one.kind, last)}"
    )


def _level_head(one: InGame) -> str:
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
    low, high = offered(kind)
    rating = min(max(round(level.rating), low), high)
    return f" {hint}, as in `evenmatch play {kind} --elo {rating:.0f}`."


def chart(
    history: Sequence[Level], write: Callable[[float], str], columns: int = CHART_COLUMNS
) -> str:
    """Draw the level after each of the last games, with its interval, a line a game."""
    rows = list(history)[-CHART_ROWS:]
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    step = max(high - low, 1.0) / (columns - 1)
    lines = [f"{'after game':>10}  {write(low)}{write(high):>{columns - len(write(low))}}"]
    for row in rows:
        at = [round((x - low) / step) for x in (row.low, row.rating, row.high)]
        drawn = [" "] * columns
        drawn[at[0] : at[2] + 1] = "-" * (at[2] - at[0] + 1)
        drawn[at[1]] = "o"
        lines.append(f"{row.games:>10}  {''.join(drawn)}  {write(row.rating)}")
    return "\n".join(lines)


def scores(one: InGame) -> PlainTable:
    """Return the scores against each opponent, those met most in front."""
    met: dict[str, Counter[int]] = {}
    for game in one.games:
        met.setdefault(against(game), Counter())[game.outcome.result] += 1
    most = sorted(met.items(), key=lambda item: -item[1].total())
    if rest := most[SHOWN:]:
        together = sum((counts for _, counts in rest), Counter())
        most = [*most[:SHOWN], (f"{len(rest)} others", together)]
    rows = [
        [name, *map(str, (counts.total(), counts[1], counts[0], counts[-1]))]
        for name, counts in most
    ]
    return PlainTable("", ("against", "games", "won", "drawn", "lost"), rows)


def latest(one: InGame) -> PlainTable:
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


def _writer(kind: str) -> Callable[[float], str]:
    """Return what writes ratings of a game."""
    return SCALES[game_info(kind).written].write


# -- as data -------------------------------------------------------------------------------------


def _facts(one: InGame) -> dict[str, Any]:
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
