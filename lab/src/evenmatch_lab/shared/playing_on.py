"""How long people play on in lost games, and how long the model would."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.strength.resigning import MOST, Habit, probabilities
from evenmatch_lab.shared.own_turns import Flags, Floats, OwnTurns
from evenmatch_lab.shared.resigning_turns import LOST, TIMELY, may_resign, rounded

HORIZON = 60  #: own turns for which people are followed
SHOWN = (0, 1, 2, 4, 8, 16)  #: of these
DRAWS, SEED = 200, 31  #: of people, for intervals


@dataclass(frozen=True)
class Followed:
    """N sides from the first turn with chances up to LOST, for T = HORIZON turns."""

    there: Flags  #: [N, T] whether the side may resign at the turn
    resigned: Flags  #: [N, T]
    expected: Floats  #: [N, T] probability by the model; 0 where not there
    ended: Flags  #: [N, T] whether the game ends after the turn in another way
    people: NDArray[np.int64]  #: [N]


def follow(turns: OwnTurns, rows: Floats, habit: Habit, of_band: Flags) -> Followed:
    """Follow the sides of a band that fall so low at a turn that counts."""
    may = may_resign(turns) & of_band[turns.side]
    low = np.flatnonzero(may & (turns.chances <= LOST))
    sides, first = np.unique(turns.side[low], return_index=True)
    start = low[first]
    shape = len(sides), HORIZON
    at = start[:, None] + np.arange(HORIZON)
    inside = at < len(turns.side)
    at = np.minimum(at, len(turns.side) - 1)
    there = inside & (turns.side[at] == sides[:, None]) & may[at]
    resigned = there & (turns.last & turns.gave_up[turns.side])[at] & (turns.chances[at] <= MOST)
    expected = np.zeros(shape)
    low_now = there & (turns.chances[at] <= MOST)
    expected[low_now] = probabilities(habit, rows[at[low_now]])
    after = np.minimum(at + 1, len(turns.side) - 1)
    no_more = turns.last[at] | turns.over[after] | (turns.last[after] & ~may[after])
    timely = (turns.increments[sides] != 0)[:, None] | (turns.plies[at] + 2 < TIMELY)
    return Followed(
        there, resigned, expected, there & ~resigned & no_more & timely, turns.people[sides]
    )


def incidence(followed: Followed, weights: Floats, by_model: bool) -> Floats:
    """Return the share [B, T] of sides that have resigned, at each turn after they fell.

    ``weights`` [B, N] count each side. By Aalen and Johansen: games that end otherwise compete,
    those that are followed no longer leave without saying anything.
    """
    count = np.maximum(weights @ followed.there, 1e-9)
    happened = followed.expected if by_model else followed.resigned.astype(float)
    resigning = weights @ happened / count
    staying = np.maximum(weights @ (followed.there & ~followed.resigned), 1e-9)
    ending = weights @ followed.ended / staying  # of those that do not resign
    going = np.cumprod((1 - resigning) * (1 - ending), 1)
    before = np.hstack([np.ones((len(weights), 1)), going[:, :-1]])
    return np.cumsum(before * resigning, 1)


def after_falling(turns: OwnTurns, rows: Floats, habit: Habit, of_band: Flags) -> dict[str, Any]:
    """Return how many resign within so many turns of falling, with intervals: people, model."""
    followed = follow(turns, rows, habit, of_band)
    if not len(followed.people):
        return {}
    persons, of = np.unique(followed.people, return_inverse=True)
    rng = np.random.default_rng(SEED)
    drawn = rng.multinomial(len(persons), np.full(len(persons), 1 / len(persons)), DRAWS)
    weights = np.vstack([np.ones(len(of)), drawn[:, of]]).astype(float)
    row: dict[str, Any] = {"sides": len(of), "people": len(persons), "turns": list(SHOWN)}
    people, model = (incidence(followed, weights, by_model) for by_model in (False, True))
    row["half"] = [half_time(people[0]), half_time(model[0])]
    at = [*SHOWN, HORIZON - 1]
    people, model = people[:, at], model[:, at]
    for name, curve in (("shown", people), ("model", model), ("more", model - people)):
        low, high = np.quantile(curve[1:], (0.025, 0.975), axis=0)
        row[name] = [rounded(np.array(x)) for x in zip(curve[0], low, high, strict=True)]
    return row


def half_time(curve: Floats) -> int:
    """Return the turn [of T] at which half of those who ever resign have done so."""
    return int(np.searchsorted(curve, curve[-1] / 2))
