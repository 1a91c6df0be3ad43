"""The tables of commands: those of any game, and Go's own.

A command gets the engine and its arguments, and returns the text of its answer. It raises GtpError
where it fails.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from evenmatch import __version__
from evenmatch.frontends.gtp import analysis, go_commands, gogui, moves, settings
from evenmatch.frontends.gtp.protocol import GtpError, read_colour, read_number, read_whole, take
from evenmatch.frontends.gtp.time_management import (
    Clocks,
    TimeControl,
    read_time_settings,
)
from evenmatch.games.catalog import game_info

if TYPE_CHECKING:
    from evenmatch.frontends.gtp.conversation import Conversation

Handler = Callable[["Conversation", Sequence[str]], str]

ANALYSIS = "0.17"  #: of Leela Zero, whose ``lz-analyze`` with all its keys and fields this is
TIMES = ("none", "absolute", "byoyomi", "canadian", "fischer", "fischer-capped")


# -- about the engine --------------------------------------------------------------------------


def protocol_version(engine: Conversation, words: Sequence[str]) -> str:
    """Return the version of the protocol."""
    return "2"


def name(engine: Conversation, words: Sequence[str]) -> str:
    """Return the engine's name."""
    return "evenmatch"


def version(engine: Conversation, words: Sequence[str]) -> str:
    """Return whose analysis is spoken, and the engine's version.

    Lizzie takes the first word for the version of Leela Zero and warns below 0.15.
    """
    return f"{ANALYSIS} (analysis as in Leela Zero {ANALYSIS}), evenmatch {__version__}"


def known_command(engine: Conversation, words: Sequence[str]) -> str:
    """Tell whether there is a command."""
    return str(take(words, 1)[0] in engine.commands).lower()


def list_commands(engine: Conversation, words: Sequence[str]) -> str:
    """Return the names of all commands, one a line."""
    return "\n".join(sorted(engine.commands))


def leave(engine: Conversation, words: Sequence[str]) -> str:
    """End the conversation."""
    engine.quitting = True
    return ""


def nothing(engine: Conversation, words: Sequence[str]) -> str:
    """Succeed: what is asked is so anyway."""
    return ""


def cputime(engine: Conversation, words: Sequence[str]) -> str:
    """Return the processor time used so far, in seconds."""
    return f"{time.process_time():.3f}"


# -- the clock -----------------------------------------------------------------------------------


def time_settings(engine: Conversation, words: Sequence[str]) -> str:
    """Set main time, and the time and stones of Canadian overtime."""
    main, period, stones = take(words, 3)
    control = read_time_settings(_seconds(main), _seconds(period), read_whole(stones))
    return _timed(engine, control)


def kgs_time_settings(engine: Conversation, words: Sequence[str]) -> str:
    """Set the time by KGS's kinds: none, absolute, byoyomi, canadian."""
    return _timed(engine, _time_control(words, TIMES[:4]))


def kata_time_settings(engine: Conversation, words: Sequence[str]) -> str:
    """Set the time by KataGo's kinds: KGS's, and Fischer's with a bonus for each move."""
    return _timed(engine, _time_control(words, TIMES))


def list_time_settings(engine: Conversation, words: Sequence[str]) -> str:
    """Return the kinds of time that ``kata-time_settings`` takes."""
    return " ".join(TIMES)


def _time_control(words: Sequence[str], kinds: Sequence[str]) -> TimeControl | None:
    """Return the control that words say; None: no limit. GtpError for none of the ``kinds``."""
    kind, numbers = take(words, 1)[0].lower(), words[1:]
    if kind not in kinds:
        raise GtpError(f"unknown time system; choose one of: {', '.join(kinds)}")
    if kind == "none":
        return None
    main = _seconds(take(numbers, 1)[0])
    if kind == "absolute":
        return TimeControl(main)
    if kind in ("byoyomi", "canadian"):
        _, period, count = take(numbers, 3)
        if kind == "canadian":
            return read_time_settings(main, _seconds(period), read_whole(count))
        return TimeControl(main, _seconds(period), periods=read_whole(count))
    bonus = _seconds(take(numbers, 2)[1])
    if kind == "fischer":
        return TimeControl(main, bonus=bonus)
    limits = [read_number(word) for word in take(numbers, 4)[2:]]
    most, most_move = (limit if limit >= 0 else math.inf for limit in limits)
    return TimeControl(main, bonus=bonus, most=most, most_move=most_move)


def _timed(engine: Conversation, control: TimeControl | None) -> str:
    """Begin to play by the clock, with all that a move needs loaded before it runs."""
    engine.clocks = Clocks(control)
    if control is not None:
        engine.thinker.prepare(engine.line)
    return ""


def time_left(engine: Conversation, words: Sequence[str]) -> str:
    """Set what a side has left: its main time if the count is 0, else overtime."""
    colour, seconds, count = take(words, 3)
    engine.clocks.told(read_colour(colour), read_number(seconds), read_whole(count))
    return ""


def _seconds(word: str) -> float:
    seconds = read_number(word)
    if seconds < 0:
        raise GtpError("syntax error")
    return seconds


# -- parameters, by KataGo's names ---------------------------------------------------------------


def list_params(engine: Conversation, words: Sequence[str]) -> str:
    """Return the names of the parameters."""
    return " ".join(settings.PARAMETERS)


def get_param(engine: Conversation, words: Sequence[str]) -> str:
    """Return the value of a parameter."""
    return settings.get(engine.settings, take(words, 1)[0])


def get_params(engine: Conversation, words: Sequence[str]) -> str:
    """Return all values as a JSON object."""
    return json.dumps({name: settings.get(engine.settings, name) for name in settings.PARAMETERS})


def set_param(engine: Conversation, words: Sequence[str]) -> str:
    """Set a parameter."""
    parameter, value = take(words, 2)
    settings.change(engine.settings, parameter, value)
    return ""


COMMON: dict[str, Handler] = {
    "protocol_version": protocol_version,
    "name": name,
    "version": version,
    "known_command": known_command,
    "list_commands": list_commands,
    "quit": leave,
    "stop": nothing,
    "cputime": cputime,
    "time_settings": time_settings,
    "kgs-time_settings": kgs_time_settings,
    "kata-time_settings": kata_time_settings,
    "kata-list_time_settings": list_time_settings,
    "time_left": time_left,
    "kata-list-params": list_params,
    "kata-get-param": get_param,
    "kata-get-params": get_params,
    "kata-set-param": set_param,
    **moves.COMMANDS,
    **analysis.COMMANDS,
    **gogui.COMMANDS,
}


def commands_of(game: str) -> dict[str, Handler]:
    """Return the commands of a game, by name."""
    if game_info(game).gtp_dialect == "go":
        return COMMON | go_commands.COMMANDS
    return COMMON | gogui.RULER
