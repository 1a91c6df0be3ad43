"""The addresses of the server: where it listens, by which names it is asked, what is told of it."""

from __future__ import annotations

import errno
import ipaddress
import os
import re
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from evenmatch.errors import UsageError, quoted
from evenmatch.frontends.web.guard import LOOPBACK

NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?\.?", re.IGNORECASE)
LONGEST = 63  #: letters of a part of a name
LAST_PORT = 65535
#: By family: this machine as it calls itself, and an address that is nobody's, for examples.
HERE = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
NOBODY = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def checked_host(text: str, option: str) -> str:
    """Return the name or address that was written after an option; UsageError if it is none."""
    bare = text.strip().removeprefix("[").removesuffix("]").removesuffix(".")
    if _is_host(bare):
        return _as_browsers_write(bare)
    if not bare:
        raise UsageError(f"{option} is empty; leave it out, or write a name or an address")
    meant = _host_in(text)
    fix = f"{option} {meant}" if meant else "a name such as even.example, or an address"
    raise UsageError(f"{option} {quoted(text)} is no host; write {fix}")


def _is_host(text: str) -> bool:
    try:
        return "%" not in str(ipaddress.ip_address(text))  # no browser sends a zone
    except ValueError:
        labels = text.split(".")
        return NAME.fullmatch(text) is not None and all(0 < len(x) <= LONGEST for x in labels)


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
        """``host`` is where it was told to listen, ``known`` are further names of it."""
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

        With ``people`` each visitor is somebody of their own; ``proxied`` if a proxy is in front.
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
            way.connect((NOBODY[family], 9))
        except OSError:
            return ""
        found: str = way.getsockname()[0]
    return "" if ipaddress.ip_address(found).is_loopback else found
