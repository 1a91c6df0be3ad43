"""The path below which a proxy shows the page, such as /evenmatch; requests go on without it.

Pure ASGI, around everything else. A proxy may leave the path in a request or take it away.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evenmatch.errors import UsageError, quoted

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")
HEADER = b"x-forwarded-prefix"  #: by which a proxy names the path that it took away
SCOPE = "evenmatch.sub_path"  #: of a request's scope


def checked_path(text: str | None) -> str:
    """Return the path that was written after --root-path; UsageError if it is none."""
    path = (text or "").strip().rstrip("/")
    if path and not PATH.fullmatch(path):
        raise UsageError(f"--root-path {quoted(path)} is no path; write one such as /evenmatch")
    return path


def sub_path_of(scope: Any) -> str:
    """Return the path before those of a request, empty if there is none."""
    return str(scope.get(SCOPE, ""))


class SubPath:
    """The middleware; ``path`` is that of requests whose proxy names none."""

    def __init__(self, app: ASGIApp, path: str = ""):
        self._app, self._path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is asked, without the path before it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        told = [value.decode("latin-1").rstrip("/") for key, value in scope["headers"] if
                key.lower() == HEADER]  # fmt: skip
        path = told[-1] if told and PATH.fullmatch(told[-1]) else self._path
        asked: str = scope["path"]
        if path and (asked == path or asked.startswith(f"{path}/")):
            asked = asked[len(path) :] or "/"

        async def send_below(message: Message) -> None:
            if path and message["type"] == "http.response.start":
                headers = [_below(path, *header) for header in message.get("headers", ())]
                message = {**message, "headers": headers}
            await send(message)

        await self._app({**scope, "path": asked, SCOPE: path}, receive, send_below)


def _below(path: str, name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return a header; one that sends a browser elsewhere sends it below the path."""
    if name.lower() != b"location":
        return name, value
    to = urlsplit(value.decode("latin-1"))
    return name, to._replace(path=path + to.path).geturl().encode("latin-1")
