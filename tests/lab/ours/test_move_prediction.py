"""Moves foreseen by networks that are told ratings, and by those that are not."""

import numpy as np
from random_go_games import random_go_dataset
from random_networks import random_network

from evenmatch.estimation import Ranks
from evenmatch.ratings.ranks import Bands
from evenmatch_lab.ours import move_prediction
from evenmatch_lab.shared.clusters import quantile


def test_a_network_that_knows_the_server_is_told_the_rank_too(tmp_path):
    data = random_go_dataset(tmp_path / "kgs", ranks=("1d", "5d"), shares=(0, 0, 0, 1)).folder
    knows = random_network(tmp_path / "knows.onnx", ("ogs", "kgs"), game="go9")
    not_it = random_network(tmp_path / "other.onnx", ("ogs",), game="go9")
    found = move_prediction.parts(True, [data], [knows, not_it])
    rows = {
        key: part.run(lambda *_: None, {})
        for key, part in found.items()
        if not key.endswith("ours")
    }
    assert {"knows", "knows, rating told"} <= rows["kgs: knows"].keys()
    assert "other, rating told" not in rows["kgs: other"]
    counts = rows["kgs: knows"]["knows, rating told"]["all"]
    assert sum(moves for _, moves in counts) > 0


def test_gains_are_of_the_same_moves_with_intervals_by_people():
    """By hand: 6 more of 40 moves; leaving a person out it is 5, 6 and 1 of 30, 30 and 20."""
    ours, theirs = [[6, 10], [5, 10], [14, 20]], [[5, 10], [5, 10], [9, 20]]
    bands = Bands((2150, 2650), "kyu")
    text = "\n".join(
        move_prediction.gain_lines({move_prediction.OURS: [ours], "go": [theirs]}, bands)
    )
    assert "Ours minus go, in points, on the same moves: 9k-5k +15.0 ± " in text
    without = np.array([5 / 30, 6 / 30, 1 / 20])
    freedom = 40**2 / (10**2 + 10**2 + 20**2)
    half = quantile(freedom) * (2 * without.var()) ** 0.5
    assert f"± {100 * half:.1f}." in text


def test_people_of_a_band_are_counted(tmp_path):
    data = random_go_dataset(tmp_path / "kgs", ranks=("1d", "5d"), shares=(0, 0, 0, 1)).folder
    net = random_network(tmp_path / "n.onnx", ("kgs",), game="go9")
    part = move_prediction.parts(True, [data], [net])["kgs: n"]
    row = part.run(lambda *_: None, {})["n"]
    written = row[move_prediction.EACH]
    for one, (hits, moves) in zip(written, row["all"], strict=True):
        people = move_prediction.people_in(one)
        assert [sum(x) for x in zip(*people, strict=True)] == ([hits, moves] if people else [])
    page = "\n".join(move_prediction.page({"kgs: n": part.run(lambda *_: None, {})}))
    assert "95% intervals of all moves are by people" in page


def each_of(rng, people, moves, share):
    """Moves foreseen, and all, of people of eight ranks."""
    return [[[int(rng.binomial(moves, share)), moves] for _ in range(people)] for _ in range(8)]


def test_what_is_told_ratings_is_compared_with_the_best_of_each_band():
    """1,000 people of 50 moves: half an interval is about 0.6 points, the lead is 5."""
    rng = np.random.default_rng(3)
    each = {
        "ours": each_of(rng, 1000, 50, 0.50),
        "ours, rating not told": each_of(rng, 1000, 50, 0.90),
        "mix": each_of(rng, 1000, 50, 0.90),
        "mix, rating told": each_of(rng, 1000, 50, 0.60),
        "a": each_of(rng, 1000, 50, 0.55),
        "b": each_of(rng, 1000, 50, 0.55),
    }
    each["a"][0], each["b"][7] = each["mix, rating told"][0], each["ours"][7]
    first, second = (x for x in move_prediction.best_lines(each, Ranks().bands) if x)
    assert first.startswith("Ours minus the best of the others in each band")
    assert first.endswith("it is above in 0 of 8.")
    assert second.startswith("Mix, rating told minus the best")
    assert "2400-2599 +0.0 ± 0.0 (a)" in second
    assert second.endswith("it is above in 7 of 8.")
    assert second.count("(a)") + second.count("(b)") == 8
