"""A player of a rating in a chess program."""

from functools import partial

import pytest
from random_networks import random_network
from talk import is_legal

from evenmatch.frontends.engine import thinking as engine_thinking
from evenmatch.frontends.uci.protocol import METHODS
from evenmatch.games import get_game
from evenmatch.network import inference
from evenmatch.players import Networks, SearchPlayer, evaluators
from evenmatch.search import Plan
from evenmatch.sessions import Seat
from evenmatch.strength import ANSWERS, Even, EvenConfig


@pytest.mark.parametrize("method", ["pikl", "se"])
def test_stop_is_heard_at_a_rating(talk, method):
    talk.rated(method)
    talk.hear("position startpos", "go infinite", "stop")
    assert talk.told("nodes") < 20
    assert is_legal(talk.best()[0][1])


@pytest.mark.parametrize("seed", range(1, 6))
def test_moves_that_were_not_searched_are_scored_as_the_position_is(talk, seed):
    """White is two queens up, whether or not the one move searched is played."""
    talk.rated("pikl")
    talk.hear("setoption name WeightsFile value <empty>", f"setoption name Seed value {seed}")
    talk.hear("position fen 4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1", "go infinite", "stop")
    assert talk.told("cp") > 200


def test_threads_hold_at_a_rating(talk, monkeypatch):
    asked, loaded = [], inference.NetworkEvaluator

    def noted(*args, threads=None, **others):
        asked.append(threads)
        return loaded(*args, threads=threads, **others)

    monkeypatch.setattr(inference, "NetworkEvaluator", noted)
    evaluators._network.cache_clear()  # as in a new process
    talk.rated("human")
    talk.hear("setoption name Threads value 1")
    assert is_legal(talk.answer("position startpos", "go movetime 5"))
    assert asked == [1]  # one network, of the player and of the scores
    talk.hear("setoption name Threads value 2")
    assert is_legal(talk.answer("position startpos", "go movetime 5"))
    assert asked == [1, 2]


@pytest.mark.parametrize("method", METHODS)
def test_searchmoves_hold_at_a_rating_and_the_rating_too(talk, method):
    """And ``go`` ends by itself, as it does at a rating."""
    talk.rated(method)
    talk.hear("position startpos", "go searchmoves a2a3 h7h6")
    talk.engine.close()
    assert talk.told("depth") == 1, "no search at full strength"
    assert talk.best()[0][1] == "a2a3"


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


def test_analysis_at_a_rating_tells_what_it_is_not(talk):
    talk.rated("human")
    talk.hear("position startpos", "go nodes 1")
    talk.engine.close()
    assert "analyse" not in " ".join(talk.said)
    talk.hear("setoption name MultiPV value 3", "go nodes 1")
    talk.engine.close()
    assert "turn UCI_LimitStrength off to analyse" in " ".join(talk.said)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["nowhere.onnx", "nowhere.pb.gz"])
def test_bad_weights_do_not_stop_a_player_of_a_rating(talk, name, method):
    talk.rated(method)
    talk.hear(f"setoption name WeightsFile value /{name}", "position startpos", "go movetime 5")
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


def test_a_player_begins_once_a_game(talk, monkeypatch):
    """Not at every move, nor when a move is taken back or asked for again; with another game."""
    begun = []
    begin = Seat.begin

    def counted(seat, line, *rest):
        begun.append(line.ply)
        begin(seat, line, *rest)

    monkeypatch.setattr(Seat, "begin", counted)
    talk.rated("human")
    talk.answer("position startpos moves e2e4", "go")
    talk.answer("position startpos moves e2e4 e7e5 g1f3", "go")
    talk.answer("position startpos moves e2e4 e7e5 g1f3", "go")
    talk.answer("position startpos moves e2e4 c7c5 d2d4", "go")
    assert begun == [1]
    talk.answer("ucinewgame", "position startpos moves e2e4", "go")
    assert begun == [1, 1]
    talk.answer("position startpos moves d2d4", "go")
    assert begun == [1, 1, 1], "no move of the game before is in it"
    talk.answer("position startpos", "go")
    assert begun == [1, 1, 1, 0], "the other side is another player"


def test_isready_within_a_game_does_not_disturb_the_player(talk, monkeypatch):
    """It begins once before the game, to be ready, and once with it."""
    begun = []
    begin = Seat.begin
    monkeypatch.setattr(Seat, "begin", lambda seat, *a: (begun.append(a), begin(seat, *a)))
    talk.rated("pikl")
    talk.hear("isready")
    before = len(begun)
    assert before == 1
    for moves in ("e2e4", "e2e4 e7e5 g1f3", "e2e4 e7e5 g1f3 b8c6 f1b5"):
        talk.answer(f"position startpos moves {moves}", "go")
        talk.hear("isready")
    assert len(begun) == before + 1


def test_even_learns_over_a_game_that_uci_tells(talk, monkeypatch):
    """A method that adapts: its belief moves with every reply, and goes back with the game."""
    rules, seats = get_game("chess"), []

    def made(*_, **__):
        config, answers, plan = EvenConfig(looks=1), ANSWERS["othello"], Plan(simulations=4)
        make = partial(Even, config, answers, plan, (0.0,) * 8)
        return SearchPlayer(rules, 1, Networks(rules).evaluator(), make)

    monkeypatch.setattr(engine_thinking, "make_player", made)
    choose = Seat.choose

    def noted(seat, line):
        seats.append(seat)
        return choose(seat, line)

    monkeypatch.setattr(Seat, "choose", noted)
    talk.rated("pikl")
    beliefs = []
    for moves in ("e2e4", "e2e4 e7e5 g1f3", "e2e4 e7e5 g1f3 b8c6 f1b5", "e2e4 e7e5 g1f3"):
        talk.answer(f"position startpos moves {moves}", "go")
        beliefs.append(seats[-1].player.controller(0).belief.log_weights.copy())
    assert (beliefs[0] != beliefs[1]).any()
    assert (beliefs[1] != beliefs[2]).any()
    assert (beliefs[1] == beliefs[3]).all(), "taken back, it knows what it knew"
