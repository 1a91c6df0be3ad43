"""The commands that only Go has: komi, handicaps, rules, status of stones, SGF."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from evenmatch.errors import UsageError
from evenmatch.files import replace_file
from evenmatch.frontends.gtp.protocol import (
    NAMED_RULES,
    GtpError,
    read_colour,
    read_number,
    read_whole,
    take,
)

if TYPE_CHECKING:
    from evenmatch.frontends.gtp.conversation import Conversation
    from evenmatch.frontends.gtp.go import GoDialect

#: What is in force, whatever of it a program asks for.
RULES = {"ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": False, "hasButton": False}
BONUS = "whiteHandicapBonus"
STATUSES = ("alive", "dead", "seki")


def _dialect(engine: Conversation) -> GoDialect:
    return cast("GoDialect", engine.dialect)


# -- before the game --------------------------------------------------------------------------


def komi(engine: Conversation, words: Sequence[str]) -> str:
    """Set the komi, of the game in progress too."""
    points = read_number(take(words, 1)[0])
    if not (2 * points).is_integer():
        raise GtpError("komi must be a multiple of 0.5, such as 7.5")
    _set_up(engine, komi=points)
    return ""


def get_komi(engine: Conversation, words: Sequence[str]) -> str:
    """Return the komi, without what White gets for handicap stones."""
    dialect = _dialect(engine)
    return f"{dialect.go.komi if dialect.setup.komi is None else dialect.setup.komi:g}"


def _set_up(engine: Conversation, **changes: object) -> None:
    """Change how games begin, and replay the one in progress from there."""
    dialect = _dialect(engine)
    before = dialect.setup
    dialect.setup = replace(before, **changes)  # type: ignore[arg-type]
    try:
        engine.record.replayed()
    except UsageError as error:
        dialect.setup = before
        raise GtpError(str(error)) from None
    engine.thinker.new_game()


def fixed_handicap(engine: Conversation, words: Sequence[str]) -> str:
    """Place handicap stones on star points."""
    return _place(engine, _dialect(engine).fixed_stones(read_whole(take(words, 1)[0])))


def place_free_handicap(engine: Conversation, words: Sequence[str]) -> str:
    """Place handicap stones where we like."""
    count = read_whole(take(words, 1)[0])
    return _place(engine, _dialect(engine).free_stones(count, engine.thinker.judged))


def set_free_handicap(engine: Conversation, words: Sequence[str]) -> str:
    """Place handicap stones where the words say; one is placed, too, as KataGo does."""
    stones = _dialect(engine).points(words)
    if not 1 <= len(stones) < _dialect(engine).go.points:
        raise GtpError("bad vertex list")
    _place(engine, stones)
    return ""


def _place(engine: Conversation, stones: Sequence[int]) -> str:
    dialect = _dialect(engine)
    if engine.record.begun or dialect.go.stones(engine.line.state[None]).any():
        raise GtpError("board not empty")
    from evenmatch.frontends.gtp.dialects import Record
    from evenmatch.frontends.gtp.go import GoDialect

    setup = replace(dialect.setup, stones=tuple(stones))
    engine.begin_game(Record(GoDialect(dialect.go, setup)))
    return " ".join(dialect.point(point) for point in stones)


def loadsgf(engine: Conversation, words: Sequence[str]) -> str:
    """Go to the end of a file's first game, or to before a move of it."""
    numbered = len(words) > 1 and words[-1].isdigit()
    name = _unquoted(words[:-1] if numbered else take(words, 1) and words)
    path = Path(name)
    try:
        readable = path.is_file()
    except (OSError, ValueError):
        readable = False
    if not readable:
        raise GtpError(f"cannot load file: {name} is no file")
    from evenmatch.frontends.gtp.go import load_sgf

    most = max(read_whole(words[-1]) - 1, 0) if numbered else None
    engine.begin_game(load_sgf(_dialect(engine), path, most))
    return ""


def _unquoted(words: Sequence[str]) -> str:
    """Return the name of a file of some words, which may be within quotes."""
    name = " ".join(words)
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'" else name


def printsgf(engine: Conversation, words: Sequence[str]) -> str:
    """Write the game as SGF to a file, .sgf, or return it where no file is named."""
    from evenmatch.frontends.gtp.go import write_game

    result = "" if engine.line.legal else _dialect(engine).score(engine.line, engine.thinker.judged)
    text = write_game(_dialect(engine), engine.line, result)
    if not words:
        return text
    path = Path(_unquoted(words))
    if path.suffix.lower() != ".sgf":
        raise GtpError(f"cannot save file: {path} must end in .sgf")
    if not os.path.isdir(path.parent):
        raise GtpError(f"cannot save file: there is no folder {path.parent}; make it first")
    try:
        replace_file(path, text)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise GtpError(f"cannot save file: {path} ({why})") from None
    return ""


# -- rules --------------------------------------------------------------------------------------


def get_rules(engine: Conversation, words: Sequence[str]) -> str:
    """Return the rules as KataGo names them."""
    return json.dumps(RULES | {BONUS: _dialect(engine).setup.bonus})


def set_rules(engine: Conversation, words: Sequence[str]) -> str:
    """Take rules that count area; GtpError for others.

    Ko and suicide stay as they are here, whatever the rules say of these.
    """
    rules = " ".join(take(words, 1) if len(words) == 1 else words)
    bonus = NAMED_RULES.get(rules.lower()) or _bonus_of(rules)
    _set_up(engine, bonus=bonus)
    return ""


def _bonus_of(text: str) -> str:
    """Return White's bonus of rules in JSON; GtpError if there are none that are played here."""
    try:
        rules = json.loads(text)
    except (ValueError, RecursionError):
        names = ", ".join(name for name in NAMED_RULES if "_" not in name)  # no second spelling
        raise GtpError(f"no such rules here; choose one of: {names}") from None
    if not isinstance(rules, dict):
        raise GtpError("syntax error")
    for key in ("scoring", "tax", "hasButton"):
        if rules.get(key, RULES[key]) != RULES[key]:
            raise GtpError(f"no such rules; {key} is {json.dumps(RULES[key])} here")
    bonus = rules.get(BONUS, "0")
    if bonus not in NAMED_RULES.values():
        raise GtpError("syntax error")
    return str(bonus)


# -- the end ------------------------------------------------------------------------------------


def genmove_cleanup(engine: Conversation, words: Sequence[str]) -> str:
    """Move for a side, which passes only once no stones of the other side are dead on the board."""
    side = read_colour(take(words, 1)[0])
    line = engine.record.turned(side)
    capturing = _dialect(engine).capturing(line, engine.thinker.judged(line))
    return engine.generate(side, allowed=capturing if capturing.any() else None)


def game_over(engine: Conversation, words: Sequence[str]) -> str:
    """Hear that a game on KGS has ended; the next begins with a new board."""
    return ""


def final_status_list(engine: Conversation, words: Sequence[str]) -> str:
    """Return the stones of a status, one chain a line."""
    wanted = take(words, 1)[0].lower()
    if wanted not in STATUSES:
        raise GtpError("syntax error")
    from evenmatch.play.scoring import chains_of

    dialect, line = _dialect(engine), engine.line
    status = dialect.status(line, engine.thinker.judged(line))
    chains = chains_of(dialect.go.board(line.state[None])[0])
    return "\n".join(
        " ".join(dialect.point(point) for point in chain)
        for chain in chains
        if status[chain[0]] == wanted
    )


COMMANDS: dict[str, Callable[[Conversation, Sequence[str]], str]] = {
    "komi": komi,
    "get_komi": get_komi,
    "fixed_handicap": fixed_handicap,
    "place_free_handicap": place_free_handicap,
    "set_free_handicap": set_free_handicap,
    "loadsgf": loadsgf,
    "printsgf": printsgf,
    "kata-get-rules": get_rules,
    "kata-set-rules": set_rules,
    "kgs-rules": set_rules,
    "final_status_list": final_status_list,
    "kgs-genmove_cleanup": genmove_cleanup,
    "kgs-game_over": game_over,
}
