"""Fuzzing in its quick form: some inputs of every door, and none is a find."""

from pathlib import Path

import pytest

from evenmatch_lab.fuzz.door import RIGHT, drawn, judged
from evenmatch_lab.fuzz.doors import NAMES, door_named, doors

QUICK = 50  #: inputs of each door
SEED = 1


def test_the_doors_are_those_that_are_named():
    assert tuple(doors()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_some_inputs_of_every_door(name, tmp_path):
    door = door_named(name)
    examples = door.examples(tmp_path)
    take = door.opened(tmp_path)
    kinds = set()
    for number in range(QUICK):
        data = drawn(door, SEED, number, examples)
        verdict = judged(take, data)
        assert verdict.kind in (*RIGHT, "slow"), f"{number}: {verdict.told}"
        kinds.add(verdict.kind)
    assert {"accepted", "refused"} <= kinds  # else the door is shut, or nothing is wrong


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_accepted(name, tmp_path):
    """But for those that show a refusal, most of them."""
    door = door_named(name)
    examples = door.examples(tmp_path)
    take = door.opened(tmp_path)
    accepted = [judged(take, data).kind == "accepted" for data in examples]
    assert sum(accepted) > len(examples) / 2


@pytest.mark.parametrize("name", ["pgn", "onnx", "dataset", "state"])
def test_inputs_depend_on_door_seed_and_number_alone(name, tmp_path):
    door, folders = door_named(name), [tmp_path / "one", tmp_path / "another"]
    for folder in folders:
        folder.mkdir()
    first, second = map(door.examples, folders)
    once = [drawn(door, 3, n, first) for n in range(60)]
    assert once == [drawn(door, 3, n, second) for n in range(60)]
    assert once != [drawn(door, 4, n, first) for n in range(60)]


def test_a_door_that_is_none():
    with pytest.raises(Exception, match="no door 'window'; choose some of: uci, gtp"):
        door_named("window")


def test_the_corpus_is_small():
    corpus = Path(__file__).parents[2] / "fuzz" / "corpus"
    assert sum(path.stat().st_size for path in corpus.rglob("*")) < 2_000_000
