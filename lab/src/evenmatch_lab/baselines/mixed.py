"""Players made of others: one with random moves in between, one that changes in mid-game."""

import numpy as np

from evenmatch.games.game import Game
from evenmatch.opponents.controller import NEW, require
from evenmatch.opponents.engine import make_player, resolve
from evenmatch.opponents.networks import Networks
from evenmatch.opponents.player import Decision, Player, RandomPlayer, Turn

WITHIN = ";"  #: in place of the commas of a spec within a spec


def player_within(game: Game, networks: Networks, text: str) -> Player:
    """Return the player of a spec that is the value of a key, such as ``minimax1:depth=1;...``."""
    return make_player(resolve(text.replace(WITHIN, ","), game), game, networks)


class Noisy(Player):
    """Plays another player's moves, and now and then a uniformly random one."""

    def __init__(self, game: Game, of: Player, share: float):
        """``share`` of the moves are random. UsageError if it is outside [0, 1]."""
        require("share", share, 0, 1)
        self._of, self._random, self._share = of, RandomPlayer(game), share

    def decide(self, turns):
        """Toss a coin for each turn, by its seed and ply."""
        players = [self._random if self._is_random(turn) else self._of for turn in turns]
        return decided_by(players, turns)

    def _is_random(self, turn: Turn) -> bool:
        return bool(np.random.default_rng([turn.seed, turn.line.ply]).random() < self._share)


class Changing(Player):
    """Plays as one player before a ply, then as another; neither keeps anything of the game."""

    def __init__(self, first: Player, then: Player, ply: int):
        """``ply`` is the first in which ``then`` plays. UsageError if it is negative."""
        require("ply", ply, 0, 10_000)
        self._first, self._then, self._ply = first, then, ply

    def decide(self, turns):
        """Let the player of each turn's ply decide."""
        players = [self._first if turn.line.ply < self._ply else self._then for turn in turns]
        return decided_by(players, turns)


def decided_by(players: list[Player], turns: list[Turn]) -> list[Decision]:
    """Return the decisions of one player for each turn; minds stay as they are."""
    found: dict[int, Decision] = {}
    for player in dict.fromkeys(players):
        some = [at for at, one in enumerate(players) if one is player]
        alone = [Turn(turns[at].line, turns[at].side, turns[at].seed, NEW) for at in some]
        found |= zip(some, player.decide(alone), strict=True)
    return [Decision(found[at].action, turn.mind, found[at].value) for at, turn in enumerate(turns)]
