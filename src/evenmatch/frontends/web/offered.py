"""Which players a visitor may ask for, and with which keys: nothing that reads files or hogs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from evenmatch.errors import EvenmatchError, SpecError, UsageError, quoted
from evenmatch.games.game import Game
from evenmatch.players import Networks, make_player, parse_spec
from evenmatch.players.spec import Key
from evenmatch.players.table import PLAYERS

PROGRAMS = ("engine",)  #: players that start a program
HIDDEN = ("net", "cmd", "seconds", "leaves", "reuse", "answers")  #: keys of whoever runs the server
LARGEST = {"sims": 1000.0, "looks": 48.0, "nmax": 2000.0, "depth": 4.0}  #: of keys that cost
LARGEST_OF_MANY = LARGEST | {"sims": 200.0}  #: where many people play


def largest(person: str | None) -> dict[str, float]:
    """Return the largest values of keys, where one ``person`` plays, or many (None)."""
    return LARGEST_OF_MANY if person is None else LARGEST


def keys_of(name: str) -> dict[str, Key]:
    """Return the keys of a player that visitors may set."""
    return {key: one for key, one in PLAYERS[name].keys.items() if key not in HIDDEN}


@lru_cache(maxsize=16)
def players_of(game: Game, networks: Networks) -> tuple[str, ...]:
    """Return the names of the players that can play a game."""
    return tuple(name for name in PLAYERS if name not in PROGRAMS and _plays(name, game, networks))


def _plays(name: str, game: Game, networks: Networks) -> bool:
    try:
        make_player(name, game, 1, networks)
    except EvenmatchError:
        return False
    return True


def as_offered(spec: str, most: dict[str, float]) -> str:
    """Return a spec as a visitor may ask for it; SpecError or UsageError if it is not offered."""
    name, values = parse_spec(spec)
    return spec_of(name, {key: str(value) for key, value in values.items()}, most)


def spec_of(name: str, keys: dict[str, Any], most: dict[str, float] = LARGEST) -> str:
    """Return the spec of what a visitor asks for; SpecError or UsageError if it is not offered.

    ``most`` has the largest values of keys.
    """
    if name not in PLAYERS or name in PROGRAMS:
        raise SpecError(f"there is no player {quoted(name)} here; choose one of the list")
    known = keys_of(name)
    for key, value in keys.items():
        if key not in known:
            raise SpecError(f"{name} has no setting {quoted(str(key))}; leave it out")
        if not isinstance(value, str) or any(letter in value for letter in ",=:/\\"):
            raise SpecError(f"{quoted(str(value))} is no value for {key}; write a number or a word")
    pairs = ",".join(f"{key}={value.strip()}" for key, value in keys.items() if value.strip())
    spec = f"{name}:{pairs}" if pairs else name
    for key, value in parse_spec(spec)[1].items():
        if key in most and float(value) > most[key]:
            raise UsageError(f"{key} is at most {most[key]:g} here; choose a smaller number")
    return spec
