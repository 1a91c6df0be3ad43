"""Levels of a profile's people: what counts, what is kept, and that records are what was played."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from evenmatch.estimation.level import GameSays, level, result_says, results_offset
from evenmatch.games import get_game
from evenmatch.opponents.table import parse_spec
from evenmatch.play.saved import Saved
from evenmatch.profiles import Finished, Outcome, levels, raters
from evenmatch.profiles.export import pgn_of
from evenmatch.profiles.raters import player_game
from evenmatch.profiles.saved_game import RecordMetadata
from evenmatch.records.codec import codec_for

CHESS = get_game("chess")
OPENING = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7"
DAY = 86_400.0
OPPONENT = "pikl:elo=1500"


def actions_of(words):
    state, actions = CHESS.initial(), []
    for word in words.split():
        actions.append(CHESS.read_action(state[0], word))
        state = CHESS.after(state, [actions[-1]])
    return tuple(actions)


def game(words=OPENING, side=1, result=1, opponent=OPPONENT, day=0.0, **how):
    saved = Saved(game="chess", opponent=opponent, side=side, seed=1, actions=actions_of(words))
    level_of = float(match[1]) if (match := re.search(r"elo=(\d+)", opponent)) else None
    return Finished(
        saved=replace(saved, **how),
        outcome=Outcome(result, "", level_of),
        begun=day * DAY,
        ended=day * DAY,
    )


def add(profile, *games):
    """Keep games as if they had been played here."""
    profile.games.add((f"{one.saved.seed}", one) for one in games)
    with profile.together() as connection:
        connection.execute("UPDATE game SET imported = NULL")


def history(profile):
    return profile.levels.history("You", "chess")


@pytest.mark.parametrize("side", [1, -1])
def test_a_record_is_what_was_played(side, tmp_path):
    """As our reader has it from the PGN."""
    one = game(side=side, marks=("", "", "hint") + ("",) * 7)
    path = tmp_path / "a.pgn"
    path.write_text(pgn_of(one))
    (read,), made = codec_for("chess").games(path), player_game(one).record
    assert made.moves.tolist() == read.moves.tolist()
    assert made.players == read.players
    assert made.result == read.result
    assert made.aided.tolist() == read.aided.tolist()


def test_moves_of_white_in_a_game_with_a_handicap_are_whites():
    saved = Saved(
        game="go", opponent="human:rank=8k", side=-1, seed=1, actions=(72, 288),
        start="KM[0.5]HA[2]AB[dd][pp]PL[W]",
    )  # fmt: skip
    played = player_game(Finished(saved=saved, outcome=Outcome(1, ""), begun=0, ended=0))
    assert (played.side, played.name, played.record.result) == (1, "You", -1)


def test_moves_and_results_are_believed_together(profile, monkeypatch):
    add(profile, game(day=1), game(day=3, result=-1, side=-1, seed=2))
    found, games = history(profile), profile.games.finished("you")
    estimator = raters.shipped_estimator("lichess-rapid")
    moves = estimator.scorer([player_game(one) for one in games])
    says = estimator.method.evidence(moves)[:, :-1]
    grid = estimator.method.grid
    known = [
        GameSays(day, row, result_says(grid, 1500, points))
        for day, row, points in zip((1, 3), says, (1, 0), strict=True)
    ]
    prior = -((grid - 1500) ** 2) / (2 * 350**2)
    belief = level(grid, known, 3, correlation=estimator.method.correlation, prior=prior)
    assert [one.games for one in found] == [1, 2]
    assert found[-1].rating == pytest.approx(belief.mean)
    assert [found[-1].low, found[-1].high] == pytest.approx(belief.interval().tolist())
    monkeypatch.setattr(levels.time, "time", lambda: 3 * DAY)
    assert profile.levels.now("you", "chess") == found[-1]
    monkeypatch.setattr(levels.time, "time", lambda: 1000 * DAY)
    later = profile.levels.now("you", "chess")
    assert later.high - later.low > found[-1].high - found[-1].low + 50, "people change"


class Stub:
    """An estimator that counts how often it is asked; all games say the same."""

    def __init__(self):
        self.asked, self.flat = 0, False
        self.scorer = self
        self.method = self
        self.grid, self.correlation = np.arange(1000.0, 2600.0, 20), 0.0

    def __call__(self, games):
        self.asked += len(games)
        self.counts = [max(len(one.record.moves) // 2 - 1, 0) for one in games]
        return self

    def at_speeds(self, evidence, speeds):
        return evidence

    def evidence(self, moves):
        curve = -((self.grid - 1400) ** 2) / (2 * 200**2) * (not self.flat)
        return np.tile(np.append(curve, 1.0), (len(moves.counts), 1))


@pytest.fixture
def stub(monkeypatch):
    one = Stub()
    monkeypatch.setattr(levels.time, "time", lambda: 0.0)  # all games are of about now
    monkeypatch.setattr(raters, "shipped_estimator", lambda scale: one)
    monkeypatch.setattr(raters, "shipped_method", lambda scale: one)
    raters.estimator_rater.cache_clear()
    yield one
    raters.estimator_rater.cache_clear()


def test_a_game_is_judged_once(profile, stub):
    add(profile, game(), game(day=1, seed=2))
    before = history(profile)
    assert stub.asked == 2
    assert history(profile) == before
    assert stub.asked == 2
    add(profile, game(f"{OPENING} Re1", day=2, seed=3))
    assert len(history(profile)) == 3
    assert stub.asked == 3


@pytest.mark.parametrize(
    "change",
    [
        {"saved": replace(game().saved, side=-1)},
        {"metadata": RecordMetadata(evals=b"12" * len(game().saved.actions))},
    ],
    ids=["turned", "completed"],
)
def test_a_game_that_changes_while_it_is_judged_is_judged_anew(profile, stub, change):
    """What it said before is not kept; it is when nothing changes meanwhile."""
    one = replace(game(), metadata=RecordMetadata())

    def meanwhile(games):
        if not stub.asked:
            profile.games.add([("elsewhere", replace(one, **change))])
        return Stub.__call__(stub, games)

    stub.scorer = meanwhile
    profile.games.add([("elsewhere", one)])
    assert profile.levels.rate_new("You", "chess", 1) == 1
    assert profile.levels.count_unrated("You", "chess") == 1
    assert profile.levels.rate_new("You", "chess", 1) == 1
    assert profile.levels.count_unrated("You", "chess") == 0


def test_a_game_is_judged_anew_by_another_estimator(profile, stub, monkeypatch):
    add(profile, game())
    history(profile)
    monkeypatch.setattr(raters, "digest_of", lambda path: "another")
    raters.estimator_rater.cache_clear()
    history(profile)
    assert stub.asked == 2


@pytest.mark.parametrize(
    ("how", "counts"),
    [
        ({}, True),
        ({"opponent": "even"}, False),
        ({"opponent": "engine:cmd=stockfish,elo=1500"}, False),
        ({"opponent": "human:elo=1500"}, False),
        ({"opponent": "pikl:elo=1500,net=people.onnx"}, False),
        ({"marks": ("given",) + ("",) * 9}, False),
        ({"marks": ("", "", "hint") + ("",) * 7}, False),
    ],
)
def test_results_that_count(profile, stub, how, counts):
    """Against a rating that is our scale's, in a game that was the person's own."""
    found = []
    for seed, result in enumerate((1, -1)):
        add(profile, game(result=result, seed=seed, **how))
        found.append(history(profile)[-1].rating)
        profile.people.delete("you")
    assert (found[0] > found[1]) == counts


def test_results_that_choose_the_next_opponent(profile, stub, monkeypatch):
    """Those that count, of games played here, the latest."""
    aided = game(marks=("hint",) + ("",) * 9, seed=3, day=3)
    unrated = game(opponent="random", seed=4, day=4)
    add(profile, game(day=1), game(day=2, result=-1, seed=2), aided, unrated)
    assert profile.levels.results("You", "chess") == [(1500.0, 1.0, 0.0), (1500.0, 0.0, 0.0)]
    assert profile.levels.results("You", "chess", 1) == [(1500.0, 0.0, 0.0)]
    others = ("human:elo=1500", "pikl:elo=1500,sims=1", "pikl:elo=1500,lean=0")
    add(profile, *(game(opponent=one, seed=6 + k) for k, one in enumerate(others)))
    assert len(profile.levels.results("You", "chess")) == 2, "they play otherwise at 1500"
    profile.games.add([("from elsewhere", game(seed=5, day=5))])
    assert len(profile.levels.results("You", "chess")) == 2, "imported games choose nobody"
    monkeypatch.setattr(levels.time, "time", lambda: (1.5 + levels.MOST_DAYS) * DAY)
    assert profile.levels.results("You", "chess") == [(1500.0, 0.0, 0.0)], "the first is too old"


def test_results_against_even_count_at_the_level_that_it_played_at(profile, stub):
    """So they move the next game's level, but less surely than those against a fixed one."""
    spec = "even:elo=1500,unsure=90,moves=0.1"

    def lost(opponent, seed, level=1620.0):
        return replace(game(opponent=opponent, seed=seed), outcome=Outcome(-1, "", level))

    add(profile, *(lost(spec, seed) for seed in range(4)), lost("even", 5, None))
    result = (1620.0, 0.0, levels.EVEN_UNSURE)
    assert profile.levels.results("You", "chess") == [result] * 4
    add(profile, lost("even:sims=2", 6))
    assert len(profile.levels.results("You", "chess")) == 4, "that one is another player"
    found = levels.matched(profile.levels, "You", "chess")
    assert found.offset < -100
    first, unsure = parse_spec(found.spec)[1]["elo"], parse_spec(found.spec)[1]["unsure"]
    assert first == pytest.approx(found.level.rating + found.offset, abs=1)
    offset = results_offset(found.level.rating, [result] * 4)
    assert unsure == pytest.approx(math.hypot(found.level.deviation, offset.deviation), abs=1)


def test_who_says_their_rating_is_believed_until_they_have_played(profile, stub):
    assert profile.levels.now("you", "chess") is None
    profile.levels.claim("You", "chess", 2000)
    before = profile.levels.now("you", "chess")
    assert (before.rating, before.games) == (2000, 0)
    assert profile.levels.claimed("YOU", "chess") == 2000
    assert profile.levels.claimed("you", "go") is None
    add(profile, game(opponent="even"))
    variance = 1 / (1 / 200**2 + 1 / levels.CLAIM_DEVIATION**2)
    expected = variance * (1400 / 200**2 + 2000 / levels.CLAIM_DEVIATION**2)
    assert profile.levels.now("you", "chess").rating == pytest.approx(expected, abs=20)
    profile.levels.claim("you", "chess", 1200)
    assert profile.levels.now("you", "chess").rating < 1400


def test_results_at_go_say_nothing(profile, stub, monkeypatch):
    """A rank more is of no known worth in results."""
    saved = Saved(game="go", opponent="human:rank=8k", side=1, seed=1, actions=(60, 72, 288, 300))
    found = []
    for result in (1, -1):
        add(profile, Finished(saved=saved, outcome=Outcome(result, "", 2300.0), begun=0, ended=0))
        found.append(profile.levels.history("you", "go")[-1].rating)
        profile.people.delete("you")
    assert found[0] == found[1] == pytest.approx(1470, abs=30), "the first guess is 5k"
    assert profile.levels.now("you", "go9") is None


@pytest.mark.parametrize("said", [700.0, 1800.0, 2900.0])
def test_a_game_that_says_nothing_leaves_a_claim_as_it_is(profile, stub, said):
    """However near the ends of what moves can tell."""
    profile.levels.claim("You", "chess", said)
    before = profile.levels.now("You", "chess")
    stub.flat = True
    add(profile, game(opponent="even"))
    after = profile.levels.now("You", "chess")
    assert after.rating == pytest.approx(before.rating, abs=10)
    assert (after.low, after.high) == pytest.approx((before.low, before.high), abs=40)


def test_the_latest_games_are_judged_first(profile, stub):
    """Those that are not judged yet say nothing."""
    add(profile, *(game(day=k, seed=k) for k in range(4)))
    assert profile.levels.now("You", "chess", max_new=0) is None
    assert stub.asked == 0
    assert profile.levels.now("You", "chess", max_new=1).games == 1
    latest = profile.levels.history("You", "chess", max_new=0)
    assert [one.when for one in latest] == [3 * DAY]
    assert [profile.levels.rate_new("you", "chess", 2) for _ in range(3)] == [2, 1, 0]
    assert stub.asked == 4
    assert profile.levels.now("You", "chess", max_new=0).games == 4
