"""``even``: an opponent of the other side's strength, that follows within the game. Ours.

It is one controller for all games. It believes in a strength of its opponent, on the scale of the
game's dial (`dials.py`), and plays as the dial does at the level at which it expects half a point.

*What is known of the opponent's strength s.* Before the first game, what a stranger is taken to
have, or what the person's profile says. Then four kinds of evidence:

- *Moves.* How likely is each move under policies of K styles: people of a rating, or the network's
  policy at a temperature? A style is not a strength: programs that play unlike people, and players
  that search, win more than their moves look like. How strong players of many kinds are whose moves
  look like a style was measured (`Seen`), and moves say no more than that. An opponent that is like
  nobody known is always possible, which bounds what the moves of a game may say.
- *Losses*, at chess. What does a move lose, by the search that follows it? That falls with strength
  whatever the style (`Lost`).
- *The course of the game.* The game is a Brownian motion X that starts near 0, whose drift is the
  difference in strength and whose sign decides at the end (Stern 1994, of scores in sports):
  after a share t of the game X is normal around (r - s) t with variance proportional to t, for r
  the mean level played at. X comes from the network's value (`Course`).
- *Results*, by eq. 16 of Fujita 2022, at r. What was given back on purpose is not taken
  off: otherwise `even` would not learn from its results that it gives too much.

*At which level to play.* With X so far and a share 1 - t left, a level r leads to half a point on
average if X + (r - s)(1 - t) = 0. Four numbers change that. ``ahead`` begins above the belief by so
many of its standard deviations, and fades, because a lead can be given back and a deficit often
not. ``steer`` is the share of the way back from a deficit that is taken, and ``ease`` the share of
that with a lead. ``least`` is the least share 1 - t that counts, so that play decides in the end. A
known opponent is met at their strength: all that moves the level, and what is given back, is times
the standard deviation of the belief before the game, as a share of that of a stranger (`doubt`).

*A lead* is given back by moves above all: one weak move in a won position often loses at once. It
keeps what it does not know of the strength: ``reserve`` standard deviations of the belief, times
the share of the game that is left. Beyond that the policy is tilted towards moves that give a share
of the lead back (`tilted`), among those that leave no more than a small deficit (``limit``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evenmatch.opponents.controller import (
    Controller,
    LevelPath,
    Mind,
    Reply,
    Root,
    View,
    require,
)
from evenmatch.opponents.evidence import Course, Lost, Seen, worth_of
from evenmatch.ratings.belief import Belief
from evenmatch.ratings.score import ELO_PER_LOGIT, log_likelihood
from evenmatch.search.plan import Plan
from evenmatch.search.styles import softmax

Floats = NDArray[np.float64]
LEAST_LOG = -1e6  #: below which no log weight is
FAR = 1e3  #: log odds beyond which no X is

#: Temperatures of the network's policy that moves are compared with, where no people's are known:
#: from a random mover to full strength.
TEMPERATURES = (1000.0, 12.0, 7.0, 4.5, 3.0, 2.2, 1.6, 1.1, 0.7, 0.4)


class Dialled(Protocol):
    """A controller that plays at a strength."""

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return how it searches."""

    def policy(self, root: Root) -> Floats:
        """Return how likely it chooses each action, [A]."""


@dataclass(frozen=True, kw_only=True)
class EvenConfig:
    """Numbers of ``even`` on the boards; `AMONG_PEOPLE` has others at chess and Go."""

    first: float = 1500.0  #: strength that a stranger is taken to have
    unsure: float = 700.0  #: standard deviation of that guess, Elo
    moves: float = 0.6  #: share of what moves say that counts
    course: float = 0.0  #: share of what the course of the game says that counts
    ahead: float = 0.2  #: standard deviations of the belief that it begins above it
    steer: float = 1.0  #: share of the way back to even that it takes
    ease: float = 0.3  #: the same of a lead: how far that lowers the level
    give: float = 0.4  #: share of a lead that a move aims to give back
    reserve: float = 0.3  #: standard deviations of the belief that are kept of a lead at first
    look: float = 0.3  #: share of simulations at random root actions, where it gives a lead back
    limit: float = 0.2  #: value below even that such a move may have
    rare: float = 0.1  #: share of any move in the policy that it leans from
    least: float = 0.25  #: least share of the game that is reckoned as left
    slip: float = 0.03  #: share of moves taken to be random in every style
    fade: float = 0.95  #: share of what was learned that is kept for the next game

    def __post_init__(self) -> None:
        require("unsure", self.unsure, 1, 1e4)
        for name in ("moves", "course", "give", "look", "fade"):
            require(name, getattr(self, name), 0, 1)
        require("ahead", self.ahead, -5, 5)
        require("steer", self.steer, 0, 5)
        require("ease", self.ease, 0, 5)
        require("reserve", self.reserve, 0, 10)
        require("limit", self.limit, 0, 2)
        require("least", self.least, 0.01, 1)
        require("slip", self.slip, 0.001, 1)
        require("rare", self.rare, 0.001, 10)


#: Where people's moves are known: a game has many moves that say little, the value of a position
#: says more, and leads are not given back by moves, which would be unlike people's and would draw.
#: A deficit raises the level twice as far, and half of a game always counts as left.
AMONG_PEOPLE = {
    "moves": 1.0,
    "course": 0.7,
    "ahead": 0.3,
    "steer": 2.0,
    "ease": 0.3,
    "give": 0.0,
    "least": 0.5,
}


class Even(Controller):
    """Plays as a dial does at the level at which it expects half a point."""

    reads_replies = True
    value_history = 1

    def __init__(
        self,
        config: EvenConfig,
        dial: Callable[[float], Dialled],
        reach: tuple[float, float],
        course: Course,
        seen: Seen,
        ratings: tuple[float, ...] = (),
        scale: int = 0,
        looks: int = 100,
        unknown: float = 700.0,
        measured: bool = True,
        lost: Lost | None = None,
    ):
        """``dial(strength)`` plays at a strength within ``reach``, in Elo, at Go rank numbers.

        Styles are people of ``ratings`` on the network's scale number ``scale``, without ratings
        the network's policy at ``TEMPERATURES``. To give a lead back it searches with ``looks``
        simulations at least. ``unknown`` is the standard deviation of a stranger's strength.
        Strengths are ``measured`` unless the dial has another number of simulations than when it
        was calibrated.
        """
        self.config, self.dial, self.reach = config, dial, reach
        self.course, self.seen, self.lost, self.looks = course, seen, lost, looks
        self.measured = measured
        self.reply_ratings, self.reply_scale = ratings, scale
        self.styles = len(ratings or TEMPERATURES)
        self.grid = np.arange(reach[0] - 400, reach[1] + 625, 25.0)
        self.prior = -(((self.grid - config.first) / config.unsure) ** 2) / 2
        of_strangers = -(((self.grid - config.first) / unknown) ** 2) / 2
        self.unknown = Belief(self.grid, of_strangers).deviation
        far = (-FAR, FAR)
        self.memory_bounds = {
            "games": (0, 10**9),
            "logs": (LEAST_LOG, 0.0, len(self.grid)),  # what results say of strengths
            "styles": (LEAST_LOG, 0.0, self.styles),  # how likely earlier moves were in each style
            "lost": (-1e9, 1e9),  # sum of the logs of what earlier moves lost
            "replies": (0.0, 1e9),  # of how many
        }
        self.game_bounds = {
            "styles": (LEAST_LOG, 0.0, self.styles),  # how likely the moves were in each style
            "begin": far,  # X at its first turn
            "now": far,  # X at its latest turn
            "share": (0.0, 1.0),  # t there
            "played": (-1e4, 1e4),  # mean of the levels played at
            "first": (-1e4, 1e4),  # the level of its first move
            "last": (-1e4, 1e4),  # the level of its latest move
            "moves": (0, 1e6),
            "given": far,  # what its own moves gave back of leads
            "hoped": far,  # artanh of the value of its latest move by its search; FAR: none
            "lost": (-1e7, 1e7),  # sum of the logs of what moves lost
            "replies": (0.0, 1e6),  # of how many
        }
        self.blank: dict[str, Any] = {
            "styles": [0.0] * self.styles,
            "begin": 0.0,
            "now": 0.0,
            "share": 0.0,
            "played": 0.0,
            "first": 0.0,
            "last": 0.0,
            "moves": 0,
            "given": 0.0,
            "hoped": FAR,
            "lost": 0.0,
            "replies": 0.0,
        }

    def state(self, mind: Mind) -> dict[str, Any]:
        """Return the game's state; at first that before any move."""
        return mind.game or self.blank

    def known(self, mind: Mind) -> Belief:
        """Return what is believed of the opponent's strength by earlier games."""
        return self._by_moves(replace(mind, game={}))

    def belief(self, mind: Mind) -> Belief:
        """Return what is believed of the opponent's strength: earlier games and this one."""
        belief, state = self._by_moves(mind), self.state(mind)
        if state["moves"] and state["share"] > 0:
            drift = (state["played"] - self.grid) / self.course.elo * state["share"]
            off = state["now"] + state["given"] - state["begin"] - drift
            belief.update(
                -self.config.course * off**2 / (2 * self.course.variance * state["share"])
            )
        return belief

    def _by_moves(self, mind: Mind) -> Belief:
        """Return what results of earlier games, and the moves of all, let believe.

        What makes a player stronger than the style that their moves look like does so in all of
        their games, so the moves of all games count as those of one.
        """
        belief, styles, (lost, replies) = self._evidence(mind)
        belief.update(self.seen.evidence(styles, self.grid))
        if self.lost is not None:
            belief.update(self.lost.evidence(lost, replies, self.grid))
        return belief

    def _evidence(self, mind: Mind) -> tuple[Belief, Floats, Floats]:
        """Return the belief by results alone, and evidence of all moves.

        That is how likely they are in each style, [K], and the sum of the logs of what they lost
        and their number, [2].
        """
        state = self.state(mind)
        belief, styles = Belief(self.grid, self.prior), np.array(state["styles"])
        losses = np.array([state["lost"], state["replies"]])
        if mind.memory:
            belief.log_weights = np.array(mind.memory["logs"], float)
            styles = styles + np.array(mind.memory["styles"])
            losses += mind.memory["lost"], mind.memory["replies"]
        return belief, styles, losses

    def lead(self, mind: Mind) -> float:
        """Return X less what it was worth to move first or second."""
        state = self.state(mind)
        return state["now"] - state["begin"] * (1 - state["share"])

    def level(self, mind: Mind) -> float:
        """Return the strength to play at, in whole steps of 5 or at an end of the reach."""
        return self.within(self.wanted(mind))

    def within(self, strength: float) -> float:
        """Return the nearest strength that can be played, in whole steps of 5 or at an end."""
        return min(max(5.0 * round(strength / 5), self.reach[0]), self.reach[1])

    def wanted(self, mind: Mind) -> float:
        """Return the strength at which half a point is expected, wherever play ends."""
        belief = self.belief(mind)
        return belief.mean + sum(self.shifts(mind, belief.deviation))

    def shifts(self, mind: Mind, deviation: float) -> tuple[float, float]:
        """Return how far above the belief it plays: because of doubt, and of the position."""
        config, state = self.config, self.state(mind)
        lead = self.lead(mind)
        left = 1 - state["share"]
        back = lead / max(left, config.least) * self.course.elo
        way = config.steer * (1.0 if lead < 0 else config.ease)
        doubt = self.doubt(mind)
        return doubt * config.ahead * deviation * left, -doubt * way * back

    def doubt(self, mind: Mind) -> float:
        """Return how little is known before the game: the deviation as a share of a stranger's."""
        return min(self.known(mind).deviation / self.unknown, 1.0)

    def observe(self, view: View, mind: Mind) -> Mind:
        """Take the opponent's move, and the value of the position, for evidence."""
        state = self.state(mind)
        if view.reply is not None:
            said = np.array(state["styles"]) + self.config.moves * self.likelihoods(view.reply)
            state = state | {"styles": np.maximum(said - said.max(), LEAST_LOG).tolist()}
        t = self.course.share(view.ply)
        strength = self.belief(mind).mean
        now = clipped(self.course.position(float(view.values[0]), t, strength, view.side))
        begin = {} if state["moves"] else {"begin": now}
        return Mind(mind.memory, state | begin | {"now": now, "share": t})

    def likelihoods(self, reply: Reply) -> Floats:
        """Return the log of the probability of a reply in each style, [K]."""
        if reply.by_rating is not None:
            logits = reply.by_rating.astype(float)
        else:
            logits = reply.logits.astype(float) / np.array(TEMPERATURES)[:, None]
        weights = np.exp(logits - logits.max(1, keepdims=True))  # [K, A]
        chances = weights[:, reply.action] / weights.sum(1)
        legal = np.isfinite(reply.logits).sum()
        return np.log((1 - self.config.slip) * chances + self.config.slip / legal)

    def plan(self, view: View, mind: Mind) -> Plan:
        """Return the dial's plan at the level; with a lead, one that looks at all moves."""
        plan = self.dial(self.level(mind)).plan(view, mind)
        if not self.gives(mind):
            return plan
        return replace(
            plan, simulations=max(plan.simulations, self.looks), random_root=self.config.look
        )

    def gives(self, mind: Mind) -> bool:
        """Return whether it has a lead that it means to give back."""
        return self.config.give > 0 and self.lead(mind) > self.kept(mind)

    def quiet(self, root: Root, mind: Mind) -> Root:
        """Return the root as a search at the level finds it: without visits that looked around."""
        if not self.gives(mind):
            return root
        chosen_at_random = self.config.look * root.visits.sum() / root.legal.sum()
        visits = np.maximum(root.visits - chosen_at_random, 0).round().astype(root.visits.dtype)
        return replace(root, visits=visits) if visits.any() else root

    def kept(self, mind: Mind) -> float:
        """Return the lead that it keeps, in log odds: less where the strength is better known."""
        unsure = self.belief(mind).deviation / self.course.elo
        return self.config.reserve * unsure * (1 - self.state(mind)["share"])

    def choose(
        self, root: Root, view: View, mind: Mind, rng: np.random.Generator
    ) -> tuple[int, Mind]:
        """Return the move that the dial chooses at the level, and the mind after it."""
        level, state = self.level(mind), self.state(mind)
        pi = self.dial(level).policy(self.quiet(root, mind))
        leaning, given = self.leaning(pi, root, view, mind), 0.0
        if leaning is not pi:
            worth, strength = np.where(root.visits > 0, root.means, -1.0), self.belief(mind).mean
            before, after = (
                self.course.position(float(some @ worth), state["share"], strength, view.side)
                for some in (pi / pi.sum(), leaning)
            )
            pi, given = leaning, before - after
        action = int(rng.choice(len(pi), p=pi / pi.sum()))
        moves = state["moves"] + 1
        played = state["played"] + (level - state["played"]) / moves
        now = self.losses(root, action, view.ply, state) | {
            "played": played,
            "last": level,
            "moves": moves,
            "given": clipped(state["given"] + given),
        }
        if moves == 1:
            now["first"] = level
        return action, Mind(mind.memory, state | now)

    def losses(self, root: Root, action: int, ply: int, state: Mapping) -> dict[str, Any]:
        """Return what the latest reply lost, by this search, and what its own move hopes for."""
        if self.lost is None:
            return {}
        log, found = self.lost.log(root, state["hoped"], ply), {"hoped": worth_of(root, action)}
        if log is None:
            return found
        return found | {"lost": state["lost"] + log, "replies": state["replies"] + 1}

    def leaning(self, pi: Floats, root: Root, view: View, mind: Mind) -> Floats:
        """Return a policy that gives a share of a lead back, by moves that leave the game open."""
        state = self.state(mind)
        t, strength = state["share"], self.belief(mind).mean
        keep = self.kept(mind)
        if not self.gives(mind):
            return pi
        even = self.course.value_at(keep + state["begin"] * (1 - t), t, strength, view.side)
        tried = root.visits > 0
        worth = np.where(tried, root.means, -1.0)
        now = float(root.means[root.best])
        if now <= even:
            return pi
        target = now - self.config.give * self.doubt(mind) * (now - even)
        if pi @ worth <= target * pi.sum():
            return pi  # play at the level gives enough back
        able = tried & (worth >= even - self.config.limit)
        if not able.any():
            return pi
        mixed = np.where(able, pi + self.config.rare / able.sum(), 0)
        mixed /= mixed.sum()
        return tilted(mixed, worth, target) if mixed @ worth > target else pi

    def played_at(self, mind: Mind) -> float | None:
        """Return the mean level of this game's moves; None where levels are not measured."""
        state = self.state(mind)
        if not state["moves"] or not self.measured:
            return None
        return self.within(state["played"])

    def path(self, mind: Mind) -> LevelPath | None:
        """Return the levels of this game's first and latest move, and what they answered."""
        state = self.state(mind)
        if not state["moves"]:
            return None
        low, high = map(self.within, self.reach)
        last = state["last"]
        belief = self.belief(mind)
        unsure, position = self.shifts(mind, belief.deviation)
        return LevelPath(
            state["first"],
            last,
            belief.mean,
            position > unsure,
            (last >= high) - (last <= low),
        )

    def learn(self, mind: Mind, result: float | None) -> dict[str, Any]:
        """Take the result for evidence in place of the course of the game."""
        games, state = mind.memory.get("games", 0), self.state(mind)
        belief, styles, losses = self._evidence(mind)
        if result is not None:
            games += 1
            if state["moves"]:
                worth = (self.grid - state["played"]) / self.course.elo - state["begin"]
                belief.update(log_likelihood(ELO_PER_LOGIT * worth, (1 - result) / 2))
        belief.fade(self.config.fade)
        return {
            "games": games,
            "logs": np.maximum(belief.log_weights, LEAST_LOG).tolist(),
            "styles": np.maximum(self.config.fade * (styles - styles.max()), LEAST_LOG).tolist(),
            **dict(zip(("lost", "replies"), (self.config.fade * losses).tolist(), strict=True)),
        }


def clipped(x: float) -> float:
    """Return X, or the nearest that a mind may hold."""
    return max(-FAR, min(x, FAR))


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
