"""An unfinished game as plain data: what a store keeps of it."""

from dataclasses import dataclass
from typing import Any

YOU = "you"  #: a person who gave no name


@dataclass(frozen=True, kw_only=True)
class Saved:
    """An unfinished game."""

    game: str  #: id
    opponent: str  #: spec
    side: int  #: the person's: 1 moves first, -1 second
    seed: int  #: of the opponent
    actions: tuple[int, ...] = ()  #: played so far
    person: str = YOU  #: who plays, by name
    start: str = ""  #: the position that the game began from, as FEN; empty for the usual one
    marks: tuple[str, ...] = ()  #: for each action why it is not its mover's own, or OWN
    seen: int = 0  #: plies that were once played, before moves were taken back
    hints: tuple[tuple[int, ...], ...] = ()  #: actions from the start up to a hint, for each hint
    forgets: bool = False  #: the opponent is to forget the person with the first move
    plays_on: bool = False  #: the opponent never resigns
    disputed: bool = False  #: the person wants dead stones to be captured, so that none is dead
    pace: float | None = None  #: mean seconds of the opponent's moves; None: the usual
    clock: tuple[float, ...] = ()
    """Seconds at the beginning and added for a move, then left to the person and the opponent;
    empty without a clock."""
    snapshots: tuple[tuple[int, dict[str, Any]], ...] = ()
    """The opponent's states within the game, each with the ply that it begins at, from 0 on; empty
    in files of older versions, and of opponents without them: then the game is played again."""
