"""The commands that only Go has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenmatch.frontends.gtp.engine import Engine

COMMANDS: dict[str, Callable[[Engine, Sequence[str]], str]] = {}
