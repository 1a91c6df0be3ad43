import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import evenmatch
from evenmatch.frontends.cli import app
from evenmatch.games import GAMES
from evenmatch.games.catalog import CATALOG, GameInfo
from evenmatch.opponents import PLAYERS
from evenmatch.ratings import Pentanomial, Score

NETS = Path(evenmatch.__file__).parent / "nets"
HEAVY = ["numba", "numpy", "openvino", "scipy", "matplotlib", "onnx", "torch", "platformdirs"]


def test_help_imports_nothing_heavy():
    """Not a timing, which would depend on the machine."""
    program = (
        "import sys\n"
        "from evenmatch.frontends.cli import app\n"
        "app(['--help'], standalone_mode=False)\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.strip() == "[]"
    for command in app.registered_commands:
        assert command.callback.__name__ in done.stdout


def test_help_names_the_default_opponent(run):
    text = " ".join(run("play", "--help").stdout.replace("│", " ").split())
    said = re.search(
        r"default: (\w+), at about your level; in a game that you added, (\w+)\]", text
    )
    assert {info.opponent for info in CATALOG.values()} == {said[1]}
    assert GameInfo(game="new").opponent == said[2]


def test_version(run):
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"evenmatch {evenmatch.__version__}\n"


def test_an_unknown_precision_is_refused_before_anything_loads(run, monkeypatch):
    monkeypatch.setenv("EVENMATCH_PRECISION", "int4")
    for command in (("play", "chess"), ("games",), ("uci",)):
        refused = run(*command)
        assert refused.exit_code == 2
        assert refused.stderr.startswith("error: EVENMATCH_PRECISION=int4 is not known; set it to")


def test_every_option_has_help():
    from typer.main import get_command

    for name, command in get_command(app).commands.items():
        assert command.help, name
        for parameter in command.params:
            assert getattr(parameter, "help", None), (name, parameter.name)


# -- tables ------------------------------------------------------------------------------------


def test_games(run):
    rows = json.loads(run("games", "--json").stdout)
    assert [row["id"] for row in rows] == list(GAMES)
    assert all(game in run("games").stdout for game in GAMES)


def test_players(run):
    rows = json.loads(run("players", "--json").stdout)
    assert [row["name"] for row in rows] == list(PLAYERS)
    table = run("players").stdout
    assert all(name in table for name in PLAYERS)
    for name, kind in PLAYERS.items():
        table = run("players", name).stdout
        assert name in table
        assert all(f" {key} " in table for key in kind.keys)
    (row,) = json.loads(run("players", "pikl", "--json").stdout)
    assert row["name"] == "pikl"


def test_a_player_who_is_not_known(refused):
    assert "unknown player 'nobody'; choose one of: " in refused("players", "nobody")
    assert "did you mean alphazero?" in refused("players", "alphazer")
    assert "did you mean sims?" in refused("players", "mcts:sim=3")
    assert "go9 is a game; name players" in refused("players", "go9")


def test_perft_prints_the_count_last(run):
    result = run("perft", "othello", "--depth", "5")
    assert result.stdout == "1396\n"
    assert [line.split()[:3] for line in result.stderr.strip().split("\n")][1] == [
        "depth",
        "2",
        "12",
    ]


def test_narrow_terminals(run, monkeypatch):
    columns = 40
    monkeypatch.setenv("COLUMNS", str(columns))
    table = run("players", *PLAYERS).stdout
    words = set(table.split())
    for kind in PLAYERS.values():
        for key, entry in kind.keys.items():
            assert key in words
            assert set(entry.help.split()) <= words, key
    games = run("games").stdout
    assert {*GAMES, "Four"} <= set(games.split())
    for text in (table, games):
        assert max(map(len, text.split("\n"))) <= columns
        assert "…" not in text


# -- matches -----------------------------------------------------------------------------------


def test_match_json(run, tmp_path):
    record = tmp_path / "games.jsonl"
    arguments = ["match", "mcts:sims=30", "random", "--game", "connect4", "--games", "6"]
    arguments += ["--seed", "4", "--openings", "2", "--json", "--record", str(record)]
    result = run(*arguments)
    one = json.loads(result.stdout)
    keys = (
        "games wins losses draws score score_low score_high elo elo_low elo_high "
        "games_per_second seconds seed"
    )
    assert set(keys.split()) <= set(one)
    assert one["games"] == one["wins"] + one["losses"] + one["draws"] == 6
    assert one["seed"] == 4
    assert one["score_low"] <= one["score"] <= one["score_high"]
    games = [json.loads(line) for line in record.read_text().split("\n") if line]
    assert len(games) == 6
    assert games[0]["first"] == games[1]["second"] == "mcts:sims=30"
    assert games[0]["moves"][:2] == games[1]["moves"][:2]
    again = json.loads(run(*arguments, "--overwrite").stdout)
    timing = {"games_per_second", "seconds"}
    assert {k: v for k, v in again.items() if k not in timing} == {
        k: v for k, v in one.items() if k not in timing
    }


def test_infinite_elo_is_null(run):
    result = run("match", "minimax1", "random", "-g", "connect4", "-n", "4", "--json")
    one = json.loads(result.stdout)
    assert one["score"] == 1
    assert one["elo"] is None
    assert one["elo_high"] is None


def test_repeated_games_are_told(run):
    result = run("match", "minimax1", "minimax2", "-g", "connect4", "-n", "10", "--json")
    assert "only 2 of the 10 games differ; --openings" in result.stderr
    json.loads(result.stdout)


@pytest.mark.parametrize(("games", "unit"), [(1, "games"), (2, "pairs"), (3, "pairs")])
def test_pairs_are_the_unit_of_a_match_unless_there_is_none(run, games, unit):
    """All won: one game bounds the score as it does, two and three as one pair does."""
    arguments = ["match", "minimax1", "random", "-g", "connect4", "--openings", "2", "--json"]
    one = json.loads(run(*arguments, "-n", str(games)).stdout)
    bound = Score(wins=1) if games == 1 else Pentanomial((0, 0, 0, 0, 1))
    assert one["unit"] == unit
    assert one["score_low"] == pytest.approx(bound.interval().low)


def test_sprt_stops_early(run):
    arguments = ["match", "minimax1", "random", "-g", "connect4", "-n", "900", "--json"]
    result = run(*arguments, "--sprt", "0", "100")
    one = json.loads(result.stdout)
    assert one["games"] < 900
    assert one["sprt"]["status"] == "accept_elo1"


def test_tournament(run):
    arguments = ["tournament", "minimax1", "random", "mcts:sims=20", "-g", "connect4", "-n", "4"]
    result = run(*arguments, "--anchor", "random=1000", "--json")
    one = json.loads(result.stdout)
    assert one["games"] == 12
    assert [row["elo"] for row in one["ratings"] if row["player"] == "random"] == [1000]
    table = run(*arguments).stdout
    assert "95% interval" in table
    assert "mcts:sims=20" in table


# -- bad input: one line that says the fix, exit code 2 ----------------------------------------


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        ("perft ches -d 1", "did you mean chess? The games are: connect4"),
        ("play connect4 -o bob", "choose one of: alphadda1"),
        ("play connect4 -o mcts:simz=3", "did you mean sims? Its keys are: sims"),
        ("play chess -o human:elo=9", "outside [600, 2800]"),
        (
            "play chess --elo 9",
            "no opponent plays at --elo 9; choose a level from 429",
        ),
        ("play chess --elo 1500 -o random", "keep one of them"),
        ("play connect4 --as third", "unknown side 'third' in connect4; choose first, second"),
        ("play connect4 --resume", "start one with: evenmatch play GAME"),
        ("play connect4 -o alphazero:net=nowhere.onnx", "check the path"),
        ("match random random", "see evenmatch match --help"),
        ("match random random -g connect4 -n 0", "see evenmatch match --help"),
        ("match random random -g connect4 --overwrite", "does nothing without --record FILE"),
        ("match random random -g connect4 --sprt 5 0", "elo0 must be below elo1"),
        ("tournament random -g connect4", "name more of them"),
        ("tournament random random -g connect4", "all different"),
        ("tournament random mcts1 -g connect4 --anchor bob=1", "choose one of: random, mcts1"),
        ("tournament random mcts1 -g connect4 --anchor random", "write SPEC=ELO"),
        ("train connect4 --preset best --out x", "choose one of: paper"),
        ("train connect4 --out /dev/null/x --resume", "leave out --resume"),
        ("nonsense", "see evenmatch --help"),
        ("play connect4 -s 9223372036854775808", "see evenmatch play --help"),
        ("tournament random mcts1 -g connect4 --anchor random=1 --anchor random=2", "keep one"),
    ],
)
def test_bad_input(refused, arguments, fix):
    assert fix in refused(*arguments.split())


def test_moves_of_a_beginning_up_to_a_number(run, refused):
    moves = "D4 E5 pass pass"
    begun = run("play", "go9", "-o", "random", "--moves", moves, "--at", "2", lines="moves resign")
    assert begun.exit_code == 0, begun.output
    assert "Legal moves: A9" in begun.stdout
    assert "there are 2 moves" in refused("play", "go9", "--moves", "1. D4 E5", "--at", "3")
    assert "such as --at 2" in refused("play", "go9", "--moves", "D4 E5 pass pass")


@pytest.mark.parametrize("protocol", ["gtp", "uci"])
def test_a_closed_input_is_told(protocol):
    command = f"{sys.executable} -m evenmatch {protocol} <&-"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert ended.returncode == 2
    assert "standard input is closed" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        ("--player nobody", "choose one of"),
        ("--game othello --player human:elo=1500", "play chess, go9, go13, go alone"),
        ("--game go9 --player human:elo=1500", "elo is not for go9; write rank=5k"),
    ],
)
def test_gtp_refuses_a_player_at_its_start(refused, arguments, fix):
    assert fix in refused("gtp", *arguments.split())


def test_training_without_torch():
    program = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "sys.argv = 'evenmatch train connect4 -p tiny --out /dev/null/x'.split()\n"
        "from evenmatch.frontends.cli import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "evenmatch[train]" in done.stderr
    assert done.stderr.count("\n") == 1


def test_ctrl_c_is_130(run, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("evenmatch.frontends.console.table", interrupted)
    result = run("games")
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")


def test_a_file_that_cannot_be_used(refused, monkeypatch):
    def broken(*_):
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr("evenmatch.frontends.console.table", broken)
    assert "cannot use /somewhere (Permission denied)" in refused("games")


def test_a_bug_is_no_usage_error(run, monkeypatch):
    def broken(*_):
        raise RuntimeError("a bug")

    monkeypatch.setattr("evenmatch.frontends.console.table", broken)
    assert isinstance(run("games").exception, RuntimeError)


def test_memory_that_is_not_there_is_told(run, monkeypatch):
    def ask_for_much(*_, **__):
        raise MemoryError

    monkeypatch.setattr("evenmatch.play.arena.play_match", ask_for_much)
    result = run("match", "random", "random", "--game", "connect4")
    assert result.exit_code == 2
    assert result.output.startswith("error: there is not enough memory; ask for fewer")
