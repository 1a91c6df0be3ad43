"""``OPTIONS``, the one table of what ``setoption`` sets."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from evenmatch.errors import UsageError, quoted
from evenmatch.strength.levels import CHESS

MEASURED = int(min(CHESS.pikl)), int(max(CHESS.pikl))
"""Ratings that chess programs may offer: those of pikl. Other methods play as at their nearest."""
METHODS = ("pikl", "human", "se", "sa", "ace")
"""Players of a rating; a test holds them equal to those of ``PLAYERS`` with the key elo."""


@dataclass(frozen=True)
class Option:
    """One option; ``low`` and ``high`` are the bounds of a spin, ``choices`` a combo's."""

    kind: str  #: check, spin, combo, string or button, as the interface has it
    default: bool | int | str | None
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def declared(self, name: str) -> str:
        """Return the line that tells a chess program of the option."""
        words = ["option name", name, "type", self.kind]
        if self.kind == "button":
            return " ".join(words)
        default = self.default or "<empty>" if self.kind == "string" else self.default
        words += ["default", str(default).lower() if self.kind == "check" else str(default)]
        if self.kind == "spin":
            words += ["min", str(self.low), "max", str(self.high)]
        words += [f"var {choice}" for choice in self.choices]
        return " ".join(words)

    def read(self, name: str, text: str) -> bool | int | str | None:
        """Return a value as it is meant; UsageError if it cannot be."""
        if self.kind == "check":
            return _one_of(name, text.lower(), ("true", "false")) == "true"
        if self.kind == "combo":
            return _one_of(name, text.lower(), self.choices)
        if self.kind == "spin":
            return self._read_number(name, text)
        return None if text in ("", "<empty>") else text

    def _read_number(self, name: str, text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise UsageError(f"{name} {quoted(text)} is not a whole number") from None
        if not self.low <= number <= self.high:
            raise UsageError(
                f"{name} {number} is outside {self.low} to {self.high}; choose one inside"
            )
        return number


def _one_of(name: str, text: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise UsageError(f"{name} {quoted(text)} is not one of {', '.join(choices)}")
    return text


OPTIONS: dict[str, Option] = {
    "UCI_LimitStrength": Option("check", False),
    "UCI_Elo": Option("spin", 1500, *MEASURED),
    "Method": Option("combo", METHODS[0], choices=METHODS),
    "MultiPV": Option("spin", 1, 1, 218),
    "Ponder": Option("check", False),
    "UCI_ShowWDL": Option("check", False),
    "Threads": Option("spin", os.cpu_count() or 1, 1, 1024),
    "Hash": Option("spin", 256, 16, 1 << 20),  # MB of the tree
    "Move Overhead": Option("spin", 30, 0, 5000),  # ms that the way to us and back takes
    "Seed": Option("spin", 0, 0, 2**31 - 1),  # 0: other moves in every game
    "WeightsFile": Option("string", None),  # a network of ours, or Leela's .pb.gz
    "Clear Hash": Option("button", None),
}
Value = bool | int | str


def word_of(value: Value) -> str:
    """Write a value as ``setoption`` has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


BY_NAME = {name.lower(): name for name in OPTIONS}


def options_with(given: Mapping[str, Value]) -> dict[str, Option]:
    """Return the options with other defaults, by name in any case. UsageError if wrong."""
    settings = Settings(OPTIONS)
    for name, value in given.items():
        settings.change(name, word_of(value))
    return {name: replace(option, default=settings[name]) for name, option in OPTIONS.items()}


class Settings(dict):
    """The options' values by name."""

    def __init__(self, options: Mapping[str, Option] = OPTIONS) -> None:
        super().__init__({name: option.default for name, option in options.items()})

    def change(self, name: str, text: str) -> str:
        """Set an option, named in any case; return its name. UsageError if it cannot be."""
        known, value = self.read(name, text)
        self[known] = value
        return known

    def read(self, name: str, text: str) -> tuple[str, Value | None]:
        """Return an option's name and the value that is meant. UsageError if there is none."""
        known = BY_NAME.get(name.lower())
        if known is None:
            raise UsageError(f"there is no option {quoted(name)}; `uci` lists them")
        return known, OPTIONS[known].read(known, text)
