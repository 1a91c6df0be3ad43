"""Players: whatever turns positions into actions, and the specs that name them."""

from evenmatch.players.evaluators import Networks, load_evaluator
from evenmatch.players.player import Player, Turns, turn_seeds
from evenmatch.players.search_player import SearchPlayer
from evenmatch.players.spec import Key, PlayerKind
from evenmatch.players.table import PLAYERS, make_player, parse_spec

__all__ = [
    "PLAYERS",
    "Key",
    "Networks",
    "Player",
    "PlayerKind",
    "SearchPlayer",
    "Turns",
    "load_evaluator",
    "make_player",
    "parse_spec",
    "turn_seeds",
]
