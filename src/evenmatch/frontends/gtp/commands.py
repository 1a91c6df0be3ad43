"""The tables of commands: those of any game, and those of games but Go.

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
from evenmatch.frontends.engine.time_budget import Clocks, TimeControl, read_time_settings
from evenmatch.frontends.gtp import analysis, go_commands
from evenmatch.frontends.gtp.protocol import (
    BLACK,
    PARAMETERS,
    RESIGN,
    GtpError,
    change,
    get,
    read_colour,
    read_number,
    read_whole,
    take,
)
from evenmatch.games.catalog import game_info

if TYPE_CHECKING:
    from evenmatch.frontends.gtp.conversation import Conversation

Handler = Callable[["Conversation", Sequence[str]], str]

VERSION = "0.17 (analysis as in Leela Zero 0.17), evenmatch " + __version__
"""Lizzie takes the first word for the version of Leela Zero and warns below 0.15."""
TIMES = ("none", "absolute", "byoyomi", "canadian", "fischer", "fischer-capped")


# -- about the engine --------------------------------------------------------------------------


def known_command(engine: Conversation, words: Sequence[str]) -> str:
    """Tell whether there is a command."""
    return str(take(words, 1)[0] in engine.commands).lower()


def leave(engine: Conversation, words: Sequence[str]) -> str:
    """End the conversation."""
    engine.quitting = True
    return ""


# -- moves --------------------------------------------------------------------------------------


def boardsize(engine: Conversation, words: Sequence[str]) -> str:
    """Begin a game on a board of a size; a width and a height must be the same."""
    from evenmatch.frontends.gtp.dialects import Record

    take(words, 1)
    sizes = {read_whole(word) for word in words[:2]}
    if len(sizes) > 1:
        raise GtpError("unacceptable size")
    engine.begin_game(Record(engine.dialect.sized(sizes.pop())))
    return ""


def clear_board(engine: Conversation, words: Sequence[str]) -> str:
    """Begin the game anew, without handicap stones."""
    from evenmatch.frontends.gtp.dialects import Record

    engine.begin_game(Record(engine.dialect.cleared()))
    return ""


def komi(engine: Conversation, words: Sequence[str]) -> str:
    """Read the komi, which games other than Go do without."""
    read_number(take(words, 1)[0])
    return ""


def play(engine: Conversation, words: Sequence[str]) -> str:
    """Play a move of either side; the other passes first if it is its turn and it may."""
    return play_sequence(engine, take(words, 2))


def play_sequence(engine: Conversation, words: Sequence[str]) -> str:
    """Play many moves, as pairs of a colour and a move; none if one of them is illegal."""
    pairs = (take(words[at : at + 2], 2) for at in range(0, len(words), 2))
    moves = [(read_colour(colour), vertex.lower()) for colour, vertex in pairs]
    engine.record.play([move for move in moves if move[1] != RESIGN])
    return ""


def genmove(engine: Conversation, words: Sequence[str]) -> str:
    """Move for a side: a move, ``pass`` or ``resign``."""
    return engine.generate(read_colour(take(words, 1)[0]))


def reg_genmove(engine: Conversation, words: Sequence[str]) -> str:
    """Return what a side would play, without playing it; only a player may resign."""
    side = read_colour(take(words, 1)[0])
    line = engine.record.turned(side)
    off = engine.dialect.off_turn(line, side)
    if off is not None:
        return off
    action = engine.thinker.choose(line, engine.seconds_for(side)).action
    return RESIGN if action is None else engine.dialect.text(line, action)


def undo(engine: Conversation, words: Sequence[str]) -> str:
    """Take back the latest move."""
    return undo_many(engine, ())


def undo_many(engine: Conversation, words: Sequence[str]) -> str:
    """Take back a number of moves, by default one; none if there are fewer."""
    engine.record.undo(read_whole(words[0]) if words else 1)
    engine.resigning.restart()
    engine.thinker.draw()
    return ""


def showboard(engine: Conversation, words: Sequence[str]) -> str:
    """Draw the board."""
    return engine.dialect.drawn(engine.line)


def final_score(engine: Conversation, words: Sequence[str]) -> str:
    """Return the result."""
    return engine.dialect.score(engine.line, engine.thinker.judged)


def clear_cache(engine: Conversation, words: Sequence[str]) -> str:
    """Forget what was searched."""
    engine.thinker.new_game()
    return ""


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
        engine.thinker.ready(engine.line)
    return ""


def time_left(engine: Conversation, words: Sequence[str]) -> str:
    """Set what a side has left: its main time if the count is 0, else overtime."""
    colour, seconds, count = take(words, 3)
    engine.clocks.set_left(read_colour(colour), read_number(seconds), read_whole(count))
    return ""


def _seconds(word: str) -> float:
    seconds = read_number(word)
    if seconds < 0:
        raise GtpError("syntax error")
    return seconds


def set_param(engine: Conversation, words: Sequence[str]) -> str:
    """Set a parameter, by KataGo's name."""
    change(engine.settings, *take(words, 2))
    return ""


def get_params(engine: Conversation, words: Sequence[str]) -> str:
    """Return all parameters as a JSON object."""
    return json.dumps({name: get(engine.settings, name) for name in PARAMETERS})


# -- the rules of a game that is not Go, for GoGui's board ---------------------------------------


def board(engine: Conversation, words: Sequence[str]) -> str:
    """Return the board in rows from the top: X is Black, O White."""
    cells = engine.dialect.game.board(engine.line.state[None])[0]
    rows = engine.dialect.rows(cells)
    return "\n".join(" ".join(".XO"[value] for value in row) for row in rows)


def legal_moves(engine: Conversation, words: Sequence[str]) -> str:
    """Return the moves of the side to move, or of one that is named."""
    side = read_colour(words[0]) if words else engine.line.side
    line = engine.record.turned(side)
    if line.side != side:
        return ""
    return " ".join(engine.dialect.text(line, action) for action in line.legal)


def final_result(engine: Conversation, words: Sequence[str]) -> str:
    """Return the result; empty while the game goes on."""
    return "" if engine.line.legal else final_score(engine, words)


COMMON: dict[str, Handler] = {
    "protocol_version": lambda engine, words: "2",
    "name": lambda engine, words: "evenmatch",
    "version": lambda engine, words: VERSION,
    "known_command": known_command,
    "list_commands": lambda engine, words: "\n".join(sorted(engine.commands)),
    "quit": leave,
    "stop": lambda engine, words: "",  # any line ends an analysis
    "cputime": lambda engine, words: f"{time.process_time():.3f}",
    "time_settings": time_settings,
    "kgs-time_settings": kgs_time_settings,
    "kata-time_settings": kata_time_settings,
    "kata-list_time_settings": lambda engine, words: " ".join(TIMES),
    "time_left": time_left,
    "kata-list-params": lambda engine, words: " ".join(PARAMETERS),
    "kata-get-param": lambda engine, words: get(engine.settings, take(words, 1)[0]),
    "kata-get-params": get_params,
    "kata-set-param": set_param,
    "boardsize": boardsize,
    "clear_board": clear_board,
    "komi": komi,
    "play": play,
    "gogui-play_sequence": play_sequence,
    "genmove": genmove,
    "reg_genmove": reg_genmove,
    "undo": undo,
    "gg-undo": undo_many,
    "showboard": showboard,
    "final_score": final_score,
    "clear_cache": clear_cache,
    **analysis.COMMANDS,
}
NOT_GO: dict[str, Handler] = {
    "gogui-rules_game_id": lambda engine, words: engine.dialect.game.title.replace(
        " ", ""
    ).capitalize(),
    "gogui-rules_board": board,
    "gogui-rules_board_size": lambda engine, words: str(engine.dialect.game.width),
    "gogui-rules_legal_moves": legal_moves,
    "gogui-rules_side_to_move": lambda engine, words: (
        "black" if engine.line.side == BLACK else "white"
    ),
    "gogui-rules_final_result": final_result,
}


def commands_of(game: str) -> dict[str, Handler]:
    """Return the commands of a game, by name."""
    return COMMON | (go_commands.COMMANDS if game_info(game).gtp_dialect == "go" else NOT_GO)
