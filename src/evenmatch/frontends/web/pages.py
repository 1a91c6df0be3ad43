"""The routes of the page itself, what it needs first, the health check and the metrics."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from evenmatch import __version__
from evenmatch.errors import EvenmatchError
from evenmatch.frontends.web import serialize
from evenmatch.frontends.web.auth import asking, person_of, remembering, state_of
from evenmatch.frontends.web.guard import SAFE, sub_path_of
from evenmatch.frontends.web.http_json import NOTHING, NOTHING_THERE
from evenmatch.frontends.web.metrics import is_from_here
from evenmatch.frontends.web.my_page import name_shown
from evenmatch.frontends.web.service import Service
from evenmatch.games import get_game
from evenmatch.play.saved import YOU
from evenmatch.records.pairs import shipped_pairs

STATIC = Path(__file__).parent / "static"
PAGES = ("/", "/me", "/rate", "/people")  #: all of them are the one page, as are games


def page_routes() -> list[BaseRoute]:
    """Return the routes."""
    return [
        *(Route(path, page) for path in PAGES),
        Route("/play/{row:row}", page_of_game),
        Mount("/static", StaticFiles(directory=STATIC)),
        Route("/healthz", healthy),
        Route("/metrics", metrics),
        Route("/api/start", start),
    ]


async def page(request: Request) -> Response:
    """Return the page."""
    return _page(request)


def _page(request: Request, status: int = 200) -> Response:
    headers = {"cache-control": "no-cache"}
    if not (path := sub_path_of(request.scope)):
        return FileResponse(STATIC / "index.html", status_code=status, headers=headers)
    text = re.sub(r'(href|src)="/', rf'\1="{path}/', (STATIC / "index.html").read_text("utf-8"))
    return HTMLResponse(text, status, headers)


async def page_of_game(request: Request) -> Response:
    """Return the page if the visitor has such a game."""
    row = request.path_params["row"]
    try:
        person = await asking(request)
        has = person is not None and await state_of(request).games.has(row, person)
    except (EvenmatchError, OSError):
        return _page(request)  # which asks again, and tells what is wrong
    return _page(request) if has else _nothing(request, NOTHING)


async def missing(request: Request, error: Exception) -> Response:
    """Return what is answered where nothing is."""
    return _nothing(request, NOTHING_THERE)


def _nothing(request: Request, line: dict[str, str]) -> Response:
    """Return the page to a browser that goes there, which says so; a line to anyone else."""
    goes = request.method in SAFE and "text/html" in request.headers.get("accept", "")
    if goes and not request.url.path.startswith("/api/"):
        return _page(request, 404)
    return JSONResponse(line, 404)


async def healthy(request: Request) -> Response:
    """Say that the server runs."""
    return JSONResponse({"well": True, "tables": len(state_of(request).games)})


async def metrics(request: Request) -> Response:
    """Return what was counted, to who asks from this machine."""
    address = request.client.host if request.client else None
    if not is_from_here(address, request.headers.__contains__):
        return _nothing(request, NOTHING_THERE)
    text = await state_of(request).service.run(state_of(request).service.metrics.text)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


async def start(request: Request) -> Response:
    """Return what the page needs first."""
    service = state_of(request).service
    told = await service.run(_start_facts, service, person_of(request))
    return await remembering(request, JSONResponse(told))


def _start_facts(service: Service, person: str) -> dict[str, Any]:
    games = []
    for game_id in service.games:
        game = get_game(game_id)
        told = serialize.of_game(game, service.batchers.of(game_id))
        level = service.profile.levels.now(person, game_id, max_new=0) if told["mine"] else None
        games.append(told | {"level": serialize.of_level(game_id, level)})
    profile = service.profile
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
        "tables": [serialize.of_unfinished(one) for one in profile.games.unfinished(person)],
    }


def warm_up(service: Service) -> None:
    """Find what the page is told first, which takes longer the first time."""
    _start_facts(service, service.person or YOU)
