"""The page of z_dial from made-up games."""

import itertools
import re

import pytest
from parts_of_a_dial import expected, part, row, settings

from evenmatch_lab.figures import dials
from evenmatch_lab.wu2019 import dial_page
from evenmatch_lab.wu2019.dial_games import INF, Z

STEPS = (INF, 2.0, 1.0, 0.0, -1.0, -2.0, -INF)


@pytest.fixture
def results():
    made = {f"R_th = 0.1, z = {z:g}": part(z, expected(z)) for z in Z if z}
    for z in Z[1:]:
        fraction = 0.0 if z <= -2 else expected(z)
        made[f"R_th = 0, z = {z:g}"] = part(z, fraction, r_th=0.0, games=20)
    for z, lower in itertools.pairwise(STEPS):
        step = {"settings": settings(z=str(z), lower=str(lower)), "point": row(0.7)}
        made[f"step, z = {z:g} to {lower:g}"] = step
    for z in STEPS:
        made[f"400 simulations, z = {z:g}"] = part(z, expected(z), simulations=400)
    for z in (2.0, 0.0, -INF):
        made[f"top 2, z = {z:g}"] = part(z, 0.5, r_th=0.0, top=2)
    return made


def test_every_part_is_on_the_page(results):
    text = "\n".join(dial_page.page(results))
    for line in (
        "| -inf | 7.2% | ",
        "| 0 | -2, -inf | ",  # what the fits leave out
        "| 400 simulations (139 visits) | 5 |",
        "| each point meets the next | 5 |",
        "| top 2 | 2.50 |",
        "What agrees, what does not, and why",
    ):
        assert line in text
    assert "nan" not in text


def test_a_bound_is_no_elo(results):
    (line,) = [x for x in dial_page.page(results) if x.startswith("| -2 | below")]
    assert line.count("below") == 1


def test_eq_15_holds_where_games_are_made_so(results):
    """40 pairs round each fraction to 1/40: some 10 Elo in the middle, 40 at the ends."""
    (line,) = [x for x in dial_page.page(results) if x.startswith("| ours, as the paper")]
    assert float(line.split("|")[4]) < 40


def test_the_page_is_written_of_any_part(results):
    keys = list(results)
    for end in range(1, len(keys), 3):
        dial_page.page({key: results[key] for key in keys[:end]})
    for key in keys:
        dial_page.page({key: results[key]})
    begun = {f"R_th = 0.25, z = {z:g}": part(z, 0.5, r_th=0.25) for z in (2.0, -2.0)}
    assert "What agrees" in "\n".join(dial_page.page(results | begun)), "an end is missing"


def test_the_span_is_told_of_its_two_points(results):
    two = {key: results[key] for key in ("R_th = 0.1, z = 2", "R_th = 0.1, z = -2")}
    text = "\n".join(dial_page.page(two))
    assert re.search(r"Span over z in \[-2, 2\]: \+\d+ \(", text)
    assert "Linear regression" not in text
    assert "Table 2" not in text
    told = dials.z_dial(two)
    assert float(told["span"]) == pytest.approx(763, abs=1)  # 36 and 4 of 40: 2 x 381.7
    assert told["straight"].endswith("not been measured yet")
    assert dials.z_dial(results)["straight"].endswith(" Elo off a straight line")


def test_where_eq_15_holds_chance_explains_its_error(results):
    text = "\n".join(dial_page.page(results))
    share = re.search(r"as large would come in ([\d.]+)% of experiments with as many pairs", text)
    assert float(share[1]) > 5


def test_figures(results, tmp_path):
    path = tmp_path / "z.svg"
    dial_page.plot(results, path)
    assert "figure 4" in path.read_text()


def test_the_page_names_the_game(results):
    assert dial_page.page(results)[0].startswith("Othello 8x8 in place of Go, 200")
    for game_id, words in (("go9", "9x9 Go in place of 19x19, "), ("go", "Go on 19x19, as in")):
        for one in results.values():
            one["settings"]["game"] = game_id
        assert dial_page.page(results)[0].startswith(words)
