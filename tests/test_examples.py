"""The Python examples of the docs run as they stand there."""

import re
from pathlib import Path

import pytest

from evenmatch.opponents import PLAYERS

HOW_TO = Path(__file__).parents[1] / "docs" / "how-to"
PAGE, FRONT_END = HOW_TO / "use-from-python.md", HOW_TO / "add-a-front-end.md"
CODE = r"^## (.*?)\n\n(?:[^`#]*?\n\n)?```python\n(.*?)```"
EXAMPLES = dict(re.findall(CODE, PAGE.read_text(), re.M | re.S))
PGN = """[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 1-0
"""
#: What each example prints, as a pattern; smaller numbers of games say the same sooner.
PRINTS = {
    "Play a game": r"^(-1|0|1)\n$",
    "Play a match": r"Score\(.*\) Interval\(",
    "Estimate from PGN": r"^\d{4}\.?\d* \(\d+\.\d+, \d+\.\d+\)\n$",
    "Ask any opponent for a move": r"^1\n$",
    "Search a position": r"^Qxf7# 1\.0\n$",
    "Add a player": r"Score\(",
}


def test_every_example_is_known():
    assert EXAMPLES.keys() == PRINTS.keys()


@pytest.mark.parametrize("name", PRINTS)
def test_examples_run(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evenmatch.opponents.PLAYERS", PLAYERS)
    (tmp_path / "games.pgn").write_text(PGN)
    kept = dict(PLAYERS)
    try:
        exec(EXAMPLES[name].replace("games=100", "games=2"), {"__name__": "example"})
    finally:
        PLAYERS.clear()
        PLAYERS.update(kept)
    assert re.search(PRINTS[name], capsys.readouterr().out), name


def test_the_front_end_plays_a_game(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", FRONT_END.read_text(), re.S)
    exec(code, {"__name__": "example"})
    shown = capsys.readouterr().out
    assert len(re.findall(r"^random plays [1-7]$", shown, re.M)) == 2
    assert re.search(r"^Hint: [1-7]$", shown, re.M)
    assert "cannot read 'e4'" in shown
    assert shown.endswith("You resigned: random wins.\n")
