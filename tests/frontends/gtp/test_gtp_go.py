"""The commands that only Go has, on small boards."""

import random
import shutil

import numpy as np
import pytest
from naive_go import NaiveGo
from test_gtp_engine import Talk, fields

from evenmatch.frontends.engine.analysis import WHOLE, Points
from evenmatch.frontends.gtp.engine import Chosen
from evenmatch.frontends.gtp.go import ALIVE, DEAD, SEKI, GoGame
from evenmatch.opponents.gtp_program import GtpEngine, command_of
from evenmatch.play.tree import best_actions
from evenmatch.search.evaluator import Evaluation


@pytest.fixture
def talk():
    talk = Talk("go")
    talk.ask("boardsize 5")
    yield talk
    talk.engine.close()


def stones(talk):
    """The board in rows from the top."""
    go, line = talk.engine.game.game, talk.line
    rows = go.board(line.state[None])[0]
    return ["".join(".XO"[value] for value in row) for row in rows]


def judged(monkeypatch, talk, owned, lead=0.0):
    """Let the network say whose the points are: rows of X, O and . for neither."""
    values = np.array([{"X": 1, "O": -1, ".": 0}[sign] for sign in "".join(owned)], np.float32)

    def judge(game, states):
        sides = game.to_play(states)[:, None]
        return Evaluation(
            np.zeros((len(states), game.num_actions), np.float32),
            np.zeros(len(states), np.float32),
            leads=lead * sides[:, 0],
            ownership=values * sides,
        )

    monkeypatch.setattr(talk.engine.thinker, "judge", judge)


PASS = 25


@pytest.mark.parametrize(
    ("words", "actions", "board"),
    [
        ("b c3, w pass, w b2", [12, 16], [".....", ".....", "..X..", ".O...", "....."]),
        ("b c3, w pass, w pass", [12, PASS], None),  # a pass that is taken back, and another
        ("b c3, w b2, w pass", [12, 16], None),  # a pass that nobody made and one cancel out
        ("b c3, w b2, w pass, w pass, b pass", [12, 16, PASS], None),
        ("b pass, b c3", [12], None),
        ("b pass, b pass, b pass", [PASS], None),
        ("w pass, w c3", [PASS, 12], None),
        ("w c3, w pass, b pass, w d4", [PASS, 12, PASS, 8], None),
        ("w c3, w d4, w e5", [PASS, 12, PASS, 8, PASS, 4], None),
        ("b c3, w b2, b pass, w pass", [12, 16, PASS, PASS], None),  # the only one that is over
    ],
)
def test_passes_of_a_side_that_moves_twice_in_a_row(talk, words, actions, board):
    talk.ask("komi 0.5")
    moves = words.split(", ")
    for move in moves:
        talk.ask(f"play {move}")
    line = talk.line
    assert line.actions == actions
    assert bool(line.legal) == (actions[-2:] != [PASS, PASS])
    assert board is None or stones(talk) == board
    talk.ask("komi 3.5")  # the game is played once more
    assert talk.line.actions == actions
    for _ in moves:
        talk.ask("undo")
    assert talk.refused("undo") == "cannot undo"


@pytest.mark.parametrize(
    ("command", "player"),
    [
        ("kata-genmove_analyze w 0", None),
        ("kata-analyze w 0", None),
        ("genmove w", "alphazero:sims=40"),
    ],
)
def test_a_pass_that_nobody_made_offers_no_end(command, player):
    """White is ahead by komi: a pass would win if the one before it counted."""
    talk = Talk("go", maxVisits=40, player=player)
    talk.ask("boardsize 5")
    talk.ask("komi 20.5")
    for word in ("b c3", "w b2"):
        talk.ask(f"play {word}")
    talk.say(command)
    talk.engine.close()
    assert "info move PASS" not in "".join(talk.said)
    if "genmove" in command:
        assert talk.line.actions[2] == PASS
        assert talk.line.actions[3:] not in ([], [PASS])
        assert talk.line.legal


@pytest.mark.parametrize(("size", "asked", "placed"), [(19, 15, 15), (6, 4, 4), (5, 24, 6)])
def test_as_many_free_stones_as_are_asked_for(size, asked, placed):
    """Beyond the star points the network chooses; a quarter of the board is enough."""
    talk = Talk("go")
    talk.ask(f"boardsize {size}")
    words = talk.ask(f"place_free_handicap {asked}").split()
    assert len(set(words)) == placed
    assert talk.engine.game.game.stones(talk.line.state[None]).sum() == placed
    assert talk.line.side == -1
    assert talk.engine.game.handicap(talk.line) == placed
    for wrong in (1, size * size):
        talk.ask("clear_board")
        assert talk.refused(f"place_free_handicap {wrong}") == "invalid number of stones"


BOARD = ("..X.O", "..XO.", "O.XOO", "..XO.", "..XO.")  # White's stone at A3 is dead


def set_up(talk, rows):
    """Put a board up, Black to move."""
    size = len(rows)
    points = {sign: [i for i, at in enumerate("".join(rows)) if at == sign] for sign in "XO"}
    game = talk.engine.game
    assert game.game.size == size
    line = game.begun(points["X"], points["O"], to_play=1)
    talk.engine.begin_game(GoGame(game.game, line, komi=game.komi))


@pytest.mark.parametrize("mover", ["b", "w"])
def test_dead_stones_are_off_the_board_when_points_are_counted(talk, monkeypatch, mover):
    talk.ask("komi 0.5")
    set_up(talk, BOARD)
    if mover == "w":
        talk.ask("play b pass")
    with monkeypatch.context() as without_network:
        without_network.setattr(talk.engine.thinker, "judged", lambda line: None)
        assert talk.ask("final_score") == "W+5.5"  # none is dead: 5 to 10.5
    judged(monkeypatch, talk, ["XXXOO"] * 5)
    assert talk.ask("final_status_list dead") == "A3"
    assert talk.ask("final_status_list seki") == ""
    assert "C5 C4 C3 C2 C1" in talk.ask("final_status_list alive").split("\n")
    assert talk.ask("final_score") == "B+5.5"
    assert talk.refused("final_status_list asleep") == "syntax error"


def test_stones_in_seki(talk, monkeypatch):
    """Two chains share their liberties; what surrounds them has its own."""
    rows = (".XO.X", "XXOXX", "OOOXX", "XXXXX", "....X")
    set_up(talk, rows)
    judged(monkeypatch, talk, (".XO.X", "XXOXX", "OOOXX", "XXXXX", "XXXXX"))
    status = talk.engine.game.status(talk.engine.thinker.judged(talk.line))
    assert status[2] == SEKI  # White's chain has the two points that nobody may fill
    assert status[24] == ALIVE
    assert DEAD not in status.values()


def test_ownership_and_leads_are_told(talk, monkeypatch):
    set_up(talk, BOARD)
    judged(monkeypatch, talk, ["XXXOO"] * 5, lead=4.5)
    talk.ask("play b pass")
    talk.say("kata-genmove_analyze w 0 maxmoves 1 ownership true")
    info, _, owned = talk.said[-2].partition(" ownership ")
    assert "scoreLead -4.5000" in info
    assert [float(word) for word in owned.split()[:5]] == [-1, -1, -1, 1, 1]


WORDS = [f"{column}{row}" for row in (5, 4, 3, 2, 1) for column in "ABCDE"] + ["pass"]
MOST_PLIES = 3 * 25  #: the engine scores a longer game as it stands


@pytest.mark.parametrize("seed", [1, 2])
def test_a_whole_game_is_that_of_the_oracle(monkeypatch, seed):
    """The engine's moves are legal, boards and score are equal; no stone is taken for dead."""
    talk, rng = Talk("go", player="random", searchRandSeed=seed), random.Random(seed)
    monkeypatch.setattr(talk.engine.thinker, "judged", lambda line: None)
    talk.ask("boardsize 5")
    talk.ask("komi 0.5")
    oracle = NaiveGo(5, 0.5)
    while not oracle.over() and len(oracle.moves) < MOST_PLIES:
        if oracle.player > 0:
            action = WORDS.index(talk.ask("genmove b").replace("PASS", "pass"))
            assert action in oracle.legal()
        else:
            action = rng.choice(oracle.legal())
            talk.ask(f"play w {WORDS[action]}")
        oracle.play(action)
        assert stones(talk) == ["".join(".XO"[cell] for cell in row) for row in oracle.cells()]
    lead = oracle.lead()
    assert talk.ask("final_score") == f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"
    talk.engine.close()


@pytest.mark.parametrize("side", ["b", "w"])
def test_keys_of_katago_about_points(side):
    """Averages and deviations of what the network says of the positions that were searched."""
    talk = Talk("go", maxVisits=60)
    talk.ask("boardsize 5")
    talk.ask("play b c3")
    keys = ("rootInfo", "ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev")
    asked = " ".join(f"{key} true" for key in keys)
    talk.say(f"kata-genmove_analyze {side} 9999 minmoves 26 {asked}")
    moves = fields(talk.said[-2])
    assert len(moves) == 25
    root = moves[-1]
    for found, name in [(root, "ownership"), *((move, "movesOwnership") for move in moves)]:
        owned, deviations = np.array(found[name], float), np.array(found[f"{name}Stdev"], float)
        assert owned.shape == deviations.shape == (25,)
        assert (np.abs(owned) + deviations**2 <= 1.001).all()
        assert (deviations >= 0).all()
    assert any(float(move["scoreStdev"]) > 0 for move in moves)
    for move in [*moves, root["rootInfo"]]:
        assert move["scoreMean"] == move["scoreLead"]
        assert float(move["scoreStdev"]) >= 0
    unvisited = [move for move in moves if move["visits"] == "0"]
    assert unvisited  # they are worth what the position is
    assert {move["scoreLead"] for move in unvisited} == {root["rootInfo"]["scoreLead"]}
    once = [move for move in moves if move["visits"] == "1"]
    assert {float(move["scoreStdev"]) for move in once} <= {0.0}


def test_stones_that_are_dead_are_captured_before_a_pass(talk, monkeypatch):
    """Where none is dead it is a move as any other."""
    judged(monkeypatch, talk, ["XXXOO"] * 5)
    set_up(talk, BOARD)
    assert talk.ask("kgs-genmove_cleanup b") in ("A2", "A4", "B3")
    set_up(talk, [row.replace("O.X", "..X") for row in BOARD])
    passed = Chosen(PASS, 0.0)
    monkeypatch.setattr(talk.engine.thinker, "choose", lambda *words: passed)
    assert talk.ask("kgs-genmove_cleanup b") == "pass"
    assert talk.ask("kgs-game_over") == ""


# -- files of games -----------------------------------------------------------------------------

SGF = "(;GM[1]FF[4]SZ[5]KM[3.5]AB[cc][bd]HA[2];W[dd];B[dc];W[])"


def test_games_are_loaded(talk, tmp_path):
    path = tmp_path / "a game.sgf"
    path.write_text(SGF)
    talk.ask(f"loadsgf {path}")
    assert stones(talk) == [".....", ".....", "..XX.", ".X.O.", "....."]
    for quoted in (f'"{path}"', f"'{path}'"):
        talk.ask(f"loadsgf {quoted} 1")
        assert stones(talk) == [".....", ".....", "..X..", ".X...", "....."]
        talk.ask(f"loadsgf {quoted}")
        assert stones(talk) == [".....", ".....", "..XX.", ".X.O.", "....."]
    assert talk.ask("get_komi") == "3.5"
    assert talk.line.side == 1
    assert talk.engine.game.handicap(talk.line) == 2
    talk.ask("undo")
    assert talk.line.side == -1
    talk.ask(f"loadsgf {path} 2")
    assert stones(talk) == [".....", ".....", "..X..", ".X.O.", "....."]
    for number in (0, 1):
        talk.ask(f"loadsgf {path} {number}")
        assert stones(talk) == [".....", ".....", "..X..", ".X...", "....."]


def test_what_a_file_says_and_cannot_be_read_is_noted_on_standard_error(talk, tmp_path, capsys):
    path = tmp_path / "a.sgf"
    path.write_bytes("(;SZ[5]KM[?!]\nPB[古力]PW[常昊];B[aa];W[bb])".encode("gbk"))
    talk.ask(f"loadsgf {path}")
    assert stones(talk) == ["X....", ".O...", ".....", ".....", "....."]
    assert capsys.readouterr().err.splitlines() == [
        f"{path}:2: the encoding is not named, or not the one that is named (CA property); "
        "it was guessed: gb18030",
        f"{path}:1: a property that cannot be read was left out: KM[?!]",
    ]
    path.write_text(SGF)
    talk.ask(f"loadsgf {path}")
    assert capsys.readouterr().err == ""


def test_the_game_is_written_as_sgf(talk, tmp_path):
    """What is written can be loaded again; it has no result before the end."""
    path = tmp_path / "saved games" / "a game.sgf"
    path.parent.mkdir()
    talk.ask("komi 2.5")
    talk.ask("set_free_handicap a1 e5")
    talk.ask("play w c3")
    text = talk.ask("printsgf")
    assert "SZ[5]KM[2.5]" in text
    assert "HA[2]AB[ea][ae]PL[W]\n;W[cc]" in text
    assert "RE[" not in text
    talk.ask("play b pass")
    talk.ask("play w pass")
    missing = tmp_path / "no folder" / "a.sgf"
    why = f"cannot save file: there is no folder {missing.parent}; make it first"
    assert talk.refused(f"printsgf {missing}") == why
    assert not missing.parent.exists()
    assert talk.ask(f'printsgf "{path}"') == ""
    assert f"RE[{talk.ask('final_score')}]" in path.read_text()
    talk.ask("clear_board")
    talk.ask(f"loadsgf {path}")
    assert stones(talk) == ["....X", ".....", "..O..", ".....", "X...."]
    (tmp_path / "a folder.sgf").mkdir()
    for name in ("a folder.sgf", "a game", "nonsense 7.5"):
        assert talk.refused(f"printsgf {tmp_path / name}").startswith("cannot save file")


@pytest.mark.parametrize(
    "text", ["", "(;SZ[5];B[aa];W[aa])", "(;SZ[99])", "(;SZ[5];B[zz])", "(;SZ[5]HA[2])"]
)
def test_files_that_cannot_be_loaded(talk, tmp_path, text):
    path = tmp_path / "bad.sgf"
    path.write_text(text)
    talk.ask("play b c3")
    assert talk.refused(f"loadsgf {path}").startswith("cannot load file")
    assert talk.refused(f"loadsgf {path}x").startswith("cannot load file: ")
    assert talk.refused("loadsgf") == "syntax error"
    assert stones(talk)[2] == "..X.."  # the game is as it was


def nodes_below(forest, node):
    """A node of the tree and all below it."""
    begin, count = (int(forest.nodes[0, node][name]) for name in ("first_edge", "edge_count"))
    children = forest.edges[0, begin : begin + count]["child"]
    return [node, *(n for child in children if child > 0 for n in nodes_below(forest, int(child)))]


def test_points_are_those_of_the_positions_after_a_move(talk, monkeypatch):
    line, thinker, trees = talk.line, talk.engine.thinker, []
    thinker.analyse(line, lambda: len(trees) > 4, lambda tree, ended: trees.append(tree))
    forest, judge = trees[0].forest, thinker.judge

    def said(states):
        evaluation = judge(line.game, states)
        sides = line.game.to_play(states)
        return evaluation.leads * sides, evaluation.ownership * sides[:, None]

    monkeypatch.setattr("evenmatch.frontends.engine.analysis.SAMPLED", 10**6)
    (action,) = best_actions(trees[0].stats(), 1)
    edges = forest.edges[0, : int(forest.nodes[0, 0]["edge_count"])]
    child = int(edges["child"][edges["action"] == action][0])
    found = Points(line, lambda states: judge(line.game, states)).spreads(trees[0], [action, WHOLE])
    for key, top in ((action, child), (WHOLE, 0)):
        leads, owned = said(forest.states[0, nodes_below(forest, top)])
        assert len(leads) > 8
        assert found[key].lead == pytest.approx(leads.mean(), abs=1e-3)
        assert found[key].deviation == pytest.approx(leads.std(), abs=1e-3)
        assert found[key].owned == pytest.approx(owned.mean(0), abs=1e-3)
        assert found[key].owned_deviation == pytest.approx(owned.std(0), abs=1e-3)


@pytest.mark.skipif(shutil.which(command_of("gnugo")[0]) is None, reason="gnugo is not installed")
def test_gnu_go_has_the_same_stones(talk):
    """After handicaps, random moves with captures, and moves that are taken back."""
    other, rng = GtpEngine("gnugo --mode gtp --positional-superko"), random.Random(3)

    def both(command):
        return [" ".join(sorted(engine.ask(command).split())) for engine in (talk, other)]

    def same():
        board = talk.engine.game.game.stones(talk.line.state[None])[0]
        for colour, sign in (("black", 1), ("white", -1)):
            points = {talk.engine.game.point(point) for point in np.flatnonzero(board == sign)}
            assert set(other.ask(f"list_stones {colour}").split()) == points

    for size, stones in ((9, 2), (9, 4), (13, 5), (19, 9)):
        both(f"boardsize {size}")
        both("clear_board")
        ours, theirs = both(f"fixed_handicap {stones}")
        assert ours == theirs
    both("boardsize 6")
    both("clear_board")
    for ply in range(90):
        free = [action for action in talk.line.legal if action != 36]
        point = talk.engine.game.point(rng.choice(free)) if free else "pass"
        both(f"play {'bw'[ply % 2]} {point}")
        if ply % 10 == 9:
            same()
    for _ in range(7):
        both("undo")
    same()
    other.close()
