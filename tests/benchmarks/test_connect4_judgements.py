"""Judged positions of Connect Four: against published scores, kept, gone on with."""

import json
import random
import sys
from pathlib import Path

import pytest
from naive_connect4 import random_position
from shared_data import shared_file

from evenmatch.errors import UsageError

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from connect4_judgements import (
    CACHE,
    SETS,
    Judgement,
    load_positions,
    mismatches,
    optimal_moves,
    read_cache,
)
from connect4_search import Solver

SOLVER = Solver()


@pytest.mark.parametrize("name", SETS)
def test_kept_judgements_equal_published_scores(name):
    positions, kept = load_positions(shared_file(f"connect4/{name}")), read_cache()
    assert len(positions) == 1000
    for moves, score in positions:
        assert kept[moves].outcome == (score > 0) - (score < 0), moves


def test_kept_judgements_can_be_made_again():
    kept = read_cache()
    assert CACHE.stat().st_size < 200_000
    rng = random.Random(9)
    late = sorted(moves for moves in kept if len(moves) >= 16)
    for moves in rng.sample(late, 100):
        assert SOLVER.move_outcomes(moves) == kept[moves].outcomes, moves
    for judgement in kept.values():
        best = {a for a, value in judgement.outcomes.items() if value == judgement.outcome}
        assert {a for a in range(7) if judgement.optimal >> a & 1} == best


def test_judging_goes_on_where_it_was_stopped(tmp_path):
    rng = random.Random(10)
    games = [random_position(rng, 30) for _ in range(6)]
    path, cache = tmp_path / "positions", tmp_path / "deep" / "cache.json"
    path.write_text("".join(f"{moves} 0\n" for moves in games))

    class StoppedError(Exception):
        pass

    def stop(path, done, of):
        assert of == 6
        if done == 4:
            raise StoppedError

    with pytest.raises(StoppedError):
        optimal_moves([path], cache, stop, save_every=0)
    assert list(read_cache(cache)) == games[:3]

    calls = []
    judgements = optimal_moves([path], cache, lambda *call: calls.append(call))
    assert calls == [(path, done, 6) for done in (4, 5, 6)]
    assert judgements == read_cache(cache)
    assert judgements == {m: Judgement.of(SOLVER.move_outcomes(m)) for m in games}
    assert optimal_moves([path], cache, stop) == judgements  # nothing left to stop
    assert "connect4_solver.py" in json.loads(cache.read_text())["made_by"]
    expected = [moves for moves in games if judgements[moves].outcome != 0]
    assert mismatches(path, judgements) == expected


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match="EVENMATCH_DATA"):
        load_positions(tmp_path / "none")
    (tmp_path / "bad").write_text("44 1\n44\n")
    with pytest.raises(UsageError, match="line 2"):
        load_positions(tmp_path / "bad")
