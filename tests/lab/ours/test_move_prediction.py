"""Moves foreseen by networks that are told ratings, and by those that are not."""

import numpy as np
from random_go_games import random_go_dataset
from random_networks import random_network

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
    assert {"knows", "knows, rating given"} <= rows["kgs: knows"].keys()
    assert "other, rating given" not in rows["kgs: other"]
    counts = rows["kgs: knows"]["knows, rating given"]["all"]
    assert sum(moves for _, moves in counts) > 0


def test_gains_are_of_the_same_moves_with_intervals_by_people():
    """By hand: 6 more of 40 moves; leaving a person out it is 5, 6 and 1 of 30, 30 and 20."""
    ours, theirs = [[6, 10], [5, 10], [14, 20]], [[5, 10], [5, 10], [9, 20]]
    bands = Bands((2150, 2650), "kyu")
    lines = move_prediction.gain_lines({move_prediction.OURS: [ours], "go": [theirs]}, bands)
    (row,) = [line for line in lines[-1].splitlines() if line.startswith("| ours minus go")]
    without = np.array([5 / 30, 6 / 30, 1 / 20])
    freedom = 40**2 / (10**2 + 10**2 + 20**2)
    half = quantile(freedom) * (2 * without.var()) ** 0.5
    assert f"+15.0 ± {100 * half:.1f}" in row
    assert row.endswith("| 1 of 1 |")


def test_ours_is_compared_with_the_best_of_each_band():
    """The best of the others is another one in the lowest band and in the highest."""
    people = {"ours": 50, "ours, rating not given": 90, "mix": 40, "mix, rating given": 60}
    each = {name: [[[hits, 100]] * 9] * 8 for name, hits in people.items()}
    each |= {"a": [[[70, 100]] * 9, *each["mix"][1:]], "b": [*each["mix"][1:], [[45, 100]] * 9]}
    bands = Bands(tuple(range(1000, 2800, 200)), "elo")
    table = move_prediction.gain_lines(each, bands)[-1].splitlines()
    ours, mix = (line for line in table if " minus the best of the others" in line)
    assert "+5.0 ± 0.0 (b)" in ours
    assert "-20.0 ± 0.0 (a)" in ours
    assert ours.endswith("| 7 of 8 |")
    assert "+15.0 ± 0.0 (b)" in mix
    assert "-10.0 ± 0.0 (a)" in mix
