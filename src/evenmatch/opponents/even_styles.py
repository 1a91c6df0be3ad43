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
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.controller import Controller, Mind, Reply, Root, View, require
from evenmatch.opponents.opponent_belief import Floats, OpponentBelief
from evenmatch.search.plan import Plan
from evenmatch.search.styles import (
    STRONGEST,
    STYLES,
    Style,
    between,
    policies,
    searched,
    softmax,
)  # fmt: skip

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


def likelihoods(reply: Reply, slip: float) -> Floats:
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


class EvenByStyles(OpponentBelief):
    """Keeps the game even between players of the opponent's strength."""

    def __init__(
        self,
        config: EvenConfig,
        answers: tuple[float, ...],
        base: Plan,
        starts: tuple[float, ...],
        elo: tuple[float, ...] = (),
    ):
        """``answers`` [L] is the style for each level seen; ``starts`` [styles] the start's value
        for the first player between two players of each style; ``elo`` [styles] what it plays at
        in each, empty if that was not measured."""
        levels = np.arange(len(SEEN))
        super().__init__(levels.astype(np.float64), (config.prior * levels).astype(np.float64))
        self.config, self.answers, self.base = config, answers, base
        self.starts, self.elo = starts, elo
        self.memory_bounds = {**self.memory_bounds, "lift": (-STRONGEST, STRONGEST)}
        many = (0, math.inf)
        self.game_bounds = {**self.game_bounds, "styles": many, "moves": many}
        self.first |= {"styles": 0.0, "moves": 0}  # the sum of the styles of this game's moves

    def lift(self, mind: Mind) -> float:
        """Return by how many styles it plays above the answer, by earlier results."""
        return mind.memory.get("lift", self.config.lift)

    def style(self, mind: Mind) -> float:
        """Return the number of the style to play in, from 0 to ``STRONGEST``."""
        answer = float(self.belief(mind).probabilities @ np.array(self.answers))
        return max(0.0, min(answer + self.lift(mind), float(STRONGEST)))

    def played_at(self, mind: Mind) -> float | None:
        """Return the Elo of the mean style of this game's moves; None if none is known."""
        state = self.state(mind)
        if not self.elo or not state["moves"]:
            return None
        mean = state["styles"] / state["moves"]
        return float(np.interp(mean, np.arange(len(STYLES)), self.elo))

    def observe(self, view: View, mind: Mind) -> Mind:
        """Take the opponent's move for evidence of its strength."""
        if view.reply is None:
            return mind
        return self.with_evidence(mind, likelihoods(view.reply, self.config.slip))

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the base plan."""
        return self.base

    def look_again(self, root: Root, mind: Mind) -> Plan | None:
        """Return the search for the value of each move between players of the style."""
        style = between(self.style(mind))
        if style.search >= 1:
            return None
        return style.plan(self.config.looks * int(root.legal.sum()))

    def choose(self, root, view, mind, rng):
        """Draw a move as a player of the style would, tilted towards even."""
        number, state = self.style(mind), self.state(mind)
        played = {"styles": state["styles"] + number, "moves": state["moves"] + 1}
        style = between(number)
        pi, values = _as_played(style, root)
        now = float(pi @ values)
        pi[values < values[pi > 0].max() - self.config.limit] = 0.0
        pi /= pi.sum()
        even = view.side * float(np.interp(number, np.arange(len(STYLES)), self.starts))
        gap = even - now
        share = self.config.pull if gap > 0 else style.give
        if root.second is not None:  # full strength is no more than its search
            pi = tilted(pi, values, now + gap * share)
        return int(rng.choice(len(pi), p=pi)), Mind(mind.memory, state | played)

    def learn(self, mind, result):
        """Move the style against the result; let what was seen fade."""
        lift, games = self.lift(mind), mind.memory.get("games", 0)
        if result is not None:
            step = max(self.config.step * self.config.r**games, self.config.floor)
            lift = max(-float(STRONGEST), min(lift - step * result, float(STRONGEST)))
            games += 1
        return self.remembered(self.belief(mind), games, self.config.fade) | {"lift": lift}


def _as_played(style: Style, root: Root) -> tuple[Floats, Floats]:
    """Return the style's policy and its values of the moves, [A] both."""
    pi = searched(style, root.visits, root.legal)
    values = np.where(root.visits > 0, root.means, root.means[root.best] - 1)
    if root.second is not None:
        pi = (1 - style.search) * root.second.priors + style.search * pi
        values = (1 - style.search) * root.second.means + style.search * values
    pi = np.where(root.legal, pi, 0.0)
    return pi / pi.sum(), values


def tilted(pi: NDArray, values: NDArray, target: float) -> NDArray[np.float64]:
    """Return the policy nearest to ``pi`` [A] whose expected value is ``target``.

    It is pi(a) exp(lambda value(a)) / Z, which of all with that expectation has the least
    relative entropy to pi. Beyond the values of the actions with pi > 0, the best or worst.
    """
    support = pi > 0
    logs, known = np.log(pi[support]), values[support]
    low, high = -64.0, 64.0
    for _ in range(40):
        tilt = (low + high) / 2
        low, high = (tilt, high) if softmax(logs + tilt * known) @ known < target else (low, tilt)
    out = np.zeros(len(pi))
    out[support] = softmax(logs + low * known)
    return out


class Styled(Controller):
    """Plays in one style: draws from its policy, mixed with a search where the style has one."""

    def __init__(self, number: float, base: Plan):
        """``number`` is that of the style, from 0 to ``STRONGEST``; it may be fractional."""
        require("s", number, 0, STRONGEST)
        self.style = between(number)
        self._plan = base if self.style.search else replace(base, simulations=1)

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the base plan; a style without a search asks the network alone."""
        return self._plan

    def choose(self, root, view, mind, rng):
        """Draw a move as players of the style do."""
        pi = policies(self.style, root.priors, root.visits, root.legal)
        return int(rng.choice(len(pi), p=pi / pi.sum())), mind
