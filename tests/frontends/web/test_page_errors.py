"""What the page says of mistakes: no option of a command line, and no command."""

import ast
import re
from pathlib import Path

import pytest
import typer
from frontends.web.conftest import OWN, PGN

import evenmatch
from evenmatch.frontends.cli.program import app
from evenmatch.frontends.web.guard import on_page

OF_A_TERMINAL = re.compile(r"(^|[\s`'(])--?[a-z][a-z-]*|\bevenmatch [a-z]|EVENMATCH_|\bnet=")
SOURCES = Path(evenmatch.__file__).parent
POSITIONS = ("", "x", "8/8/8/8/8/8/8/8 w - - 0 1", "1. e4 e5 2. Ke3", "1. Zz9", "(;GM[1]SZ[99])",
             "(;GM[1]SZ[9];B[zz])", "4 4 4 4 4 4 4 4", "d3 d9", "\x00", "e4", "[FEN \"nonsense\"]",
             "4k3/8/8/8/8/8/8/4K3 w HAha - 0 1")  # fmt: skip
LEVELS = ("", "9999", "-1", "strong", "30k", "nan")
FILES = (b"", b"\x00\xff", b"nonsense", b"[Event \"x\"]\n\n1. Zz9 1-0\n", PGN.encode(),
         b"(;GM[1]SZ[19];B[aa])", b"(;GM[1]SZ[99])")  # fmt: skip


def errors(visitor, games):
    """Walk through what can be asked wrongly; yield what the page is told."""
    for game in games:
        asked = {"game": game, "opponent": {"name": "random"}}
        for start in POSITIONS:
            yield visitor.post("/api/tables", **asked, start=start)
        for level in LEVELS:
            yield visitor.post("/api/tables", game=game, opponent={"level": level})
            yield visitor.post("/api/tables", game=game, opponent={"i_am": level})
        for name, keys in (("nobody", {}), ("random", {"x": "1"}), ("mcts", {"sims": "x"}),
                           ("alphazero", {"net": "/x"}), ("even", {"s": "?"})):  # fmt: skip
            yield visitor.post("/api/tables", game=game, opponent={"name": name, "keys": keys})
        for clock in ({"minutes": -1}, {"minutes": "x"}, {"increment": 5}, {"minutes": 1e9}):
            yield visitor.post("/api/tables", **asked, clock=clock)
        for more in ({"komi": 1e9}, {"handicap": 99}, {"side": 3}, {"handicap": 4, "start": "x"}):
            yield visitor.post("/api/tables", **asked, **more)
        for data in FILES:
            for player in ("", "Nobody"):
                path = f"/api/me/import?game={game}&player={player}&name=a.txt"
                yield visitor.client.post(path, content=data, headers=OWN)
    for path in ("/api/tables/99", "/api/me/export?form=sgf", "/api/me/export?form=x", "/api/none"):
        yield visitor.get(path)


@pytest.mark.parametrize("games", [("chess",), ("go9", "go"), ("connect4", "othello")], ids=str)
def test_no_error_names_what_is_typed_in_a_terminal(visitor, games):
    said = [answer.json().get("error", "") for answer in errors(visitor, games)]
    assert sum(map(bool, said)) > 20, "there was much to refuse"
    assert [line for line in said if OF_A_TERMINAL.search(line)] == []


@pytest.mark.parametrize("data", FILES, ids=str)
def test_nor_what_is_said_of_files_that_are_rated(visitor, data):
    answer = visitor.client.post("/api/ratings?game=chess&name=a.pgn", content=data, headers=OWN)
    told = visitor.get(f"/api/ratings/{answer.json()['id']}/events").text
    found = re.findall(r"event: problem\ndata: (.*)", told)
    assert [line for line in found if OF_A_TERMINAL.search(line)] == []


def test_what_helps_on_the_page_is_said_instead():
    told = "chess-2 cannot be gone on with (x); delete it: evenmatch play --delete chess-2"
    assert on_page(told) == "chess-2 cannot be gone on with (x); delete it on the first page"
    assert on_page("what it knows is damaged; start anew with --forget").endswith(
        "; begin a game in which it forgets your earlier ones"
    )


def written(node):
    """The text of a string in a source, with 7 for what is put into it; empty if it is none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) or "7" for part in node.values)
    return ""


def test_no_error_of_any_module_names_what_is_typed_in_a_terminal():
    """All texts that any module raises, whether a page can meet with them or not."""
    raised = [
        written(argument)
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        for argument in node.exc.args
    ]
    commands = "|".join(typer.main.get_command(app).commands)
    typed = re.compile(rf"(^|[\s`(])--[a-z]|\bevenmatch ({commands})\b|`|EVENMATCH_|\bnet=")
    assert sum(typed.search(line) is not None for line in raised) > 50, "they are found"
    assert [line for line in map(on_page, raised) if typed.search(line)] == []


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (
            "/x/style.json is damaged; delete it, or measure anew by `evenmatch calibrate` with "
            "--again",
            "/x/style.json is damaged; ask the person who runs this server",
        ),
        (
            "style is not calibrated on go9; `evenmatch calibrate go9` does that",
            "style is not calibrated on go9; ask the person who runs this server",
        ),
        ("--elo and --rank both say the level; keep one", "this is not possible here; keep one"),
        ("cannot read '`--x`' as a move; type it as in e4",
         "cannot read '`--x`' as a move; type it as in e4"),
        ("another evenmatch keeps it locked", "another evenmatch keeps it locked"),
    ],
)  # fmt: skip
def test_of_what_helps_only_what_can_be_done_on_the_page_is_said(line, shown):
    assert on_page(line) == shown
