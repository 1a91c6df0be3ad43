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

#: AlphaDDA1-3, by `evenmatch experiment grid_search`.
FITTED: dict[str, dict] = {
    "alphadda1": {
        "connect4": AlphaDDA1Config(n_h=1, a=4.0, x0=-0.99, n_max=5),
        "othello6": AlphaDDA1Config(n_h=2, a=10.0, x0=-0.8, n_max=100),
        "othello": AlphaDDA1Config(n_h=2, a=2.0, x0=-0.85, n_max=200),
    },
    "alphadda2": {
        "connect4": AlphaDDA2Config(n_h=2, a=5.0, x0=0.0),
        "othello6": AlphaDDA2Config(n_h=2, a=20.0, x0=-0.2),
        "othello": AlphaDDA2Config(n_h=4, a=20.0, x0=-0.2),
    },
    "alphadda3": {
        "connect4": AlphaDDA3Config(n_h=2, c=0.25),
        "othello6": AlphaDDA3Config(n_h=5, c=1.25),
        "othello": AlphaDDA3Config(n_h=5, c=1.0),
    },
}

#: Sets of constants by the name they have in specs.
CONSTANTS = {"fitted": FITTED, "paper": PAPER}

#: Which of them were fitted with the quirks of the authors' code, without which they do not hold.
WITH_QUIRKS = {"fitted": {"alphadda1"}, "paper": {"alphadda1", "alphadda2", "alphadda3"}}

#: The style in which ``even`` answers each level, by `evenmatch experiment even_fit`.
ANSWERS: dict[str, tuple[float, ...]] = {
    "connect4": (0.4, 0.9, 2.0, 3.2, 3.7, 3.9, 3.7, 3.5, 5.5, 7.0),
    "othello6": (0.4, 1.6, 2.6, 3.5, 4.0, 4.0, 3.9, 5.5, 6.7, 7.0),
    "othello": (0.6, 1.4, 2.6, 3.7, 4.2, 4.3, 4.8, 6.4, 7.0, 7.0),
}

RATED_SIMULATIONS = 100  #: of a move, for which all that follows was fitted, but ``pikl``

#: ACE's parameters by rating of lichess-rapid, by `evenmatch experiment theta_fit`.
ACE_THETAS: dict[float, Theta] = {
    1250: Theta(0.5804, 1.9767, 7.1633),
    1650: Theta(0.669, 1.526, 6.7935),
    2150: Theta(0.5893, 1.986, 6.5905),
    2550: Theta(0.5718, 2.2068, 5.9825),
}

# By rating of lichess-rapid, all by `evenmatch experiment level_fit`; these and ACE's above are
# fitted to the networks before the one that ships (docs/chess.md). With those `pikl` loses
# what people do by moves as rare as theirs, but for 2500, where they are a little less so; `sa` and
# `se` have from 1900 on what lost least.

#: lambda, t and simulations of ``pikl``.
PIKL_LEVELS: dict[float, Level] = {
    1100: Level(0.33, 1.17, 100),
    1500: Level(0.1069, 1.463, 100),
    1900: Level(0.0515, 1.463, 400),
    2300: Level(0.012, 1.046, 400),
    2500: Level(0.0165, 0.836, 1600),
}

#: z of SA-MCTS.
SA_Z: dict[float, float] = {1100: -1.003, 1500: 1.252, 1900: 6.0, 2300: 6.0}

#: c_1 of SE_inf-MCTS.
SE_C_1: dict[float, float] = {1100: 10.112, 1500: 2.542, 1900: 0.25, 2300: 0.25}
