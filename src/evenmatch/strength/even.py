"""``even``, ours: the closest match against anyone, from a random mover to full strength.

Why the published methods fall short at the ends: AlphaDDA1 and 2 hold the network's value near
even, but that value supposes perfect play from here on. At value 0 a weak opponent can only
lose ground, never gain it, so whoever merely holds the value never loses to it. AlphaDDA3
does give ground, but expects the opponent to hold it, and strong ones do not let it back.

What must be held near even is what the position is worth **between two players of the
opponent's strength**. Under that value the opponent's moves gain and lose alike, so a side that
keeps re-centring it by its own moves wins and loses alike in the end.

- *How strong is the opponent?* Each of its moves changes the odds of a ladder of levels, from
  uniformly random moves to the network's sharpest choice (a softmax of its policy at
  falling temperatures).
- *What is each move worth between such players?* A search by the LEVEL rule, where both sides
  play that softmax, with random playouts mixed into its leaves for weak levels.
- *Which moves are plausible?* Those that by an ordinary search give up at most ``limit``.
- *Where is even?* At what the start position is worth to the own side between such players,
  so that a side with a better start wins more and over both sides the match is even; shifted
  a little by the results of earlier games.
"""

import math
from dataclasses import dataclass
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
    """A strength on the ladder."""

    care: float  #: beta of exp(beta worth), by which such a player prefers better moves
    temperature: float  #: of the network's policy, which such a player draws its moves from
    playouts: float  #: share of random playouts in judging positions between such players
    search: float  #: share of what an ordinary search finds in its moves and values


#: From a random mover to the network's sharpest choice.
LADDER = (
    Level(0.0, 1000.0, 1.0, 0.0),
    Level(0.7, 4.0, 0.8, 0.0),
    Level(1.4, 2.0, 0.5, 0.1),
    Level(2.2, 1.4, 0.2, 0.3),
    Level(3.2, 1.0, 0.1, 0.5),
    Level(4.5, 0.8, 0.0, 0.75),
    Level(6.5, 0.5, 0.0, 1.0),
    Level(10.0, 0.35, 0.0, 1.0),
)


@dataclass(frozen=True, kw_only=True)
class EvenConfig:
    """Numbers of ``even``."""

    limit: float = 1.0  #: most that one move may give up of what the position is worth
    pull: float = 0.15  #: share of the way back to even that a move aims at
    looks: int = 24  #: simulations per legal action of the search for what moves are worth
    slip: float = 0.05  #: share of the opponent's moves taken to be random at every level
    fade: float = 0.5  #: share of what was learned of the opponent's level kept for the next game
    shift: float = 0.2  #: how far a result shifts what counts as even, at first
    r: float = 0.95  #: factor of that from game to game
    floor: float = 0.05  #: smallest such shift

    def __post_init__(self) -> None:
        require("limit", self.limit, 0, 2)
        require("pull", self.pull, 0, 1)
        require("looks", self.looks, 1, 10**4)
        require("slip", self.slip, 0, 1)
        require("fade", self.fade, 0, 1)
        require("shift", self.shift, 0, 2)
        require("r", self.r, 0, 1)
        require("floor", self.floor, 0, 2)


SHARP = 2.0


class LevelEstimate:
    """Odds of the opponent's level, from its moves."""

    def __init__(self, slip: float):
        self.slip = slip
        self.log_odds = np.zeros(len(LADDER))  # uniform before the first move

    def see(self, reply: Reply) -> None:
        """Weigh every level by the chance with which it would have moved so."""
        legal = np.isfinite(reply.worths)
        worths = np.where(legal, reply.worths, 0.0)
        for i, level in enumerate(LADDER):
            weights = softmax(np.where(legal, level.care * worths, -np.inf))
            chance = (1 - self.slip) * weights[reply.action] + self.slip / legal.sum()
            self.log_odds[i] += SHARP * math.log(max(float(chance), 1e-12))
        self.log_odds -= self.log_odds.max()

    @property
    def odds(self) -> NDArray[np.float64]:
        """Probabilities of the levels."""
        return softmax(self.log_odds)

    @property
    def mean(self) -> float:
        """Return the expected level, from 0 (random) to the ladder's top."""
        return float(self.odds @ np.arange(len(LADDER)))


def softmax(x: NDArray) -> NDArray[np.float64]:
    """Return exp(x) / sum exp(x)."""
    weights = np.exp(x.astype(np.float64) - x.max())
    return weights / weights.sum()


def between(level: float) -> Level:
    """Return the level a fractional number stands for; temperatures on a logarithmic scale."""
    columns = np.array([[x.care, math.log(x.temperature), x.playouts, x.search] for x in LADDER])
    care, cooling, playouts, search = (
        float(np.interp(level, np.arange(len(LADDER)), column)) for column in columns.T
    )
    return Level(care, math.exp(cooling), playouts, search)


def tilted(pi: NDArray, worth: NDArray, target: float) -> NDArray[np.float64]:
    """Return the policy nearest to ``pi`` [A] whose expected worth is ``target``.

    It is pi(a) exp(lambda worth(a)) / Z, which of all with that expectation has the least
    relative entropy to pi. Beyond what the actions with pi > 0 are worth, the best or worst.
    """
    support = pi > 0
    low, high = -64.0, 64.0
    for _ in range(40):
        tilt = (low + high) / 2
        powers = np.log(pi[support]) + tilt * worth[support]
        weights = softmax(powers)
        low, high = (tilt, high) if weights @ worth[support] < target else (low, tilt)
    out = np.zeros(len(pi))
    out[support] = weights
    return out


class Even(Controller):
    """Keeps the game even between players of the opponent's strength."""

    reads_replies = True

    def __init__(self, config: EvenConfig, base: Plan, starts: tuple[float, ...]):
        """``starts`` is what the first player's start is worth at each level of the ladder."""
        self.config = config
        self.base = base
        self.starts = starts
        self.estimate = LevelEstimate(config.slip)
        self.shift = 0.0  # what results have added to the value that counts as even
        self.games = 0
        self._side = 1

    def plan(self, view: View) -> Plan:
        """Return the base plan: an ordinary search says which moves are plausible."""
        self._side = view.side
        if view.reply is not None:
            self.estimate.see(view.reply)
        return self.base

    def look_again(self, root: Root) -> Plan:
        """Return the search for what each move is worth between players of the estimated level."""
        level = between(self.estimate.mean)
        return Plan(
            simulations=self.config.looks * int(root.legal.sum()),
            rule=Rule.LEVEL,
            prior_temperature=level.temperature,
            playout_share=level.playouts,
        )

    @property
    def target(self) -> float:
        """What counts as even: the start's worth for the own side, shifted by past results."""
        start = float(np.interp(self.estimate.mean, np.arange(len(LADDER)), self.starts))
        return self._side * start + self.shift

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Draw a move as a player of the level would, tilted towards even."""
        assert root.second is not None
        share = between(self.estimate.mean).search
        visited = root.visits / max(root.visits.sum(), 1)
        pi = (1 - share) * root.second.priors.astype(float) + share * visited
        means = np.where(root.visits > 0, root.means, root.means[root.best] - 1)
        worth = (1 - share) * root.second.means + share * means
        pi = np.where(root.legal, pi, 0.0)
        now = float(pi @ worth) / float(pi.sum())
        pi[worth < worth[pi > 0].max() - self.config.limit] = 0.0
        pi = tilted(pi, worth, now + self.config.pull * (self.target - now))
        return int(rng.choice(len(pi), p=pi / pi.sum()))

    def finish(self, result: float) -> None:
        """Shift what counts as even against the result; let the level fade."""
        step = max(self.config.shift * self.config.r**self.games, self.config.floor)
        self.shift = max(-1.0, min(self.shift - step * float(np.sign(result)), 1.0))
        self.games += 1
        self.estimate.log_odds *= self.config.fade

    def remember(self) -> dict[str, Any]:
        """Return the shift, the games and the odds of the levels."""
        odds = {f"level{i}": float(x) for i, x in enumerate(self.estimate.log_odds)}
        kept = {"shift": self.shift, "games": self.games, **odds}
        return {"kind": "even", "version": VERSION, **kept}

    def recall(self, state: dict[str, Any]) -> None:
        """Go on from such a state."""
        bounds = {"shift": (-1.0, 1.0), "games": (0, 10**9)}
        levels = {f"level{i}": (-1e6, 0.0) for i in range(len(LADDER))}
        shift, games, *odds = learned(state, "even", bounds | levels)
        self.shift, self.games = float(shift), int(games)
        self.estimate.log_odds = np.array(odds, float)
