"""What moves gave up, and what people play, against a network that says what a test wants."""

import numpy as np
import pytest

from evenmatch.estimation.review import (
    Choice,
    chances,
    confirmed,
    full_strength,
    largest_losses,
    lost_by,
)
from evenmatch.games import get_game
from evenmatch.network.conditions import RatingCondition
from evenmatch.search import Evaluation, UniformEvaluator

GAME = get_game("connect4")


class Told:
    """A network that tells these values of positions, for the side to move, and one policy."""

    game = GAME

    def __init__(self, values=(), logits=()):
        self.values, self.logits = np.array(values, np.float32), np.array(logits, np.float32)

    def evaluate(self, states):
        return Evaluation(None, self.values[: len(states)].copy())

    def evaluate_policies(self, states, asked):
        self.asked = asked
        return np.tile(self.logits, (len(asked), len(states), 1)), self.values


def line(actions):
    states = [GAME.initial()[0]]
    for action in actions:
        states.append(GAME.after(states[-1][None], [action])[0])
    return np.array(states)


def test_chances_are_the_persons_whoever_is_to_move():
    states = line([3, 2, 3])
    told = Told([0.5, -0.5, 0.0, 1.0])  # for who is to move: first, second, first, second
    assert chances(told, GAME, states, 1).tolist() == [0.75, 0.75, 0.5, 0.0]
    assert chances(told, GAME, states, -1).tolist() == [0.25, 0.25, 0.5, 1.0]


def test_the_end_counts_as_it_is():
    states = line([3, 2, 3, 2, 3, 2, 3])
    told = Told([0.0] * 8)
    assert chances(told, GAME, states, 1)[-1] == 1
    assert chances(told, GAME, states, -1)[-1] == 0


def test_own_moves_alone_give_up():
    states = line([3, 2, 3])
    lost = lost_by(np.array([0.7, 0.5, 0.6, 0.6]), GAME, states, 1)
    assert lost[[0, 2]] == pytest.approx([0.2, 0.0])
    assert np.isnan(lost[1])


def test_the_largest_losses_with_what_people_play():
    actions = np.array([3, 2, 3, 2, 0])
    states, logits = line(actions), np.log([0.05, 0.05, 0.1, 0.6, 0.1, 0.05, 0.05])
    lost = np.array([0.1, np.nan, -0.2, np.nan, 0.3])
    told = Told(logits=logits)
    first, second = largest_losses(told, states, actions, lost, RatingCondition(1500, 0))
    assert (first.ply, first.move, first.lost) == (4, "1", 0.3)
    assert first.played == pytest.approx(0.05, abs=1e-6)
    assert first.likely[0] == Choice("4", pytest.approx(0.6, abs=1e-6))
    assert [choice.move for choice in first.likely] == ["4", "3", "5"]
    assert (second.ply, second.move) == (0, "4")
    assert [choice.move for choice in second.likely] == ["3", "5", "1"], "not the move itself"
    assert told.asked == [RatingCondition(1500, 0)]


def test_illegal_moves_are_not_told():
    actions = np.array([3] * 6 + [0])
    states, logits = line(actions), np.log([0.05, 0.05, 0.1, 0.6, 0.1, 0.05, 0.05])
    lost = np.array([np.nan] * 6 + [0.1])
    (found,) = largest_losses(Told(logits=logits), states, actions, lost, RatingCondition(1500, 0))
    assert found.likely[0] == Choice("3", pytest.approx(0.25, abs=1e-6))


def test_without_people_nothing_is_told_of_them():
    actions = np.array([3])
    (found,) = largest_losses(Told(), line(actions), actions, np.array([0.1]), None)
    assert np.isnan(found.played)
    assert found.likely == ()


def test_nothing_lost():
    actions = np.array([3, 2])
    assert largest_losses(Told(), line(actions), actions, np.array([0.0, np.nan]), None) == []


@pytest.mark.parametrize(("lost", "shown"), [(0.0499, 0), (0.05, 1), (1e-9, 0)])
def test_what_loses_less_than_five_points_is_no_mistake(lost, shown):
    actions = np.array([3])
    found = largest_losses(Told(), line(actions), actions, np.array([lost]), None)
    assert len(found) == shown
    assert all(round(100 * one.lost) >= 5 for one in found)


def test_a_forced_move_gives_up_nothing():
    """Where there is no choice, nobody is to blame."""
    game = get_game("othello6")
    states, rng = [game.initial()[0]], np.random.default_rng(1)
    while not game.outcome(states[-1][None])[0][0]:
        legal = np.flatnonzero(game.legal_mask(states[-1][None])[0])
        states.append(game.after(states[-1][None], rng.choice(legal, 1))[0])
    states = np.array(states)
    chance = np.linspace(1, 0, len(states))
    lost = lost_by(chance, game, states, 1)
    own = game.to_play(states[:-1]) == 1
    choices = game.legal_mask(states[:-1]).sum(1)
    assert (choices[own] == 1).any()
    assert (np.isnan(lost) == ~(own & (choices > 1))).all()


# -- confirmed by a search -------------------------------------------------------------------------


def suspected(actions, *plies):
    """What a look says of a line: that some moves lose much."""
    states, lost = line(actions), np.full(len(actions), np.nan)
    lost[::2] = 0.0
    lost[list(plies)] = 0.6
    return states, np.array(actions), lost


def sure(actions, *plies, evaluator=None, simulations=400):
    states, actions, lost = suspected(actions, *plies)
    evaluator = evaluator or UniformEvaluator(GAME)
    return confirmed(evaluator, GAME, states, actions, lost, full_strength(simulations, True))


def test_a_blunder_is_confirmed():
    """Red lets Yellow have the fourth in a column, which 400 simulations see."""
    found = sure([3, 0, 3, 0, 6, 0, 6, 0], 6)
    assert found == {6: pytest.approx(0.5, abs=0.5)}
    assert found[6] > 0.2


def test_what_the_search_would_play_itself_is_no_mistake():
    """The look may say what it will: the move wins at once, or stops the other side's fourth."""
    assert sure([3, 0, 3, 0, 3, 0, 3], 6) == {}
    assert sure([6, 0, 6, 0, 3, 0, 0], 6) == {}


def test_moves_of_a_game_that_was_lost_anyway_lose_nothing():
    """Yellow has two ways to a fourth: no move of Red gives up more than another."""
    open_three = [6, 2, 6, 3, 0, 4, 5]
    assert sure(open_three, 6) == {}


def test_no_more_moves_are_searched_than_may_take_long(monkeypatch):
    asked = []

    class Counted(UniformEvaluator):
        def evaluate(self, states, *args):
            asked.append(len(states))
            return super().evaluate(states, *args)

    actions = [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0]
    sure(actions, *range(0, 22, 2), evaluator=Counted(GAME), simulations=10)
    assert 0 < sum(asked) <= 6 * 3 * 11, "six candidates, each searched three times"


def test_the_usual_first_move_is_no_mistake():
    """A search that likes another one still better does not matter."""

    class Wants(UniformEvaluator):
        """Says that the first player wins by a disc on the left, and that the middle is usual."""

        usual = 1.0

        def evaluate(self, states, *args):
            logits = np.zeros((len(states), GAME.num_actions), np.float32)
            logits[:, 3] = self.usual
            boards = GAME.board(states)
            left = (boards[:, -1, 0] == 1).astype(np.float32) * GAME.to_play(states)
            return Evaluation(logits, left)

    wants = Wants(GAME)
    assert sure([3, 2, 3], 0, evaluator=wants) == {}
    assert 2 in sure([3, 2, 3], 2, evaluator=wants), "not the first"
    wants.usual = -9.0
    assert 0 in sure([3, 2, 3], 0, evaluator=wants), "not usual"


def test_nothing_suspected_is_not_searched():
    assert sure([3, 2, 3], evaluator=None) == {}
