"""What dynamic_z keeps of z, on the smallest searches."""

import statistics

import pytest

from evenmatch.arena import play
from evenmatch_lab.wu2019 import dynamic_z


def quiet(done, total):
    """No progress bar."""


def test_inter_game_keeps_z_after_every_game():
    row = dynamic_z.measure_inter(4, 3, 2, quiet, {})["opponents"]
    assert list(row) == [str(z) for z in dynamic_z.OPPONENTS]
    for one in row.values():
        assert sum(one["score"]) == 3 * 2
        assert [len(series) for series in one["z"]] == [3, 3]
        for series in one["z"]:  # steps 0.375 r^t, against the result
            assert abs(series[0]) in (0.0, pytest.approx(0.375))
            assert abs(series[1] - series[0]) in (0.0, pytest.approx(0.375 * 0.95, abs=1e-4))


def test_intra_game_keeps_z_at_the_end(monkeypatch):
    """The mean and the deviation of the z that each game was last played with."""
    last = {}

    def watched(entrants, pairings, game, watch, **others):
        def noted(entrant, turns, mover):
            if entrant == 0:
                last.update((g, mover.controller(int(g)).dial.z) for g in turns.games)
            watch(entrant, turns, mover)

        return play(entrants, pairings, game, watch=noted, **others)

    monkeypatch.setattr(dynamic_z, "play", watched)
    row = dynamic_z.measure_intra(4, 3, 0.2, quiet, {})["opponents"]
    for opponent, one in enumerate(row.values()):
        ends = [last[3 * opponent + game] for game in range(3)]
        assert sum(one["score"]) == 3
        assert one["z"] == pytest.approx(statistics.mean(ends))
        assert one["std"] == pytest.approx(statistics.stdev(ends))
    assert len({one["z"] for one in row.values()}) > 1
