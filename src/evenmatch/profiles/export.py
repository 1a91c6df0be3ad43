"""Games as text for other programs, finished or not: PGN, SGF, or a JSON object a line.

The record of a game from elsewhere has a day such as 2022-03-14, a month such as 2022-03, a year
such as 2022, or nothing. So much is shown and exported. Games are put in order, and old ones count
less, by a moment in the middle of what is known.
"""

import datetime
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from evenmatch.errors import printable
from evenmatch.games.catalog import game_info
from evenmatch.games.go import Go
from evenmatch.games.line import OWN
from evenmatch.opponents.rating_range import rating_of
from evenmatch.opponents.table import player_name, program_name
from evenmatch.play.clock import Clock
from evenmatch.play.saved import YOU
from evenmatch.profiles.saved_game import RecordMetadata, SavedGame
from evenmatch.ratings.scale import SCALES
from evenmatch.records.chess.pgn_text import pgn_text
from evenmatch.records.go.game_text import SgfGame, recorded, result_text, write_sgf

EVENT = "evenmatch"
RULES = re.compile(r"(KM|RU|HA)\[([^]]*)\]")  #: komi, rules and handicap in a start at Go
OFF_BOARD = {"resignation": "R", "time forfeit": "T", "draw by agreement": ""}
"""How games end off the board, and what SGF calls that."""
#: What makes a moment of a year, a month and a day, by how long they are written.
MIDDLES = {4: "-07-01T00:00:00", 7: "-16T00:00:00", 10: "T12:00:00"}
EARLIEST = "1000"  #: year; clocks of computers do not reach much further back


def moment_of(date: str) -> datetime.datetime | None:
    """Return the middle of a day, a month or a year that has begun; None for others."""
    today = datetime.date.today().isoformat()
    if not EARLIEST <= date <= today[: len(date)]:
        return None
    middle = datetime.datetime.fromisoformat(date + MIDDLES[len(date)])
    return min(middle, datetime.datetime.now())


def date_of(game: SavedGame) -> str:
    """Return what is known of the day a game ended, empty if nothing."""
    if game.metadata is not None:
        return game.metadata.date
    return datetime.datetime.fromtimestamp(game.ended).date().isoformat()


def when_of(game: SavedGame) -> str:
    """Return the second in which a game of ours ended, of others what is known of the day."""
    return date_of(game) if game.imported else at_second(game.ended)


def since(games: Sequence[SavedGame]) -> str:
    """Return the day of the first game as far as it is known; empty if one is unknown."""
    return min(map(date_of, games))


def at_second(seconds: float) -> str:
    """Write a moment, in seconds since 1970."""
    return datetime.datetime.fromtimestamp(seconds).isoformat(timespec="seconds")


def event_of(game: SavedGame) -> str:
    """Return the event of a game, empty if it is not known."""
    if game.metadata is not None:
        return game.metadata.event
    return "" if game.imported else EVENT


def text_of(game: SavedGame) -> str:
    """Return a game in the notation of its kind, with an empty line after it; otherwise as JSON."""
    return TEXTS[game_info(game.saved.game).notation](game)


def pgn_of(game: SavedGame) -> str:
    """Return a game of chess in PGN, with an empty line after it."""
    saved, line, metadata = game.saved, game.line, game.metadata or RecordMetadata()
    white, black = names_of(game)
    white_elo, black_elo = _ratings(game)
    tags = {
        "Event": event_of(game) or "?",
        "Site": metadata.site or "?",
        "Date": _pgn_date(date_of(game)),
        "White": white,
        "Black": black,
        "WhiteElo": white_elo or "?",
        "BlackElo": black_elo or "?",
    }
    if saved.clock:
        tags["TimeControl"] = Clock(saved.clock[0], saved.clock[1]).control
    elif metadata.time_control:
        tags["TimeControl"] = metadata.time_control
    if _ending(game) in OFF_BOARD:
        tags["Termination"] = _ending(game)
    moves = [line.text(ply) for ply in range(line.ply)]
    return pgn_text(
        {name: printable(value) for name, value in tags.items()},
        moves,
        _result(game),
        evals=metadata.ply_evals,
        clocks=metadata.ply_clocks,
        marks=saved.marks,
        fen=saved.start or None,
    )


def _pgn_date(date: str) -> str:
    """Write what is known of a day as PGN does."""
    return ".".join([*(date or "????").split("-"), "??", "??"][:3])


def sgf_of(game: SavedGame) -> str:
    """Return a game of Go in SGF, with an empty line after it, and the score agreed on."""
    saved, line, metadata = game.saved, game.line, game.metadata or RecordMetadata()
    time, overtime = _sgf_times(metadata.time_control)
    if saved.clock:
        time = f"{saved.clock[0]:g}"
        overtime = f"{saved.clock[1]:g} fischer" if saved.clock[1] else ""
    written = recorded(
        cast(Go, line.game),
        line.states[0],
        line.actions,
        result=_sgf_result(game),
        players=names_of(game),
        ranks=_ratings(game),
        date=date_of(game),
        event=event_of(game),
        place=metadata.site,
        time=time,
        overtime=overtime,
    )
    if game.metadata is not None:
        written = _by_its_rules(written, saved.start)
    return f"{write_sgf(written, marks=saved.marks)}\n"


def _sgf_result(game: SavedGame) -> str:
    """Write who won and how, empty while the game is unfinished."""
    if game.outcome is None:
        return ""
    score = game.outcome.score
    how = OFF_BOARD.get(game.outcome.ending) or ("" if score is None else abs(score))
    return result_text(game.outcome.result * game.saved.side, how)


def _by_its_rules(written: SgfGame, start: str) -> SgfGame:
    """Return a game from elsewhere with the rules, the komi and the handicap of its record.

    What White gets for handicap stones follows from them; a handicap of one has no stone.
    """
    said = dict(RULES.findall(start))
    komi = float(said["KM"]) if "KM" in said else written.komi
    handicap = int(said.get("HA", "0"))
    return replace(written, rules=said.get("RU", ""), komi=komi, handicap=handicap)


def _sgf_times(control: str) -> tuple[str, str]:
    """Return main time and overtime of a time control, which our reader of SGF has as one text."""
    first, _, rest = control.partition(" ")
    return (first, rest) if first.replace(".", "", 1).isdigit() else ("", control)


def json_of(game: SavedGame) -> str:
    """Return any game as one line of JSON."""
    return f"{json.dumps(as_dict(game))}\n"


def as_dict(game: SavedGame) -> dict[str, Any]:
    """Return a game as plain data."""
    line, (first, second) = game.line, names_of(game)
    return {
        "game": game.saved.game,
        "first": first,
        "second": second,
        "result": _result(game),
        "ending": _ending(game),
        "opponent": game.saved.opponent,
        "level": _level(game),
        "ended": (when_of(game) or None) if game.outcome is not None else None,
        "record": None if game.metadata is None else game.metadata.as_dict(),
        "start": game.saved.start,
        "moves": [line.text(ply) for ply in range(line.ply)],
        "marks": list(game.saved.marks) or [OWN] * line.ply,
    }


TEXTS: dict[str, Callable[[SavedGame], str]] = {"pgn": pgn_of, "sgf": sgf_of, "": json_of}


def names_of(game: SavedGame) -> tuple[str, str]:
    """Return the name of the side that moves first by the rules, and of the other."""
    person = "You" if game.saved.person == YOU else game.saved.person
    return _by_side(game, printable(person), printable(opponent_name(game, EVENT)))


def opponent_name(game: SavedGame, ours: str = "") -> str:
    """Return the opponent's name, with ``ours`` before that of a player of evenmatch."""
    if game.imported:
        return game.saved.opponent
    program = program_name(game.saved.opponent)
    return program or f"{ours} {player_name(game.saved.opponent)}".strip()


def _ratings(game: SavedGame) -> tuple[str, str]:
    """Return their ratings as the game's records have them, empty if unknown."""
    write = SCALES[game_info(game.saved.game).written].write
    if game.metadata is not None:
        first, second = game.metadata.first_rating, game.metadata.second_rating
        return write(first) if first else "", write(second) if second else ""
    level = _level(game)
    return _by_side(game, "", "" if level is None else write(level))


def _result(game: SavedGame) -> int | None:
    """Return the result for the side that moves first, None while the game is unfinished."""
    return None if game.outcome is None else game.outcome.result * game.saved.side


def _ending(game: SavedGame) -> str:
    """Say how a game ended, empty while it is unfinished."""
    return "" if game.outcome is None else game.outcome.ending


def _level(game: SavedGame) -> float | None:
    """Return the rating that the opponent plays at, None if it has none."""
    if game.outcome is None:
        return rating_of(game.saved.game, game.saved.opponent)
    return game.outcome.level


def _by_side(game: SavedGame, mine: str, theirs: str) -> tuple[str, str]:
    return (mine, theirs) if game.saved.side > 0 else (theirs, mine)
