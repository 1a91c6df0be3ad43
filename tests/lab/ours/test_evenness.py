"""The experiment on evenness: a quick run, who is beyond reach, and what its page says."""

import pytest

from evenmatch.opponents.even_row import first_guess
from evenmatch.opponents.rating_range import rating_of
from evenmatch_lab import get_experiment
from evenmatch_lab.ours import evenness
from evenmatch_lab.ours.evenness import EQUALS, PLAY, STRENGTH, Table, key_of, slices_of
from evenmatch_lab.pages import RESULTS, block_of
from evenmatch_lab.runner import ResultFile, run


def row(*units, sides="12"):
    """A row of made-up units, such as WL, in which each game of 20 plies is open for 10."""
    n = len(units[0])
    return {
        "results": list(units),
        "sides": [(sides * n)[:n]] * len(units),
        "plies": [" ".join(["10/20"] * n)] * len(units),
        "hashes": " ".join(f"{units}{k}".replace(" ", "") for k in range(n * len(units))),
    }


def parts_of(rows):
    """Results by (design, way, stranger)."""
    return {
        key_of("connect4", *key): {"row": one, "settings": {"family": "made up"}}
        for key, one in rows.items()
    }


RESULTS_OF = parts_of(
    {
        (STRENGTH, "strangers", "weak"): row("WW", "WW"),
        (STRENGTH, "strangers", "strong"): row("LL", "WL"),
        (EQUALS, EQUALS, "weak"): row("W", "D"),
        ("even", "strangers", "weak"): row("WL", "WL"),
        ("even", "strangers", "strong"): row("LL", "LL"),
        (PLAY, "profile", "weak"): row("WWWWWL", "LLLLLW"),
    }
)


def test_who_beats_full_strength_is_listed_apart():
    one = Table.of(RESULTS_OF)
    assert one.beyond == ("strong",)
    assert list(one.within("even", "strangers")) == ["weak"]
    assert list(one.past("even", "strangers")) == ["strong"]
    first, beyond = "\n".join(evenness.page(RESULTS_OF)).split("beyond full strength")
    assert "| even | strangers | 1 | 4 | 0.00 (0.00 to 0.00) |" in first
    assert "| strong |" not in first
    assert "| strong | made up | 0.25 (0%) | 0.00 (0%) | - |" in beyond


def test_games_of_a_series_are_reported_in_two_parts():
    rows = Table.of(RESULTS_OF).within(PLAY, "profile")
    assert list(slices_of("profile", rows)) == ["profile, games 1 to 5", "profile, games 6 on"]
    lines = "\n".join(evenness.page(RESULTS_OF)).splitlines()
    of_play = [line for line in lines if line.startswith(f"| {PLAY}")]
    assert [line.split(" | ")[3] for line in of_play] == ["10", "2"]


def test_seeds_differ_by_stranger_and_way_and_are_the_same_for_all_designs():
    parts = evenness.parts(False, "connect4")
    seeds = {}
    for key, part in parts.items():
        _, _, way, stranger = key.split(" | ")
        seeds.setdefault((way, stranger), set()).add(part.settings["seed"])
    assert all(len(some) == 1 for some in seeds.values())
    assert len({seed for some in seeds.values() for seed in some}) == len(seeds)


@pytest.mark.parametrize("game_id", evenness.GAMES)
def test_three_designs_and_a_coin_meet_the_same_strangers(game_id):
    met = {}
    for key in evenness.parts(False, game_id):
        _, design, way, stranger = key.split(" | ")
        if way == "strangers":
            met.setdefault(design, []).append(stranger)
    assert {"even", "fixed level", "intra", "coin"} <= met.keys()
    assert len({tuple(some) for some in met.values()}) == 1
    known = evenness.designs(game_id)["fixed level"][0]
    assert rating_of(game_id, known) == first_guess(game_id), "so strong as even begins"
    size = evenness.SIZES[game_id]
    assert (size.series, size.rounds) >= (5, 20)


def test_a_quick_run_plays_few_games_and_goes_on(tmp_path):
    """All ways on Connect Four, with tables, in 7 s of CPU; nothing is played twice."""
    experiment = get_experiment("evenness", "connect4")
    page = run(experiment, tmp_path, quick=True)
    text = block_of(page.read_text(), RESULTS)
    for name in ("even", PLAY, "coin", "inter", EQUALS):
        assert f"\n| {name} | " in text
    kept = ResultFile.read(tmp_path / "evenness_connect4_quick.json")
    assert not kept.left
    assert sum(len("".join(x["row"]["results"])) for x in kept.parts.values()) <= 24
    run(experiment, tmp_path, quick=True)
    assert ResultFile.read(tmp_path / "evenness_connect4_quick.json") == kept
