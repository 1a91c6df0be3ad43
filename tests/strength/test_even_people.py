"""``even`` where people's moves are known: what it believes, and how far it leans."""

from dataclasses import replace

import numpy as np
import pytest

from evenmatch.errors import StateError, UsageError
from evenmatch.games import get_game
from evenmatch.players import make_player
from evenmatch.players.even import by_people
from evenmatch.search import Plan
from evenmatch.strength.controller import Reply, Root, View, check_controller
from evenmatch.strength.even_people import EvenPeople, EvenPeopleConfig, Tuned, leaning
from evenmatch.strength.levels import LEVELS
from evenmatch.strength.regularized import corrected

GRID = np.arange(800.0, 2401.0, 100)
ASKED = (800.0, 1600.0, 2400.0)
ROOT = Root(
    visits=np.array([10, 30, 20, 2]),
    means=np.array([0.8, 0.6, 0.2, -0.9]),
    priors=np.array([0.3, 0.46, 0.2, 0.04], np.float32),
    legal=np.ones(4, bool),
    value=0.6,
    best=1,
)


def at(rating: float) -> Tuned:
    return Tuned(1.0, 1.0, Plan(simulations=8, rating=rating))


def even(reach=None, **numbers) -> EvenPeople:
    return EvenPeople(EvenPeopleConfig(first=1600, **numbers), at, GRID, ASKED, reach=reach)


def view(ply: int = 10, reply: Reply | None = None) -> View:
    return View(ply, 1, np.zeros(0, np.float32), reply)


def reply(action: int) -> Reply:
    """Weak people play move 0, strong ones move 1, those between either; move 2 is not legal."""
    rows = np.log(np.array([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]))
    logits = np.hstack([rows, np.full((3, 1), -np.inf)]).astype(np.float32)
    return Reply(logits[1], action, logits)


def test_seam():
    check_controller(even)


def test_a_stranger_has_the_first_rating():
    player = even(unsure=200)
    assert player.rating == 1600
    assert player.belief.interval()[0] == pytest.approx(1600 - 1.96 * 200, abs=30)
    assert player.plan(view()).rating == 1600


def test_moves_tell_the_rating():
    """By hand: the share of the log-likelihood, interpolated between the ratings asked for."""
    player = even(weight=0.5, slip=0.0, unsure=300)
    player.plan(view(reply=reply(1)))
    chances = np.interp(GRID, ASKED, np.log([0.1, 0.5, 0.9]))
    logs = -((GRID - 1600) ** 2) / (2 * 300**2) + 0.5 * chances
    weights = np.exp(logs)
    assert player.belief.mean == pytest.approx(weights @ GRID / weights.sum())
    assert player.rating > 1600


def test_a_move_that_nobody_makes_says_little():
    player = even(slip=0.1)
    none = replace(reply(0), by_rating=np.log(np.array([[1e-9, 1], [1e-12, 1], [1e-15, 1]])))
    player.plan(view(reply=none))
    assert player.belief.mean == pytest.approx(1600, abs=5)


def test_it_follows_many_moves():
    player = even()
    for _ in range(40):
        player.plan(view(reply=reply(0)))
    assert player.rating < 1000


def test_an_open_game_is_left_alone():
    player = even(slack=0.9)
    player.plan(view(0))
    rng = np.random.default_rng(1)
    drawn = np.bincount([player.choose(ROOT, rng) for _ in range(5_000)], minlength=4) / 5_000
    assert drawn == pytest.approx(corrected(ROOT, 1.0, 1.0), abs=4 * 0.007)


def test_a_lead_is_given_back_by_common_moves():
    """Move 3 would give most back, but only one in 25 such people plays it."""
    player = even(slack=0.0, lean=1.0)
    player.plan(view(0))
    rng = np.random.default_rng(1)
    drawn = np.bincount([player.choose(ROOT, rng) for _ in range(5_000)], minlength=4) / 5_000
    usual = corrected(ROOT, 1.0, 1.0)
    assert drawn[2] > usual[2] + 0.1
    assert drawn[0] < usual[0]
    assert drawn[3] == pytest.approx(usual[3], abs=4 * 0.003)


def test_late_in_a_game_it_does_not_lean():
    player = even(slack=0.0, lean=0.5, horizon=80)
    shares = []
    for ply in (0, 40, 80, 200):
        player.plan(view(ply))
        shares.append(player.lean)
    assert shares == [0.5, 0.25, 0.0, 0.0]


def test_leaning_by_hand():
    pi, worth = np.array([0.5, 0.3, 0.2]), np.array([1.0, 0.0, -1.0])
    common = np.array([True, True, False])
    found = leaning(pi, worth, common, 0.2)
    assert found.sum() == pytest.approx(1)
    assert found[2] == 0.2
    assert found @ worth == pytest.approx(pi @ worth - 0.2)
    assert leaning(pi, worth, common, 0.0) is pi
    assert leaning(pi, worth, np.array([True, False, False]), 0.2) is pi
    most = leaning(pi, worth, common, 5.0)
    assert most == pytest.approx([0, 0.8, 0.2], abs=1e-9), "no further than to the worst of them"


@pytest.mark.parametrize(("means", "sign"), [([0.5] * 4, -1), ([-0.5] * 4, 1), ([0.0] * 4, 0)])
def test_it_plays_below_its_belief_when_it_has_won(means, sign):
    player = even(push=400)
    assert player.plan(view(0)).rating == 1600
    player.choose(replace(ROOT, means=np.array(means)), np.random.default_rng(1))
    assert player.plan(view(2)).rating == 1600 + sign * 200
    assert player.rating == pytest.approx(1600), "what it believes is another matter"


def test_it_is_pushed_no_further_than_the_ratings_it_knows():
    player = even(push=4000)
    player.choose(replace(ROOT, means=np.full(4, 0.9)), np.random.default_rng(1))
    assert player.plan(view(2)).rating == GRID[0]


@pytest.mark.parametrize(("mean", "sign"), [(0.5, -1), (-0.5, 1)])
def test_a_game_that_stays_won_or_lost_steers_on(mean, sign):
    player, still = even(steer=40), replace(ROOT, means=np.full(4, mean))
    for move in range(1, 4):
        player.choose(still, np.random.default_rng(1))
        assert player.plan(view(2 * move)).rating == 1600 + sign * 20 * move
    other = even(steer=40)
    other.restore(player.snapshot())
    assert other.playing == player.playing
    player.finish(None)
    assert player.playing == 1600, "a new game"


def test_what_cannot_be_played_is_not_steered_to():
    """It stops where the ratings end, and comes back at once when the game turns."""
    player = even(steer=2000, reach=(700.0, GRID[-1]))
    for _ in range(9):
        player.choose(replace(ROOT, means=np.full(4, 0.9)), np.random.default_rng(1))
    assert player.playing == 700
    player.choose(replace(ROOT, means=np.full(4, -0.9)), np.random.default_rng(1))
    assert player.playing == 1600


def test_it_steers_no_further_than_chess_is_played_at():
    """The numbers of players end at 700 and 2500, though the network knows ratings beyond."""
    player = make_player("even", get_game("chess")).make_controller()
    low, high = min(LEVELS["chess"].pikl), max(LEVELS["chess"].pikl)
    for mean, end in ((0.9, low), (-0.9, high)):
        for _ in range(100):
            player.choose(replace(ROOT, means=np.full(4, mean)), np.random.default_rng(1))
        assert player.playing == end
        first = player.snapshot()["steered"]
        player.choose(replace(ROOT, means=np.full(4, mean)), np.random.default_rng(1))
        assert player.snapshot()["steered"] == first, "what cannot be played is not added up"


def test_a_result_counts_against_what_it_played_at():
    """Who draws with somebody who played 200 below their belief is that much weaker."""
    pushed, usual = even(push=400), even()
    for player in (pushed, usual):
        for _ in range(2):
            player.choose(replace(ROOT, means=np.full(4, 0.5)), np.random.default_rng(1))
        player.finish(0.0)
    assert pushed.rating < usual.rating == pytest.approx(1600)


def test_a_game_that_goes_on_stands_as_it_stood():
    player, other = even(push=400), even(push=400)
    player.choose(ROOT, np.random.default_rng(1))
    other.restore(player.snapshot())
    assert other.playing == player.playing != 1600
    other.restore({key: x for key, x in player.snapshot().items() if key.startswith("said")})
    assert other.playing == 1600, "games kept before this was known go on, too"
    with pytest.raises(StateError, match="worth=3"):
        other.restore(player.snapshot() | {"worth": 3})


def test_results_tell_the_rating():
    won, lost, unfinished = even(), even(), even()
    won.finish(1.0)
    lost.finish(-1.0)
    unfinished.finish(None)
    assert won.rating < 1600 < lost.rating
    assert unfinished.rating == 1600
    assert (won.games, unfinished.games) == (1, 0)
    ranks = even(elo=False)
    ranks.finish(1.0)
    assert ranks.rating == 1600


def test_a_state_of_another_kind_is_refused():
    with pytest.raises(StateError, match="not of 'even-people'"):
        even().recall({"kind": "inter", "version": 2})


def test_what_even_kept_of_styles_is_no_memory():
    """As `even` kept it at Go before it knew people's moves."""
    player = even()
    player.recall({"kind": "even", "version": 2, "lift": 0.5, "games": 3, "level0": -1.0})
    player.restore({f"said{i}": -1.0 for i in range(10)})
    assert player.rating == 1600
    with pytest.raises(StateError, match="has no number 'said0'"):
        player.restore({})


@pytest.mark.parametrize(
    ("game", "spec", "message"),
    [
        ("chess", "even:limit=1", "limit is not for chess; leave it out"),
        ("othello", "even:lean=1", "lean is not for othello; leave it out"),
        ("go9", "even:elo=1500", "elo is not for go9; leave it out"),
        ("go9", "even:by=people,looks=3", "looks is not for by=people; leave it out"),
        ("go9", "even:by=styles,push=3", "push is not for by=styles; leave it out"),
        ("chess", "even:by=styles", "even knows no styles of chess; leave out by=styles"),
        ("othello", "even:by=people", "even knows no people of othello; leave out by=people"),
        ("chess", "even:rank=5k", "rank is not for chess"),
        ("chess", "even:elo=90", "elo=90 is outside"),
        ("chess", "even:lean=2", "lean=2.0 is outside"),
    ],
)
def test_keys_that_are_not_for_a_game(game, spec, message):
    with pytest.raises(UsageError, match=message):
        make_player(spec, get_game(game))


@pytest.mark.parametrize(("game", "people"), [("chess", True), ("go", True), ("go9", False)])
def test_whose_strengths_it_follows_by_default(game, people):
    assert by_people(game) == people
    assert by_people("go9", "people")
    assert not by_people("go9", "styles")


@pytest.mark.parametrize(("game", "by"), [("chess", ""), ("go", ""), ("go9", ",by=people")])
def test_it_plays_and_learns(game, by):
    """The ratings that it asks for are the network's; a few plies, little search."""
    from evenmatch.players.player import Turns

    rules = get_game(game)
    player = make_player(f"even:sims=4{by}", rules, 2)
    player.begin(np.arange(2), np.array([-1, -1], np.int8), 1)
    history = np.zeros((2, 4, rules.state_words), np.uint64)
    history[:, 0] = rules.initial(2)
    first = np.array([rules.legal_actions(history[0, :1])[0][5]] * 2)
    history[:, 1] = rules.after(history[:, 0], first)
    actions = np.full((2, 4), -1, np.int32)
    actions[:, 0] = first
    chosen = player.choose(Turns(np.arange(2), np.ones(2, int), history, actions))
    assert rules.legal_mask(history[:, 1])[np.arange(2), chosen].all()
    state = player.snapshot(0)
    assert any(value < 0 for value in state["controller"].values()), "the move told something"
    player.finish(0, -1.0)
    assert player.remember(0)["games"] == 1
