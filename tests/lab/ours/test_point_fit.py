"""Players fitted to ranks of Go, with a random network of people and games of random moves."""

import numpy as np
import pytest
from random_go_games import random_go_dataset
from random_networks import random_network

from evenmatch.errors import UsageError
from evenmatch_lab.ours import point_fit
from evenmatch_lab.shared import level_numbers


@pytest.fixture
def data(tmp_path, monkeypatch):
    """People of 20k; the network of people is told the server."""
    net = str(random_network(tmp_path / "net.onnx", ("ogs",), game="go9"))
    for module in (point_fit, level_numbers):
        monkeypatch.setattr(module, "people_path", lambda _: net)
    dataset = random_go_dataset(tmp_path / "ogs", ranks=("20k", "19k"), shares=(0, 1, 0, 0))
    return dataset.folder


def test_numbers_are_found_and_told(data):
    (part,) = point_fit.parts(True, [data], []).items()
    name, found = part
    assert name == "ogs, 20k"
    row = found.run(lambda *_: None, {}) | {"settings": found.settings}
    assert row["moves"] == 4
    assert np.isfinite(row["people"]).all()
    assert found.settings["r_th"] == point_fit.R_TH
    assert -2 <= row["sa"]["z"] <= 6
    assert row["pikl"]["simulations"] == 4
    text = "\n".join(point_fit.page({name: row}))
    assert text.count("| ogs, 20k |") == 2
    assert f"{row['sa']['z']:.2f}" in text


def test_a_level_that_does_not_lose_what_people_lose_has_a_star(data):
    (part,) = point_fit.parts(True, [data], []).values()
    row = part.run(lambda *_: None, {}) | {"settings": part.settings}
    (line,) = point_fit.pikl_lines("x", row)
    assert ("*" in line.replace("**", "")) == (not row["pikl"]["reached"])


def test_passes_are_left_out(data):
    moves = point_fit.People(data, 1100).moves(50)
    assert (moves.actions < moves.game.num_actions - 1).all()
    assert len(moves.states) == len(moves.people) == len(moves.plies)


def test_servers_that_are_not_fitted(tmp_path, data):
    other = random_go_dataset(tmp_path / "else").folder
    with pytest.raises(UsageError, match="give datasets of ogs and kgs"):
        point_fit.parts(True, [other], [])
    with pytest.raises(UsageError, match="leave out --net"):
        point_fit.parts(True, [data], [data])
