"""What the server answers: the page, games, one's level and games."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from evenmatch import __version__
from evenmatch.errors import EvenmatchError, UsageError
from evenmatch.frontends.commands.my_games import add_games
from evenmatch.frontends.web import facts
from evenmatch.frontends.web.allowed import (
    counted_in,
    forgetting,
    limit,
    limited,
    remembering,
    require_login,
    staying,
)
from evenmatch.frontends.web.asked import NOT_PLAYED, is_matched, new_game
from evenmatch.frontends.web.body import body_of, object_in
from evenmatch.frontends.web.guard import RefusedError
from evenmatch.frontends.web.limits import TooOftenError
from evenmatch.frontends.web.metrics import is_from_here
from evenmatch.frontends.web.my_page import my_page, name_shown, reviewed
from evenmatch.frontends.web.offered import MOST, MOST_OF_MANY
from evenmatch.frontends.web.pairs_routes import pairs_routes
from evenmatch.frontends.web.ratings import Ratings
from evenmatch.frontends.web.service import Service
from evenmatch.frontends.web.sockets import closed
from evenmatch.frontends.web.table import Table
from evenmatch.frontends.web.tables import Tables
from evenmatch.frontends.web.uploads import kept, kind_of
from evenmatch.frontends.web.visitor import person_of
from evenmatch.games import get_game
from evenmatch.profiles import Finished
from evenmatch.profiles.guesses import json_of
from evenmatch.profiles.texts import TEXTS, line_of, text_of
from evenmatch.sessions.saved import YOU

STATIC = Path(__file__).parent / "static"
PAGES = ("/", "/play/{row:row}", "/me", "/rate", "/people")  #: all of them are the one page
LISTED = 30  #: finished games in a list
DIGITS = 18  #: of the number of a game; the database can look for no larger one
NO_ROW = -1  #: number of no game
MOST_KEPT = 2000  #: finished games of a person that a file may fill up to, where many people play
TYPED = "the name that you typed"
NOTHING = {"error": "there is no such game"}
NOTHING_THERE = {"error": "there is no such page"}
MEDIA = {
    "pgn": "application/x-chess-pgn",
    "sgf": "application/x-go-sgf",
    "json": "application/json",
}


class Row(IntegerConvertor):
    """The number of a game in a path."""

    def convert(self, value: str) -> int:
        """Return the number, one that no game has where it is 0 or too long."""
        return (int(value) if len(value) <= DIGITS else 0) or NO_ROW


def routes() -> list[BaseRoute]:
    """Return the routes that are always there."""
    register_url_convertor("row", Row())
    return [
        *(Route(path, page) for path in PAGES),
        Mount("/static", StaticFiles(directory=STATIC)),
        Route("/healthz", healthy),
        Route("/metrics", metrics),
        Route("/api/start", start),
        Route("/api/tables", tables_of, methods=["GET"]),
        Route("/api/tables", begin, methods=["POST"]),
        Route("/api/tables/{row:row}", table_of, methods=["GET"]),
        Route("/api/tables/{row:row}", delete, methods=["DELETE"]),
        Route("/api/tables/{row:row}/record", record),
        Route("/api/tables/{row:row}/review", review),
        WebSocketRoute("/api/tables/{row:row}/socket", socket),
        Route("/api/me", me, methods=["GET"]),
        Route("/api/me", forget_me, methods=["DELETE"]),
        Route("/api/me/export", export),
        Route("/api/me/import", take_in, methods=["POST"]),
        Route("/api/ratings", rate, methods=["POST"]),
        Route("/api/ratings/{number}", stop_rating, methods=["DELETE"]),
        Route("/api/ratings/{number}/events", ratings_of),
        *pairs_routes(),
    ]


def _service(request: Request | WebSocket) -> Service:
    return request.app.state.service


def _tables(request: Request | WebSocket) -> Tables:
    return request.app.state.tables


async def page(request: Request) -> Response:
    """Return the page."""
    return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})


async def healthy(request: Request) -> Response:
    """Say that the server runs."""
    return JSONResponse({"well": True, "tables": len(_tables(request))})


async def metrics(request: Request) -> Response:
    """Return what was counted, to who asks from this machine."""
    address = request.client.host if request.client else None
    if not is_from_here(address, request.headers.__contains__):
        return JSONResponse(NOTHING_THERE, 404)
    text = await _service(request).run(_service(request).metrics.text)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


# -- games ---------------------------------------------------------------------------------------


async def start(request: Request) -> Response:
    """Return what the page needs first."""
    service = _service(request)
    told = await service.run(_start_facts, service, person_of(request))
    return await remembering(request, JSONResponse(told))


def _start_facts(service: Service, person: str) -> dict[str, Any]:
    games = []
    for game_id in service.games:
        game = get_game(game_id)
        told = facts.of_game(game, service.hall.opponents(game_id).networks)
        level = service.profile.levels.now(person, game_id, judging=0) if told["mine"] else None
        games.append(told | {"level": level and facts.of_level(game_id, level)})
    profile = service.profile
    return {
        "version": __version__,
        "you": {
            "name": name_shown(person),
            "guest": profile.accounts.is_guest(person),
            "played": profile.games.has_any(person),
        },
        "only": service.person is not None,
        "games": games,
        "tables": [facts.of_unfinished(one) for one in profile.games.listed(person)],
    }


def warm_up(service: Service) -> None:
    """Load what the first visitor would wait for."""
    _start_facts(service, service.person or YOU)


@limited("game")
async def begin(request: Request) -> Response:
    """Begin a game."""
    service = _service(request)
    asked = await body_of(request)
    if asked.get("game") not in service.games:
        raise UsageError(NOT_PLAYED)
    async with staying(request) as person:
        work = partial(new_game, service.profile, person, asked, _most(service))
        matched = is_matched(asked)
        new = await (service.judge(person, work) if matched else service.run(work))
        table = await _tables(request).begin(new)
    return JSONResponse({"id": table.row})


def _most(service: Service) -> dict[str, float]:
    return MOST_OF_MANY if service.person is None else MOST


async def tables_of(request: Request) -> Response:
    """Return finished games, the latest first, before a row if one is named."""
    service, asked = _service(request), request.query_params.get("before", "")
    is_row = asked.isascii() and asked.isdigit() and len(asked) <= DIGITS
    before = int(asked) if is_row else None
    games = await service.run(service.profile.games.latest, person_of(request), LISTED, before)
    return JSONResponse({"tables": [facts.of_finished(game) for game in games]})


async def _finished(request: Request) -> Finished | None:
    service, row = _service(request), request.path_params["row"]
    found = await service.run(service.profile.games.finished, person_of(request), None, row)
    return found[0] if found else None


async def _open_table(request: Request | WebSocket) -> Table | None:
    tables, row, person = _tables(request), request.path_params["row"], person_of(request)
    if row in tables:
        return await tables.find(row, person)
    async with staying(request):
        return await tables.find(row, person)


async def table_of(request: Request) -> Response:
    """Return a game as it stands, with the boards of all plies."""
    table = await _open_table(request)
    if table is not None:
        return JSONResponse(await table.with_boards())
    game = await _finished(request)
    if game is None:
        return JSONResponse(NOTHING, 404)
    return JSONResponse(await _service(request).run(_finished_facts, game))


def _finished_facts(game: Finished) -> dict[str, Any]:
    saved, outcome, line = game.saved, game.outcome, line_of(game)
    words = {1: "You won", 0: "A draw", -1: "You lost"}[outcome.result]
    text = f"{words}{f': {outcome.ending}' if outcome.ending else ''}."
    over = {
        "result": outcome.result,
        "ending": outcome.ending,
        "counts": outcome.counts,
        "text": text,
    }
    return {
        "type": "state",
        "seq": 0,
        "table": game.row,
        "game": saved.game,
        "opponent": {"title": facts.against(game), "level": None, "note": ""},
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
        "can": dict.fromkeys(("undo", "hint", "resign", "draw", "pass", "agree"), False),
        "hint": None,
        "note": "",
        "boards": facts.boards_of(line),
    }


async def delete(request: Request) -> Response:
    """Delete an unfinished game."""
    async with staying(request) as person:
        deleted = await _tables(request).delete(request.path_params["row"], person)
    return JSONResponse({} if deleted else NOTHING, 200 if deleted else 404)


async def record(request: Request) -> Response:
    """Return a finished game as a file."""
    game = await _finished(request)
    if game is None:
        return JSONResponse(NOTHING, 404)
    kind = facts.notation_of(game.saved.game)
    text = await _service(request).run(text_of, game)
    return _file(text, f"{game.saved.game}-{game.row}.{kind}", kind)


def _file(text: str, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=MEDIA[kind], headers=headers)


@limited("review")
async def review(request: Request) -> Response:
    """Return the chances over a finished game, and what its moves gave up."""
    game = await _finished(request)
    if game is None:
        return JSONResponse(NOTHING, 404)
    service, person = _service(request), person_of(request)
    return JSONResponse(await service.judge(person, reviewed, service.profile, person, game))


# -- the socket of a game ------------------------------------------------------------------------


async def socket(socket: WebSocket) -> None:
    """Show a game as it goes on, and hear what the visitor asks of it."""
    try:
        table = await _open_table(socket)
    except RefusedError:
        raise
    except EvenmatchError as error:
        await socket.accept()
        await socket.send_json({"type": "refused", "error": str(error), "seq": 0})
        await socket.close(1011)
        return
    if table is None:
        raise RefusedError(404, NOTHING["error"])
    with counted_in(socket):
        await socket.accept()
        try:
            await require_login(socket)
        except RefusedError:  # it ended before the socket counted, so that nobody closed it
            await closed(socket)
            return
        await _talk(socket, table)


async def _talk(socket: WebSocket, table: Table) -> None:
    states = table.watch()
    telling = asyncio.create_task(_tell(socket, states))
    try:
        await _hear(socket, table)
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        table.leave(states)
        telling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await telling


async def _tell(socket: WebSocket, states: asyncio.Queue[dict[str, Any]]) -> None:
    """Send every state that is not overtaken by the next."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_json(await states.get())


async def _hear(socket: WebSocket, table: Table) -> None:
    while True:
        message, wait = object_in(await _said(socket)) or {}, 0.0
        try:
            limit(socket, "move")
            if message.get("do") == "rematch":
                await socket.send_json({"type": "went", "id": await _rematch(socket, table)})
                continue
            refused = await table.ask(message)
        except EvenmatchError as error:
            refused = str(error)
            wait = error.wait if isinstance(error, TooOftenError) else 0.0
        if refused is not None:
            _service(socket).metrics.refused("game")
            await socket.send_json({"type": "refused", "error": refused, "seq": table.state["seq"]})
        await socket.send_json(table.state)
        await asyncio.sleep(wait)  # so that who floods the server is heard no more often


async def _said(socket: WebSocket) -> str:
    """Return what a visitor says, empty if it is no text. WebSocketDisconnect if they left."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"])
    return message.get("text") or ""


async def _rematch(socket: WebSocket, table: Table) -> int | None:
    limit(socket, "game")
    async with staying(socket):
        after = await _tables(socket).rematch(table)
    return after.row


# -- one's own page ------------------------------------------------------------------------------


@limited("review")
async def me(request: Request) -> Response:
    """Return a person's level in each game, and their games."""
    service, person = _service(request), person_of(request)
    await service.judge_all(person)
    return JSONResponse(await service.judge(person, my_page, service.profile, person))


async def forget_me(request: Request) -> Response:
    """Delete all that is kept of the person, whose name was typed again."""
    service = _service(request)
    name = (await body_of(request)).get("name")
    async with staying(request) as person:
        if name != name_shown(person):
            raise UsageError(f"that is not the name; type {name_shown(person)}")
        _ratings(request).cancel_all(person)
        await _tables(request).close(person)
        await service.run(service.profile.people.delete, person)
        return await forgetting(request, JSONResponse({}))


@limited("review")
async def export(request: Request) -> Response:
    """Return all finished games as one file; one of JSON has the guesses too."""
    service, form = _service(request), request.query_params.get("form", "json")
    if form not in MEDIA:
        raise UsageError("games are exported as json, pgn or sgf")
    notation = "" if form == "json" else form
    games = await service.run(service.profile.games.finished, person_of(request))
    fitting = [one for one in games if not notation or facts.notation_of(one.saved.game) == form]
    text = await service.run(lambda: "".join(map(TEXTS[notation], fitting)))
    if not notation:
        guesses = await service.run(service.profile.guesses.of, person_of(request))
        text += "".join(map(json_of, guesses))
    return _file(text, f"evenmatch.{form}", form)


@limited("upload")
async def take_in(request: Request) -> Response:
    """Add a player's games of a file to the person's own."""
    service, asked = _service(request), request.query_params
    kind = kind_of(asked.get("game", ""), service.games)
    player = asked.get("player", "").strip()
    if not player:
        raise UsageError("say who you are in these games; type the name as the file has it")
    data = await request.body()

    def add(person: str) -> list[str]:
        played = len(service.profile.games.finished(person))
        room = max(MOST_KEPT - played, 0) if service.person is None else None
        with kept(data, asked.get("name", ""), kind) as path:
            return add_games(service.profile, person, kind, [path], player, TYPED, room)

    async with staying(request) as person:
        return JSONResponse({"text": " ".join(await service.judge(person, add, person))})


# -- ratings of files ----------------------------------------------------------------------------


def _ratings(request: Request) -> Ratings:
    return request.app.state.ratings


@limited("upload")
async def rate(request: Request) -> Response:
    """Begin to rate the players of a file."""
    asked = request.query_params
    kind = kind_of(asked.get("game", ""), _service(request).games)
    data = await request.body()
    begun = _ratings(request).begin(person_of(request), data, asked.get("name", ""), kind)
    return JSONResponse({"id": begun})


async def stop_rating(request: Request) -> Response:
    """Let a file be."""
    known = _ratings(request).cancel(request.path_params["number"], person_of(request))
    return JSONResponse({} if known else NOTHING, 200 if known else 404)


async def ratings_of(request: Request) -> Response:
    """Tell what happens to a file, as events."""
    ratings, number = _ratings(request), request.path_params["number"]
    if not ratings.knows(number, person_of(request)):
        return JSONResponse(NOTHING, 404)
    events = ratings.events(number)

    async def lines() -> AsyncIterator[str]:
        async for name, told in events:
            yield f"event: {name}\ndata: {json.dumps(told)}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")
