"""Who a request is from: signed cookies, logins, and what a visitor may do, with ``--people``.

A cookie has the token of a login, signed with the server's secret: the signature keeps made-up
tokens away from the database. The one person of a server without ``--people`` may do everything.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import logging
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from evenmatch.errors import EvenmatchError, StateError
from evenmatch.files import replacing
from evenmatch.frontends.web.guard import MARK, RefusedError, sub_path_of
from evenmatch.frontends.web.limits import Limits, household
from evenmatch.frontends.web.service import Service
from evenmatch.profiles.accounts import DAY, HOUR, UNUSED, as_kept
from evenmatch.profiles.database import OWNER_ONLY, WRITABLE, locked_folder

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection, Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.websockets import WebSocket

    from evenmatch.frontends.web.live_games import LiveGames
    from evenmatch.frontends.web.my_page import MyPages
    from evenmatch.frontends.web.ratings import Ratings
    from evenmatch.frontends.web.service import Service

VISITOR_SCOPE = "evenmatch.visitor"  #: where the door notes who somebody is


class Visitor(NamedTuple):
    """Somebody who is known by the login of their browser."""

    person: str
    token: str


def visitor_of(connection: HTTPConnection) -> Visitor | None:
    """Return whose login a request or a socket has; None where one person plays alone."""
    found: Visitor | None = connection.scope.get(VISITOR_SCOPE)
    return found


def person_of(connection: HTTPConnection) -> str:
    """Return the name of the person a request or a socket belongs to."""
    visitor = visitor_of(connection)
    person: str | None = state_of(connection).service.person if visitor is None else visitor.person
    assert person is not None, "the door lets in nobody else"
    return person


COOKIE = "evenmatch"  #: of the cookie
SECRET = "web-secret"  #: file in the state folder
SECRET_BYTES = 32  #: of the secret
MAX_COOKIE = 200  #: characters of a cookie's value that are looked at
COMMON = ("HttpOnly", "SameSite=Lax")  #: what every cookie has


def secret_of(folder: Path) -> bytes:
    """Return the secret of a state folder; it is made with the first use, even by two at once.

    Raises OSError where it cannot be read or made, StateError where it is damaged.
    """
    path = folder / SECRET
    if not path.exists():
        with locked_folder(folder):
            if not path.exists():
                with replacing(path, OWNER_ONLY) as partial:
                    partial.write_bytes(secrets.token_bytes(SECRET_BYTES))
    secret = path.read_bytes()
    if len(secret) != SECRET_BYTES:
        raise StateError(f"{path} is damaged; delete it, and everybody enters again")
    return secret


def is_secure(scheme: str, forwarded: str | None = None, proxied: bool = False) -> bool:
    """Tell whether a browser speaks https; ``scheme`` is what the server is spoken to with.

    ``forwarded`` is the header X-Forwarded-Proto, which counts only behind a proxy.
    """
    if proxied and forwarded:
        scheme = forwarded.rpartition(",")[2].strip()  # the last is our own proxy's
    return scheme.lower() in ("https", "wss")


class Cookies:
    """Writes and reads the cookies of one secret."""

    def __init__(self, secret: bytes):
        self._secret = secret

    def read(self, header: str | None) -> str | None:
        """Return the token in a Cookie header, None if none is there that was signed here."""
        for pair in (header or "").split(";"):
            name, _, value = pair.strip().partition("=")
            token = self._token(value.strip()) if name == COOKIE else None
            if token is not None:
                return token
        return None

    def write(self, token: str, secure: bool, path: str = "") -> str:
        """Return the Set-Cookie header that lets a browser keep a token, for a path and below."""
        return _cookie_header(f"{token}.{self._signature(token)}", round(UNUSED), secure, path)

    def clear(self, secure: bool, path: str = "") -> str:
        """Return the Set-Cookie header that lets a browser forget its token."""
        return _cookie_header("", 0, secure, path)

    def _token(self, value: str) -> str | None:
        token, dot, signature = value[:MAX_COOKIE].rpartition(".")
        given, due = _utf8(signature), _utf8(self._signature(token))
        return token if hmac.compare_digest(given, due) and dot and token else None

    def _signature(self, token: str) -> str:
        digest = hmac.new(self._secret, _utf8(token), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _cookie_header(value: str, seconds: int, secure: bool, path: str) -> str:
    reach = f"Path={path or '/'}"
    parts = (f"{COOKIE}={value}", f"Max-Age={seconds}", reach, *COMMON, *["Secure"] * secure)
    return "; ".join(parts)


MOST_OPEN = 12  #: of a person
ENDED = 4001  #: why a socket is closed: its login has ended
PUT_AWAY = 4002  #: the same: its game was deleted, or is nowhere open any more


class Sockets:
    """Open sockets by person."""

    def __init__(self, most: int = MOST_OPEN):
        self._most = most
        self._open: defaultdict[str, dict[WebSocket, str]] = defaultdict(dict)

    @contextlib.contextmanager
    def open(self, visitor: Visitor, socket: WebSocket) -> Iterator[None]:
        """Count a socket meanwhile; RefusedError if the person has too many."""
        theirs = self._open[visitor.person]
        if len(theirs) >= self._most:
            raise RefusedError(429, f"you have {self._most} games open; close a window of the page")
        theirs[socket] = visitor.token
        try:
            yield
        finally:
            theirs.pop(socket, None)
            if not theirs and self._open.get(visitor.person) is theirs:
                del self._open[visitor.person]

    async def close(self, person: str, token: str | None = None) -> None:
        """Close the sockets of a person, or those of one of their logins."""
        theirs = self._open.get(person, {}).items()
        await asyncio.gather(*(closed(socket) for socket, of in theirs if token in (None, of)))


async def closed(socket: WebSocket, why: int = ENDED) -> None:
    """Close a socket, if it is open."""
    from starlette.websockets import WebSocketDisconnect

    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is closed, or broken
        await socket.close(why)


LOG = logging.getLogger("evenmatch.web")
HOURS = round(DAY / HOUR)  #: of a day
BETWEEN = 0.1  #: seconds between deletions, so that players need not wait
NOBODY = "this browser is not known here, or no longer; reload the page"


class Logins:
    """The logins of all browsers, what each person may still do, and their sockets."""

    def __init__(self, service: Service, proxied: bool = False, limits: Limits | None = None):
        """``proxied``: who asks is told by a proxy. StateError if the secret cannot be used."""
        self._service, self._accounts, self._proxied = service, service.profile.accounts, proxied
        self.limits = Limits() if limits is None else limits
        self.sockets = Sockets()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._hashing = asyncio.Lock()  # so that who waits for it takes no thread
        folder = service.profile.folder
        try:
            self._cookies = Cookies(secret_of(folder))
        except OSError as error:
            why = error.strerror or error
            raise StateError(f"cannot use {folder} ({why}); {WRITABLE}") from None

    # -- who somebody is -----------------------------------------------------------------------

    async def visitor(self, connection: HTTPConnection) -> Visitor | None:
        """Return whose login a request brings, None if it is nobody's. TooOftenError."""
        token = self._cookie_of(connection)
        person = token and await self._service.run(self._accounts.person_of, token)
        if not token or not person:
            return None
        self.limits.require("request", person)
        return Visitor(person, token)

    def _cookie_of(self, connection: HTTPConnection) -> str | None:
        return self._cookies.read("; ".join(connection.headers.getlist("cookie")))

    async def guest(self, connection: HTTPConnection) -> Visitor:
        """Let a new guest in. TooOftenError if many came from their network."""
        self.limits.require("guest", self.address(connection))
        return await self.open(await self._service.run(self._accounts.guest))

    def address(self, connection: HTTPConnection) -> str:
        """Return what stands for the network that a request comes from."""
        client = connection.client.host if connection.client else ""
        forwarded = self._forwarded(connection, "for")
        return household(forwarded.rpartition(",")[2].strip() if forwarded else client)

    def _forwarded(self, connection: HTTPConnection, what: str) -> str:
        """Return what a proxy tells of a request: the last word is our own proxy's."""
        told = connection.headers.getlist(f"x-forwarded-{what}")
        return told[-1] if told and self._proxied else ""

    @contextlib.asynccontextmanager
    async def staying(self, visitor: Visitor) -> AsyncIterator[None]:
        """Let a person keep their name meanwhile; RefusedError if the login has ended by now.

        What is done for one person by this happens one after another.
        """
        async with self._turns.setdefault(visitor.person, asyncio.Lock()):
            await self.require(visitor)
            yield

    async def require(self, visitor: Visitor) -> None:
        """Raise RefusedError if a login has ended by now."""
        if await self._service.run(self._accounts.person_of, visitor.token) != visitor.person:
            raise RefusedError(401, NOBODY)

    async def is_to_remember(self, connection: HTTPConnection, visitor: Visitor) -> bool:
        """Tell whether a browser is to keep its login from now: it is new, or renewed by this."""
        is_new = self._cookie_of(connection) != visitor.token
        return is_new or await self._service.run(self._accounts.renew, visitor.token)

    # -- what becomes of them ------------------------------------------------------------------

    def limit_trying(self, connection: HTTPConnection, name: str) -> None:
        """Let somebody try a name and a passphrase; TooOftenError if they have to wait."""
        address, name = self.address(connection), as_kept(name)
        self.limits.require("address", address)
        self.limits.require("name_here", f"{address} {name}")
        self.limits.require("name", name)

    async def join(self, visitor: Visitor, name: str, passphrase: str) -> str:
        """Give a guest a name and a passphrase; return the name. Errors as `Accounts.join`."""
        async with self._hashing:
            return await self._service.run(self._accounts.join, visitor.person, name, passphrase)

    async def enter(self, name: str, passphrase: str) -> str:
        """Return whose name and passphrase these are. UsageError if they are nobody's."""
        async with self._hashing:
            return await self._service.run(self._accounts.enter, name, passphrase)

    async def open(self, person: str) -> Visitor:
        """Let a browser be a person's."""
        return Visitor(person, await self._service.run(self._accounts.open, person))

    async def end(self, visitor: Visitor) -> None:
        """End the login of one browser."""
        await self._service.run(self._accounts.close, visitor.token)
        await self.sockets.close(*visitor)

    async def end_others(self, visitor: Visitor, now: Visitor) -> None:
        """End all logins of a visitor, who is called otherwise now, but the present one."""
        await self._service.run(self._accounts.close_all, *now)
        await self.sockets.close(visitor.person)

    def remembering(self, request: HTTPConnection, answer: Response, token: str) -> Response:
        """Return an answer with which a browser keeps a token."""
        answer.headers.append("set-cookie", self._cookies.write(token, *self._reach(request)))
        return answer

    def forgetting(self, request: HTTPConnection, answer: Response) -> Response:
        """Return an answer with which a browser forgets its token."""
        answer.headers.append("set-cookie", self._cookies.clear(*self._reach(request)))
        return answer

    def _reach(self, connection: HTTPConnection) -> tuple[bool, str]:
        """Return whether a cookie is for https alone, and below which path it is sent."""
        return self._is_secure(connection), sub_path_of(connection.scope)

    def _is_secure(self, connection: HTTPConnection) -> bool:
        told = self._forwarded(connection, "proto")
        return is_secure(connection.url.scheme, told, self._proxied)

    async def tend(self) -> None:
        """Forget logins that ended every hour, and what is old once a day; for ever."""
        for hour in count():
            try:
                await self._service.run(self._accounts.tidy)
                if hour % HOURS == 0:
                    await self._forget_old()
            except (EvenmatchError, OSError) as error:
                LOG.warning("what is old cannot be forgotten: %s", error)
            await asyncio.sleep(HOUR)

    async def _forget_old(self) -> None:
        while await self._service.run(self._accounts.forget):
            await asyncio.sleep(BETWEEN)


API = "/api/"  #: how the paths begin for which somebody has to be known
START = "/api/start"  #: what makes guests, if the page itself asks


class Authenticated:
    """The middleware. Who asks for the page's files alone becomes no guest: robots do."""

    def __init__(self, app: ASGIApp, logins: Logins):
        self._app, self._logins = app, logins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what somebody asks who is known. RefusedError for others."""
        from starlette.requests import HTTPConnection

        if scope["type"] != "lifespan" and scope["path"].startswith(API):
            scope[VISITOR_SCOPE] = await self._visitor(HTTPConnection(scope))
        await self._app(scope, receive, send)

    async def _visitor(self, connection: HTTPConnection) -> Visitor:
        visitor = await self._logins.visitor(connection)
        if visitor is None:
            if connection.scope["path"] != START or connection.headers.get(MARK) != "1":
                raise RefusedError(401, NOBODY)
            visitor = await self._logins.guest(connection)
            self._logins.limits.require("request", visitor.person)
        return visitor


@dataclass(frozen=True)
class AppState:
    """What the routes of one application share."""

    service: Service
    games: LiveGames
    ratings: Ratings
    my_pages: MyPages
    guarded_by: Logins | None  #: the logins where many people play

    @property
    def logins(self) -> Logins:
        """The logins; only where many people play."""
        assert self.guarded_by is not None
        return self.guarded_by


def state_of(connection: HTTPConnection) -> AppState:
    """Return the state of a request's or a socket's application."""
    state: AppState = connection.app.state.evenmatch
    return state


Endpoint = Callable[["Request"], Awaitable["Response"]]


def limit(connection: HTTPConnection, kind: str) -> None:
    """Let the visitor do something now; TooOftenError if they have to wait."""
    if (visitor := visitor_of(connection)) is not None:
        state_of(connection).logins.limits.require(kind, visitor.person)


async def asking(request: Request) -> str | None:
    """Return who asks for what is there for everybody, None if nobody is known."""
    person = state_of(request).service.person
    if person is not None:
        return person
    visitor = await state_of(request).logins.visitor(request)
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
    async with state_of(connection).logins.staying(visitor):
        yield visitor.person


async def require_login(connection: HTTPConnection) -> None:
    """Raise RefusedError if the visitor's login has ended since the request came."""
    if (visitor := visitor_of(connection)) is not None:
        await state_of(connection).logins.require(visitor)


@contextlib.contextmanager
def counted_in(socket: WebSocket) -> Iterator[None]:
    """Let a socket count as the visitor's meanwhile; RefusedError if they have too many."""
    visitor = visitor_of(socket)
    if visitor is None:
        yield
        return
    limit(socket, "socket")
    with state_of(socket).logins.sockets.open(visitor, socket):
        yield


async def remembering(request: Request, answer: Response) -> Response:
    """Return an answer with which the visitor's browser keeps its login, if it has to be told.

    RefusedError if the login has ended since the request came.
    """
    visitor = visitor_of(request)
    if visitor is None:
        return answer
    logins = state_of(request).logins
    remembers = await logins.is_to_remember(request, visitor)
    await logins.require(visitor)
    return logins.remembering(request, answer, visitor.token) if remembers else answer


async def forgetting(request: Request, answer: Response) -> Response:
    """Return an answer with which the browser of a person who is gone forgets its login."""
    visitor = visitor_of(request)
    if visitor is None:
        return answer
    logins = state_of(request).logins
    await logins.sockets.close(visitor.person)
    return logins.forgetting(request, answer)
