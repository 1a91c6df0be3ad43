"""Entries for chess programs' files: the programs' own formats, read back by their rules."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.frontends.uci import program_configs as configs
from evenmatch.opponents.resigning import resign_chance

LIMITED = {"UCI_LimitStrength": True, "UCI_Elo": 1500}


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """An engine in a folder with a space, beside this Python."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    path = folder / configs.SCRIPT
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return path


def written(program, options=LIMITED):
    return configs.config_of(program, options)[0]


def test_cute_chess_sends_the_options_as_lines(engine):
    (entry,) = json.loads(written("cutechess"))
    assert entry == {
        "name": "evenmatch 1500",
        "command": str(engine),
        "protocol": "uci",
        "initStrings": [
            "setoption name UCI_LimitStrength value true",
            "setoption name UCI_Elo value 1500",
        ],
    }
    assert json.loads(written("cutechess", {}))[0]["initStrings"] == []


def test_en_croissant_has_settings_with_their_types(engine):
    (entry,) = json.loads(written("en-croissant"))
    assert entry["path"] == str(engine)
    assert entry["type"] == "local"
    assert {one["name"]: one["value"] for one in entry["settings"]} == LIMITED


def test_nibbler_goes_by_the_path(engine):
    assert json.loads(written("nibbler")) == {str(engine): {"args": [], "options": LIMITED}}


def test_lichess_bot_has_the_folder_and_the_name_apart(engine):
    lines = written("lichess-bot").splitlines()
    assert lines == [
        "engine:",
        f'  dir: "{engine.parent}"',
        '  name: "evenmatch-uci"',
        '  protocol: "uci"',
        "  ponder: false",
        "  draw_or_resign:",
        "    resign_enabled: true",
        "    resign_score: -2348",
        "    resign_moves: 7",
        "    offer_draw_enabled: true",
        "    offer_draw_score: 29",
        "    offer_draw_moves: 4",
        "    offer_draw_pieces: 12",
        "  uci_options:",
        "    UCI_LimitStrength: true",
        "    UCI_Elo: 1500",
    ]


@pytest.mark.parametrize("elo", [450, 1500, 2450])
def test_lichess_bot_resigns_when_half_of_the_people_would(engine, elo):
    text = written("lichess-bot", {"UCI_LimitStrength": True, "UCI_Elo": elo})
    moves = int(text.partition("resign_moves: ")[2].split()[0])
    stays = (1 - resign_chance(elo, [0.01] * 30)) ** np.arange(moves + 1)
    assert stays[moves] <= 0.5 < stays[moves - 1]


def test_the_command_prints_it(run, engine):
    result = run("uci", "--print-config", "cutechess", "--elo", "1500")
    assert json.loads(result.stdout) == json.loads(written("cutechess"))
    assert "engines.json of Cute Chess" in result.stderr
    told = " ".join(run("uci", "--help").stdout.replace("│", "").split())
    assert all(program in told for program in configs.programs())


def test_the_engine_is_a_command_of_its_own():
    """It is what a program starts that takes a file without arguments."""
    path = Path(sys.executable).with_name(configs.SCRIPT)
    told = subprocess.run(
        [path], input="uci\nquit\n", capture_output=True, text=True, timeout=120, check=True
    ).stdout
    assert told.splitlines()[-1] == "uciok"


def test_what_is_wrong_is_said(engine, monkeypatch):
    with pytest.raises(UsageError, match="UCI_Elo 9000 is outside"):
        written("nibbler", {"UCI_Elo": 9000})
    with pytest.raises(UsageError, match="no program 'fritz'; choose one of: arena, cutechess"):
        written("fritz")
    engine.unlink()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="evenmatch-uci is not installed; install evenmatch again"):
        written("nibbler")
