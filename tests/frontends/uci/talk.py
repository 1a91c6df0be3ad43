"""A conversation with an engine, and what it said."""

import chess
import chess.engine

from evenmatch.frontends.uci.engine import Engine

MATE = "position startpos moves f2f3 e7e5 g2g4 d8h4"


class Talk:
    """An engine, and what it said."""

    def __init__(self, weights):
        self.said = []
        self.engine = Engine(self.said.append)
        self.hear(f"setoption name WeightsFile value {weights}", "setoption name Seed value 1")

    def hear(self, *lines):
        return [self.engine.handle(line) for line in lines]

    def best(self):
        """The moves told since the last time this was asked, as words."""
        told = [line.split() for line in self.said if line.startswith("bestmove")]
        self.said.clear()
        return told

    def answer(self, *lines):
        """Say lines, wait for the search to end, return the one move told."""
        self.hear(*lines)
        self.engine.close()
        (told,) = self.best()
        return told[1]

    def rated(self, method):
        """Let a method play at a rating."""
        self.hear(f"setoption name Method value {method}")
        self.hear("setoption name UCI_LimitStrength value true")

    def told(self, word):
        """What came after a word of the last ``info depth``, a number."""
        last = [line.split() for line in self.said if line.startswith("info depth")][-1]
        return int(last[last.index(word) + 1])


def is_legal(word, moves=(), fen=chess.STARTING_FEN):
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)
    return chess.Move.from_uci(word) in board.legal_moves
