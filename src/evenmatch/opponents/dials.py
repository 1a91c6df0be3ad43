"""Dials: settings of a player's strength, and the curves from a setting to a rating.

``DIALS`` is the one table of them. `evenmatch calibrate` measures a curve in games and keeps it in
the state folder; `nets` has those that ship. A rating means a strength in games: players that are
asked for one look up here which setting plays at it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.errors import StateError, UsageError
from evenmatch.files import replace_file, state_folder
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.game import Game
from evenmatch.network.artifact import graph_digest, human_policy_path, shipped_path
from evenmatch.opponents.fitted import levels_of, row_at
from evenmatch.opponents.networks import Networks
from evenmatch.opponents.pikl import Regularized, pikl_controller
from evenmatch.opponents.styled import Styled
from evenmatch.search.plan import Plan
from evenmatch.search.styles import STRONGEST

VERSION = 1  #: of the files of curves


@dataclass(frozen=True, kw_only=True)
class Dial:
    """A player of a game, and the settings that its strength is measured at."""

    game: str
    player: str  #: its key ``s`` is the setting
    settings: tuple[float, ...]  #: from the weakest to the strongest
    knots: tuple[float, ...]
    """Settings within, at which the curve may bend: `workshop.calibration`."""
    ratings: tuple[float, float]
    """What the weakest and the strongest setting are guessed to play at, before any game."""
    fixed: float | None = None
    """The setting that is its own rating; None: the scale is that of the anchors."""

    def spec(self, setting: float) -> str:
        """Return the spec of the player at a setting."""
        return f"{self.player}:s={setting:g}"

    @property
    def network(self) -> str:
        """The digest of the network that the player asks, which a curve belongs to."""
        people = human_policy_path(self.game) if self.player in OF_PEOPLE else None
        return graph_digest(people or shipped_path(self.game, get_game(self.game).family))


OF_PEOPLE = ("pikl",)  #: players that ask the network of people's moves


def _style(game: str, low: float, high: float) -> Dial:
    settings = tuple(x / 2 for x in range(2 * STRONGEST + 1))
    knots = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0)
    return Dial(game=game, player="style", settings=settings, knots=knots, ratings=(low, high))


#: By game. Go has `style` too until players of a rank are fitted to it.
DIALS: dict[str, Dial] = {
    "chess": Dial(
        game="chess",
        player="pikl",
        settings=tuple(map(float, range(100, 3101, 200))),
        knots=(700.0, 1500.0, 2300.0),
        ratings=(300, 2800),
        fixed=1700.0,
    ),
    "connect4": _style("connect4", 700, 2150),
    "othello6": _style("othello6", 800, 2150),
    "othello": _style("othello", 800, 2400),
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


def curve_of(game: str, player: str, *, own: bool = False) -> Curve | None:
    """Return the curve of a player: that measured here, or that which ships; None if neither.

    Without ``own`` no curve that was measured here is used: published results must not depend on
    the machine. A curve of another network or of another player is none. StateError if the one
    here is damaged.
    """
    dial = DIALS.get(game)
    if dial is None or dial.player != player:
        return None
    paths = [own_curve_path(game, player)] if own else []
    for path in (*paths, shipped_curve_path(game, player)):
        curve = read_curve(path)
        if curve is not None and curve.network == dial.network:
            return curve
    return None


def setting_at(game: str, player: str, rating: float, curve: Curve | None) -> float:
    """Return the setting of a player's dial that plays at a rating, by its ``curve``.

    UsageError if there is none, or for a rating beyond it.
    """
    if not math.isfinite(rating):
        raise UsageError(f"elo={rating:g} is not a rating; give a number")
    if curve is None:
        dial = DIALS.get(game)
        can = dial is not None and dial.player == player
        fix = f"`evenmatch calibrate {game}` does that" if can else "give s in its place"
        raise UsageError(f"{player} is not calibrated on {game}; {fix}")
    low, high = curve.range
    if not low <= rating <= high:
        inside = f"[{math.ceil(low)}, {math.floor(high)}]"
        raise UsageError(f"elo={rating:g} is outside {inside}; choose one inside")
    return curve.setting(rating)


@dataclass(frozen=True)
class StrengthDial:
    """The player of a game's dial, at any strength in games."""

    low: float  #: the lowest strength, in Elo; at Go the number of a rank
    high: float  #: the highest
    controller: Callable[[float], Styled | Regularized]  #: of a setting
    curve: Curve | None  #: None: the settings are ranks of people, whose strength is not measured

    def at(self, strength: float) -> Styled | Regularized:
        """Return the controller that plays at a strength, or at the nearest within the range."""
        within = min(max(strength, self.low), self.high)
        return self.controller(self.curve.setting(within) if self.curve else within)


def strength_dial(
    game: Game,
    networks: Networks,
    curve: Curve | None,
    simulations: int | None = None,
    net: str | None = None,
) -> StrengthDial:
    """Return the dial of a game: ``pikl`` where people's moves are known, otherwise ``style``.

    ``curve`` is that of `curve_of`, which only Go may lack; ``simulations`` and ``net``, the file
    of a network, replace those that were measured. UsageError if the game has no dial.
    """
    info = game_info(game.id)
    if info.rated in OF_PEOPLE:
        table, card = levels_of(game.id, info.rated).pikl, networks.of_people(net).card

        def of_people(setting: float) -> Regularized:
            params = row_at(table, setting)
            if simulations is not None:
                params = replace(params, simulations=simulations)
            return pikl_controller(params, setting, card)

        low, high = curve.range if curve else (min(table), max(table))
        return StrengthDial(low, high, of_people, curve)
    if curve is None:
        raise UsageError(f"{game.id} has no calibrated player; `evenmatch calibrate` makes one")
    plan = Plan(simulations=info.simulations if simulations is None else simulations)
    return StrengthDial(*curve.range, lambda setting: Styled(setting, plan), curve)


def dial_range(game_id: str, *, own: bool = False) -> tuple[float, float] | None:
    """Return the lowest and the highest strength of a game's dial, in Elo; None without a curve."""
    dial = DIALS.get(game_id)
    curve = curve_of(game_id, dial.player, own=own) if dial else None
    return None if curve is None else curve.range
