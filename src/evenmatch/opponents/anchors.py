"""Anchors: players whose rating is known, or is wanted on the scale of a dial."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from evenmatch.opponents.table import parse_spec

NEAR = 75.0  #: Elo that players are apart who are called about as strong


@dataclass(frozen=True)
class Anchor:
    """A player that a dial's settings meet."""

    name: str
    spec: str
    rating: float | None = None  #: on the dial's scale; None: its games tell
    deviation: float = 30.0  #: standard deviation of that rating
    words: str = ""  #: who it is, for people

    @property
    def installed(self) -> bool:
        """Whether it can play on this machine."""
        command = parse_spec(self.spec)[1].get("cmd")
        return command is None or shutil.which(command.split()[0]) is not None


def _ladder(random: float, mcts2: float, mcts1: float, alphazero: float) -> tuple[Anchor, ...]:
    """Return the players of `evenmatch experiment elo_table` that come with evenmatch.

    MCTS1's rating makes the scale. Those of the ends won or lost nearly all of their games there,
    so they are less surely known.
    """
    return (
        Anchor("Random", "random", random, 80.0, "random moves"),
        Anchor("MCTS2", "mcts:sims=100", mcts2, 30.0, "MCTS with 100 playouts"),
        Anchor("MCTS1", "mcts:sims=300", mcts1, 1.0, "MCTS with 300 playouts"),
        Anchor("AlphaZero", "alphazero:random_root=0.2", alphazero, 80.0, "AlphaZero"),
    )


def _stockfish(elo: int) -> Anchor:
    return Anchor(f"Stockfish {elo}", f"engine:cmd=stockfish,elo={elo},seconds=0.05")


def gnugo(level: int) -> str:
    """Return the spec of GNU Go 3.8 at a level (0 to 10), by the rules here.

    It captures dead stones before it passes, for all that stand on the board count.
    """
    rules = "--chinese-rules --positional-superko --capture-all-dead"
    return f"engine:cmd=gnugo --mode gtp --level {level} {rules}"


def _gnugo(level: int, rating: float | None = None) -> Anchor:
    return Anchor(f"GNU Go {level}", gnugo(level), rating, 1.0)


#: At Go one program has a rating by convention, as on servers of programs.
_AT_GO = (Anchor("Random", "random"), _gnugo(0), _gnugo(10, 1800.0))

#: By game. Elo of Connect Four and Othello is that of docs/results/elo_table.md, by likelihood.
ANCHORS: dict[str, tuple[Anchor, ...]] = {
    "connect4": _ladder(721, 1535, 1719, 2039),
    "othello6": _ladder(822, 1541, 1643, 2119),
    "othello": _ladder(821, 1447, 1662, 2300),
    "chess": tuple(map(_stockfish, (1350, 1700, 2100, 2500))),
    "go9": _AT_GO,
    "go13": _AT_GO,
    "go": _AT_GO,
}


def anchors_of(game: str) -> tuple[Anchor, ...]:
    """Return the anchors of a game that can play on this machine."""
    return tuple(anchor for anchor in ANCHORS.get(game, ()) if anchor.installed)


def rating_of_anchor(game: str, spec: str) -> float | None:
    """Return the rating of an anchor, None if the spec is of none or its rating is not known."""
    return next((one.rating for one in ANCHORS.get(game, ()) if one.spec == spec), None)


def likened(game: str, rating: float) -> str:
    """Say how strong a rating is by the known players of a game; empty if there are none."""
    known = sorted(
        (one.rating, one.words)
        for one in ANCHORS.get(game, ())
        if one.words and one.rating is not None
    )
    if not known:
        return ""
    off, words = min((abs(rating - of), words) for of, words in known)
    if off <= NEAR:
        return f"about {words}"
    below = [words for of, words in known if of < rating]
    above = [words for of, words in known if of > rating]
    if not below or not above:
        return f"weaker than {above[0]}" if above else f"stronger than {below[-1]}"
    return f"between {below[-1]} and {above[0]}"
