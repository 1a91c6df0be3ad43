"""Numbers fitted to the networks shipped here, by experiments that anyone can run again.

The published constants of AlphaDDA were fitted to the authors' weaker networks and do not even
out with ours. docs/results/ has the searches behind every line, under the names given here.
"""

from evenmatch.strength.alphadda import (
    PAPER,
    AlphaDDA1Config,
    AlphaDDA2Config,
    AlphaDDA3Config,
)
from evenmatch.strength.regularized import Level
from evenmatch.strength.theta import Theta

GO = ("go9", "go13", "go")  #: its sizes

#: AlphaDDA1-3, by `evenmatch experiment grid_search`. Those of Go are not fitted yet: they are
#: Othello 8x8's, to begin with.
FITTED: dict[str, dict] = {
    "alphadda1": {
        "connect4": AlphaDDA1Config(n_h=1, a=4.0, x0=-0.99, n_max=5),
        "othello6": AlphaDDA1Config(n_h=2, a=10.0, x0=-0.8, n_max=100),
        "othello": AlphaDDA1Config(n_h=2, a=2.0, x0=-0.85, n_max=200),
        **dict.fromkeys(GO, AlphaDDA1Config(n_h=2, a=2.0, x0=-0.85, n_max=200)),
    },
    "alphadda2": {
        "connect4": AlphaDDA2Config(n_h=2, a=5.0, x0=0.0),
        "othello6": AlphaDDA2Config(n_h=2, a=20.0, x0=-0.2),
        "othello": AlphaDDA2Config(n_h=4, a=20.0, x0=-0.2),
        **dict.fromkeys(GO, AlphaDDA2Config(n_h=4, a=20.0, x0=-0.2)),
    },
    "alphadda3": {
        "connect4": AlphaDDA3Config(n_h=2, c=0.25),
        "othello6": AlphaDDA3Config(n_h=5, c=1.25),
        "othello": AlphaDDA3Config(n_h=5, c=1.0),
        **dict.fromkeys(GO, AlphaDDA3Config(n_h=5, c=1.0)),
    },
}

#: Sets of constants by the name they have in specs.
CONSTANTS = {"fitted": FITTED, "paper": PAPER}

#: Which of them were fitted with the quirks of the authors' code, without which they do not hold.
WITH_QUIRKS = {"fitted": {"alphadda1"}, "paper": {"alphadda1", "alphadda2", "alphadda3"}}

#: The style in which ``even`` answers each level, by `evenmatch experiment even_fit`; at Go, where
#: it is not fitted yet, as at Othello 8x8.
ANSWERS: dict[str, tuple[float, ...]] = {
    "connect4": (0.4, 0.9, 2.0, 3.2, 3.7, 3.9, 3.7, 3.5, 5.5, 7.0),
    "othello6": (0.4, 1.6, 2.6, 3.5, 4.0, 4.0, 3.9, 5.5, 6.7, 7.0),
    "othello": (0.6, 1.4, 2.6, 3.7, 4.2, 4.3, 4.8, 6.4, 7.0, 7.0),
    **dict.fromkeys(GO, (0.6, 1.4, 2.6, 3.7, 4.2, 4.3, 4.8, 6.4, 7.0, 7.0)),
}

RATED_SIMULATIONS = 100  #: of a move, for which all that follows was fitted, but ``pikl``

#: ACE's parameters by rating of lichess-rapid, by `evenmatch experiment theta_fit`.
ACE_THETAS: dict[float, Theta] = {
    1250: Theta(0.5846, 1.8566, 11.9739),
    1650: Theta(0.6333, 1.5275, 7.8266),
    2150: Theta(0.6711, 1.5049, 4.5885),
    2550: Theta(0.5712, 1.9459, 4.8865),
}

#: The same where the network is told no rating, as ACE's was not: theta alone makes the classes.
ACE_UNTOLD_THETAS: dict[float, Theta] = {
    1250: Theta(0.7275, 1.5788, 8.3606),
    1650: Theta(0.6179, 1.5817, 7.6486),
    2150: Theta(0.5812, 1.6723, 6.9487),
    2550: Theta(0.4831, 2.2353, 6.3774),
}

# By rating of lichess-rapid, all by `evenmatch experiment level_fit`: with these the players lose
# by their moves what people do, and `pikl` by moves as rare as theirs.

#: lambda, t and simulations of ``pikl``.
PIKL_LEVELS: dict[float, Level] = {
    1100: Level(1.6023, 1.17, 100),
    1500: Level(0.4482, 1.17, 100),
    1900: Level(0.1551, 1.463, 100),
    2300: Level(0.0602, 1.829, 100),
    2500: Level(0.0531, 1.829, 400),
}

#: R_th of SA-MCTS, with which z is fitted: with Wu's 0.1 it loses 3.9% at 1100 where people lose
#: 5.6% (docs/notes/archive/rated.md).
SA_R_TH = 0.03

#: z of SA-MCTS.
SA_Z: dict[float, float] = {1100: -0.287, 1500: 0.257, 1900: 0.977, 2300: 1.421, 2500: 2.057}

#: c_1 of SE_inf-MCTS.
SE_C_1: dict[float, float] = {1100: 15.143, 1500: 10.566, 1900: 5.821, 2300: 3.472, 2500: 1.989}
