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
