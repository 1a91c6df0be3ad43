"""Tournaments of ACE's classes: over networks given, and what the games say."""

import pytest
from random_datasets import random_dataset
from random_networks import random_network

from evenmatch_lab.ace2019 import class_tournament


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("classes")
    random_dataset(path, games=12, shares=(0, 0, 1, 0))
    return path / "dataset"


def test_every_method_is_begun_before_any_goes_on(folder, tmp_path):
    net = random_network(tmp_path / "maia.onnx")
    parts = class_tournament.parts(False, [folder], [net])
    keys = [key for key in parts if class_tournament.FITTED not in key]
    first = keys[: 4 * 6]
    assert all(key.endswith(", batch 1") for key in first)
    assert {key.partition(": ")[0] for key in first} == {*class_tournament.METHODS, "ace, maia"}
    assert len(keys) == class_tournament.BATCHES * len(first)
    assert {parts[key].settings["games"] for key in keys} == {20}
