"""Programs that play at a rank of Go, asked for people's moves."""

import pytest
from random_go_games import random_go_dataset

from evenmatch_lab.chen2025 import rank_moves


def test_levels_are_those_of_the_scale():
    assert rank_moves.levels_of("ogs", "go") == [
        "rank=3d", "rank=2k", "rank=7k", "rank=12k", "rank=23k"
    ]  # fmt: skip
    assert rank_moves.levels_of("kgs", "go")[0] == "rank=9d"
    assert rank_moves.levels_of("lichess-rapid", "chess")[-1] == "elo=1100"


@pytest.mark.parametrize(
    ("label", "scale", "level", "spec"),
    [
        ("MCTS", "kgs", "rank=3d", "alphazero:sims=9,solve=off"),
        ("SA-MCTS", "kgs", "rank=3d", "sa:rank=3d,sims=9"),
        ("SE_inf-MCTS", "kgs", "rank=3d", "se:rank=3d,scale=kgs,c_1=2,sims=9"),
        ("SE-MCTS", "lichess-rapid", "elo=1500", "se:elo=1500,plain=on,c_1=2,sims=9"),
        (rank_moves.POLICY, "ogs", "rank=8k", "human:rank=8k,scale=ogs,temperature=0"),
    ],
)
def test_specs_name_the_scale_where_a_rank_may_be_of_several(label, scale, level, spec):
    assert rank_moves.spec_of(label, scale, level, 9) == spec


def test_a_program_is_asked_for_moves_of_go(tmp_path):
    """Plain search alone, which needs nothing fitted, on a 9x9 board."""
    ranks = ("25k", "12k", "7k", "3k", "1d", "7d", "5p")
    dataset = random_go_dataset(tmp_path / "ogs", ranks=ranks, shares=(0, 0, 0, 1))
    part = rank_moves.parts(True, [dataset.folder], [])["ogs: MCTS"]
    row = part.run(lambda *_: None, {}) | {"settings": part.settings}
    assert row["ranks"][-3:] == ["9k-5k", "15k-10k", "30k-16k"]
    assert [len(text) for text in row["right"]] == [2] * 7
    assert [len(who) for who in row["people"]] == [2] * 7
    assert "| r_5 (9k-5k) | " in "\n".join(rank_moves.table({"MCTS": row}))
