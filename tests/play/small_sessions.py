"""Sessions at small games, and moves in them."""

from evenmatch.games import GAMES
from evenmatch.play.session import Session


def play(session, moves):
    for text in moves.split():
        session.push(session.game.read_action(session.state, text))


def start(game="connect4", side=1, opponent="random"):
    return Session(GAMES[game], opponent, side, 1)


def chess_at(fen, opponent="human:elo=1500", **how):
    return Session(GAMES["chess"], opponent, 1, 3, start=fen, **how)


def go9(moves, side=1, **how):
    session = Session(GAMES["go9"], "random", side, 1, **how)
    play(session, moves)
    return session
