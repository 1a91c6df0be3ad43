"""What the server answers about the person: levels and games, what is kept, given and forgotten."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from evenmatch.app.import_games import add_games
from evenmatch.errors import UsageError
from evenmatch.frontends.web import facts
from evenmatch.frontends.web.allowed import forgetting, limited, staying
from evenmatch.frontends.web.answers import MEDIA, file_answer
from evenmatch.frontends.web.app_state import my_pages_of, ratings_of, service_of, tables_of
from evenmatch.frontends.web.body import body_of, word_of
from evenmatch.frontends.web.my_page import name_shown
from evenmatch.frontends.web.uploads import kept, kind_of
from evenmatch.frontends.web.visitor import person_of
from evenmatch.games import get_game
from evenmatch.profiles.accounts import MOST_KEPT
from evenmatch.profiles.export import TEXTS
from evenmatch.profiles.guesses import json_of

TYPED = "the name that you typed"


def me_routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        Route("/api/me", me, methods=["GET"]),
        Route("/api/me", forget_me, methods=["DELETE"]),
        Route("/api/me/export", export),
        Route("/api/me/import", take_in, methods=["POST"]),
    ]


@limited("review")
async def me(request: Request) -> Response:
    """Return a person's level in each game as far as it is known, and their games."""
    return JSONResponse(await my_pages_of(request).page(person_of(request)))


async def forget_me(request: Request) -> Response:
    """Delete all that is kept of the person, whose name was typed again."""
    service = service_of(request)
    name = word_of(await body_of(request), "name").strip()
    async with staying(request) as person:
        if name.casefold() != name_shown(person).casefold():
            raise UsageError(f"that is not the name; type {name_shown(person)}")
        ratings_of(request).cancel_all(person)
        await tables_of(request).close(person)
        my_pages_of(request).forget(person)
        await service.run(service.profile.people.delete, person)
        return await forgetting(request, JSONResponse({}))


@limited("review")
async def export(request: Request) -> Response:
    """Return all finished games as one file; one of JSON has the guesses too."""
    service, form = service_of(request), request.query_params.get("form", "json")
    if form not in MEDIA:
        raise UsageError("games are exported as json, pgn or sgf")
    notation = "" if form == "json" else form
    games = await service.run(service.profile.games.finished, person_of(request))
    fitting = [one for one in games if not notation or facts.notation_of(one.saved.game) == form]
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
    fitting = [get_game(game).title for game in games if facts.notation_of(game) == notation]
    play = f"play {' or '.join(fitting)}, or " if fitting else ""
    return f"you have finished no game that {notation.upper()} is for; {play}download JSON"


@limited("upload")
async def take_in(request: Request) -> Response:
    """Add a player's games of a file to the person's own."""
    service, asked = service_of(request), request.query_params
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
