"""The server: its addresses, the application, and how it is run."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import re
import socket
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from evenmatch.errors import UsageError, quoted
from evenmatch.frontends import console
from evenmatch.frontends.web.api import missing, routes
from evenmatch.frontends.web.auth import AppState, Logins
from evenmatch.frontends.web.guard import LOOPBACK, Guard, SubPath, checked_path, failed
from evenmatch.frontends.web.live_games import LiveGames
from evenmatch.frontends.web.monitor import Counted, begin_log
from evenmatch.frontends.web.my_page import MyPages
from evenmatch.frontends.web.ratings import Ratings
from evenmatch.frontends.web.serialize import of_start
from evenmatch.frontends.web.service import Service, Warming
from evenmatch.games import GAMES
from evenmatch.play.saved import YOU
from evenmatch.profiles.accounts import default_hasher
from evenmatch.profiles.database import cause

HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?\.?", re.IGNORECASE)
MAX_LABEL = 63  #: letters of a part of a name
LAST_PORT = 65535
#: By family: this machine as it calls itself, and an address that is nobody's, for examples.
HERE = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
NO_HOST = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def checked_host(text: str, option: str) -> str:
    """Return the name or address that was written after an option; UsageError if it is none."""
    bare = text.strip().removeprefix("[").removesuffix("]").removesuffix(".")
    if _is_host(bare):
        return _as_browsers_write(bare)
    if not bare:
        raise UsageError(f"{option} is empty; leave it out, or write a name or an address")
    meant = _host_in(text)
    fix = f"{option} {meant}" if meant else "a name such as even.example, or an address"
    raise UsageError(f"{option} {quoted(text)} is not a host; write {fix}")


def _is_host(text: str) -> bool:
    try:
        return "%" not in str(ipaddress.ip_address(text))  # no browser sends a zone
    except ValueError:
        labels = text.split(".")
        return HOST_NAME.fullmatch(text) is not None and all(
            0 < len(x) <= MAX_LABEL for x in labels
        )


def _as_browsers_write(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))  # such as 127.1
    except OSError:
        return host.lower()


def _host_in(text: str) -> str:
    """Return the host in the address of a page, or before a port; empty if there is none."""
    try:
        found = urlsplit(text if "//" in text else f"//{text}").hostname or ""
    except ValueError:
        return ""
    return found if _is_host(found) else ""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; UsageError if it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port, family)  # its error is told from others
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(_why_not(host, port, error)) from None


def _why_not(host: str, port: int, error: OSError) -> str:
    """Say why nobody can listen there, and what to do."""
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < LAST_PORT else port - 1
        return f"port {port} is in use; choose another: --port {other}"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used by you; choose one from 1024 on, such as --port 8765"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is no address of this machine; write another --host, or leave it out"
    why = os.strerror(error.errno or 0)  # its own text says more, and that twice
    return f"cannot listen on {host}, port {port} ({why}); choose another --port, or --host"


class Addresses:
    """How a server that listens is reached."""

    def __init__(self, host: str, listening: socket.socket, known: Sequence[str] = ()):
        """``host`` is the address to listen on, ``known`` are further names of it."""
        bound, self._port = listening.getsockname()[:2]
        self._known, self._host = known, host
        self._everywhere = ipaddress.ip_address(bound.partition("%")[0]).is_unspecified
        self._own = ""
        if self._everywhere:
            self._host, self._own = HERE[listening.family], own_address(listening.family)

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts that a request may name."""
        here = LOOPBACK if self._host in LOOPBACK else (self._host,)
        return tuple(filter(None, (*here, self._own, *self._known)))

    def told(self, people: bool = False, proxied: bool = False) -> str:
        """Say where the page is opened: here and, where others reach it, by them.

        With ``people`` each visitor has games of their own; ``proxied`` if a proxy is in front.
        """
        lines = [f"Open {self._url(self._host)} in a browser. To stop: Ctrl+C."]
        if proxied:
            through = ", ".join(self._known)
            lines += [f"Others open {through} through your proxy."] if through else []
        elif self._everywhere:
            lines.append(self._others(people))
        return "\n".join(lines)

    def _others(self, people: bool) -> str:
        urls = [self._url(host) for host in filter(None, (self._own, *self._known))]
        as_you = "" if people else " They play as you; with --people each has games of their own."
        if not urls:
            return f"For others add --known-as with the name or address that they type.{as_you}"
        return f"Others on your network open {' or '.join(urls)}.{as_you}"

    def _url(self, host: str) -> str:
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self._port}"


def own_address(family: socket.AddressFamily) -> str:
    """Return the address by which others on the network reach this machine; empty without one.

    Nothing is sent: a socket for datagrams that is connected only chooses its own address.
    """
    with socket.socket(family, socket.SOCK_DGRAM) as way:
        try:
            way.connect((NO_HOST[family], 9))
        except OSError:
            return ""
        found: str = way.getsockname()[0]
    return "" if ipaddress.ip_address(found).is_loopback else found


MAX_MESSAGE = 8_192  #: bytes that a socket reads at once; it closes by more, with code 1009
STOP_TIMEOUT_S = 5  #: seconds that open connections have when the server stops


def application(service: Service, logins: Logins | None = None) -> Starlette:
    """Return the application without its guard; it closes the service when it ends.

    ``logins`` identify visitors where many people play.
    """

    @contextlib.asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        games, my_pages = LiveGames(service), MyPages(service)
        app.state.evenmatch = AppState(service, games, Ratings(service), my_pages, logins)
        tending = [asyncio.create_task(games.tend())]
        if logins is not None:
            tending.append(asyncio.create_task(logins.tend()))
        try:
            yield
        finally:
            for task in tending:
                task.cancel()
            my_pages.close()
            await games.close()
            await asyncio.to_thread(service.close)

    around = [Middleware(GZipMiddleware, minimum_size=1000)]
    if logins is not None:
        around.append(Middleware(logins.middleware))
    return Starlette(
        routes=routes(people=logins is not None),
        lifespan=running,
        middleware=around,
        exception_handlers={404: missing, Exception: failed},
    )


def serve(
    host: str,
    port: int,
    name: str | None,
    state: Path | None,
    names: Sequence[str] = (),
    games: Sequence[str] = (),
    log: str | None = None,
    *,
    people: bool = False,
    proxied: bool = False,
    root_path: str | None = None,
) -> None:
    """Serve the page until it is interrupted.

    ``names`` are further hosts that browsers ask for, ``games`` those that are offered, by default
    all. With ``people`` each visitor has games of their own; otherwise all are the person called
    ``name``. ``proxied``: trust X-Forwarded-For and -Proto. ``root_path`` is where a proxy shows
    the page, such as /evenmatch. ``log`` is where events go, as `begin_log` has it.
    """
    host = checked_host(host, "--host")
    names = [checked_host(name, "--known-as") for name in names]
    below = checked_path(root_path)
    begin_log(log)
    person = None if people else YOU if name is None else name
    service, logins = Service(person, state, games or tuple(GAMES)), None
    if people:
        default_hasher()  # MissingExtraError if passphrases cannot be kept
        logins = Logins(service, proxied)
    try:
        with service.profile.together():
            pass
    except OSError as error:
        why = f"games cannot be kept in {service.profile.folder} ({cause(error)})"
        raise UsageError(f"{why}; choose another --state") from None
    listening = listen(host, port)
    addresses = Addresses(host, listening, names)
    guarded = Guard(application(service, logins), addresses.names)
    config = uvicorn.Config(
        SubPath(Counted(guarded, service.metrics), below),
        ws_max_size=MAX_MESSAGE,
        proxy_headers=False,  # they would be believed from any program on this machine
        server_header=False,
        log_config=None,
        log_level="warning",
        timeout_graceful_shutdown=STOP_TIMEOUT_S,
    )
    warming = Warming(service.games)
    try:
        warming.begin()
        of_start(service, service.person or YOU)  # which takes longer the first time
        console.tell(addresses.told(people, proxied))
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        warming.stop()
