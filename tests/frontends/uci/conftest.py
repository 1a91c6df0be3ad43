"""An engine to talk to, on a small random network."""

import pytest
from random_networks import random_network
from talk import Talk

from evenmatch.network.owner import use_threads


@pytest.fixture(scope="session")
def weights(tmp_path_factory):
    return random_network(tmp_path_factory.mktemp("uci") / "net.onnx", scales=("lichess",))


@pytest.fixture
def talk(weights):
    talk = Talk(weights)
    yield talk
    talk.engine.handle("quit")
    use_threads(None)
