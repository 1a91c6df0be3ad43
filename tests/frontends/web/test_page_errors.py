"""What the page says of mistakes: no option of a command line, and no command."""

import ast
import re
from pathlib import Path

import pytest
import typer

import evenmatch
from evenmatch.frontends.cli.program import app
from evenmatch.frontends.web.guard import on_page

SOURCES = Path(evenmatch.__file__).parent


def test_what_helps_on_the_page_is_said_instead():
    told = "chess-2 cannot be continued (x); delete it: evenmatch play --delete chess-2"
    assert on_page(told) == "chess-2 cannot be continued (x); delete it on the first page"
    assert on_page("what it knows is damaged; start again with --forget").endswith(
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
            "/x/style.json is damaged; delete it, or measure again by `evenmatch calibrate` with "
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
