"""Analysis: reports of a search, again and again, as Leela Zero and KataGo write them.

Win chances are those of the side to move.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from evenmatch.errors import quoted
from evenmatch.frontends.gtp.protocol import (
    COLOURS,
    GtpError,
    read_colour,
    read_switch,
    read_whole,
    take,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenmatch.frontends.gtp.conversation import Conversation
    from evenmatch.frontends.gtp.thinking import Spread
    from evenmatch.games.line import Line
    from evenmatch.play.tree import Tree

DEVIATIONS = 1.96  #: of a win chance below its mean that ``lcb`` is
LIMITS = ("interval", "minmoves", "maxmoves", "allow", "avoid")  #: keys of every analysis
ROOT = ("rootInfo", "ownership", "ownershipStdev")  #: keys about the position itself
OWNERSHIP = ("ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev")
SHOWN = ("rootInfo", *OWNERSHIP, "pvVisits", "pvEdgeVisits", "noResultValue")  #: KataGo's keys


@dataclass
class AnalyzeArgs:
    """The arguments of an analysis."""

    side: int
    interval: float = 1.0  #: seconds between two reports
    most: int = 1000  #: moves reported
    least: int = 0  #: moves reported, also those without visits
    shown: set[str] = field(default_factory=set)  #: of SHOWN
    allowed: list[str] = field(default_factory=list)  #: moves searched; empty: all
    avoided: list[str] = field(default_factory=list)


class Candidate(NamedTuple):
    """A move as a search sees it; chances are of the side to move."""

    move: str
    visits: int
    chance: float
    prior: float
    line: list[str]  #: the moves that are expected, this one first
    line_visits: list[int]  #: of each of them
    spread: Spread | None  #: of the positions after the move, if points are reported and known

    @property
    def least(self) -> float:
        """The lower bound of the chance, as if each visit were a game."""
        spread = math.sqrt(self.chance * (1 - self.chance) / max(self.visits, 1))
        return max(self.chance - DEVIATIONS * spread, 0.0)


def read_args(engine: Conversation, words: Sequence[str], shown: Collection[str]) -> AnalyzeArgs:
    """Read the arguments: a side, an interval in hundredths of a second, and keys with values.

    ``shown`` are the keys there are in addition to LIMITS; GtpError names any other.
    """
    rest = list(words)
    side = read_colour(rest.pop(0)) if rest and rest[0].lower() in COLOURS else engine.line.side
    args = AnalyzeArgs(side)
    if rest and rest[0].isdigit():
        args.interval = read_whole(rest.pop(0)) / 100
    others: set[int] = set()  # sides that moves are named for
    while rest:
        key = rest.pop(0)
        if key in ("allow", "avoid"):
            others.add(_read_moves(args, key, rest))
        elif key in LIMITS or key in shown:
            _read_value(args, key, take(rest, 1)[0])
            del rest[:1]
        else:
            known = ", ".join((*LIMITS, *shown))
            raise GtpError(f"unknown key {quoted(key)}; choose from: {known}")
    if others and side not in others:
        raise GtpError("allow and avoid are about the next move; name the side that is analysed")
    return args


def _read_moves(args: AnalyzeArgs, key: str, rest: list[str]) -> int:
    """Read a side, its moves and a depth off the beginning of the ``rest``; return the side."""
    colour, moves, depth = take(rest, 3)
    del rest[:3]
    side = read_colour(colour)
    if read_whole(depth) < 1:
        raise GtpError(f"{key} is until depth 1 at least")
    if side == args.side:
        named = args.allowed if key == "allow" else args.avoided
        named += moves.lower().split(",")
    return side


def _read_value(args: AnalyzeArgs, key: str, value: str) -> None:
    if key == "interval":
        args.interval = read_whole(value) / 100
    elif key == "maxmoves":
        args.most = read_whole(value)
        if args.most < 1:  # a report without moves would be an empty line, which ends an answer
            raise GtpError("maxmoves is 1 at least")
    elif key == "minmoves":
        args.least = read_whole(value)
    elif read_switch(value):
        args.shown.add(key)
    else:
        args.shown.discard(key)


# -- what is reported -----------------------------------------------------------------------------


Write = Callable[
    [int, Candidate, AnalyzeArgs], str
]  # how a move is written, by its place in the order


class Reporter:
    """Reports a tree, at most once per interval, and at the end of its search."""

    def __init__(
        self, engine: Conversation, line: Line, args: AnalyzeArgs, write: Write, *, points: bool
    ):
        """``points``: whether to report them where the network knows any."""
        from evenmatch.frontends.gtp.thinking import Points

        self._engine, self._line, self._args, self._write = engine, line, args, write
        self._due = time.perf_counter() + args.interval
        self._points = Points(line, engine.thinker) if points else None

    def see(self, tree: Tree, ended: bool) -> None:
        """Report, if it is time to."""
        now = time.perf_counter()
        if ended or now >= self._due or self._engine.leaving:
            self._due = now + self._args.interval
            self.report(tree)
        if self._engine.leaving and self._engine.search is not None:
            self._engine.search.stop()

    def report(self, tree: Tree) -> None:
        """Report the tree as it is now."""
        from evenmatch.frontends.gtp.thinking import WHOLE, visits_along
        from evenmatch.play.tree import best_actions

        stats = tree.stats()
        visits, means = stats.visits[0], stats.means[0]
        found = list(best_actions(stats, self._args.most))
        least = max(self._args.least, 1)
        moves = [action for at, action in enumerate(found) if visits[action] or at < least]
        of_root = self._args.shown.intersection(ROOT) or not visits[moves].all()
        wanted = [*moves, WHOLE] if of_root else moves
        spreads = {} if self._points is None else self._points.spreads(tree, wanted)
        whole = spreads.get(WHOLE)
        parts = []
        for order, action in enumerate(moves):
            line = self._expected(tree, action)
            one = Candidate(
                move=self._engine.dialect.text(self._line, action),
                visits=int(visits[action]),
                chance=(1 + float(means[action] if visits[action] else stats.values[0])) / 2,
                prior=float(stats.priors[0, action]),
                line=self._texts(line),
                line_visits=visits_along(tree.forest, line),
                spread=spreads.get(action, whole),
            )
            parts.append(self._write(order, one, self._args))
        if "rootInfo" in self._args.shown:
            seen, total = visits > 0, int(visits.sum()) + 1  # with the look at the root itself
            value = (float(stats.values[0]) + float(visits[seen] @ means[seen])) / total
            parts.append(f"rootInfo visits {total} {_value((1 + value) / 2, whole)}")
        if whole is not None:
            parts += _owned(self._args.shown, "ownership", whole)
        self._engine.send(" ".join(parts))

    def _expected(self, tree: Tree, action: int) -> list[int]:
        from evenmatch.search.puct import best_line

        return best_line(tree.forest, 0, action)[: self._engine.settings.line_length]

    def _texts(self, actions: Sequence[int]) -> list[str]:
        names, line = [], self._line.first(self._line.ply)
        for action in actions:
            names.append(self._engine.dialect.text(line, action))
            line.push(action)
        return names


def as_leela(order: int, one: Candidate, args: AnalyzeArgs) -> str:
    """Write a move as Leela Zero does: chances of ten thousand."""
    return (
        f"info move {one.move} visits {one.visits} winrate {round(1e4 * one.chance)} "
        f"prior {round(1e4 * one.prior)} lcb {round(1e4 * one.least)} order {order} "
        f"pv {' '.join(one.line)}"
    )


def as_katago(order: int, one: Candidate, args: AnalyzeArgs) -> str:
    """Write a move as KataGo does: chances as fractions, and points where they are known."""
    never = "noResultValue 0 " * ("noResultValue" in args.shown)  # every game has a result
    parts = [
        f"info move {one.move} visits {one.visits} {_value(one.chance, one.spread)} {never}"
        f"prior {one.prior:.6f} lcb {one.least:.6f} order {order} pv {' '.join(one.line)}"
    ]
    visits = " ".join(map(str, one.line_visits))  # of moves and positions: one move leads to each
    parts += [f"{key} {visits}" for key in ("pvVisits", "pvEdgeVisits") if key in args.shown]
    if one.spread is not None:
        parts += _owned(args.shown, "movesOwnership", one.spread)
    return " ".join(parts)


def _value(chance: float, spread: Spread | None) -> str:
    """Write the value of a position for the side to move."""
    text = f"utility {2 * chance - 1:.6f} winrate {chance:.6f}"
    if spread is None:
        return text
    lead, deviation = spread.lead, spread.deviation
    return f"{text} scoreMean {lead:.4f} scoreStdev {deviation:.4f} scoreLead {lead:.4f}"


def _owned(shown: Collection[str], key: str, spread: Spread) -> list[str]:
    """Write whose points will be, and how far the evaluations lie apart, where ``shown``."""
    both = {key: spread.owned, f"{key}Stdev": spread.owned_deviation}
    return [
        f"{name} {' '.join(f'{value:.4f}' for value in values.ravel())}"
        for name, values in both.items()
        if name in shown and values is not None
    ]


def ownership(engine: Conversation, line: Line) -> NDArray | None:
    """Return whose each cell will be for the side to move, [H, W], 1 its own; None: not known."""
    owned = engine.dialect.ownership(engine.thinker.judged(line))
    game = line.game
    return None if owned is None else owned.reshape(game.height, game.width)


# -- the commands ---------------------------------------------------------------------------------


class Style(NamedTuple):
    """How an analysis is written, and which keys it knows in addition to LIMITS."""

    write: Write
    shown: tuple[str, ...] = ()


LEELA, KATAGO = Style(as_leela), Style(as_katago, SHOWN)


def analyse(engine: Conversation, words: Sequence[str], style: Style) -> str:
    """Analyse until the next line."""
    args = read_args(engine, words, style.shown)
    line = engine.record.turned(args.side)
    if not line.legal or line.side != args.side:
        raise GtpError("that side cannot move here")
    allowed, reporter = _allowed(engine, line, args), _reporter(engine, line, args, style)
    thinker = engine.thinker

    def analysis(stopped: Callable[[], bool]) -> None:
        thinker.analyse(line, stopped, reporter.see, allowed)

    engine.analyse(analysis)
    return ""


def _reporter(engine: Conversation, line: Line, args: AnalyzeArgs, style: Style) -> Reporter:
    """Return what reports; GtpError for a key that the network knows nothing about."""
    for key in OWNERSHIP:
        if key in args.shown and ownership(engine, line) is None:
            raise GtpError(f"{key} is not known: the network does not say whose points will be")
    return Reporter(engine, line, args, style.write, points=bool(style.shown))


def _allowed(engine: Conversation, line: Line, args: AnalyzeArgs) -> NDArray | None:
    """Return which actions [A] are to be searched, None if all; GtpError if none is left."""
    from evenmatch.frontends.gtp.dialects import legal_mask

    if not args.allowed and not args.avoided:
        return None
    game, dialect = line.game, engine.dialect
    every = game.legal_mask(line.state[None])[0]
    kept = legal_mask(dialect, line, args.allowed) if args.allowed else every
    kept = kept & ~legal_mask(dialect, line, args.avoided)
    if not kept.any():
        raise GtpError("none of the moves to analyse can be played")
    return kept


def genmove(engine: Conversation, words: Sequence[str], style: Style) -> str:
    """Move for a side and report the search meanwhile."""
    args = read_args(engine, words, style.shown)
    line = engine.record.turned(args.side)
    engine.dialect.off_turn(line, args.side)  # an error comes before the answer begins
    if (args.allowed or args.avoided) and engine.settings.player is not None:
        raise GtpError("a player chooses among all moves; leave allow and avoid out")
    allowed = _allowed(engine, line, args)
    reporter = _reporter(engine, line, args, style)
    engine.begin_answer()
    return f"play {engine.generate(args.side, reporter.see, allowed)}"


COMMANDS: dict[str, Callable[[Conversation, Sequence[str]], str]] = {
    "lz-analyze": partial(analyse, style=LEELA),
    "kata-analyze": partial(analyse, style=KATAGO),
    "lz-genmove_analyze": partial(genmove, style=LEELA),
    "kata-genmove_analyze": partial(genmove, style=KATAGO),
}
