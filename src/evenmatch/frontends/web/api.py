"""The routes of the server: the page, its JSON, and the sockets of games."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.background import BackgroundTask
from starlette.requests import HTTPConnection, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from evenmatch.app.import_games import add_games
from evenmatch.errors import EvenmatchError, UsageError
from evenmatch.frontends.web import serialize
from evenmatch.frontends.web.auth import (
    PUT_AWAY,
    TooOftenError,
    Visitor,
    asking,
    closed,
    counted_in,
    limit,
    limited,
    person_of,
    state_of,
    staying,
    visitor_of,
)
from evenmatch.frontends.web.guard import SAFE, RefusedError, on_page, path_of, sub_path_of
from evenmatch.frontends.web.live_game import LiveGame
from evenmatch.frontends.web.monitor import is_from_here
from evenmatch.frontends.web.my_page import reviewed
from evenmatch.frontends.web.new_game_request import (
    NOT_PLAYED,
    NewGameRequest,
    max_values,
    new_game,
)
from evenmatch.frontends.web.pairs_page import GuessRequest, judged, next_pair
from evenmatch.frontends.web.ratings import kept, kind_of
from evenmatch.games import get_game
from evenmatch.profiles import Finished, SavedGame
from evenmatch.profiles.accounts import MOST_KEPT
from evenmatch.profiles.export import TEXTS, text_of
from evenmatch.profiles.people import json_of
from evenmatch.records.pairs import shipped_pairs

T = TypeVar("T")

STATIC = Path(__file__).parent / "static"
PAGES = ("/", "/me", "/rate", "/people")  #: all of them are the one page, as are games
LISTED = 30  #: finished games in a list
LAST_ROW = 10**18 - 1  #: the largest number of a game that is looked for; SQLite's are larger
PAUSE = 0.5  #: seconds at most until a socket over a limit is read again
NO_GAME = {"error": "there is no such game"}
NO_PAGE = {"error": "there is no such page"}
AGAIN = {"error": "you have judged this pair already; reload the page for the next one"}
TYPED = "the name that you typed"


def routes(*, people: bool) -> list[BaseRoute]:
    """Return all routes; ``people``: those by which visitors get names, too."""
    found: list[BaseRoute] = [
        *(Route(path, page) for path in PAGES),
        Route("/play/{row:int}", page_of_game),
        Mount("/static", StaticFiles(directory=STATIC)),
        Route("/healthz", healthy),
        Route("/metrics", metrics),
        Route("/api/start", start),
        Route("/api/tables", finished_games, methods=["GET"]),
        Route("/api/tables", begin, methods=["POST"]),
        Route("/api/tables/{row:int}", game, methods=["GET"]),
        Route("/api/tables/{row:int}", delete, methods=["DELETE"]),
        Route("/api/tables/{row:int}/rematch", rematch, methods=["POST"]),
        Route("/api/tables/{row:int}/record", record),
        Route("/api/tables/{row:int}/review", review),
        WebSocketRoute("/api/tables/{row:int}/socket", socket),
        Route("/api/me", me, methods=["GET"]),
        Route("/api/me", forget_me, methods=["DELETE"]),
        Route("/api/me/export", export),
        Route("/api/me/import", take_in, methods=["POST"]),
        Route("/api/ratings", rate, methods=["POST"]),
        Route("/api/ratings/{number}", stop_rating, methods=["DELETE"]),
        Route("/api/ratings/{number}/events", events_of),
        Route("/api/pair", pair, methods=["GET"]),
        Route("/api/pair", guess, methods=["POST"]),
    ]
    if people:
        found += [
            Route("/api/join", join, methods=["POST"]),
            Route("/api/enter", enter, methods=["POST"]),
            Route("/api/leave", leave, methods=["POST"]),
        ]
    return found


class NameRequest(msgspec.Struct):
    """The body of a request that confirms or tries a name."""

    name: str
    passphrase: str = ""


async def body_of(request: Request, kind: type[T]) -> T:
    """Return the body of a request; UsageError if it is none of its kind."""
    try:
        return msgspec.json.decode(await request.body() or b"{}", type=kind)
    except msgspec.ValidationError as error:
        wrong, _, where = str(error).replace("`", "").partition(" - at $.")
        where = where.rpartition(".")[2] or "the request"
        text = f"{where} cannot be read: {wrong[0].lower()}{wrong[1:]}"
        raise UsageError(f"{text}; correct it, or reload the page") from None
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        raise UsageError("the request cannot be read; reload the page") from None


def row_of(connection: HTTPConnection) -> int:
    """Return the number of the game in a path; no game has the largest."""
    row: int = connection.path_params["row"]
    return min(row, LAST_ROW)


def found_or_none(told: Any) -> Response:
    """Return an answer, or that there is no such game."""
    return JSONResponse(NO_GAME, 404) if told is None else JSONResponse(told)


def file_answer(text: str, name: str, kind: str) -> Response:
    """Return a text as a file of a kind, one of `serialize.MEDIA`."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=serialize.MEDIA[kind], headers=headers)


# -- the page, its first request, the health check and the metrics ---------------------------------


async def page(request: Request, status: int = 200) -> Response:
    """Return the page, with its links below the path where a proxy shows it."""
    headers = {"cache-control": "no-cache"}
    if not (path := sub_path_of(request.scope)):
        return FileResponse(STATIC / "index.html", status_code=status, headers=headers)
    text = re.sub(r'(href|src)="/', rf'\1="{path}/', (STATIC / "index.html").read_text("utf-8"))
    return HTMLResponse(text, status, headers)


async def page_of_game(request: Request) -> Response:
    """Return the page if the visitor has such a game."""
    try:
        person = await asking(request)
        has = person is not None and await state_of(request).games.has(row_of(request), person)
    except (EvenmatchError, OSError):
        has = True  # the page asks again, and shows what is wrong
    return await (page(request) if has else _nothing(request, NO_GAME))


async def missing(request: Request, error: Exception) -> Response:
    """Return the answer to a path that has no route."""
    return await _nothing(request, NO_PAGE)


async def _nothing(request: Request, line: dict[str, str]) -> Response:
    """Return the page to a browser that goes there, which says so; a line to anyone else."""
    goes = request.method in SAFE and "text/html" in request.headers.get("accept", "")
    if goes and not path_of(request.scope).startswith("/api/"):
        return await page(request, 404)
    return JSONResponse(line, 404)


async def healthy(request: Request) -> Response:
    """Say that the server runs."""
    return JSONResponse({"well": True, "tables": len(state_of(request).games)})


async def metrics(request: Request) -> Response:
    """Return the metrics to this machine; to others there is no such page."""
    if not is_from_here(request):
        return await _nothing(request, NO_PAGE)
    text = await state_of(request).service.run(state_of(request).service.metrics.text)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


async def start(request: Request) -> Response:
    """Return what the page needs first."""
    service = state_of(request).service
    told = await service.run(serialize.of_start, service, person_of(request))
    answer = JSONResponse(told)
    if visitor_of(request) is None:
        return answer
    return await state_of(request).logins.remembering(request, answer)


# -- games -----------------------------------------------------------------------------------------


@limited("game")
async def begin(request: Request) -> Response:
    """Begin a game."""
    service = state_of(request).service
    body = await body_of(request, NewGameRequest)
    if body.game not in service.games:
        raise UsageError(NOT_PLAYED)
    async with staying(request) as person:
        work = partial(new_game, service.profile, person, body, max_values(service.person))
        new = await (service.judge(person, work) if body.is_matched else service.run(work))
        table = await state_of(request).games.begin(new)
    return JSONResponse({"id": table.row})


async def finished_games(request: Request) -> Response:
    """Return finished games, the latest first, before a row if one is named."""
    service, text = state_of(request).service, request.query_params.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None
    games = await service.run(service.profile.games.latest, person_of(request), LISTED, before)
    return JSONResponse({"tables": [serialize.of_finished(game) for game in games]})


async def _finished(request: Request) -> Finished | None:
    service = state_of(request).service
    work = service.profile.games.finished
    return next(iter(await service.run(work, person_of(request), None, row_of(request))), None)


async def _unfinished(request: Request) -> SavedGame | None:
    service = state_of(request).service
    work = service.profile.games.unfinished
    return next(iter(await service.run(work, person_of(request), row_of(request))), None)


async def game(request: Request) -> Response:
    """Return a game as it stands, with the boards of all plies."""
    table = await open_table(request)
    if table is not None:
        return JSONResponse(await table.with_boards())
    if (finished := await _finished(request)) is None:
        return found_or_none(None)
    told = await state_of(request).service.run(serialize.of_finished_game, finished)
    return JSONResponse(told)


async def delete(request: Request) -> Response:
    """Delete an unfinished game."""
    async with staying(request) as person:
        deleted = await state_of(request).games.delete(row_of(request), person)
    return found_or_none({} if deleted else None)


@limited("game")
async def rematch(request: Request) -> Response:
    """Begin the game after a finished one, with the sides swapped."""
    async with staying(request) as person:
        after = await state_of(request).games.rematch(row_of(request), person)
    return found_or_none(after and {"id": after.row})


async def record(request: Request) -> Response:
    """Return a game as a file, as far as it went."""
    game = await _unfinished(request) or await _finished(request)  # it may end meanwhile
    if game is None:
        return found_or_none(None)
    kind = serialize.notation_of(game.saved.game)
    text = await state_of(request).service.run(text_of, game)
    return file_answer(text, f"{game.saved.game}-{game.row}.{kind}", kind)


@limited("review")
async def review(request: Request) -> Response:
    """Return the chances over a finished game, and what its moves gave up."""
    if (game := await _finished(request)) is None:
        return found_or_none(None)
    service, person = state_of(request).service, person_of(request)
    return JSONResponse(await service.judge(person, reviewed, service.profile, person, game))


async def open_table(request: HTTPConnection) -> LiveGame | None:
    """Return the game that a path names, resumed; None if the visitor has none such."""
    tables, row, person = state_of(request).games, row_of(request), person_of(request)
    if row in tables:
        return await tables.find(row, person)
    async with staying(request):
        return await tables.find(row, person)


# -- the socket of a game --------------------------------------------------------------------------


async def socket(socket: WebSocket) -> None:
    """Send a game's states as they change, and carry out the visitor's commands."""
    try:
        table = await open_table(socket)
    except RefusedError:
        raise
    except EvenmatchError as error:
        await socket.accept()
        await socket.send_json({"type": "refused", "error": on_page(str(error)), "seq": 0})
        await socket.close(1011)
        return
    if table is None:
        raise RefusedError(404, NO_GAME["error"])
    with counted_in(socket):
        await socket.accept()
        try:
            if (visitor := visitor_of(socket)) is not None:
                await state_of(socket).logins.require(visitor)
        except RefusedError:  # it ended before the socket counted, so that nobody closed it
            await closed(socket)
            return
        states = table.watch()
        sending = asyncio.create_task(_send(socket, states))
        try:
            await _receive(socket, table)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            table.leave(states)
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sending


async def _send(socket: WebSocket, states: asyncio.Queue[dict[str, Any] | None]) -> None:
    """Send every state that is not overtaken by the next; close the socket after the last."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while (state := await states.get()) is not None:
            await socket.send_json(state)
        await closed(socket, PUT_AWAY)


async def _receive(socket: WebSocket, table: LiveGame) -> None:
    while True:
        frame = await socket.receive()
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(frame["code"])
        message: dict[str, Any] = {}
        with contextlib.suppress(msgspec.MsgspecError, RecursionError):  # it does nothing then
            message = msgspec.json.decode(frame.get("text") or "{}", type=dict)
        wait, published = 0.0, False
        try:
            limit(socket, "move")
            refused, published = await table.ask(message)
        except EvenmatchError as error:
            refused = on_page(str(error))
            wait = error.wait if isinstance(error, TooOftenError) else 0.0
        if refused is not None:
            state_of(socket).service.metrics.refused("game")
            await socket.send_json({"type": "refused", "error": refused, "seq": table.state["seq"]})
        if refused is not None or not published:  # otherwise `_send` does it
            await socket.send_json(table.state)
        await asyncio.sleep(min(wait, PAUSE))  # so that a flood is read no faster


# -- the person ------------------------------------------------------------------------------------


@limited("review")
async def me(request: Request) -> Response:
    """Return a person's level in each game as far as it is known, and their games."""
    return JSONResponse(await state_of(request).my_pages.page(person_of(request)))


async def forget_me(request: Request) -> Response:
    """Delete all that is kept of the person, whose name was typed again."""
    state, name = state_of(request), (await body_of(request, NameRequest)).name.strip()
    async with staying(request) as person:
        if name.casefold() != serialize.name_shown(person).casefold():
            raise UsageError(f"that is not the name; type {serialize.name_shown(person)}")
        state.ratings.cancel_all(person)
        await state.games.close(person)
        state.my_pages.forget(person)
        await state.service.run(state.service.profile.people.delete, person)
        answer = JSONResponse({})
        if visitor_of(request) is None:
            return answer
        await state.logins.sockets.close(person)
        return state.logins.keeping(request, answer, "")


@limited("review")
async def export(request: Request) -> Response:
    """Return all finished games as one file; one of JSON has the guesses too."""
    service, form = state_of(request).service, request.query_params.get("form", "json")
    if form not in serialize.MEDIA:
        raise UsageError("games are exported as json, pgn or sgf")
    notation = "" if form == "json" else form
    games = await service.run(service.profile.games.finished, person_of(request))
    fitting = [one for one in games if form in ("json", serialize.notation_of(one.saved.game))]
    text = await service.run(lambda: "".join(map(TEXTS[notation], fitting)))
    if not notation:
        guesses = await service.run(service.profile.guesses.of, person_of(request))
        text += "".join(map(json_of, guesses))
    if not text:
        raise UsageError(_nothing_in(notation, service.games))
    return file_answer(text, f"evenmatch.{form}", form)


def _nothing_in(notation: str, games: Iterable[str]) -> str:
    """Say that a file of a notation would have no game, and which of the games would fill it."""
    if not notation:
        return "there is nothing to download yet; finish a game"
    fitting = [get_game(game).title for game in games if serialize.notation_of(game) == notation]
    play = f"play {' or '.join(fitting)}, or " if fitting else ""
    return f"you have finished no game that {notation.upper()} is for; {play}download JSON"


@limited("upload")
async def take_in(request: Request) -> Response:
    """Add a player's games of a file to the person's own."""
    service, query = state_of(request).service, request.query_params
    kind = kind_of(query.get("game", ""), service.games)
    player = query.get("player", "").strip()
    if not player:
        raise UsageError("say who you are in these games; type the name as the file has it")
    data = await request.body()

    def add(person: str) -> list[str]:
        played = len(service.profile.games.finished(person))
        room = max(MOST_KEPT - played, 0) if service.person is None else None
        with kept(data, query.get("name", ""), kind) as path:
            return add_games(service.profile, person, [(path, [kind])], player, TYPED, room)

    async with staying(request) as person:
        return JSONResponse({"text": " ".join(await service.judge(person, add, person))})


# -- files to rate, pairs to guess -----------------------------------------------------------------


@limited("upload")
async def rate(request: Request) -> Response:
    """Begin to rate the players of a file."""
    query = request.query_params
    kind = kind_of(query.get("game", ""), state_of(request).service.games)
    data = await request.body()
    begun = state_of(request).ratings.begin(person_of(request), data, query.get("name", ""), kind)
    return JSONResponse({"id": begun})


async def stop_rating(request: Request) -> Response:
    """Stop to rate a file."""
    known = state_of(request).ratings.cancel(request.path_params["number"], person_of(request))
    return found_or_none({} if known else None)


async def events_of(request: Request) -> Response:
    """Send what happens to a file, as events."""
    ratings, number = state_of(request).ratings, request.path_params["number"]
    if not ratings.knows(number, person_of(request)):
        return found_or_none(None)
    events = ratings.events(number)

    async def lines() -> AsyncIterator[str]:
        async for name, told in events:
            yield f"event: {name}\ndata: {json.dumps(told)}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


async def pair(request: Request) -> Response:
    """Return the pair that the person judges next."""
    service = state_of(request).service
    game = shipped_pairs().game
    if game not in service.games:
        told = f"the games to judge are of {get_game(game).title}, which is not played here"
        return JSONResponse({"error": told}, 404)
    return JSONResponse(await service.run(next_pair, service.profile, person_of(request)))


async def guess(request: Request) -> Response:
    """Keep the person's guess about a pair, and answer whether it is right."""
    service = state_of(request).service
    body = await body_of(request, GuessRequest)
    async with staying(request) as person:
        told = await service.run(judged, service.profile, person, body)
    return JSONResponse(AGAIN, 409) if told is None else JSONResponse(told)


# -- names and logins ------------------------------------------------------------------------------


def _visitor(request: Request) -> Visitor:
    visitor = visitor_of(request)
    assert visitor is not None, "these routes are there with logins only"
    return visitor


async def _tried(request: Request) -> tuple[str, str]:
    """Return the name and the passphrase of a request, which counts as a try."""
    body = await body_of(request, NameRequest)
    state_of(request).logins.limit_trying(request, body.name)
    return body.name, body.passphrase


async def join(request: Request) -> Response:
    """Give a guest a name and a passphrase; their games continue under it."""
    state, visitor, tried = state_of(request), _visitor(request), await _tried(request)
    async with staying(request), state.games.still(visitor.person) as sessions:
        now = await state.logins.join(visitor, *tried)
        for session in sessions:
            session.person = now.person
        state.ratings.rename(visitor.person, now.person)
    return _entered(request, now, BackgroundTask(state.logins.end_others, visitor, now))


async def enter(request: Request) -> Response:
    """Log a browser in as another person; a guest's games stay with the guest."""
    logins, visitor = state_of(request).logins, _visitor(request)
    now = await logins.enter(*await _tried(request))
    return _entered(request, now, BackgroundTask(logins.end, visitor))


def _entered(request: Request, now: Visitor, then: BackgroundTask) -> Response:
    """Return the answer that brings a login. Older ones end after it: none is missing meanwhile."""
    answer = JSONResponse({"name": now.person}, background=then)
    return state_of(request).logins.keeping(request, answer, now.token)


async def leave(request: Request) -> Response:
    """End the login of a browser."""
    logins = state_of(request).logins
    await logins.end(_visitor(request))
    return logins.keeping(request, JSONResponse({}), "")
