"""What tests of fitting share: games of all ranks, two random networks, and few epochs."""

from types import SimpleNamespace

import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch.workshop.fitting import pooled_fit

PAIRS = tuple((low, low + 200) for low in range(1050, 2600, 400))


@pytest.fixture(scope="session")
def games_of_all_ranks(tmp_path_factory):
    """A folder with a dataset of all four splits; every two players meet three times."""
    folder = tmp_path_factory.mktemp("ranks")
    random_dataset(folder, games=240, shares=(1, 1, 1, 1), bands=PAIRS, each=3)
    return folder / "dataset"


@pytest.fixture(scope="session")
def nets(tmp_path_factory):
    """A network with strength scores and conditions, and another one that has neither."""
    pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")
    folder = tmp_path_factory.mktemp("nets")
    return SimpleNamespace(
        conditioned=random_network(folder / "net.onnx", scales=("dataset",), strength=2 + 8),
        plain=random_network(folder / "maia.onnx", seed=1),
    )


@pytest.fixture(scope="module")
def few_epochs():
    """Fits of two passes over the games: what they say matters to no test that asks for this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooled_fit, "EPOCHS", 2)
        yield
