"""Numbers by which players of a rating are set, fitted to people's games of each game.

At chess, with those of ``pikl``, ``sa`` and ``se``, the players lose by their moves what people of
the rating lose, and ``pikl`` by moves as rare as theirs: `evenmatch experiment level_fit`. At Go
people's moves are likeliest to ``pikl``, `evenmatch experiment rank_fit`, and ``sa`` has published
numbers. Those of ``ace`` foresee people's moves best: `evenmatch experiment theta_fit`.
docs/results/ has all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evenmatch.errors import UsageError
from evenmatch.opponents.ace import Theta
from evenmatch.opponents.pikl import PiklParams


@dataclass(frozen=True, kw_only=True)
class Levels:
    """What was fitted on one game, by rating of its first scale."""

    pikl: Mapping[float, PiklParams]
    """lambda, t and simulations."""
    sa: Mapping[float, float]
    """z of SA-MCTS."""
    sa_r_th: float
    """R_th of SA-MCTS; at chess z is fitted with it."""
    se: Mapping[float, float] = field(default_factory=dict)
    """c_1 of SE_inf-MCTS."""
    ace: Mapping[float, Theta] = field(default_factory=dict)
    """ACE's parameters, where the network is told the rating."""
    ace_untold: Mapping[float, Theta] = field(default_factory=dict)
    """The same where it is told none, as ACE's was not: theta alone makes the classes."""

    def of(self, name: str) -> Mapping[float, object]:
        """Return the numbers of a player by rating; none if it has none."""
        fitted = {"pikl": self.pikl, "sa": self.sa, "se": self.se, "ace": self.ace}
        return fitted.get(name, {})


CHESS = Levels(
    pikl={
        700: PiklParams(2.6811, 2.045, 100),
        900: PiklParams(0.8558, 1.308, 100),
        1100: PiklParams(1.6023, 1.17, 100),
        1500: PiklParams(0.4482, 1.17, 100),
        1900: PiklParams(0.1551, 1.463, 100),
        2300: PiklParams(0.0602, 1.829, 100),
        2500: PiklParams(0.0531, 1.829, 400),
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
    # Two points of a line, on which all ranks lie. It was fitted to 20k and stronger; 25k is where
    # it goes on. It is of 19x19: there are no ranks of people on smaller boards.
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

#: By game.
LEVELS: dict[str, Levels] = {"chess": CHESS} | dict.fromkeys(("go9", "go13", "go"), GO)


def levels_of(game_id: str, name: str) -> Levels:
    """Return what was fitted on a game; UsageError if the player ``name`` was not."""
    known = [game for game, levels in LEVELS.items() if levels.of(name)]
    if game_id not in known:
        raise UsageError(
            f"{name} was not fitted to people of {game_id}, but of {', '.join(known)}; choose "
            "another player"
        )
    return LEVELS[game_id]
