"""The games by which a dial is calibrated: which to play next, what they say, when to stop.

Each step plays one batch between the two players whose game is expected to teach most of the dial
for the time it takes (`ratings/gaussian.py`), then rates all again. The ratings of a dial's
settings are an increasing function of few parameters, fitted to all games at once: a quadratic
spline whose knots the dial names, in the basis of I-splines (Ramsay 1988).

Games of a batch begin with random plies, two from each opening with sides swapped; those of players
that draw lots by themselves begin as any game. The tally is written after every batch, and the
command resumes from it.
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
from evenmatch.opponents.dials import Curve, Dial
from evenmatch.opponents.rating_range import Anchor
from evenmatch.play.arena import Play, play, play_match
from evenmatch.ratings.gaussian import Ratings, learned, rate

Floats = NDArray[np.float64]

BATCH = 24  #: games of a step, at most
LONGEST = 120.0  #: seconds that a step is to take, if it can be that short
OPENING_PLIES = {"connect4": 6, "othello6": 8, "othello": 8}  #: of players that hardly draw lots
DEGREE = 2  #: of the pieces of a curve
LEAST_RISE = 5.0  #: Elo of a basis function of a curve, by which it increases everywhere
PINNED = 5.0  #: standard deviation of one that would be less, in Elo
OFF = 400.0  #: of how far off the guess of a dial's ratings is, as a whole and in a rise, in Elo
UNKNOWN = 600.0  #: of an anchor's rating that nobody knows, in Elo
SURE = 1.0  #: of the rating of a dial's fixed setting, or the anchor of the scale, in Elo
APART = 400.0  #: Elo that two who meet are apart at most: how games of others end says less of
#: either than of whether one number is enough for how players do against all others
USUAL_SECONDS = 1.0  #: of a game of two that have not met
LEAST_SECONDS = 1e-3  #: that a game is taken to cost
DRAWS = 2_000  #: of ratings, by which a curve has its band
LEAST_DRAWS = 100  #: of increasing curves, without which the others are made to rise
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
    _others: list[float] = field(default_factory=list, init=False)
    """Other settings of the dial that have games in the tally; the curve takes these as well."""
    _absent: list[list[Any]] = field(default_factory=list, init=False)  # of anchors not here now

    def __post_init__(self) -> None:
        """Read the tally, if there is one. StateError if it is damaged or of another dial."""
        if self.path.exists():
            self._read()
        else:
            self._begin()

    @property
    def entrants(self) -> list[Entrant]:
        """The dial's settings, the anchors, then other settings that have games, E in all."""
        named = [Entrant(f"s {x:g}", self.dial.spec(x)) for x in self.dial.settings]
        others = [Entrant(f"s {x:g}", self.dial.spec(x)) for x in self._others]
        return [*named, *(Entrant(one.name, one.spec) for one in self.anchors), *others]

    @property
    def games(self) -> Floats:
        """How many games each two entrants have played, [E, E]."""
        return self.points + self.points.T

    @property
    def standing(self) -> Standing:
        """How far it is."""
        low, high = self.band()[1:]
        half = float((high - low).max() / 2)
        return Standing(round(self.games.sum() / 2), half, float(self.seconds.sum() / 2))

    def rated(self) -> Ratings:
        """Return the ratings of all entrants by the games so far."""
        return self._fitted().through(self._design)

    def band(self) -> tuple[Floats, Floats, Floats]:
        """Return the curve through the settings' ratings, [P], and its 95% band."""
        fitted, basis = self._fitted(), splines(self.dial)
        drawn = fitted.draws(DRAWS, self.seed)[:, : basis.shape[1]]
        rising = (drawn[:, 1:] > 0).all(1)
        if rising.sum() >= LEAST_DRAWS:
            drawn = drawn[rising]
        else:
            drawn[:, 1:] = np.maximum(drawn[:, 1:], 0.0)
        low, high = np.quantile(drawn @ basis.T, (0.025, 0.975), 0)
        return basis @ fitted.mean[: basis.shape[1]], low, high

    def curve(self, command: str = "") -> Curve:
        """Return the curve by the games so far; it ends with the last settings that have some."""
        low, high = self.measured()
        columns = np.array([self.dial.settings, *self.band()])
        columns = columns[:, (low <= columns[0]) & (columns[0] <= high)]
        settings, middle, least, most = (tuple(map(_rounded, row)) for row in columns)
        return Curve(
            game=self.dial.game,
            player=self.dial.player,
            network=self.dial.network,
            settings=settings,
            ratings=middle,
            low=least,
            high=most,
            games=self.standing.games,
            made=date.today().isoformat(),
            command=command,
        )

    def measured(self) -> tuple[float, float]:
        """Return the lowest and the highest setting of the dial's grid that the games reach."""
        grid, played = self.dial.settings, self.games.sum(1) > 0
        count = len(grid) + len(self.anchors)
        had = [x for x, has in zip(grid, played, strict=False) if has]
        had += [x for x, has in zip(self._others, played[count:], strict=True) if has]
        if not had:
            return grid[0], grid[-1]
        near = np.array(grid)
        return tuple(near[np.abs(near - end).argmin()] for end in (min(had), max(had)))

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
        """Return the numbers of the two entrants whose games teach most for their time.

        Only those meet who are thought to be at most ``APART`` apart, and neighbours on the dial.
        """
        wanted, ratings = np.arange(len(self.dial.settings)), self.rated()
        gain = learned(ratings, wanted) / self._costs()
        known = len(gain) - len(self._others)
        gain[known:] = gain[:, known:] = 0.0  # these are not played any more
        near = np.abs(ratings.mean[:, None] - ratings.mean) <= APART
        near[wanted[1:], wanted[:-1]] = near[wanted[:-1], wanted[1:]] = True
        gain = np.where(near, gain, 0.0)
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

    @property
    def _design(self) -> Floats:
        """The weights [E, C] of the parameters in the ratings of the entrants.

        Parameters are those of the dial's curve, then the ratings of the anchors.
        """
        (points, count), more = splines(self.dial).shape, len(self.anchors)
        curve = splines(self.dial, (*self.dial.settings, *self._others))
        design = np.zeros((len(curve) + more, count + more))
        design[:points, :count] = curve[:points]
        design[points : points + more, count:] = np.eye(more)
        design[points + more :, :count] = curve[points:]
        return design

    def _fitted(self) -> Ratings:
        """Return the parameters by the games so far.

        Where a rise of the curve would be less than the least, it is that.
        """
        mean, precision = self._prior()
        rises = np.zeros(len(mean), bool)
        rises[1 : splines(self.dial).shape[1]] = True
        while True:
            found = rate(mean, precision, self.points, self._design)
            falls = rises & (found.mean < LEAST_RISE - 1e-6)
            if not falls.any():
                return found
            rises &= ~falls
            mean[falls] = LEAST_RISE
            precision[falls] = precision[:, falls] = 0.0
            precision[falls, falls] = 1 / PINNED**2

    def _prior(self) -> tuple[Floats, Floats]:
        """Return the mean [C] and the precision [C, C] of the parameters before any game."""
        dial, basis = self.dial, splines(self.dial)
        count = basis.shape[1]
        guess = np.linspace(*dial.ratings, len(dial.settings))
        mean = np.concatenate([np.linalg.lstsq(basis, guess)[0], np.zeros(len(self.anchors))])
        precision = np.eye(len(mean)) / OFF**2
        if dial.fixed is not None:
            at = basis[dial.settings.index(dial.fixed)]
            mean[0] += dial.fixed - at @ mean[:count]
            precision[:count, :count] += np.outer(at, at) / SURE**2
        for at, anchor in enumerate(self.anchors, count):
            makes_scale = anchor.rating is not None and anchor.deviation <= SURE
            deviation = anchor.deviation if makes_scale and dial.fixed is None else UNKNOWN
            mean[at] = np.mean(dial.ratings) if anchor.rating is None else anchor.rating
            precision[at, at] = 1 / deviation**2
        return mean, precision

    def identity(self) -> dict[str, Any]:
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
        kept = {**self.identity(), "batches": self.batches, "met": [*rows, *self._absent]}
        replace_file(self.path, json.dumps(kept, indent=1) + "\n")

    def _read(self) -> None:
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            rows = [(str(a), str(b), float(x), float(y), float(s)) for a, b, x, y, s in kept["met"]]
            batches = int(kept["batches"])
            if not all(0 <= x < MOST for row in rows for x in row[2:]) or batches < 0:
                raise ValueError
            others = [key for key, value in self.identity().items() if kept.get(key) != value]
        except (
            OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError
        ):  # fmt: skip
            raise StateError(f"{self.path} is damaged; {ANEW}") from None
        if others:
            raise StateError(f"{self.path} is of another {others[0]}; {ANEW}")
        named = {entrant.spec for entrant in self.entrants}
        specs = sorted({spec for row in rows for spec in row[:2]} - named)
        self._others = [x for x in map(self._setting, specs) if x is not None]
        self._begin()
        number = {entrant.spec: i for i, entrant in enumerate(self.entrants)}
        for a, b, of_a, of_b, seconds in rows:
            if a in number and b in number:
                i, j = number[a], number[b]
                self.points[i, j], self.points[j, i] = of_a, of_b
                self.seconds[i, j] = self.seconds[j, i] = seconds
            else:
                self._absent.append([a, b, of_a, of_b, seconds])
        self.batches = batches

    def _begin(self) -> None:
        count = len(self.entrants)
        self.points, self.seconds = np.zeros((count, count)), np.zeros((count, count))

    def _setting(self, spec: str) -> float | None:
        """Return the setting of the dial that a spec is; None if it is another player."""
        text = spec.partition("s=")[2]
        try:
            setting = float(text)
        except ValueError:
            return None
        low, high = self.dial.settings[0], self.dial.settings[-1]
        ours = self.dial.spec(setting) == spec and low <= setting <= high
        return setting if ours else None


def splines(dial: Dial, settings: Sequence[float] | None = None) -> Floats:
    """Return the basis [P, C] of a dial's curve: 1, and functions that rise from 0 to 1.

    At its own settings, or at others [P].

    A curve whose coefficients are positive, but for the first, increases.
    """
    from scipy.interpolate import BSpline

    low, high = dial.settings[0], dial.settings[-1]
    knots = [*(DEGREE + 1) * (low,), *dial.knots, *(DEGREE + 1) * (high,)]
    pieces = BSpline.design_matrix(
        dial.settings if settings is None else settings, knots, DEGREE
    ).toarray()
    return pieces[:, ::-1].cumsum(1)[:, ::-1]


def _rounded(rating: float) -> float:
    return round(float(rating), 1)
