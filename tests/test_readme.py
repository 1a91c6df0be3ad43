"""The README tells the truth about the commands."""

import re
import shlex
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from evenmatch.frontends.cli import app
from evenmatch.players import PLAYERS, parse_spec

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / "docs").glob("notes/*.md"),
]
MEASURED = [(ROOT / "docs" / name).read_text() for name in ("measured.md", "chess.md")]
COMMANDS = re.findall(r"`evenmatch ([^`]+)`", README)
COMMANDS_MEASURED = re.findall(r"`evenmatch ([^`]+)`", "".join(MEASURED))
#: Commands that take long, need a person or a file, or write: their parts are tested elsewhere.
NOT_RUN = (
    "play",
    "train",
    "bench",
    "experiment",
    "warmup",
    "network import",
    "network fit",
    "dataset",
    "estimate",
    "uci --weights",
)


def test_every_command_is_in_the_readme():
    for name in typer.main.get_command(app).commands:
        assert any(line.split()[0] == name for line in COMMANDS), f"README lacks {name}"


def test_every_player_is_in_the_readme():
    for name in PLAYERS:
        assert f"**{name}**" in README or name in ("alphadda2", "mcts2", "mcts3"), (
            f"README lacks {name}"
        )


@pytest.mark.parametrize(
    "line",
    [x for x in sorted({*COMMANDS, *COMMANDS_MEASURED}) if not x.startswith(NOT_RUN)],
)
def test_commands_run(line):
    words = shlex.split(re.sub(r"(--games|-n) \d+", r"\1 2", line))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    """Files that are there, and headings that they have."""
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if target.startswith("http"):
            continue
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if heading:
            assert heading in anchors(file), f"{page.name} links to {target}"


def anchors(page):
    """The headings of a page as their links name them."""
    found = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", x.lower()).replace(" ", "-") for x in found}


def test_specs_are_valid():
    for spec in re.findall(r"`([a-z0-9]+:[a-z_0-9=,.]+)`", "".join([README, *MEASURED])):
        if not spec.startswith("name:"):  # the grammar itself
            parse_spec(spec)


def test_python_example_runs(monkeypatch):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    exec(code.replace("games=100", "games=2"), {})
