"""The routes of the API: games, the person, files to rate, pairs to guess, names and logins."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.background import BackgroundTask
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute

from evenmatch.app.game_words import against
from evenmatch.app.import_games import add_games
from evenmatch.errors import UsageError
from evenmatch.frontends.web import serialize
from evenmatch.frontends.web.auth import (
    Visitor,
    forgetting,
    limited,
    person_of,
    state_of,
    staying,
    visitor_of,
)
from evenmatch.frontends.web.game_socket import open_table, socket
from evenmatch.frontends.web.http_json import (
    MEDIA,
    NOTHING,
    body_of,
    done_or_nothing,
    file_answer,
    word_of,
)
from evenmatch.frontends.web.live_game import CAN
from evenmatch.frontends.web.my_page import name_shown, reviewed
from evenmatch.frontends.web.new_game_request import NOT_PLAYED, is_matched, max_values, new_game
from evenmatch.frontends.web.pages import page_routes
from evenmatch.frontends.web.pairs_page import judged, next_pair
from evenmatch.frontends.web.ratings import kept, kind_of
from evenmatch.games import get_game
from evenmatch.profiles import Finished, SavedGame
from evenmatch.profiles.accounts import MOST_KEPT
from evenmatch.profiles.export import TEXTS, text_of
from evenmatch.profiles.people import json_of
from evenmatch.records.pairs import shipped_pairs

if TYPE_CHECKING:
    from evenmatch.frontends.web.auth import Logins

LISTED = 30  #: finished games in a list
ROW_DIGITS = 18  #: of the number of a game; the database can look for no larger one
NO_ROW = -1  #: number of no game


class Row(IntegerConvertor):
    """The number of a game in a path."""

    def convert(self, value: str) -> int:
        """Return the number, one that no game has where it is 0 or too long."""
        return (int(value) if len(value) <= ROW_DIGITS else 0) or NO_ROW


def routes(*, people: bool) -> list[BaseRoute]:
    """Return all routes; ``people``: those by which visitors get names, too."""
    register_url_convertor("row", Row())
    found: list[BaseRoute] = [
        *page_routes(),
        Route("/api/tables", finished_games, methods=["GET"]),
        Route("/api/tables", begin, methods=["POST"]),
        Route("/api/tables/{row:row}", game, methods=["GET"]),
        Route("/api/tables/{row:row}", delete, methods=["DELETE"]),
        Route("/api/tables/{row:row}/rematch", rematch, methods=["POST"]),
        Route("/api/tables/{row:row}/record", record),
        Route("/api/tables/{row:row}/review", review),
        WebSocketRoute("/api/tables/{row:row}/socket", socket),
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


@limited("game")
async def begin(request: Request) -> Response:
    """Begin a game."""
    service = state_of(request).service
    asked = await body_of(request)
    if asked.get("game") not in service.games:
        raise UsageError(NOT_PLAYED)
    async with staying(request) as person:
        work = partial(new_game, service.profile, person, asked, max_values(service.person))
        matched = is_matched(asked)
        new = await (service.judge(person, work) if matched else service.run(work))
        table = await state_of(request).games.begin(new)
    return JSONResponse({"id": table.row})


async def finished_games(request: Request) -> Response:
    """Return finished games, the latest first, before a row if one is named."""
    service, asked = state_of(request).service, request.query_params.get("before", "")
    is_row = asked.isascii() and asked.isdigit() and len(asked) <= ROW_DIGITS
    before = int(asked) if is_row else None
    games = await service.run(service.profile.games.latest, person_of(request), LISTED, before)
    return JSONResponse({"tables": [serialize.of_finished(game) for game in games]})


async def _finished(request: Request) -> Finished | None:
    service, row = state_of(request).service, request.path_params["row"]
    found = await service.run(service.profile.games.finished, person_of(request), None, row)
    return found[0] if found else None


async def _unfinished(request: Request) -> SavedGame | None:
    service, row = state_of(request).service, request.path_params["row"]
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
    return JSONResponse(await state_of(request).service.run(_finished_facts, finished))


def _finished_facts(game: Finished) -> dict[str, Any]:
    saved, outcome, line = game.saved, game.outcome, game.line
    method = "" if game.imported else serialize.method_of(saved.opponent)
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
        **serialize.of_position(line, list(saved.marks)),
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
        "boards": serialize.boards_of(line),
    }


async def delete(request: Request) -> Response:
    """Delete an unfinished game."""
    async with staying(request) as person:
        deleted = await state_of(request).games.delete(request.path_params["row"], person)
    return done_or_nothing(deleted)


@limited("game")
async def rematch(request: Request) -> Response:
    """Begin the game after a finished one, with the sides swapped."""
    async with staying(request) as person:
        after = await state_of(request).games.rematch(request.path_params["row"], person)
    return JSONResponse(*(NOTHING, 404) if after is None else ({"id": after.row},))


async def record(request: Request) -> Response:
    """Return a game as a file, as far as it went."""
    game = await _unfinished(request) or await _finished(request)  # it may end meanwhile
    if game is None:
        return JSONResponse(NOTHING, 404)
    kind = serialize.notation_of(game.saved.game)
    text = await state_of(request).service.run(text_of, game)
    return file_answer(text, f"{game.saved.game}-{game.row}.{kind}", kind)


@limited("review")
async def review(request: Request) -> Response:
    """Return the chances over a finished game, and what its moves gave up."""
    game = await _finished(request)
    if game is None:
        return JSONResponse(NOTHING, 404)
    service, person = state_of(request).service, person_of(request)
    return JSONResponse(await service.judge(person, reviewed, service.profile, person, game))


TYPED = "the name that you typed"


@limited("review")
async def me(request: Request) -> Response:
    """Return a person's level in each game as far as it is known, and their games."""
    return JSONResponse(await state_of(request).my_pages.page(person_of(request)))


async def forget_me(request: Request) -> Response:
    """Delete all that is kept of the person, whose name was typed again."""
    service = state_of(request).service
    name = word_of(await body_of(request), "name").strip()
    async with staying(request) as person:
        if name.casefold() != name_shown(person).casefold():
            raise UsageError(f"that is not the name; type {name_shown(person)}")
        state_of(request).ratings.cancel_all(person)
        await state_of(request).games.close(person)
        state_of(request).my_pages.forget(person)
        await service.run(service.profile.people.delete, person)
        return await forgetting(request, JSONResponse({}))


@limited("review")
async def export(request: Request) -> Response:
    """Return all finished games as one file; one of JSON has the guesses too."""
    service, form = state_of(request).service, request.query_params.get("form", "json")
    if form not in MEDIA:
        raise UsageError("games are exported as json, pgn or sgf")
    notation = "" if form == "json" else form
    games = await service.run(service.profile.games.finished, person_of(request))
    fitting = [
        one for one in games if not notation or serialize.notation_of(one.saved.game) == form
    ]
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
    service, asked = state_of(request).service, request.query_params
    kind = kind_of(asked.get("game", ""), service.games)
    player = asked.get("player", "").strip()
    if not player:
        raise UsageError("say who you are in these games; type the name as the file has it")
    data = await request.body()

    def add(person: str) -> list[str]:
        played = len(service.profile.games.finished(person))
        room = max(MOST_KEPT - played, 0) if service.person is None else None
        with kept(data, asked.get("name", ""), kind) as path:
            return add_games(service.profile, person, [(path, [kind])], player, TYPED, room)

    async with staying(request) as person:
        return JSONResponse({"text": " ".join(await service.judge(person, add, person))})


@limited("upload")
async def rate(request: Request) -> Response:
    """Begin to rate the players of a file."""
    asked = request.query_params
    kind = kind_of(asked.get("game", ""), state_of(request).service.games)
    data = await request.body()
    begun = state_of(request).ratings.begin(person_of(request), data, asked.get("name", ""), kind)
    return JSONResponse({"id": begun})


async def stop_rating(request: Request) -> Response:
    """Let a file be."""
    known = state_of(request).ratings.cancel(request.path_params["number"], person_of(request))
    return done_or_nothing(known)


async def events_of(request: Request) -> Response:
    """Tell what happens to a file, as events."""
    ratings, number = state_of(request).ratings, request.path_params["number"]
    if not ratings.knows(number, person_of(request)):
        return JSONResponse(NOTHING, 404)
    events = ratings.events(number)

    async def lines() -> AsyncIterator[str]:
        async for name, told in events:
            yield f"event: {name}\ndata: {json.dumps(told)}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


AGAIN = {"error": "you have judged this pair already; reload the page for the next one"}


async def pair(request: Request) -> Response:
    """Return the pair that the person judges next."""
    service = state_of(request).service
    game = shipped_pairs().game
    if game not in service.games:
        told = f"the games to judge are of {get_game(game).title}, which is not played here"
        return JSONResponse({"error": told}, 404)
    return JSONResponse(await service.run(next_pair, service.profile, person_of(request)))


async def guess(request: Request) -> Response:
    """Keep what the person says of a pair, and tell whether it is right."""
    service = state_of(request).service
    asked = await body_of(request)
    async with staying(request) as person:
        told = await service.run(judged, service.profile, person, asked)
    return JSONResponse(AGAIN, 409) if told is None else JSONResponse(told)


def _asking(request: Request) -> tuple[Logins, Visitor]:
    visitor = visitor_of(request)
    assert visitor is not None, "the door lets in nobody else"
    return state_of(request).logins, visitor


async def _tried(request: Request) -> tuple[str, str]:
    """Return the name and the passphrase of a request, which counts as a try."""
    asked = await body_of(request)
    name, passphrase = word_of(asked, "name"), word_of(asked, "passphrase")
    state_of(request).logins.limit_trying(request, name)
    return name, passphrase


async def join(request: Request) -> Response:
    """Give a guest a name and a passphrase; their games go on under it."""
    logins, visitor = _asking(request)
    name, passphrase = await _tried(request)
    async with staying(request), state_of(request).games.still(visitor.person) as sessions:
        name = await logins.join(visitor, name, passphrase)
        for session in sessions:
            session.person = name
        state_of(request).ratings.rename(visitor.person, name)
        now = await logins.open(name)
    return _entered(request, now, BackgroundTask(logins.end_others, visitor, now))


async def enter(request: Request) -> Response:
    """Let a browser be somebody else's; a guest's games stay with the guest."""
    logins, visitor = _asking(request)
    now = await logins.open(await logins.enter(*await _tried(request)))
    return _entered(request, now, BackgroundTask(logins.end, visitor))


def _entered(request: Request, now: Visitor, then: BackgroundTask) -> Response:
    """Return the answer that brings a login. Older ones end after it: none is missing meanwhile."""
    answer = JSONResponse({"name": now.person}, background=then)
    return _asking(request)[0].remembering(request, answer, now.token)


async def leave(request: Request) -> Response:
    """End the login of a browser."""
    logins, visitor = _asking(request)
    await logins.end(visitor)
    return logins.forgetting(request, JSONResponse({}))
