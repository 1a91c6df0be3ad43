"""Engines of others as players: a small one, written here, and some that are none."""

import sys

import pytest
from some_turns import first_turns, player_of

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.games.line import Line
from evenmatch.opponents import Turn, uci_program
from evenmatch.play.arena import play_match

CHESS = get_game("chess")

#: Plays the last of the legal moves in order of their names; tells what it was told.
ENGINE = """
import os
import sys
import chess
board = chess.Board()
for line in sys.stdin:
    words = line.split()
    with open(sys.argv[1], "a") as file:
        file.write(line)
    if words[:1] == ["uci"]:
        print("id name last")
        print("option name UCI_LimitStrength type check default false")
        print("option name UCI_Elo type spin default 1400 min 1300 max 2000")
        print("option name Skill Level type spin default 20 min 0 max 20")
        print("option name Contempt type check default true")
        print("option name Style type combo default calm var calm var wild")
        print("uciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:2] == ["position", "startpos"]:
        board = chess.Board()
        for word in words[3:]:
            board.push_uci(word)
    elif words[:2] == ["position", "fen"]:
        board = chess.Board(" ".join(words[2:8]))
        for word in words[9:]:
            board.push_uci(word)
    elif words[:1] == ["go"]:
        if "die" in sys.argv:
            sys.exit(1)
        if "once" in sys.argv and not os.path.exists(sys.argv[0] + ".died"):
            open(sys.argv[0] + ".died", "w").close()
            sys.exit(1)
        if "hang" in sys.argv:
            continue
        while "endless" in sys.argv:
            sys.stdout.write("x" * 65536)
        print("bestmove", max(move.uci() for move in board.legal_moves), flush=True)
    elif words[:1] == ["quit"]:
        break
"""

#: The same for XBoard's protocol, without `setboard`: it resigns after as many moves as asked to.
#: Or it has `setboard` and claims draws until that is used.
XBOARD = """
import sys
import chess
board, moves, claims = chess.Board(), 0, "claims" in sys.argv
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["protover"]:
        features = f"ping=1 setboard={int(claims)} sigint=0 done=1"
        print('feature myname="last"', features, flush=True)
    elif words[:1] == ["new"]:
        board = chess.Board()
    elif words[:1] == ["ping"]:
        print("pong", words[1], flush=True)
    elif words[:1] == ["go"]:
        moves += 1
        if claims and board.move_stack:
            print("1/2-1/2 {by its own count}", flush=True)
            continue
        if sys.argv[1:] and not claims and moves > int(sys.argv[1]):
            print("resign", flush=True)
            continue
        move = max(board.legal_moves, key=chess.Move.uci)
        board.push(move)
        print("move", move.uci(), flush=True)
    elif words[:1] == ["setboard"] and claims:
        board = chess.Board(" ".join(words[1:]))
    elif words[:1] == ["setboard"]:
        print("Error (unknown command): setboard", flush=True)
    elif words[:1] == ["quit"]:
        break
    elif len(words) == 1 and words[0][:1] in "abcdefgh" and words[0][1:2].isdigit():
        board.push_uci(words[0])
"""


@pytest.fixture
def xboard(tmp_path):
    (tmp_path / "xboard.py").write_text(XBOARD)
    return f"{sys.executable} {tmp_path}/xboard.py"


def test_an_engine_of_xboard_plays_games_in_turns(xboard):
    """One engine has several games at once; its moves fit the board of each."""
    spec = f"engine:cmd={xboard} 40,protocol=xboard,depth=1"
    match = play_match(spec, "random", CHESS, games=4, seed=1)
    assert match.score.games == 4
    moved = [game for game in match.games if game.pairing.first == 0]
    first = CHESS.read_action(CHESS.initial()[0], "h2h4")
    assert [game.actions[0] for game in moved] == [first] * 2
    assert min(len(game.actions) for game in match.games) > 10


def test_an_engine_of_xboard_may_resign(xboard):
    match = play_match(
        f"engine:cmd={xboard} 1,protocol=xboard,depth=1", "random", CHESS, games=2, seed=1
    )
    assert match.score.losses == 2


def test_an_engine_that_claims_a_draw_is_asked_again(xboard):
    """It does so in each position that follows from moves; its games end by the rules here."""
    spec = f"engine:cmd={xboard} claims,protocol=xboard,depth=1"
    match = play_match(spec, "random", CHESS, games=2, seed=1)
    assert min(len(game.actions) for game in match.games) > 10


def test_an_engine_without_setboard_refuses_another_start(xboard):
    """It says so itself, and the message names the position."""
    player = player_of(f"engine:cmd={xboard},protocol=xboard,depth=1", CHESS)
    start = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    turn = Turn(Line(CHESS, CHESS.from_fen(start)), 1, 1)
    with pytest.raises(UsageError, match=r"failed .*unknown command"):
        player.decide([turn])


@pytest.fixture
def engine(tmp_path):
    (tmp_path / "engine.py").write_text(ENGINE)
    return f"{sys.executable} {tmp_path}/engine.py {tmp_path}/told"


def test_an_engine_plays_a_match(engine, tmp_path):
    match = play_match(f"engine:cmd={engine},elo=1500", "random", CHESS, games=2, seed=1)
    assert match.score.games == 2
    told = (tmp_path / "told").read_text().splitlines()
    assert "setoption name UCI_Elo value 1500" in told
    assert "setoption name UCI_LimitStrength value true" in told
    assert told.count("ucinewgame") >= 2
    assert any(line.startswith("go movetime 100") for line in told)


def test_it_takes_any_option_that_it_has(engine, tmp_path):
    """Their names in any case, with blanks."""
    spec = f"engine:cmd={engine},option.Skill Level=3,option.contempt=FALSE,option.Style=wild"
    player = player_of(spec, CHESS)
    player.decide(first_turns(CHESS))  # it has read its options by then
    told = (tmp_path / "told").read_text().lower().splitlines()
    assert "setoption name skill level value 3" in told
    assert "setoption name contempt value false" in told
    assert "setoption name style value wild" in told


def test_it_is_asked_about_the_position(engine):
    player = player_of(f"engine:cmd={engine},nodes=5", CHESS)
    chosen = player.decide(first_turns(CHESS, 2))
    assert [one.action for one in chosen] == [CHESS.read_action(CHESS.initial()[0], "h2h4")] * 2


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("engine:cmd=no-such-engine-here", "cannot start the engine 'no-such-engine-here'"),
        ("engine:cmd=true", "cannot start the engine 'true'"),
        ("engine", "name its command"),
        ("engine:cmd={engine},elo=900", "takes no rating of 900"),
        (
            "engine:cmd={engine},option.Skil Level=3",
            "has no option 'Skil Level'; did you mean Skill Level[?] Its options are: "
            "UCI_LimitStrength, UCI_Elo, Skill Level, Contempt, Style",
        ),
        ("engine:cmd={engine},option.Threads=3", "has no option 'Threads'; Its|Its options are"),
        ("engine:cmd={engine},option.Skill Level=30", "takes not '30' as Skill Level"),
        ("engine:cmd={engine},option.Skill Level=x", "takes not 'x' as Skill Level"),
        ("engine:cmd={engine},option.Style=bold", "takes not 'bold' as Style"),
        ("engine:cmd={engine},option.Contempt=off", "neither true nor false"),
        ("engine:cmd={engine},option=1", "needs a name; write option.NAME=VALUE"),
        ("engine:cmd={engine},option.Style=calm,option.Style=wild", "'option.Style' .* twice"),
        ("engine:cmd={engine},nodes.x=1", "unknown key 'nodes.x'"),
        ("engine:cmd={engine},protocol=cecp", "write one of: uci, xboard"),
        ("engine:cmd={engine},seconds=0", "seconds=0.0 is outside"),
        ("engine:cmd={engine},nodes=0", "nodes=0 is below 1"),
    ],
)
def test_what_is_no_engine_is_told(engine, spec, message):
    with pytest.raises(UsageError, match=message):
        player_of(spec.format(engine=engine), CHESS)


def test_an_engine_that_refuses_a_rating_is_ended(engine, tmp_path):
    """Also while the error, whose traceback holds the player, is still there."""
    with pytest.raises(UsageError) as refused:
        player_of(f"engine:cmd={engine},elo=900", CHESS)
    assert (tmp_path / "told").read_text().splitlines()[-1] == "quit"
    assert refused.value


def test_an_engine_that_dies_once_is_started_again(engine, tmp_path, caplog):
    match = play_match(f"engine:cmd={engine} once,elo=1500", "random", CHESS, games=2, seed=1)
    assert match.score.games == 2
    told = (tmp_path / "told").read_text().splitlines()
    assert told.count("setoption name UCI_Elo value 1500") == 2, "its strength is limited again"
    assert "is started again" in caplog.text


def test_an_engine_that_dies(engine):
    with pytest.raises(UsageError, match=r"engine .* failed .* choose another"):
        play_match(f"engine:cmd={engine} die", "random", CHESS, games=2, seed=1)


def test_an_engine_that_does_not_answer(engine, monkeypatch):
    monkeypatch.setattr(uci_program.Engine, "_timeout_for", lambda *_: 0.05)
    player = player_of(f"engine:cmd={engine} hang,seconds=0.01", CHESS)
    with pytest.raises(UsageError, match="no answer in time"):
        player.decide(first_turns(CHESS))


@pytest.mark.parametrize("limit", ["nodes=5", "depth=1"])
def test_an_engine_without_a_time_that_does_not_answer(engine, limit, monkeypatch):
    monkeypatch.setattr(uci_program.Engine, "patience", 0.05)
    player = player_of(f"engine:cmd={engine} hang,{limit}", CHESS)
    with pytest.raises(UsageError, match="no answer in time"):
        player.decide(first_turns(CHESS))


def test_an_engine_whose_line_does_not_end(engine):
    """It would fill the memory for as long as its answer is waited for."""
    with pytest.raises(UsageError, match=r"engine .* failed"):
        play_match(f"engine:cmd={engine} endless,nodes=5", "random", CHESS, games=2, seed=1)
