"""The experiments in which players of a rating meet, with games made up instead of played."""

import json
from dataclasses import replace

import numpy as np
import pytest
from random_datasets import random_dataset
from scipy.stats import chi2

from evenmatch.errors import UsageError
from evenmatch.estimation.estimator_files import nets
from evenmatch.games import get_game
from evenmatch.opponents import fitted, parse_spec
from evenmatch.play.arena import Played
from evenmatch.ratings import Pentanomial, expected_score
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch_lab.ace2019 import class_tournament, theta_fit
from evenmatch_lab.chen2025 import rank_moves, rank_strength
from evenmatch_lab.runner import run
from evenmatch_lab.shared import agents
from evenmatch_lab.shared.clusters import quantile
from evenmatch_lab.shared.positions import drawn_moves

CHESS = get_game("chess")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("ranked")
    random_dataset(path, games=12, shares=(0, 0, 1, 0))
    return path / "dataset"


def strength(spec):
    """An Elo that a spec is taken to have."""
    return parse_spec(spec)[1].get("elo", 1800)


@pytest.fixture
def made_up(monkeypatch):
    """Results drawn as strengths say, from the openings given; no game is played."""

    def play(specs, pairings, game, *, seed, lines, progress, at_once):
        rng = np.random.default_rng(seed)
        found = []
        for pairing in pairings:
            gap = strength(specs[pairing.first]) - strength(specs[pairing.second])
            won = rng.random() < expected_score(gap)
            found.append(Played(pairing, 1.0 if won else -1.0, tuple(lines[pairing.opening])))
        return found

    monkeypatch.setattr(agents, "play", play)


def test_openings_are_what_candidates_played(folder):
    dataset = Dataset.open(folder)
    lines = agents.drawn_lines(dataset, 20, seed=1)
    assert len(lines) == len({tuple(line) for line in lines}) == 12, "none of them twice"
    for line in lines:
        state = CHESS.initial()
        for action in line:
            assert CHESS.legal_mask(state)[0, action]
            state = CHESS.after(state, np.array([action]))
    assert lines[:5] == agents.drawn_lines(dataset, 5, seed=1)
    assert lines != agents.drawn_lines(dataset, 20, seed=2)


def test_positions_that_are_over_are_not_asked_about():
    """Three times the same position is a draw, which people may play on after."""
    states = [CHESS.initial()]
    for move in 2 * ["g1f3", "g8f6", "f3g1", "f6g8"]:
        action = CHESS.read_action(states[-1][0], move)
        states.append(CHESS.after(states[-1], np.array([action])))
    going = agents.still_open(np.concatenate(states))
    assert going[:8].all()
    assert not going[8]


def test_each_opening_is_played_with_either_side(folder, made_up, monkeypatch):
    seen = []
    inner = agents.play
    monkeypatch.setattr(agents, "play", lambda *a, **k: seen.extend(a[1]) or inner(*a, **k))
    parts = agents.duels(folder, {"a - b": ("mcts", "random")}, 2, 6, seed=3)
    assert list(parts) == ["a - b, batch 1", "a - b, batch 2"]
    rows = {key: part.run(lambda done, due: None, {}) for key, part in parts.items()}
    assert [sum(row["score"]) for row in rows.values()] == [6, 6]
    assert [sum(row["pairs"]) for row in rows.values()] == [3, 3]
    assert agents.scores_of(rows)["a - b"].games == 12
    first, seen[:] = seen[:6], seen[6:]
    assert [(p.first, p.opening) for p in first] == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]
    assert [(p.first, p.opening) for p in seen] == [
        (0, 3), (1, 3), (0, 4), (1, 4), (0, 5), (1, 5)
    ], "the second batch goes on in the draw of the first"  # fmt: skip
    assert [row["openings"] for row in rows.values()] == [[0, 3], [3, 6]]


def test_batches_share_no_opening_until_there_are_no_more(folder, made_up):
    """Twelve openings: four batches of three have them all, the fifth begins again."""
    parts = agents.duels(folder, {"a - b": ("mcts", "random")}, 5, 6, seed=3)
    met = []

    def play(specs, pairings, game, *, lines, **_):
        met.append([tuple(lines[p.opening]) for p in pairings])
        return [Played(p, 1.0, met[-1][0]) for p in pairings]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agents, "play", play)
        rows = {key: part.run(lambda done, due: None, {}) for key, part in parts.items()}
    assert len({line for batch in met[:4] for line in batch}) == 12
    assert met[4] == met[0]
    alone = agents.drawn_lines(Dataset.open(folder), 3, int(_first_seed(3)))
    assert [tuple(line) for line in alone] == met[0][::2], "the first batch's are as ever"
    settings = {"players": ["mcts", "random"], "batch": 2}
    rows = {key: row | {"settings": settings} for key, row in rows.items()}
    assert "drew openings" not in agents.terms(rows)
    del rows["a - b, batch 3"]["openings"]
    assert "1 batches drew openings that others may have too" in agents.terms(rows)


def _first_seed(seed):
    return np.random.default_rng((seed, 1)).integers(1 << 31)


def test_ranks_meet_se_as_it_ships(folder):
    parts = rank_strength.parts(False, [folder], [])
    as_published = [key for key in parts if key.startswith(rank_strength.PUBLISHED)]
    met = {part.settings["players"][1]: key in as_published for key, part in parts.items()}
    assert met == {"se:elo=1700,sims=100": False, "se:elo=1700,c_1=2,sims=800": True}
    assert len(as_published) == 10, "two programs at three ranks but itself, two batches"
    assert {key[-9:] for key in as_published[:5]} == {", batch 1"}, "breadth first"
    assert not [key for key in parts if key.startswith(f"{agents.FITTED_SE} 5,")], "itself"
    beside = [key for key in parts if key not in as_published]
    more = [key.rpartition(" ")[0] for key in beside if key.endswith("batch 5")]
    assert more == [f"{agents.FITTED_SE} {rank}, batch" for rank in (1, 2, 3, 4, 6, 7, 8)]


def test_settings_hold_the_fitted_numbers_that_are_played_by(monkeypatch):
    """So numbers of other ratings may change without the results being out of date."""
    some = replace(fitted.CHESS, sa={1000.0: 1.0, 2000.0: 2.0, 1500.0: 3.0})
    monkeypatch.setitem(agents.LEVELS, "chess", some)
    assert agents.fitted("sa:elo=900") == [(1000, 1)]
    assert agents.fitted("sa:elo=1200") == [(1000, 1), (1500, 3)]
    assert agents.fitted("sa:elo=1500") == [(1500, 3)]
    assert agents.fitted("sa:elo=2100") == [(2000, 2)]
    assert agents.fitted("sa:elo=2100", "sa:elo=1600") == [(1500, 3), (2000, 2)]
    assert agents.fitted("human:elo=1500") == []


def test_p_values_are_level_where_ratings_are_true_and_small_where_not(monkeypatch):
    """300 tournaments of 100 pairs: a share of 5% strays by 1.3%, five deviations are 6.5%.

    Once the games of a pair are independent, and once both end alike, as where the opening decides:
    games taken one by one would refuse true ratings there in more than 11.5%, as is seen.
    """
    monkeypatch.setattr(class_tournament, "SIMULATED", 4_000)
    rng = np.random.default_rng(4)
    expected = np.array([0.1, 0.3, 0.4])
    for alike in (False, True):
        found, by_games = [], []
        for _ in range(300):
            met = [pairs_drawn(rng, p, alike) for p in expected]
            found.append(class_tournament.p_value(met, expected)[1])
            points = np.array([200 * pairs.fraction for pairs in met])
            seen = class_tournament.chi_square(points, expected, np.full(3, 200))
            by_games.append(float(chi2.sf(seen, 3)))
        assert np.mean(np.array(found) < 0.05) < 0.115
        assert (np.mean(np.array(by_games) < 0.05) > 0.115) == alike
    wrong = [Pentanomial((30, 0, 40, 0, 30))] * 3
    assert class_tournament.p_value(wrong, expected)[1] < 1e-2


def pairs_drawn(rng, p, alike):
    """100 pairs of decisive games, each won with chance p; ``alike``: the second as the first."""
    first, second = (rng.random((2, 100)) < p).astype(int)
    both = 2 * first if alike else first + second
    counts = np.bincount(2 * both, minlength=5)
    return Pentanomial(tuple(counts.tolist()))


def test_moves_of_slices_are_those_that_all_thought_about():
    """The second slice is left out until the last program has thought about it."""

    def row(number, right):
        settings = {"moves": 2, "simulations": 8, "slice": number}
        return {"settings": settings, "right": [right] * 8, "people": [[number, 7]] * 8}

    first = {label: [row(1, "10")] for label in rank_moves.PUBLISHED_PROGRAMS}
    assert rank_moves.joined(first)["MCTS"]["right"] == ["10"] * 8
    first["MCTS"].append(row(2, "01"))
    assert rank_moves.joined(first)["MCTS"]["right"] == ["10"] * 8
    both = {label: [row(1, "10"), row(2, "11")] for label in rank_moves.PUBLISHED_PROGRAMS}
    whole = rank_moves.joined(both)["SE-MCTS"]
    assert whole["right"] == ["1011"] * 8
    assert whole["people"] == [[1, 7, 2, 7]] * 8
    assert whole["settings"]["moves"] == 4
    assert rank_moves.joined({"MCTS": first["MCTS"]}) == {}, "no program to compare with yet"


def test_a_lead_has_its_interval():
    """By hand of independent moves: 49 degrees of freedom a rank.

    Wider where people do likewise in all of theirs.
    """
    one, other, alone = [np.ones(50, bool)] * 2, [np.zeros(50, bool)] * 2, [np.arange(50)] * 2
    assert rank_moves.lead(one, other, alone) == (1, 0)
    some = [np.arange(50) % 10 < 5] * 2
    gap, half = rank_moves.lead(some, other, alone)
    assert gap == 0.5
    assert half == pytest.approx(quantile(99) * 0.5 / 98**0.5)
    assert rank_moves.lead(some, other, [np.arange(50) // 5] * 2)[1] > 2 * half


def test_moves_of_a_band_are_drawn(tmp_path):
    bands = ((1050, 1250), (1450, 1650))
    random_dataset(tmp_path, games=8, shares=(0, 1, 0, 0), bands=bands)
    dataset = Dataset.open(tmp_path / "dataset")
    moves = drawn_moves(dataset, "tune", (1400, 1500), 1000, seed=1)
    assert len(moves.states) == 4 * 15, "the side to move first of every other game"
    assert (moves.plies % 2 == 0).all()
    assert CHESS.legal_mask(moves.states)[np.arange(60), moves.actions].all()
    assert len(drawn_moves(dataset, "tune", (1400, 1500), 7, seed=1).plies) == 7
    with pytest.raises(UsageError, match="rated 1900 to 2000 in split tune"):
        drawn_moves(dataset, "tune", (1900, 2000), 7, seed=1)


def test_theta_is_fitted_to_a_network_before_its_classes_meet(folder, tmp_path, monkeypatch):
    net, met = nets() / "maia-1500.onnx", []
    thetas = {1200: [0.5, 1.5, 3.0], 1600: [0.7, 1.25, 2.0]}

    def fit(folder, path, scale, lowest, *given):
        assert (path, scale) == (net, None), "not conditioned on a rating"
        return {"theta": thetas[lowest]}

    def play(specs, pairings, game, *, lines, **given):
        met.append([parse_spec(spec)[1] for spec in specs])
        return [Played(p, 1.0 if p.first else -1.0, tuple(lines[p.opening])) for p in pairings]

    monkeypatch.setattr(theta_fit, "fit", fit)
    monkeypatch.setattr(agents, "play", play)
    monkeypatch.setattr(class_tournament, "METHODS", {})
    monkeypatch.setattr(class_tournament, "SIMULATED", 1_000)
    page = run(class_tournament.EXPERIMENT, tmp_path, quick=True, data=[folder], nets=[net])
    shared = {"net": str(net), "sims": 4}
    low = shared | {"elo": 1250, "tau": 0.5, "t": 1.5, "c_puct": 3.0}
    high = shared | {"elo": 1650, "tau": 0.7, "t": 1.25, "c_puct": 2.0}
    assert met == [[low, high]]
    text, path = page.read_text(), page.with_suffix(".json")
    for rating, theta in ((1250, "0.50 | 1.50 | 3.00"), (1650, "0.70 | 1.25 | 2.00")):
        assert any(f"| {rating} |" in line and theta in line for line in text.splitlines())
    results = json.loads(path.read_text())
    del results["parts"]["ace, maia-1500, fitted to D"]
    path.write_text(json.dumps(results))
    thetas[1200] = [0.6, 1.5, 3.0]
    run(class_tournament.EXPERIMENT, tmp_path, quick=True, data=[folder], nets=[net])
    assert met[1:] == [[low | {"tau": 0.6}, high]], "another theta plays again"
