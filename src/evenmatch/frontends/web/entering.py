"""How a guest becomes somebody with a name, and how one enters and leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from evenmatch.frontends.web.allowed import staying
from evenmatch.frontends.web.app_state import logins_of, ratings_of, tables_of
from evenmatch.frontends.web.body import body_of, word_of
from evenmatch.frontends.web.visitor import Visitor, visitor_of

if TYPE_CHECKING:
    from evenmatch.frontends.web.logins import Logins


def entering_routes() -> list[BaseRoute]:
    """Return the routes that are there only where many people play."""
    return [
        Route("/api/join", join, methods=["POST"]),
        Route("/api/enter", enter, methods=["POST"]),
        Route("/api/leave", leave, methods=["POST"]),
    ]


def _asking(request: Request) -> tuple[Logins, Visitor]:
    visitor = visitor_of(request)
    assert visitor is not None, "the door lets in nobody else"
    return logins_of(request), visitor


async def _tried(request: Request) -> tuple[str, str]:
    """Return the name and the passphrase of a request, which counts as a try."""
    asked = await body_of(request)
    name, passphrase = word_of(asked, "name"), word_of(asked, "passphrase")
    logins_of(request).limit_trying(request, name)
    return name, passphrase


async def join(request: Request) -> Response:
    """Give a guest a name and a passphrase; their games go on under it."""
    logins, visitor = _asking(request)
    name, passphrase = await _tried(request)
    async with staying(request), tables_of(request).still(visitor.person) as sessions:
        name = await logins.join(visitor, name, passphrase)
        for session in sessions:
            session.person = name
        ratings_of(request).rename(visitor.person, name)
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
