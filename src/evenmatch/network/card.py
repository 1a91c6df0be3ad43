"""What a network is and how it was made: the card that its file carries."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any

from evenmatch.domains import domain_of


@dataclass(frozen=True, kw_only=True)
class Card:
    """What a network is and how it was made; stored as JSON in the artifact's metadata."""

    game: str
    """Game id, a key of GAMES, or the family of games that it serves."""
    variant: dict[str, float] = field(default_factory=dict)
    """What tells it from other games of the id, such as size and komi; see `Game.variant`."""
    shape: tuple[int, int, int]
    """(C, H, W) of the input planes; H and W 0: any square board."""
    planes: str
    """What the planes hold, in words."""
    actions: int
    """A, policy outputs; 0: by the board."""
    blocks: int
    """Residual blocks."""
    channels: int
    """Filters per trunk convolution."""
    preset: str = ""
    """Name of the training preset."""
    command: str = ""
    """The command line that trained it."""
    seed: int | None = None
    """Random seed of the training run."""
    games: int = 0
    """Self-play (or recorded) games seen."""
    positions: int = 0
    """Positions trained on, repeats counted."""
    date: str = ""
    """Day it was finished, YYYY-MM-DD."""
    licence: str = "GPL-3.0-or-later"
    """SPDX identifier."""
    strength: dict[str, Any] = field(default_factory=dict)
    """Measured strength: opponent -> result, with sample size and interval."""
    scales: list[str] = field(default_factory=list)
    """Rating scales that the policy can be conditioned on, and that the strength head ranks by."""
    knots: list[int] = field(default_factory=list)
    """The ratings that a condition lies between, increasing; empty: those of the game's domain."""
    ranks: dict[str, Any] = field(default_factory=dict)
    """The ranks of the strength head, as the fields of `Ranks`."""
    notes: str = ""
    """Anything else worth knowing."""
    torch: bool = True
    """Whether `read_weights` can rebuild it, for GPUs and training; imported networks it cannot."""

    @property
    def condition_knots(self) -> tuple[int, ...]:
        """The ratings that a condition of this network lies between."""
        return tuple(self.knots) or domain_of(self.game).knots

    @classmethod
    def from_json(cls, text: str) -> Card:
        """Read a card; unknown keys (of a newer version) are dropped. Raises ValueError."""
        data = json.loads(text)
        known = {f.name for f in fields(cls)}
        try:
            card = {key: value for key, value in data.items() if key in known}
            read = cls(**{**card, "shape": tuple(card["shape"])})
            read._check()
            return read
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"incomplete card: {error}") from error

    def _check(self) -> None:
        """Raise TypeError if a field is of another type than it should be."""
        for one in fields(self):
            value, kind = getattr(self, one.name), str(one.type).partition("[")[0]
            if not isinstance(value, TYPES[kind]):
                raise TypeError(f"{one.name} is no {kind}")
        counts = (*self.shape, self.actions, self.blocks, self.channels)
        if len(self.shape) != 3 or not all(isinstance(x, int) and x >= 0 for x in counts):
            raise TypeError("sizes that cannot be")


#: What a field may hold, by the beginning of its annotation.
TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "int | None": (int, type(None)),
    "bool": (bool,),
    "dict": (dict,),
    "list": (list,),
    "tuple": (tuple,),
}
