"""What a network is and how it was made: its card, and the outputs of its strength head.

Strength scores beta come first, from a ranking that has random moves as the weakest rank (SE_inf)
and from one that has not (SE); then for every rating scale the logits of its ranks.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, fields
from typing import Any

from evenmatch.games.catalog import game_info

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")  #: of a game
TEXTS = (
    "game", "planes", "architecture", "preset", "command", "date", "licence", "notes"
)  #: fields of text  # fmt: skip
COUNTS = ("actions", "blocks", "channels", "games", "positions")  #: fields of whole numbers
KINDS: dict[str, type] = {
    "variant": dict, "strength": dict, "scales": list, "knots": list, "ranks": dict, "torch": bool,
    "suicide_area": bool, "profiles": bool, "both_ratings": bool,
}  # fmt: skip
MOST = 1 << 40  #: that a size may be


@dataclass(frozen=True, kw_only=True)
class Card:
    """What a network is and how it was made; stored as JSON in the artifact's metadata."""

    game: str
    """Game id, a key of GAMES, or the family of games that it serves."""
    variant: dict[str, float] = field(default_factory=dict)
    """Its difference from other games of the id, such as size and komi; see `Game.variant`."""
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
    architecture: str = ""
    """What it is made of, in words, of a network that was imported from KataGo."""
    suicide_area: bool = False
    """Whether planes of area, at Go, are as if suicide were legal."""
    profiles: bool = False
    """Whether conditions are KataGo's profiles of people, see `network.katago.profiles`."""
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
    """The ratings that a condition lies between, increasing; empty: those of the catalog."""
    both_ratings: bool = False
    """Whether it is conditioned on the opponent's rating too; see `conditions`."""
    ranks: dict[str, Any] = field(default_factory=dict)
    """The ranks of the strength head, as the fields of `Ranks`."""
    notes: str = ""
    """Anything else worth knowing."""
    torch: bool = True
    """Whether `read_weights` can rebuild it, for GPUs and training; imported networks it cannot."""

    @property
    def condition_knots(self) -> tuple[int, ...]:
        """The ratings that a condition of this network lies between."""
        return tuple(self.knots) or game_info(self.game).knots

    def _check(self) -> None:
        """Raise TypeError if a value is not of the type that it is to have, or no size."""
        kinds = {**dict.fromkeys(TEXTS, str), **dict.fromkeys(COUNTS, int), **KINDS}
        for name, kind in kinds.items():
            if type(getattr(self, name)) is not kind:
                raise TypeError(name)
        if not NAME.fullmatch(self.game):
            raise TypeError("game")
        sizes = (*self.shape, *(getattr(self, name) for name in COUNTS))
        if len(self.shape) != 3 or not all(type(x) is int and 0 <= x <= MOST for x in sizes):
            raise TypeError("shape")
        if not all(type(scale) is str for scale in self.scales):
            raise TypeError("scales")
        if not all(type(knot) is int and abs(knot) <= MOST for knot in self.knots):
            raise TypeError("knots")
        if self.seed is not None and type(self.seed) is not int:
            raise TypeError("seed")

    @classmethod
    def from_json(cls, text: str) -> Card:
        """Read a card; unknown keys (of a newer version) are dropped. Raises ValueError."""
        try:
            data = json.loads(text)
        except RecursionError:
            raise ValueError("nested too deep") from None
        known = {f.name for f in fields(cls)}
        try:
            told = {key: value for key, value in data.items() if key in known}
            card = cls(**{**told, "shape": tuple(told["shape"])})
            card._check()
            return card
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"incomplete card: {error}") from error


BETA, BETA_PLAIN, LOGITS = range(3)
"""Columns: SE_inf, SE, and where the ranks' logits begin."""


def strength_outputs(scales: int, ranks: int) -> int:
    """Return how many outputs the head has for so many rating scales and ranks."""
    return LOGITS + scales * ranks


def rank_logits(scale: int, ranks: int) -> slice:
    """Return the columns of the ranks' logits of scale number ``scale``, the strongest first."""
    return slice(LOGITS + scale * ranks, LOGITS + (scale + 1) * ranks)
