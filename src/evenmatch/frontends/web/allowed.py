"""What a visitor may do, where many people play; the one person may do everything."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING

from evenmatch.frontends.web.app_state import logins_of, service_of
from evenmatch.frontends.web.visitor import person_of, visitor_of

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection, Request
    from starlette.responses import Response
    from starlette.websockets import WebSocket

Endpoint = Callable[["Request"], Awaitable["Response"]]


def limit(connection: HTTPConnection, kind: str) -> None:
    """Let the visitor do something now; TooOftenError if they have to wait."""
    if (visitor := visitor_of(connection)) is not None:
        logins_of(connection).limits.require(kind, visitor.person)


async def asking(request: Request) -> str | None:
    """Return who asks for what is there for everybody, None if nobody is known."""
    person = service_of(request).person
    if person is not None:
        return person
    visitor = await logins_of(request).visitor(request)
    return None if visitor is None else visitor.person


def limited(kind: str) -> Callable[[Endpoint], Endpoint]:
    """Return what makes an endpoint one that a visitor may ask only so often."""

    def wrapped(endpoint: Endpoint) -> Endpoint:
        @wraps(endpoint)
        async def answer(request: Request) -> Response:
            limit(request, kind)
            return await endpoint(request)

        return answer

    return wrapped


@contextlib.asynccontextmanager
async def staying(connection: HTTPConnection) -> AsyncIterator[str]:
    """Yield the visitor's person, who gets no other name and is not deleted meanwhile.

    RefusedError if either happened since the request came.
    """
    visitor = visitor_of(connection)
    if visitor is None:
        yield person_of(connection)
        return
    async with logins_of(connection).staying(visitor):
        yield visitor.person


async def require_login(connection: HTTPConnection) -> None:
    """Raise RefusedError if the visitor's login has ended since the request came."""
    if (visitor := visitor_of(connection)) is not None:
        await logins_of(connection).require(visitor)


@contextlib.contextmanager
def counted_in(socket: WebSocket) -> Iterator[None]:
    """Let a socket count as the visitor's meanwhile; RefusedError if they have too many."""
    visitor = visitor_of(socket)
    if visitor is None:
        yield
        return
    limit(socket, "socket")
    with logins_of(socket).sockets.open(visitor, socket):
        yield


async def remembering(request: Request, answer: Response) -> Response:
    """Return an answer with which the visitor's browser keeps its login, if it has to be told.

    RefusedError if the login has ended since the request came.
    """
    visitor = visitor_of(request)
    if visitor is None:
        return answer
    logins = logins_of(request)
    remembers = await logins.is_to_remember(request, visitor)
    await logins.require(visitor)
    return logins.remembering(request, answer, visitor.token) if remembers else answer


async def forgetting(request: Request, answer: Response) -> Response:
    """Return an answer with which the browser of a person who is gone forgets its login."""
    visitor = visitor_of(request)
    if visitor is None:
        return answer
    logins = logins_of(request)
    await logins.sockets.close(visitor.person)
    return logins.forgetting(request, answer)
