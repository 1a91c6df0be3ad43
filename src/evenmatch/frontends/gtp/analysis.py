"""Analysis: what a search thinks of the moves, told again and again as Leela Zero and KataGo do.

Win chances are those of the side to move. Where the network tells points, a move's lead is what it
says of the position after the move, and ownership is what it says of the position itself.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from evenmatch.frontends.gtp.protocol import (
    COLOURS,
    SYNTAX,
    GtpError,
    read_colour,
    read_switch,
    read_whole,
    take,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenmatch.frontends.gtp.conversation import Conversation
    from evenmatch.sessions.game_line import GameLine
    from evenmatch.sessions.tree import Tree

DEVIATIONS = 1.96  #: of a win chance below its mean that ``lcb`` is
PASSED_OVER = (
    "rootInfo", "pvVisits", "pvEdgeVisits", "ownershipStdev", "movesOwnership",
    "movesOwnershipStdev", "noResultValue",
)  # fmt: skip


@dataclass
class Asked:
    """What an analysis is to tell."""

    side: int
    interval: float = 1.0  #: seconds between two reports
    most: int = 1000  #: moves told
    least: int = 0  #: moves told, also those without visits
    ownership: bool = False
    allowed: list[str] = field(default_factory=list)  #: moves searched; empty: all
    avoided: list[str] = field(default_factory=list)


class Candidate(NamedTuple):
    """A move as a search sees it; chances are of the side to move."""

    move: str
    visits: int
    chance: float
    prior: float
    line: list[str]  #: the moves that are expected, this one first
    lead: float | None  #: points

    @property
    def least(self) -> float:
        """The lower bound of the chance, as if each visit were a game."""
        spread = math.sqrt(self.chance * (1 - self.chance) / max(self.visits, 1))
        return max(self.chance - DEVIATIONS * spread, 0.0)


def read_asked(engine: Conversation, words: Sequence[str]) -> Asked:
    """Read the arguments: a side, an interval in hundredths of a second, and keys with values."""
    rest = list(words)
    side = read_colour(rest.pop(0)) if rest and rest[0].lower() in COLOURS else engine.line.side
    asked = Asked(side)
    if rest and rest[0].isdigit():
        asked.interval = read_whole(rest.pop(0)) / 100
    while rest:
        _read_key(asked, rest.pop(0), rest)
    return asked


def _read_key(asked: Asked, key: str, rest: list[str]) -> None:
    """Read a key's values off the beginning of the ``rest``."""
    if key in ("allow", "avoid"):
        colour, moves, until = take(rest, 3)
        del rest[:3]
        if read_colour(colour) == asked.side and read_whole(until) > 0:
            named = asked.allowed if key == "allow" else asked.avoided
            named += moves.lower().split(",")
        return
    value = take(rest, 1)[0]
    del rest[:1]
    if key == "interval":
        asked.interval = read_whole(value) / 100
    elif key == "maxmoves":
        asked.most = read_whole(value)
    elif key == "minmoves":
        asked.least = read_whole(value)
    elif key == "ownership":
        asked.ownership = read_switch(value)
    elif key not in PASSED_OVER:
        raise GtpError(SYNTAX)


Write = Callable[[int, Candidate], str]  # how a move is told, by its place in the order

# -- what is told ---------------------------------------------------------------------------------


class Reporter:
    """Tells what a tree thinks, at most once an interval."""

    def __init__(self, engine: Conversation, line: GameLine, asked: Asked, write: Write):
        self._engine, self._line, self._asked, self._write = engine, line, asked, write
        self._due = time.perf_counter() + asked.interval
        self._leads: dict[int, float | None] = {}

    def see(self, tree: Tree) -> None:
        """Tell, if it is time to."""
        now = time.perf_counter()
        if now >= self._due:
            self._due = now + self._asked.interval
            self.tell(tree)

    def tell(self, tree: Tree) -> None:
        """Tell what the tree thinks now."""
        infos = [
            self._write(order, candidate) for order, candidate in enumerate(self.candidates(tree))
        ]
        self._engine.tell(" ".join(infos) + self._ownership())

    def candidates(self, tree: Tree) -> list[Candidate]:
        """Return the moves, the most visited first."""
        from evenmatch.sessions.tree import best_actions

        stats = tree.stats()
        visits, means = stats.visits[0], stats.means[0]
        found = list(best_actions(stats, self._asked.most))
        shown = [action for at, action in enumerate(found) if visits[action] or at < self._least]
        return [
            Candidate(
                self._engine.form.text(self._line, action),
                int(visits[action]),
                (1 + float(means[action] if visits[action] else stats.values[0])) / 2,
                float(stats.priors[0, action]),
                self._expected(tree, action),
                self._lead(action),
            )
            for action in shown
        ]

    @property
    def _least(self) -> int:
        return max(self._asked.least, 1)

    def _expected(self, tree: Tree, action: int) -> list[str]:
        from evenmatch.search.principal_variation import best_line

        names, line = [], self._line.first(self._line.ply)
        for each in best_line(tree.forest, 0, action)[: self._engine.settings.line_length]:
            names.append(self._engine.form.text(line, each))
            line.push(each)
        return names

    def _lead(self, action: int) -> float | None:
        """Return by how many points the mover leads after an action, if the network tells."""
        if action not in self._leads:
            after = self._line.first(self._line.ply)
            after.push(action)
            lead = self._engine.form.lead_told(self._engine.thinker.judged(after))
            self._leads[action] = None if lead is None else -lead
        return self._leads[action]

    def _ownership(self) -> str:
        if not self._asked.ownership:
            return ""
        owned = ownership(self._engine, self._line)
        if owned is None:
            return ""
        return " ownership " + " ".join(f"{value:.4f}" for value in owned.ravel())


def as_leela(order: int, one: Candidate) -> str:
    """Write a move as Leela Zero does: chances of ten thousand."""
    return (
        f"info move {one.move} visits {one.visits} winrate {round(1e4 * one.chance)} "
        f"prior {round(1e4 * one.prior)} lcb {round(1e4 * one.least)} order {order} "
        f"pv {' '.join(one.line)}"
    )


def as_katago(order: int, one: Candidate) -> str:
    """Write a move as KataGo does: chances as fractions, and points where they are known."""
    points = "" if one.lead is None else f"scoreMean {one.lead:.4f} scoreLead {one.lead:.4f} "
    return (
        f"info move {one.move} visits {one.visits} utility {2 * one.chance - 1:.6f} "
        f"winrate {one.chance:.6f} {points}prior {one.prior:.6f} lcb {one.least:.6f} "
        f"order {order} pv {' '.join(one.line)}"
    )


def ownership(engine: Conversation, line: GameLine) -> NDArray | None:
    """Return whose each cell will be for the side to move, [H, W], 1 its own; None: not known."""
    owned = engine.form.ownership_told(engine.thinker.judged(line))
    game = line.game
    return None if owned is None else owned.reshape(game.height, game.width)


# -- the commands ---------------------------------------------------------------------------------


def _analyse(engine: Conversation, words: Sequence[str], write: Write) -> str:
    asked = read_asked(engine, words)
    line = engine.record.turned(asked.side)
    if not line.legal or line.side != asked.side:
        raise GtpError("that side cannot move here")
    allowed = _allowed(engine, line, asked)
    thinker, reporter = engine.thinker, Reporter(engine, line, asked, write)

    def analysis(stopped: Callable[[], bool]) -> None:
        thinker.analyse(line, stopped, reporter.see, allowed)

    engine.analyse(analysis)
    return ""


def _allowed(engine: Conversation, line: GameLine, asked: Asked) -> NDArray | None:
    """Return which actions [A] are to be searched, None if all; GtpError if none is left."""
    from evenmatch.frontends.gtp.forms import legal_mask

    if not asked.allowed and not asked.avoided:
        return None
    game, form = line.game, engine.form
    every = game.legal_mask(line.state[None])[0]
    kept = legal_mask(form, line, asked.allowed) if asked.allowed else every
    kept = kept & ~legal_mask(form, line, asked.avoided)
    if not kept.any():
        raise GtpError("none of the moves to analyse can be played")
    return kept


def _genmove(engine: Conversation, words: Sequence[str], write: Write) -> str:
    from evenmatch.frontends.gtp.moves import generate

    asked = read_asked(engine, words)
    line = engine.record.turned(asked.side)
    engine.form.off_turn(line, asked.side)  # an error comes before the answer begins
    engine.begin_answer()
    reporter = Reporter(engine, line, asked, write)
    return f"play {generate(engine, asked.side, reporter.see)}"


def lz_analyze(engine: Conversation, words: Sequence[str]) -> str:
    """Analyse until the next line, told as Leela Zero does."""
    return _analyse(engine, words, as_leela)


def kata_analyze(engine: Conversation, words: Sequence[str]) -> str:
    """Analyse until the next line, told as KataGo does."""
    return _analyse(engine, words, as_katago)


def lz_genmove_analyze(engine: Conversation, words: Sequence[str]) -> str:
    """Move for a side and tell meanwhile what is thought, as Leela Zero does."""
    return _genmove(engine, words, as_leela)


def kata_genmove_analyze(engine: Conversation, words: Sequence[str]) -> str:
    """Move for a side and tell meanwhile what is thought, as KataGo does."""
    return _genmove(engine, words, as_katago)


COMMANDS: dict[str, Callable[[Conversation, Sequence[str]], str]] = {
    "lz-analyze": lz_analyze,
    "kata-analyze": kata_analyze,
    "lz-genmove_analyze": lz_genmove_analyze,
    "kata-genmove_analyze": kata_genmove_analyze,
}
