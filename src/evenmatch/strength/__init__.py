"""Strength: controllers that decide how strong the next move is."""

from evenmatch.strength.alphadda import (
    PAPER,
    AlphaDDA1,
    AlphaDDA1Config,
    AlphaDDA2,
    AlphaDDA2Config,
    AlphaDDA3,
    AlphaDDA3Config,
)
from evenmatch.strength.constants import ANSWERS, CONSTANTS, WITH_QUIRKS
from evenmatch.strength.controller import Controller, Fixed, Reply, Root, View, check_controller
from evenmatch.strength.dials import DIALS, Curve, Dial, curve_of
from evenmatch.strength.dynamic import InterGame, IntraGame, cool_down_plies
from evenmatch.strength.even import SEEN, Even, EvenConfig
from evenmatch.strength.regularized import Regularized
from evenmatch.strength.se_mcts import PAPER_PLAN, StrengthSearch
from evenmatch.strength.styles import STRONGEST, STYLES, Styled
from evenmatch.strength.theta import Theta, VisitTemperature
from evenmatch.strength.visit_softmax import VisitSoftmax

__all__ = [
    "ANSWERS",
    "CONSTANTS",
    "DIALS",
    "PAPER",
    "PAPER_PLAN",
    "SEEN",
    "STRONGEST",
    "STYLES",
    "WITH_QUIRKS",
    "AlphaDDA1",
    "AlphaDDA1Config",
    "AlphaDDA2",
    "AlphaDDA2Config",
    "AlphaDDA3",
    "AlphaDDA3Config",
    "Controller",
    "Curve",
    "Dial",
    "Even",
    "EvenConfig",
    "Fixed",
    "InterGame",
    "IntraGame",
    "Regularized",
    "Reply",
    "Root",
    "StrengthSearch",
    "Styled",
    "Theta",
    "View",
    "VisitSoftmax",
    "VisitTemperature",
    "check_controller",
    "cool_down_plies",
    "curve_of",
]
