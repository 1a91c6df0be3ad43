"""Analysis: reports of a search, again and again, as Leela Zero and KataGo write them.

Win chances are those of the side to move.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from numpy.typing import NDArray

from evenmatch.errors import quoted
from evenmatch.frontends.engine.analysis import WHOLE, Points, Spread, by_visits, visits_along
from evenmatch.frontends.engine.options import Option
from evenmatch.frontends.gtp.engine import Conversation
from evenmatch.frontends.gtp.protocol import COLOURS, GtpError, read_colour, read_whole, take
from evenmatch.games.line import Line
from evenmatch.play.tree import Tree
from evenmatch.search.puct import best_line

DEVIATIONS = 1.96  #: of a win chance below its mean that ``lcb`` is
LIMITS = ("interval", "minmoves", "maxmoves", "allow", "avoid")  #: keys of every analysis
ROOT = ("rootInfo", "ownership", "ownershipStdev")  #: keys about the position itself
OWNERSHIP = ("ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev")
SHOWN = ("rootInfo", *OWNERSHIP, "pvVisits", "pvEdgeVisits", "noResultValue")  #: KataGo's keys
SWITCH = Option("check", False)  #: the values of SHOWN


@dataclass
class AnalyzeArgs:
    """The arguments of an analysis."""

    side: int
    interval: float = 1.0  #: seconds between two reports
    most: int = 1000  #: moves reported
    least: int = 0  #: moves reported, even without visits
    shown: set[str] = field(default_factory=set)  #: of SHOWN
    allowed: list[str] = field(default_factory=list)  #: moves searched; empty: all
    avoided: list[str] = field(default_factory=list)


def read_args(engine: Conversation, words: Sequence[str], shown: Collection[str]) -> AnalyzeArgs:
    """Read the arguments: a side, an interval in hundredths of a second, and keys with values.

    ``shown`` are the keys that exist in addition to LIMITS; GtpError names any other.
    """
    rest = list(words)
    side = (
        read_colour(rest.pop(0)) if rest and rest[0].lower() in COLOURS else engine.game.line.side
    )
    args = AnalyzeArgs(side)
    if rest and rest[0].isdigit():
        args.interval = read_whole(rest.pop(0)) / 100
    others: set[int] = set()  # sides for which moves are named
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
    elif SWITCH.read(key, value):
        args.shown.add(key)
    else:
        args.shown.discard(key)


# -- reports --------------------------------------------------------------------------------------


class Candidate(NamedTuple):
    """A move in a report; chances are of the side to move."""

    move: str
    visits: int
    chance: float
    prior: float
    line: list[str]  #: the expected moves, this one first
    line_visits: list[int]  #: of each of them
    spread: Spread | None  #: of the positions after the move, if points are reported and known

    @property
    def least(self) -> float:
        """The lower bound of the chance, as if each visit were a game."""
        spread = math.sqrt(self.chance * (1 - self.chance) / max(self.visits, 1))
        return max(self.chance - DEVIATIONS * spread, 0.0)


Write = Callable[[int, Candidate, AnalyzeArgs], str]  # writes a move, by its place in the order


class Style(NamedTuple):
    """How an analysis is written, and which keys it has in addition to LIMITS."""

    write: Write
    shown: tuple[str, ...] = ()


class Reporter:
    """Reports a tree, at most once per interval, and at the end of its search."""

    def __init__(self, engine: Conversation, line: Line, args: AnalyzeArgs, style: Style):
        """GtpError for a key that the network does not support."""
        thinker = engine.thinker
        owned = args.shown.intersection(OWNERSHIP)
        if owned and engine.game.ownership(thinker.judged(line)) is None:
            key = min(owned, key=OWNERSHIP.index)
            raise GtpError(f"{key} is not known: the network does not predict who owns a point")
        self._engine, self._line, self._args, self._write = engine, line, args, style.write
        self._due = time.perf_counter() + args.interval
        judge = partial(thinker.judge, line.game)
        self._points = Points(line, judge) if style.shown else None

    def see(self, tree: Tree, ended: bool) -> None:
        """Report, if it is time to."""
        now = time.perf_counter()
        if ended or now >= self._due or self._engine.leaving:
            self._due = now + self._args.interval
            self._engine.send(self._report(tree))
        if self._engine.leaving and self._engine.search is not None:
            self._engine.search.stop()

    def _report(self, tree: Tree) -> str:
        """Write the tree as it is now."""
        args, stats = self._args, tree.stats()
        value = float(stats.values[0])
        least = max(args.least, 1)
        found = by_visits(stats, args.most, value)
        rows = [row for at, row in enumerate(found) if row.visits or at < least]
        of_root = args.shown.intersection(ROOT) or not all(row.visits for row in rows)
        wanted = [row.action for row in rows] + [WHOLE] * bool(of_root)
        spreads = {} if self._points is None else self._points.spreads(tree, wanted)
        whole, parts = spreads.get(WHOLE), []
        for order, row in enumerate(rows):
            line = best_line(tree.forest, 0, row.action)[: self._engine.settings["analysisPVLen"]]
            one = Candidate(
                move=self._engine.game.text(self._line, row.action),
                visits=row.visits,
                chance=(1 + row.value) / 2,
                prior=row.prior,
                line=self._engine.game.texts(self._line, line),
                line_visits=visits_along(tree.forest, line),
                spread=spreads.get(row.action, whole),
            )
            parts.append(self._write(order, one, args))
        if "rootInfo" in args.shown:
            visits, means = stats.visits[0], stats.means[0]
            seen, total = visits > 0, int(visits.sum()) + 1  # with the root itself
            mean = (value + float(visits[seen] @ means[seen])) / total
            parts.append(f"rootInfo visits {total} {_value((1 + mean) / 2, whole)}")
        return " ".join(parts + _owned(args.shown, "ownership", whole))


def as_leela(order: int, one: Candidate, args: AnalyzeArgs) -> str:
    """Write a move as Leela Zero does: chances per ten thousand."""
    return (
        f"info move {one.move} visits {one.visits} winrate {round(1e4 * one.chance)} "
        f"prior {round(1e4 * one.prior)} lcb {round(1e4 * one.least)} order {order} "
        f"pv {' '.join(one.line)}"
    )


def as_katago(order: int, one: Candidate, args: AnalyzeArgs) -> str:
    """Write a move as KataGo does: chances as fractions, and points if they are known."""
    never = "noResultValue 0 " * ("noResultValue" in args.shown)  # every game has a result
    parts = [
        f"info move {one.move} visits {one.visits} {_value(one.chance, one.spread)} {never}"
        f"prior {one.prior:.6f} lcb {one.least:.6f} order {order} pv {' '.join(one.line)}"
    ]
    visits = " ".join(map(str, one.line_visits))  # equal: each edge leads to its own position
    parts += [f"{key} {visits}" for key in ("pvVisits", "pvEdgeVisits") if key in args.shown]
    return " ".join(parts + _owned(args.shown, "movesOwnership", one.spread))


def _value(chance: float, spread: Spread | None) -> str:
    """Write the value of a position for the side to move."""
    text = f"utility {2 * chance - 1:.6f} winrate {chance:.6f}"
    if spread is None:
        return text
    lead, deviation = spread.lead, spread.deviation
    return f"{text} scoreMean {lead:.4f} scoreStdev {deviation:.4f} scoreLead {lead:.4f}"


def _owned(shown: Collection[str], key: str, spread: Spread | None) -> list[str]:
    """Write the expected owners of the points and their deviations, if they are ``shown``."""
    if spread is None:
        return []
    both = {key: spread.owned, f"{key}Stdev": spread.owned_deviation}
    return [
        f"{name} {' '.join(f'{value:.4f}' for value in values.ravel())}"
        for name, values in both.items()
        if name in shown and values is not None
    ]


# -- the commands ---------------------------------------------------------------------------------


def analyse(engine: Conversation, words: Sequence[str], style: Style) -> str:
    """Analyse until the next line."""
    args = read_args(engine, words, style.shown)
    line = engine.game.turned(args.side)
    if not line.legal or line.side != args.side:
        raise GtpError("that side cannot move here")
    allowed, reporter = _allowed(engine, line, args), Reporter(engine, line, args, style)
    engine.analyse(lambda over: engine.thinker.analyse(line, over, reporter.see, allowed))
    return ""


def _allowed(engine: Conversation, line: Line, args: AnalyzeArgs) -> NDArray | None:
    """Return which actions [A] are searched, None if all; GtpError if none is left."""
    if not args.allowed and not args.avoided:
        return None
    game = engine.game
    kept = line.game.legal_mask(line.state[None])[0]
    if args.allowed:
        kept = game.named(line, args.allowed)
    kept = kept & ~game.named(line, args.avoided)
    if not kept.any():
        raise GtpError("none of the moves to analyse can be played")
    return kept


def genmove(engine: Conversation, words: Sequence[str], style: Style) -> str:
    """Move for a side and report the search meanwhile."""
    args = read_args(engine, words, style.shown)
    line = engine.game.turned(args.side)
    engine.game.off_turn(line, args.side)  # an error comes before the answer begins
    if (args.allowed or args.avoided) and engine.thinker.player is not None:
        raise GtpError("a player chooses among all moves; leave allow and avoid out")
    allowed, reporter = _allowed(engine, line, args), Reporter(engine, line, args, style)
    engine.begin_answer()
    return f"play {engine.generate(args.side, reporter.see, allowed)}"


LEELA, KATAGO = Style(as_leela), Style(as_katago, SHOWN)
COMMANDS: dict[str, Callable[[Conversation, Sequence[str]], str]] = {
    "lz-analyze": partial(analyse, style=LEELA),
    "kata-analyze": partial(analyse, style=KATAGO),
    "lz-genmove_analyze": partial(genmove, style=LEELA),
    "kata-genmove_analyze": partial(genmove, style=KATAGO),
}
