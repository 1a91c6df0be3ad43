"""``even``: it estimates the opponent's strength from moves and keeps the game close. Ours.

Two controllers share one belief over the opponent's strength. The evidence of this game's moves is
kept apart from what earlier games showed, because moves can be taken back and another game may end
in between.

*By styles* (``EvenByStyles``), where no people's moves are known, from a random mover to full
strength. AlphaDDA1 and 2 hold the network's value near even, but that value supposes perfect play
from here on: at value 0 a weak opponent can only lose ground, and so never wins. AlphaDDA3 gives
ground, but expects the opponent to hold it, and strong ones do not let it back. What must be held
near even is the value *between two players of the opponent's strength*: under that value the
opponent's moves gain and lose alike.

- *How strong is the opponent?* Every move changes a belief over levels: how likely is it under the
  network's policy at the temperature of each level?
- *How does one play evenly with it?* A style (`search/styles.py`) answers every level; `evenmatch
  experiment even_fit` finds the answers.
- *What is each move worth between two players of that style?* A search by the LEVEL rule, in which
  both sides play a softmax of the policy: weak styles mix random playouts into its leaves, strong
  ones mix in an ordinary search.
- *Which moves would such a player make?* Its own policy, tilted as little as possible so that
  the expected value moves towards even: all the way when behind, a share ``give`` of the way when
  ahead. Moves that give up more than ``limit`` are left out. Playing the move nearest to even does
  not work: it declines every win of its own while the opponent's wins end the game, and so loses.
- *Where is even?* At the value of the start position for the own side between such players,
  so that the match is even over both sides.
- *From game to game* the style is raised after a loss and lowered after a win.

*By ratings* (``EvenByRatings``), where people's moves are known:

- *How strong is the opponent?* Every move changes a belief over ratings: how often do people of
  each rating make it? Only a share of that evidence counts (``weight``), because moves of one
  person are alike in more than their rating. A result counts by eq. 16 of Fujita 2022.
- *How does one play evenly with it?* As people of the believed rating do (`pikl.py`).
- *And when it stands badly?* Moves show how strong people are, but not programs that blunder and
  play well in turn. So ``even`` plays ``push`` times the value of its last position (from -1, lost,
  to 1) below the believed rating: stronger when behind, weaker when ahead, as Wu 2019 moves z
  within a game. If the game stays so, each move adds ``steer`` times the value. Together they are a
  controller with a proportional and an integral term: it finds the rating at which the game holds,
  whatever the moves look like. A result counts against the mean of the ratings played at.
- *And when the game runs away?* As long as the value of the position is within ``slack`` of even,
  nothing more is done: a game that is held at even is drawn, not open. Beyond it the policy is
  tilted as little as possible, so that its expected value moves a share of the way back; but only
  among moves that people of the rating played at make at least once in ``1 / rarity`` times: when
  it is ahead and plays weaker, people weaker than the opponent. The share is ``lean`` at first and
  0 from ply ``horizon`` on: late in a game the leading side may win it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.controller import Controller, Mind, Reply, Root, View, require
from evenmatch.opponents.pikl import corrected, values
from evenmatch.ratings.belief import Belief
from evenmatch.ratings.score import log_likelihood
from evenmatch.search.plan import Plan
from evenmatch.search.styles import STRONGEST, STYLES, Style, between, policies, searched, softmax

Floats = NDArray[np.float64]
LEAST_LOG = -1e6  #: below which no log weight is


class OpponentBelief(Controller):
    """A controller with a belief that the moves of a game change.

    The evidence of this game's moves (``said`` in the game's state) is kept apart from what was
    known before it (``logs`` in the memory): another game may teach more in between, or moves are
    taken back.
    """

    reads_replies = True
    first: dict[str, Any]  #: the game's state before the first move

    def __init__(self, grid: Floats, prior: Floats):
        """``grid`` [L] are the strengths, ``prior`` [L] log weights before any move."""
        self.grid, self.prior = grid, prior
        row = (LEAST_LOG, 0.0, len(grid))
        self.memory_bounds = {"games": (0, 10**9), "logs": row}
        self.game_bounds = {"said": row}
        self.first = {"said": [0.0] * len(grid)}

    def state(self, mind: Mind) -> dict[str, Any]:
        """Return the game's state; at first that before any move."""
        return mind.game or self.first

    def belief(self, mind: Mind) -> Belief:
        """Return what is believed of the opponent's strength: earlier games and this one."""
        belief = Belief(self.grid, self.prior)
        if mind.memory:
            belief.log_weights = np.array(mind.memory["logs"], float)
        belief.update(self.state(mind)["said"])
        return belief

    def with_evidence(self, mind: Mind, evidence: Floats) -> Mind:
        """Return the mind after more evidence: logs of how likely it is at each strength, [L]."""
        said = np.array(self.state(mind)["said"], float) + evidence
        said = np.maximum(said - said.max(), LEAST_LOG)
        return Mind(mind.memory, self.state(mind) | {"said": said.tolist()})

    def remembered(self, belief: Belief, games: int, fade: float) -> dict[str, Any]:
        """Return a memory of so many results; ``fade`` is the share of the belief that is kept."""
        belief.fade(fade)
        return {"games": games, "logs": np.maximum(belief.log_weights, LEAST_LOG).tolist()}


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
    elo: bool = True  #: whether differences of ratings predict results

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
