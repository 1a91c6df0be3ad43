"""What the server answers about pairs of games, of which one is a program's."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from evenmatch.frontends.web.allowed import staying
from evenmatch.frontends.web.app_state import service_of
from evenmatch.frontends.web.body import body_of
from evenmatch.frontends.web.pairs_page import judged, next_pair
from evenmatch.frontends.web.visitor import person_of
from evenmatch.games import get_game
from evenmatch.records.pairs import shipped_pairs

AGAIN = {"error": "you have judged this pair already; reload the page for the next one"}


def pairs_routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        Route("/api/pair", pair, methods=["GET"]),
        Route("/api/pair", judge, methods=["POST"]),
    ]


async def pair(request: Request) -> Response:
    """Return the pair that the person judges next."""
    service = service_of(request)
    game = shipped_pairs().game
    if game not in service.games:
        told = f"the games to judge are of {get_game(game).title}, which is not played here"
        return JSONResponse({"error": told}, 404)
    return JSONResponse(await service.run(next_pair, service.profile, person_of(request)))


async def judge(request: Request) -> Response:
    """Keep what the person says of a pair, and tell whether it is right."""
    service = service_of(request)
    asked = await body_of(request)
    async with staying(request) as person:
        told = await service.run(judged, service.profile, person, asked)
    return JSONResponse(AGAIN, 409) if told is None else JSONResponse(told)
