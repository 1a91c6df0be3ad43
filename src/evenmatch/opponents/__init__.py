"""Opponents: the methods of the papers and ours, the specs that name them, and one engine.

`engine.Engine.think` decides turns; `resolve` makes an `Opponent` of a spec. The methods:
`visit_softmax` (Wu 2019), `alphadda` (Fujita 2022), `se_mcts` (Chen 2025), `ace` (2019), `pikl`,
`even` (ours). `table` has a row for each name, `fitted` all fitted numbers, `dials` the
calibrations, `rating_range` the ratings that were measured.
"""

from evenmatch.opponents.controller import Controller, Mind, View, check_controller
from evenmatch.opponents.engine import Engine, Opponent, resolve
from evenmatch.opponents.networks import Networks, load_evaluator
from evenmatch.opponents.player import RESIGN, Decision, Player, Turn
from evenmatch.opponents.search_player import SearchPlayer
from evenmatch.opponents.spec import Key, PlayerKind
from evenmatch.opponents.table import PLAYERS, parse_spec, plugged_in

__all__ = [
    "PLAYERS",
    "RESIGN",
    "Controller",
    "Decision",
    "Engine",
    "Key",
    "Mind",
    "Networks",
    "Opponent",
    "Player",
    "PlayerKind",
    "SearchPlayer",
    "Turn",
    "View",
    "check_controller",
    "load_evaluator",
    "parse_spec",
    "resolve",
]

PLAYERS |= plugged_in()  # last, so that packages can import all names above
