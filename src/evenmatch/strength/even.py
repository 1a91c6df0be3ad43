"""``even``, ours: the closest match against anyone, from a random mover to full strength.

Why the published methods fall short at the ends: AlphaDDA1 and 2 hold the network's value near
even, but that value supposes perfect play from here on. At value 0 a weak opponent can only
lose ground, never gain it, so whoever merely holds the value never loses to it. AlphaDDA3
does give ground, but expects the opponent to hold it, and strong ones do not let it back.

What must be held near even is what the position is worth **between two players of the
opponent's strength**. Under that value the opponent's moves gain and lose alike.

- *How strong is the opponent?* Each of its moves changes the odds of a ladder of levels: how
  likely would a softmax of the network's policy at the level's temperature have moved so?
- *What is each move worth between such players?* A search by the LEVEL rule, where both sides
  play a softmax of the policy, with random playouts mixed into its leaves for weak levels; for
  strong levels more and more what an ordinary search says.
- *Which moves would such a player make?* Its own policy, tilted as little as possible so that
  the expected worth moves a share ``pull`` of the way to even; moves that give up more than
  ``limit`` are left out. Simply playing the move nearest to even does not do: it declines every
  win of its own while the opponent's wins end the game, and so loses.
- *Where is even?* At what the start position is worth to the own side between such players,
  so that over both sides the match is even.
- *From game to game* the level is lifted after a loss and lowered after a win.
"""

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.search.plan import Plan, Rule
from evenmatch.strength.controller import (
    VERSION,
    Controller,
    Reply,
    Root,
    View,
    learned,
    require,
)


@dataclass(frozen=True)
class Level:
    """A strength on the ladder: how to know such a player, and how to play as one."""

    seen: float  #: temperature of the network's policy that explains its moves
    temperature: float  #: temperature of the policy that plays evenly with it
    playouts: float  #: share of random playouts in judging positions between such players
    search: float  #: share of an ordinary search in its policy and judgement
    z: float  #: strength index of that search's visits (see visit_softmax)

    def plan(self, simulations: int) -> Plan:
        """Return the search that says what a position is worth between two such players."""
        return Plan(
            simulations=simulations,
            rule=Rule.LEVEL,
            prior_temperature=self.temperature,
            playout_share=self.playouts,
        )


Ladder = tuple[Level, ...]

#: Temperatures at which the network's policy explains players from random to full strength.
SEEN = (1000.0, 12.0, 7.0, 4.5, 3.0, 2.2, 1.6, 1.1, 0.7, 0.4)
TOP = len(SEEN) - 1


def _ladder(*rest: tuple[float, float, float, float]) -> Ladder:
    return tuple(Level(seen, *numbers) for seen, numbers in zip(SEEN, rest, strict=True))


#: How to play evenly with each level, per game: temperature, playouts, search, z. Found by playing
#: the tuning opponents of experiments/evenness.py.
LADDERS: dict[str, Ladder] = {
    "connect4": _ladder(
        (1000.0, 1.0, 0.0, 1.0),
        (1000.0, 1.0, 0.0, 1.0),
        (4.0, 0.7, 0.05, 1.0),
        (1.3, 0.2, 0.33, 1.0),
        (1.1, 0.13, 0.46, 1.0),
        (0.95, 0.1, 0.55, 1.0),
        (0.8, 0.05, 0.7, 1.0),
        (0.6, 0.0, 1.0, 4.0),
        (0.4, 0.0, 1.0, 64.0),
        (0.35, 0.0, 1.0, 64.0),
    ),
    "othello6": _ladder(
        (1000.0, 1.0, 0.0, 1.0),
        (1000.0, 1.0, 0.0, 1.0),
        (1000.0, 1.0, 0.0, 1.0),
        (1.0, 0.15, 0.5, 1.0),
        (0.8, 0.05, 0.7, 1.5),
        (0.8, 0.05, 0.7, 1.5),
        (0.7, 0.0, 0.8, 2.0),
        (0.6, 0.0, 1.0, 4.0),
        (0.4, 0.0, 1.0, 64.0),
        (0.35, 0.0, 1.0, 64.0),
    ),
    "othello": _ladder(
        (1000.0, 1.0, 0.0, 1.0),
        (1000.0, 1.0, 0.0, 1.0),
        (8.0, 0.9, 0.0, 1.0),
        (0.8, 0.1, 0.7, 1.5),
        (0.7, 0.05, 0.8, 1.5),
        (0.7, 0.0, 0.9, 2.0),
        (0.6, 0.0, 0.9, 2.0),
        (0.6, 0.0, 1.0, 4.0),
        (0.4, 0.0, 1.0, 64.0),
        (0.35, 0.0, 1.0, 64.0),
    ),
}


@dataclass(frozen=True, kw_only=True)
class EvenConfig:
    """Numbers of ``even``."""

    limit: float = 1.0  #: most that one move may give up of what the position is worth
    pull: float = 0.6  #: share of the way back to even that a move aims at, for weak levels
    gain: float = 0.0  #: levels down for a unit of worth that the opponent's moves give away
    looks: int = 24  #: simulations per legal action of the search for what moves are worth
    prior: float = 0.5  #: log odds of each level over the one below, before the first move
    slip: float = 0.05  #: share of the opponent's moves taken to be random at every level
    lift: float = 0.0  #: levels to play above the estimate, before any result
    fade: float = 0.5  #: share of what was learned of the opponent's level kept for the next game
    step: float = 2.0  #: levels up after the first loss, down after the first win
    r: float = 0.9  #: factor of the step from game to game
    floor: float = 0.2  #: smallest step

    def __post_init__(self) -> None:
        require("limit", self.limit, 0, 2)
        require("pull", self.pull, 0, 1)
        require("gain", self.gain, 0, 100)
        require("looks", self.looks, 1, 10**4)
        require("prior", self.prior, -10, 10)
        require("slip", self.slip, 0, 1)
        require("lift", self.lift, -TOP, TOP)
        require("fade", self.fade, 0, 1)
        require("step", self.step, 0, TOP)
        require("r", self.r, 0, 1)
        require("floor", self.floor, 0, TOP)


class LevelEstimate:
    """Odds of the opponent's level, from its moves."""

    def __init__(self, prior: float, slip: float):
        self.slip = slip
        self.log_odds = prior * (np.arange(len(SEEN)) - TOP)

    def see(self, reply: Reply) -> None:
        """Weigh every level by the chance with which it would have moved so."""
        legal = np.isfinite(reply.logits).sum()
        for i, temperature in enumerate(SEEN):
            weights = softmax(reply.logits / temperature)
            chance = (1 - self.slip) * weights[reply.action] + self.slip / legal
            self.log_odds[i] += math.log(max(float(chance), 1e-12))
        self.log_odds -= self.log_odds.max()

    @property
    def mean(self) -> float:
        """Return the expected level, from 0 (random) to the ladder's top."""
        return float(softmax(self.log_odds) @ np.arange(len(SEEN)))


def softmax(x: NDArray) -> NDArray[np.float64]:
    """Return exp(x) / sum exp(x)."""
    weights = np.exp(x.astype(np.float64) - x.max())
    return weights / weights.sum()


def between(level: float, ladder: Ladder) -> Level:
    """Return the level a fractional number stands for; temperatures on a logarithmic scale."""
    rows = np.array([[getattr(x, field.name) for field in fields(Level)] for x in ladder])
    rows[:, :2] = np.log(rows[:, :2])
    seen, cooling, *rest = (float(np.interp(level, np.arange(len(ladder)), x)) for x in rows.T)
    return Level(math.exp(seen), math.exp(cooling), *rest)


def tilted(pi: NDArray, worth: NDArray, target: float) -> NDArray[np.float64]:
    """Return the policy nearest to ``pi`` [A] whose expected worth is ``target``.

    It is pi(a) exp(lambda worth(a)) / Z, which of all with that expectation has the least
    relative entropy to pi. Beyond what the actions with pi > 0 are worth, the best or worst.
    """
    support = pi > 0
    logs, worths = np.log(pi[support]), worth[support]
    low, high = -64.0, 64.0
    for _ in range(40):
        tilt = (low + high) / 2
        low, high = (tilt, high) if softmax(logs + tilt * worths) @ worths < target else (low, tilt)
    out = np.zeros(len(pi))
    out[support] = softmax(logs + low * worths)
    return out


class Even(Controller):
    """Keeps the game even between players of the opponent's strength."""

    reads_replies = True

    def __init__(self, config: EvenConfig, ladder: Ladder, base: Plan, starts: tuple[float, ...]):
        """``starts`` is what the first player's start is worth at each level of the ladder."""
        self.config = config
        self.ladder = ladder
        self.base = base
        self.starts = starts
        self.estimate = LevelEstimate(config.prior, config.slip)
        self.lift = config.lift
        self.correction = 0.0
        self.games = 0
        self._side = 1
        self._expected: float | None = None  # the worth of the latest own move

    @property
    def level(self) -> float:
        """Return the level to play at."""
        return max(0.0, min(self.estimate.mean + self.correction + self.lift, float(TOP)))

    def plan(self, view: View) -> Plan:
        """Return the base plan, after a look at the opponent's move."""
        self._side = view.side
        if view.reply is not None:
            self.estimate.see(view.reply)
        return self.base

    def look_again(self, root: Root) -> Plan | None:
        """Return the search for what each move is worth between players of the level."""
        level = between(self.level, self.ladder)
        if level.search >= 1:
            return None
        return level.plan(self.config.looks * int(root.legal.sum()))

    @property
    def target(self) -> float:
        """What counts as even: the start's worth for the own side."""
        return self._side * float(np.interp(self.level, np.arange(len(SEEN)), self.starts))

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Draw a move as a player of the level would, tilted towards even."""
        pi, worth = self._as_the_level(root)
        now = float(pi @ worth)
        self._correct(now)
        pi[worth < worth[pi > 0].max() - self.config.limit] = 0.0
        gap = self.target - now
        give = 1 - between(self.level, self.ladder).search  # full strength gives nothing back
        pi = tilted(pi, worth, now + self.config.pull * gap * (1 if gap > 0 else give))
        action = int(rng.choice(len(pi), p=pi))
        self._expected = float(worth[action])
        return action

    def _correct(self, now: float) -> None:
        """Move the level by how much better or worse the opponent did than its level would."""
        if self._expected is not None:
            self.correction -= self.config.gain * (now - self._expected)

    def _as_the_level(self, root: Root) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the level's policy and what it takes the moves to be worth, [A] both."""
        level = between(self.level, self.ladder)
        powers = (root.visits / root.visits.max()) ** level.z * root.legal
        pi = powers / powers.sum()
        worth = np.where(root.visits > 0, root.means, root.means[root.best] - 1)
        if root.second is not None:
            pi = (1 - level.search) * root.second.priors + level.search * pi
            worth = (1 - level.search) * root.second.means + level.search * worth
        pi = np.where(root.legal, pi, 0.0)
        return pi / pi.sum(), worth

    def finish(self, result: float) -> None:
        """Move the level against the result; let what was seen fade."""
        step = max(self.config.step * self.config.r**self.games, self.config.floor)
        self.lift = max(-float(TOP), min(self.lift - step * float(np.sign(result)), float(TOP)))
        self.games += 1
        self.estimate.log_odds *= self.config.fade

    def remember(self) -> dict[str, Any]:
        """Return the lift, the games and the odds of the levels."""
        odds = {f"level{i}": float(x) for i, x in enumerate(self.estimate.log_odds)}
        kept = {"lift": self.lift, "games": self.games, **odds}
        return {"kind": "even", "version": VERSION, **kept}

    def recall(self, state: dict[str, Any]) -> None:
        """Go on from such a state."""
        bounds = {"lift": (-float(TOP), float(TOP)), "games": (0, 10**9)}
        levels = {f"level{i}": (-1e6, 0.0) for i in range(len(SEEN))}
        lift, games, *odds = learned(state, "even", bounds | levels)
        self.lift, self.games = float(lift), int(games)
        self.estimate.log_odds = np.array(odds, float)
