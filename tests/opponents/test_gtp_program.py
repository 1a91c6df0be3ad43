"""Programs that speak GTP as players: a small one, written here, and those of Debian."""

import gc
import shutil
import sys
import time
from pathlib import Path

import oracle_games
import pytest
from some_turns import first_turns, player_of

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.go import Go
from evenmatch.games.line import Line
from evenmatch.opponents.gtp_program import ENGINES, GtpEngine, GtpError, command_of, start_commands
from evenmatch.opponents.player import RESIGN, Turn
from evenmatch.play.arena import play_match

OTHELLO = get_game("othello")
CONNECT4 = get_game("connect4")

#: Plays the last of the legal moves; writes down what it is sent, and does as its arguments say.
#: Its rules are slow ones of the tests, which are loaded quickly.
ENGINE = f"""
import sys
import time
sys.path.insert(0, {str(Path(oracle_games.__file__).parent)!r})
from oracle_games import SlowConnect4, SlowOthello
othello = sys.argv[2] == "othello"
start = SlowOthello.start(8) if othello else SlowConnect4()
names = [f"{{'abcdefgh'[at % 8]}}{{at // 8 + 1}}" for at in range(64)] + ["pass"]
names = names if othello else list("1234567")
position = start
"""
ENGINE += """
for line in sys.stdin:
    with open(sys.argv[1], "a") as file:
        file.write(line)
    words, answer = line.split(), "="
    if words[0] == "name":
        answer = "= last"
    elif words[0] == "list_commands":
        answer = "= name\\nplay\\ngenmove\\nset_random_seed"
    elif words[0] == "boardsize" and int(words[1]) != 7 + othello:
        answer = "? unacceptable size"
    elif words[0] == "clear_board":
        position = start
    elif words[0] == "play" and words[2] == "pass" and "mute" in sys.argv:
        answer = "? syntax error"
        position = position.play(64)
    elif words[0] == "play":
        position = position.play(names.index(words[2].lower()))
    elif words[0] == "genmove":
        if "die" in sys.argv:
            sys.exit(1)
        while "hang" in sys.argv:
            time.sleep(0.1)
        while "endless" in sys.argv:
            sys.stdout.write("x" * 65536)
        if "lines" in sys.argv:
            print("=")
        while "lines" in sys.argv:
            print("x")
        action = position.legal()[-1]
        answer = f"= {names[action]}"
        position = position.play(action)
        answer = next((f"= {word}" for word in ("resign", "z99") if word in sys.argv), answer)
    print(answer + "\\n", flush=True)
    if words[0] == "quit":
        break
"""


@pytest.fixture
def engine(tmp_path):
    (tmp_path / "engine.py").write_text(ENGINE)
    return f"{sys.executable} {tmp_path}/engine.py {tmp_path}/told"


def told_to(tmp_path):
    return (tmp_path / "told").read_text().splitlines()


def test_a_program_plays_a_match(engine, tmp_path):
    match = play_match(f"engine:cmd={engine} othello", "random", OTHELLO, games=2, seed=1)
    assert match.score.games == 2
    told = told_to(tmp_path)
    assert told.count("boardsize 8") >= 2
    assert {"b", "w"} == {line.split()[1] for line in told if line.startswith("genmove")}
    assert any(line.startswith("set_random_seed ") for line in told)


@pytest.mark.parametrize("mute", ["", " mute"])
def test_its_board_is_that_of_the_game(engine, tmp_path, mute):
    """Every move of it is the last of the legal ones, passes of the other not told if it is so."""
    spec = f"engine:cmd={engine} othello{mute}"
    match = play_match("random", spec, OTHELLO, games=2, seed=2)
    passed = 0
    for played in match.games:
        state = OTHELLO.initial()
        for action in played.actions:
            legal = OTHELLO.legal_actions(state)[0]
            first = OTHELLO.to_play(state)[0] == 1
            if first == (played.pairing.first == 1):
                assert action == legal[-1]
            elif action == 64:
                passed += 1
            state = OTHELLO.after(state, [action])
    assert passed


def test_more_games_than_engines_share_them(engine, monkeypatch):
    monkeypatch.setattr("evenmatch.opponents.gtp_program.MOST_ENGINES", 2)
    match = play_match(f"engine:cmd={engine} connect4", "random", CONNECT4, games=5, seed=1)
    assert match.score.games == 5


def test_a_series_of_games_needs_one_engine(engine, tmp_path):
    """Games one after another do not start a program each."""
    player = player_of(f"engine:cmd={engine} connect4", CONNECT4)
    for seed in range(4):
        player.decide(first_turns(CONNECT4, seed=seed))
    assert told_to(tmp_path).count("name") == 1


def test_a_game_given_up_is_lost(engine):
    match = play_match(f"engine:cmd={engine} connect4 resign", "random", CONNECT4, games=2, seed=1)
    assert (match.score.wins, match.score.losses, match.score.draws) == (0, 2, 0)
    assert {len(played.actions) for played in match.games} == {0, 1}
    player = player_of(f"engine:cmd={engine} connect4 resign", CONNECT4)
    assert [one.action for one in player.decide(first_turns(CONNECT4))] == [RESIGN]


def test_seconds_are_told(engine, tmp_path):
    player = player_of(f"engine:cmd={engine} connect4,seconds=3", CONNECT4)
    assert [one.action for one in player.decide(first_turns(CONNECT4))] == [6]
    assert "time_settings 0 3 1" in told_to(tmp_path)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("engine:cmd=no-such-engine-here", "cannot start the engine 'no-such-engine-here'"),
        ("engine:cmd=true", "cannot start the engine 'true'"),
        ("engine", "name its command"),
        ("engine:cmd={engine} othello", "refused 'boardsize 7' .unacceptable size."),
        ("engine:cmd={engine} connect4,elo=900", "elo=900 cannot be set by GTP"),
        ("engine:cmd={engine} connect4,seconds=0", "seconds=0.0 is outside"),
    ],
)
def test_what_is_no_engine_is_told(engine, spec, message):
    with pytest.raises(UsageError, match=message):
        player_of(spec.format(engine=engine), CONNECT4)


@pytest.mark.parametrize(
    ("word", "message"),
    [("die", r"engine .* failed \(it ended at 'genmove b'"), ("z99", "played 'z99' at ply 1")],
)
def test_an_engine_that_fails(engine, word, message):
    with pytest.raises(UsageError, match=message) as refused:
        play_match(f"engine:cmd={engine} connect4 {word}", "random", CONNECT4, games=1, seed=1)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("word", "message"),
    [("endless", "it ended at 'genmove b'"), ("lines", "an answer without end to 'genmove b'")],
)
def test_an_engine_that_writes_without_end_is_ended(engine, word, message):
    """It would fill the memory for as long as its answer is waited for."""
    program = GtpEngine(f"{engine} connect4 {word}")
    with pytest.raises(UsageError, match=message):
        program.ask("genmove b")


def test_an_engine_that_does_not_answer_is_ended(engine):
    asked = GtpEngine(f"{engine} connect4 hang")
    with pytest.raises(UsageError, match="no answer in time to 'genmove b'"):
        asked.ask("genmove b", seconds=0.1)
    with pytest.raises(UsageError, match="it ended before 'name'"):
        asked.ask("name")


def test_refusals_are_not_failures(engine):
    asked = GtpEngine(f"{engine} connect4")
    with pytest.raises(GtpError, match="unacceptable size"):
        asked.ask("boardsize 19")
    assert asked.ask("name") == "last"
    asked.close()
    with pytest.raises(UsageError, match="it ended before 'name'"):
        asked.ask("name")


def test_no_engine_outlives_its_player(engine, tmp_path):
    player = player_of(f"engine:cmd={engine} connect4", CONNECT4)
    player.decide(first_turns(CONNECT4))
    del player
    gc.collect()
    deadline = time.monotonic() + 20
    while told_to(tmp_path)[-1] != "quit" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert told_to(tmp_path)[-1] == "quit"


def test_a_command_within_a_command_is_found_among_debians_engines(engine, tmp_path, monkeypatch):
    """Programs that a PATH lacks are started, also by another command."""
    folder = tmp_path / "games"
    folder.mkdir()
    program = folder / "an-engine-of-debian"
    program.write_text(f"#!/bin/sh\nexec {engine} connect4\n")
    program.chmod(0o755)
    monkeypatch.setattr("evenmatch.opponents.gtp_program.ENGINES", str(folder))
    for cmd in (program.name, f"env A=1 {program.name}"):
        running = GtpEngine(cmd)
        assert running.name
        running.close()


def installed(name):
    return pytest.mark.skipif(
        shutil.which(command_of(name)[0]) is None, reason=f"{name} absent: it is in {ENGINES}"
    )


@installed("gtp-rhino")
def test_rhino_plays_othello():
    """It refuses to be told passes."""
    match = play_match("engine:cmd=gtp-rhino", "random", OTHELLO, games=4, seed=3)
    assert match.score.games == 4
    assert sum(64 in played.actions for played in match.games)


@installed("gnugo")
def test_gnu_go_plays_go():
    """Its komi and its handicap stones are the game's. It takes dead stones off, as it is told."""
    rules = "--chinese-rules --positional-superko --capture-all-dead"
    go, spec = Go(9), f"engine:cmd=gnugo --mode gtp --level 0 {rules}"
    match = play_match(spec, "random", go, games=2, seed=3)
    assert match.score.wins == 2
    line = Line(go, go.start(komi=0.5, black=[10, 70], to_play=-1))
    assert player_of(spec, go).decide([Turn(line, -1, 1)])[0].action in line.legal
    engine = GtpEngine(f"gnugo --mode gtp {rules}")
    for command in ("boardsize 9", "clear_board", *start_commands(go, line.state)):
        engine.ask(command)
    assert float(engine.ask("get_komi")) == 0.5
    assert set(engine.ask("list_stones black").split()) == {"B8", "H2"}
