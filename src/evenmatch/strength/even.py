"""``even``, ours: the closest match against anyone, from a random mover to full strength.

Why the published methods fall short at the ends: AlphaDDA1 and 2 hold the network's value near
even, but that value supposes perfect play from here on. At value 0 a weak opponent can only
lose ground, never gain it, so whoever merely holds the value never loses to it. AlphaDDA3
does give ground, but expects the opponent to hold it, and strong ones do not let it back.

What must be held near even is what the position is worth **between two players of the
opponent's strength**. Under that value the opponent's moves gain and lose alike.

- *How strong is the opponent?* Each of its moves changes the odds of a ladder of levels: how
  likely would a softmax of the network's policy at the level's temperature have moved so?
- *How does one play evenly with it?* A style answers every level; styles go from random to full
  strength and are the same for all games. `evenmatch experiment even_fit` finds the answers.
- *What is each move worth between two players of that style?* A search by the LEVEL rule, where
  both sides play a softmax of the policy, with random playouts mixed into its leaves for weak
  styles; for strong ones more and more what an ordinary search says.
- *Which moves would such a player make?* Its own policy, tilted as little as possible so that
  the expected worth moves towards even: all the way when behind, a share ``give`` of the way when
  ahead. Moves that give up more than ``limit`` are left out. Simply playing the move nearest to
  even does not do: it declines every win of its own while the opponent's wins end the game, and
  so loses.
- *Where is even?* At what the start position is worth to the own side between such players,
  so that over both sides the match is even.
- *From game to game* the style is lifted after a loss and lowered after a win.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.ratings.belief import Belief
from evenmatch.search.plan import Plan
from evenmatch.strength.controller import (
    VERSION,
    Reply,
    Root,
    View,
    learned,
    numbers_in,
    require,
)
from evenmatch.strength.opponent_belief import OpponentBelief, bounds, named
from evenmatch.strength.styles import STRONGEST, STYLES, Style, between, searched, softmax
from evenmatch.strength.tilt import tilted

#: Temperatures at which the network's policy explains players from random to full strength: the
#: levels that an opponent may be seen at.
SEEN = (1000.0, 12.0, 7.0, 4.5, 3.0, 2.2, 1.6, 1.1, 0.7, 0.4)


@dataclass(frozen=True, kw_only=True)
class EvenConfig:
    """Numbers of ``even``."""

    limit: float = 1.5  #: most that one move may give up of what the position is worth
    pull: float = 1.0  #: share of the way back to even that a move aims at when behind
    looks: int = 24  #: simulations per legal action of the search for what moves are worth
    prior: float = 0.5  #: log odds of each level over the one below, before the first move
    slip: float = 0.05  #: share of the opponent's moves taken to be random at every level
    lift: float = 0.0  #: styles to play above the answer, before any result
    fade: float = 0.5  #: share of what was learned of the opponent's level kept for the next game
    step: float = 2.0  #: styles up after the first loss, down after the first win
    r: float = 0.9  #: factor of the step from game to game
    floor: float = 0.2  #: smallest step

    def __post_init__(self) -> None:
        require("limit", self.limit, 0, 2)
        require("pull", self.pull, 0, 1)
        require("looks", self.looks, 1, 10**4)
        require("prior", self.prior, -10, 10)
        require("slip", self.slip, 0, 1)
        require("lift", self.lift, -STRONGEST, STRONGEST)
        require("fade", self.fade, 0, 1)
        require("step", self.step, 0, STRONGEST)
        require("r", self.r, 0, 1)
        require("floor", self.floor, 0, STRONGEST)


def likelihoods(reply: Reply, slip: float) -> NDArray[np.float64]:
    """Return the log of the probability with which each level would have moved so, [L].

    ``slip`` is the share of moves that any level makes at random.
    """
    legal = np.isfinite(reply.logits).sum()
    logs = np.empty(len(SEEN))
    for i, temperature in enumerate(SEEN):
        weights = softmax(reply.logits / temperature)
        chance = (1 - slip) * weights[reply.action] + slip / legal
        logs[i] = math.log(max(float(chance), 1e-12))
    return logs


class Even(OpponentBelief):
    """Keeps the game even between players of the opponent's strength."""

    def __init__(
        self,
        config: EvenConfig,
        answers: tuple[float, ...],
        base: Plan,
        starts: tuple[float, ...],
        elo: tuple[float, ...] = (),
    ):
        """``answers`` [L] is the style for each level seen; ``starts`` [styles] what the first
        player's start is worth between two players of each style; ``elo`` [styles] what it plays at
        in each, empty if that was not measured."""
        self.config = config
        self.answers = answers
        self.base = base
        self.starts = starts
        self.elo = elo
        levels = np.arange(len(SEEN))
        super().__init__(Belief(levels, config.prior * levels))
        self.lift = config.lift
        self._side = 1
        self._styles, self._moves = 0.0, 0  # of this game: the sum of the styles, how many moves

    @property
    def style(self) -> float:
        """Return the number of the style to play in, from 0 to ``STRONGEST``."""
        answer = float(self.belief.probabilities @ np.array(self.answers))
        return max(0.0, min(answer + self.lift, float(STRONGEST)))

    @property
    def played_at(self) -> float | None:
        """The Elo of the mean style of this game's moves; None if none is known."""
        if not self.elo or not self._moves:
            return None
        return float(np.interp(self._styles / self._moves, np.arange(len(STYLES)), self.elo))

    @property
    def target(self) -> float:
        """What counts as even: the start's worth for the own side."""
        return self._side * float(np.interp(self.style, np.arange(len(STYLES)), self.starts))

    def plan(self, view: View) -> Plan:
        """Return the base plan, after a look at the opponent's move."""
        self._side = view.side
        if view.reply is not None:
            self.update(likelihoods(view.reply, self.config.slip))
        return self.base

    def look_again(self, root: Root) -> Plan | None:
        """Return the search for what each move is worth between players of the style."""
        style = between(self.style)
        if style.search >= 1:
            return None
        return style.plan(self.config.looks * int(root.legal.sum()))

    def choose(self, root: Root, rng: np.random.Generator) -> int:
        """Draw a move as a player of the style would, tilted towards even."""
        style = between(self.style)
        self._styles, self._moves = self._styles + self.style, self._moves + 1
        pi, worth = _as_played(style, root)
        now = float(pi @ worth)
        pi[worth < worth[pi > 0].max() - self.config.limit] = 0.0
        pi /= pi.sum()
        gap = self.target - now
        share = self.config.pull if gap > 0 else style.give
        if root.second is not None:  # full strength is no more than its search
            pi = tilted(pi, worth, now + gap * share)
        return int(rng.choice(len(pi), p=pi))

    def snapshot(self) -> dict[str, Any]:
        """Return what this game's moves said of the strength, and the styles they were answered in.

        The styles are summed up.
        """
        return super().snapshot() | {"styles": self._styles, "moves": self._moves}

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to such a state; those of older versions do not know the styles."""
        super().restore(state)
        known: dict[str, tuple[float, float]] = {"styles": (0, math.inf), "moves": (0, math.inf)}
        self._styles, self._moves = numbers_in({"styles": 0.0, "moves": 0} | state, known)

    def finish(self, result: float | None) -> None:
        """Move the style against the result; let what was seen fade."""
        if result is not None:
            step = max(self.config.step * self.config.r**self.games, self.config.floor)
            self.lift -= step * result
            self.lift = max(-float(STRONGEST), min(self.lift, float(STRONGEST)))
            self.games += 1
        self.belief.fade(self.config.fade)

    def remember(self) -> dict[str, Any]:
        """Return the lift, the games and the log weights of the levels."""
        kept = {"lift": self.lift, "games": self.games, **named("level", self.belief.log_weights)}
        return {"kind": "even", "version": VERSION, **kept}

    def recall(self, state: dict[str, Any]) -> None:
        """Go on from such a state."""
        known = {"lift": (-float(STRONGEST), float(STRONGEST)), "games": (0, 10**9)}
        lift, games, *levels = learned(state, "even", known | bounds("level", len(SEEN)))
        self.lift, self.games = float(lift), int(games)
        self._begin_from(np.array(levels, float))


def _as_played(style: Style, root: Root) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the style's policy and what it takes the moves to be worth, [A] both."""
    pi = searched(style, root.visits, root.legal)
    worth = np.where(root.visits > 0, root.means, root.means[root.best] - 1)
    if root.second is not None:
        pi = (1 - style.search) * root.second.priors + style.search * pi
        worth = (1 - style.search) * root.second.means + style.search * worth
    pi = np.where(root.legal, pi, 0.0)
    return pi / pi.sum(), worth
