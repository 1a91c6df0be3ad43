"""An unfinished game as plain data: what a store keeps of it."""

from dataclasses import dataclass, field
from typing import Any

from evenmatch.errors import StateError
from evenmatch.opponents.rating_range import title_of

YOU = "you"  #: a person who gave no name


def unusable_memory(game_id: str, spec: str, person: str, why: str) -> StateError:
    """Return the error for what an opponent knows of a person, where it cannot be used."""
    return StateError(
        f"what {title_of(game_id, spec)} remembers of {person} cannot be used: {why}; start again "
        "with --forget"
    )


@dataclass(frozen=True, kw_only=True)
class Saved:
    """An unfinished game."""

    game: str  #: id
    opponent: str  #: spec
    side: int  #: the person's: 1 moves first, -1 second
    seed: int  #: of the opponent
    actions: tuple[int, ...] = ()  #: played so far
    person: str = YOU  #: name of the player
    start: str = ""  #: the position that the game began from, as FEN; empty for the usual one
    marks: tuple[str, ...] = ()  #: for each action why it is not its mover's own, or OWN
    seen: int = 0  #: plies that were once played, before moves were taken back
    hints: tuple[tuple[int, ...], ...] = ()  #: actions from the start up to a hint, for each hint
    by_profile: bool = False
    """Whether the opponent is at the level that the profile knows, if any, so that it remembers
    nothing itself: the same games would count twice."""
    forgets: bool = False  #: the opponent is to forget the person with the first move
    plays_on: bool = False  #: the opponent never resigns
    disputed: bool = False  #: the person wants dead stones to be captured, so that none is dead
    pace: float | None = None  #: mean seconds of the opponent's moves; None: the usual
    clock: tuple[float, ...] = ()
    """Seconds at the beginning and added for a move, then left to the person and the opponent;
    empty without a clock."""
    curve: dict[str, Any] | None = None
    """The calibration that the opponent's rating is read by, as `Curve.to_json`; None if by none,
    and before the first move."""
    states: dict[str, Any] = field(default_factory=dict)
    """What the opponent knew of the game after each of its turns, by ply as text."""
