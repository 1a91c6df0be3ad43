"""Which login a browser has, where many people play: made for guests, changed, ended."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from itertools import count
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from evenmatch.errors import EvenmatchError, StateError
from evenmatch.frontends.web.cookies import Cookies, is_secure, secret_of
from evenmatch.frontends.web.guard import RefusedError
from evenmatch.frontends.web.limits import Limits, household
from evenmatch.frontends.web.service import Service
from evenmatch.frontends.web.sockets import Sockets
from evenmatch.frontends.web.sub_path import sub_path_of
from evenmatch.frontends.web.visitor import Visitor
from evenmatch.profiles.accounts import DAY, HOUR, as_kept
from evenmatch.profiles.database import WRITABLE

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.responses import Response

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
