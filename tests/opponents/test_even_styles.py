from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from some_turns import drawn, player_of

from evenmatch.errors import SpecError, StateError, UsageError
from evenmatch.games import GAMES
from evenmatch.games.line import Line
from evenmatch.network.artifact import shipped_path
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.opponents import Engine, Mind, Turn, resolve
from evenmatch.opponents.controller import NEW, Reply, Root, View, check_controller
from evenmatch.opponents.even import SEEN, EvenByStyles, EvenConfig, likelihoods, tilted
from evenmatch.opponents.even_row import start_worths, starts_of
from evenmatch.opponents.fitted import ANSWERS, EVEN_ELO, STARTS
from evenmatch.ratings.belief import Belief
from evenmatch.search import Plan
from evenmatch.search.styles import STRONGEST, STYLES, between, softmax

ANSWERED = ANSWERS["connect4"]
WORTHS_AT_FIRST = tuple(np.linspace(0.1, 0.5, len(STYLES)))
WORTHS = st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=20)


def even(answers=ANSWERED, starts=WORTHS_AT_FIRST, elo=(), **numbers):
    return EvenByStyles(EvenConfig(**numbers), answers, Plan(simulations=10), starts, elo)


def always(style, **numbers):
    """One that answers every level by one style, and takes the start for even."""
    return even((style,) * len(SEEN), (0.0,) * len(STYLES), **numbers)


def test_controller_conforms():
    check_controller(even)


@pytest.mark.parametrize("level", [0, 4, len(SEEN) - 1])
def test_the_level_is_found(level):
    """Three hundred moves drawn as the level would; the estimate is within 1.5 levels (5 seeds)."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        belief = Belief(np.arange(len(SEEN)))
        for _ in range(300):
            logits = rng.normal(scale=3, size=8)
            logits[rng.random(8) < 0.2] = -np.inf
            logits[0] = 0
            chances = softmax(logits / SEEN[level])
            reply = Reply(logits.astype(np.float32), int(rng.choice(8, p=chances)))
            belief.update(likelihoods(reply, 0.02))
        assert belief.mean == pytest.approx(level, abs=1.5)


def test_a_game_that_goes_on_keeps_what_another_game_taught():
    """Its state is what its own moves said, not what was known when it was left."""
    reply = Reply(np.array([3.0, 0.0, -2.0], np.float32), 0)
    player = even()
    left = player.observe(View(0, 1, np.empty(0, np.float32), reply), NEW)
    taught = player.learn(NEW, None) | {"logs": [-float(i) for i in range(len(SEEN))]}
    direct = player.observe(View(0, 1, np.empty(0, np.float32), reply), Mind(taught))
    assert Mind(taught, left.game) == direct
    assert player.learn(direct, None) != player.learn(left, None)


def test_styles_between_styles():
    assert between(0).temperature == pytest.approx(STYLES[0].temperature)
    assert between(STRONGEST).search == 1
    middle = between(2.5)
    low, high = STYLES[2], STYLES[3]
    assert middle.temperature == pytest.approx((low.temperature * high.temperature) ** 0.5)
    assert middle.playouts == pytest.approx((low.playouts + high.playouts) / 2)


def test_the_style_answers_the_levels_seen():
    logs = np.log(np.array([0.25] + [1e-30] * 8 + [0.75]))
    memory = {"games": 1, "lift": 0.5, "logs": (logs - logs.max()).tolist()}
    answer = 0.25 * ANSWERED[0] + 0.75 * ANSWERED[-1]
    assert even().style(Mind(memory)) == pytest.approx(min(answer + 0.5, STRONGEST))


@pytest.mark.parametrize("style", [1, STRONGEST])
def test_weak_styles_give_an_advantage_back_and_the_strongest_keeps_it(style):
    """From values around +0.4 where even is 0: towards even, or not."""
    player, values = always(style, limit=2), np.array([0.9, 0.6, 0.1, 0.0])
    chosen = [values[drawn(player, root(values), seed)] for seed in range(400)]
    stated = between(style).give * 0.0 + (1 - between(style).give) * values.mean()
    # 400 draws of spread at most 0.45: five standard errors, false alarm below 1e-6
    assert np.mean(chosen) == pytest.approx(stated, abs=0.11)


@given(WORTHS, st.floats(-1.5, 1.5), st.integers(0, 2**32 - 1))
def test_tilted_policies_have_the_worth_asked_for(worths, target, seed):
    """Or, where no tilt reaches it, that of nearly the best or worst move."""
    worth = np.array(worths)
    pi = np.random.default_rng(seed).dirichlet(np.ones(len(worths)))
    out = tilted(pi, worth, target)
    assert out.sum() == pytest.approx(1)
    if worth.min() + 0.2 < target < worth.max() - 0.2:
        assert out @ worth == pytest.approx(target, abs=0.02)
    elif target >= worth.max():
        assert out @ worth >= pi @ worth - 1e-9
    elif target <= worth.min():
        assert out @ worth <= pi @ worth + 1e-9
    assert (out[pi == 0] == 0).all()


def test_nothing_is_tilted_where_the_worth_is_right():
    pi, worth = np.array([0.2, 0.5, 0.3]), np.array([0.5, -0.2, 0.1])
    assert tilted(pi, worth, float(pi @ worth)) == pytest.approx(pi, abs=1e-6)


def root(worths, **fields):
    n = len(worths)
    second = Root(np.ones(n), np.array(worths), np.full(n, 1 / n), np.ones(n, bool), 0.0, 0)
    return Root(
        np.ones(n, int), np.array(worths), np.full(n, 1 / n), np.ones(n, bool), 0.0, 0, second
    )


def test_full_strength_plays_its_search_within_the_limit():
    alone = replace(root([0.9, 0.5, 0.3, -0.9]), second=None)
    assert {drawn(always(STRONGEST, limit=0.5), alone, seed) for seed in range(50)} <= {0, 1}


def test_no_move_gives_up_more_than_the_limit():
    player = even(limit=0.5, pull=0.0)
    assert {drawn(player, root([0.9, 0.5, 0.3, -0.9]), seed) for seed in range(50)} <= {0, 1}


def test_losing_lifts_the_style_and_winning_lowers_it():
    player, memory = even(), {}
    for result, lift in ((-1, 2.0), (1, 0.2), (0, 0.2), (None, 0.2)):
        memory = player.learn(Mind(memory), result)
        assert memory["lift"] == pytest.approx(lift)
    assert memory["games"] == 3


def test_it_reports_the_elo_of_its_mean_style():
    elo = tuple(1000.0 + 100 * style for style in range(len(STYLES)))
    player, view = even(elo=elo), View(0, 1, np.empty(0, np.float32))
    assert player.played_at(NEW) is None
    styles, mind = [], NEW
    for lift in (0.0, 2.0):
        memory = player.learn(NEW, None) | {"lift": lift}
        mind = Mind(memory, mind.game)
        styles.append(player.style(mind))
        mind = player.choose(root([0.1, 0.2]), view, mind, np.random.default_rng(0))[1]
        assert player.played_at(mind) == pytest.approx(1000 + 100 * np.mean(styles))
    assert even().played_at(mind) is None, "it was not measured"


@pytest.mark.parametrize("game_id", EVEN_ELO)
def test_its_elo_is_known_of_the_usual_player_alone(game_id):
    game, elo = GAMES[game_id], EVEN_ELO[game_id].elo
    assert (np.diff(elo) > 0).all()
    assert len(elo) == len(STYLES)
    for spec, found in (("even", elo), ("even:limit=0.5", ()), ("even:sims=4", ())):
        assert player_of(spec, game).controller.elo == found


def test_it_plays_and_learns_by_styles():
    game = GAMES["connect4"]
    engine, opponent, line = Engine(game), resolve("even:sims=2,looks=1", game), Line(game)
    line.push(3)
    (found,) = engine.think([(opponent, Turn(line, -1, seed=1))])
    memory = engine.learn(opponent, found.mind, -1.0)
    assert (memory["lift"], memory["games"]) == (2.0, 1)
    engine.player(opponent).check(Mind(memory))
    with pytest.raises(StateError, match="another opponent"):
        engine.player(opponent).check(Mind({"z": 0.0, "games": 1}))


@pytest.mark.parametrize("game_id", [game_id for game_id in STARTS if game_id[:2] != "go"])
def test_what_the_start_is_worth_is_known(game_id, monkeypatch):
    """Found again in float32, as they were found; processors round differently.

    Those of Go take several times as long as all others together.
    """

    def exact(game, net):
        return NetworkEvaluator(shipped_path(game.id, game.family), game, precision="f32")

    monkeypatch.setattr("evenmatch.opponents.even_row.load_evaluator", exact)
    assert STARTS.keys() == ANSWERS.keys()
    assert starts_of(GAMES[game_id], None) == STARTS[game_id].worths
    assert start_worths(GAMES[game_id]) == pytest.approx(STARTS[game_id].worths, abs=0.02)


def test_the_start_is_worth_more_to_the_stronger():
    """Connect Four is won by the first player: the better both play, the more it is worth."""
    worths = STARTS["connect4"].worths
    assert len(worths) == len(STYLES)
    assert 0 < worths[0] < 0.3  # about 0.11 between random players
    assert worths[-1] > worths[0]


@pytest.mark.parametrize(
    ("spec", "game_id", "looks"),
    [("even", "go9", 3), ("even:looks=7", "go9", 7), ("even", "othello", EvenConfig().looks)],
)
def test_large_boards_get_fewer_looks(spec, game_id, looks):
    assert player_of(spec, GAMES[game_id]).controller.config == replace(EvenConfig(), looks=looks)


@pytest.mark.parametrize(
    "wrong", [{"limit": -1}, {"pull": 1.5}, {"looks": 0}, {"lift": float("nan")}]
)
def test_bad_numbers(wrong):
    with pytest.raises(UsageError, match="outside"):
        EvenConfig(**wrong)


@pytest.mark.parametrize("wrong", ["1/2", "0/0/0/0/0/0/0/0/0/8", "a/0/0/0/0/0/0/0/0/0"])
def test_bad_answers(wrong):
    with pytest.raises(SpecError, match="10 numbers from 0 to 7"):
        player_of(f"even:answers={wrong}", GAMES["connect4"])
