import numpy as np
import pytest

from evenmatch.games import GAMES
from evenmatch.search import UniformEvaluator
from evenmatch.workshop.training.presets import PRESETS, get_preset
from evenmatch.workshop.training.replay_buffer import Batches, Replay
from evenmatch.workshop.training.self_play import SelfPlay

TINY = {game: PRESETS["tiny"][game] for game in GAMES}


def play(game, seed=0, **changes):
    from dataclasses import replace

    self_play = SelfPlay(game, replace(TINY[game.id], **changes), seed)
    return self_play, self_play.play(UniformEvaluator(game))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_samples_are_consistent(game):
    _, samples = play(game)
    assert len(samples.states) >= TINY[game.id].positions
    legal = game.legal_mask(samples.states)
    assert (legal.sum(1) >= 2).all(), "a position without a choice was recorded"
    assert (samples.policies[~legal] == 0).all()
    np.testing.assert_allclose(samples.policies.sum(1, dtype=np.float64), 1, atol=5e-3)  # float16
    assert np.isin(samples.outcomes, (-1, 0, 1)).all()
    assert (abs(samples.searched) <= 1).all()


def test_outcomes_are_for_the_side_to_move():
    """In Connect Four the last recorded side to move mostly wins or meets a forced end."""
    game = GAMES["connect4"]
    _, samples = play(game, positions=400)
    children, parents, _ = _children(game, samples.states)
    ended, values = game.outcome(children)
    wins = np.zeros(len(samples.states), bool)
    wins[parents[ended & (values == -1)]] = True  # a child where the other side has lost
    # a search with 8 simulations over 4 considered actions sees most wins in one, and the
    # recorded outcome of a position won in one must then be a win far more often than not
    assert samples.outcomes[wins].mean() > 0.3


def _children(game, states):
    from evenmatch.games import expand

    return expand(game, states)


def test_plain_root_counts_visits():
    _, samples = play(GAMES["connect4"], considered=0, opening_plies=4, tau=2.0)
    visits = samples.policies.astype(np.float64) * TINY["connect4"].simulations
    np.testing.assert_allclose(visits, visits.round(), atol=0.01)  # float16


def test_state_dict_loses_nothing():
    game = GAMES["othello6"]
    one, _ = play(game, seed=3)
    other = SelfPlay(game, TINY[game.id], seed=99)
    other.load_state_dict(one.state_dict())
    for a, b in zip(
        one.play(UniformEvaluator(game)), other.play(UniformEvaluator(game)), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_random_starts_are_never_decided():
    game = GAMES["connect4"]
    self_play = SelfPlay(game, TINY["connect4"], seed=1)
    assert not game.outcome(self_play._states)[0].any()


def test_replay_keeps_the_newest(tmp_path):
    game = GAMES["connect4"]
    _, samples = play(game)
    size = len(samples.states)
    replay = Replay(game, tmp_path, window=2 * size, share=1.0)
    for iteration in range(4):
        replay.append(iteration, samples)
    assert replay.total == 4 * size
    assert len(replay) == 2 * size
    again = Replay(game, tmp_path, window=2 * size, share=1.0)
    again.load(3)  # iteration 3 was not over when the run was killed
    assert again.total == 3 * size
    assert len(list(tmp_path.glob("*.npz"))) == 3


def test_batches_are_symmetric_positions():
    """Planes and policies turn together: legal actions get all the policy's weight."""
    game = GAMES["othello"]
    _, samples = play(game)
    planes, policies, values = Batches(game, samples, search_value=0.5, seed=1).draw(256)
    placements = planes[:, 2].reshape(256, -1)  # the plane of own placements
    assert (policies[:, :64][placements == 0] == 0).all()
    np.testing.assert_allclose(policies.sum(1), 1, rtol=1e-5)
    assert (abs(values) <= 1).all()


def test_unknown_preset():
    from evenmatch.errors import UsageError

    with pytest.raises(UsageError, match="choose one of: paper, fast, early, tiny"):
        get_preset("slow", "connect4")
