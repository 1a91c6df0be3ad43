"""What moves lose, and the players set by it."""

from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import chess
import numpy as np
import pytest
from random_datasets import random_dataset

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.network.conditions import RatingCondition
from evenmatch.opponents.controller import Root
from evenmatch.progress import ignore
from evenmatch.workshop.datasets.build import build
from evenmatch.workshop.datasets.dataset import NO_EVAL, Dataset
from evenmatch_lab.ours import level_fit, move_loss
from evenmatch_lab.shared import engine_losses as losses
from evenmatch_lab.shared.positions import DrawnMoves

CHESS = get_game("chess")
BAND = (1000, 1200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("lost")
    random_dataset(path, games=12, shares=(0, 1, 0, 0), bands=((1050, 1075),))
    return path / "dataset"


@pytest.fixture
def material(monkeypatch):
    """A judge that counts pieces instead of asking an engine."""

    class Material(losses.Judge):
        def __init__(self):
            self._known = {}

        def map(self, work, items, progress=ignore):
            return [work(None, item) for item in items]

        def __exit__(self, *_):
            pass

    def count(engine, fen):
        board = chess.Board(fen)
        own, other = (board.occupied_co[side].bit_count() for side in (board.turn, not board.turn))
        return float(losses.chances(100 * (own - other)))

    monkeypatch.setattr(losses, "_judged", count)
    monkeypatch.setattr(losses, "judge_name", lambda: "counting")
    for module in (level_fit, move_loss):
        monkeypatch.setattr(module, "Judge", Material)
    return Material()


def test_chances_are_lichess_s():
    """By hand: 100 centipawns are 59.10%; beyond ten pawns it is as good as won."""
    assert losses.chances([0, 100, -100]) == pytest.approx([0.5, 0.59103, 0.40897], abs=1e-5)
    assert losses.chances(5000) == losses.chances(1000)


def mated_at_the_end(dataset, game):
    board = chess.Board()
    for move in dataset.record(game).moves.tolist():
        board.push(chess.Move(move & 63, move >> 6 & 63, move >> 12 or None))
    return board.is_checkmate()


def test_people_lose_what_evals_say(folder):
    dataset = Dataset.open(folder)
    found, people = losses.people(dataset, "tune", BAND, 10_000, seed=1)
    assert len(people) == len(found)
    sides = dataset.select(split="tune")
    assert set(people) <= set(dataset.games["players"][sides.games, sides.sides])
    wanted = []
    for game in range(len(dataset)):
        evals = [losses.START, *dataset.evals(game).tolist()]
        if mated_at_the_end(dataset, game):
            evals[-1] = -1000 if len(evals) % 2 else 1000
        for ply, (before, after) in enumerate(pairwise(evals)):
            if NO_EVAL in (before, after):
                continue
            gained = losses.chances(after) - losses.chances(before)
            wanted.append(max(0.0, float(-gained if ply % 2 == 0 else gained)))
    assert sorted(found) == pytest.approx(sorted(wanted))
    with pytest.raises(UsageError, match="rated 2400 to 2600"):
        losses.people(dataset, "tune", (2400, 2600), 10, seed=1)


def test_mates_have_won(tmp_path):
    """By hand: a fool's mate loses nothing, and the first move has an eval before it too."""
    tags = '[White "w"]\n[Black "b"]\n[WhiteElo "1100"]\n[BlackElo "1100"]\n[Result "0-1"]\n\n'
    moves = "1. f3 { [%eval 0.0] } e5 { [%eval 0.0] } 2. g4 { [%eval #-1] } Qh4# 0-1\n"
    (tmp_path / "games.pgn").write_text(tags + moves)
    dataset = build([tmp_path / "games.pgn"], tmp_path / "dataset", shares=(0, 1, 0, 0))
    found = losses.people(dataset, "tune", BAND, 10, seed=1).losses
    first, blunder = losses.chances(losses.START) - 0.5, 0.5 - losses.chances(-1000)
    assert sorted(found) == pytest.approx([0, 0, first, blunder])


def test_a_judge_s_losses(material):
    state = CHESS.from_fen("k7/8/8/3q4/4P3/8/8/K7 w - - 0 1")
    states = np.stack([state, state])
    actions = np.array([CHESS.read_action(state, move) for move in ("e4d5", "a1b1")])
    before = material.worth(states)
    assert before == pytest.approx(losses.chances(0))
    lost = material.losses(states, before, actions)
    assert lost == pytest.approx([0, 0]), "nothing is lost by a capture, nor by what is even"
    behind = material.losses(states, losses.chances([300, 300]), actions)
    assert behind == pytest.approx(losses.chances(300) - losses.chances([100, 0]))


@pytest.mark.skipif(not losses.judge_there(), reason="stockfish is not installed")
def test_stockfish_sees_a_queen_lost_and_says_the_same_again():
    state = CHESS.from_fen("k7/pp6/8/3q4/4P3/8/PPP5/K2R4 w - - 0 1")
    states, actions = state[None], np.array([CHESS.read_action(state, "a1b1")])
    with losses.Judge() as judge:
        before = judge.worth(states)
        lost = judge.losses(states, before, actions)
    with losses.Judge() as judge:
        assert judge.worth(states) == before
    assert before[0] > 0.6
    assert lost[0] > 0.4


def test_without_the_judge(monkeypatch):
    monkeypatch.setattr(losses, "JUDGE", "no-such-engine")
    with pytest.raises(UsageError, match="apt install"):
        losses.Judge()


# -- levels --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lost", "target", "found"),
    [
        ([4.0, 2, 1], 3, (0.5, True)),
        ([4.0, 2, 1], 1.5, (2.5, True)),
        ([4.0, 2, 1], 5, (0.0, False)),
        ([4.0, 2, 1], 0.5, (4.0, False)),
        ([4.0, 2, 4], 3, (2.5, True)),
        ([2.0, 2, 2], 2, (0.0, True)),
    ],
)
def test_where_losses_cross(lost, target, found):
    x = np.array([0.0, 1, 4])
    assert level_fit.crossing(x, np.array(lost), target) == pytest.approx(found)


def seen(visits, losses_of_moves, means=(0.5, 0.0, -0.5)):
    """Two positions alike with three moves, searched alike."""
    legal = np.ones(3, np.bool_)
    priors = np.array([0.6, 0.3, 0.1], np.float32)
    root = Root(np.array(visits, np.int32), np.array(means), priors, legal, 0.1, 0)
    moves = DrawnMoves(CHESS.initial(2), np.zeros(2, int), np.array([0, 1]))
    table = np.repeat(np.array([losses_of_moves]), 2, 0)
    return level_fit.Seen(moves, [root] * 2, table)


def test_levels_lose_what_they_are_to():
    """Moves lose 0, 0.1 and 0.4: levels between them are found, what is below the least is not."""
    example = seen((60, 30, 10), (0.0, 0.1, 0.4))
    for level in (
        partial(level_fit.sa_level, r_th=0.03),
        partial(level_fit.pikl_level, rarer=0.0),
    ):
        found = level(example, 0.05)
        assert found["reached"]
        assert found["loses"][0] == pytest.approx(0.05, abs=0.004)
    answers = {1.0: np.array([0, 0]), 4.0: np.array([1, 1]), 16.0: np.array([2, 2])}
    assert level_fit.se_level(example, answers, 0.1)["c_1"] == pytest.approx(4)
    assert level_fit.se_level(example, answers, 0.05)["c_1"] == pytest.approx(2)
    worse = seen((60, 30, 10), (0.2, 0.3, 0.4))
    missed = level_fit.pikl_level(worse, 0.1, 0.0)
    assert not missed["reached"]
    assert missed["loses"][0] == pytest.approx(0.2, abs=0.01), "what loses least"


def test_a_greater_c_1_is_taken_never_to_lose_less():
    """What is lost is 0.2, 0.3, 0.1 and 0.3: the first three c_1 are taken to lose 0.2 each."""
    example = seen((60, 30, 10), (0.1, 0.2, 0.3))
    one, two, three = np.array([0, 0]), np.array([1, 1]), np.array([2, 2])
    answers = {0.25: two, 1.0: three, 4.0: one, 16.0: three}
    found = level_fit.se_level(example, answers, 0.25)
    assert found["reached"]
    assert found["c_1"] == pytest.approx(8)
    missed = level_fit.se_level(example, answers, 0.15)
    assert not missed["reached"]
    assert missed["c_1"] == 0.25, "not the one that lost least"


def test_where_nothing_loses_as_much_what_comes_nearest_by_moves_as_rare():
    def level(loses, rarer, reached=False):
        return {"reached": reached, "loses": [loses, 0.01], "rarer": rarer}

    missed = [level(0.0400, -0.6), level(0.0404, -0.2), level(0.0404, 0.3), level(0.0450, 0.0)]
    assert level_fit.best(missed, 0.03, 0.0) == missed[1], "all lose more"
    assert level_fit.best(missed, 0.06, 0.0) == missed[3], "all lose less"
    assert level_fit.best([*missed, level(0.03, -1, reached=True)], 0.03, 0.0)["rarer"] == -1


@pytest.mark.parametrize("rarer", [0.0, 0.15, 0.3, 0.6])
def test_of_pairs_that_lose_as_much_the_one_with_moves_as_rare(rarer):
    """Rarity is the policy's mean of log P (-0.898) less the player's, by hand from its numbers."""
    example = seen((60, 30, 10), (0.0, 0.4, 0.1), means=(0.0, -0.5, 0.5))
    found = level_fit.pikl_level(example, 0.1, rarer)
    assert found["loses"][0] == pytest.approx(0.1, abs=0.002)
    assert found["rarer"] == pytest.approx(rarer, abs=level_fit.NEAR)
    priors = np.array([0.6, 0.3, 0.1])
    t = found["t"] ** (1 - 0.1**2)  # 0.1 is the position's value
    weights = priors ** (1 / t) * np.exp(np.arcsin([0, -0.5, 0.5]) / found["lam"])
    own = weights / weights.sum() @ np.log(priors)
    assert -0.8979 - own == pytest.approx(found["rarer"], abs=1e-3)
    assert found["loses"][0] == pytest.approx(weights / weights.sum() @ [0, 0.4, 0.1], abs=1e-3)


def test_rarity_is_of_moves_against_the_policy_s_own(monkeypatch):
    """By hand: of two legal moves with 3/4 and 1/4 a draw is -0.562 nats likely on average."""
    forced, free = "7k/8/8/8/8/8/1r6/K7 w - - 0 1", "7k/8/8/8/8/8/r7/K7 w - - 0 1"
    states = np.stack([CHESS.from_fen(fen) for fen in (forced, free, free)])
    legal = CHESS.legal_mask(states)

    class Told:
        def evaluate(self, states, request):
            return SimpleNamespace(logits=np.where(legal.cumsum(1) == 1, np.log(3), 0))

    monkeypatch.setattr(level_fit, "load_evaluator", lambda *_: Told())
    likelier, rarer = np.flatnonzero(legal[1])
    moves = DrawnMoves(states, np.zeros(3, int), np.array([legal[0].argmax(), likelier, rarer]))
    found = level_fit.rarity(moves, RatingCondition(1500.0, 0), lambda *_: None)
    assert found == pytest.approx([0, -0.5623 + 0.2877, -0.5623 + 1.3863], abs=1e-4)


def test_one_of_the_allowed_is_drawn_by_its_prior():
    """2,000 draws: a share of 0.3 strays by 0.01; five deviations are 0.05."""
    allowed = np.tile([True, False, True, True], (2000, 1))
    drawn = level_fit.one_of(allowed, np.tile([0.3, 0.4, 0.2, 0.1], (2000, 1)))
    shares = np.bincount(drawn, minlength=4) / 2000
    assert shares == pytest.approx([0.5, 0, 1 / 3, 1 / 6], abs=0.055)


def test_old_judges_are_refused(monkeypatch):
    monkeypatch.setattr(losses, "judge_there", lambda: True)
    monkeypatch.setattr(losses, "engine_name", lambda _: "Stockfish 14.1")
    with pytest.raises(UsageError, match=r"Stockfish 14\.1 counts pawns otherwise"):
        losses.judge_name()
    monkeypatch.setattr(losses, "engine_name", lambda _: "Stockfish 16")
    assert losses.judge_name() == "Stockfish 16"


def row(lost, alike=0, **more):
    return {"losses": lost, "alike": alike, "settings": {}, **more}


def test_batches_are_put_together_with_people_of_their_own():
    """A player of whom one batch is done is compared with people of that batch alone."""
    results = {
        "D: people": row([0.1, 0.2], 2, movers=[1, 2]),
        "D: pikl": row([0.3, 0.4], 1),
        "D: ace": row([0.1, 0.2], 2),
        "D: people, batch 2": row([0.5], 1, movers=[1]),
        "D: pikl, batch 2": row([0.6], 0),
    }
    found = move_loss.by_class(results)["D"]
    assert found["pikl"].losses.tolist() == [0.3, 0.4, 0.6]
    assert found["pikl"].theirs.tolist() == [0.1, 0.2, 0.5]
    assert found["pikl"].movers.tolist() == [1, 2, 1]
    assert found["pikl"].alike == 1
    assert found["pikl"].against_people.mean == pytest.approx(0.5 / 3)
    assert len(found["ace"].losses) == 2
    [text] = move_loss.table({"D": found}, ["people", "ace"], lambda name, own: name)
    lines = text.splitlines()
    assert lines[0] == "| | D: 3 positions of 2 people |"
    assert lines[2:] == ["| people | people |", "| ace | ace [2] |"]


# -- ACE's parameters ----------------------------------------------------------------------------
