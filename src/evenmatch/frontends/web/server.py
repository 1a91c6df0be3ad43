"""The server: the application, and how it is run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evenmatch.errors import UsageError
from evenmatch.frontends import console
from evenmatch.frontends.web import protocol_faults
from evenmatch.frontends.web.addresses import Addresses, checked_host, listen
from evenmatch.frontends.web.guard import Guard
from evenmatch.frontends.web.log import begin_log
from evenmatch.frontends.web.service import Service
from evenmatch.frontends.web.sub_path import SubPath, checked_path
from evenmatch.games import GAMES
from evenmatch.profiles.database import cause
from evenmatch.sessions.saved import YOU

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from evenmatch.frontends.web.logins import Logins

LONGEST_MESSAGE = 8_192  #: bytes that a socket hears at once; it closes by more, with code 1009
PATIENCE = 5  #: seconds that open connections have when the server stops


def application(service: Service, logins: Logins | None = None) -> Starlette:
    """Return the application without its guard; it closes the service when it ends.

    ``logins`` tell who a request is from where many people play.
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware

    from evenmatch.frontends.web.door import Door
    from evenmatch.frontends.web.my_pages import MyPages
    from evenmatch.frontends.web.page_routes import missing
    from evenmatch.frontends.web.ratings import Ratings
    from evenmatch.frontends.web.routes import routes
    from evenmatch.frontends.web.tables import Tables

    @contextlib.asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        app.state.service, app.state.tables = service, Tables(service)
        app.state.ratings, app.state.logins = Ratings(service), logins
        app.state.my_pages = MyPages(service)
        tended = [one for one in (app.state.tables, logins) if one is not None]
        tending = [asyncio.create_task(one.tend()) for one in tended]
        try:
            yield
        finally:
            for task in tending:
                task.cancel()
            app.state.my_pages.close()
            await app.state.tables.close()
            await asyncio.to_thread(service.close)

    around = [Middleware(GZipMiddleware, minimum_size=1000)]
    if logins is not None:
        around.append(Middleware(Door, logins=logins))
    found = routes(people=logins is not None)
    return Starlette(
        routes=found, lifespan=running, middleware=around, exception_handlers={404: missing}
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

    ``names`` are further hosts it is asked by, ``games`` those that are offered, by default all.
    With ``people`` each visitor is somebody of their own; else all are the person called ``name``.
    ``proxied``: a proxy tells who asks, and by which scheme. ``root_path`` is where it shows the
    page, such as /evenmatch.
    ``log`` is where events go, as `begin_log` has it.
    """
    try:
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise UsageError("the page needs more packages: pip install 'evenmatch[web]'") from None
    from evenmatch.frontends.web.metrics import Counted
    from evenmatch.frontends.web.page_routes import warm_up
    from evenmatch.frontends.web.warming import Warming

    host = checked_host(host, "--host")
    names = [checked_host(name, "--known-as") for name in names]
    below = checked_path(root_path)
    begin_log(log)
    person = None if people else YOU if name is None else name
    service = Service(person, state, games or tuple(GAMES))
    app = application(service, _logins(service, proxied) if people else None)
    protocol_faults.shorten()
    _require_state(service)
    listening = listen(host, port)
    addresses = Addresses(host, listening, names)
    config = uvicorn.Config(
        SubPath(Counted(Guard(app, addresses.names), service.metrics), below),
        ws_max_size=LONGEST_MESSAGE,
        proxy_headers=False,  # which would be believed of whoever is on this machine
        server_header=False,
        log_config=None,
        log_level="warning",
        timeout_graceful_shutdown=PATIENCE,
    )
    warming = Warming(service.games)
    try:
        warming.begin()
        warm_up(service)
        console.tell(addresses.told(people, proxied))
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        warming.stop()


def _logins(service: Service, proxied: bool) -> Logins:
    """Return the logins of a server. MissingExtraError if passphrases cannot be kept."""
    from evenmatch.frontends.web.logins import Logins
    from evenmatch.profiles.accounts import default_hasher

    default_hasher()
    return Logins(service, proxied)


def _require_state(service: Service) -> None:
    """Raise UsageError where games cannot be kept."""
    try:
        with service.profile.together():
            pass
    except OSError as error:
        why = f"games cannot be kept in {service.profile.folder} ({cause(error)})"
        raise UsageError(f"{why}; choose another --state") from None
