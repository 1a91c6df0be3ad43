"""The conversation with a Go program, on Othello and Connect Four."""

import io
import os
import random
import subprocess
import sys
import time

import pytest
from numba import njit

from evenmatch import __version__
from evenmatch.frontends.gtp import serve
from evenmatch.frontends.gtp.commands import converse
from evenmatch.frontends.gtp.engine import GtpThinker
from evenmatch.games import get_game
from evenmatch.games.catalog import games_by

VOCABULARY = (
    "play genmove reg_genmove undo boardsize 8 6 19 b w black white d3 c3 pass resign 4 "
    "clear_board "
    "komi 7.5 showboard final_score time_settings time_left 0 1 30 kgs-time_settings byoyomi none "
    "lz-analyze kata-analyze kata-genmove_analyze interval maxmoves allow avoid d3,c4 nan -1 "
    "list_commands known_command name 12 gogui-rules_board kata-set-param "
    "lagBuffer gogui-play_sequence cputime gg-undo clear_cache nonsense"
)
CLOCK = ("time_settings 60 0 0", "kgs-time_settings absolute 60", "time_left b 10 5", "genmove b")
ODD = ("\x00", "\r", "\t", "#", "é")


class Talk:
    """An engine, and what it said."""

    def __init__(self, game="othello", player=None, **given):
        self.said = []
        given = {"maxVisits": 4, "searchRandSeed": 1, **given}
        self.engine = converse(self.said.append, game, player=player, given=given)

    @property
    def line(self):
        """The game in progress."""
        return self.engine.game.line

    def ask(self, line):
        """The answer to one line, without the sign in front."""
        self.said.clear()
        self.engine.handle(line)
        text = "\n".join(self.said)
        assert text.startswith("="), text
        assert text.endswith("\n"), text
        return text[1:].strip()

    def refused(self, line):
        """The reason for which a line is refused."""
        self.said.clear()
        self.engine.handle(line)
        text = "\n".join(self.said)
        assert text.startswith("?"), text
        assert text.endswith("\n"), text
        return text[1:].strip()


@pytest.fixture
def talk():
    talk = Talk()
    yield talk
    talk.engine.close()


def test_says_who_it_is(talk):
    assert talk.ask("protocol_version") == "2"
    assert talk.ask("name") == "evenmatch"
    assert talk.ask("version").endswith(f"evenmatch {__version__}")
    first = talk.ask("version").split(" ")[0]  # what Lizzie takes for the version of Leela Zero
    assert int(first.split(".")[1]) >= 15
    names = talk.ask("list_commands").split("\n")
    assert names == sorted(names)
    for name in names:
        assert talk.ask(f"known_command {name}") == "true"
    assert talk.ask("known_command make_tea") == "false"
    assert {"play", "genmove", "undo", "kata-analyze"} <= set(names)


def test_empty_lines_and_comments_are_passed_over(talk):
    for line in ("\n", "# name\n", " \t\r\n"):
        assert talk.engine.handle(line)
    assert talk.said == []


def test_moves_are_played_and_taken_back(talk):
    talk.ask("play b d3")
    before = talk.ask("showboard")
    talk.ask("play WHITE C3")
    assert talk.ask("showboard") != before
    talk.ask("undo")
    assert talk.ask("showboard") == before
    talk.ask("undo")
    assert talk.refused("undo") == "cannot undo"
    assert talk.refused("play b a1") == "illegal move"
    assert talk.refused("play b") == "syntax error"
    assert talk.refused("play red d3") == "invalid color or coordinate"


def test_the_board_as_it_is_drawn(talk):
    talk.ask("play b d3")
    assert talk.ask("showboard").split("\n")[:6] == [
        "A B C D E F G H",
        " 1 . . . . . . . .",
        " 2 . . . . . . . .",
        " 3 . . .(X). . . .",
        " 4 . . . X X . . .",
        " 5 . . . X O . . .",
    ]


def test_every_game_has_its_dialect():
    for game_id in games_by("gtp"):
        talk = Talk(game_id)
        assert talk.engine.game.game is get_game(game_id)
        assert talk.ask("known_command get_komi") == str("go" in game_id).lower()


@pytest.mark.parametrize("told", [True, False])
def test_forced_passes_of_othello_may_be_told_or_left_out(told):
    """Random games, as gtp-rhino's are told: nobody passes there, the other plays again."""
    game, talk, passes = get_game("othello"), Talk(), 0
    rng = random.Random(1)
    for _ in range(20):
        talk.ask("clear_board")
        state = game.initial()
        while len(legal := game.legal_actions(state)[0]):
            action = rng.choice(list(map(int, legal)))
            word = game.action_text(state[0], action)
            passes += word == "pass"
            if told or word != "pass":
                talk.ask(f"play {'b' if game.to_play(state)[0] == 1 else 'w'} {word}")
            state = game.after(state, [action])
        lead = int(game.board(state)[0].sum())
        winner = "B" if lead > 0 else "W"
        assert talk.ask("final_score") == (f"{winner}+{abs(lead)}" if lead else "0")
        assert talk.ask("genmove b") == talk.ask("genmove w") == "pass"
    assert passes


@pytest.mark.parametrize("command", ["genmove w", "reg_genmove w", "kata-genmove_analyze w 10"])
def test_who_is_not_to_move_at_othello_does_not_move(talk, command):
    before = talk.ask("showboard")
    assert talk.refused(command) == "cannot move; it is the other side's turn"
    assert talk.ask("showboard") == before
    assert talk.refused("final_score") == "cannot score"
    talk.ask("play b d3")
    assert talk.refused("genmove b") == "cannot move; it is the other side's turn"


@pytest.mark.parametrize("game", ["othello6", "connect4"])
@pytest.mark.parametrize("player", [None, "alphazero:sims=4"])
def test_games_to_the_end(game, player):
    talk, rules = Talk(game, player=player, allowResignation=False), get_game(game)
    for ply in range(rules.max_plies):
        line = talk.line
        if not line.legal:
            break
        move = talk.ask(f"genmove {'b' if line.side == 1 else 'w'}")
        assert talk.line.ply == ply + 1
        assert rules.action_text(line.state, talk.line.actions[-1]).upper() == move.upper()
    assert talk.line.ply > 4
    score = talk.ask("final_score")
    assert score == "0" or score.startswith(("B+", "W+"))


def test_columns_of_connect_four():
    talk = Talk("connect4")
    for side, word in (("b", "4"), ("w", "d"), ("b", "D3"), ("w", "1")):
        talk.ask(f"play {side} {word}")
    assert talk.line.actions == [3, 3, 3, 0]
    assert "other side's turn" in talk.refused("genmove w")
    assert talk.refused("play w 4") == "illegal move"
    assert talk.ask("genmove b") in map(str, range(1, 8))
    assert talk.refused("boardsize 19") == "unacceptable size"
    talk.ask("clear_board")
    for side, word in zip("bwbwbwb", "1212121", strict=True):
        talk.ask(f"play {side} {word}")
    assert talk.ask("final_score") == "B+1"
    assert "the game is over" in talk.refused("genmove w")


def test_what_is_lost_is_given_up():
    talk = Talk("connect4", resignConsecTurns=1, resignThreshold=1.0)
    assert talk.ask("genmove b") == "resign"
    assert talk.line.ply == 0
    assert talk.ask("reg_genmove b") != "resign"
    talk.ask("kata-set-param allowResignation false")
    assert talk.ask("genmove b") in map(str, range(1, 8))


GIVES_UP = """
import sys
for line in sys.stdin:
    print("= resign\\n" if line.startswith("genmove") else "= genmove\\n", flush=True)
    if line.startswith("quit"):
        break
"""


def test_a_player_that_resigns_plays_no_move(tmp_path):
    (tmp_path / "gives_up.py").write_text(GIVES_UP)
    player = f"engine:cmd={sys.executable} {tmp_path}/gives_up.py"
    talk = Talk("connect4", player=player)
    assert talk.ask("genmove b") == "resign"
    assert talk.ask("reg_genmove b") == "resign"
    assert talk.line.ply == 0


def test_equal_seeds_give_equal_games():
    def moves(seed):
        talk = Talk(player="softmax:z=-2,sims=8", searchRandSeed=seed)
        return [talk.ask(f"genmove {side}") for side in "bwbwbwbw"]

    assert moves(5) == moves(5)
    assert len({tuple(moves(seed)) for seed in range(1, 8)}) > 1


# -- analysis -----------------------------------------------------------------------------------


def wait_for(said, count):
    deadline = time.monotonic() + 20
    while len(said) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(said) >= count


@pytest.mark.parametrize("end", ["\n", "name\n"])
def test_analysis_goes_on_until_the_next_line(talk, end):
    talk.engine.handle("5 lz-analyze b interval 1 maxmoves 3\n")
    wait_for(talk.said, 3)
    talk.engine.handle(end)
    assert talk.said[0] == "=5"
    closed = talk.said.index("")
    infos = talk.said[1:closed]
    assert infos
    assert all(line.startswith("info move ") for line in infos)
    assert talk.said[closed + 1 :] == ([] if end == "\n" else ["= evenmatch\n"])
    count = len(talk.said)
    time.sleep(0.05)
    assert len(talk.said) == count


LISTS = {
    "pv", "pvVisits", "pvEdgeVisits", "movesOwnership", "movesOwnershipStdev", "ownership",
    "ownershipStdev",
}  # fmt: skip


def fields(report):
    """The moves of a report as dictionaries; the last has what stands after them, too."""
    moves = []
    for part in report.split("info ")[1:]:
        words, into, values = iter(part.split()), {}, None
        moves.append(into)
        for word in words:
            if word == "rootInfo":
                into = moves[-1][word] = {}
                values = None
            elif word in LISTS:
                values = moves[-1][word] = []
            elif values is None:
                into[word] = next(words)
            else:
                values.append(word)
    return moves


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze"])
def test_what_analysis_tells(talk, command):
    talk.engine.handle(f"{command} b 1 minmoves 4")
    wait_for(talk.said, 2)
    talk.engine.handle("")
    moves = fields(talk.said[-2])
    assert {move["move"] for move in moves} == {"D3", "C4", "F5", "E6"}
    visits = [int(move["visits"]) for move in moves]
    assert visits == sorted(visits, reverse=True)
    scale = 1e4 if command == "lz-analyze" else 1
    for order, move in enumerate(moves):
        assert int(move["order"]) == order
        assert move["pv"][0] == move["move"]
        assert 0 <= float(move["lcb"]) <= float(move["winrate"]) <= scale
    assert sum(float(move["prior"]) for move in moves) == pytest.approx(scale, rel=1e-3)


@pytest.mark.parametrize("command", ["analyze", "genmove_analyze"])
def test_keys_that_are_not_known_are_refused_by_name(talk, command):
    for key in ("colour", "ownership", "pvVisits"):
        assert f"unknown key '{key}'; choose from" in talk.refused(f"lz-{command} b 10 {key} true")
    for key in ("colour", "rootinfo"):
        assert f"unknown key '{key}'; choose from" in talk.refused(f"kata-{command} b {key} true")
    for key in ("ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev"):
        assert talk.refused(f"kata-{command} b {key} true").startswith(f"{key} is not known")
    assert talk.refused(f"kata-{command} b rootInfo") == "syntax error"
    assert "none of the moves" in talk.refused(f"lz-{command} b allow b a1 1")
    assert "name the side that is analysed" in talk.refused(f"lz-{command} b avoid w c4 9")
    assert "avoid is until depth 1" in talk.refused(f"lz-{command} b avoid b c4 0")
    assert "not one of true, false" in talk.refused(f"kata-{command} b rootInfo maybe")
    for style in ("kata", "lz"):
        assert talk.refused(f"{style}-{command} b maxmoves 0") == "maxmoves is 1 at least"
    assert talk.line.ply == 0


def test_keys_of_katago_that_any_game_has(talk):
    talk.engine.settings["maxVisits"] = 64
    talk.said.clear()
    keys = ("rootInfo", "pvVisits", "pvEdgeVisits", "noResultValue")
    asked = " ".join(f"{key} true" for key in keys)
    talk.engine.handle(f"kata-genmove_analyze b interval 9999 {asked} rootInfo true")
    moves = fields(talk.said[-2])
    for move in moves:
        visits = [int(count) for count in move["pvVisits"]]
        assert move["pvEdgeVisits"] == move["pvVisits"]
        assert len(visits) == len(move["pv"])
        assert visits[0] == int(move["visits"])
        assert visits == sorted(visits, reverse=True)
        assert move["noResultValue"] == "0"
    root = moves[-1]["rootInfo"]
    total = sum(int(move["visits"]) for move in moves)
    assert int(root["visits"]) == total + 1
    mean = sum(int(move["visits"]) * float(move["winrate"]) for move in moves) / total
    assert float(root["winrate"]) == pytest.approx(mean, abs=1 / total)
    talk.said.clear()
    talk.engine.handle("kata-genmove_analyze w 9999 pvVisits true pvVisits false")
    assert "pvVisits" not in talk.said[-2]


@pytest.mark.parametrize("player", [None, "random", "alphazero:sims=4"])
@pytest.mark.parametrize("command", ["kata-genmove_analyze", "lz-genmove_analyze"])
def test_moves_that_are_analysed_meanwhile(player, command):
    """There is a report before each move, however long the interval."""
    talk = Talk(player=player)
    for ply, interval in enumerate(("0", "9999", "interval 9999")):
        talk.said.clear()
        talk.engine.handle(f"3 {command} {'bwb'[ply]} {interval}")
        assert talk.said[0] == "=3"
        assert talk.said[-1].startswith("play ")
        assert talk.said[-1].endswith("\n")
        assert len(talk.said) > 2
        assert all(line.startswith("info ") for line in talk.said[1:-1])
        assert talk.line.ply == ply + 1
    if player is None:
        assert talk.said[-1].split()[1] == fields(talk.said[-2])[0]["move"]


@pytest.mark.parametrize(("watch", "seconds"), [(None, 10.0), (lambda tree, ended: None, 8.0)])
def test_a_search_that_reports_leaves_time_for_its_last_report(talk, monkeypatch, watch, seconds):
    """By a clock on which each look takes half a second."""
    thinker, now = talk.engine.thinker, [0.0]
    talk.engine.settings["maxVisits"] = 10**6

    def clock():
        now[0] += 0.5
        return now[0]

    monkeypatch.setattr("time.perf_counter", clock)
    thinker.choose(talk.line, 10.0, watch)
    assert seconds <= now[0] <= seconds + 2


def test_a_move_among_some(talk):
    for avoided in ("d3,c4,f5", "d3,c4,e6"):
        talk.said.clear()
        talk.engine.handle(f"lz-genmove_analyze b 9999 avoid b {avoided} 1")
        (left,) = {"d3", "c4", "f5", "e6"} - set(avoided.split(","))
        assert talk.said[-1].strip() == f"play {left.upper()}"
        talk.ask("undo")
    talk = Talk(player="random")
    assert "a player chooses" in talk.refused("lz-genmove_analyze b allow b d3 1")


def test_the_last_analysis_reports_once_more():
    """So a file of commands that ends with one has its answer."""
    talk = Talk()
    talk.said.clear()
    talk.engine.handle("kata-analyze b 9999")
    talk.engine.close()
    assert talk.said[0] == "="
    assert talk.said[1].startswith("info move ")
    assert talk.said[-1] == ""


def test_what_gogui_asks_of_othello(talk):
    assert talk.ask("gogui-rules_game_id") == "Othello"
    for sizes in ("19", "8 6"):
        assert talk.refused(f"boardsize {sizes}") == "unacceptable size"
    talk.ask("boardsize 6")
    assert talk.ask("gogui-rules_board_size") == "6"
    talk.ask("boardsize 8 8")
    assert talk.ask("gogui-rules_side_to_move") == "black"
    assert talk.ask("gogui-rules_legal_moves").split() == ["D3", "C4", "F5", "E6"]
    assert talk.ask("gogui-rules_final_result") == ""
    talk.ask("gogui-play_sequence b d3 w c3")
    assert talk.ask("gogui-rules_board").split("\n")[5].split() == list("..OX....")


# -- robustness ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "lines"), [("othello", 3_000), ("go9", 1_500)])
def test_random_lines_leave_it_responsive(game, lines, tmp_path, monkeypatch):
    """Words of the protocol in any order: every command gets one answer. Go takes longer a line."""
    monkeypatch.chdir(tmp_path)  # where printsgf writes files of such names
    talk, rng = Talk(game, maxVisits=1), random.Random(7)
    names = sorted(set(talk.engine.commands) - {"quit"})
    for _ in range(lines):
        words = rng.choices([*VOCABULARY.split(), *ODD], k=rng.randint(1, 5))
        if rng.random() < 0.5:
            words.insert(0, rng.choice(names))
        line = rng.choice(CLOCK) if rng.random() < 0.05 else " ".join(words)
        talk.said.clear()
        assert talk.engine.handle(line + "\n")
        talk.engine.end_analysis()
        text = "\n".join(talk.said)
        if text:
            assert text[0] in "=?"
            assert text.split("\n").index("") == text.count("\n"), "an empty line ends it"
            assert "report it" not in text
    talk.ask("boardsize 8")
    assert talk.ask("name") == "evenmatch"


def test_bytes_that_are_no_text_are_survived(tmp_path):
    lines = b"\xef\xbb\xbf0 name\n# caf\xe9\n1 name\n2 \xff\xfe\nplay b d\xe93\nlz-analyze 10\n"
    said = subprocess.run(
        [sys.executable, "-m", "evenmatch", "gtp", "--game", "othello"],
        input=lines,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        cwd=tmp_path,
    )
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith(
        b"=0 evenmatch\n\n=1 evenmatch\n\n?2 unknown command\n\n? illegal move\n\n=\n"
    )


def test_compiling_is_noted_where_no_answer_stands(monkeypatch, capsys):
    """A person would think that the program hangs."""
    again = njit(lambda number: number + 1)
    monkeypatch.setattr(GtpThinker, "ready", lambda self, line: again(1))
    monkeypatch.setattr(sys, "stdin", io.StringIO("time_settings 60 0 0\nname\nquit\n"))
    serve("othello", player=None, weights=None)
    told = capsys.readouterr()
    assert told.out.split("\n\n")[:3] == ["=", "= evenmatch", "="]
    note = "evenmatch: compiling othello; this takes a minute or two, once"
    assert told.err.splitlines() == [note]


def test_command_lines_that_are_refused(refused):
    assert "evenmatch gtp has no game 'chess'" in refused("gtp", "--game", "chess")
    assert "no network file" in refused("gtp", "--game", "othello", "--weights", "none.onnx")


def test_a_whole_conversation(run):
    lines = "boardsize 8\nclear_board\nplay b d3\n7 genmove w\nquit\n"
    result = run("gtp", "--game", "othello", "--player", "random", "--seed", "1", lines=lines)
    assert result.exit_code == 0
    answers = result.output.split("\n\n")
    assert answers[:3] == ["=", "=", "="]
    assert answers[3].split()[1] in {"C3", "C5", "E3"}


def test_what_cannot_be_done_whole_is_not_begun(talk):
    talk.ask("gogui-play_sequence b d3 w c3")
    assert talk.refused("gg-undo 3") == "cannot undo"
    assert talk.line.ply == 2
    for word in ("w c3", "w", "red c3"):
        talk.refused(f"gogui-play_sequence b c4 {word}")
        assert talk.line.ply == 2
    talk.ask("gg-undo 2")
    assert talk.line.ply == 0
    talk.ask("gg-undo 0")
