"""The search for numbers of `even`: its loss, its bounds, whom it meets, and that it goes on."""

import json
from itertools import permutations

import numpy as np
import pytest

from evenmatch.errors import StateError
from evenmatch.games import get_game
from evenmatch.opponents import parse_spec, resolve
from evenmatch_lab import get_experiment
from evenmatch_lab.ours.even_numbers import (
    BOUNDS,
    QUICK,
    SIZE,
    Search,
    in_cube,
    key_of,
    keys_at,
    keys_of,
    loss_of,
    numbers_of,
    start_of,
    units_of,
    written,
)
from evenmatch_lab.pages import RESULTS, block_of
from evenmatch_lab.runner import ORIGIN, ResultFile, run
from evenmatch_lab.shared.strangers import EVERYBODY, HELD_OUT, STOCKFISH, TUNING, population

GAMES = get_experiment("even_numbers").games


@pytest.mark.parametrize("game_id", GAMES)
def test_numbers_between_the_bounds_are_allowed_and_the_start_is_between_them(game_id):
    start, game = start_of(game_id), get_game(game_id)
    point = in_cube(start)
    assert ((point >= 0) & (point <= 1)).all()
    assert keys_at(start, point) == keys_of(start)
    for ends, beyond in ((0, -0.3), (1, 1.3)):
        keys = keys_at(start, np.full(len(start), beyond))
        assert numbers_of(keys) == {name: BOUNDS[name][ends] for name in start}
        resolve(f"even:{keys}", game)


def test_the_loss_is_the_mean_product_of_different_units():
    """The first two in first games, six units each, the third in two series of four games."""
    size = SIZE._replace(firsts=2)
    units = [[0, 0.25, 1, 1, 0.5, 0.75], [1, 1, 0.5, 1, 1, 1], [0.125, 0.75]]
    text = written([np.array(some) for some in units], size)
    assert text == "014423 442444 16"
    assert [some.tolist() for some in units_of(text, size)] == units
    naive = [np.mean([(a - 0.5) * (b - 0.5) for a, b in permutations(some, 2)]) for some in units]
    assert loss_of(units_of(text, size)) == pytest.approx(np.mean(naive))


def searched(search, loss, generations):
    """Results of generations whose losses are a function of the numbers."""
    done = {}
    for k in range(1, generations + 1):
        candidates = search.written(search.optimiser(done).ask())
        losses = [loss(numbers_of(keys)) for keys in candidates]
        for one in search.game_ids:
            done[key_of(one, k)] = {"cma": "4", "candidates": candidates, "losses": losses}
    return done


def test_the_search_keeps_within_the_bounds_and_finds_the_best():
    """That is beyond a bound in one number; candidates follow from kept losses alone."""
    search = Search(("connect4", "othello6"), SIZE, False)
    best = np.array([0.8, 0.3, 0.2, 1.2, 0.5, 0.3, 0.6, 0.4, 0.3])
    done = searched(search, lambda x: float(((in_cube(x) - best) ** 2).sum()), 30)
    seen = [in_cube(numbers_of(keys)) for row in done.values() for keys in row["candidates"]]
    assert np.min(seen) >= 0
    assert np.max(seen) <= 1
    assert search.optimiser(done).result.xfavorite == pytest.approx(best.clip(0, 1), abs=0.15)
    again = search.optimiser(json.loads(json.dumps(done)))
    assert search.written(again.ask()) == search.written(search.optimiser(done).ask())


def test_with_equal_losses_the_start_is_best():
    search = Search(("connect4",), SIZE, False)
    found = search.optimiser(searched(search, lambda x: 0.02, 20)).result.xfavorite
    assert found == pytest.approx(in_cube(search.start), abs=0.15)


def test_candidates_of_another_optimiser_are_refused():
    search = Search(("connect4",), QUICK, True)
    done = searched(search, lambda x: 0.02, 1)
    done[key_of("connect4", 1)]["candidates"].reverse()
    with pytest.raises(StateError, match="install version 4, or choose another folder"):
        search.optimiser(done)


PLAYERS = {
    "random": {"random"},
    "style": {"style"},
    "mcts": {"mcts"},
    "softmax": {"softmax"},
    "people": {"human"},
    "pikl": {"pikl"},
    "Stockfish": {"engine"},
}  #: of families


@pytest.mark.parametrize("game_id", GAMES)
def test_no_opponent_is_of_a_family_that_is_held_out(game_id):
    game = get_game(game_id)
    judging = {one.spec for one in EVERYBODY.get(game_id, ()) if one.family in HELD_OUT}
    met = [one for seed in range(10) for one in population(game_id, 24, seed, quick=seed % 2 == 0)]
    for one in met:
        assert one.family in TUNING.keys() - HELD_OUT.keys()
        assert parse_spec(one.spec)[0] in PLAYERS[one.family]
        assert one.family != "Stockfish" or one.spec.startswith(STOCKFISH)
        assert one.spec not in judging
        resolve(one.spec, game)
    assert len({one.spec for one in met}) > 100
    assert {one.family for one in met[:24]} == {one.family for one in met}


def test_an_interrupted_search_goes_on_to_the_same_results(tmp_path):
    """Two generations of few games; the second and the comparison are made again."""
    experiment = get_experiment("even_numbers", "connect4")
    page = run(experiment, tmp_path / "once", quick=True)
    text = block_of(page.read_text(), RESULTS)
    for shown in ("| Connect Four, 2 | ", "| Connect Four | first games | 2 |", "| `ahead` | "):
        assert shown in text
    path = tmp_path / "once" / "even_numbers_connect4_quick.json"
    once = ResultFile.read(path)
    assert not once.left
    first = key_of("connect4", 1)
    ResultFile(parts={first: once.parts[first]}).write(tmp_path / "again" / path.name)
    run(experiment, tmp_path / "again", quick=True)
    again = ResultFile.read(tmp_path / "again" / path.name)
    assert result_of(again) == result_of(once)


def result_of(kept):
    """The parts as they are kept, without what made them."""
    made = {key: row.items() for key, row in kept.parts.items()}
    return json.dumps({k: {a: b for a, b in row if a not in ORIGIN} for k, row in made.items()})
