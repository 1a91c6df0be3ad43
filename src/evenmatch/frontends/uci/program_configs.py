"""Entries for chess programs' own files: ``evenmatch uci --print-config PROGRAM``.

Most programs take one file that is the engine, without arguments. That is `evenmatch-uci`, which is
installed with `evenmatch`; UCI options set how it plays. The entries are templates in
``program_configs.toml``.
"""

import json
import math
import shutil
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Template

from evenmatch import __version__
from evenmatch.errors import UsageError, quoted
from evenmatch.frontends.engine.options import Settings, Value, word_of
from evenmatch.frontends.uci.protocol import LISTED, OPTIONS, ValueScore
from evenmatch.opponents.resigning import EVEN, EVEN_TURNS, PATIENCE, resign_chance

LOST = (0.01,) * (PATIENCE + 1)  #: expected scores of a game that has been lost for long
SCRIPT = "evenmatch-uci"  #: the engine as a command of its own


def programs() -> dict[str, dict[str, str]]:
    """Return the templates by program name, as on the command line."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def config_of(program: str, options: Mapping[str, Value]) -> tuple[str, str]:
    """Return the text for a program's file, and where it goes.

    UsageError for an unknown program, a wrong option, or if the engine is not installed.
    """
    settings, known = Settings(OPTIONS, options, listed=LISTED), programs()
    entry = known.get(program.lower())
    if entry is None:
        raise UsageError(f"no program {quoted(program)}; choose one of: {', '.join(known)}")
    path, elo = engine_path(), options.get("UCI_Elo")
    lines = [
        Template(entry["option"]).substitute(name=name, value=json.dumps(one), word=word_of(one))
        for name, one in options.items()
    ]
    text = Template(entry["text"]).substitute(
        _lichess_numbers(float(settings["UCI_Elo"] or 0)),
        resigns=json.dumps("UCI_LimitStrength" in options),
        file=path,
        script=json.dumps(path.name),
        path=json.dumps(str(path), ensure_ascii=False),
        folder=json.dumps(str(path.parent), ensure_ascii=False),
        title="evenmatch" if elo is None else f"evenmatch {elo}",
        version=__version__,
        options=entry.get("separator", ", ").join(lines) or entry.get("none", ""),
    )
    return text, entry["place"]


def engine_path() -> Path:
    """Return where the engine is: next to this Python, otherwise on the path."""
    own = Path(sys.executable).parent
    found = shutil.which(SCRIPT, path=str(own)) or shutil.which(SCRIPT)
    if found is None:
        raise UsageError(f"{SCRIPT} is not installed; install evenmatch again with pip")
    return Path(found).absolute()


def _lichess_numbers(rating: float) -> dict[str, int]:
    """Return when lichess-bot resigns and takes draws: about as an opponent in the terminal.

    It resigns a lost game after as many moves as half of the people of its rating would. Draws go
    by the number of pieces, where the terminal counts moves.
    """
    chance = resign_chance(rating, LOST)
    return {
        "resign_score": ValueScore(2 * LOST[-1] - 1).centipawns,
        "resign_moves": math.ceil(math.log(0.5) / math.log(1 - chance)),
        "draw_score": ValueScore(2 * EVEN).centipawns,
        "draw_moves": EVEN_TURNS,
    }
