"""The door, where many people play: each request gets the person whose login it brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenmatch.frontends.web.guard import MARK, RefusedError
from evenmatch.frontends.web.logins import NOBODY, Logins
from evenmatch.frontends.web.visitor import SCOPE, Visitor

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import ASGIApp, Receive, Scope, Send

API = "/api/"  #: how the paths begin for which somebody has to be known
START = "/api/start"  #: what makes guests, if the page itself asks


class Door:
    """The middleware. Who asks for the page's files alone becomes no guest: robots do."""

    def __init__(self, app: ASGIApp, logins: Logins):
        self._app, self._logins = app, logins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what somebody asks who is known. RefusedError for others."""
        from starlette.requests import HTTPConnection

        if scope["type"] != "lifespan" and scope["path"].startswith(API):
            scope[SCOPE] = await self._visitor(HTTPConnection(scope))
        await self._app(scope, receive, send)

    async def _visitor(self, connection: HTTPConnection) -> Visitor:
        visitor = await self._logins.visitor(connection)
        if visitor is None:
            if connection.scope["path"] != START or connection.headers.get(MARK) != "1":
                raise RefusedError(401, NOBODY)
            visitor = await self._logins.guest(connection)
            self._logins.limits.require("request", visitor.person)
        return visitor
