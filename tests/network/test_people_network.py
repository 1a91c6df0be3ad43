"""The network of people of Go that ships: what it knows, and what it kept of where it began."""

from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from shared_data import shared_file

from evenmatch.estimation.move_features import log_chances
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import human_policy_path, read_card, shipped_path
from evenmatch.network.conditions import RatingCondition
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.records.codec import codec_for

GO = get_game("go")
GAMES = "go/ogs-people.sgfs.zst"


def test_its_card():
    path = human_policy_path("go")
    assert path == human_policy_path("go9") == human_policy_path("go13")
    card = read_card(path)
    assert card.game == "go"
    assert card.scales[:3] == list(game_info("go").scales)
    assert card.ranks == game_info("go").ranks
    assert card.knots == list(game_info("go").knots)
    assert Path(path).stat().st_size < 8_000_000
    assert Path(path).with_suffix(".md").exists()


class Turns(NamedTuple):
    """Every 15th turn of some games of people of OGS."""

    states: np.ndarray
    actions: np.ndarray
    weak: np.ndarray  #: whether the mover is 15k or weaker


@pytest.fixture(scope="module")
def turns():
    """Those of the first 60 games; the training may know their players."""
    codec, rows = codec_for("go"), []
    for game in islice(codec.games(shared_file(GAMES)), 60):
        plies = np.arange(0, len(game.moves), 15)
        states = codec.played(game.moves, game.start)[plies]
        ratings = np.array([rating or 0 for rating in game.ratings])[plies % 2]
        actions = codec.actions(states, game.moves[plies])
        rows.append((states, actions, (ratings > 0) & (ratings <= 1650)))
    return Turns(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def test_it_kept_who_leads_and_who_wins(turns):
    """Told of no rating, against the network that it began from: on average within 2 points."""
    people, before = (
        NetworkEvaluator(p, GO) for p in (human_policy_path("go"), shipped_path("go"))
    )
    new = people.evaluate(turns.states[::2])
    leads, values = new.leads.copy(), new.values.copy()
    old = before.evaluate(turns.states[::2])
    near = np.abs(old.leads) < 40
    assert np.abs(leads - old.leads)[near].mean() < 2
    assert np.abs(values - old.values).mean() < 0.1


def test_weak_players_moves_are_likelier_to_who_is_told_so(turns):
    """Told 20k instead of 9d, by a tenth of a nat or more a move."""
    people = NetworkEvaluator(human_policy_path("go"), GO)
    states, actions = turns.states[turns.weak], turns.actions[turns.weak]
    assert len(states) > 50
    told = [RatingCondition(1100.0, 0), RatingCondition(3900.0, 1)]
    logits, _ = people.evaluate_policies(states, told)
    legal = GO.unclaimed_mask(states)
    weak, strong = (log_chances(x, legal)[np.arange(len(states)), actions] for x in logits)
    assert (weak - strong).mean() > 0.1
