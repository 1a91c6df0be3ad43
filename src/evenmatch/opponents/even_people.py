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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.controller import Mind, Reply, View, require
from evenmatch.opponents.even_styles import tilted
from evenmatch.opponents.opponent_belief import Floats, OpponentBelief
from evenmatch.opponents.pikl import corrected, values
from evenmatch.ratings.score import log_likelihood
from evenmatch.search.plan import Plan


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


class EvenByRatings(OpponentBelief):
    """Plays at the rating that the opponent's moves show, and leans towards an open game."""

    def __init__(
        self,
        config: EvenPeopleConfig,
        at: Callable[[float], Tuned],
        grid: Floats,
        ratings: tuple[float, ...],
        scale: int = 0,
        reach: tuple[float, float] | None = None,
    ):
        """``grid`` [L] are the ratings of the belief, ``ratings`` [K] those at which the network is
        asked for a policy, of its scale number ``scale``. ``at(rating)`` says how to play, within
        ``reach``, that of the grid by default."""
        away = (np.asarray(grid) - config.first) / config.unsure
        super().__init__(grid, -(away**2) / 2)
        self.config = config
        self.reply_ratings, self.reply_scale = ratings, scale
        self._reach = reach or (float(grid[0]), float(grid[-1]))
        self._at = at
        self.game_bounds = {
            **self.game_bounds,
            "value": (-1.0, 1.0),  # of the last position
            "played": (-1e4, 1e4),  # mean of the ratings of this game's moves
            "moves": (0, 1e6),
            "steered": (-1e4, 1e4),  # rating by which all moves so far ask for a stronger game
        }
        self.first |= {"value": 0.0, "played": 0.0, "moves": 0, "steered": 0.0}
        at(self.rating(Mind()))  # refuses what cannot be played

    def rating(self, mind: Mind) -> float:
        """Return the opponent's rating by the belief, in whole steps of 5."""
        return in_steps(self.belief(mind).mean)

    def playing(self, mind: Mind) -> float:
        """Return the rating to play at."""
        (low, high), state = self._reach, self.state(mind)
        wanted = self.rating(mind) + state["steered"] - self.config.push * state["value"]
        return in_steps(min(max(wanted, low), high))

    def observe(self, view: View, mind: Mind) -> Mind:
        """Take the opponent's move for evidence of its rating."""
        if view.reply is None:
            return mind
        return self.with_evidence(mind, self.config.weight * self.evidence(view.reply))

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the plan of the rating."""
        return self._at(self.playing(mind)).plan

    def evidence(self, reply: Reply) -> Floats:
        """Return the log of how often people of each rating of the grid move so, [L]."""
        assert reply.by_rating is not None
        weights = np.exp(reply.by_rating - reply.by_rating.max(1, keepdims=True))  # [K, A]
        chances = weights[:, reply.action] / weights.sum(1)
        legal = np.isfinite(reply.by_rating[0]).sum()
        logs = np.log((1 - self.config.slip) * chances + self.config.slip / legal)
        return np.interp(self.grid, self.reply_ratings, logs)

    def choose(self, root, view, mind, rng):
        """Draw a move as people of the rating do, leaning towards even."""
        config, playing = self.config, self.playing(mind)
        tuned = self._at(playing)
        pi = corrected(root, tuned.temperature, tuned.prior_temperature)
        known, common = values(root), root.priors >= config.rarity
        value = float(pi @ known)
        beyond = value - min(max(value, -config.slack), config.slack)
        share = config.lean * max(1 - view.ply / config.horizon, 0.0)
        pi = leaning(pi, known, common, share * beyond)
        mind = self._after(mind, value, playing)
        return int(rng.choice(len(pi), p=pi / pi.sum())), mind

    def _after(self, mind: Mind, value: float, playing: float) -> Mind:
        """Return the mind after a move at a rating, from a position of this value."""
        state, value = self.state(mind), min(max(value, -1.0), 1.0)
        low, high = self._reach
        # beyond the ratings that can be played it does not steer further (no wind-up)
        stuck = playing >= high if value < 0 else playing <= low
        moves = state["moves"] + 1
        return Mind(
            mind.memory,
            state
            | {
                "value": value,
                "played": state["played"] + (playing - state["played"]) / moves,
                "moves": moves,
                "steered": state["steered"] - (0.0 if stuck else self.config.steer) * value,
            },
        )

    def learn(self, mind, result):
        """Take the result for evidence (eq. 16 of Fujita 2022); let what was learned fade."""
        belief, state = self.belief(mind), self.state(mind)
        games = mind.memory.get("games", 0)
        if result is not None:
            games += 1
            if self.config.elo:
                own = state["played"] if state["moves"] else in_steps(belief.mean)
                belief.update(log_likelihood(self.grid - own, (1 - result) / 2))
        return self.remembered(belief, games, self.config.fade)


def in_steps(rating: float) -> float:
    """Return the nearest multiple of 5, so that near searches share what was judged."""
    return 5.0 * round(rating / 5)


def leaning(pi: Floats, known: Floats, common: NDArray[np.bool_], give: float) -> Floats:
    """Return a policy [A] whose expected value is less by ``give``, as far as common moves go.

    Moves that are not ``common`` [A] stay as likely as they are.
    """
    chance = pi[common].sum()
    if not give or chance <= 0 or common.sum() < 2:
        return pi
    part = np.where(common, pi, 0) / chance
    now = float(part @ known)
    return np.where(common, 0, pi) + chance * tilted(part, known, now - give / chance)
