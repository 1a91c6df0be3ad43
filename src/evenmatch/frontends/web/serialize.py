"""What the server sends to the page: games, levels and positions as plain data."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch import __version__
from evenmatch.app.game_words import against, how_ended, moves_of, shown_level, who_plays
from evenmatch.app.match_level import WORDS, has_levels
from evenmatch.frontends.web.new_game_request import keys_of, players_of
from evenmatch.frontends.web.service import Service
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.game import AreaGame, Game
from evenmatch.games.line import Line
from evenmatch.opponents import Engine
from evenmatch.opponents.rating_range import (
    measured_range,
    rating_of,
    supported_range,
    title_of,
)
from evenmatch.opponents.table import PLAYERS, parse_spec
from evenmatch.play.saved import YOU, Saved
from evenmatch.play.scoring import Score
from evenmatch.profiles import Finished, SavedGame
from evenmatch.profiles.export import date_of
from evenmatch.profiles.levels import Level, is_set_aside
from evenmatch.profiles.raters import LADDER, scale_of
from evenmatch.ratings.scale import SCALES
from evenmatch.records.pairs import shipped_pairs

MEDIA = {
    "pgn": "application/x-chess-pgn",
    "sgf": "application/x-go-sgf",
    "json": "application/json",
}
#: What the page has buttons for, each with whether it is possible now.
CAN = ("undo", "hint", "resign", "draw", "pass", "agree", "rematch")
POSITIONS = {"pgn": "FEN or PGN", "sgf": "SGF", "": "moves in a row"}
"""What may be pasted to start from, by the game's notation."""


def name_shown(person: str) -> str:
    """Return how a person is called on the page."""
    return "You" if person == YOU else person


def of_start(service: Service, person: str) -> dict[str, Any]:
    """Return what the page needs first."""
    games, profile = [], service.profile
    for game_id in service.games:
        told = of_game(get_game(game_id), service.batchers.of(game_id).engine)
        level = profile.levels.now(person, game_id, max_new=0) if told["levels"] else None
        games.append(told | {"level": of_level(game_id, level)})
    return {
        "version": __version__,
        "you": {
            "name": name_shown(person),
            "guest": profile.accounts.is_guest(person),
            "played": profile.games.has(person),
        },
        "only": service.person is not None,
        "pairs": shipped_pairs().game,
        "games": games,
        "tables": [of_unfinished(one) for one in profile.games.unfinished(person)],
    }


@lru_cache(maxsize=16)
def of_game(game: Game, engine: Engine) -> dict[str, Any]:
    """Return what the page needs to know of a game before it is played."""
    info = game_info(game.id)
    look, area = info.board_style, isinstance(game, AreaGame)
    reach = measured_range(game.id, info.rated) if info.rated else None
    write = SCALES[info.written].write
    start, players = game.initial(), players_of(game, engine)
    return {
        "id": game.id,
        "title": game.title,
        "rows": game.height,
        "columns": game.width,
        "players": list(game.players),
        "look": asdict(look)
        | {
            "counts": game.counts_pieces,
            "stars": list(game.stars) if isinstance(game, AreaGame) else [],
        },
        "drops": game.drops,
        "passes": area,
        "draws_agreed": game.draws_agreed,
        "komi": float(game.komi_of(start)[0]) if isinstance(game, AreaGame) else None,
        "most_handicap": info.fair_handicap if area else 0,
        "written": info.written,
        "rated": reach is not None,
        "estimated": any(source.ships for source in info.sources),
        "ends": list(map(write, supported_range(game.id))) if reach else None,
        "words": list(WORDS[info.written]) if has_levels(game.id) else [],
        "levels": has_levels(game.id),
        "mine": info.opponent in players,
        "scale": scale_of(game.id),
        "on_scale": scale_text(scale_of(game.id)),
        "players_": [_player(game.id, name) for name in players],
        "notation": info.notation,
        "positions": POSITIONS.get(info.notation),
    }


def _player(game_id: str, name: str) -> dict[str, Any]:
    kind, title = PLAYERS[name], title_of(game_id, name)
    keys = [
        {"name": key, "help": one.help, "usual": one.usual or _usual(one.default)}
        for key, one in keys_of(name).items()
    ]
    shown = title if title.startswith(name) else f"{title} ({name})"
    return {"name": name, "title": shown, "summary": kind.summary, "keys": keys}


def _usual(default: Any) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return "" if default is None or isinstance(default, dict) else str(default)


def scale_text(scale: str | None) -> str:
    """Name the scale of levels; empty if there is none."""
    if scale == LADDER:
        return "Elo among Evenmatch’s own players, not among people"
    return f"on the scale {scale}" if scale else ""


def of_level(game_id: str, level: Level | None) -> dict[str, Any] | None:
    """Return a level as numbers and as people write it; None if it may not be shown yet."""
    if level is None or level.missing:
        return None
    write = SCALES[game_info(game_id).written].write
    shown, low, high = map(write, (level.shown, level.low, level.high))
    if level.provisional:
        shown = f"about {shown}"
    return {
        "text": f"{shown_level(game_id, level)} ({low} to {high})",
        "provisional": level.provisional,
        "rating": level.rating,
        "low": level.low,
        "high": level.high,
        "shown": shown,
        "typed": write(level.shown),
        "from": low,
        "to": high,
        "games": level.games,
        "when": level.date,
        "scale": level.scale,
        "on_scale": scale_text(level.scale),
    }


# -- games in lists --------------------------------------------------------------------------


def of_unfinished(one: SavedGame) -> dict[str, Any]:
    """Return an unfinished game for a list."""
    opponent = who_plays(one.saved.game, one.saved.opponent)
    return _listed(one.row, one.saved, one.ended, opponent, None)


def of_finished(game: Finished) -> dict[str, Any]:
    """Return a finished game for a list."""
    over = {
        "result": game.outcome.result,
        "ending": how_ended(game),
        "counts": not is_set_aside(game),
    }
    return _listed(game.row, game.saved, game.ended, against(game), over) | {
        "moves": moves_of(game),
        "played": date_of(game) if game.imported else None,
    }


def _listed(row: int, saved: Saved, when: float, opponent: str, over: Any) -> dict[str, Any]:
    return {
        "id": row,
        "game": saved.game,
        "opponent": opponent,
        "side": saved.side,
        "moves": game_info(saved.game).board_style.moves(len(saved.actions)),
        "changed": when,
        "over": over,
    }


def notation_of(game_id: str) -> str:
    """Return the ending of files of a game: pgn, sgf or json."""
    return game_info(game_id).notation or "json"


def method_of(spec: str) -> str:
    """Say how a player plays; empty for one that is not known here."""
    name = parse_spec(spec)[0]
    return f"{name}: {PLAYERS[name].summary}" if name in PLAYERS else ""


def level_text(game_id: str, spec: str) -> str | None:
    """Write the level that a player plays at; None if it has none."""
    rating = rating_of(game_id, spec)
    return None if rating is None else SCALES[game_info(game_id).written].write(rating)


# -- positions -------------------------------------------------------------------------------


def of_position(line: Line, marks: list[str]) -> dict[str, Any]:
    """Return the position at the end of a line, and the moves that led to it."""
    game, state = line.game, line.state
    pieces = game.pieces(state[None])[0]
    turn = int(game.to_play(state[None])[0])
    alarm = game.alarm(state)
    look = game_info(game.id).board_style
    last = game.action_cells(line.states[-2], line.actions[-1]) if line.ply else ()
    captured = game.captures(state[None])[0].tolist() if isinstance(game, AreaGame) else None
    movers = game.to_play(line.states[:-1]).tolist() if line.ply else []
    return {
        "cells": pieces.ravel().tolist(),
        "turn": turn,
        "moves": [
            {"text": line.text(ply), "side": int(side), "mark": marks[ply] if marks else ""}
            for ply, side in enumerate(movers)
        ],
        "last": list(last),
        "line": sorted(game.winning_cells(state)),
        "alarm": alarm,
        "check": _king(pieces, turn, len(look.figures)) if alarm and look.figures else None,
        "captured": captured,
    }


def _king(pieces: NDArray[np.int8], side: int, kind: int) -> int | None:
    """Return the cell of a side's king."""
    found = np.flatnonzero(pieces.ravel() == side * kind)
    return int(found[0]) if len(found) else None


def boards_of(line: Line) -> list[list[int]]:
    """Return the cells after each ply, from the start on."""
    return line.game.pieces(line.states).reshape(len(line.states), -1).tolist()


def legal_moves(line: Line) -> list[dict[str, Any]]:
    """Return the legal moves with their cells, and what a pawn becomes."""
    game, state, found = line.game, line.state, []
    for action in line.legal:
        text = game.action_text(state, action)
        move: dict[str, Any] = {"move": text, "cells": list(game.action_cells(state, action))}
        if "=" in text:
            move["promotion"] = text.partition("=")[2][0].lower()
        found.append(move)
    return found


def of_score(score: Score, settle: bool) -> dict[str, Any]:
    """Return the score of a game of area."""
    return {
        "text": score.text,
        "areas": list(score.areas),
        "komi": score.komi,
        "dead": list(score.dead),
        "owners": score.owners.tolist(),
        "settle": settle,
    }


def of_finished_game(game: Finished) -> dict[str, Any]:
    """Return a finished game in the form of the states of games that are played, with its boards.

    What only a game in progress has is empty.
    """
    saved, outcome, line = game.saved, game.outcome, game.line
    words = {1: "You won", 0: "A draw", -1: "You lost"}[outcome.result]
    return {
        "type": "state",
        "seq": 0,
        "table": game.row,
        "game": saved.game,
        "opponent": {
            "title": against(game),
            "method": "" if game.imported else method_of(saved.opponent),
            "level": None,
            "note": "",
            "now": "",
        },
        "side": saved.side,
        **of_position(line, list(saved.marks)),
        **dict.fromkeys(("wait", "score", "clock", "even", "level", "hint")),
        **dict.fromkeys(("yours", "thinking", "judging", "live"), False),
        "legal": [],
        "note": "",
        "over": {
            "result": outcome.result,
            "ending": outcome.ending,
            "kept": True,
            "counts": outcome.counts,
            "text": f"{words}{f': {outcome.ending}' if outcome.ending else ''}.",
            "story": "",
        },
        "can": dict.fromkeys(CAN, False) | {"rematch": not game.imported},
        "boards": boards_of(line),
    }
