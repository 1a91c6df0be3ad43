"""Styles: strengths to play at, from a random mover to full strength, the same for all games.

A style mixes a policy of a temperature with what a search visited.
"""

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Style:
    """A strength to play at."""

    temperature: float  #: of the network's policy
    search: float  #: share of a search in its policy
    z: float  #: strength index of that search's visits (see visit_softmax)


#: From random to full strength, for all games.
STYLES = (
    Style(1000.0, 0.0, 1.0),
    Style(4.0, 0.05, 1.0),
    Style(1.3, 0.3, 1.0),
    Style(1.0, 0.5, 1.0),
    Style(0.8, 0.7, 1.5),
    Style(0.7, 0.85, 2.0),
    Style(0.6, 1.0, 4.0),
    Style(0.35, 1.0, 64.0),
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
