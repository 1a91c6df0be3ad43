"""Finished games as text for other programs: PGN, SGF, or a JSON object a line."""

import datetime
import json
from collections.abc import Callable
from typing import Any, cast

from evenmatch.domains import domain_of
from evenmatch.games import get_game
from evenmatch.games.go import Go
from evenmatch.players.table import player_name, program_name
from evenmatch.profiles.games import Finished
from evenmatch.ratings.scale import SCALES
from evenmatch.records.chess.pgn_text import pgn_text
from evenmatch.records.go.game_text import result_text, write_sgf
from evenmatch.records.go.recording import recorded
from evenmatch.sessions.clock import Clock
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.saved import YOU

EVENT = "evenmatch"
MIDDLE = 7, 1  #: of a year: month and day
OFF_BOARD = {"resignation": "R", "time forfeit": "T", "draw by agreement": ""}
"""How games end off the board, and what SGF calls that."""


def moment_of(date: str, year: int | None) -> datetime.datetime | None:
    """Return the moment that stands for a day such as 2022-03-14, or for a whole year.

    A day's is its noon, and a year's the midnight in its middle, by which `only_year` knows it.
    """
    if date:
        return datetime.datetime.fromisoformat(f"{date}T12:00:00")
    return datetime.datetime(year, *MIDDLE) if year else None


def only_year(game: Finished) -> bool:
    """Tell whether no more than the year is known in which a game was played elsewhere."""
    return game.imported and _moment(game) == datetime.datetime(_moment(game).year, *MIDDLE)


def day_text(game: Finished) -> str:
    """Write the day a game ended, or its year if no more is known."""
    return _day(game).isoformat()[: 4 if only_year(game) else None]


def text_of(game: Finished) -> str:
    """Return a game in the notation of its kind, with an empty line after it; else as JSON."""
    return TEXTS[domain_of(game.saved.game).notation](game)


def pgn_of(game: Finished) -> str:
    """Return a game of chess in PGN, with an empty line after it."""
    saved, line = game.saved, line_of(game)
    white, black = names_of(game)
    white_elo, black_elo = _ratings(game)
    tags = {
        "Event": "?" if game.imported else EVENT,
        "Date": _day(game).strftime("%Y.??.??" if only_year(game) else "%Y.%m.%d"),
        "White": white,
        "Black": black,
        "WhiteElo": white_elo or "?",
        "BlackElo": black_elo or "?",
    }
    if saved.clock:
        tags["TimeControl"] = Clock(saved.clock[0], saved.clock[1]).control
    if game.outcome.ending in OFF_BOARD:
        tags["Termination"] = game.outcome.ending
    moves = [line.text(ply) for ply in range(line.ply)]
    result = game.outcome.result * saved.side
    return pgn_text(tags, moves, result, marks=saved.marks, fen=saved.start or None)


def sgf_of(game: Finished) -> str:
    """Return a game of Go in SGF, with an empty line after it, and the score agreed on."""
    saved, outcome = game.saved, game.outcome
    by: float | str = "" if outcome.score is None else abs(outcome.score)
    how = OFF_BOARD.get(outcome.ending) or by
    line = line_of(game)
    written = recorded(
        cast(Go, line.game),
        line.states[0],
        line.actions,
        result=result_text(outcome.result * saved.side, how),
        players=names_of(game),
        ranks=_ratings(game),
        date=day_text(game),
        event="" if game.imported else EVENT,
        time=f"{saved.clock[0]:g}" if saved.clock else "",
        overtime=f"{saved.clock[1]:g} fischer" if saved.clock and saved.clock[1] else "",
    )
    return f"{write_sgf(written, marks=saved.marks)}\n"


def json_of(game: Finished) -> str:
    """Return any game as one line of JSON."""
    return f"{json.dumps(facts_of(game))}\n"


def facts_of(game: Finished) -> dict[str, Any]:
    """Return a game as plain data."""
    line, (first, second) = line_of(game), names_of(game)
    return {
        "game": game.saved.game,
        "first": first,
        "second": second,
        "result": game.outcome.result * game.saved.side,
        "ending": game.outcome.ending,
        "opponent": game.saved.opponent,
        "level": game.outcome.level,
        "ended": day_text(game) if game.imported else _moment(game).isoformat(timespec="seconds"),
        "start": game.saved.start,
        "moves": [line.text(ply) for ply in range(line.ply)],
        "marks": list(game.saved.marks),
    }


TEXTS: dict[str, Callable[[Finished], str]] = {"pgn": pgn_of, "sgf": sgf_of, "": json_of}


def line_of(game: Finished) -> GameLine:
    """Return the positions and moves of a game."""
    rules = get_game(game.saved.game)
    line = GameLine(rules, rules.read_position(game.saved.start) if game.saved.start else None)
    for action in game.saved.actions:
        line.push(action)
    return line


def names_of(game: Finished) -> tuple[str, str]:
    """Return the names of who moves first by the rules, and of the other."""
    person = "You" if game.saved.person == YOU else game.saved.person
    person = "".join(letter if letter.isprintable() else " " for letter in person)
    return _by_side(game, person, opponent_name(game, EVENT))


def opponent_name(game: Finished, ours: str = "") -> str:
    """Return the opponent's name, with ``ours`` before that of a player of evenmatch."""
    if game.imported:
        return game.saved.opponent
    program = program_name(game.saved.opponent)
    return program or f"{ours} {player_name(game.saved.opponent)}".strip()


def _ratings(game: Finished) -> tuple[str, str]:
    """Return their ratings as the game's records have them, empty if unknown."""
    if game.outcome.level is None:
        return "", ""
    scale = SCALES[domain_of(game.saved.game).written]
    return _by_side(game, "", scale.write(game.outcome.level))


def _by_side(game: Finished, mine: str, theirs: str) -> tuple[str, str]:
    return (mine, theirs) if game.saved.side > 0 else (theirs, mine)


def _day(game: Finished) -> datetime.date:
    return _moment(game).date()


def _moment(game: Finished) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(game.ended)
