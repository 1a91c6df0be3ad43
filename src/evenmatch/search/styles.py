"""Styles: strengths to play at, from a random mover to full strength, the same for all games.

A style mixes a policy of a temperature with what a search visited. `even` changes its
style with the strength of its opponent's moves; the player `style` keeps one.
"""

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from evenmatch.search.plan import Plan, Rule


@dataclass(frozen=True)
class Style:
    """A strength to play at."""

    temperature: float  #: of the policy that both sides are taken to play by
    playouts: float  #: share of random playouts in judging positions between two such players
    search: float  #: share of an ordinary search in its policy and judgement
    z: float  #: strength index of that search's visits (see visit_softmax)
    give: float  #: share of an advantage that a move aims to give back

    def plan(self, simulations: int) -> Plan:
        """Return the search that says what a position is worth between two such players."""
        return Plan(
            simulations=simulations,
            rule=Rule.LEVEL,
            prior_temperature=self.temperature,
            playout_share=self.playouts,
        )


#: From random to full strength, for all games.
STYLES = (
    Style(1000.0, 1.0, 0.0, 1.0, 1.0),
    Style(4.0, 0.7, 0.05, 1.0, 1.0),
    Style(1.3, 0.25, 0.3, 1.0, 0.7),
    Style(1.0, 0.12, 0.5, 1.0, 0.4),
    Style(0.8, 0.05, 0.7, 1.5, 0.2),
    Style(0.7, 0.0, 0.85, 2.0, 0.1),
    Style(0.6, 0.0, 1.0, 4.0, 0.0),
    Style(0.35, 0.0, 1.0, 64.0, 0.0),
)
STRONGEST = len(STYLES) - 1


def softmax(x: NDArray) -> NDArray[np.float64]:
    """Return exp(x) / sum exp(x)."""
    weights = np.exp(x.astype(np.float64) - x.max())
    return weights / weights.sum()


def between(style: float) -> Style:
    """Return the style a fractional number stands for; temperatures on a logarithmic scale."""
    rows = np.array([[getattr(x, field.name) for field in fields(Style)] for x in STYLES])
    rows[:, 0] = np.log(rows[:, 0])
    cooling, *rest = (float(np.interp(style, np.arange(len(STYLES)), x)) for x in rows.T)
    return Style(math.exp(cooling), *rest)


def tempered(priors: NDArray, temperature: float) -> NDArray[np.float64]:
    """Return policies [..., A] at another temperature: P^(1/temperature), of what they can play."""
    with np.errstate(divide="ignore"):
        logs = np.log(priors.astype(np.float64)) / temperature
    weights = np.exp(logs - logs.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def policies(
    style: Style, priors: NDArray, visits: NDArray, legal: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return what a style plays, [..., A], by what a search found at its roots, [..., A] each."""
    ideas = tempered(np.where(legal, priors, 0), style.temperature)
    return (1 - style.search) * ideas + style.search * searched(style, visits, legal)


def searched(style: Style, visits: NDArray, legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the policy of a style's search alone, N^z, [..., A], by visits of its roots."""
    most = np.maximum(visits.max(-1, keepdims=True), 1)
    powers = (visits / most) ** style.z * legal
    return powers / powers.sum(-1, keepdims=True)
