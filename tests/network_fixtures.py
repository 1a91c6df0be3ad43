"""Fixtures of tests of networks: a small one, its file, its game and positions."""

import numpy as np
import pytest
from tiny_networks import TinyGame, make_card, make_net


@pytest.fixture
def game():
    return TinyGame()


@pytest.fixture
def states():
    return np.random.default_rng(1).integers(0, 1 << 20, (70, 2), np.uint64)


@pytest.fixture(scope="session")
def net():
    return make_net()


@pytest.fixture(scope="session")
def path(net, tmp_path_factory):
    from evenmatch.workshop.networks.export import write_artifact

    path = tmp_path_factory.mktemp("nets") / "tiny.onnx"
    write_artifact(net, make_card(strength={"minimax-3": "0.8 +- 0.05 of 200"}), path)
    return path
