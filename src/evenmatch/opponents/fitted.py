"""Numbers fitted to the networks shipped here, by experiments that anyone can run again.

The published constants of AlphaDDA were fitted to the authors' weaker networks and do not even
out with ours. docs/results/ has the searches behind every line, under the names given here.
"""

from typing import NamedTuple

from evenmatch.opponents.alphadda import (
    PAPER,
    AlphaDDA1Config,
    AlphaDDA2Config,
    AlphaDDA3Config,
)

GO = ("go9", "go13", "go")  #: its sizes

#: AlphaDDA1-3, by `evenmatch experiment grid_search`. Those of Go are not fitted: they are what an
#: earlier search found for Othello 8x8.
FITTED: dict[str, dict] = {
    "alphadda1": {
        "connect4": AlphaDDA1Config(n_h=2, a=2.0, x0=-0.99, n_max=200),
        "othello6": AlphaDDA1Config(n_h=1, a=10.0, x0=-0.85, n_max=10),
        "othello": AlphaDDA1Config(n_h=2, a=4.0, x0=-0.85, n_max=200),
        **dict.fromkeys(GO, AlphaDDA1Config(n_h=2, a=2.0, x0=-0.85, n_max=200)),
    },
    "alphadda2": {
        "connect4": AlphaDDA2Config(n_h=1, a=5.0, x0=-0.2),
        "othello6": AlphaDDA2Config(n_h=4, a=5.0, x0=-0.2),
        "othello": AlphaDDA2Config(n_h=4, a=5.0, x0=-0.2),
        **dict.fromkeys(GO, AlphaDDA2Config(n_h=4, a=20.0, x0=-0.2)),
    },
    "alphadda3": {
        "connect4": AlphaDDA3Config(n_h=5, c=0.5),
        "othello6": AlphaDDA3Config(n_h=2, c=0.5),
        "othello": AlphaDDA3Config(n_h=2, c=0.5),
        **dict.fromkeys(GO, AlphaDDA3Config(n_h=5, c=1.0)),
    },
}

#: Sets of constants by the name they have in specs.
CONSTANTS = {"fitted": FITTED, "paper": PAPER}

#: Which of them were fitted with the quirks of the authors' code, without which they do not hold.
WITH_QUIRKS = {"fitted": {"alphadda1"}, "paper": {"alphadda1", "alphadda2", "alphadda3"}}

#: The style in which ``even`` answers each level, by `evenmatch experiment even_fit`; at Go on
#: 13x13, where it is not fitted, nearly as at Othello 8x8. At chess, and Go on 19x19, ``even``
#: follows ratings of people.
ANSWERS: dict[str, tuple[float, ...]] = {
    "connect4": (0.8, 0.9, 1.2, 1.8, 2.7, 3.5, 4.2, 4.9, 5.9, 7.0),
    "othello6": (0.0, 0.1, 1.0, 2.0, 3.0, 3.7, 4.3, 4.8, 5.7, 7.0),
    "othello": (0.1, 1.2, 2.4, 3.5, 4.2, 4.5, 4.6, 5.8, 6.7, 7.0),
    "go9": (1.2, 1.2, 2.0, 3.6, 4.1, 3.9, 4.7, 5.4, 6.5, 7.0),
    "go13": (0.6, 1.4, 2.6, 3.7, 4.2, 4.3, 4.8, 6.4, 7.0, 7.0),
}


class Starts(NamedTuple):
    """What the start position is worth to the first player between two players of each style."""

    network: str  #: the digest of the network that says so
    worths: tuple[float, ...]  #: [styles], in [-1, 1]


#: What `players.even.start_worths` finds for the networks that ship: to search for it takes seconds
#: a game. A test finds it again.
STARTS: dict[str, Starts] = {
    "connect4": Starts(
        "dd7bc092", (0.1398, 0.1084, 0.3588, 0.3888, 0.3891, 0.4236, 0.4517, 0.4825)
    ),
    "othello6": Starts(
        "ff130130", (-0.0275, -0.0597, -0.1387, -0.1760, -0.1717, -0.1811, -0.1743, -0.0853)
    ),
    "othello": Starts(
        "ddd61403", (-0.0775, -0.0629, -0.0370, 0.0056, 0.0196, 0.0301, 0.0367, 0.0578)
    ),
    "go9": Starts(
        "039eb50c", (-0.1755, -0.2037, -0.0068, -0.0220, -0.0615, -0.0509, -0.0550, -0.0658)
    ),
    "go13": Starts(
        "039eb50c", (-0.0567, -0.1397, -0.0084, 0.0061, -0.0340, -0.0415, -0.0408, -0.0402)
    ),
}


class EvenElo(NamedTuple):
    """What ``even`` plays at in each style, by its results: less than the player ``style`` does."""

    network: str  #: the digest of the network that played
    elo: tuple[float, ...]  #: [styles], increasing


#: By `evenmatch experiment even_levels`.
EVEN_ELO: dict[str, EvenElo] = {
    "connect4": EvenElo("dd7bc092", (709, 941, 1261, 1572, 1742, 1867, 2032, 2268)),
    "othello": EvenElo("ddd61403", (931, 1062, 1221, 1440, 1615, 1870, 2224, 2508)),
    "othello6": EvenElo("ff130130", (1015, 1222, 1273, 1405, 1551, 1719, 1908, 2195)),
}
EVEN_UNSURE = 200.0  #: standard deviation of that Elo in a game, by which intervals hold there
