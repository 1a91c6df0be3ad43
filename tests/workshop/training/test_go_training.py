"""Supervised training of Go: several servers at once, bots, unknown results; it keeps values."""

import json
from dataclasses import replace

import numpy as np
import pytest
from oracle_katago import RandomNet
from random_go_games import GAME, random_go_dataset

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.errors import NetworkError, StateError, UsageError  # noqa: E402
from evenmatch.games.catalog import game_info  # noqa: E402
from evenmatch.network.artifact import read_card  # noqa: E402
from evenmatch.network.conditions import condition_count  # noqa: E402
from evenmatch.network.inference import NetworkEvaluator  # noqa: E402
from evenmatch.ratings.ranks import Ranks  # noqa: E402
from evenmatch.search import Request  # noqa: E402
from evenmatch.workshop.networks.fit import NOBODY  # noqa: E402
from evenmatch.workshop.networks.katago_module import katago_module  # noqa: E402
from evenmatch.workshop.training.human import BOARD_PRESETS  # noqa: E402
from evenmatch.workshop.training.networks import new_module  # noqa: E402
from evenmatch.workshop.training.ranked import MixedPositions, RankedPositions  # noqa: E402
from evenmatch.workshop.training.recorded_positions import AnyReplies, Source, turned  # noqa: E402
from evenmatch.workshop.training.supervised import train_on_games  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_curves")
RANKS = Ranks(**game_info("go9").ranks)
TINY = BOARD_PRESETS["tiny"]


class StopError(Exception):
    pass


class StopsAfterOne:
    def started(self):
        pass

    def phase(self, *_, **__):
        pass

    def iteration(self, row):
        raise StopError


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """People of three ranks; people against bots without results; one rank alone."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("go")
    return [
        random_go_dataset(folder / "people", ranks=("10k", "1d", "5d")),
        random_go_dataset(folder / "bots", human="B", results=False),
        random_go_dataset(folder / "equals", ranks=("9d",)),
    ]


@pytest.fixture(scope="module")
def init(tmp_path_factory):
    path = tmp_path_factory.mktemp("net") / "net.bin.gz"
    path.write_bytes(RandomNet().packed())
    return path


def folders(data):
    return [dataset.folder for dataset in data]


def test_a_stopped_run_goes_on_to_the_same_network(data, init, tmp_path):
    settings = {"seed": 3, "init": init}
    whole = train_on_games(folders(data), "tiny", tmp_path / "whole", **settings)
    with pytest.raises(StopError):
        train_on_games(
            folders(data), "tiny", tmp_path / "cut", **settings, listener=StopsAfterOne()
        )
    with pytest.raises(StateError, match="holds another run"):
        train_on_games(folders(data), "tiny", tmp_path / "cut", seed=3, resume=True)
    cut = train_on_games(folders(data), "tiny", tmp_path / "cut", **settings, resume=True)
    rows = [
        [json.loads(line) for line in (tmp_path / name / "progress.jsonl").read_text().splitlines()]
        for name in ("whole", "cut")
    ]
    for one, two in zip(*rows, strict=True):
        for name in ("seconds", "learning_seconds"):
            del one[name], two[name]
        assert one == two
    states, request = GAME.initial(2), Request(ratings=np.array([0.0, 2000]))
    one, two = (
        NetworkEvaluator(path, GAME, device="cpu", precision="f32").evaluate(states, request)
        for path in (whole, cut)
    )
    for name, array in one._asdict().items():
        assert (array == getattr(two, name)).all(), name
    card = read_card(whole)
    assert (card.game, card.shape, card.actions) == ("go", (41, 0, 0), 0)
    assert (card.blocks, card.channels) == (2, 6)
    assert card.scales == ["people", "bots", "equals"]
    assert card.ranks == {"lowest": 1000, "width": 200, "count": 16}
    assert card.knots == list(range(100, 4101, 400))
    assert card.positions == 4 * (3 + 3 * 2)
    assert "KataGo" in card.planes
    again = train_on_games(folders(data), "tiny", tmp_path / "again", init=whole)
    assert read_card(again).channels == 6


def test_begun_it_is_the_network_that_it_was_begun_from(data, init):
    module = new_module(TINY, GAME, 3, RANKS, init).eval()
    planes = torch.from_numpy(GAME.encoded(GAME.initial(2)))
    told = torch.rand(2, condition_count(3, game_info("go9").knots))
    with torch.no_grad():
        got, want = module(planes, None, told), katago_module(init)(planes)
    for name in ("logits", "value", "wdl", "lead", "ownership"):
        assert torch.equal(getattr(got, name), getattr(want, name)), name
    assert module.config.strength == 2 + 3 * 16


def test_without_weights_it_begins_anew(data, tmp_path):
    path = train_on_games(folders(data)[:1], "tiny", tmp_path / "run")
    assert (read_card(path).blocks, read_card(path).channels) == (3, 6)
    row = json.loads((tmp_path / "run" / "progress.jsonl").read_text().splitlines()[0])
    assert row["kept_loss"] == 0


def test_what_it_cannot_begin_from(data, tmp_path):
    with pytest.raises(UsageError, match="unknown preset 'further'; choose one of: small, short"):
        train_on_games(folders(data), "further", tmp_path / "a")
    (tmp_path / "n.bin.gz").write_bytes(b"no")
    with pytest.raises(NetworkError, match="holds no KataGo network"):
        train_on_games(folders(data), "tiny", tmp_path / "a", init=tmp_path / "n.bin.gz")


def test_bots_and_unknown_results_teach_nothing(data):
    """Black is a person: of the positions after Black's moves nothing but the rank is learned."""
    source = Source(data[1], GAME, scale=1, scales=2)
    batch = AnyReplies(source, "train").draw(20, np.random.default_rng(1))
    assert (GAME.to_play(batch.states) == 1).all()
    assert np.isnan(batch.values).all()
    assert (batch.actions != NOBODY).all()
    ranked = RankedPositions(
        source, "train", ranks=RANKS, moves=2, compared=2, strangers=True, conditioned=False
    )
    batch = ranked.draw(3, np.random.default_rng(1))
    assert (batch.actions == NOBODY).all()
    assert (batch.conditions[:, 0] == 1).all()
    assert batch.ranked.of == 16
    ten_kyu, one_dan = (RANKS.of(rating) - 1 for rating in (2100, 3100))
    assert batch.ranked.which.tolist() == [[one_dan, ten_kyu]] * 3


def test_replies_of_the_split_are_learned(data):
    ranked = RankedPositions(
        Source(data[0], GAME), "train", ranks=RANKS, moves=2, compared=2, strangers=True
    )
    batch = ranked.draw(8, np.random.default_rng(1))
    assert 0 < (batch.actions == NOBODY).mean() < 1
    assert (batch.conditions[:, 0] == 0).all()
    strongest = [RANKS.of(rating) - 1 for rating in (3500, 3100, 2100)]
    pairs = {tuple(pair) for pair in batch.ranked.which.tolist()}
    assert pairs <= {tuple(np.delete(strongest, i)) for i in range(3)}
    assert len(pairs) > 1


def test_a_dataset_of_one_rank_has_replies_alone(data):
    settings = {"split": "train", "ranks": RANKS, "moves": 2, "compared": 2, "strangers": True}
    mixed = MixedPositions(data, GAME, samples=4, replies=6, **settings)
    assert len(mixed.ranked) == 2
    batch = mixed.draw(np.random.default_rng(1))
    assert batch.ranked.scales.tolist() == [0, 0, 1, 1]
    assert batch.ranked.which.shape == (4, 2)
    with pytest.raises(UsageError, match="no dataset has games of players of 2 ranks in split"):
        MixedPositions(data[2:], GAME, samples=4, replies=6, **settings)
    few = MixedPositions(data[2:], GAME, samples=0, replies=6, **settings)
    assert few.draw(np.random.default_rng(1)).ranked is None


def test_positions_are_turned_with_their_moves(data):
    """Turned back by brute force: some symmetry gives the planes, the move and what is legal."""
    source = Source(data[0], GAME)
    batch = AnyReplies(source, "train").draw(16, np.random.default_rng(1))
    batch = batch._replace(actions=np.append(NOBODY, batch.actions[1:]))
    got = turned(batch, GAME, np.random.default_rng(2))
    found = set()
    for row in range(16):
        before, after = (x.planes[row].reshape(41, -1) for x in (batch, got))
        fits = [
            k for k, cells in enumerate(GAME.cell_symmetries)
            if (before[:14, cells] == after[:14]).all()
        ]  # fmt: skip
        assert fits
        found.update(fits[:1])
        actions = GAME.action_symmetries[fits[0]]
        assert (batch.legal[row][actions] == got.legal[row]).all()
        played = got.actions[row]
        assert batch.actions[row] == (NOBODY if row == 0 else actions[played])
    assert len(found) > 3


def test_what_is_kept_stays(data, init, tmp_path, monkeypatch):
    """Without the weight of what is kept values move away further."""
    away = {}
    for weight in (0.01, 30.0):
        preset = replace(
            TINY,
            steps=30,
            interval=30,
            learning_rate=0.003,
            ema=None,
            kept_weight=weight,
            replies=24,
        )
        monkeypatch.setitem(BOARD_PRESETS, "kept", preset)
        out = tmp_path / str(weight)
        train_on_games(folders(data)[:1], "kept", out, init=init)
        row = json.loads((out / "progress.jsonl").read_text())
        away[weight] = row["held_out_kept"]
    assert away[30.0] < 0.5 * away[0.01]


@pytest.mark.parametrize("name", ["short", "two-ranks", "three-ranks", "classifier"])
def test_networks_that_are_compared_see_as_much(name):
    """252 positions a step, random moves included where a ranking is learned."""
    preset = BOARD_PRESETS[name]
    ranks = preset.compared + (preset.ranking_weight > 0)
    assert preset.samples * ranks * preset.moves + preset.replies == 252
    assert preset.steps == BOARD_PRESETS["short"].steps
    assert len(preset.ranks) in (0, 2, 3)
