"""``even`` where people's moves are known: it follows your rating, and keeps the game open.

- *How strong is the opponent?* Every move of theirs changes a belief over ratings: how often do
  people of each rating make it? Only a share of that evidence counts (``weight``), for moves of
  one person are alike in more than their rating. A result counts by eq. 16 of Fujita 2022.
- *How does one play evenly with it?* As people of the believed rating do (piKL, `regularized.py`).
- *And when it stands badly?* Moves tell how strong people are, not programs that blunder and play
  well in turn. So ``even`` plays ``push`` times the worth of its last position (from -1, lost, to
  1) below the believed rating: stronger when behind, weaker when ahead, as Wu 2019 moves z within a
  game. If the game stays so, each move adds ``steer`` times the worth. Together they are a
  controller with a proportional and an integral term: it finds the rating at which the game holds,
  whatever the moves look like. A result counts against the mean of the ratings played at.
- *And when the game runs away?* As long as the worth of the position is within ``slack`` of even,
  nothing more is done: a game that is held at even is drawn, not open. Beyond it the policy is
  tilted as little as possible, so that its expected worth moves a share of the way back; but only
  among moves that people of the rating played at make at least once in ``1 / rarity`` times: when
  it is ahead and plays weaker, people weaker than the opponent. The share is ``lean`` at first and
  0 from ply ``horizon`` on: late in a game who leads may win it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.belief import Belief
from evenmatch.ratings.score import log_likelihood
from evenmatch.search.plan import Plan
from evenmatch.strength.controller import VERSION, Reply, Root, View, learned, numbers_in, require
from evenmatch.strength.opponent_belief import LEAST_LOG, OpponentBelief, bounds, named
from evenmatch.strength.regularized import corrected, values
from evenmatch.strength.tilt import tilted

Floats = NDArray[np.float64]


class Tuned(NamedTuple):
    """How people of a rating are played: fields of `regularized.corrected`, and the search."""

    temperature: float  #: lambda
    prior_temperature: float
    plan: Plan


@dataclass(frozen=True, kw_only=True)
class EvenPeopleConfig:
    """Numbers of ``even`` among people."""

    first: float  #: the rating that a stranger is taken to have
    unsure: float = 350.0  #: standard deviation of that guess
    weight: float = 0.5  #: share of what moves say that counts
    slip: float = 0.02  #: share of moves taken to be random at every rating
    push: float = (
        0.0  #: rating that it plays below what it believes when it is won, above when lost
    )
    steer: float = 0.0  #: rating by which that grows with every move in such a position
    lean: float = 0.5  #: share of the way back that the first moves aim at
    slack: float = 0.3  #: worth, from -1 to 1, within which a game is open
    horizon: float = 80  #: plies after which it does not lean any more
    rarity: float = 0.05  #: how rare a move may be that leans so: 1 in 20
    fade: float = 0.9  #: share of what was learned kept for the next game
    elo: bool = True  #: whether differences of ratings foretell results

    def __post_init__(self) -> None:
        require("unsure", self.unsure, 1, 1e4)
        require("weight", self.weight, 0, 1)
        require("slip", self.slip, 0, 0.5)
        require("push", self.push, 0, 1e4)
        require("steer", self.steer, 0, 1e4)
        require("lean", self.lean, 0, 1)
        require("slack", self.slack, 0, 1)
        require("horizon", self.horizon, 1, 1e4)
        require("rarity", self.rarity, 0, 1)
        require("fade", self.fade, 0, 1)


class Pushed(NamedTuple):
    """How a game stands, and at what ratings it was played."""

    worth: float = 0.0  #: of the last position, from -1 to 1
    played: float = 0.0  #: mean of the ratings
    moves: int = 0
    steered: float = 0.0  #: rating by which all moves so far ask for a stronger game

    def after(self, worth: float, rating: float, steer: float = 0.0) -> "Pushed":
        """Return the same after one more move, which steers by ``steer`` for a worth of 1."""
        moves = self.moves + 1
        worth = min(max(worth, -1.0), 1.0)
        return Pushed(
            worth,
            self.played + (rating - self.played) / moves,
            moves,
            self.steered - steer * worth,
        )

    @classmethod
    def read(cls, state: dict[str, Any]) -> "Pushed":
        """Read it from a state; that of a game before the first move, if it has none of it."""
        usual = cls()._asdict()
        bounds = {
            "worth": (-1.0, 1.0),
            "played": (-1e4, 1e4),
            "moves": (0, 1e6),
            "steered": (-1e4, 1e4),
        }
        return cls(*numbers_in(usual | state, bounds)) if isinstance(state, dict) else cls()


class EvenPeople(OpponentBelief):
    """Plays at the rating that the opponent's moves tell, and leans towards an open game."""

    def __init__(
        self,
        config: EvenPeopleConfig,
        at: Callable[[float], Tuned],
        grid: Floats,
        asked: tuple[float, ...],
        scale: int = 0,
        reach: tuple[float, float] | None = None,
    ):
        """``grid`` [L] are the ratings that are believed in, ``asked`` [K] those that a network is
        asked for, of its scale number ``scale``. ``at(rating)`` says how to play, within ``reach``,
        that of the grid by default."""
        away = (np.asarray(grid) - config.first) / config.unsure
        super().__init__(Belief(grid, -(away**2) / 2))
        self.config = config
        self.reply_ratings = asked
        self.reply_scale = scale
        self._reach = reach or (float(grid[0]), float(grid[-1]))
        self._at = at
        self._ply = 0
        self._pushed = Pushed()
        at(self.rating)  # refuses what cannot be played

    @property
    def rating(self) -> float:
        """The rating that it believes the opponent has, in whole steps of 5."""
        return in_steps(self.belief.mean)

    @property
    def playing(self) -> float:
        """The rating to play at."""
        low, high = self._reach
        wanted = self.rating + self._pushed.steered - self.config.push * self._pushed.worth
        return in_steps(min(max(wanted, low), high))

    @property
    def lean(self) -> float:
        """The share of the way back that a move aims at now."""
        return self.config.lean * max(1 - self._ply / self.config.horizon, 0.0)

    def plan(self, view: View) -> Plan:
        """Return the plan of the rating, after a look at the opponent's move."""
        self._ply = view.ply
        if view.reply is not None:
            self.update(self.config.weight * self.evidence(view.reply))
        return self._at(self.playing).plan

    def evidence(self, reply: Reply) -> Floats:
        """Return the log of how often people of each rating of the grid move so, [L]."""
        assert reply.by_rating is not None
        weights = np.exp(reply.by_rating - reply.by_rating.max(1, keepdims=True))  # [K, A]
        chances = weights[:, reply.action] / weights.sum(1)
        legal = np.isfinite(reply.by_rating[0]).sum()
        logs = np.log((1 - self.config.slip) * chances + self.config.slip / legal)
        return np.interp(self.belief.grid, self.reply_ratings, logs)

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Draw a move as people of the rating do, leaning towards even."""
        playing = self.playing
        tuned = self._at(playing)
        pi = corrected(root, tuned.temperature, tuned.prior_temperature)
        worth, common = values(root), root.priors >= self.config.rarity
        away = float(pi @ worth)
        self._pushed = self._pushed.after(away, playing, self._steer(away, playing))
        beyond = away - min(max(away, -self.config.slack), self.config.slack)
        pi = leaning(pi, worth, common, self.lean * beyond)
        return int(rng.choice(len(pi), p=pi / pi.sum()))

    def _steer(self, worth: float, playing: float) -> float:
        """Return how far a move steers: not at all beyond what can be played (no wind-up)."""
        low, high = self._reach
        stuck = playing >= high if worth < 0 else playing <= low
        return 0.0 if stuck else self.config.steer

    def finish(self, result: float | None) -> None:
        """Take the result for evidence, and let what was learned fade a little."""
        if result is not None:
            self.games += 1
            if self.config.elo:
                self.belief.update(self._of_result((1 - result) / 2))
        self._pushed = Pushed()
        self.belief.fade(self.config.fade)

    def _of_result(self, points: float) -> Floats:
        """Return the log-likelihood [L] of the opponent's points against the rating played at."""
        own = self._pushed.played if self._pushed.moves else self.rating
        return log_likelihood(self.belief.grid - own, points)

    def remember(self) -> dict[str, Any]:
        """Return the games and the log weights of the ratings."""
        logs = np.maximum(self.belief.log_weights, LEAST_LOG)
        return {"kind": KIND, "version": VERSION, "games": self.games, **named("rating", logs)}

    def recall(self, state: dict[str, Any]) -> None:
        """Go on from such a state; of one that `even` kept of styles nothing is known here."""
        if isinstance(state, dict) and state.get("kind") == OF_STYLES:
            return
        count = len(self.belief.grid)
        games, *logs = learned(state, KIND, {"games": (0, 10**9)} | bounds("rating", count))
        self.games = int(games)
        self._begin_from(np.array(logs, float))

    def snapshot(self) -> dict[str, Any]:
        """Return what this game's moves said, and how it stands."""
        return super().snapshot() | self._pushed._asdict()

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to what the moves had said then; nothing, if they were judged by styles."""
        self._pushed = Pushed.read(state)
        judged_so = "said0" in state and f"said{len(self.belief.grid) - 1}" not in state
        super().restore(named("said", 0 * self.belief.grid) if judged_so else state)


KIND, OF_STYLES = "even-people", "even"  #: of states


def in_steps(rating: float) -> float:
    """Return the nearest multiple of 5, so that near searches share what was judged."""
    return 5.0 * round(rating / 5)


def leaning(pi: Floats, worth: Floats, common: NDArray[np.bool_], give: float) -> Floats:
    """Return a policy [A] whose expected worth is less by ``give``, as far as common moves go.

    Moves that are not ``common`` [A] stay as likely as they are.
    """
    chance = pi[common].sum()
    if not give or chance <= 0 or common.sum() < 2:
        return pi
    part = np.where(common, pi, 0) / chance
    now = float(part @ worth)
    return np.where(common, 0, pi) + chance * tilted(part, worth, now - give / chance)
