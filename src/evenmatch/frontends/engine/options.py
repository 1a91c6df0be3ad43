"""Options that a program may set: UCI's ``setoption``, GTP's ``kata-set-param``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evenmatch.errors import UsageError, quoted

Value = bool | int | float | str
SWITCHES = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True)
class Option:
    """An option; ``low`` and ``high`` are inclusive bounds of a spin or a number."""

    kind: str  #: check, spin, combo, string or button, as UCI has it; GTP has numbers, too
    default: Value | None
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()  #: of a combo

    def read(self, name: str, text: str) -> Value | None:
        """Return the value that a text means; UsageError if it is none of the option's values."""
        if self.kind == "check":
            return SWITCHES[_one_of(name, text.lower(), tuple(SWITCHES))]
        if self.kind == "combo":
            return _one_of(name, text.lower(), self.choices)
        if self.kind in ("spin", "number"):
            return self._read_number(name, text)
        return None if text in ("", "<empty>") else text

    def _read_number(self, name: str, text: str) -> float:
        kind, read = ("whole number", int) if self.kind == "spin" else ("number", float)
        try:
            number = read(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise UsageError(f"{name} {quoted(text)} is not a {kind}")
        if not self.low <= number <= self.high:
            raise UsageError(
                f"{name} {word_of(number)} is outside {self.low} to {self.high}; choose one inside"
            )
        return number


def _one_of(name: str, text: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise UsageError(f"{name} {quoted(text)} is not one of {', '.join(choices)}")
    return text


def word_of(value: Value | None) -> str:
    """Return a value as programs write it, such as ``true`` or ``0.2``."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


class Settings(dict[str, Any]):
    """The values of options by name."""

    def __init__(
        self, options: Mapping[str, Option], given: Mapping[str, Value], *, listed: str
    ) -> None:
        """Begin with ``given`` values in place of defaults; UsageError if one is wrong.

        ``listed``: the command that lists the options, for the message about an unknown one.
        """
        self._listed = listed
        self._names = {name.lower(): name for name in options}
        self.options = dict(options)
        for name, value in given.items():
            known, read = self.read(name, word_of(value))
            self.options[known] = replace(options[known], default=read)
        super().__init__({name: option.default for name, option in self.options.items()})

    def change(self, name: str, text: str) -> None:
        """Set an option, named in any case; UsageError if there is no such option or value."""
        known, value = self.read(name, text)
        self[known] = value

    def read(self, name: str, text: str) -> tuple[str, Value | None]:
        """Return an option's own name and the value that a text means; UsageError."""
        known = self.known(name)
        return known, self.options[known].read(known, text)

    def known(self, name: str) -> str:
        """Return an option's own name, by its name in any case; UsageError if there is none."""
        if name.lower() not in self._names:
            raise UsageError(f"there is no option {quoted(name)}; `{self._listed}` lists them")
        return self._names[name.lower()]
