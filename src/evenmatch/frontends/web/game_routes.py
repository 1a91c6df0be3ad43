"""What the server answers about games: begun, listed, shown, deleted, reviewed."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from evenmatch.app.game_words import against
from evenmatch.errors import UsageError
from evenmatch.frontends.web import facts
from evenmatch.frontends.web.allowed import limited, staying
from evenmatch.frontends.web.answers import NOTHING, done_or_nothing, file_answer
from evenmatch.frontends.web.app_state import service_of, tables_of
from evenmatch.frontends.web.asked import NOT_PLAYED, is_matched, new_game
from evenmatch.frontends.web.body import body_of
from evenmatch.frontends.web.game_socket import open_table, socket
from evenmatch.frontends.web.my_page import reviewed
from evenmatch.frontends.web.offered import largest
from evenmatch.frontends.web.table import CAN
from evenmatch.frontends.web.visitor import person_of
from evenmatch.profiles import Finished, SavedGame
from evenmatch.profiles.export import line_of, text_of

LISTED = 30  #: finished games in a list
ROW_DIGITS = 18  #: of the number of a game; the database can look for no larger one
NO_ROW = -1  #: number of no game


class Row(IntegerConvertor):
    """The number of a game in a path."""

    def convert(self, value: str) -> int:
        """Return the number, one that no game has where it is 0 or too long."""
        return (int(value) if len(value) <= ROW_DIGITS else 0) or NO_ROW


def game_routes() -> list[BaseRoute]:
    """Return the routes; paths may name a `Row` from then on."""
    register_url_convertor("row", Row())
    return [
        Route("/api/tables", finished_games, methods=["GET"]),
        Route("/api/tables", begin, methods=["POST"]),
        Route("/api/tables/{row:row}", game, methods=["GET"]),
        Route("/api/tables/{row:row}", delete, methods=["DELETE"]),
        Route("/api/tables/{row:row}/rematch", rematch, methods=["POST"]),
        Route("/api/tables/{row:row}/record", record),
        Route("/api/tables/{row:row}/review", review),
        WebSocketRoute("/api/tables/{row:row}/socket", socket),
    ]


@limited("game")
async def begin(request: Request) -> Response:
    """Begin a game."""
    service = service_of(request)
    asked = await body_of(request)
    if asked.get("game") not in service.games:
        raise UsageError(NOT_PLAYED)
    async with staying(request) as person:
        work = partial(new_game, service.profile, person, asked, largest(service.person))
        matched = is_matched(asked)
        new = await (service.judge(person, work) if matched else service.run(work))
        table = await tables_of(request).begin(new)
    return JSONResponse({"id": table.row})


async def finished_games(request: Request) -> Response:
    """Return finished games, the latest first, before a row if one is named."""
    service, asked = service_of(request), request.query_params.get("before", "")
    is_row = asked.isascii() and asked.isdigit() and len(asked) <= ROW_DIGITS
    before = int(asked) if is_row else None
    games = await service.run(service.profile.games.latest, person_of(request), LISTED, before)
    return JSONResponse({"tables": [facts.of_finished(game) for game in games]})


async def _finished(request: Request) -> Finished | None:
    service, row = service_of(request), request.path_params["row"]
    found = await service.run(service.profile.games.finished, person_of(request), None, row)
    return found[0] if found else None


async def _unfinished(request: Request) -> SavedGame | None:
    service, row = service_of(request), request.path_params["row"]
    found = await service.run(service.profile.games.unfinished, person_of(request), row)
    return found[0] if found else None


async def game(request: Request) -> Response:
    """Return a game as it stands, with the boards of all plies."""
    table = await open_table(request)
    if table is not None:
        return JSONResponse(await table.with_boards())
    finished = await _finished(request)
    if finished is None:
        return JSONResponse(NOTHING, 404)
    return JSONResponse(await service_of(request).run(_finished_facts, finished))


def _finished_facts(game: Finished) -> dict[str, Any]:
    saved, outcome, line = game.saved, game.outcome, line_of(game)
    method = "" if game.imported else facts.method_of(saved.opponent)
    words = {1: "You won", 0: "A draw", -1: "You lost"}[outcome.result]
    text = f"{words}{f': {outcome.ending}' if outcome.ending else ''}."
    over = {
        "result": outcome.result,
        "ending": outcome.ending,
        "kept": True,
        "counts": outcome.counts,
        "text": text,
    }
    return {
        "type": "state",
        "seq": 0,
        "table": game.row,
        "game": saved.game,
        "opponent": {"title": against(game), "method": method, "level": None, "note": ""},
        "side": saved.side,
        **facts.of_position(line, list(saved.marks)),
        "yours": False,
        "thinking": False,
        "wait": None,
        "legal": [],
        "score": None,
        "clock": None,
        "even": None,
        "over": over,
        "level": None,
        "judging": False,
        "live": False,
        "can": dict.fromkeys(CAN, False) | {"rematch": not game.imported},
        "hint": None,
        "note": "",
        "boards": facts.boards_of(line),
    }


async def delete(request: Request) -> Response:
    """Delete an unfinished game."""
    async with staying(request) as person:
        deleted = await tables_of(request).delete(request.path_params["row"], person)
    return done_or_nothing(deleted)


@limited("game")
async def rematch(request: Request) -> Response:
    """Begin the game after a finished one, with the sides swapped."""
    async with staying(request) as person:
        after = await tables_of(request).rematch(request.path_params["row"], person)
    return JSONResponse(*(NOTHING, 404) if after is None else ({"id": after.row},))


async def record(request: Request) -> Response:
    """Return a game as a file, as far as it went."""
    game = await _unfinished(request) or await _finished(request)  # it may end meanwhile
    if game is None:
        return JSONResponse(NOTHING, 404)
    kind = facts.notation_of(game.saved.game)
    text = await service_of(request).run(text_of, game)
    return file_answer(text, f"{game.saved.game}-{game.row}.{kind}", kind)


@limited("review")
async def review(request: Request) -> Response:
    """Return the chances over a finished game, and what its moves gave up."""
    game = await _finished(request)
    if game is None:
        return JSONResponse(NOTHING, 404)
    service, person = service_of(request), person_of(request)
    return JSONResponse(await service.judge(person, reviewed, service.profile, person, game))
