"""What an experiment is: parts with settings, a page and a plot of their results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.progress import Progress
from evenmatch_lab.provenance import Modules, installed_code
from evenmatch_lab.result_files import Results

GAMES = (
    "recorded games: build datasets with `evenmatch dataset build` and name each with --data DIR"
)


@dataclass(frozen=True)
class Part:
    """One piece of an experiment."""

    settings: dict[str, Any]  #: JSON values that decide the result, the networks included
    run: Callable[[Progress, Results], dict[str, Any]]
    """Plays, given the results of the parts it needs; returns JSON values."""
    needs: tuple[str, ...] = ()  #: parts whose results it uses


@dataclass(frozen=True)
class Experiment:
    """A table or figure, from games to page."""

    name: str
    title: str  #: what it measures, and where the paper has it
    parts: Callable[..., dict[str, Part]]  #: parts(quick) by name, in order
    page: Callable[[Results], list[str]]  #: lines of Markdown below the title and the command
    plot: Callable[[Results, Path], None] | None = None  #: draws an SVG file
    reads_games: bool = False  #: whether it is parts(quick, data, nets), as ``run`` has them
    data: str = GAMES  #: what it reads, if it does, and how to get and name that
    games: tuple[str, ...] = ()  #: that it can be run on too, with results of their own
    programs: tuple[str, ...] = ()  #: modules of evenmatch that it starts as programs
    game: str = ""  #: the one of them that it is on: parts(quick, game_id); empty: its usual ones

    @property
    def stem(self) -> str:
        """What its files are called."""
        return f"{self.name}_{self.game}" if self.game else self.name

    def on(self, game_id: str) -> "Experiment":
        """Return it on another game than usual. UsageError unless that is one of ``games``."""
        if game_id not in self.games:
            others = f"give one of {', '.join(self.games)}, or leave" if self.games else "leave"
            raise UsageError(f"{self.name} is not run on {game_id}; {others} out --game")
        return replace(self, game=game_id, title=f"{self.title}: {get_game(game_id).title}")

    def parts_of(self, quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
        """Return the parts. UsageError if it needs datasets and has none, or has no use for any."""
        if self.reads_games and not data:
            raise UsageError(f"{self.name} reads {self.data}")
        if (data or nets) and not self.reads_games:
            raise UsageError(f"{self.name} reads no recorded games; leave out --data and --net")
        if self.game:
            return self.parts(quick, self.game)
        return self.parts(quick, data, nets) if self.reads_games else self.parts(quick)

    def code(self) -> Modules:
        """Return the modules that its results depend on, as they are now."""
        parts = self.parts
        return installed_code().reached_from(parts.__module__, parts.__name__, self.programs)


@lru_cache
def digest(name: str) -> str:
    """Return the digest of a network that ships, such as that of a game."""
    return digest_of(shipped_path(name))
