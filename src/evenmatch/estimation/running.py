"""Estimates of many players at once, from games that come one after another.

The evidence of a game is added to its player's sum, so memory grows with the players alone. Names
that differ in case or spaces alone are one player's.

Each phase of a game (opening, middle game, ending) has an estimator of its own, fitted to the moves
of that phase: moves of a well-known opening lose little, whatever the strength of the player.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.move_features import PLACE, STRENGTH, MoveFeatures
from evenmatch.estimation.player_games import Evaluate, PlayerGame, evaluated, lacks_evals
from evenmatch.estimation.strength_estimator import Estimate, Floats, Method, estimates
from evenmatch.network.card import BETA
from evenmatch.ratings.belief import Belief
from evenmatch.records.record import GameRecord


def folded(name: str) -> str:
    """Return a name as names are compared: without case, surrounding and repeated spaces."""
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()


@dataclass
class Tally:
    """What is known of one player so far."""

    evidence: list[NDArray[np.float64]]  #: on each scale the sum of the games'; see ``Method``
    games: int = 0
    moves: int = 0
    beta: float = 0.0  #: the sum over the moves
    rated_games: int = 0  #: games with a recorded rating
    ratings: int = 0  #: their sum


class ScalesScorer(Protocol):
    """Rates moves on several rating scales at once."""

    def on_each_scale(
        self, games: Sequence[PlayerGame], every: Sequence[int] = ()
    ) -> list[MoveFeatures]:
        """Return what it says of the players' own moves, or every so-many-th of each game's."""
        ...


class RunningEstimates:
    """Adds games to players' tallies and estimates their ratings."""

    def __init__(
        self,
        scorer: ScalesScorer,
        methods: Sequence[Method],
        judged_whole: int | None = None,
    ):
        """``methods`` are of the scorer's rating scales, one each.

        After a person's first ``judged_whole`` games only every second move is rated.
        """
        self._scorer, self.methods = scorer, methods
        self.tallies: dict[str, Tally] = {}  #: by the name as the first game spells it
        self._spelled: dict[str, str] = {}  # by the folded name
        self._judged_whole = judged_whole
        self.evaluate: Evaluate | None = None  #: evaluates games recorded without evaluations
        self.lacking = 0  #: games that were recorded without evaluations
        self._last: GameRecord | None = None
        self.aided = 0  #: moves left out, since players did not choose them alone

    def add(
        self, games: Sequence[PlayerGame], wanted: Callable[[str], bool] = lambda name: True
    ) -> None:
        """Add games to the tallies of their players, if they have a name that is ``wanted``."""
        kept = [game for game in games if game.name and wanted(game.name)]
        self.aided += sum(int(np.logical_not(game.counted).sum()) for game in kept)
        if not kept:
            return
        lacking = self._lacking(kept)
        if self.evaluate is not None:
            kept = evaluated(kept, self.evaluate)
        on_scales = self._scorer.on_each_scale(kept, self._every(kept))
        speeds = [game.record.speed for game in kept]
        said = [
            method.at_speeds(method.evidence(moves), speeds)
            for method, moves in zip(self.methods, on_scales, strict=True)
        ]
        outputs = on_scales[0]
        betas = outputs.sums(outputs.columns[STRENGTH][:, [BETA]])[:, 0]
        self.lacking += lacking
        for game, of_game, moves, beta in zip(
            kept, zip(*said, strict=True), outputs.counts, betas, strict=True
        ):
            name = self._spelled.setdefault(folded(game.name), " ".join(game.name.split()))
            tally = self.tallies.setdefault(name, Tally([np.zeros_like(x) for x in of_game]))
            for total, part in zip(tally.evidence, of_game, strict=True):
                total += part
            tally.games += 1
            tally.moves += int(moves)
            tally.beta += float(beta)
            if game.rating is not None:
                tally.rated_games += 1
                tally.ratings += game.rating

    def _lacking(self, games: Sequence[PlayerGame]) -> int:
        """Count games without evaluations; the sides of one come one after the other."""
        records = [game.record for game in games]
        new = [record is not last for last, record in pairwise([self._last, *records])]
        self._last = records[-1]
        return sum(lacks_evals(x) for x, is_new in zip(records, new, strict=True) if is_new)

    def _every(self, games: Sequence[PlayerGame]) -> list[int]:
        """Return which moves of each game are judged: 1 is all, 2 every second."""
        if self._judged_whole is None:
            return [1] * len(games)
        seen: Counter[str] = Counter()
        every = []
        for game in games:
            name = folded(game.name)
            known = self.tallies.get(self._spelled.get(name, ""))
            before = (known.games if known else 0) + seen[name]
            every.append(1 if before < self._judged_whole else 2)
            seen[name] += 1
        return every

    def estimates(self, scale: int = 0) -> dict[str, Estimate]:
        """Return what is thought of everybody whose moves could be judged, on one of the scales."""
        judged = {name: tally for name, tally in self.tallies.items() if tally.moves}
        if not judged:
            return {}
        tallies = list(judged.values())
        verdicts = estimates(
            self.methods[scale],
            np.stack([tally.evidence[scale] for tally in tallies]),
            [tally.beta / tally.moves for tally in tallies],
            [tally.moves for tally in tallies],
        )
        return dict(zip(judged, verdicts, strict=True))


PHASES = ("opening", "middle", "ending")
NOTHING = 0.75  #: of the interval before any moves: one as wide says nothing


def phases_of(moves: MoveFeatures, begins: tuple[int, int]) -> list[MoveFeatures]:
    """Return the moves of each phase, which know their places in the whole game.

    The middle game and the ending begin with the own moves ``begins``, from 0.
    """
    places = moves.places
    whole = np.stack([places, places + moves.left], 1).astype(np.float32)
    placed = moves._replace(columns=moves.columns | {PLACE: whole})
    edges = (0, *begins, np.inf)
    return [placed.only((places >= one) & (places < end)) for one, end in pairwise(edges)]


class PhasesScorer:
    """Rates moves on one rating scale: whole games in front, then each phase."""

    def __init__(self, scorer: ScalesScorer, begins: tuple[int, int]):
        self._scorer, self._begins = scorer, begins

    def on_each_scale(
        self, games: Sequence[PlayerGame], every: Sequence[int] = ()
    ) -> list[MoveFeatures]:
        """Return what is said of the players' own moves, as a whole and in each phase."""
        (whole,) = self._scorer.on_each_scale(games, every)
        return [whole, *phases_of(whole, self._begins)]


def says_something(interval: tuple[float, float], grid: Floats) -> bool:
    """Return whether an interval is much narrower than that before any moves."""
    low, high = Belief(grid).interval()
    return interval[1] - interval[0] < NOTHING * float(high - low)
