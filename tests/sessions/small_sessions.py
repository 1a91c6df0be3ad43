"""Sessions at small games, and moves in them."""

import numpy as np

from evenmatch.games import GAMES
from evenmatch.players import Player
from evenmatch.sessions.session import Session


def play(session, moves):
    for text in moves.split():
        session.push(session.game.read_action(session.state, text))


def start(game="connect4", side=1, opponent="random"):
    return Session(GAMES[game], opponent, side, 1)


class Watched(Player):
    """A player that notes which actions it is told were their mover's own, and the result."""

    def __init__(self, reply=0):
        self.reply, self.own, self.results = reply, [], []

    def begin(self, games, sides, seed):
        pass

    def choose(self, turns):
        self.own = turns.own[0].tolist()
        return np.array([self.reply])

    def finish(self, game, result):
        self.results.append(result)


def chess_at(fen, opponent="human:elo=1500", **how):
    return Session(GAMES["chess"], opponent, 1, 3, start=fen, **how)


def go9(moves, side=1, **how):
    session = Session(GAMES["go9"], "random", side, 1, **how)
    play(session, moves)
    return session
