"""The spec grammar ``name:key=value,...`` that names a player in commands and in code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, TypeVar

from evenmatch.errors import SpecError, quoted
from evenmatch.games.catalog import CATALOG
from evenmatch.games.game import Game
from evenmatch.opponents.player import Player

T = TypeVar("T")

LONGEST = 4000  #: characters of a spec


@dataclass(frozen=True)
class Key:
    """One key of a player's spec."""

    kind: Callable[[str], Any]  #: reads the value
    default: Any  #: a value, or a dict game id -> value; None: decided elsewhere
    help: str  #: what it does, in words of a person who plays
    usual: str = ""  #: what is taken where the default is None, in words
    named: bool = False  #: stands for many: key.NAME=VALUE; the values come by name

    def default_for(self, game: Game) -> Any:
        """Return the default for a game."""
        return self.default.get(game.id) if isinstance(self.default, dict) else self.default


@dataclass(frozen=True)
class PlayerKind:
    """A name in the table of players."""

    summary: str
    build: Callable[..., Player]  #: build(game, networks, **values of keys)
    keys: dict[str, Key] = field(default_factory=dict)
    calibrated_as: Callable[[str, Mapping[str, Any]], str] | None = None
    """``calibrated_as(game id, values given)`` names the player whose calibration curve a spec is
    read by, empty if by none; ``build`` then gets it as ``curve``. None: the player has none."""


def switch(text: str) -> bool:
    """Read ``on`` or ``off``."""
    try:
        return {"on": True, "off": False}[text]
    except KeyError:
        raise ValueError("write on or off") from None


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a reader of one of some words."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"write one of: {', '.join(choices)}")
        return text

    return read


NUMBERS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
}  #: kinds of number, for messages


def number(kind: Callable[[str], Any], text: str) -> Any:
    """Read a number as people write it; ValueError for what only Python reads as one.

    ``int`` and ``float`` take 1_000 and the digits of every script, which are slips in a spec.
    Whole numbers have at most 15 digits.
    """
    plain = r"[+-]?[0-9]{1,15}" if kind is int else r"[ -^`-~]+"  # ASCII without the underscore
    if not re.fullmatch(plain, text):
        raise ValueError(text)
    return kind(text)


def parse(spec: str, players: Mapping[str, PlayerKind]) -> tuple[str, dict[str, Any]]:
    """Split ``name:key=value,...`` into the name and the values given; SpecError if wrong."""
    if len(spec) > LONGEST:
        raise SpecError(f"a player spec of {len(spec):,} characters; write at most {LONGEST:,}")
    name, _, rest = spec.strip().partition(":")
    if name not in players:
        near = get_close_matches(name, players, n=1)
        meant = f"did you mean {near[0]}? Players are" if near else "choose one of"
        raise SpecError(f"unknown player {quoted(name)}; {meant}: {', '.join(players)}")
    values: dict[str, Any] = {}
    for pair in filter(None, rest.split(",")):
        key, value = _read_pair(name, players[name].keys, pair)
        kept, _, inner = key.partition(".")
        found = values.setdefault(kept, {}) if inner else values
        if (inner or key) in found:
            raise SpecError(f"key {key!r} of player {name} is given twice; keep one")
        found[inner or key] = value
    return name, values


def _read_pair(name: str, keys: Mapping[str, Key], pair: str) -> tuple[str, Any]:
    key, equals, text = (part.strip() for part in pair.partition("="))
    entry = keys.get(key.partition(".")[0])
    if entry is not None and entry.named and not key.partition(".")[2]:
        raise SpecError(f"key {key!r} of player {name} needs a name; write {key}.NAME=VALUE")
    if entry is None or (not entry.named and key not in keys):
        near = get_close_matches(key, keys, n=1)
        meant = f"did you mean {near[0]}? Its keys are" if near else "its keys are"
        valid = ", ".join(keys) or "none"
        raise SpecError(f"unknown key {quoted(key)} of player {name}; {meant}: {valid}")
    if not equals or not text:
        raise SpecError(f"key {key!r} of player {name} has no value; write {key}=VALUE")
    kind = entry.kind
    try:
        return key, number(kind, text) if kind in NUMBERS else kind(text)
    except ValueError as error:
        hint = f"write {NUMBERS[kind]}" if kind in NUMBERS else str(error)
        raise SpecError(f"{quoted(text)} is no value for {key} of player {name}; {hint}") from None


# -- keys and look-ups that rows of the table share ---------------------------------------------

SIMULATIONS = {info.game: info.simulations for info in CATALOG.values()}
SIMS = Key(int, SIMULATIONS, "positions it looks at for a move: more is stronger")
NET = Key(str, None, "a network file of yours", "the one that ships")
PER_GAME = "fitted to each game"


def settings_of(game: Game, table: Mapping[str, T]) -> T:
    """Return what a table by game id holds for a game; SpecError if nothing."""
    if game.id not in table:
        raise SpecError(f"this player has no settings for {game.id}; it plays {', '.join(table)}")
    return table[game.id]
