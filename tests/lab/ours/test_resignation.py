"""Who resigns, in games by hand and in random ones."""

import json
import random
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pytest
from own_turns_by_hand import own_turns
from random_networks import random_network

from evenmatch.errors import UsageError
from evenmatch.games.chess import Chess
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.records.build import build
from evenmatch.records.dataset import Dataset
from evenmatch.strength.resigning import EVEN, EVEN_PLIES, EVEN_TURNS, PEOPLE, Habit
from evenmatch_lab import get_experiment
from evenmatch_lab.ours import resignation
from evenmatch_lab.ours.resignation import (
    accepting,
    doubts,
    draw_rule,
    draws,
    likelihoods,
    logistic,
    phases,
    ratio,
    resigned_at,
    value_rows,
    weighted_quantiles,
)
from evenmatch_lab.runner import run
from evenmatch_lab.shared import own_turns as reading
from evenmatch_lab.shared.own_turns import judge
from evenmatch_lab.shared.resigning_turns import choose, choose_early, may_resign, row_features

RESULTS = Path(__file__).parents[3] / "docs" / "results" / "resignation.json"
HALF = Habit(0, 0, 0, 0, 0)


def ignore(done, due):
    pass


# -- turns at which people may resign ------------------------------------------------------------


def test_a_side_may_resign_at_each_turn_and_at_the_end_if_it_did():
    turns = own_turns(
        ([0.5, 0.04], "resigns"),
        ([0.5, 0.04], "is mated"),
        ([0.5, 0.04], "wins"),
        ([0.5, 0.04], "agrees"),
    )
    wanted = [True, True] + [True, False] * 3
    assert may_resign(turns).tolist() == wanted
    found = choose(turns, row_features(turns))
    assert found.resigned.tolist() == [True], "the other lost positions are ends"
    assert found.chances.tolist() == [0.04]


def test_chances_above_the_bound_do_not_count():
    turns = own_turns(([0.3, 0.1, 0.11], "resigns"), ([0.05, 0.2], "is mated"))
    found = choose(turns, row_features(turns))
    assert found.chances.tolist() == [0.1, 0.05]
    assert not found.resigned.any()


def test_without_an_increment_late_turns_do_not_count():
    lost = ([0.04] * 4, "resigns")
    assert may_resign(own_turns(lost, start=76)).all()
    assert may_resign(own_turns(lost, start=76, increment=-1)).all(), "over the board"
    assert may_resign(own_turns(lost, start=76, increment=0)).tolist() == [True] * 2 + [False] * 2


def test_early_turns_count_apart():
    turns = own_turns(([0.04] * 4, "resigns"), start=36)
    rows = row_features(turns)
    assert choose(turns, rows).plies.tolist() == [40, 42]
    assert choose_early(turns, rows).plies.tolist() == [36, 38]


def test_features_are_of_one_side():
    turns = own_turns(([0.5, 0.2], "resigns"), ([0.1], "resigns"), ratings=[1200, 2000])
    low, some = np.log(0.2 / 0.8), np.log(0.1 / 0.9)
    assert row_features(turns) == pytest.approx(
        np.array([[1, -1, 0, 0, 0], [1, -1, low, 0, 0], [1, 1, some, 0, 0]])
    )


# -- statistics ----------------------------------------------------------------------------------


def test_the_weights_are_found():
    """100 samples of 2,000 rows of 500 people: 95% intervals of 2 weights hold 190 of 200 truths on
    average; below 175 with a chance of 1e-4, were they independent (binomial, 95%).
    """
    rng, truth, held = np.random.default_rng(1), np.array([-1.0, 0.7]), 0
    for _ in range(100):
        rows = np.column_stack([np.ones(2000), rng.normal(size=2000)])
        happened = rng.random(2000) < 1 / (1 + np.exp(-rows @ truth))
        weights, errors = logistic(rows, happened, rng.integers(0, 500, 2000))
        held += (np.abs(weights - truth) < 1.96 * errors).sum()
    assert 175 <= held < 200


def test_a_constant_is_the_logit_of_the_share():
    happened = np.arange(40) < 10
    weights, errors = logistic(np.ones((40, 1)), happened, np.arange(40), ridge=0)
    assert weights[0] == pytest.approx(np.log(0.25 / 0.75))
    assert errors[0] == pytest.approx(1 / np.sqrt(40 * 0.25 * 0.75))


def test_rows_of_a_person_count_as_one():
    rng = np.random.default_rng(2)
    rows = np.column_stack([np.ones(50), rng.normal(size=50)])
    happened = rng.random(50) < 0.4
    once = logistic(rows, happened, np.arange(50), ridge=0)
    often = logistic(
        np.tile(rows, (3, 1)), np.tile(happened, 3), np.tile(np.arange(50), 3), ridge=0
    )
    assert often[0] == pytest.approx(once[0])
    assert often[1] == pytest.approx(once[1])


def test_weighted_quantiles_by_hand():
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0])
    assert weighted_quantiles(values, weights, (0.1, 0.25, 0.5, 0.9)).tolist() == [1, 1, 2, 3]


def test_resignations_beside_those_expected():
    """Two of four turns, where the model says half: as many as expected."""
    turns = own_turns(*[([0.04], "resigns")] * 2, *[([0.04, 0.5], "is mated")] * 2)
    found = ratio(choose(turns, row_features(turns)), HALF)
    assert (found["turns"], found["resigned"], found["expected"]) == (4, 2, 2.0)
    value, low, high = found["ratio"]
    assert (value, low + high) == (1, pytest.approx(2))
    without = np.array([1, 1, 2, 2]) / 1.5  # the ratios without one of them
    half = 1.96 * np.sqrt(3 * without.var())
    assert high == pytest.approx(1 + half, abs=1e-4)


def test_chances_at_which_people_resign():
    turns = own_turns(([0.02], "resigns"), ([0.06, 0.5], "is mated"), ([0.08, 0.5], "is mated"))
    found = resigned_at(choose(turns, row_features(turns)), HALF)
    assert found == {"people": [0.02] * 3, "model": [0.02, 0.06, 0.08]}


def test_resignations_in_positions_that_are_not_lost():
    turns = own_turns(*[([0.02], "resigns")] * 2, *[([0.02, 0.5], "is mated")] * 2)
    turns.evals[:] = [0.15, 0.03, 0.3, np.nan, np.nan, np.nan]
    found = doubts(choose(turns, row_features(turns)), HALF)
    assert found == {"people": [0.5, 0], "model": [0.6667, 0.3333]}
    turns.evals[:] = np.nan
    assert doubts(choose(turns, row_features(turns)), HALF) == {}


def test_likelihoods_by_hand():
    turns = own_turns(([0.04], "resigns"), ([0.04, 0.5], "is mated"))
    fit = {"weights": [0, 0, 0, 0, 0], "smaller": {"constant": [np.log(3)]}}
    found = likelihoods(choose(turns, row_features(turns)), fit)
    assert found["constant"] == pytest.approx((np.log(0.75) + np.log(0.25)) / 2, abs=1e-5)
    assert found["and chances of two turns before"] == pytest.approx(np.log(0.5), abs=1e-5)


def test_who_gives_up_when():
    lost, open_ = ([0.04, 0.04], "resigns"), ([0.5, 0.5], "resigns")
    rows = phases(own_turns(lost, open_, ([0.04, 0.5], "wins"), start=56))
    some = next(row for row in rows if row["plies"] == [40, 60] and row["increment"])
    assert (some["lost"], some["open"]) == ([1, 3], [1, 2])
    assert all(row["lost"] == [0, 0] for row in rows if row is not some)


def test_what_values_are_worth():
    turns = own_turns(([0.15, 0.5], "wins"), ([0.15, 0.5], "is mated"), ([0.9, 0.5], "wins"))
    turns.evals[[0, 2]] = 0.1, 0.3
    rows = value_rows(turns)
    assert [row["chances"] for row in rows] == [[0.1, 0.2]], "the others have no evals"
    assert rows[0] == {"chances": [0.1, 0.2], "turns": 2, "evals": [0.12, 0.2, 0.28], "score": 0.5}


# -- draws ---------------------------------------------------------------------------------------


def test_sides_that_accept():
    turns = own_turns(
        ([0.5, 0.55, 0.5], "agrees"),
        ([0.5, 0.7, 0.5], "agrees"),
        ([0.5, 0.5], "agrees"),
        ([0.1, 0.5, 0.45, 0.55, 0.9], "wins"),
    )
    assert accepting(turns, 0.1, 3, 40).tolist() == [True, False, False, True]
    assert accepting(turns, 0.1, 3, 46).tolist() == [False, False, False, True]
    assert accepting(turns, 0.1, 3, 48).tolist() == [False] * 4
    assert accepting(turns, 0.1, 2, 40).tolist() == [True, False, True, True]


def test_the_rule_accepts_most_draws_and_few_decisive_games():
    """Of 50 decisive games, one has 6 even turns: 2% may; six have 4, which is too many."""
    even, longer = [0.5] * 5 + [0.1], [0.5] * 6 + [0.1]
    decisive = [(even, "resigns")] * 5 + [(longer, "resigns")] + [([0.9, 0.9], "wins")] * 44
    turns = own_turns(*decisive, ([0.5] * 6, "agrees"), ([0.5] * 4, "agrees"), start=100)
    found = draw_rule(turns)
    assert found["rule"][1] == 6
    kept = draws(turns, found["rule"])
    assert kept["agreed"]["sides"] == 2
    assert kept["agreed"]["accepts"][0] == 0.5
    assert kept["lost"]["accepts"][0] == pytest.approx(1 / 6, abs=1e-4)
    assert kept["won"]["accepts"][0] == 0
    assert kept["drawn on the board"]["accepts"] == []


# -- reading games -------------------------------------------------------------------------------


def recorded(number, rng, plies=60):
    """A game of random moves, and a PGN of it; results and increments alternate."""
    game = chess.pgn.Game()
    board, node = chess.Board(), game
    for _ in range(plies + number % 2):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        board.push(move)
        node = node.add_variation(move)
        if number % 3:
            node.set_eval(chess.engine.PovScore(chess.engine.Cp(50 * number), chess.WHITE))
    tags = {"White": f"w{number}", "Black": f"b{number}", "WhiteElo": "1500", "BlackElo": "1900"}
    result = ("1-0", "0-1", "1/2-1/2")[number % 3]
    game.headers.update(tags | {"Result": result, "TimeControl": ("600+0", "600+5")[number % 2]})
    return f"{game}\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng, path = random.Random(4), tmp_path_factory.mktemp("resigning")
    text = "".join(recorded(number, rng) for number in range(40))
    (path / "games.pgn").write_text(text)
    build([path / "games.pgn"], path / "dataset", shares=(0, 1, 0, 1))
    return path / "dataset"


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A random network in the place of the shipped one."""
    path = random_network(tmp_path / "net.onnx")
    monkeypatch.setattr(reading, "shipped_path", lambda name: path)
    return path


def test_turns_are_judged_to_the_end(folder, shipped):
    dataset, net = Dataset.open(folder), NetworkEvaluator(shipped, Chess())
    sides = dataset.select(split="tune")
    turns = judge(dataset, "tune", 1000, 1, ignore)
    assert len(turns.results) == len(sides.games)
    for number, (game, side) in enumerate(zip(sides.games, sides.sides, strict=True)):
        record, rows = dataset.record(game), np.flatnonzero(turns.side == number)
        ends = len(record.moves)
        assert turns.plies[rows].tolist() == sorted({*range(side, ends, 2), ends})
        assert turns.own[rows].tolist() == [ply % 2 == side for ply in turns.plies[rows]]
        assert turns.last[rows].tolist() == [False] * (len(rows) - 1) + [True]
        assert turns.results[number] == record.result * (1 - 2 * side)
        assert turns.ratings[number] == (1500, 1900)[side]
        assert turns.increments[number] == int(record.time_control.split("+")[1])
        states = dataset.states(np.full(len(rows), game), turns.plies[rows]).states
        values = net.evaluate(states).values
        mine = np.where(turns.own[rows], values, -values)
        open_ = ~turns.over[rows]
        assert turns.chances[rows][open_] == pytest.approx((1 + mine[open_]) / 2, abs=1e-2)


def test_few_sides_are_drawn_by_chance(folder, shipped):
    few = judge(Dataset.open(folder), "tune", 5, 1, ignore)
    assert len(few.results) == 5
    with pytest.raises(UsageError, match="split train"):
        judge(Dataset.open(folder), "train", 5, 1, ignore)


def test_the_experiment_runs_and_fits_what_it_reports(folder, shipped, tmp_path, monkeypatch):
    """A random network: with a bound of 1, all that is lost without mate is a resignation."""
    monkeypatch.setattr("evenmatch_lab.ours.resignation.MOST", 1.0)
    for name in ("resigning_turns.MOST", "playing_on.MOST", "playing_on.LOST"):
        monkeypatch.setattr(f"evenmatch_lab.shared.{name}", 1.0)
    page = run(get_experiment("resignation"), tmp_path, quick=True, data=[folder]).read_text()
    results = json.loads((tmp_path / "resignation_quick.json").read_text())["parts"]
    fit, found = results["fit"], results["dataset"]
    assert fit["resigned"] > 0
    assert found["bands"]["all"]["lost"] > 0
    assert found["bands"]["1500-1799"]["after"]["sides"] > 0
    for text in ("## Weights", "## dataset, people of split query", "**Draws**", "| 1800-2199 |"):
        assert text in page
    assert (tmp_path / "resignation_quick.svg").exists()
    with pytest.raises(UsageError, match="leave out --net"):
        resignation.parts(True, [folder], [folder])


def test_games_in_which_nobody_resigns_are_refused(folder, shipped, tmp_path, monkeypatch):
    monkeypatch.setattr("evenmatch_lab.shared.resigning_turns.MOST", 0.0)
    with pytest.raises(UsageError, match="nobody of split tune"):
        run(get_experiment("resignation"), tmp_path, quick=True, data=[folder])


# -- what ships ----------------------------------------------------------------------------------


def test_the_numbers_that_ship_are_those_of_the_page():
    fit = json.loads(RESULTS.read_text())["parts"]["fit"]
    assert Habit(*fit["weights"]) == PEOPLE
    assert fit["rule"] == [EVEN, EVEN_TURNS, EVEN_PLIES]
