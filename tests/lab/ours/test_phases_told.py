"""Ratings from phases, measured on random games with estimators of whole games."""

import pytest
from random_datasets import random_dataset

from evenmatch.errors import UsageError
from evenmatch_lab.ours import phases
from evenmatch_lab.ours.phases import WHOLE


@pytest.fixture
def dataset(tmp_path):
    bands = tuple((low, low + 100) for low in range(1050, 2600, 200))
    found = random_dataset(tmp_path, games=32, shares=(0, 0, 0, 1), bands=bands, each=2)
    return found.folder.rename(tmp_path / "lichess-rapid")


def test_each_phase_is_measured(dataset):
    (part,) = phases.parts(True, [dataset], []).values()
    row = part.run(lambda *told: None, {})
    assert list(row) == [WHOLE, "opening", "middle", "ending"]
    moves = {name: one["moves"] for name, one in row.items()}
    assert moves[WHOLE] == moves["opening"] + moves["middle"] + moves["ending"]
    assert moves["ending"] == 0, "of games of 15 own moves"
    assert set(row["ending"]["told"]) == {0}, "no moves say nothing"
    text = "\n".join(phases.page({"lichess-rapid": row | {"settings": part.settings}}))
    assert (
        "The opening is the first 10 moves of a side, the ending begins with its move 26." in text
    )
    assert f"| {WHOLE} | {moves[WHOLE]:,} |" in text


def test_what_cannot_be_measured(dataset):
    with pytest.raises(UsageError, match="leave out --net"):
        phases.parts(True, [dataset], [dataset])
    other = dataset.rename(dataset.with_name("fide"))
    with pytest.raises(UsageError, match="no estimators of phases of fide ship"):
        phases.parts(True, [other], [])
