"""What the options of ``evenmatch play`` ask for, and the command line that asks the same."""

import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """What the options ask for; None stands for what was not said."""

    game: str | None  #: a game, or the name of an unfinished one
    opponent: str | None = None
    elo: float | None = None
    rank: str | None = None
    place: str | None = None  #: --as
    seed: int | None = None
    resume: bool = False
    moves: str | None = None  #: of both sides
    fen: str | None = None
    source: Path | None = None  #: --from
    at: int | None = None  #: how many of the moves
    person: str | None = None
    forget: bool = False
    time: str | None = None
    pace: float | None = None
    play_on: bool = False
    handicap: int | None = None
    komi: float | None = None
    target: float | None = None
    i_am: str | None = None

    @property
    def command(self) -> str:
        """The command line that asks for this."""
        options = {
            "--opponent": self.opponent,
            "--elo": None if self.elo is None else f"{self.elo:g}",
            "--rank": self.rank,
            "--i-am": self.i_am,
            "--as": self.place,
            "--seed": self.seed,
            "--moves": self.moves,
            "--fen": self.fen,
            "--handicap": self.handicap,
            "--komi": None if self.komi is None else f"{self.komi:g}",
            "--from": self.source,
            "--at": self.at,
            "--name": self.person,
            "--time": self.time,
            "--target": None if self.target is None else f"{self.target:g}",
            "--pace": None if self.pace is None else f"{self.pace:g}",
        }
        words = ["evenmatch", "play", self.game or ""]
        for name, value in options.items():
            words += [] if value is None else [name, str(value)]
        words += ["--forget"] * self.forget + ["--play-on"] * self.play_on
        return shlex.join(words)
