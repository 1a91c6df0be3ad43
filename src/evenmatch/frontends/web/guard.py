"""Middleware around the application: which requests are passed on, and what errors reveal.

Pure ASGI, outside of Starlette's own middleware, so that every answer gets the headers.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sqlite3
import time
from collections.abc import Collection
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from evenmatch.errors import EvenmatchError, StateError, UsageError, quoted

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG = logging.getLogger("evenmatch.web")
LOOPBACK = ("localhost", "127.0.0.1", "::1")  #: the names of this machine
SAFE = ("GET", "HEAD", "OPTIONS")  #: methods that change nothing
MARK = "x-evenmatch"  #: the header that only the page itself can send
PORTS = {"http": ":80", "https": ":443"}  #: what a browser leaves out
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/?#@\s]+?)\.?(:[0-9]{1,5})?")

#: Bytes of a request's body, by how its path begins; the first that fits counts.
LONGEST_BODY = {"/api/ratings": 20_000_000, "/api/me/import": 20_000_000, "": 64_000}
LENGTH_DIGITS = 12  #: of the length of a body; no number that long is read
FIRST = 20.0  #: seconds that any body has to arrive
SLOWEST = 100_000  #: bytes a second that a longer one has to come at
#: What the page may load and do, by the header Content-Security-Policy.
CONTENT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "font-src": "'self'",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
#: What browsers can do and the page does not need.
NOT_NEEDED = (
    "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "fullscreen",
    "geolocation", "gyroscope", "magnetometer", "microphone", "midi", "payment",
    "picture-in-picture", "publickey-credentials-get", "screen-wake-lock", "usb", "web-share",
    "xr-spatial-tracking",
)  # fmt: skip
HEADERS = {
    "content-security-policy": "; ".join(" ".join(one) for one in CONTENT.items()),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": ", ".join(f"{feature}=()" for feature in NOT_NEEDED),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
OF_API = {"cache-control": "no-store"}  #: more headers, of answers that are not files

#: What a StateError came of if its message names folders; see `evenmatch.profiles.database`.
OF_DATABASES = (OSError, sqlite3.Error, UnicodeEncodeError)

WRONG = "something went wrong here; try again"
UNREACHABLE = "what is kept here cannot be reached just now; try again in a minute"
#: What is typed in a terminal: commands and other words in back quotes, options, settings.
TYPED = re.compile(r"`|(^|: )evenmatch [a-z]|(?<![\w-])--[a-z]|\bEVENMATCH_[A-Z]|\b(net|cmd)=")
QUOTED = re.compile(r"""(?<!\w)('[^']*'|"[^"]*")""")  #: what somebody wrote
#: What errors name that is typed in a terminal, and what is done on the page instead.
IN_A_TERMINAL = (
    (r"choose another --game, see `evenmatch games`", "choose another game"),
    (r"start with --moves", "paste its moves"),
    (r"such as --time ", "such as "),
    (r"add --game \w+", "choose that game on the page"),
    (r"start again with --forget", "begin a game in which it forgets your earlier ones"),
    (r"delete it: evenmatch play --delete \S+", "delete it on the first page"),
)
ASK = "ask the person who runs this server"  #: where all that helps is typed in a terminal
NOT_HERE = "this is not possible here"
FOREIGN_HOST = "this server has another name; open the page by the address it was started with"
FOREIGN_SITE = "this comes from another site; open the page here and try again"
TOO_SLOW = "this took too long to arrive; send it again, or send less"
UNMARKED = "this does not come from the page; reload the page and try again"


class RefusedError(EvenmatchError):
    """A request that is not passed on: a status and why. A socket is refused before it opens."""

    def __init__(self, status: int, why: str, headers: dict[str, str] | None = None):
        super().__init__(why)
        self.status, self.headers = status, headers or {}


class Guard:
    """The middleware; ``hosts`` are the names of the server, without ports.

    Starlette's TrustedHostMiddleware splits a Host header at the first colon, which cuts addresses
    of IPv6, and it answers a socket as if it were a request; so hosts are checked here.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOOPBACK):
        self._app = app
        self._hosts = {_bracketed(host.lower()) for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed."""
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._talk(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        added = [(name.encode(), value.encode()) for name, value in _added(scope).items()]
        begun = ended = False

        async def answer(message: Message) -> None:
            nonlocal begun, ended
            if message["type"] == "http.response.start":
                begun, names = True, [name for name, _ in added]
                own = [one for one in message.get("headers", ()) if one[0].lower() not in names]
                message = {**message, "headers": [*own, *added]}
            else:
                ended = not message.get("more_body", False)
            await send(message)

        try:
            if refusal := self._refusal(scope):
                raise RefusedError(403, refusal)
            await self._app(scope, _bounded(scope, receive), answer)
        except Exception as error:
            if not begun:
                await refusal_of(scope, error)(scope, receive, answer)
            elif not ended and not isinstance(error, RefusedError):
                raise  # too late to say so; the server breaks off

    async def _talk(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a socket open, unless another site asks; close it where the application fails."""
        origin = _header(scope, "origin")
        if not self._knows_host(scope) or origin is None or not _is_own(origin, scope):
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_some(message: Message) -> None:
            try:
                await send(message)
            except OSError:
                raise WebSocketDisconnect(1006) from None

        try:
            await self._app(scope, receive, send_some)
        except RefusedError as error:
            answer = refusal_of(scope, error)
            answer.headers.update(_added(scope))
            await WebSocket(scope, receive, send).send_denial_response(answer)
        except Exception as error:
            if _has_left(error):
                return
            LOG.error("socket %s failed", quoted(scope["path"]), exc_info=error)
            try:
                await send({"type": "websocket.close", "code": 1011})
            except Exception:  # it is closed already
                LOG.debug("the visitor of a socket that failed has left")

    def _refusal(self, scope: Scope) -> str:
        """Return why a request is refused, empty if it is not."""
        if not self._knows_host(scope):
            return FOREIGN_HOST
        if scope["method"] in SAFE:
            return ""
        origin = _header(scope, "origin")
        if origin is not None and not _is_own(origin, scope):
            return FOREIGN_SITE
        return "" if _header(scope, MARK) == "1" else UNMARKED

    def _knows_host(self, scope: Scope) -> bool:
        """Whether a request was sent to a name of this server.

        Another site could let its own name point here, and would be let in as this one.
        """
        found = HOST.fullmatch((_header(scope, "host") or "").lower())
        return found is not None and found[1] in self._hosts


def _is_own(origin: str, scope: Scope) -> bool:
    """Whether an origin is that of this server's pages."""
    scheme, _, host = origin.lower().partition("://")
    if scheme not in PORTS:
        return False
    own = (_header(scope, "host") or "").lower()
    return host.removesuffix(PORTS[scheme]) == own.removesuffix(PORTS[scheme])


def _added(scope: Scope) -> dict[str, str]:
    """Return the headers that every answer gets."""
    return HEADERS | (OF_API if _begins(path_of(scope), "/api") else {})


def refusal_of(scope: Scope, error: Exception) -> Response:
    """Return the answer that an exception leads to; log what is a fault of ours."""
    if not isinstance(error, RefusedError):
        error = _shown(scope, error)
    return JSONResponse({"error": str(error)}, error.status, error.headers)


def _shown(scope: Scope, error: Exception) -> RefusedError:
    kept = isinstance(error, OSError) or (
        isinstance(error, StateError) and isinstance(error.__context__, OF_DATABASES)
    )
    if isinstance(error, EvenmatchError) and not kept:
        return RefusedError(400, on_page(str(error)))
    LOG.error("%s %s failed", scope["method"], quoted(scope["path"]), exc_info=error)
    return RefusedError(503, UNREACHABLE) if kept else RefusedError(500, WRONG)


async def failed(request: HTTPConnection, error: Exception) -> Response:
    """Answer a request that raised; Starlette's handler of exceptions."""
    if _has_left(error):
        return Response()  # which nobody gets
    return refusal_of(request.scope, error)


def on_page(line: str) -> str:
    """Return an error in words of the page: what is wrong, and of what helps what can be done here.

    Errors have semicolons between the two. A part that names what is typed in a terminal is left
    out, unless it is quoted from what a person wrote.
    """
    for typed, instead in IN_A_TERMINAL:
        line = re.sub(typed, instead, line)
    wrong, *fixes = line.split("; ")
    left = [fix for fix in fixes if not _typed(fix)]
    if fixes and not left:
        left = [ASK]
    return "; ".join([NOT_HERE if _typed(wrong) else wrong, *left])


def _typed(part: str) -> bool:
    """Whether a part of an error names what is typed in a terminal."""
    return TYPED.search(QUOTED.sub("", part)) is not None


def _has_left(error: Exception) -> bool:
    """Whether an exception says that the visitor went away."""
    return isinstance(error, (ClientDisconnect, WebSocketDisconnect))


def _bounded(scope: Scope, receive: Receive) -> Receive:
    """Return what reads a request's body; RefusedError once it is too long, or took too long."""
    path = path_of(scope)
    longest = next(most for begin, most in LONGEST_BODY.items() if _begins(path, begin))
    unit = f"{longest // 1_000_000} MB" if longest >= 1_000_000 else f"{longest // 1000} kB"
    too_long = RefusedError(413, f"this is too large; send at most {unit}")
    length = _header(scope, "content-length")
    if length is not None and not (length.isascii() and length.isdigit()):
        raise RefusedError(400, "the length of this request is not a number; reload the page")
    if length is not None and (len(length) > LENGTH_DIGITS or int(length) > longest):
        raise too_long
    read, until = 0, time.monotonic() + FIRST + longest / SLOWEST
    more = True

    async def receive_some() -> Message:
        nonlocal read, more
        if not more:
            return await receive()  # that the visitor leaves
        try:
            message = await asyncio.wait_for(receive(), until - time.monotonic())
        except TimeoutError:
            raise RefusedError(408, TOO_SLOW) from None
        more = message.get("more_body", False)
        read += len(message.get("body", b""))
        if read > longest:
            raise too_long
        return message

    return receive_some


def _header(scope: Scope, name: str) -> str | None:
    """Return a header's value, None if it is not there; of several all, so that none fits."""
    values = [value for key, value in scope["headers"] if key.lower() == name.encode()]
    return b", ".join(values).decode("latin-1") if values else None


def _begins(path: str, begin: str) -> bool:
    """Whether a path is a folder or in it; everything is in the empty one."""
    return path == begin or path.startswith(f"{begin}/") or not begin


def _bracketed(host: str) -> str:
    """Return a host as it is written in addresses: those of IPv6 in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


# -- below a path of a proxy -----------------------------------------------------------------------

SUB_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")
PREFIX_HEADER = b"x-forwarded-prefix"  #: by which a proxy names the path that it took away


def checked_path(text: str | None) -> str:
    """Return the path that was written after --root-path; UsageError if it is none."""
    path = (text or "").strip().rstrip("/")
    if path and not SUB_PATH.fullmatch(path):
        raise UsageError(f"--root-path {quoted(path)} is not a path; write one such as /evenmatch")
    return path


def sub_path_of(scope: Scope) -> str:
    """Return the path below which a proxy shows the page, empty if there is none."""
    return str(scope.get("root_path", ""))


def path_of(scope: Scope) -> str:
    """Return the path of a request below that of the page."""
    return str(scope["path"]).removeprefix(sub_path_of(scope))


class SubPath:
    """The middleware that sets ``root_path``; ``path`` is that of requests whose proxy names none.

    A proxy may have taken the path away from those that it passes on, or left it there.
    """

    def __init__(self, app: ASGIApp, path: str = ""):
        self._app, self._path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request with the whole path."""
        if scope["type"] != "lifespan":
            named = [value for key, value in scope["headers"] if key.lower() == PREFIX_HEADER]
            root = named[-1].decode("latin-1").rstrip("/") if named else ""
            root, path = root if SUB_PATH.fullmatch(root) else self._path, scope["path"]
            below = path.removeprefix(root) if _begins(path, root) else path
            scope = {**scope, "path": root + (below or "/"), "root_path": root}
        await self._app(scope, receive, send)
