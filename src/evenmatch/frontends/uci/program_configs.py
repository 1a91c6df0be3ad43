"""What chess programs' own files say of an engine: ``evenmatch uci --print-config PROGRAM``.

Most programs take one file that is the engine, without arguments. That is `evenmatch-uci`, which is
installed beside `evenmatch`; what it shall play like are UCI options.
"""

import json
import math
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from evenmatch import __version__
from evenmatch.errors import UsageError, quoted
from evenmatch.frontends.uci.centipawns import ValueScore
from evenmatch.frontends.uci.options import Value, options_with, word_of
from evenmatch.strength.resigning import EVEN, EVEN_TURNS, PATIENCE, resign_chance

LOST = (0.01,) * (PATIENCE + 1)  #: chances of a game that has been lost for long
DRAW_PIECES = 12  #: of both sides, kings and pawns too, that an even game may have to be drawn
SCRIPT = "evenmatch-uci"  #: the engine as a command of its own

Options = Mapping[str, Value]


class Program(NamedTuple):
    """A chess program: how its file names an engine, and where that goes."""

    write: Callable[[Path, Options], str]
    place: str


def config_of(program: str, options: Options) -> tuple[str, str]:
    """Return the text for a program's file, and where it goes.

    UsageError names the programs that are known, says what is wrong with an option, or that the
    engine is not installed.
    """
    options_with(options)  # it refuses what is wrong
    known = PROGRAMS.get(program.lower())
    if known is None:
        raise UsageError(f"no program {quoted(program)}; choose one of: {', '.join(PROGRAMS)}")
    return known.write(engine_path(), options), known.place


def engine_path() -> Path:
    """Return where the engine is: beside this Python, or else on the path."""
    own = Path(sys.executable).parent
    found = shutil.which(SCRIPT, path=str(own)) or shutil.which(SCRIPT)
    if found is None:
        raise UsageError(f"{SCRIPT} is not installed; install evenmatch again with pip")
    return Path(found).absolute()


def title(options: Options) -> str:
    """Return what the engine is called, so that two of them can be told apart."""
    elo = options.get("UCI_Elo")
    return "evenmatch" if elo is None else f"evenmatch {elo}"


def cute_chess(path: Path, options: Options) -> str:
    """Return an engine of Cute Chess, which sends its options as lines."""
    lines = [f"setoption name {name} value {word_of(value)}" for name, value in options.items()]
    entry = {"name": title(options), "command": str(path), "protocol": "uci"}
    return _json([entry | ({"initStrings": lines} if lines else {})])


def en_croissant(path: Path, options: Options) -> str:
    """Return an engine of En Croissant."""
    entry = {
        "type": "local",
        "name": title(options),
        "version": __version__,
        "path": str(path),
        "loaded": True,
        "settings": [{"name": name, "value": value} for name, value in options.items()],
    }
    return _json([entry])


def nibbler(path: Path, options: Options) -> str:
    """Return an engine of Nibbler."""
    return _json({str(path): {"args": [], "options": dict(options)}})


def lichess_bot(path: Path, options: Options) -> str:
    """Return the part ``engine`` of lichess-bot's config.yml."""
    said = {"dir": str(path.parent), "name": path.name, "protocol": "uci", "ponder": False}
    lines = ["engine:", *(f"  {name}: {json.dumps(value)}" for name, value in said.items())]
    lines.append("  draw_or_resign:")
    lines += [
        f"    {name}: {json.dumps(value)}" for name, value in _draw_or_resign(options).items()
    ]
    if options:
        lines.append("  uci_options:")
        lines += [f"    {name}: {json.dumps(value)}" for name, value in options.items()]
    return "\n".join(lines)


def _draw_or_resign(options: Options) -> Options:
    """Return when lichess-bot resigns and takes draws: as an opponent in the terminal, about.

    It resigns a lost game after as many moves as half of the people of its rating would. At full
    strength it does not resign. Draws go by the number of pieces, where the terminal counts moves.
    """
    resigns: Options = {"resign_enabled": False}
    if "UCI_LimitStrength" in options:
        chance = resign_chance(float(options_with(options)["UCI_Elo"].default or 0), LOST)
        resigns = {
            "resign_enabled": True,
            "resign_score": ValueScore(2 * LOST[-1] - 1).centipawns,
            "resign_moves": math.ceil(math.log(0.5) / math.log(1 - chance)),
        }
    return {
        **resigns,
        "offer_draw_enabled": True,
        "offer_draw_score": ValueScore(2 * EVEN).centipawns,
        "offer_draw_moves": EVEN_TURNS,
        "offer_draw_pieces": DRAW_PIECES,
    }


def arena(path: Path, options: Options) -> str:
    """Return what to choose in Arena's dialogs: its file is not made to be written by others."""
    lines = [str(path), "UCI"]
    return "\n".join([*lines, *(f"{name}: {word_of(value)}" for name, value in options.items())])


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


#: The one table of programs, by the names that the command line knows.
PROGRAMS: dict[str, Program] = {
    "arena": Program(
        arena,
        "In Arena choose Engines, Install New Engine, and this file; then the kind and the options",
    ),
    "cutechess": Program(
        cute_chess, "This is an engines.json of Cute Chess; add what is in braces to yours"
    ),
    "en-croissant": Program(
        en_croissant, "This is an engines.json of En Croissant; add what is in braces to yours"
    ),
    "lichess-bot": Program(
        lichess_bot, "This is the part engine of lichess-bot's config.yml; put it in place of yours"
    ),
    "nibbler": Program(
        nibbler, "This is an engines.json of Nibbler; add what is in the outer braces to yours"
    ),
}
