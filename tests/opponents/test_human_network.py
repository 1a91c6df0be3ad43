"""KataGo's human network as a player: profiles are conditions, as our own servers and ranks are."""

from pathlib import Path

import numpy as np
import pytest
from katago_reference import RANDOM
from random_networks import random_network
from shared_data import needs, shared_file
from some_turns import first_turns, player_of

from evenmatch.app.start_game import PlayOptions, start, with_whole_paths
from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.line import Line
from evenmatch.network.combined import WithPolicy
from evenmatch.network.conditions import RatingCondition, profile_row
from evenmatch.network.imported import as_artifact
from evenmatch.network.inference import NetworkEvaluator, network_of
from evenmatch.network.katago.profiles import read_profile
from evenmatch.opponents.rating_range import clamp_spec, rating_of, title_of
from evenmatch.profiles import Profile
from evenmatch.search import Request

GO9 = get_game("go9")
HUMAN, STRONG = "nbt-meta-v15", "nbt-q-v17"

pytestmark = needs(RANDOM)


def file_of(name):
    return str(shared_file(f"{RANDOM}/{name}.bin.gz"))


@pytest.fixture(scope="module")
def human():
    return NetworkEvaluator(as_artifact(shared_file(f"{RANDOM}/{HUMAN}.bin.gz")), GO9,
                            device="cpu", precision="f32")  # fmt: skip


@pytest.fixture(scope="module")
def states():
    """Positions with either side to move."""
    line = Line(GO9)
    for action in (40, 22, 41):
        line.push(action)
    return np.stack([GO9.as_roots(state[None])[0] for state in line.states])


@pytest.mark.parametrize(
    ("name", "rating", "scale"),
    [("rank_8k", 2300, 0), ("rank_9d", 3900, 0), ("preaz_20k", 1100, 1), ("proyear_2021", 2021, 2)],
)
def test_a_condition_is_a_profile(human, states, name, rating, scale):
    n, profile = len(states), read_profile(name)
    request = Request(ratings=np.full(n, float(rating)), scales=np.full(n, scale))
    got = human.evaluate(states, request)
    for row, state in enumerate(states):
        black = GO9.to_play(state[None])[0] == 1
        said = human.evaluate_whole(state, 0, profile_row(profile, human.card, 81, black=black))
        np.testing.assert_allclose(got.logits[row], said["logits"], atol=1e-4)
        np.testing.assert_allclose(got.values[row], said["values"], atol=1e-5)


def test_several_conditions_are_judged_at_once(human, states):
    """As the estimator asks: the policies of many ranks, each as it would be alone."""
    asked = [RatingCondition(float(r), s) for r, s in ((1500, 0), (3900, 0), (2500, 1), (1950, 2))]
    logits, values = human.evaluate_policies(states, asked)
    assert logits.shape == (4, len(states), GO9.num_actions)
    for policy, (rating, scale) in zip(logits, asked, strict=True):
        n = len(states)
        alone = human.evaluate(
            states, Request(ratings=np.full(n, rating), scales=np.full(n, scale))
        )
        np.testing.assert_allclose(policy, alone.logits, atol=1e-4)
    worth = human.evaluate_worth(states).values
    np.testing.assert_allclose(worth, human.evaluate(states).values, atol=1e-5)
    assert np.isfinite(values).all()


@pytest.mark.parametrize(
    "spec",
    [
        "human:rank=8k", "human:rank=3d,scale=preaz", "human:rank=1990,scale=proyear",
        "pikl:rank=8k", "pikl:rank=1990,scale=proyear,sims=4", "pikl:rank=5k,lam=1,t=1",
        "se:rank=3d,conditioned=on,sims=4", "se:rank=5k,scale=preaz,conditioned=on,sims=4",
        "se:rank=2d,sims=4", "alphazero:sims=4",
    ],
)  # fmt: skip
def test_it_plays(spec):
    player = player_of(f"{spec},net={file_of(HUMAN)}", GO9)
    assert all(0 <= one.action < GO9.num_actions for one in player.decide(first_turns(GO9, 3)))


def test_moves_are_those_of_the_profile(human, states):
    """At temperature 0 the likeliest move of the profile is played."""
    spec = f"human:rank=2k,temperature=0,net={file_of(HUMAN)}"
    (found,) = player_of(spec, GO9).decide(first_turns(GO9))
    row = profile_row(read_profile("rank_2k"), human.card, 81, black=True)
    assert found.action == human.evaluate_whole(states[0], 0, row)["logits"].argmax()


def test_another_network_judges_for_it(human, states):
    strong = network_of(GO9, file_of(STRONG))
    request = Request(ratings=np.full(len(states), 2300.0), scales=np.zeros(len(states), int))
    both = WithPolicy(strong, human).evaluate(states, request)
    np.testing.assert_array_equal(both.logits, human.evaluate(states, request).logits)
    np.testing.assert_array_equal(both.values, strong.evaluate(states).values)
    spec = f"pikl:rank=8k,sims=4,net={file_of(HUMAN)}"
    alone, aided = player_of(spec, GO9), player_of(f"{spec},search_net={file_of(STRONG)}", GO9)
    roots = [player.decide(first_turns(GO9))[0].root for player in (alone, aided)]
    np.testing.assert_allclose(roots[0].priors, roots[1].priors, atol=1e-3)
    assert abs(roots[0].value - roots[1].value) > 0.01


def test_our_policy_may_be_searched_by_another_network():
    player = player_of(f"pikl:rank=8k,sims=4,search_net={file_of(STRONG)}", GO9)
    assert player.decide(first_turns(GO9))[0].root.legal.any()


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("human:rank=25k", "knows ranks from 20k to 9d, and years from 1800 to 2023"),
        ("human:rank=1700,scale=proyear", "is not a year from 1800 to 2023"),
        ("human:rank=8k,scale=ogs", "this network knows: kgs, preaz, proyear"),
        ("pikl:rank=5p", "knows ranks from 20k to 9d"),
    ],
)
def test_other_ranks_are_refused(spec, why):
    with pytest.raises(UsageError, match=why):
        player_of(f"{spec},net={file_of(HUMAN)}", GO9)


def test_a_network_without_ranks_is_no_network_of_people(tmp_path):
    with pytest.raises(UsageError, match="knows no ranks; give it as search_net"):
        player_of(f"pikl:rank=8k,net={file_of(STRONG)}", GO9)
    own = random_network(tmp_path / "n.onnx", ("kgs",), game="go9")
    assert player_of(f"pikl:rank=8k,net={own}", GO9)  # by the numbers fitted to our network


def test_a_year_is_no_rank():
    spec = f"human:rank=1990,scale=proyear,net={file_of(HUMAN)}"
    assert rating_of("go9", spec) is None
    assert title_of("go9", spec) == "human"
    assert clamp_spec("go9", spec) == (spec, "")


# -- evenmatch play ---------------------------------------------------------------------------


def started(tmp_path, **options):
    return start(PlayOptions(game="go9", seed=1, **options), profile=Profile(tmp_path))


def test_play_takes_networks_by_options(tmp_path):
    human, strong = (Path(file_of(name)).resolve() for name in (HUMAN, STRONG))
    one = started(tmp_path, rank="8k", net=human, search_net=strong)
    assert one.session.saved.opponent == f"pikl:rank=8k,net={human},search_net={strong}"
    assert "how strong it plays was not measured" in one.note
    assert f"--net {human} --search-net {strong}" in one.command


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"opponent": "random"}, "unknown key 'net' of player random"),
        ({"elo": 1500.0}, "--elo is not for go9; write --rank 5k"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, options, why):
    with pytest.raises(UsageError, match=why):
        started(tmp_path, net=shared_file(f"{RANDOM}/{HUMAN}.bin.gz"), **options)


def test_a_missing_network_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"no network file none.bin.gz; name one that exists"):
        started(tmp_path, rank="8k", net=Path("none.bin.gz"))


def test_specs_name_files_in_full(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.bin.gz").touch()
    spec = with_whole_paths("pikl:rank=8k,search_net=a.bin.gz,net=b.bin.gz")
    assert spec == f"pikl:rank=8k,search_net={tmp_path}/a.bin.gz,net=b.bin.gz"
