"""What the server answers about files whose players are rated."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from evenmatch.frontends.web.allowed import limited
from evenmatch.frontends.web.answers import NOTHING, done_or_nothing
from evenmatch.frontends.web.app_state import ratings_of, service_of
from evenmatch.frontends.web.uploads import kind_of
from evenmatch.frontends.web.visitor import person_of


def ratings_routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        Route("/api/ratings", rate, methods=["POST"]),
        Route("/api/ratings/{number}", stop_rating, methods=["DELETE"]),
        Route("/api/ratings/{number}/events", events_of),
    ]


@limited("upload")
async def rate(request: Request) -> Response:
    """Begin to rate the players of a file."""
    asked = request.query_params
    kind = kind_of(asked.get("game", ""), service_of(request).games)
    data = await request.body()
    begun = ratings_of(request).begin(person_of(request), data, asked.get("name", ""), kind)
    return JSONResponse({"id": begun})


async def stop_rating(request: Request) -> Response:
    """Let a file be."""
    known = ratings_of(request).cancel(request.path_params["number"], person_of(request))
    return done_or_nothing(known)


async def events_of(request: Request) -> Response:
    """Tell what happens to a file, as events."""
    ratings, number = ratings_of(request), request.path_params["number"]
    if not ratings.knows(number, person_of(request)):
        return JSONResponse(NOTHING, 404)
    events = ratings.events(number)

    async def lines() -> AsyncIterator[str]:
        async for name, told in events:
            yield f"event: {name}\ndata: {json.dumps(told)}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")
