"""The conversation with a Go program: whole conversations, games, analysis, odd lines."""

import doctest
import io
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from numba import njit

from evenmatch import __version__
from evenmatch.frontends.gtp import serve
from evenmatch.frontends.gtp.commands import converse
from evenmatch.frontends.gtp.engine import GtpThinker
from evenmatch.games import get_game
from evenmatch.games.catalog import games_by
from evenmatch.play.arena import play_match

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

    def say(self, line):
        """What a line is answered by, whole."""
        self.said.clear()
        self.engine.handle(line)
        return "\n".join(self.said)

    def ask(self, line, sign="="):
        """The answer to one line, without the sign in front."""
        text = self.say(line)
        assert text.startswith(sign), text
        assert text.endswith("\n"), text
        return text[1:].strip()

    def refused(self, line):
        """The reason for which a line is refused."""
        return self.ask(line, "?")


@pytest.fixture
def talk():
    talk = Talk()
    yield talk
    talk.engine.close()


def conversations():
    """By title: a game, the size of its board, commands with their answers."""
    text = Path(__file__).with_name("conversations.txt").read_text("utf-8")
    for block in text.split("\n\n")[1:]:
        title, _, lines = block.partition("\n")
        title, game, size = re.fullmatch(r"# (.*) \((\w+) ?(\d*)\)", title).groups()
        pairs = [pair.partition("\n") for pair in lines.removeprefix("> ").split("\n> ")]
        yield pytest.param(game, size, pairs, id=title)


@pytest.mark.parametrize(("game", "size", "pairs"), list(conversations()))
def test_conversations(game, size, pairs):
    talk, check = Talk(game), doctest.OutputChecker().check_output
    if size:
        talk.ask(f"boardsize {size}")
    for command, _, wanted in pairs:
        answer = re.sub(r"[ \n]+\n", "\n", talk.say(command)).strip()
        assert check(wanted.strip(), answer, doctest.ELLIPSIS), f"{command}: {answer}"


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


def test_every_game_is_played_and_only_go_has_komi():
    for game_id in games_by("gtp"):
        talk = Talk(game_id)
        assert talk.engine.game.game is get_game(game_id)
        assert talk.ask("known_command get_komi") == str("go" in game_id).lower()


@pytest.mark.parametrize("told", [True, False])
def test_forced_passes_of_othello_may_be_told_or_left_out(told):
    """Random games, as gtp-rhino's are told: nobody passes there, the other plays again."""
    game, talk, passes = get_game("othello"), Talk(), 0
    rng = random.Random(1)
    for _ in range(10):
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


@pytest.mark.parametrize(("game", "player"), [("othello6", None), ("connect4", "alphazero:sims=4")])
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


def test_keys_of_katago_that_any_game_has(talk):
    talk.engine.settings["maxVisits"] = 64
    keys = ("rootInfo", "pvVisits", "pvEdgeVisits", "noResultValue")
    asked = " ".join(f"{key} true" for key in keys)
    talk.say(f"kata-genmove_analyze b interval 9999 {asked} rootInfo true")
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
    assert "pvVisits" not in talk.say("kata-genmove_analyze w 9999 pvVisits true pvVisits false")


@pytest.mark.parametrize(
    ("command", "player"),
    [
        ("kata-genmove_analyze", None),
        ("lz-genmove_analyze", None),
        ("lz-genmove_analyze", "random"),
    ],
)
def test_moves_that_are_analysed_meanwhile(player, command):
    """There is a report before each move, however long the interval."""
    talk = Talk(player=player)
    for ply, interval in enumerate(("0", "9999", "interval 9999")):
        talk.say(f"3 {command} {'bwb'[ply]} {interval}")
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
        said = talk.say(f"lz-genmove_analyze b 9999 avoid b {avoided} 1")
        (left,) = {"d3", "c4", "f5", "e6"} - set(avoided.split(","))
        assert said.endswith(f"\nplay {left.upper()}\n")
        talk.ask("undo")
    talk = Talk(player="random")
    assert "a player chooses" in talk.refused("lz-genmove_analyze b allow b d3 1")


def test_the_last_analysis_reports_once_more():
    """So a file of commands that ends with one has its answer."""
    talk = Talk()
    talk.say("kata-analyze b 9999")
    talk.engine.close()
    assert talk.said[0] == "="
    assert talk.said[1].startswith("info move ")
    assert talk.said[-1] == ""


# -- robustness ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "lines"), [("othello", 2_000), ("go9", 300)])
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
    note = "evenmatch: compiling othello; this takes about a minute, once"
    assert told.err.splitlines() == [note]


def test_our_own_client_plays_a_match_with_it():
    command = f"{sys.executable} -m evenmatch gtp --game connect4 --visits 4 --seed 1"
    match = play_match(f"engine:cmd={command}", "random", get_game("connect4"), games=2, seed=1)
    assert match.score.games == 2


def test_command_lines_that_are_refused(refused):
    assert "evenmatch gtp has no game 'chess'" in refused("gtp", "--game", "chess")
    assert "no network file" in refused("gtp", "--game", "othello", "--weights", "none.onnx")
