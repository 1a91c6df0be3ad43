"""``evenmatch me``: your level in each game, your games, and what can be done with them."""

import datetime
import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from evenmatch import __version__
from evenmatch.domains import domain_of, game_of_files
from evenmatch.errors import NetworkError, RecordError, UsageError, quoted
from evenmatch.estimation.running import folded
from evenmatch.files import replace_file
from evenmatch.frontends import console
from evenmatch.frontends.commands import me_page
from evenmatch.frontends.commands.estimates import rater
from evenmatch.frontends.commands.my_losses import MyLosses
from evenmatch.frontends.commands.play import named
from evenmatch.frontends.commands.rows import Rows
from evenmatch.frontends.console import counted
from evenmatch.frontends.progress_bars import Line, move_columns
from evenmatch.games import GAMES, get_game
from evenmatch.profiles import Finished, Outcome, Profile
from evenmatch.profiles.adoption import MOVED
from evenmatch.profiles.folder import THEIRS_ALONE
from evenmatch.profiles.levels import Level
from evenmatch.profiles.texts import TEXTS, facts_of, opponent_name
from evenmatch.ratings.scale import SCALES
from evenmatch.records.form import form_of
from evenmatch.records.marks import HINT, OWN
from evenmatch.records.record import Fault, GameRecord, Speed
from evenmatch.sessions.saved import YOU, Saved

CHART_ROWS, CHART_COLUMNS = 12, 48  #: games and characters of the chart
SHOWN = 8  #: games and opponents in the lists
RESULTS = {1: "won", 0: "drawn", -1: "lost"}


@dataclass(frozen=True)
class InGame:
    """A person's games of one kind, in order, and their level after each that tells something."""

    kind: str
    games: list[Finished]
    history: list[Level]
    now: Level | None  #: at the present day

    @cached_property
    def losses(self) -> MyLosses:
        """What the person's moves gave up."""
        return MyLosses(self.games, self.now)


def show(name: str | None, game: str | None, as_json: bool, page: Path | None = None) -> None:
    """Show a person's level in each game, the games and the score against each opponent."""
    profile, person = Profile(), person_of(name)
    kinds = [get_game(game).id] if game else list(GAMES)
    known = [(kind, profile.games.finished(person, kind)) for kind in kinds]
    found = [_in_game(profile, person, kind, games) for kind, games in known if games]
    if as_json:
        console.print_json({"name": person, "games": [_facts(one) for one in found]})
        return
    if page is not None:
        write_page(found, person, page)
        return
    if not found:
        text = _no_games(profile, name, game)
        console.output().print(f"{text[0].upper()}{text[1:]}.", markup=False, soft_wrap=True)
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
    return InGame(kind, games, history, profile.levels.now(person, kind) if history else None)


def _no_games(profile: Profile, name: str | None, game: str | None) -> str:
    """Say that there are no games, and who has some."""
    of = f" of {get_game(game).title}" if game else ""
    who = "you have" if name is None else f"{name} has"
    others = [other for other in profile.people.names() if other != YOU]
    hint = f"; games of others: --name {others[0]}" if name is None and others else ""
    return f"{who} finished no game{of} yet; play one: evenmatch play {game or 'GAME'}{hint}"


# -- as text -----------------------------------------------------------------------------------


def _print(one: InGame) -> None:
    out = console.output()
    out.print(Text(get_game(one.kind).title, style="bold"))
    out.print(level_text(one), markup=False)
    if len(one.history) > 1:
        out.print(chart(one.history), markup=False)
    tables, note = told_of(one)
    for table in tables:
        if table.title:
            out.print(Text(table.title, style="bold"))
        out.print(drawn(table))
    if note:
        out.print(note, markup=False)


def told_of(one: InGame) -> tuple[list[Rows], str]:
    """Return the tables of a game, and what is told below them."""
    tables = [scores(one), latest(one)]
    try:
        tables.append(one.losses.rows())
        note = one.losses.parts_text()
    except NetworkError as error:
        note = f"Your moves cannot be judged: {error}."
    return [table for table in tables if table.rows], note


def drawn(rows: Rows) -> Table:
    """Return a table for the terminal."""
    table = console.table()
    for head, right in zip(rows.heads, rows.numeric, strict=True):
        table.add_column(head, justify="right" if right else "left")
    for row in rows.rows:
        table.add_row(*map(Text, row))
    return table


def write_page(found: Sequence[InGame], person: str, path: Path) -> None:
    """Write levels and games as one HTML file."""
    sections = []
    for one in found:
        tables, note = told_of(one)
        title = get_game(one.kind).title
        sections.append(
            me_page.section(
                title, level_text(one), one.now, one.history, _writer(one.kind), tables, note
            )
        )
    made = f"evenmatch {__version__}, {datetime.date.today().isoformat()}"
    name = "You" if person == YOU else person
    replace_file(path, me_page.page(name, sections, made), THEIRS_ALONE)
    console.tell(f"Wrote {path}")


def level_text(one: InGame) -> str:
    """Say how strong somebody is, and how sure that is."""
    title = get_game(one.kind).title
    if one.now is None:
        if domain_of(one.kind).sources:
            return "No game tells your level yet."
        return f"No level: evenmatch knows no rated people of {title} to compare you with."
    last, write = one.now, _writer(one.kind)
    return (
        f"{write(last.rating)} ({write(last.low)} to {write(last.high)} with 95%) on the scale "
        f"{last.scale} today, from {counted(last.games, 'game')} since {_day(one.games[0].begun)}."
    )


def chart(history: Sequence[Level]) -> str:
    """Draw the level after each of the last games, with its interval, a line a game."""
    rows = list(history)[-CHART_ROWS:]
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    kind = next(k for k in GAMES if rows[0].scale in domain_of(k).scales)
    write = _writer(kind)
    step = max(high - low, 1.0) / (CHART_COLUMNS - 1)
    lines = [f"{'after game':>10}  {write(low)}{write(high):>{CHART_COLUMNS - len(write(low))}}"]
    for row in rows:
        at = [round((x - low) / step) for x in (row.low, row.rating, row.high)]
        drawn = [" "] * CHART_COLUMNS
        drawn[at[0] : at[2] + 1] = "-" * (at[2] - at[0] + 1)
        drawn[at[1]] = "o"
        lines.append(f"{row.games:>10}  {''.join(drawn)}  {write(row.rating)}")
    return "\n".join(lines)


def scores(one: InGame) -> Rows:
    """Return the scores against each opponent, those met most in front."""
    met: dict[str, Counter[int]] = {}
    for game in one.games:
        met.setdefault(_against(game), Counter())[game.outcome.result] += 1
    most = sorted(met.items(), key=lambda item: -item[1].total())
    if rest := most[SHOWN:]:
        together = sum((counts for _, counts in rest), Counter())
        most = [*most[:SHOWN], (f"{len(rest)} others", together)]
    rows = [
        [name, *map(str, (counts.total(), counts[1], counts[0], counts[-1]))]
        for name, counts in most
    ]
    return Rows("", ("against", "games", "won", "drawn", "lost"), rows)


def _against(game: Finished) -> str:
    """Name an opponent with its level."""
    level = game.outcome.level
    name = opponent_name(game)
    return name if level is None else f"{name} {_writer(game.saved.game)(level)}"


def latest(one: InGame) -> Rows:
    """Return the latest games."""
    look = domain_of(one.kind).look
    rows = [
        [
            _day(game.ended),
            _against(game),
            RESULTS[game.outcome.result],
            str(look.moves(len(game.saved.actions))),
            game.outcome.ending,
        ]
        for game in one.games[-SHOWN:][::-1]
    ]
    return Rows("", ("latest games", "against", "you", "moves", "how"), rows)


def _writer(kind: str) -> Callable[[float], str]:
    """Return what writes ratings of a game."""
    return SCALES[domain_of(kind).written].write


def _day(when: float) -> str:
    return datetime.date.fromtimestamp(when).isoformat()


# -- as data -------------------------------------------------------------------------------------


def _facts(one: InGame) -> dict[str, Any]:
    return {
        "game": one.kind,
        "level": None if one.now is None else _level_facts(one.now),
        "history": list(map(_level_facts, one.history)),
        "losses": one.losses.facts(),
        "played": [facts_of(game) for game in one.games],
    }


def _level_facts(level: Level) -> dict[str, Any]:
    return {
        "scale": level.scale,
        "rating": round(level.rating),
        "low": round(level.low),
        "high": round(level.high),
        "games": level.games,
        "when": datetime.datetime.fromtimestamp(level.when).isoformat(timespec="seconds"),
    }


def export(name: str | None, game: str | None, out: Path | None) -> None:
    """Write a person's finished games to a file or standard output."""
    profile, person = Profile(), person_of(name)
    kind = get_game(game).id if game else _kind_of(out)
    games = profile.games.finished(person, kind)
    if not games:
        raise UsageError(_no_games(profile, name, kind))
    notation = "" if out is None or out.suffix.lower() in JSON else out.suffix.lower()[1:]
    if notation not in TEXTS or (notation and notation != domain_of(kind or "").notation):
        kinds = ".json, or .pgn for chess, .sgf for Go"
        raise UsageError(f"{out} cannot hold these games; choose a name that ends in {kinds}")
    text = "".join(map(TEXTS[notation], games))
    if out is None:
        sys.stdout.write(text)
        return
    replace_file(out, text, THEIRS_ALONE)
    console.tell(f"Wrote {counted(len(games), 'game')} to {out}")


JSON = (".json", ".jsonl")


def _kind_of(out: Path | None) -> str | None:
    """Return the game that a file's name tells, None for any."""
    return None if out is None or out.suffix.lower() in JSON else game_of_files([out])


def take_in(files: Sequence[Path], player: str, name: str | None, game: str | None) -> None:
    """Add a player's games of PGN or SGF files to a person's."""
    profile, person = Profile(), person_of(name)
    kind = get_game(game).id if game else game_of_files(files) or "chess"
    faults: list[Fault] = []
    found: list[tuple[str, Finished]] = []
    taken: list[GameRecord] = []
    others: set[str] = set()
    for path in files:
        for record in form_of(kind).games(path, faults.append):
            names = [folded(side) for side in record.players]
            others |= set(record.players)
            if folded(player) in names and record.result is not None:
                side = 1 if names[0] == folded(player) else -1
                taken.append(record)
                found.append((_key(record, side), _finished(record, side, person)))
    if not found:
        near = ", ".join(sorted(filter(None, others))[:3])
        known = f"; the files have games of {near}" if near else ""
        raise RecordError(f"no finished game of {quoted(player)}{known}; check --player")
    if slow := sum(not _has_speed(record) for record in taken):
        console.note(
            f"The level is told of {domain_of(kind).sources[0].speed} games. "
            f"{counted(slow, 'game')} of another speed: the moves count, the results do not."
        )
    added = profile.games.add(found)
    if faults:
        console.note(f"Skipped {counted(len(faults), 'game')} that could not be read.")
    again = len(found) - added
    if again:
        console.note(f"Skipped {counted(again, 'game')} that you have already.")
    console.output().print(f"Added {counted(added, 'game')}. To see them: evenmatch me")


def _key(record: GameRecord, side: int) -> str:
    """Return what a game is known by, to take it in once."""
    told = (record.game, record.players, record.year, record.event, record.start, record.result)
    text = repr((told, side))
    return hashlib.sha256(text.encode() + record.moves.tobytes()).hexdigest()[:32]


def _is_of_scale(record: GameRecord) -> bool:
    """Tell whether a game's ratings are of the scale that levels are told on."""
    return rater(record) in domain_of(record.game).sources[0].servers and _has_speed(record)


def _has_speed(record: GameRecord) -> bool:
    """Tell whether a game is of the speed that levels are told of, as far as is known."""
    speed = domain_of(record.game).sources[0].speed
    return not speed or record.speed.name in (speed, Speed.unknown.name)


def _finished(record: GameRecord, side: int, person: str) -> Finished:
    other = 1 if side == 1 else 0
    assert record.result is not None, "finished games alone are taken in"
    now = datetime.datetime.now().timestamp()
    day = datetime.datetime(record.year, 7, 1).timestamp() if record.year else now
    form = form_of(record.game)
    states = form.played(record.moves, record.start)
    saved = Saved(
        game=record.game,
        opponent=record.players[other] or "somebody",
        side=side,
        seed=0,
        actions=tuple(form.actions(states[:-1], record.moves).tolist()),
        marks=() if record.aided is None else tuple(HINT if x else OWN for x in record.aided),
        person=person,
        start=record.start,
    )
    level = record.ratings[other] if _is_of_scale(record) else None
    outcome = Outcome(record.result * side, "", level)
    return Finished(saved=saved, outcome=outcome, begun=min(day, now), ended=min(day, now))


# -- people --------------------------------------------------------------------------------------


def rename(name: str | None, new: str) -> None:
    """Give a person another name."""
    Profile().people.rename(person_of(name), named(new))
    console.output().print(f"You play by the name {named(new)} now: add --name.", markup=False)


def delete(name: str | None, sure: bool) -> None:
    """Delete a person's games and what opponents remember; asks first."""
    profile, person = Profile(), person_of(name)
    games = len(profile.games.finished(person))
    what = f"{counted(games, 'finished game')} of {person}, unfinished ones, and memories"
    if not sure:
        if not console.is_terminal(sys.stdin):
            raise UsageError(f"this deletes {what} for good; add --yes")
        if input(f"Delete {what} for good? [y/N] ").strip().lower() not in ("y", "yes"):
            return
    profile.people.delete(person)
    console.output().print(f"Deleted {what}.", markup=False)
    for file in sorted(profile.folder.glob("games.*")):
        console.note(f"{file} has finished games of everybody; delete it if you want to.")
    if (older := profile.folder / MOVED).exists():
        console.note(f"{older} has what older versions kept of everybody; delete it likewise.")
