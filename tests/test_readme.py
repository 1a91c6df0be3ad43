"""The README and the docs tell the truth about the program, in short lines and paragraphs."""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from evenmatch.frontends.cli import app
from evenmatch.opponents import PLAYERS, parse_spec
from evenmatch_lab import NAMES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
#: Pages that people write; the rest of the results are written by experiments, logs stay as logs.
WRITTEN = [
    page
    for page in PAGES
    if page.parent.name not in ("results", "fide", "archive") or page.name == "index.md"
]
#: Pages that tell what to type.
GUIDES = [ROOT / "README.md", *(DOCS / "start").glob("*.md"), *(DOCS / "how-to").glob("*.md")]
#: Lines of Markdown that are no text: tables, headings, pictures, commands, blank ones.
WHOLE = re.compile(r"\s*(\||#|!\[|<|\[[^\]]+\]: |:::|---|Command: `)|\s*$")
MEASURED = [(DOCS / "results" / name).read_text() for name in ("board-games.md", "chess.md")]
#: Words of `pip install` for packages that hold or download networks.
OF_OTHERS = ("maia3-runtime", "maia2", "--no-deps", "katrain==1.20.0")
#: Commands that take long, need a person or a file, or write: their parts are tested elsewhere.
NOT_RUN = (
    "play",
    "train",
    "bench",
    "experiment",
    "warmup",
    "calibrate",
    "network import",
    "network info maia",
    "network info FILE",
    "network fit",
    "network mix",
    "network quantize",
    "dataset",
    "estimate",
    "me",
    "uci --weights",
    "gtp --weights",
    "gtp --rank 8k --weights",
    "gtp --rank 8k --human-net",
    "web",
    "tournament mcts1 mcts2 alphazero",  # it takes a cluster
    'match even "engine:cmd=gnugo',
    "perft YOURGAME",
    "match yours",
    "players NAME",
    "--help",
)


def generated(name: str) -> str:
    """A page of the reference that the docs generate."""
    path = DOCS / "reference" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PAGES[name]()


def commands_in(page: str) -> set[str]:
    """What a page tells to type after ``evenmatch``: in a line of code, or in a block of it."""
    inline = re.findall(r"`(?:\w+ [\w.]+ \\\| )?evenmatch ([^`\n]+)`", page)
    blocks = re.findall(r"^```\n(.*?)^```", page, re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    typed = [line.rpartition("&& ")[2] for line in lines]
    return {
        *inline,
        *(line.removeprefix("evenmatch ") for line in typed if "evenmatch " in line[:10]),
    }


def test_the_readme_is_two_screens():
    assert len(README.splitlines()) <= 100


@pytest.mark.parametrize("page", [*GUIDES, ROOT / "CHANGELOG.md", ROOT / "lab" / "README.md"])
def test_evenmatch_is_installed_from_its_folder(page):
    """No index has it. The README says how to get the folder. Some packages hold networks."""
    for line in re.findall(r"pip install ([^`\n&#]*)", page.read_text()):
        for name in shlex.split(line):
            ours = name == "-e" or name.startswith(".")
            assert ours or name in OF_OTHERS, f"{page.name}: pip install {line}"


@pytest.mark.parametrize("page", [README, (DOCS / "start" / "first-game.md").read_text()])
def test_the_folder_is_cloned_first(page):
    first = re.search(r"^```\n(.*?)^```", page, re.M | re.S)[1].splitlines()
    assert first[0] == "git clone URL evenmatch && cd evenmatch"
    assert first[-1].startswith("python -m pip install ")


def test_every_command_is_in_the_readme_and_the_reference():
    page = generated("commands")
    for name in typer.main.get_command(app).commands:
        assert f"`{name}`" in README or f"`evenmatch {name}" in README, f"README lacks {name}"
        assert f"## evenmatch {name}" in page, f"the reference lacks {name}"


def test_every_player_is_in_the_reference_with_its_keys():
    page = generated("players")
    for name, kind in PLAYERS.items():
        section = re.search(rf"^## {name}(?: \*)?\n(.*?)(?=^## |\Z)", page, re.M | re.S)
        assert section, f"the reference lacks {name}"
        for key in kind.keys:
            assert f"| `{key}` |" in section[1], f"{name} lacks {key}"


def test_every_experiment_has_an_answer_in_the_index():
    """If it has been run, so that there is a page."""
    index = (DOCS / "results" / "index.md").read_text()
    made = [name for name in NAMES if (DOCS / "results" / f"{name}.md").exists()]
    assert len(made) > 20
    for name in made:
        assert f"({name}.md)" in index, f"the index of results lacks {name}"


TEXTS = [*(page.read_text() for page in GUIDES), *MEASURED]
COMMANDS = set().union(*map(commands_in, TEXTS))


def test_commands_are_found():
    assert len(COMMANDS) > 40
    assert "play othello" in COMMANDS


@pytest.mark.parametrize("line", [x for x in sorted(COMMANDS) if not x.startswith(NOT_RUN)])
def test_commands_run(line):
    words = shlex.split(re.sub(r"(--games|-n) \d+", r"\1 2", line))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("line", [x for x in sorted(COMMANDS) if x.startswith(NOT_RUN)])
def test_options_of_other_commands_exist(line):
    """What is not run at least names commands and options that there are."""
    words = [word for word in shlex.split(line.partition("\\|")[0]) if word != "-"]
    group = typer.main.get_command(app)
    names = [word for word in words if not word.startswith("-")]
    command = group.commands[names[0]] if names else group
    inner = getattr(command, "commands", None)
    command = inner.get(names[1], command) if inner and len(names) > 1 else command
    known = {option for one in command.params for option in one.opts} | {"--help"}
    for word in words:
        assert not word.startswith("--") or word in known, f"{line}: no {word}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Files that are there, and headings that they have."""
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if target.startswith("http"):
            continue
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if file.parent == DOCS / "reference" and file.stem in ("commands", "players"):
            continue  # the docs generate them
        assert file.exists(), f"{page.name} links to {target}"
        if heading:
            assert heading in anchors(file), f"{page.name} links to {target}"


def anchors(page):
    """The headings of a page as their links name them."""
    text = page.read_text()
    found = {re.sub(r"[^\w\- ]", "", x.lower()) for x in re.findall(r"^#+ (.*)$", text, re.M)}
    return {x.replace(" ", "-") for x in found} | {*re.findall(r'<a id="([^"]+)"></a>', text)}


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_paragraphs_have_at_most_five_sentences(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    text = re.sub(r"^\s*([-*]|\d+\.) ", "\n\n", text, flags=re.M)
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line for line in paragraph.split("\n") if not WHOLE.match(line)]
        ends = re.findall(r"[.!?][)*`]*(?=\s+[A-Z`*\[(]|\s*$)", " ".join(lines))
        assert len(ends) <= 5, paragraph


def test_specs_are_valid():
    specs = set(re.findall(r"[ `]([a-z0-9]+:[a-z_]+=[a-z_0-9=,.]+)[ `]", "".join(TEXTS)))
    assert len(specs) > 1
    for spec in specs:
        if not spec.startswith("name:"):  # the grammar itself
            parse_spec(spec)
