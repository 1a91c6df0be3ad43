"""Estimates of many players at once: which moves of whom are judged."""

from dataclasses import replace

import numpy as np

from evenmatch.estimation import MoveFeatures, PlayerGame
from evenmatch.estimation.move_features import STRENGTH
from evenmatch.estimation.running import RunningEstimates
from evenmatch.estimation.strength_estimator import Method
from evenmatch.records.record import GameRecord, Speed


class Scorer:
    """Says nothing of moves, and keeps in mind which it was asked for."""

    def __init__(self):
        self.asked: list[list[int]] = []

    def on_each_scale(self, games, every=()):
        self.asked.append(list(every))
        moves = MoveFeatures({STRENGTH: np.zeros((len(games), 2))}, np.ones(len(games), np.int64))
        return [moves]


class Silent(Method):
    """Says nothing of games."""

    def evidence(self, moves):
        return np.zeros((len(moves.counts), 1))

    def decide(self, evidence, one_player=False):
        raise NotImplementedError


def game(white: str, black: str, side: int = 1) -> PlayerGame:
    record = GameRecord(
        game="chess", moves=np.zeros(4, np.uint16), result=0, players=(white, black)
    )
    return PlayerGame(record, side)


def test_every_second_move_of_somebodys_later_games_is_judged():
    scorer = Scorer()
    running = RunningEstimates(scorer, [Silent()], judged_whole=2)
    running.add([game("Ann", "Bob"), game("Ann", "Bob", -1), game(" ANN ", "Cid")])
    running.add([game("Cid", "Ann", -1), game("Bob", "Ann"), game("Bob", "Ann")])
    assert scorer.asked == [[1, 1, 1], [2, 1, 2]]
    assert {name: tally.games for name, tally in running.tallies.items()} == {"Ann": 3, "Bob": 3}


def test_methods_hear_how_fast_games_were():
    heard = []

    class Hearing(Silent):
        def at_speeds(self, evidence, speeds):
            heard.append(list(speeds))
            return evidence + 1

    blitz, unknown = game("Ann", "Bob"), game("Ann", "Bob", -1)
    blitz = blitz._replace(record=replace(blitz.record, speed=Speed.blitz))
    running = RunningEstimates(Scorer(), [Hearing()])
    running.add([blitz, unknown])
    assert heard == [[Speed.blitz, Speed.unknown]]
    assert running.tallies["Ann"].evidence[0].tolist() == [1]


def test_all_moves_are_judged_where_games_have_no_such_limit():
    scorer = Scorer()
    RunningEstimates(scorer, [Silent()]).add([game("Ann", "Bob")] * 9)
    assert scorer.asked == [[1] * 9]
