"""``even``: what it believes, the level it plays at, and how it gives a lead back."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from some_turns import drawn_often, player_of

from evenmatch.errors import SpecError, StateError, UsageError
from evenmatch.games import get_game
from evenmatch.games.catalog import CATALOG
from evenmatch.games.line import Line
from evenmatch.opponents import Engine, Mind, Turn, resolve
from evenmatch.opponents.controller import NEW, Reply, Root, View, check_controller
from evenmatch.opponents.even import (
    AMONG_PEOPLE,
    FAR,
    TEMPERATURES,
    Even,
    EvenConfig,
    tilted,
)
from evenmatch.opponents.evidence import Course, Lost, Seen, artanh, worth_of
from evenmatch.opponents.fitted import COURSES, LOST, SEEN
from evenmatch.opponents.search_player import views_of
from evenmatch.play.arena import Pairing, play
from evenmatch.ratings import expected_score
from evenmatch.ratings.score import ELO_PER_LOGIT
from evenmatch.search import Plan
from evenmatch.search.evaluator import UniformEvaluator
from evenmatch.search.styles import softmax

REACH = (800.0, 2200.0)
PLAIN = Course((0.0, 0.0, 0.0, 0.0), (0.0, 0.0), plies=40.0, slope=1.0)
LOOKS = Seen(strengths=(600.0, 2400.0), deviation=150.0, anyone=0.1)
NOT_FITTED = ("go13", "go")  #: in docs/results: no run of even_fit
RESULTS = Path(__file__).parents[2] / "docs" / "results"


@dataclass
class Dialled:
    """Plays its priors; its strength is the number of simulations."""

    strength: float

    def plan(self, view, mind):
        return Plan(simulations=int(self.strength))

    def policy(self, root):
        return np.where(root.legal, root.priors, 0) / root.priors[root.legal].sum()


def even(course=PLAIN, seen=LOOKS, ratings=(), lost=None, **numbers) -> Even:
    return Even(EvenConfig(**numbers), Dialled, REACH, course, seen, ratings, lost=lost)


def view(value=0.0, ply=20, reply=None) -> View:
    return View(ply, 1, np.array([value], np.float32), reply)


def reply_of(temperature: float, rng: np.random.Generator) -> Reply:
    """A move of the network's policy at a temperature, among seven."""
    logits = rng.normal(scale=3, size=7)
    chances = softmax(logits / temperature)
    return Reply(logits.astype(np.float32), int(rng.choice(7, p=chances)))


def root_of(*worths: float) -> Root:
    n = len(worths)
    best = int(np.argmax(worths))
    return Root(np.ones(n, int), np.array(worths), np.full(n, 1 / n), np.ones(n, bool), 0.0, best)


def at(player, value, ply=20, begin=0.0, mind=NEW) -> Mind:
    """Return the mind at a position of a game that began at a value, after one own move."""
    mind = player.observe(view(begin, 0), mind)
    state = mind.game | {"moves": 1, "played": player.level(mind)}
    return player.observe(view(value, ply), Mind(mind.memory, state))


# -- the contract ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ratings", [(), (800.0, 1600.0, 2400.0)])
def test_controller_conforms(ratings):
    lost = LOSES if ratings else None
    check_controller(lambda: even(ratings=ratings, course=COURSES["connect4"], lost=lost))


def test_a_damaged_mind_is_refused():
    player = even()
    mind = at(player, 0.5)
    player.check(mind)
    for wrong in ({"share": 3}, {"styles": [0.0]}, {"more": 1}):
        with pytest.raises(StateError, match="start without it"):
            player.check(Mind({}, mind.game | wrong))
    with pytest.raises(StateError, match="other entries"):
        player.check(Mind({"z": 0.0, "games": 1}))


# -- what it believes ------------------------------------------------------------------------------


@pytest.mark.parametrize("style", [1, 4, 8])
def test_moves_of_a_style_move_the_belief_to_its_strength(style):
    """Sixty moves; the strength is within two deviations (5 seeds)."""
    strength = 600 + style * 200
    for seed in range(5):
        rng, player, mind = np.random.default_rng(seed), even(), NEW
        before = player.belief(mind).mean
        for _ in range(60):
            reply = reply_of(TEMPERATURES[style], rng)
            mind = player.observe(view(reply=reply), mind)
        after = player.belief(mind).mean
        assert abs(after - strength) < 2 * LOOKS.deviation
        assert abs(after - strength) <= abs(before - strength) + 60


LOSES = Lost(mean=-2.0, slope=-0.5, spread=0.9, deviation=100.0)


def after_losses(player, losses, mind=NEW) -> Mind:
    """Return the mind after replies that lost so much, each found by a search of two moves."""
    for loss in (0.0, *losses):
        state = player.state(mind)
        found = player.losses(root_of(np.tanh(loss), -0.5), 0, 40, state)
        mind = Mind(mind.memory, state | found | {"hoped": 0.0})  # its own move leads to a draw
    return mind


@pytest.mark.parametrize("strength", [1000, 1500, 2000])
def test_what_moves_lose_moves_the_belief_to_the_strength(strength):
    """Eighty moves; the strength is within 2.5 deviations (5 seeds), the belief by Bayes."""
    for seed in range(5):
        rng, player = np.random.default_rng(seed), even(lost=LOSES)
        logs = LOSES.mean + LOSES.slope * (strength - 1500) / 1000 + 0.5 * rng.normal(size=80)
        losses = np.maximum(np.exp(logs) - LOSES.least, 0)
        belief = player.belief(after_losses(player, losses))
        total = np.log(losses + LOSES.least).sum()
        naive = player.prior + [
            -((total / 80 - LOSES.mean - LOSES.slope * (s - 1500) / 1000) ** 2)
            / (2 * (LOSES.spread**2 / 80 + (LOSES.slope * LOSES.deviation / 1000) ** 2))
            for s in player.grid
        ]
        weights = np.exp(naive - naive.max())
        assert belief.mean == pytest.approx(weights @ player.grid / weights.sum(), abs=1)
        assert abs(belief.mean - strength) < 2.5 * belief.deviation


def test_what_a_reply_lost_is_what_the_search_gained():
    root = root_of(0.5, 0.1)
    assert LOSES.log(root, artanh(0.2), 40) == pytest.approx(
        np.log(artanh(0.5) - artanh(0.2) + 0.05)
    )
    assert LOSES.log(root, artanh(0.6), 40) == pytest.approx(np.log(0.05))  # it gained: no loss
    assert LOSES.log(root, FAR, 40) is None  # before any move of its own
    assert LOSES.log(root, artanh(0.95), 40) is None  # the game was decided
    assert LOSES.log(root, artanh(0.2), LOSES.begin - 1) is None  # in the opening
    unseen = Root(np.array([3, 0]), np.array([0.5, 0.0]), root.priors, root.legal, 0.3, 0)
    assert worth_of(unseen, 0) == artanh(0.5)
    assert worth_of(unseen, 1) == artanh(0.3)
    stopped = replace(unseen, visits=np.zeros(2, int))  # before it looked at any move
    assert worth_of(stopped, 0) == artanh(0.3)
    assert LOSES.log(stopped, artanh(0.2), 40) is None


def test_what_moves_lost_counts_in_the_next_game():
    player = even(lost=LOSES)
    mind = after_losses(player, [0.3] * 20)
    memory = player.learn(mind, None)
    assert (memory["lost"], memory["replies"]) == pytest.approx((0.95 * 20 * np.log(0.35), 19.0))
    known = player.known(Mind(memory)).mean
    assert known == pytest.approx(player.belief(mind).mean, abs=30)


def test_a_new_opponent_has_the_first_strength():
    player = even(first=1300, unsure=200)
    assert player.belief(NEW).mean == pytest.approx(1300, abs=5)
    assert player.belief(NEW).interval() == pytest.approx([1300 - 392, 1300 + 392], abs=30)


@given(st.lists(st.floats(-1e5, 0), min_size=10, max_size=10))
def test_that_anyone_may_play_so_bounds_what_moves_can_say(styles):
    """Each strength keeps a share of what it would have if moves said nothing."""
    grid = even().grid
    said = np.exp(LOOKS.evidence(np.array(styles), grid))
    every = np.exp(-(((grid[:, None] - np.arange(600, 2401, 200)) / 150) ** 2) / 2)
    share = 0.9 * (every / every.sum(0)).mean(1) + 0.1 / len(grid)
    assert (said * share).sum() == pytest.approx(1)
    assert (said * share).min() >= LOOKS.anyone / len(grid) * (1 - 1e-9)


def test_strengths_are_likely_by_the_styles_that_moves_look_like():
    """By hand: styles 0 to 2 are 600, 1500 and 2400; the likelihood is that over its mean."""
    grid = np.array([600.0, 1300.0, 1500.0, 2400.0])
    kernels = [np.exp(-(((grid - mean) / 150) ** 2) / 2) for mean in (600, 1500, 2400)]
    shares = np.array([0.9 * one / one.sum() + 0.1 / 4 for one in kernels])
    certain, both = np.array([-1e9, 0, -1e9]), np.array([-1e9, 0, 0])
    nothing = shares.mean(0)
    assert LOOKS.evidence(certain, grid) == pytest.approx(np.log(shares[1] / nothing))
    assert LOOKS.evidence(both, grid) == pytest.approx(np.log(shares[1:].mean(0) / nothing))
    assert LOOKS.evidence(np.zeros(3), grid) == pytest.approx(np.zeros(4))


def test_evidence_of_the_course_by_hand():
    """X is normal around (r - s) t with variance proportional to t; no such evidence by default."""
    player = Even(EvenConfig(course=0.5, ahead=0.0), Dialled, REACH, PLAIN, LOOKS)
    mind = at(player, 0.6)
    t, played = mind.game["share"], mind.game["played"]
    assert t == pytest.approx(0.5)
    x = np.arctanh(0.6) * np.sqrt(0.5)
    off = x - (played - player.grid) / ELO_PER_LOGIT * t
    logs = player.prior - 0.5 * off**2 / (2 * np.pi**2 / 3 * t)
    weights = np.exp(logs - logs.max())
    assert player.belief(mind).mean == pytest.approx(weights @ player.grid / weights.sum())
    assert even().belief(at(even(), 0.6)).mean == pytest.approx(even().belief(NEW).mean)


@pytest.mark.parametrize("result", [1.0, 0.0, -1.0])
def test_a_result_counts_once_by_fujita_2022_eq_16(result):
    player = even(fade=1.0)
    mind = at(player, 0.6)
    played = player.played_at(mind)
    chances = np.array([expected_score(s - played) for s in player.grid])
    points = (1 - result) / 2
    weights = np.exp(player.prior) * chances**points * (1 - chances) ** (1 - points)
    learned = player.known(Mind(player.learn(mind, result)))
    assert learned.mean == pytest.approx(weights @ player.grid / weights.sum())


def test_a_game_without_a_result_counts_as_none_and_some_of_what_was_learned_fades():
    player = even(unsure=200, fade=0.5)
    mind = at(player, 0.0)
    memory = player.learn(mind, 1.0)
    assert memory["games"] == 1
    assert player.learn(Mind(memory, mind.game), None)["games"] == 1
    after = {fade: even(unsure=200, fade=fade).learn(mind, 1.0) for fade in (1.0, 0.5, 0.0)}
    means = [player.known(Mind(one)).mean for one in after.values()]
    assert means[0] < means[1] < means[2] == pytest.approx(1500, abs=1)


def test_two_games_against_one_person_both_count():
    """The later one to end adds its moves to what the other showed."""
    player, rng = even(), np.random.default_rng(1)
    mind = NEW
    for _ in range(20):
        mind = player.observe(view(reply=reply_of(0.4, rng)), mind)
    first = player.learn(mind, None)
    both = player.learn(Mind(first, mind.game), None)
    known = [player.known(Mind(memory)).mean for memory in (both, first)]
    assert known[0] > known[1] > 1500


def test_given_moves_and_no_move_at_all_say_nothing():
    player = even()
    assert player.observe(view(0.0, 0), NEW).game["styles"] == [0.0] * len(TEMPERATURES)


# -- the course of a game --------------------------------------------------------------------------


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
@given(
    value=st.floats(-0.97, 0.97),
    ply=st.integers(0, 300),
    strength=st.floats(600, 2500),
    side=st.sampled_from([1, -1]),
)
def test_value_and_position_are_inverse_of_each_other(course, value, ply, strength, side):
    t = course.share(ply)
    x = course.position(value, t, strength, side)
    assert course.value_at(x, t, strength, side) == pytest.approx(value, abs=1e-6)
    assert course.position(value + 0.01, t, strength, side) > x
    assert 0 <= t < course.share(ply + 1) < 1


# -- the level -------------------------------------------------------------------------------------


def test_it_plays_at_the_level_that_its_dial_has():
    player = even(ahead=0.0, unsure=200)
    assert player.plan(view(), NEW).simulations == 1500


@pytest.mark.parametrize("unsure", [700, 200, 60])
def test_it_begins_above_what_it_believes_and_comes_down(unsure):
    """By a standard deviation of the belief, of which the share left counts; less if known."""
    player, calm = even(ahead=1.0, unsure=unsure), even(ahead=0.0, unsure=unsure)
    for ply, left in ((0, 1.0), (20, 0.5), (36, 0.1)):
        above = player.wanted(at(player, 0.0, ply)) - calm.wanted(at(calm, 0.0, ply))
        deviation = player.belief(NEW).deviation
        assert above == pytest.approx(left * deviation**2 / player.unknown, rel=0.01)


@pytest.mark.parametrize("value", [-0.2, -0.5, -0.9])
def test_a_deficit_raises_the_level_by_what_wins_it_back(value):
    """By hand: X + (r - s)(1 - t) = 0, times the share of 200 in a stranger's 700."""
    player = even(ahead=0.0, steer=1.0, unsure=200)
    mind = at(player, value)
    x = np.arctanh(value) * np.sqrt(0.5)
    assert player.wanted(mind) - player.belief(mind).mean == pytest.approx(
        -x / 0.5 * ELO_PER_LOGIT * 200 / player.unknown, rel=0.01
    )


def test_a_pass_is_evidence_of_no_style():
    game = get_game("go9")
    for action, seen in ((40, True), (game.num_actions - 1, False)):
        line = Line(game)
        line.push(action)
        (found,) = views_of(game, UniformEvaluator(game), [(even(), Turn(line, -1, 1))])
        assert (found.reply is not None) == seen


def test_it_catches_up_where_a_deficit_raises_the_level_more_than_doubt():
    player = even(ahead=0.3)
    assert [player.path(at(player, value)).behind for value in (-0.9, -0.01, 0.5)] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("ease", [0.0, 0.4])
def test_a_lead_lowers_the_level_by_a_share_of_what_a_deficit_raises_it(ease):
    player = even(ahead=0.0, ease=ease)
    level, behind, leading = (player.wanted(at(player, value)) for value in (0.0, -0.6, 0.6))
    assert behind > level
    assert level - leading == pytest.approx(ease * (behind - level), abs=1)


@pytest.mark.parametrize("value", [-0.97, 0.97])
def test_no_level_is_beyond_the_reach(value):
    player = even(steer=5.0, least=0.01, ahead=5.0)
    for ply in (0, 20, 60):
        assert REACH[0] <= player.level(at(player, value, ply)) <= REACH[1]


def test_a_known_person_meets_a_level_that_hardly_moves():
    """What is left of the first doubt, a tenth, is the share of the way back that is taken."""
    player = even(ahead=0.0)
    logs = -(((player.grid - 1500) / 70) ** 2) / 2
    known = Mind(player.learn(NEW, None) | {"games": 20, "logs": logs.tolist()})
    stranger = player.wanted(at(player, -0.9)) - 1500
    steady = player.wanted(at(player, -0.9, mind=known)) - 1500
    assert 0 < steady < 0.15 * stranger


def test_it_reports_the_mean_level_of_its_moves():
    player, mind, levels = even(), NEW, []
    assert player.played_at(mind) is None
    for value in (0.0, -0.4, -0.8):
        mind = player.observe(view(value), mind)
        levels.append(player.level(mind))
        mind = player.choose(root_of(0.1, 0.2), view(value), mind, np.random.default_rng(0))[1]
    assert player.played_at(mind) == pytest.approx(np.mean(levels))
    assert len(set(levels)) == 3


def test_what_it_is_worth_to_move_first_is_no_lead():
    """It began at X = 1: after half of the game half of that is no lead, and the rest is."""
    player = even(ahead=0.0)
    began = float(np.tanh(1.0))
    kept = float(np.tanh(0.5 / np.sqrt(0.5)))
    assert player.lead(at(player, began, 0, begin=began)) == pytest.approx(0.0)
    assert player.lead(at(player, kept, begin=began)) == pytest.approx(0.0, abs=1e-6)
    assert player.lead(at(player, 0.0, begin=began)) == pytest.approx(-0.5)


def test_what_it_gave_back_excuses_no_result():
    """Neither in what it learns nor in the level that the profile is given."""
    player = even(fade=1.0)
    mind = at(player, 0.0)
    gave = Mind(mind.memory, mind.game | {"given": 1.0})
    assert player.learn(gave, 1.0) == player.learn(mind, 1.0)
    assert player.played_at(gave) == player.played_at(mind)


@pytest.mark.parametrize("unsure", [700, 60])
def test_a_known_opponent_is_given_little_back(unsure):
    player = even(give=1.0, reserve=0.0, unsure=unsure)
    mind, root = at(player, 0.7), root_of(0.8, 0.8, 0.8, 0.0)
    leaning = player.leaning(player.dial(1500).policy(root), root, view(0.7), mind)
    assert leaning @ root.means == pytest.approx(0.0 if unsure == 700 else 0.6, abs=0.15)


def test_moves_of_many_games_say_no_more_than_those_of_one():
    """What makes a player stronger than their style does so in all games."""
    rng, player = np.random.default_rng(2), even(fade=1.0)
    memory = {}
    for _ in range(8):
        mind = Mind(memory)
        for _ in range(30):
            mind = player.observe(view(reply=reply_of(TEMPERATURES[4], rng)), mind)
        memory = player.learn(mind, None)
    belief = player.known(Mind(memory))
    assert abs(belief.mean - 1400) < LOOKS.deviation
    assert belief.deviation > 0.9 * LOOKS.deviation


def test_among_people_moves_are_never_tilted_and_the_course_counts():
    for game_id in ("chess", "go9"):
        config = player_of("even", get_game(game_id)).controller.config
        assert {name: getattr(config, name) for name in AMONG_PEOPLE} == AMONG_PEOPLE
    player = Even(EvenConfig(**AMONG_PEOPLE), Dialled, REACH, PLAIN, LOOKS)
    mind, root = at(player, 0.9), root_of(0.9, 0.1, -0.9)
    pi = player.dial(1500).policy(root)
    assert player.leaning(pi, root, view(0.9), mind) is pi
    assert player.belief(mind).mean < player.belief(NEW).mean


# -- giving a lead back ----------------------------------------------------------------------------


def test_a_lead_is_given_back_by_moves_within_the_limit_alone():
    player = even(give=1.0, reserve=0.0, limit=0.3)
    mind, root = at(player, 0.7), root_of(0.8, 0.8, 0.4, 0.0, -0.25, -0.35, -0.9)
    shares = drawn_often(player, root, 1000, view(0.7), mind)
    assert shares[5:].tolist() == [0, 0]
    assert shares @ root.means == pytest.approx(0.0, abs=0.05)


def test_a_lead_that_play_at_the_level_gives_back_is_not_given_back_twice():
    """The dial's own moves lose as much, so they stay, also those beyond the limit."""
    player = even(give=1.0, reserve=0.0, limit=0.3)
    root = root_of(0.8, 0.0, -0.9)
    shares = drawn_often(player, root, 3000, view(0.7), at(player, 0.7))
    assert shares == pytest.approx([1 / 3] * 3, abs=0.04)


@pytest.mark.parametrize("value", [0.0, -0.5])
def test_without_a_lead_it_plays_as_its_dial_does(value):
    player = even(give=1.0, reserve=0.0)
    shares = drawn_often(player, root_of(0.9, 0.1, -0.9), 3000, view(value), at(player, value))
    assert shares == pytest.approx([1 / 3] * 3, abs=0.04)


def test_a_reserve_is_kept_that_shrinks():
    """Of 174 Elo unknown 1.5 log odds at first, so 0.75 after half of the game: that is kept."""
    player = even(give=1.0, reserve=1.5, unsure=ELO_PER_LOGIT)
    root = root_of(0.95, 0.9, 0.85)
    held, given_back = (at(player, float(np.tanh(x / np.sqrt(0.5)))) for x in (0.7, 0.8))
    pi = player.dial(1500).policy(root)
    assert player.leaning(pi, root, view(), held) is pi
    assert player.leaning(pi, root, view(), given_back) is not pi


@pytest.mark.parametrize("seed", range(5))
def test_tilted_is_the_nearest_policy_of_the_expectation(seed):
    """The oracle: scipy's least relative entropy among policies with that expectation."""
    rng = np.random.default_rng(seed)
    pi, worth = rng.dirichlet(np.ones(5)), rng.uniform(-1, 1, 5)
    target = float(rng.uniform(np.sort(worth)[1], np.sort(worth)[-2]))
    found = tilted(pi, worth, target)
    bounds = {"bounds": [(1e-9, 1)] * 5, "method": "SLSQP", "options": {"ftol": 1e-12}}
    wanted = minimize(
        lambda q: q @ np.log(q / pi), np.full(5, 0.2), **bounds,
        constraints=[{"type": "eq", "fun": lambda q: q.sum() - 1},
                     {"type": "eq", "fun": lambda q: q @ worth - target}],
    ).x  # fmt: skip
    assert found @ worth == pytest.approx(target, abs=1e-6)
    assert found == pytest.approx(wanted, abs=1e-4)


def test_tilted_goes_no_further_than_to_the_worst_move():
    pi, worth = np.array([0.5, 0.5, 0.0]), np.array([0.9, -0.5, -1.0])
    assert tilted(pi, worth, -0.9) == pytest.approx([0, 1, 0], abs=1e-6)


# -- the player ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game_id", CATALOG)
def test_it_plays_a_short_game_of_every_game(game_id):
    """It has a course where there is a dial; there it answers one move and learns of it."""
    game = get_game(game_id)
    assert game_id in COURSES
    assert game_id in SEEN
    engine, opponent, line = Engine(game), resolve("even:sims=2", game), Line(game)
    line.push(line.legal[len(line.legal) // 2])
    (found,) = engine.think([(opponent, Turn(line, -1, seed=1))])
    assert found.action in line.legal
    assert min(found.mind.game["styles"]) < 0, "the move said something"
    assert engine.learn(opponent, found.mind, -1.0)["games"] == 1
    low, high = engine.player(opponent).controller.reach
    assert low <= found.mind.game["played"] <= high
    assert engine.player(opponent).played_at(found.mind) is None, "such searches are not measured"


def test_equal_seeds_give_equal_games():
    games = [
        [one.actions for one in play(["even:sims=4", "random"], [Pairing(0, 1), Pairing(1, 0)],
                                     get_game("connect4"), seed=seed)]
        for seed in (1, 1, 2)
    ]  # fmt: skip
    assert games[0] == games[1] != games[2]


@pytest.mark.parametrize(
    ("game", "keys", "message"),
    [
        ("othello", "give=2", r"give=2.0 is outside \[0, 1\]"),
        ("othello", "limit=-1", r"limit=-1.0 is outside \[0, 2\]"),
        ("othello", "ahead=nan", "ahead=nan is outside"),
        ("othello", "reserve=-1", "reserve=-1.0 is outside"),
        ("othello", "slip=0", "slip=0.0 is outside"),
        ("othello", "rare=0", "rare=0.0 is outside"),
        ("othello", "unsure=0", "unsure=0.0 is outside"),
        ("othello", "least=0", "least=0.0 is outside"),
        ("othello", "moves=-0.1", "moves=-0.1 is outside"),
        ("othello", "by=people", "by"),
        ("go9", "elo=1500", "elo is not for go9"),
        ("chess", "rank=5k", "rank is not for chess"),
        ("chess", "elo=9000", "elo=9000.0 is outside"),
        ("chess", "sims=0", "sims=0 is outside"),
    ],
)
def test_bad_values_give_one_line(game, keys, message):
    with pytest.raises((UsageError, SpecError), match=message) as refused:
        player_of(f"even:{keys}", get_game(game)).controller.plan(view(), NEW)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("game_id", COURSES)
def test_the_numbers_are_those_that_were_fitted(game_id):
    paths = [RESULTS / "even_fit.json", RESULTS / f"even_fit_{game_id}.json"]
    rows = [json.loads(one.read_text())["parts"] for one in paths if one.exists()]
    found = {key: row for some in rows for key, row in some.items()}
    if game_id in NOT_FITTED:
        pytest.skip("nothing was fitted to it")
    course, seen = (found[f"{game_id} | {one}"][one] for one in ("course", "seen"))
    kinds: list[tuple] = [(Course, course, COURSES), (Seen, seen, SEEN)]
    if game_id in LOST:
        kinds.append((Lost, found[f"{game_id} | lost"]["lost"], LOST))
    for kind, numbers, known in kinds:
        fitted = {name: tuple(x) if isinstance(x, list) else x for name, x in numbers.items()}
        assert known[game_id] == kind(**fitted)
