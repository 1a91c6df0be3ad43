"""Dials: numbers that set a player's strength, and the curves from such a number to a rating.

``DIALS`` is the one table of them. `evenmatch calibrate` measures a curve in games and keeps it in
the state folder; `nets` has those that ship. Players that are asked for a rating look it up here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenmatch.errors import StateError
from evenmatch.files import replace_file, state_folder
from evenmatch.games import get_game
from evenmatch.network.artifact import graph_digest, human_policy_path, shipped_path
from evenmatch.search.styles import STRONGEST

VERSION = 1  #: of the files of curves
LEAST_STEP = 1.0  #: Elo between neighbouring settings of a curve, which keeps it increasing


@dataclass(frozen=True, kw_only=True)
class Dial:
    """A player of a game, and the settings that its strength is measured at."""

    game: str
    player: str
    key: str  #: of the player's spec, which is set
    settings: tuple[float, ...]  #: from the weakest to the strongest
    rest: str = ""  #: other keys of the spec
    ratings: tuple[float, float]
    """What the weakest and the strongest setting are guessed to play at, before any game."""
    fixed: float | None = None
    """The setting that is its own rating; None: the scale is that of the anchors."""
    people: bool = False
    """Whether the player asks the network of people's moves, and is set by people's mistakes. The
    curve that ships is then used only where it is asked for."""

    def spec(self, setting: float) -> str:
        """Return the spec of the player at a setting."""
        return f"{self.player}:{self.key}={setting:g}{self.rest}"

    @property
    def network(self) -> str:
        """The digest of the network that the player asks, which a curve belongs to."""
        people = human_policy_path(self.game) if self.people else None
        return graph_digest(people or shipped_path(self.game, get_game(self.game).family))


def _style(game: str, low: float, high: float) -> Dial:
    settings = tuple(x / 2 for x in range(2 * STRONGEST + 1))
    return Dial(game=game, player="style", key="s", settings=settings, ratings=(low, high))


#: By game. Go has `style` too until players of a rank are fitted to it.
DIALS: dict[str, Dial] = {
    "chess": Dial(
        game="chess",
        player="pikl",
        key="elo",
        settings=tuple(map(float, range(700, 2701, 200))),
        rest=",calibrated=off",
        ratings=(700, 2700),
        fixed=1700.0,
        people=True,
    ),
    "connect4": _style("connect4", 700, 2050),
    "othello6": _style("othello6", 800, 2150),
    "othello": _style("othello", 800, 2300),
    "go9": _style("go9", 700, 2600),
    "go13": _style("go13", 700, 2600),
    "go": _style("go", 700, 2600),
}


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Which rating each setting of a dial plays at, by its games."""

    game: str
    player: str
    network: str  #: digest of the network that played
    settings: tuple[float, ...]
    ratings: tuple[float, ...]  #: increasing, Elo
    low: tuple[float, ...]  #: 2.5% are below, Elo
    high: tuple[float, ...]  #: 2.5% are above, Elo
    games: int
    made: str  #: the date
    command: str = ""

    def setting(self, rating: float) -> float:
        """Return the setting that plays at a rating; the nearest end's if none does."""
        return float(np.interp(rating, self.ratings, self.settings))

    def rating(self, setting: float) -> float:
        """Return the rating that a setting plays at."""
        return float(np.interp(setting, self.settings, self.ratings))

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest rating it can set."""
        return self.ratings[0], self.ratings[-1]

    def to_json(self) -> dict[str, Any]:
        """Return the curve as JSON values."""
        return {"version": VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, state: Mapping[str, Any]) -> Curve:
        """Return the curve that `to_json` gave. ValueError, TypeError or KeyError if it is none."""
        state = dict(state)
        if state.pop("version") != VERSION:
            raise ValueError("another version")
        curve = cls(**{key: _tupled(value) for key, value in state.items()})
        if not _sound(curve):
            raise ValueError("not increasing")
        return curve

    def save(self, path: Path) -> None:
        """Write a JSON file. Raises OSError."""
        replace_file(path, json.dumps(self.to_json(), indent=1) + "\n")


def increasing(ratings: ArrayLike) -> NDArray[np.float64]:
    """Return the nearest ratings [..., P] by least squares that increase by ``LEAST_STEP``."""
    from scipy.optimize import isotonic_regression

    table = np.asarray(ratings, float)
    steps = LEAST_STEP * np.arange(table.shape[-1])
    table = table - steps
    rows = table.reshape(-1, table.shape[-1])
    for i in np.flatnonzero((np.diff(rows) < 0).any(1)):  # the others are their own nearest
        rows[i] = isotonic_regression(rows[i]).x
    return rows.reshape(table.shape) + steps


def read_curve(path: Path) -> Curve | None:
    """Return the curve of a file; None if there is none. StateError if it is damaged."""
    try:
        return _read(path, path.stat().st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StateError(f"cannot read {path} ({error.strerror or error})") from None


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Curve:
    try:
        return Curve.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise StateError(
            f"{path} is damaged; delete it, or measure again by `evenmatch calibrate` with --again"
        ) from None


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _sound(curve: Curve) -> bool:
    columns: Sequence[tuple[float, ...]] = (
        curve.settings, curve.ratings, curve.low, curve.high
    )  # fmt: skip
    numbers = [x for column in columns for x in column]
    if len(curve.settings) < 2 or len({len(column) for column in columns}) > 1:
        return False
    if not all(type(x) in (int, float) and math.isfinite(x) for x in numbers):
        return False
    return bool((np.diff(curve.settings) > 0).all() and (np.diff(curve.ratings) > 0).all())


def shipped_curve_path(game: str, player: str) -> Path:
    """Return where the curve of a player is that ships, if one does."""
    return Path(__file__).parent.parent / "nets" / f"{game}-{player}-curve.json"


def own_curve_path(game: str, player: str) -> Path:
    """Return where the curve is kept that was measured here."""
    return state_folder() / "curves" / f"{game}-{player}.json"


def curve_of(
    game: str, player: str, *, calibrated: bool = False, own: bool = False
) -> Curve | None:
    """Return the curve of a player: that measured here, or that which ships; None if neither.

    The curve that ships is used for players that are set by people's mistakes only if
    ``calibrated``.
    Without ``own`` no curve that was measured here is used: published results must not depend on
    the machine. A curve of another network or of another player is none. StateError if the one
    here is damaged.
    """
    dial = DIALS.get(game)
    if dial is None or dial.player != player:
        return None
    paths = [own_curve_path(game, player)] if own else []
    if calibrated or not dial.people:
        paths.append(shipped_curve_path(game, player))
    for path in paths:
        curve = read_curve(path)
        if curve is not None and curve.network == dial.network:
            return curve
    return None
