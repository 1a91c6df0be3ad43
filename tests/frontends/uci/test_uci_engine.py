"""The conversation with a chess program, on a small random network."""

import os
import random
import subprocess
import sys
from functools import partial

import chess
import chess.engine
import pytest
from random_networks import random_network

from evenmatch.frontends.uci import thinking
from evenmatch.frontends.uci.engine import Engine
from evenmatch.frontends.uci.options import METHODS
from evenmatch.frontends.uci.protocol import Position
from evenmatch.frontends.uci.uci_line import UciLine
from evenmatch.games import get_game
from evenmatch.network import inference
from evenmatch.players import Networks, SearchPlayer, evaluators
from evenmatch.players.evaluators import use_threads
from evenmatch.search import Plan
from evenmatch.sessions import Seat
from evenmatch.sessions.tree import LEAVES
from evenmatch.strength import ANSWERS, Even, EvenConfig

VOCABULARY = (
    "go stop position startpos fen moves e2e4 e7e5 x infinite ponder nodes 1 3 depth movetime "
    "wtime btime searchmoves ucinewgame ponderhit setoption name value UCI_Elo 1500 MultiPV "
    "UCI_LimitStrength true false 8/8/8/4k3/8/8/8/4K3 w - 0 debug on register later"
)
MATE = "position startpos moves f2f3 e7e5 g2g4 d8h4"


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return random_network(tmp_path_factory.mktemp("uci") / "net.onnx", scales=("lichess",))


class Talk:
    """An engine, and what it said."""

    def __init__(self, weights):
        self.said = []
        self.engine = Engine(self.said.append)
        self.hear(f"setoption name WeightsFile value {weights}", "setoption name Seed value 1")

    def hear(self, *lines):
        return [self.engine.hear(line) for line in lines]

    def best(self):
        """The moves told since the last time this was asked, as words."""
        told = [line.split() for line in self.said if line.startswith("bestmove")]
        self.said.clear()
        return told

    def answer(self, *lines):
        """Say lines, wait for the search to end, return the one move told."""
        self.hear(*lines)
        self.engine.close()
        (told,) = self.best()
        return told[1]

    def rated(self, method):
        """Let a method play at a rating."""
        self.hear(f"setoption name Method value {method}")
        self.hear("setoption name UCI_LimitStrength value true")

    def told(self, word):
        """What came after a word of the last ``info depth``, a number."""
        last = [line.split() for line in self.said if line.startswith("info depth")][-1]
        return int(last[last.index(word) + 1])


@pytest.fixture
def talk(weights):
    talk = Talk(weights)
    yield talk
    talk.engine.hear("quit")
    use_threads(None)


def is_legal(word, moves=(), fen=chess.STARTING_FEN):
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)
    return chess.Move.from_uci(word) in board.legal_moves


def test_says_who_it_is(talk):
    talk.hear("uci")
    assert talk.said[0].startswith("id name evenmatch")
    assert talk.said[-1] == "uciok"
    assert any(line.startswith("option name UCI_Elo type spin") for line in talk.said)


@pytest.mark.parametrize(
    "go", ["go nodes 40", "go movetime 5", "go wtime 20 btime 20", "go depth 2"]
)
def test_moves_are_legal_however_they_are_asked_for(talk, go):
    moves = ["e2e4", "c7c5", "g1f3"]
    assert is_legal(talk.answer(f"position startpos moves {' '.join(moves)}", go), moves)


def test_nodes_are_counted(talk):
    talk.hear("position startpos", "go nodes 77")
    talk.engine.close()
    assert talk.told("nodes") == 77


def test_nodes_are_those_of_one_search(talk):
    """Though the second goes on from the first one's tree."""
    talk.hear("position startpos", "go nodes 200")
    talk.engine.close()
    reply = talk.best()[0][1:]
    talk.said.clear()
    talk.hear(f"position startpos moves {reply[0]} {reply[2]}", "go nodes 50")
    talk.engine.close()
    assert talk.engine._thinker._tree.visits > 50
    counts = [int(words[words.index("nodes") + 1]) for words in map(str.split, talk.said)
              if "nodes" in words]  # fmt: skip
    assert counts[-1] == 50
    assert counts == sorted(counts)


def test_infinite_ends_with_stop(talk):
    talk.hear("position startpos", "go infinite", "isready")
    assert "readyok" in talk.said
    assert talk.best() == []
    talk.hear("stop")
    assert len(talk.best()) == 1
    talk.hear("stop")
    assert talk.best() == []


def test_infinite_mates_are_told_only_when_asked(talk):
    """The search is over at once, but the move is not wanted yet."""
    talk.hear(MATE, "go infinite")
    talk.engine._thread.join(0.3)
    assert talk.best() == []
    talk.hear("stop")
    assert talk.best() == [["bestmove", "(none)"]]


@pytest.mark.parametrize("limit", ["false", "true"])
def test_pondering_is_told_after_ponderhit(talk, limit):
    talk.hear(f"setoption name UCI_LimitStrength value {limit}", "position startpos moves e2e4")
    talk.hear("go ponder wtime 10 btime 10")
    talk.engine._thread.join(0.3)
    assert talk.best() == []
    talk.hear("ponderhit")
    talk.engine._thread.join()
    ((_, move, *_),) = talk.best()
    assert is_legal(move, ["e2e4"])


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
    talk.rated("se")
    talk.hear("setoption name Threads value 1")
    assert is_legal(talk.answer("position startpos", "go movetime 5"))
    assert asked == [1, 1]  # for the player, and for the scores told
    talk.hear("setoption name Threads value 2")
    assert is_legal(talk.answer("position startpos", "go movetime 5"))
    assert asked == [1, 1, 2, 2]


def test_searchmoves(talk):
    assert talk.answer("position startpos", "go nodes 30 searchmoves a2a3") == "a2a3"
    assert talk.answer("go nodes 30 searchmoves h2h4 x e2e5") == "h2h4"
    assert is_legal(talk.answer("go nodes 30 searchmoves e2e5"))


@pytest.mark.parametrize("method", METHODS)
def test_searchmoves_hold_at_a_rating_and_the_rating_too(talk, method):
    """And ``go`` ends by itself, as it does at a rating."""
    talk.rated(method)
    talk.hear("position startpos", "go searchmoves a2a3 h7h6")
    talk.engine.close()
    assert talk.told("depth") == 1, "no search at full strength"
    assert talk.best()[0][1] == "a2a3"


def test_multipv_and_wdl(talk):
    talk.hear("setoption name MultiPV value 3", "setoption name UCI_ShowWDL value true")
    talk.hear("position startpos", "go nodes 64")
    talk.engine.close()
    last = [line.split() for line in talk.said if line.startswith("info depth")][-3:]
    assert [words[words.index("multipv") + 1] for words in last] == ["1", "2", "3"]
    for words in last:
        at = words.index("wdl")
        assert sum(map(int, words[at + 1 : at + 4])) == 1000
        assert is_legal(words[words.index("pv") + 1])


@pytest.mark.parametrize("seed", range(8))
def test_lines_are_in_the_order_of_their_scores(talk, seed):
    """In random positions; the move that is played is the first line's."""
    rng, board = random.Random(seed), chess.Board()
    for _ in range(rng.randrange(30)):
        board.push(rng.choice(list(board.legal_moves)))
        if board.legal_moves.count() < 2:
            board.pop()  # there must be two lines to put in order
            break
    words = " ".join(move.uci() for move in board.move_stack)
    talk.hear(f"setoption name MultiPV value {rng.choice([2, 5, 50])}")
    talk.hear(f"position startpos moves {words}", f"go nodes {rng.randrange(1, 300)}")
    talk.engine.close()
    said = [line.split() for line in talk.said if line.startswith("info depth")]
    last = said[-int(said[-1][said[-1].index("multipv") + 1]) :]
    moves = [line[line.index("pv") + 1] for line in last]
    scores = [int(line[line.index("cp") + 1]) if "cp" in line else 10**6 for line in last]
    assert scores == sorted(scores, reverse=True)
    assert len(set(moves)) == len(moves) > 1
    assert all(chess.Move.from_uci(move) in board.legal_moves for move in moves)
    assert talk.best()[0][1] == moves[0]


def test_lines_that_were_not_visited_are_scored_as_the_position_is(talk):
    """But not higher than those that were."""
    talk.hear("setoption name MultiPV value 5", "position startpos moves e2e4", "go nodes 1")
    talk.engine.close()
    told = [line.split() for line in talk.said if line.startswith("info depth")][-5:]
    scores = [words[words.index("cp") + 1] for words in told]
    position = talk.engine._thinker._judged(UciLine(Position(None, ("e2e4",))))
    assert scores[1:] == [str(min(position.centipawns, int(scores[0])))] * 4
    assert scores[1] != "0"


def test_stop_is_heard_between_leaves(talk):
    talk.answer("position startpos", "go nodes 1")
    tree = talk.engine._thinker._tree
    before = tree.visits
    tree.grow(32, lambda: True)
    assert before < tree.visits <= before + LEAVES


def test_other_weights_count_from_the_next_move_on(talk, tmp_path):
    talk.answer("position startpos", "go nodes 8")
    other = random_network(tmp_path / "other.onnx", scales=("lichess",))
    talk.hear(f"setoption name WeightsFile value {other}")
    talk.answer("position startpos moves e2e4", "go nodes 8")
    thinker = talk.engine._thinker
    assert thinker._tree._search.evaluator is thinker._in_use.network


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


@pytest.mark.parametrize("limit", ["false", "true"])
def test_drawn_games_go_on(talk, limit):
    words = "g1f3 g8f6 f3g1 f6g8 " * 2
    talk.hear(f"setoption name UCI_LimitStrength value {limit}")
    assert is_legal(talk.answer(f"position startpos moves {words}", "go nodes 10"))
    dead = "8/8/8/4k3/8/8/8/4K3 w - - 0 1"
    assert is_legal(talk.answer(f"position fen {dead}", "go nodes 10"), fen=dead)


def test_a_refused_position_has_no_move(talk):
    """One of the position before would be taken for one of this."""
    talk.hear("position startpos moves e2e4")
    assert talk.answer("position startpos moves e2e5", "go nodes 10") == "(none)"
    assert is_legal(talk.answer("position startpos moves e2e4", "go nodes 10"), ["e2e4"])
    talk.hear("position fen nonsense", "ucinewgame")
    assert is_legal(talk.answer("go nodes 10"))


def test_what_go_passes_over_is_told(talk):
    talk.hear("position startpos", "go nodes 1 nowhere movetime abc", "go nodes 1 searchmoves a2a5")
    talk.engine.close()
    notes = [line for line in talk.said if line.startswith("info string")]
    assert notes[0] == "info string passed over in go: 'nowhere movetime abc'"
    assert notes[1].startswith("info string none of searchmoves can be played")
    assert len(notes) == 2


def test_analysis_at_a_rating_tells_what_it_is_not(talk):
    talk.rated("human")
    talk.hear("position startpos", "go nodes 1")
    talk.engine.close()
    assert "analyse" not in " ".join(talk.said)
    talk.hear("setoption name MultiPV value 3", "go nodes 1")
    talk.engine.close()
    assert "turn UCI_LimitStrength off to analyse" in " ".join(talk.said)


def test_mate_and_stalemate_have_no_move(talk):
    talk.hear(MATE, "go nodes 10", "position fen 7k/5Q2/8/8/8/8/8/4K3 b - - 0 1", "go nodes 9")
    talk.engine.close()
    assert [line for line in talk.said if "score" in line or "bestmove" in line] == [
        "info depth 0 score mate 0", "bestmove (none)",
        "info depth 0 score cp 0", "bestmove (none)",
    ]  # fmt: skip


@pytest.mark.parametrize("method", [None, *METHODS])
def test_mates_are_told_as_such(talk, method):
    if method:
        talk.rated(method)
    talk.hear("setoption name MultiPV value 50")
    talk.hear("position fen 7k/8/6K1/8/8/8/8/5R2 w - - 0 1", "go nodes 60")
    talk.engine.close()
    told = [line.split() for line in talk.said if " score " in line]
    assert all((line[line.index("pv") + 1] == "f1f8") == ("mate" in line) for line in told)
    assert method or any("mate" in line for line in told)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("position fen nonsense", "cannot read 'nonsense' as a FEN"),
        ("position startpos moves e2e5", "move 1: 'e2e5' is not legal"),
        ("setoption name UCI_Elo value 9", "outside 600 to 2800"),
        ("setoption name Nothing value 9", "no option 'Nothing'"),
        ("hello there", "cannot read 'hello there'"),
    ],
)
def test_bad_lines_get_one_line(talk, line, message):
    talk.hear("position startpos moves e2e4", line)
    (said,) = talk.said
    assert said.startswith("info string")
    assert message in said
    talk.said.clear()
    if line.startswith("position"):
        assert talk.answer("go nodes 5") == "(none)"
    else:
        assert is_legal(talk.answer("go nodes 5"), ["e2e4"])  # the position is as it was


def test_bad_weights_are_told_and_other_weights_mend_it(talk, weights):
    talk.hear("setoption name WeightsFile value /nowhere.onnx", "isready")
    assert talk.said[-1] == "readyok"
    assert "error" in talk.said[-2]
    assert "playing by the shipped weights" in talk.said[-2]
    talk.said.clear()
    assert is_legal(talk.answer("position startpos", "go nodes 5"))
    talk.hear(f"setoption name WeightsFile value {weights}")
    assert is_legal(talk.answer("go nodes 5"))
    assert not any("error" in line for line in talk.said)


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


@pytest.mark.parametrize("nodes", range(1, 12))
def test_the_move_played_is_the_first_of_the_line_told(talk, nodes):
    talk.hear("position startpos moves e2e4", f"go nodes {nodes}")
    talk.engine.close()
    line = [text for text in talk.said if " pv " in text][-1].partition(" pv ")[2].split()
    ((_, best, *answer),) = talk.best()
    assert best == line[0]
    assert answer[1:] == line[1:2]


def test_words_before_a_command_are_passed_over(talk):
    talk.hear("joho isready")
    assert talk.said[-1] == "readyok"


def test_random_lines_leave_it_responsive(talk):
    """Words of the interface in any order: nothing is lost, every go gets its bestmove."""
    rng, goes = random.Random(7), 0
    words = VOCABULARY.split()
    for _ in range(10_000):
        line = " ".join(rng.choices(words, k=rng.randint(1, 5)))
        first = next((w for w in line.split() if w in talk.engine._commands), None)
        goes += first == "go"
        assert talk.engine.hear(line)
    talk.hear("stop")
    assert len(talk.best()) == goes > 50
    talk.hear("position startpos", "isready")
    assert talk.said[-1] == "readyok"


def test_bytes_that_are_no_text_are_survived(tmp_path):
    """Names of files may hold any."""
    lines = b"setoption name WeightsFile value caf\xe9.onnx\ngo nodes 1\nquit\n"
    said = subprocess.run(
        [sys.executable, "-m", "evenmatch", "uci"],
        input=lines,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        cwd=tmp_path,
    )
    assert said.returncode == 0, said.stderr
    assert b"caf\xe9.onnx" in said.stdout
    assert b"bestmove" in said.stdout


def test_python_chess_plays_a_game_with_it(weights):
    command = [sys.executable, "-m", "evenmatch", "uci"]
    with chess.engine.SimpleEngine.popen_uci(command, timeout=60) as engine:
        engine.configure({"WeightsFile": str(weights), "UCI_Elo": 1800})
        board = chess.Board()
        for ply in range(8):
            engine.configure({"UCI_LimitStrength": ply % 4 > 1})
            board.push(engine.play(board, chess.engine.Limit(nodes=30)).move)
        engine.configure({"UCI_LimitStrength": False})
        infos = engine.analyse(board, chess.engine.Limit(nodes=50), multipv=2)
        assert len(infos) == 2
        assert infos[0]["pv"][0] in board.legal_moves


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

    monkeypatch.setattr(thinking, "make_player", made)
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
