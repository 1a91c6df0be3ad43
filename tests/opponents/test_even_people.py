"""``even`` where people's moves are known: what it believes, and how far it leans."""

from dataclasses import replace

import numpy as np
import pytest
from some_turns import drawn_often, player_of

from evenmatch.errors import StateError, UsageError
from evenmatch.games import get_game
from evenmatch.games.line import Line
from evenmatch.opponents import Engine, Mind, Turn, resolve
from evenmatch.opponents.controller import NEW, Reply, Root, View, check_controller
from evenmatch.opponents.dials import dial_range
from evenmatch.opponents.even import EvenByRatings, EvenPeopleConfig, Tuned, in_steps, leaning
from evenmatch.opponents.even_row import by_people
from evenmatch.opponents.pikl import corrected, values
from evenmatch.search import Plan

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


def even(reach=None, **numbers) -> EvenByRatings:
    return EvenByRatings(EvenPeopleConfig(first=1600, **numbers), at, GRID, ASKED, reach=reach)


def view(ply: int = 10, reply: Reply | None = None) -> View:
    return View(ply, 1, np.zeros(0, np.float32), reply)


def reply(action: int) -> Reply:
    """Weak people play move 0, strong ones move 1, those between either; move 2 is not legal."""
    rows = np.log(np.array([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]))
    logits = np.hstack([rows, np.full((3, 1), -np.inf)]).astype(np.float32)
    return Reply(logits[1], action, logits)


def test_seam():
    check_controller(even)


def after_replies(player, *replies):
    """Return the mind after a look at these moves of the opponent."""
    mind = NEW
    for one in replies:
        mind = player.observe(view(reply=one), mind)
    return mind


def after_moves(player, *means, mind=NEW):
    """Return the mind after own moves from positions whose moves all have this value."""
    for ply, mean in enumerate(means):
        root = replace(ROOT, means=np.full(4, mean))
        mind = player.choose(root, view(2 * ply), mind, np.random.default_rng(1))[1]
    return mind


def test_a_new_opponent_has_the_first_rating():
    player = even(unsure=200)
    assert player.rating(NEW) == 1600
    assert player.belief(NEW).interval()[0] == pytest.approx(1600 - 1.96 * 200, abs=30)
    assert player.plan(view(), NEW).rating == 1600


def test_moves_show_the_rating():
    """By hand: the share of the log-likelihood, interpolated between the network's ratings."""
    player = even(weight=0.5, slip=0.0, unsure=300)
    mind = after_replies(player, reply(1))
    chances = np.interp(GRID, ASKED, np.log([0.1, 0.5, 0.9]))
    logs = -((GRID - 1600) ** 2) / (2 * 300**2) + 0.5 * chances
    weights = np.exp(logs)
    assert player.belief(mind).mean == pytest.approx(weights @ GRID / weights.sum())
    assert player.rating(mind) > 1600


def test_a_move_that_nobody_makes_says_little():
    player = even(slip=0.1)
    none = replace(reply(0), by_rating=np.log(np.array([[1e-9, 1], [1e-12, 1], [1e-15, 1]])))
    assert player.belief(after_replies(player, none)).mean == pytest.approx(1600, abs=5)


def test_it_follows_many_moves():
    player = even()
    assert player.rating(after_replies(player, *[reply(0)] * 40)) < 1000


def test_an_open_game_is_left_alone():
    drawn = drawn_often(even(slack=0.9), ROOT, 5_000)
    assert drawn == pytest.approx(corrected(ROOT, 1.0, 1.0), abs=4 * 0.007)


def test_a_lead_is_given_back_by_common_moves():
    """Move 3 would give most back, but only one in 25 such people plays it."""
    drawn = drawn_often(even(slack=0.0, lean=1.0), ROOT, 5_000)
    usual = corrected(ROOT, 1.0, 1.0)
    assert drawn[2] > usual[2] + 0.1
    assert drawn[0] < usual[0]
    assert drawn[3] == pytest.approx(usual[3], abs=4 * 0.003)


@pytest.mark.parametrize(("ply", "share"), [(0, 0.5), (40, 0.25), (80, 0.0), (200, 0.0)])
def test_late_in_a_game_it_does_not_lean(ply, share):
    """Draws from ``share`` of the way back to even, within 4 standard deviations."""
    drawn = drawn_often(even(slack=0.0, lean=0.5, horizon=80), ROOT, 5_000, view(ply))
    pi = corrected(ROOT, 1.0, 1.0)
    known, common = values(ROOT), ROOT.priors >= 0.05
    wanted = leaning(pi, known, common, share * float(pi @ known))
    assert drawn == pytest.approx(wanted, abs=4 * 0.007)


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


@pytest.mark.parametrize(("mean", "sign"), [(0.5, -1), (-0.5, 1), (0.0, 0)])
def test_it_plays_below_its_belief_when_it_has_won(mean, sign):
    player = even(push=400)
    mind = after_moves(player, mean)
    assert player.plan(view(2), mind).rating == 1600 + sign * 200
    assert player.rating(mind) == pytest.approx(1600), "the belief stays"


def test_it_is_pushed_no_further_than_the_ratings_it_knows():
    player = even(push=4000)
    assert player.plan(view(2), after_moves(player, 0.9)).rating == GRID[0]


@pytest.mark.parametrize(("mean", "sign"), [(0.5, -1), (-0.5, 1)])
def test_a_game_that_stays_won_or_lost_steers_on(mean, sign):
    player = even(steer=40)
    for moves in range(1, 4):
        mind = after_moves(player, *[mean] * moves)
        assert player.plan(view(2 * moves), mind).rating == 1600 + sign * 20 * moves
    assert player.playing(Mind(player.learn(mind, None))) == 1600, "a new game"


def test_what_cannot_be_played_is_not_steered_to():
    """It stops where the ratings end, and comes back at once when the game turns."""
    player = even(steer=2000, reach=(700.0, GRID[-1]))
    mind = after_moves(player, *[0.9] * 9)
    assert player.playing(mind) == 700
    assert player.playing(after_moves(player, -0.9, mind=mind)) == 1600


def test_it_steers_no_further_than_chess_is_played_at():
    """No further than the dial's curve, whatever ratings the network knows."""
    player = player_of("even", get_game("chess")).controller
    low, high = dial_range("chess")
    for mean, end in ((0.9, low), (-0.9, high)):
        mind = after_moves(player, *[mean] * 60)
        assert player.playing(mind) == in_steps(end)
        again = after_moves(player, mean, mind=mind)
        assert again.game["steered"] == mind.game["steered"], "no wind-up"


def test_a_result_counts_against_what_it_played_at():
    """A draw with a player at 200 below the belief shows a weaker opponent."""
    ratings = []
    for player in (even(push=400), even()):
        mind = after_moves(player, 0.5, 0.5)
        ratings.append(player.rating(Mind(player.learn(mind, 0.0))))
    pushed, usual = ratings
    assert pushed < usual == pytest.approx(1600)


def test_results_show_the_rating():
    player = even()
    memories = {result: player.learn(NEW, result) for result in (1.0, -1.0, None)}
    won, lost, unfinished = (player.rating(Mind(memory)) for memory in memories.values())
    assert won < 1600 < lost
    assert unfinished == 1600
    assert (memories[1.0]["games"], memories[None]["games"]) == (1, 0)
    ranks = even(elo=False)
    assert ranks.rating(Mind(ranks.learn(NEW, 1.0))) == 1600


def test_two_games_against_one_person_both_count():
    """The later one to end adds its moves to what the other taught."""
    player = even()
    one, two = after_replies(player, reply(1)), after_replies(player, reply(1), reply(1))
    first = player.learn(one, None)
    both = player.learn(Mind(first, two.game), None)
    alone = player.learn(two, None)
    assert player.rating(Mind(both)) > player.rating(Mind(alone)) > 1600


def test_a_damaged_mind_is_refused():
    player = even()
    mind = after_moves(player, 0.5)
    player.check(mind)
    for wrong in ({"value": 3}, {"said": [0.0]}, {"more": 1}):
        with pytest.raises(StateError, match="start without it"):
            player.check(Mind({}, mind.game | wrong))


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
        player_of(spec, get_game(game))


@pytest.mark.parametrize(("game", "people"), [("chess", True), ("go", True), ("go9", False)])
def test_whose_strengths_it_follows_by_default(game, people):
    assert by_people(game) == people
    assert by_people("go9", "people")
    assert not by_people("go9", "styles")


@pytest.mark.parametrize(("game", "by"), [("chess", ""), ("go", ""), ("go9", ",by=people")])
def test_it_plays_and_learns(game, by):
    """The ratings of its belief are the network's; a move, little search."""
    rules = get_game(game)
    opponent, engine, line = resolve(f"even:sims=4{by}", rules), Engine(rules), Line(rules)
    line.push(line.legal[5])
    (found,) = engine.think([(opponent, Turn(line, -1, seed=1))])
    assert found.action in line.legal
    assert min(found.mind.game["said"]) < 0, "the move said something"
    assert engine.learn(opponent, found.mind, -1.0)["games"] == 1
