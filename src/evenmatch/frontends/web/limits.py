"""How often somebody may do what costs the server much: buckets that fill with time.

A bucket is kept as the time at which it is full again, and forgotten when many others were used
since.
"""

import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from evenmatch.errors import counted
from evenmatch.frontends.web.guard import RefusedError

MOST_BUCKETS = 10_000  #: buckets of each kind
LONGEST = 100  #: characters that one is told from another by
ROUNDING = 1e-6  #: seconds
NETWORK = 64  #: bits of an IPv6 address that one household shares


class Limit(NamedTuple):
    """How often something may be done."""

    per_minute: float
    burst: int  #: how often at once
    why: str = "this was asked too often"  #: it is refused then


#: Who enters or joins takes from three buckets: those of the address, of the name as tried from
#: there, and of the name. The last is large, so that one network locks nobody else out.
LIMITS = {
    "name_here": Limit(5, 10, "this name was tried too often from your network"),
    "name": Limit(60, 60, "this name was tried too often"),
    "address": Limit(10, 20, "names were tried too often from your network"),
    "guest": Limit(6, 20, "many new guests came from your network"),  # by address
    "game": Limit(10, 20, "you began many games"),
    "move": Limit(120, 60, "you asked for much at once"),
    "upload": Limit(4, 6, "you sent many files"),
    "review": Limit(10, 10, "you asked for much that takes long"),
    "socket": Limit(60, 60, "you opened many games"),
    "request": Limit(600, 300, "you asked for much at once"),
}


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


class TooOftenError(RefusedError):
    """Somebody has to wait, for so many seconds."""

    def __init__(self, why: str, wait: float):
        seconds = math.ceil(wait)
        told = f"{why}; try again in {counted(seconds, 'second')}"
        super().__init__(429, told, {"retry-after": str(seconds)})
        self.wait = wait


class Limits:
    """The buckets of a server. Threads may share it."""

    def __init__(
        self,
        limits: dict[str, Limit] = LIMITS,
        clock: Callable[[], float] = time.monotonic,
        most: int = MOST_BUCKETS,
    ):
        self._limits, self._clock, self._most = limits, clock, most
        self._full: dict[str, OrderedDict[str, float]] = {kind: OrderedDict() for kind in limits}
        self._lock = threading.Lock()

    def take(self, kind: str, who: str) -> float:
        """Return 0.0 if somebody may do something now, which counts then; else seconds to wait.

        ``who`` is a name in any case, an address (see `household`), or anything that tells one from
        another.
        """
        limit, buckets, who = self._limits[kind], self._full[kind], who.casefold()[:LONGEST]
        each = 60 / limit.per_minute
        with self._lock:
            now = self._clock()
            full = max(buckets.pop(who, now), now) + each  # once this is done
            wait = full - now - each * limit.burst
            allowed = wait <= ROUNDING
            buckets[who] = full if allowed else full - each
            if len(buckets) > self._most:
                buckets.popitem(last=False)
        return 0.0 if allowed else wait

    def require(self, kind: str, who: str) -> None:
        """Let somebody do something now; TooOftenError if they have to wait."""
        if wait := self.take(kind, who):
            raise TooOftenError(self._limits[kind].why, wait)

    def __len__(self) -> int:
        """Return how many buckets are kept."""
        return sum(map(len, self._full.values()))
