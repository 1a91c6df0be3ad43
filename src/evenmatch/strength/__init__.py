"""Strength: controllers that decide how strong the next move is. ``CONTROLLERS`` is the table."""

from evenmatch.strength.alphadda import ALPHADDA1, AlphaDDA1, AlphaDDA1Config
from evenmatch.strength.controller import Controller, Fixed, Root, View, check_controller

CONTROLLERS: dict[str, type[Controller]] = {"alphazero": Fixed, "alphadda1": AlphaDDA1}

__all__ = [
    "ALPHADDA1",
    "CONTROLLERS",
    "AlphaDDA1",
    "AlphaDDA1Config",
    "Controller",
    "Fixed",
    "Root",
    "View",
    "check_controller",
]
