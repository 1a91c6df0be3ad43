"""What can be set: by the command line, and by ``kata-set-param``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evenmatch.errors import quoted
from evenmatch.frontends.gtp.protocol import GtpError, read_number, read_switch, read_whole

#: Points for White's side of handicap stones under rule sets that have names, as KataGo has them.
#: Those that count territory are not played here.
NAMED_RULES = {
    "tromp-taylor": "0", "chinese": "N", "chinese-ogs": "N", "chinese-kgs": "N", "aga": "N-1",
    "bga": "N-1", "new-zealand": "0", "new_zealand": "0",
}  # fmt: skip


@dataclass
class Settings:
    """The values, by the fields' names."""

    game: str = "go"
    player: str | None = None  #: the spec of who moves; None: a search at full strength
    weights: str | None = None  #: the network's file; None: the shipped one
    seed: int = 0  #: 0: other moves in every game
    max_visits: int = 0  #: most simulations for a move; 0: as the game is searched without a clock
    max_time: float = 0.0  #: most seconds for a move; 0: no limit
    lag: float = 0.2  #: seconds lost on the way to us and back
    resigns: bool = True
    resign_below: float = -0.9  #: value of a position, in [-1, 1], below which it is lost
    resign_turns: int = 3  #: own turns in a row at which it must be lost
    line_length: int = 15  #: moves of a line that analysis shows


@dataclass(frozen=True)
class Parameter:
    """A setting that programs may change, under the name that KataGo has for it."""

    field: str
    read: Callable[[str], Any]
    low: float = 0
    high: float = 1e9


PARAMETERS = {
    "maxVisits": Parameter("max_visits", read_whole, high=10**7),
    "maxTime": Parameter("max_time", read_number),
    "lagBuffer": Parameter("lag", read_number, high=60),
    "allowResignation": Parameter("resigns", read_switch),
    "resignThreshold": Parameter("resign_below", read_number, low=-1, high=1),
    "resignConsecTurns": Parameter("resign_turns", read_whole, low=1),
    "analysisPVLen": Parameter("line_length", read_whole, low=1, high=1000),
    "searchRandSeed": Parameter("seed", read_whole),
}


def parameter(name: str) -> Parameter:
    """Return a parameter; GtpError if there is none of the name."""
    if name not in PARAMETERS:
        raise GtpError(f"no parameter {quoted(name)}; kata-list-params lists them")
    return PARAMETERS[name]


def get(settings: Settings, name: str) -> str:
    """Write the value of a parameter."""
    value = getattr(settings, parameter(name).field)
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def change(settings: Settings, name: str, word: str) -> None:
    """Set a parameter; GtpError if it is none, or the value is not one of its values."""
    known = parameter(name)
    value = known.read(word)
    if not known.low <= value <= known.high:
        raise GtpError(f"{name} {value:g} is outside {known.low:g} to {known.high:g}")
    setattr(settings, known.field, value)
