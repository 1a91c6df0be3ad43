"""A player of a rating in a chess program."""

import pytest
from random_networks import random_network
from talk import is_legal

from evenmatch.frontends.uci.protocol import METHODS
from evenmatch.network import inference


@pytest.mark.parametrize("seed", range(1, 6))
def test_moves_that_were_not_searched_are_scored_as_the_position_is(talk, seed):
    """White is two queens up, whether or not the one move searched is played."""
    talk.rated("pikl")
    talk.hear("setoption name WeightsFile value <empty>", f"setoption name Seed value {seed}")
    talk.hear("position fen 4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1", "go infinite", "stop")
    assert talk.told("cp") > 200


def test_threads_hold_at_a_rating(talk, monkeypatch, tmp_path):
    asked, loaded = [], inference.NetworkEvaluator

    def noted(*args, threads=None, **others):
        asked.append(threads)
        return loaded(*args, threads=threads, **others)

    monkeypatch.setattr(inference, "NetworkEvaluator", noted)
    path = random_network(tmp_path / "new.onnx", scales=("lichess",))  # not loaded so far
    talk.rated("human")
    talk.hear(f"setoption name WeightsFile value {path}")
    talk.hear("setoption name Threads value 1")
    assert is_legal(talk.answer("position startpos", "go movetime 5"))
    assert asked == [1]  # one network, of the player and of the scores
    talk.hear("setoption name Threads value 2")
    assert is_legal(talk.answer("position startpos", "go movetime 5"))
    assert asked == [1, 2]


def test_without_a_seed_a_position_asked_again_is_answered_anew(talk):
    """A network of random weights is unsure: 20 answers are one move with a chance below 1e-6."""
    talk.rated("human")
    talk.hear("setoption name Seed value 0")
    answers = {talk.answer("position startpos", "go nodes 1") for _ in range(20)}
    assert len(answers) > 1


def test_a_player_of_a_rating_repeats_itself_by_the_seed(talk):
    lines = ["setoption name UCI_LimitStrength value true", "position startpos", "go nodes 1"]
    first = [talk.answer(*lines) for _ in range(2)]
    assert first[0] == first[1]
    others = set()
    for seed in range(2, 12):
        others.add(talk.answer(f"setoption name Seed value {seed}", *lines))
    assert len(others) > 1
    assert all(map(is_legal, others))


@pytest.mark.parametrize("method", METHODS)
def test_bad_weights_do_not_stop_a_player_of_a_rating(talk, method):
    talk.rated(method)
    talk.hear(
        "setoption name WeightsFile value /nowhere.onnx", "position startpos", "go movetime 5"
    )
    talk.engine.close()
    (error,) = [line for line in talk.said if "error" in line]
    assert "playing by the shipped weights" in error
    assert talk.told("nodes") > 0  # the player itself chose
    assert is_legal(talk.best()[0][1])


@pytest.mark.parametrize("method", METHODS)
def test_weights_that_know_no_ratings_are_no_reason_to_lose(talk, tmp_path, method):
    path = random_network(tmp_path / "unrated.onnx")
    talk.rated(method)
    talk.hear(f"setoption name WeightsFile value {path}", "isready")
    talk.hear("position startpos", "go movetime 5")
    talk.engine.close()
    note = f"info string {method} knows no such weights; playing by the shipped ones"
    assert (note in talk.said) == (method in ("human", "ace", "pikl"))
    warned = any(f"{method} was fitted to the shipped weights" in line for line in talk.said)
    assert warned == (method in ("se", "sa"))
    assert talk.told("nodes") > 0
    assert is_legal(talk.best()[0][1])
    assert not any("error" in line for line in talk.said)


def test_stop_is_heard_at_a_rating(talk):
    talk.rated("pikl")
    talk.hear("position startpos", "go infinite", "stop")
    assert talk.told("nodes") < 20
    assert is_legal(talk.best()[0][1])


@pytest.mark.parametrize("method", ["pikl", "human"])
def test_a_game_is_one_game_whatever_is_asked_between(talk, method):
    """By a seed the moves are the same with ``isready`` between them; a move taken back too."""
    talk.rated(method)
    games = [f"position startpos moves {moves}" for moves in ("e2e4", "e2e4 e7e5 g1f3")]
    answers = [talk.answer(game, "go nodes 1") for game in games]
    talk.hear("ucinewgame", "isready")
    for game, answer in zip(games, answers, strict=True):
        assert talk.answer(game, "isready", "go nodes 1") == answer
    assert talk.answer(games[0], "go nodes 1") == answers[0]
