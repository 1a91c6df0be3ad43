"""Moves foreseen by networks that are told ratings, and by those that are not."""

from random_go_games import random_go_dataset
from random_networks import random_network

from evenmatch_lab.ours import move_prediction


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
