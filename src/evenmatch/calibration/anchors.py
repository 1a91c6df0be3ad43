"""Anchors: players whose strength is known, or is wanted on the scale of a dial."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from evenmatch.players import parse_spec


@dataclass(frozen=True)
class Anchor:
    """A player that a dial's settings meet."""

    name: str
    spec: str
    rating: float | None = None  #: on the dial's scale; None: its games tell
    deviation: float = 30.0  #: standard deviation of that rating

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
        Anchor("Random", "random", random, 80.0),
        Anchor("MCTS2", "mcts2", mcts2),
        Anchor("MCTS1", "mcts1", mcts1, 1.0),
        Anchor("AlphaZero", "alphazero:random_root=0.2", alphazero, 80.0),
    )


def _stockfish(elo: int) -> Anchor:
    return Anchor(f"Stockfish {elo}", f"engine:cmd=stockfish,elo={elo},seconds=0.05")


def _gnugo(level: int, rating: float | None = None) -> Anchor:
    rules = "--chinese-rules --positional-superko --capture-all-dead"
    command = f"gnugo --mode gtp --level {level} {rules}"
    return Anchor(f"GNU Go {level}", f"engine:cmd={command}", rating, 1.0)


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
