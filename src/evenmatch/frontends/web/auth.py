"""Who a request is from, and how often they may ask, on a server for many people.

A cookie has the token of a login, signed with the server's secret: the signature keeps made-up
tokens away from the database. The one person of a server without ``--people`` may do everything.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import ipaddress
import logging
import math
import secrets
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from itsdangerous import BadSignature, Signer
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from evenmatch.errors import EvenmatchError, StateError, counted
from evenmatch.files import replacing
from evenmatch.frontends.web.guard import MARK, RefusedError, path_of, sub_path_of
from evenmatch.frontends.web.service import Service
from evenmatch.profiles.accounts import DAY, HOUR, UNUSED, as_kept
from evenmatch.profiles.database import OWNER_ONLY, WRITABLE, locked_folder

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from evenmatch.frontends.web.live_games import LiveGames
    from evenmatch.frontends.web.my_page import MyPages
    from evenmatch.frontends.web.ratings import Ratings

LOG = logging.getLogger("evenmatch.web")
VISITOR_SCOPE = "evenmatch.visitor"  #: key of a request's scope
NOBODY = "this browser is not known here, or no longer; reload the page"


class Visitor(NamedTuple):
    """A person, by the login of a browser."""

    person: str
    token: str


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


def visitor_of(connection: HTTPConnection) -> Visitor | None:
    """Return whose login a request or a socket has; None where one person plays alone."""
    found: Visitor | None = connection.scope.get(VISITOR_SCOPE)
    return found


def person_of(connection: HTTPConnection) -> str:
    """Return the name of the person a request or a socket belongs to."""
    visitor = visitor_of(connection)
    person = state_of(connection).service.person if visitor is None else visitor.person
    assert person is not None, "requests without a login are refused before"
    return person


# -- how often -------------------------------------------------------------------------------------

MOST_KEYS = 20_000  #: windows kept; with more all are forgotten, so that memory is bounded
LONGEST_KEY = 100  #: characters
ROUNDING = 0.01  #: seconds that are waited longer
NETWORK = 64  #: bits of an IPv6 address that one household shares
#: By kind: how often, as the library `limits` writes it, and why more is refused. Joining and
#: entering take from three windows: those of the address, of the name as tried from there, and of
#: the name. The last is large, so that one network locks nobody else out.
LIMITS = {
    "name_here": ("10 per 2 minutes", "this name was tried too often from your network"),
    "name": ("60 per 1 minute", "this name was tried too often"),
    "address": ("20 per 2 minutes", "names were tried too often from your network"),
    "guest": ("20 per 3 minutes", "many new guests came from your network"),  # by address
    "game": ("20 per 2 minutes", "you began many games"),
    "move": ("60 per 30 seconds", "you asked for much at once"),
    "upload": ("6 per 90 seconds", "you sent many files"),
    "review": ("10 per 1 minute", "you asked for much that takes long"),
    "socket": ("60 per 1 minute", "you opened many games"),
    "request": ("300 per 30 seconds", "you asked for much at once"),
}


class TooOftenError(RefusedError):
    """A request over a limit; ``wait`` is the number of seconds until the next is let in."""

    def __init__(self, why: str, wait: float):
        self.wait = math.ceil(max(wait, 0.0) + ROUNDING)
        text = f"{why}; try again in {counted(self.wait, 'second')}"
        super().__init__(429, text, {"retry-after": str(self.wait)})


class Limits:
    """Counts what visitors do, in sliding windows."""

    def __init__(self, limits: Mapping[str, tuple[str, str]] = LIMITS):
        from limits import parse
        from limits.storage import MemoryStorage
        from limits.strategies import SlidingWindowCounterRateLimiter

        # of its strategies this one alone lets go of the keys of windows that have passed
        self.storage = MemoryStorage()
        self._limiter = SlidingWindowCounterRateLimiter(self.storage)
        self._limits = {kind: (parse(rate), why) for kind, (rate, why) in limits.items()}

    def require(self, kind: str, key: str) -> None:
        """Count an act of a kind; TooOftenError, and nothing is counted, if it is over the limit.

        ``key`` is a name in any case, an address (see `household`), or anything else that
        differs between visitors.
        """
        rate, why = self._limits[kind]
        if len(self.storage.expirations) >= MOST_KEYS:
            self.storage.reset()
        key = key.casefold()[:LONGEST_KEY]
        if not self._limiter.hit(rate, kind, key):
            until = self._limiter.get_window_stats(rate, kind, key).reset_time
            raise TooOftenError(why, until - time.time())


def household(address: str) -> str:
    """Return what stands for all addresses that one visitor may come from."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), NETWORK), strict=False))


# -- cookies and sockets ---------------------------------------------------------------------------

COOKIE = "evenmatch"  #: name of the cookie
SECRET = "web-secret"  #: file in the state folder
SECRET_BYTES = 32
MAX_COOKIE = 200  #: characters of a cookie's value; longer ones are not looked at
MOST_OPEN = 12  #: sockets of a person
ENDED = 4001  #: why a socket is closed: its login has ended
PUT_AWAY = 4002  #: the same: its game was deleted, or is nowhere open any more


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


def signer_of(secret: bytes) -> Signer:
    """Return what signs the tokens in cookies."""
    return Signer(secret, salt="evenmatch.login", digest_method=hashlib.sha256)


def token_in(header: str, signer: Signer) -> str | None:
    """Return the token in a Cookie header, None if it has none that was signed here.

    A browser may send two cookies of this name, of two paths; starlette would keep one of them.
    """
    for pair in header.split(";"):
        name, _, value = pair.strip().partition("=")
        if name == COOKIE and len(value) <= MAX_COOKIE:
            with contextlib.suppress(BadSignature, UnicodeError):
                return signer.unsign(value).decode() or None
    return None


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
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is closed, or broken
        await socket.close(why)


# -- logins ----------------------------------------------------------------------------------------

BETWEEN = 0.1  #: seconds between deletions, so that players need not wait
API = "/api/"  #: how the paths begin that need a login
START = "/api/start"  #: what makes guests, if the page itself asks: robots ask for its files alone


class Logins:
    """The logins of all browsers, what each person may still do, and their sockets."""

    def __init__(self, service: Service, proxied: bool = False, limits: Limits | None = None):
        """``proxied``: trust X-Forwarded-For and -Proto. StateError if the secret is unusable."""
        self._service, self._accounts, self._proxied = service, service.profile.accounts, proxied
        self.limits = Limits() if limits is None else limits
        self.sockets = Sockets()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._hashing = asyncio.Lock()  # so that waiting for it takes no thread
        folder = service.profile.folder
        try:
            self._signer = signer_of(secret_of(folder))
        except OSError as error:
            why = error.strerror or error
            raise StateError(f"cannot use {folder} ({why}); {WRITABLE}") from None

    def middleware(self, app: ASGIApp) -> ASGIApp:
        """Return an application that knows its visitors. It raises RefusedError for others."""

        async def authenticated(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "lifespan" and path_of(scope).startswith(API):
                connection = HTTPConnection(scope)
                visitor = await self.visitor(connection)
                if visitor is None:
                    if path_of(scope) != START or connection.headers.get(MARK) != "1":
                        raise RefusedError(401, NOBODY)
                    visitor = await self._guest(connection)
                scope[VISITOR_SCOPE] = visitor
            await app(scope, receive, send)

        return authenticated

    async def visitor(self, connection: HTTPConnection) -> Visitor | None:
        """Return whose login a request brings, None if it has none. TooOftenError."""
        token = self._token_of(connection)
        person = token and await self._service.run(self._accounts.person_of, token)
        if not token or not person:
            return None
        self.limits.require("request", person)
        return Visitor(person, token)

    async def _guest(self, connection: HTTPConnection) -> Visitor:
        """Let a new guest in. TooOftenError if many came from their network."""
        self.limits.require("guest", self.address(connection))
        visitor = await self.open(await self._service.run(self._accounts.guest))
        self.limits.require("request", visitor.person)
        return visitor

    def _token_of(self, connection: HTTPConnection) -> str | None:
        return token_in(";".join(connection.headers.getlist("cookie")), self._signer)

    def address(self, connection: HTTPConnection) -> str:
        """Return what stands for the network that a request comes from."""
        client = connection.client.host if connection.client else ""
        return household(self._forwarded(connection, "for") or client)

    def _is_secure(self, connection: HTTPConnection) -> bool:
        scheme = self._forwarded(connection, "proto") or connection.url.scheme
        return scheme.lower() in ("https", "wss")

    def _forwarded(self, connection: HTTPConnection, what: str) -> str:
        """Return what our own proxy says of a request, which is the last word; empty without."""
        found = connection.headers.getlist(f"x-forwarded-{what}")
        return found[-1].rpartition(",")[2].strip() if found and self._proxied else ""

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

    def limit_trying(self, connection: HTTPConnection, name: str) -> None:
        """Count a try of a name and a passphrase; TooOftenError over a limit."""
        address, name = self.address(connection), as_kept(name)
        self.limits.require("address", address)
        self.limits.require("name_here", f"{address} {name}")
        self.limits.require("name", name)

    async def join(self, visitor: Visitor, name: str, passphrase: str) -> Visitor:
        """Give a guest a name and a passphrase, and a new login. Errors as `Accounts.join`."""
        async with self._hashing:
            work = self._accounts.join
            name = await self._service.run(work, visitor.person, name, passphrase)
        return await self.open(name)

    async def enter(self, name: str, passphrase: str) -> Visitor:
        """Return a new login of a name's person. UsageError if the two do not fit."""
        async with self._hashing:
            person = await self._service.run(self._accounts.enter, name, passphrase)
        return await self.open(person)

    async def open(self, person: str) -> Visitor:
        """Return a new login of a person."""
        return Visitor(person, await self._service.run(self._accounts.open, person))

    async def end(self, visitor: Visitor) -> None:
        """End the login of one browser."""
        await self._service.run(self._accounts.close, visitor.token)
        await self.sockets.close(*visitor)

    async def end_others(self, visitor: Visitor, now: Visitor) -> None:
        """End all logins of a visitor except the present one, which has another name."""
        await self._service.run(self._accounts.close_all, *now)
        await self.sockets.close(visitor.person)

    async def remembering(self, request: HTTPConnection, answer: Response) -> Response:
        """Return an answer by which a browser keeps its login, if that is new or renewed by this.

        RefusedError if the login has ended since the request came.
        """
        visitor = visitor_of(request)
        assert visitor is not None
        is_new = self._token_of(request) != visitor.token
        writes = is_new or await self._service.run(self._accounts.renew, visitor.token)
        await self.require(visitor)
        return self.keeping(request, answer, visitor.token) if writes else answer

    def keeping(self, request: HTTPConnection, answer: Response, token: str) -> Response:
        """Return an answer by which a browser keeps a token; an empty one: it forgets its own."""
        value, seconds = (self._signer.sign(token).decode(), round(UNUSED)) if token else ("", 0)
        path, secure = sub_path_of(request.scope) or "/", self._is_secure(request)
        answer.set_cookie(COOKIE, value, seconds, path=path, secure=secure, httponly=True)
        return answer

    async def tend(self) -> None:
        """Forget logins that ended every hour, and what is old once a day; without end."""
        for hour in count():
            try:
                await self._service.run(self._accounts.tidy)
                while hour % round(DAY / HOUR) == 0:
                    if not await self._service.run(self._accounts.forget):
                        break
                    await asyncio.sleep(BETWEEN)
            except (EvenmatchError, OSError) as error:
                LOG.warning("what is old cannot be forgotten: %s", error)
            await asyncio.sleep(HOUR)


# -- for the routes, with and without logins -------------------------------------------------------

Endpoint = Callable[[Request], Awaitable[Response]]


def limit(connection: HTTPConnection, kind: str) -> None:
    """Count an act of the visitor; TooOftenError over the limit."""
    if (visitor := visitor_of(connection)) is not None:
        state_of(connection).logins.limits.require(kind, visitor.person)


def limited(kind: str) -> Callable[[Endpoint], Endpoint]:
    """Return a decorator of endpoints that a visitor may ask only so often."""

    def wrapped(endpoint: Endpoint) -> Endpoint:
        @wraps(endpoint)
        async def answer(request: Request) -> Response:
            limit(request, kind)
            return await endpoint(request)

        return answer

    return wrapped


async def asking(request: Request) -> str | None:
    """Return the person behind a request for a public page; None for anonymous requests."""
    state = state_of(request)
    if state.service.person is not None:
        return state.service.person
    visitor = await state.logins.visitor(request)
    return None if visitor is None else visitor.person


@contextlib.asynccontextmanager
async def staying(connection: HTTPConnection) -> AsyncIterator[str]:
    """Yield the visitor's person, and keep it from being renamed or deleted meanwhile.

    RefusedError if either happened since the request came.
    """
    visitor = visitor_of(connection)
    if visitor is None:
        yield person_of(connection)
        return
    async with state_of(connection).logins.staying(visitor):
        yield visitor.person


@contextlib.contextmanager
def counted_in(socket: WebSocket) -> Iterator[None]:
    """Count a socket as the visitor's meanwhile; RefusedError if they have too many."""
    visitor = visitor_of(socket)
    if visitor is None:
        yield
        return
    limit(socket, "socket")
    with state_of(socket).logins.sockets.open(visitor, socket):
        yield
