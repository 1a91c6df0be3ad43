"""The games by which a dial is calibrated: which to play next, what they say, when to stop.

Each step plays one batch between the two players whose game is expected to teach most of the dial
for the time it takes (`ratings/gaussian.py`), then rates all again. Games of a batch begin with
random plies, two from each opening with sides swapped; those of players that draw lots by
themselves begin as any game. The tally is written after every batch, and the command resumes
from it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import StateError
from evenmatch.files import replace_file
from evenmatch.games import get_game
from evenmatch.opponents.dials import Curve, Dial, increasing
from evenmatch.opponents.rating_range import Anchor
from evenmatch.play.arena import Play, play, play_match
from evenmatch.ratings.gaussian import Ratings, learned, rate

Floats = NDArray[np.float64]

BATCH = 24  #: games of a step, at most
LONGEST = 120.0  #: seconds that a step is to take, if it can be that short
OPENING_PLIES = {"connect4": 4, "othello6": 6, "othello": 6}  #: of players that hardly draw lots
BEND = 100.0  #: standard deviation of how much a curve bends at a setting, in Elo
OFF = 400.0  #: of how far off the guess of a dial's ratings is, as a whole and at its ends, in Elo
UNKNOWN = 600.0  #: of an anchor's rating that nobody knows, in Elo
SURE = 1.0  #: of the rating of a dial's fixed setting, in Elo
USUAL_SECONDS = 1.0  #: of a game of two that have not met
LEAST_SECONDS = 1e-3  #: that a game is taken to cost
DRAWS = 2_000  #: of ratings, by which a curve has its band
MOST = 1e9  #: games, points or seconds that a tally may contain
FORMAT = 1  #: of the tally's file
ANEW = "add --again to begin again, or choose another --out"


class Standing(NamedTuple):
    """How far a calibration is."""

    games: int
    widest: float  #: half of the widest 95% interval of a setting's rating, in Elo
    seconds: float  #: of play, of all runs


class Entrant(NamedTuple):
    """A player of the calibration."""

    name: str
    spec: str


@dataclass
class Calibration:
    """A dial's games with its anchors, kept in a file."""

    dial: Dial
    anchors: Sequence[Anchor]
    path: Path  #: of the tally; it need not exist yet
    seed: int = 0
    by: Play = play  #: plays the games
    points: Floats = field(init=False)  #: [E, E], of each entrant against each other
    seconds: Floats = field(init=False)  #: [E, E], of their games
    batches: int = field(default=0, init=False)
    _absent: list[list[Any]] = field(default_factory=list, init=False)  # of anchors not here now

    def __post_init__(self) -> None:
        """Read the tally, if there is one. StateError if it is damaged or of another dial."""
        count = len(self.entrants)
        self.points, self.seconds = np.zeros((count, count)), np.zeros((count, count))
        if self.path.exists():
            self._read()

    @property
    def entrants(self) -> list[Entrant]:
        """The dial's settings, from the weakest, and the anchors, E in all."""
        dial = self.dial
        named = [Entrant(f"{dial.key} {x:g}", dial.spec(x)) for x in dial.settings]
        return [*named, *(Entrant(anchor.name, anchor.spec) for anchor in self.anchors)]

    @property
    def games(self) -> Floats:
        """How many games each two entrants have played, [E, E]."""
        return self.points + self.points.T

    @property
    def standing(self) -> Standing:
        """How far it is."""
        low, high = self.band(self.rated())[1:]
        half = float((high - low).max() / 2)
        return Standing(round(self.games.sum() / 2), half, float(self.seconds.sum() / 2))

    def rated(self) -> Ratings:
        """Return the ratings of all entrants by the games so far."""
        return rate(*self._prior(), self.points)

    def band(self, ratings: Ratings) -> tuple[Floats, Floats, Floats]:
        """Return the increasing curve through the settings' ratings, [P], and its 95% band."""
        count = len(self.dial.settings)
        drawn = increasing(ratings.draws(DRAWS, self.seed)[:, :count])
        low, high = np.quantile(drawn, (0.025, 0.975), 0)
        return increasing(ratings.mean[:count]), low, high

    def curve(self, command: str = "") -> Curve:
        """Return the curve by the games so far."""
        middle, low, high = (tuple(map(_rounded, row)) for row in self.band(self.rated()))
        return Curve(
            game=self.dial.game,
            player=self.dial.player,
            network=self.dial.network,
            settings=self.dial.settings,
            ratings=middle,
            low=low,
            high=high,
            games=self.standing.games,
            made=date.today().isoformat(),
            command=command,
        )

    def steps(self, within: float, until: Callable[[Standing], bool]) -> Iterator[Standing]:
        """Play batch after batch; yield the standing before each and at the end.

        It ends when every setting's rating is known to ``within`` Elo (half of its 95% interval),
        or when ``until`` says so.
        """
        while True:
            standing = self.standing
            yield standing
            if standing.widest <= within or until(standing):
                return
            self.play(*self.next_pair())

    def next_pair(self) -> tuple[int, int]:
        """Return the numbers of the two entrants whose games teach most for their time."""
        wanted = np.arange(len(self.dial.settings))
        gain = learned(self.rated(), wanted) / self._costs()
        return divmod(int(gain.argmax()), len(gain))  # type: ignore[return-value]

    def play(self, a: int, b: int) -> None:
        """Play one batch between two entrants and write the tally."""
        entrants, game, count = self.entrants, get_game(self.dial.game), self.batch(a, b)
        began = time.perf_counter()
        result = play_match(
            entrants[a].spec, entrants[b].spec, game, count,
            seed=self.seed * 1_000_003 + self.batches, openings=OPENING_PLIES.get(game.id, 0),
            by=self.by,
        )  # fmt: skip
        took = time.perf_counter() - began
        self.points[a, b] += result.score.points
        self.points[b, a] += count - result.score.points
        self.seconds[a, b] += took
        self.seconds[b, a] += took
        self.batches += 1
        self._write()

    def batch(self, a: int, b: int) -> int:
        """Return how many games a step between two entrants has: fewer pairs if they take long.

        Games of two that have not met are taken to cost what those of others did.
        """
        pairs = int(LONGEST / (2 * self._costs()[a, b]))
        return 2 * min(max(pairs, 1), BATCH // 2)

    def _costs(self) -> Floats:
        """Return the mean seconds of a game of each two entrants [E, E].

        For two that have not met it is the mean of their other games.
        """
        games = self.games
        usual = self.seconds.sum() / games.sum() if games.sum() else USUAL_SECONDS
        own = (self.seconds.sum(1) + BATCH * usual) / (games.sum(1) + BATCH)
        guess = (own[:, None] + own) / 2
        costs = np.where(games > 0, self.seconds / np.maximum(games, 1), guess)
        return np.maximum(costs, LEAST_SECONDS)

    def _prior(self) -> tuple[Floats, Floats]:
        """Return the mean [E] and the precision [E, E] of the ratings before any game."""
        dial, count, all_of = self.dial, len(self.dial.settings), len(self.entrants)
        mean = np.zeros(all_of)
        mean[:count] = np.linspace(*dial.ratings, count)
        precision = np.zeros((all_of, all_of))
        precision[:count, :count] = _smooth(count)
        if dial.fixed is not None:
            at = dial.settings.index(dial.fixed)
            mean[at], precision[at, at] = dial.fixed, precision[at, at] + 1 / SURE**2
        for at, anchor in enumerate(self.anchors, count):
            known = anchor.rating is not None and dial.fixed is None
            deviation = anchor.deviation if known else UNKNOWN
            mean[at] = anchor.rating if known else np.mean(dial.ratings)
            precision[at, at] = 1 / deviation**2
        return mean, precision

    def _identity(self) -> dict[str, Any]:
        """Return what the tally belongs to."""
        return {
            "format": FORMAT,
            "game": self.dial.game,
            "network": self.dial.network,
            "settings": [self.dial.spec(x) for x in self.dial.settings],
            "seed": self.seed,
        }

    def _write(self) -> None:
        """Keep the tally; anchors by their specs, for others may be installed another time."""
        specs = [entrant.spec for entrant in self.entrants]
        met = [(a, b) for a in range(len(specs)) for b in range(a) if self.games[a, b]]
        rows = [
            [specs[a], specs[b], self.points[a, b], self.points[b, a], round(self.seconds[a, b], 3)]
            for a, b in met
        ]
        kept = {**self._identity(), "batches": self.batches, "met": [*rows, *self._absent]}
        replace_file(self.path, json.dumps(kept, indent=1) + "\n")

    def _read(self) -> None:
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            rows = [(str(a), str(b), float(x), float(y), float(s)) for a, b, x, y, s in kept["met"]]
            batches = int(kept["batches"])
            if not all(0 <= x < MOST for row in rows for x in row[2:]) or batches < 0:
                raise ValueError
            others = [key for key, value in self._identity().items() if kept.get(key) != value]
        except (
            OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError
        ):  # fmt: skip
            raise StateError(f"{self.path} is damaged; {ANEW}") from None
        if others:
            raise StateError(f"{self.path} is of another {others[0]}; {ANEW}")
        number = {entrant.spec: i for i, entrant in enumerate(self.entrants)}
        for a, b, of_a, of_b, seconds in rows:
            if a in number and b in number:
                i, j = number[a], number[b]
                self.points[i, j], self.points[j, i] = of_a, of_b
                self.seconds[i, j] = self.seconds[j, i] = seconds
            else:
                self._absent.append([a, b, of_a, of_b, seconds])
        self.batches = batches


def _smooth(count: int) -> Floats:
    """Return the precision [P, P] of a curve that may be off by ``OFF`` and bends by ``BEND``.

    Off as a whole, and tilted by as much at its ends.
    """
    bends = np.diff(np.eye(count), 2, axis=0) / BEND
    shift = np.full(count, 1 / count) / OFF
    places = np.linspace(-1, 1, count)
    tilt = places / (places @ places) / OFF
    return bends.T @ bends + np.outer(shift, shift) + np.outer(tilt, tilt)


def _rounded(rating: float) -> float:
    return round(float(rating), 1)
