"""All fitted numbers of the players, and their interpolation between ratings.

*Players of a rating.* In chess the moves of ``pikl``, ``sa`` and ``se`` lose what people of the
rating lose, and those of ``pikl`` are as rare as theirs: `evenmatch experiment level_fit`. In Go
``pikl`` is fitted by the likelihood of people's moves, `evenmatch experiment rank_fit`, and ``sa``
has published numbers. Those of ``ace`` predict people's moves best: `evenmatch experiment
theta_fit`.

*Players that adapt.* The published constants of AlphaDDA were fitted to the authors' weaker
networks and do not even out with ours, so there are our own beside them.

docs/results/ has the searches behind every line, under the names given here.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.opponents.ace import Theta
from evenmatch.opponents.alphadda import PAPER, AlphaDDA1Config, AlphaDDA2Config, AlphaDDA3Config
from evenmatch.opponents.evidence import Course, Lost, Seen
from evenmatch.opponents.pikl import PiklParams

Numbers = TypeVar("Numbers")  #: a dataclass of positive numbers


def number_at(table: Mapping[float, float], rating: float, *, logs: bool = False) -> float:
    """Return the number of a rating, in a line between the nearest two, or their logarithms.

    Below the lowest rating and above the highest it is as there.
    """
    ratings = sorted(table)
    numbers = [table[known] for known in ratings]
    rating = min(max(rating, ratings[0]), ratings[-1])
    if rating in table or not logs:
        return float(np.interp(rating, ratings, numbers))
    return float(np.exp(np.interp(rating, ratings, np.log(numbers))))


def row_at(table: Mapping[float, Numbers], rating: float) -> Numbers:
    """Return the row of a rating, whose numbers' logarithms lie between those of the nearest.

    A column that has zeros is interpolated itself.
    """
    rows: list[Any] = list(table.values())
    columns = zip(*map(astuple, rows), strict=True)
    numbers = [
        number_at(dict(zip(table, column, strict=True)), rating, logs=min(column) > 0)
        for column in columns
    ]
    return type(rows[0])(*numbers)


@dataclass(frozen=True, kw_only=True)
class Levels:
    """What was fitted on one game, by rating of its first scale."""

    pikl: Mapping[float, PiklParams]
    """lambda, t, simulations and slips, by setting of the dial."""
    sa: Mapping[float, float]
    """z of SA-MCTS."""
    sa_r_th: float
    """R_th of SA-MCTS; at chess z is fitted with it."""
    se: Mapping[float, float] = field(default_factory=dict)
    """c_1 of SE_inf-MCTS."""
    ace: Mapping[float, Theta] = field(default_factory=dict)
    """ACE's parameters, where the network is conditioned on the rating."""
    ace_untold: Mapping[float, Theta] = field(default_factory=dict)
    """The same for the unconditioned network, as in the paper: theta alone makes the classes."""

    def of(self, name: str) -> Mapping[float, object]:
        """Return the numbers of a player by rating; none if it has none."""
        fitted = {"pikl": self.pikl, "sa": self.sa, "se": self.se, "ace": self.ace}
        return fitted.get(name, {})


CHESS = Levels(
    # By settings of the dial. Those from 700 to 2500 are ratings of people, whose mistakes they
    # make. Settings below 700 are an extension of ours, fitted to nobody: people of the lowest
    # rating that the network knows, with a flatter policy and a share of random moves. Those
    # above 2500 are one too: more simulations and a smaller lambda, up to full strength.
    # The fit's row at 900 is left out: by 600 positions it has a smaller lambda than 1100.
    pikl={
        100: PiklParams(8.0, 3.0, 16, 0.6),
        300: PiklParams(5.5, 2.7, 32, 0.3),
        500: PiklParams(3.8, 2.4, 64, 0.1),
        700: PiklParams(2.6811, 2.045, 100),
        1100: PiklParams(1.6023, 1.17, 100),
        1500: PiklParams(0.4482, 1.17, 100),
        1900: PiklParams(0.1551, 1.463, 100),
        2300: PiklParams(0.0602, 1.829, 100),
        2500: PiklParams(0.0531, 1.829, 400),
        2700: PiklParams(0.04, 1.829, 400),
        2900: PiklParams(0.03, 1.829, 600),
        3100: PiklParams(0.02, 1.829, 800),
    },
    sa={1100: -0.287, 1500: 0.257, 1900: 0.977, 2300: 1.421, 2500: 2.057},
    # With Wu's 0.1 it loses 3.9% at 1100 where people lose 5.6% (docs/notes/archive/rated.md).
    sa_r_th=0.03,
    se={1100: 15.143, 1500: 10.566, 1900: 5.821, 2300: 3.472, 2500: 1.989},
    ace={
        1250: Theta(0.5846, 1.8566, 11.9739),
        1650: Theta(0.6333, 1.5275, 7.8266),
        2150: Theta(0.6711, 1.5049, 4.5885),
        2550: Theta(0.5712, 1.9459, 4.8865),
    },
    ace_untold={
        1250: Theta(0.7275, 1.5788, 8.3606),
        1650: Theta(0.6179, 1.5817, 7.6486),
        2150: Theta(0.5812, 1.6723, 6.9487),
        2550: Theta(0.4831, 2.2353, 6.3774),
    },
)

GO = Levels(
    # Two points of a line, on which all ranks lie. It was fitted to 20k and stronger; 25k is
    # extrapolated. It is of 19x19: people have no ranks on smaller boards.
    pikl={600: PiklParams(10.893, 1.057, 32), 3900: PiklParams(0.303, 1.073, 32)},
    # Chen et al. 2025, table 4, for 800 simulations; found by games, as z by what moves are worth
    # does not rise from rank to rank throughout (docs/results/rank_fit.md).
    sa={
        2700: -1.0,
        2950: -0.6,
        3100: -0.2,
        3200: -0.1,
        3300: 0.05,
        3400: 0.15,
        3500: 0.2,
        3600: 0.3,
        3700: 0.35,
        3800: 0.5,
        3900: 0.6,
    },
    sa_r_th=0.1,
)

#: On 9x9 people have no ranks. The players above span 500 of the 2,400 Elo there that are between
#: nearly random moves and full strength. So a rank on 9x9 is a strength in games, in even steps
#: from one to the other. Up to 9k people of the rank play, with a share of random moves; from there
#: on the search decides more and looks further. `evenmatch experiment rank_games` has 20k to 6d.
GO9 = replace(
    GO,
    pikl={
        600: PiklParams(10.893, 1.057, 32, 0.9),
        2200: PiklParams(6.0, 1.06, 32),
        2500: PiklParams(0.7, 1.07, 32),
        2800: PiklParams(0.303, 1.073, 32),
        3100: PiklParams(0.15, 1.073, 64),
        3300: PiklParams(0.08, 1.073, 128),
        3700: PiklParams(0.04, 1.073, 256),
        3900: PiklParams(0.02, 1.073, 400),
    },
)

#: By game.
LEVELS: dict[str, Levels] = {"chess": CHESS, "go9": GO9} | dict.fromkeys(("go13", "go"), GO)


def levels_of(game_id: str, name: str) -> Levels:
    """Return what was fitted on a game; UsageError if the player ``name`` was not."""
    known = [game for game, levels in LEVELS.items() if levels.of(name)]
    if game_id not in known:
        raise UsageError(
            f"{name} was not fitted to people of {game_id}, but of {', '.join(known)}; choose "
            "another player"
        )
    return LEVELS[game_id]


GO_SIZES = ("go9", "go13", "go")

#: AlphaDDA1-3, by `evenmatch experiment grid_search`. Those of Go are not fitted: they are what an
#: earlier search found for Othello 8x8.
FITTED: dict[str, dict] = {
    "alphadda1": {
        "connect4": AlphaDDA1Config(n_h=2, a=2.0, x0=-0.99, n_max=200),
        "othello6": AlphaDDA1Config(n_h=1, a=10.0, x0=-0.85, n_max=10),
        "othello": AlphaDDA1Config(n_h=2, a=4.0, x0=-0.85, n_max=200),
        **dict.fromkeys(GO_SIZES, AlphaDDA1Config(n_h=2, a=2.0, x0=-0.85, n_max=200)),
    },
    "alphadda2": {
        "connect4": AlphaDDA2Config(n_h=1, a=5.0, x0=-0.2),
        "othello6": AlphaDDA2Config(n_h=4, a=5.0, x0=-0.2),
        "othello": AlphaDDA2Config(n_h=4, a=5.0, x0=-0.2),
        **dict.fromkeys(GO_SIZES, AlphaDDA2Config(n_h=4, a=20.0, x0=-0.2)),
    },
    "alphadda3": {
        "connect4": AlphaDDA3Config(n_h=5, c=0.5),
        "othello6": AlphaDDA3Config(n_h=2, c=0.5),
        "othello": AlphaDDA3Config(n_h=2, c=0.5),
        **dict.fromkeys(GO_SIZES, AlphaDDA3Config(n_h=5, c=1.0)),
    },
}

#: Sets of constants by the name they have in specs.
CONSTANTS = {"fitted": FITTED, "paper": PAPER}

#: Which of them were fitted with the quirks of the authors' code, without which they do not hold.
WITH_QUIRKS = {"fitted": {"alphadda1"}, "paper": {"alphadda1", "alphadda2", "alphadda3"}}

#: What positions are worth between equal players: `evenmatch experiment even_fit`. Those of
#: 13x13 and 19x19 Go were not fitted.
COURSES: dict[str, Course] = {
    "connect4": Course((-0.334, 0.217, 1.273, -0.822), (0.465, -0.161), 23.0, 0.546, 103.4, 1.706),
    "othello6": Course((-0.176, 0.658, 2.176, -1.958), (0.015, 0.223), 32.9, 0.992, 108.2, 1.456),
    "othello": Course((-1.458, 2.118, 0.39, -0.147), (0.011, 0.05), 60.9, 0.994, 151.0, 0.687),
    "chess": Course((0.147, 0.347, 0.51, -0.11), (0.159, -0.301), 72.7, 0.374, 181.5, 2.851),
    "go9": Course((-1.896, 2.866, 0.582, -0.68), (-0.487, 0.019), 70.3, 0.525, 253.8, 1.843),
    "go13": Course((-0.3, 1.5, 0.3, 0.0), (0.0, 0.0), 110.0, 0.8, 350.0),
    "go": Course((-0.3, 1.5, 0.3, 0.0), (0.0, 0.0), 200.0, 0.8, 300.0),
}

#: How strong players of a style are, by the same experiment; at 13x13 and 19x19 people's own ranks.
SEEN: dict[str, Seen] = {
    "connect4": Seen((606, 1651, 1846, 1967), 166.0, 0.02),
    "othello6": Seen((687, 1641, 1642, 1790), 170.0, 0.02),
    "othello": Seen((1529, 1529, 1663, 2288), 200.0, 0.02),
    "chess": Seen((258, 1159, 1847, 3021), 563.0, 0.1),
    "go9": Seen((889, 2393, 2694, 2823), 580.0, 0.02),
    "go13": Seen((100, 4100), 400.0, 0.05),
    "go": Seen((100, 4100), 400.0, 0.05),
}

#: What moves of players of a strength lose, by the same experiment.
LOST: dict[str, Lost] = {
    "chess": Lost(-1.868, -0.777, 0.925, 190.0),
    "go9": Lost(-1.314, -0.529, 1.061, 100.0),
}
