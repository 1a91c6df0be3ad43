"""What a person's moves gave up: the mistakes of the latest game, and by part of the game."""

import hashlib
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError
from evenmatch.estimation.review import (
    VERSION,
    Loss,
    chances,
    confirmed,
    full_strength,
    largest_losses,
    lost_by,
)
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.games.line import OWN
from evenmatch.network.artifact import digest_of, rated_policy_path, shipped_path
from evenmatch.network.conditions import RatingCondition, rating_condition
from evenmatch.network.inference import NetworkEvaluator, network_of
from evenmatch.opponents.networks import load_evaluator
from evenmatch.profiles import Finished
from evenmatch.profiles.games import Games
from evenmatch.profiles.levels import Level
from evenmatch.progress import Progress, no_progress

MOST_POSITIONS = 2000  #: that are judged, of the latest games
LEAST_GAMES = 5  #: of a part that is reported
PARTS = "opening", "middle", "end"  #: they begin with the game and at `GameInfo.phases`


class PlainTable(NamedTuple):
    """A table: a title, which may be empty, heads of columns, and rows of cells."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold nothing but numbers."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.heads)
        return [all(map(_is_number, column)) for column in columns]


def _is_number(cell: str) -> bool:
    return cell.removesuffix("%").replace(".", "", 1).isdigit()


class Part(NamedTuple):
    """What was lost in a part of the game: the mean over games, with a 95% interval."""

    name: str
    lost: float  #: of the chance to win, a move
    margin: float  #: half of the interval
    games: int


def student(freedom: int) -> float:
    """Return how many standard errors of a mean hold 95%, by Student's t."""
    from scipy.stats import t

    return float(t.ppf(0.975, freedom))


class MyLosses:
    """Losses of expected score by the moves of a person's games of one kind.

    Means are by one look at each position. Mistakes of the latest game are confirmed by a search.
    """

    def __init__(
        self,
        games: Sequence[Finished],
        level: Level | None,
        kept: Games | None = None,
        searching: Callable[[], AbstractContextManager[Progress]] = no_progress,
    ):
        """``games`` are in order; the latest are judged, up to ``MOST_POSITIONS``.

        What a search confirmed is kept in ``kept``, and not searched for again. ``searching`` is
        entered during a search, and shows its progress.
        """
        self._kind = games[0].saved.game
        self._kept, self._searching = kept, searching
        people = level is not None and level.scale in game_info(self._kind).scales
        self._level = level if people else None  #: on a scale that the network knows
        self._games: list[Finished] = []
        left = MOST_POSITIONS
        for game in reversed(games):
            left -= len(game.saved.actions) + 1
            if left < 0 and self._games:
                break
            self._games.append(game)

    @cached_property
    def _people(self) -> NetworkEvaluator:
        return network_of(get_game(self._kind), rated_policy_path(self._kind))

    @cached_property
    def chances(self) -> list[NDArray[np.float64]]:
        """The person's chance to win in each position of each game, the latest game in front.

        The network that plays judges them, as the one of people may know boards of one size only.
        """
        rules = get_game(self._kind)
        judge = load_evaluator(rules)
        return [chances(judge, rules, game.line.states, game.saved.side) for game in self._games]

    @cached_property
    def _lost(self) -> list[NDArray[np.float64]]:
        """What each ply of each game gave up, the latest game in front."""
        rules, lost = get_game(self._kind), []
        for game, chance in zip(self._games, self.chances, strict=True):
            of_game = lost_by(chance, rules, game.line.states, game.saved.side)
            marks = game.saved.marks or (OWN,) * len(of_game)
            lost.append(np.where([mark == OWN for mark in marks], of_game, np.nan))
        return lost

    @cached_property
    def latest(self) -> list[Loss]:
        """The mistakes of the latest game, the largest in front."""
        line, lost = self._games[0].line, self._confirmed()
        actions, all_lost = np.array(line.actions, np.intp), np.full(line.ply, np.nan)
        all_lost[list(lost)] = list(lost.values())
        return largest_losses(self._people, line.states, actions, all_lost, self._condition())

    def _confirmed(self) -> dict[int, float]:
        """Return what the latest game's mistakes lost, by ply, as it is kept or by a search."""
        game, info = self._games[0], game_info(self._kind)
        rules, line = get_game(self._kind), game.line
        plan = full_strength(info.simulations, info.solves)
        network = digest_of(shipped_path(self._kind, rules.family))
        facts = (VERSION, network, plan, game.saved.side, game.saved.marks)
        method = hashlib.sha256(repr(facts).encode()).hexdigest()[:32]
        known = None if self._kept is None else self._kept.mistakes(game.row, method)
        if known is not None:
            return known
        actions = np.array(line.actions, np.intp)
        with self._searching() as progress:
            found = confirmed(
                load_evaluator(rules), rules, line.states, actions, self._lost[0], plan, progress
            )
        if self._kept is not None:
            with suppress(OSError, StateError):  # it is found again next time
                self._kept.keep_mistakes(game.row, method, found)
        return found

    def _condition(self) -> RatingCondition | None:
        if self._level is None:
            return None
        card = self._people.card
        rating = min(max(self._level.rating, card.condition_knots[0]), card.condition_knots[-1])
        return rating_condition(rating, self._level.scale, card)

    def parts(self) -> list[Part]:
        """Return what was lost in each part of the game.

        Parts with too few games are left out, and those whose interval holds nothing lost.
        """
        found: list[Part] = []
        begins = game_info(self._kind).phases
        if begins is None:
            return found
        for name, first, last in zip(PARTS, (0, *begins), (*begins, None), strict=True):
            span = slice(2 * first, None if last is None else 2 * last)  # every other is own
            own = [lost[span] for lost in self._lost]
            means = [float(np.nanmean(x)) for x in own if not np.isnan(x).all()]
            if len(means) >= LEAST_GAMES:
                margin = student(len(means) - 1) * np.std(means, ddof=1) / math.sqrt(len(means))
                part = Part(name, float(np.mean(means)), float(margin), len(means))
                found += [part] if part.lost > part.margin else []
        return found

    # -- shown ---------------------------------------------------------------------------------

    def rows(self) -> PlainTable:
        """Return the mistakes as a table."""
        heads = ["move", "", "lost"]
        heads += ["at your level", "people play"] if self._level else []
        look, rows = game_info(self._kind).board_style, []
        for loss in self.latest:
            cells = [str(look.moves(loss.ply + 1)), loss.move, f"{loss.lost:.0%}"]
            if self._level:
                likely = ", ".join(f"{one.move} {one.share:.0%}" for one in loss.likely)
                cells += [f"{loss.played:.0%}", likely]
            rows.append(cells)
        return PlainTable("Your moves that gave up most in the latest game", heads, rows)

    def parts_text(self) -> str:
        """Say what was lost in each part of the game, empty if nothing is certain."""
        parts = [f"{part.name} {part.lost:.1%} ± {part.margin:.1%}" for part in self.parts()]
        return f"Mean loss per move, of the chance to win: {', '.join(parts)}." if parts else ""

    def facts(self) -> dict[str, Any]:
        """Return both as plain data."""
        return {
            "latest": [
                {
                    "ply": loss.ply,
                    "move": loss.move,
                    "lost": round(loss.lost, 3),
                    "played": None if math.isnan(loss.played) else round(loss.played, 3),
                    "likely": [[one.move, round(one.share, 3)] for one in loss.likely],
                }
                for loss in self.latest
            ],
            "parts": [
                {"part": x.name, "lost": round(x.lost, 4), "margin": round(x.margin, 4),
                 "games": x.games}
                for x in self.parts()
            ],
        }  # fmt: skip
