"""Estimates of many players at once, and of phases of games."""

from dataclasses import replace

import numpy as np

from evenmatch.estimation import MoveFeatures, PlayerGame
from evenmatch.estimation.move_features import STRENGTH
from evenmatch.estimation.running import PhasesScorer, RunningEstimates, phases_of, says_something
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


COUNTS = np.array([7, 1, 0, 4])


def moves() -> MoveFeatures:
    """Four games whose moves are numbered from 0 on."""
    return MoveFeatures({STRENGTH: np.arange(12.0)[:, None].astype(np.float32)}, COUNTS)


def test_each_move_is_of_one_phase():
    """By hand: phases begin with the third and the sixth own move."""
    opening, middle, ending = phases_of(moves(), (2, 5))
    assert opening.columns[STRENGTH][:, 0].tolist() == [0, 1, 7, 8, 9]
    assert middle.columns[STRENGTH][:, 0].tolist() == [2, 3, 4, 10, 11]
    assert ending.columns[STRENGTH][:, 0].tolist() == [5, 6]
    assert [x.counts.tolist() for x in (opening, middle, ending)] == [
        [2, 1, 0, 2], [3, 0, 0, 2], [2, 0, 0, 0],
    ]  # fmt: skip


def test_moves_know_their_places_in_the_whole_game():
    _, middle, ending = phases_of(moves(), (2, 5))
    assert middle.places.tolist() == [2, 3, 4, 2, 3]
    assert middle.left.tolist() == [5, 4, 3, 2, 1]
    assert ending.places.tolist() == [5, 6]
    again = phases_of(middle, (3, 4))
    assert again[0].places.tolist() == [2, 2], "also where some are left out already"


def test_a_scorer_tells_whole_games_in_front():
    class Scorer:
        def on_each_scale(self, games, every=()):
            assert (games, every) == (["a game"], [1])
            return [moves()]

    told = PhasesScorer(Scorer(), (2, 5)).on_each_scale(["a game"], [1])
    assert [x.moves for x in told] == [12, 5, 5, 2]


def test_an_interval_as_wide_as_before_any_moves_says_nothing():
    """By hand: of 100 ratings from 1000 to 1990 the interval before is 950 wide."""
    grid = np.arange(1000.0, 2000, 10)
    assert says_something((1200, 1900), grid)
    assert not says_something((1200, 1920), grid)
