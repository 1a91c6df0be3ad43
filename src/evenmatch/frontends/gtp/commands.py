"""The tables of commands: those of any game, those of Go, and those of the other games.

A command gets the conversation and its arguments, and returns the text of its answer. It raises
GtpError if it fails.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from evenmatch import __version__
from evenmatch.frontends.engine.loop import Send
from evenmatch.frontends.engine.options import word_of
from evenmatch.frontends.engine.time_budget import Clocks, TimeControl, read_time_settings
from evenmatch.frontends.gtp import analysis, go, raw
from evenmatch.frontends.gtp.engine import Conversation
from evenmatch.frontends.gtp.games import GtpGame
from evenmatch.frontends.gtp.protocol import (
    BLACK,
    RESIGN,
    GtpError,
    read_colour,
    read_number,
    read_whole,
    take,
)
from evenmatch.games import get_game
from evenmatch.games.go import Go
from evenmatch.network.katago.profiles import read_profile

Handler = Callable[[Conversation, Sequence[str]], str]

VERSION = "0.17 (analysis as in Leela Zero 0.17), evenmatch " + __version__
"""Lizzie takes the first word for the version of Leela Zero and warns below 0.15."""
TIMES = ("none", "absolute", "byoyomi", "canadian", "fischer", "fischer-capped")


# -- about the engine --------------------------------------------------------------------------


def known_command(engine: Conversation, words: Sequence[str]) -> str:
    """Return whether there is a command."""
    return str(take(words, 1)[0] in engine.commands).lower()


def leave(engine: Conversation, words: Sequence[str]) -> str:
    """End the conversation."""
    engine.quitting = True
    return ""


# -- moves --------------------------------------------------------------------------------------


def boardsize(engine: Conversation, words: Sequence[str]) -> str:
    """Begin a game on a board of a size; a width and a height must be equal."""
    take(words, 1)
    sizes = {read_whole(word) for word in words[:2]}
    if len(sizes) > 1:
        raise GtpError("unacceptable size")
    engine.begin_game(engine.game.sized(sizes.pop()))
    return ""


def clear_board(engine: Conversation, words: Sequence[str]) -> str:
    """Begin the next game, without handicap stones."""
    engine.begin_game(engine.game.cleared())
    return ""


def komi(engine: Conversation, words: Sequence[str]) -> str:
    """Read the komi, which only Go has."""
    read_number(take(words, 1)[0])
    return ""


def play(engine: Conversation, words: Sequence[str]) -> str:
    """Play a move of either side; if it is the other side's turn, that side passes if it may."""
    return play_sequence(engine, take(words, 2))


def play_sequence(engine: Conversation, words: Sequence[str]) -> str:
    """Play many moves, as pairs of a colour and a move; none if one of them is illegal."""
    pairs = (take(words[at : at + 2], 2) for at in range(0, len(words), 2))
    moves = [(read_colour(colour), vertex.lower()) for colour, vertex in pairs]
    engine.game.play([move for move in moves if move[1] != RESIGN])
    return ""


def genmove(engine: Conversation, words: Sequence[str]) -> str:
    """Move for a side: a move, ``pass`` or ``resign``."""
    return engine.generate(read_colour(take(words, 1)[0]))


def reg_genmove(engine: Conversation, words: Sequence[str]) -> str:
    """Return the move of a side without playing it; only a player may resign."""
    side = read_colour(take(words, 1)[0])
    line = engine.game.turned(side)
    off = engine.game.off_turn(line, side)
    if off is not None:
        return off
    action = engine.thinker.choose(line, engine.seconds_for(side)).action
    return RESIGN if action is None else engine.game.text(line, action)


def undo(engine: Conversation, words: Sequence[str]) -> str:
    """Take back the latest move."""
    return undo_many(engine, ())


def undo_many(engine: Conversation, words: Sequence[str]) -> str:
    """Take back a number of moves, by default one; none if there are fewer."""
    engine.game.undo(read_whole(words[0]) if words else 1)
    engine.values.clear()
    engine.thinker.draw()
    return ""


def clear_cache(engine: Conversation, words: Sequence[str]) -> str:
    """Forget the search so far."""
    engine.thinker.new_game()
    return ""


# -- the clock -----------------------------------------------------------------------------------


def time_settings(engine: Conversation, words: Sequence[str]) -> str:
    """Set main time, and the time and stones of Canadian overtime."""
    main, period, stones = take(words, 3)
    numbers = read_number(main, 0), read_number(period, 0), read_whole(stones)
    return _timed(engine, read_time_settings(*numbers))


def kgs_time_settings(engine: Conversation, words: Sequence[str]) -> str:
    """Set the time by KGS's kinds: none, absolute, byoyomi, canadian."""
    return _timed(engine, _time_control(words, TIMES[:4]))


def kata_time_settings(engine: Conversation, words: Sequence[str]) -> str:
    """Set the time by KataGo's kinds: KGS's, and Fischer's with a bonus for each move."""
    return _timed(engine, _time_control(words, TIMES))


def _time_control(words: Sequence[str], kinds: Sequence[str]) -> TimeControl | None:
    """Return the control that words mean; None: no limit. GtpError if not of these ``kinds``."""
    kind, numbers = take(words, 1)[0].lower(), words[1:]
    if kind not in kinds:
        raise GtpError(f"unknown time system; choose one of: {', '.join(kinds)}")
    if kind == "none":
        return None
    main = read_number(take(numbers, 1)[0], 0)
    if kind == "absolute":
        return TimeControl(main)
    if kind in ("byoyomi", "canadian"):
        _, period, count = take(numbers, 3)
        if kind == "canadian":
            return read_time_settings(main, read_number(period, 0), read_whole(count))
        return TimeControl(main, read_number(period, 0), periods=read_whole(count))
    bonus = read_number(take(numbers, 2)[1], 0)
    if kind == "fischer":
        return TimeControl(main, bonus=bonus)
    limits = [read_number(word) for word in take(numbers, 4)[2:]]
    most, most_move = (limit if limit >= 0 else math.inf for limit in limits)
    return TimeControl(main, bonus=bonus, most=most, most_move=most_move)


def _timed(engine: Conversation, control: TimeControl | None) -> str:
    """Start the clock of a new control; what a move needs is loaded before."""
    engine.clocks = Clocks(control)
    if control is not None:
        engine.thinker.ready(engine.game.line)
    return ""


def time_left(engine: Conversation, words: Sequence[str]) -> str:
    """Set the time that a side has left: main time if the count is 0, otherwise overtime."""
    colour, seconds, count = take(words, 3)
    engine.clocks.set_left(read_colour(colour), read_number(seconds), read_whole(count))
    return ""


def set_param(engine: Conversation, words: Sequence[str]) -> str:
    """Set a parameter, by KataGo's name; a profile without a name is taken back."""
    name = engine.settings.known(take(words, 1)[0])
    if name == raw.PROFILE:
        profile = words[1] if len(words) > 1 else ""
        if profile:
            read_profile(profile)
        engine.settings[name] = profile
        return ""
    engine.settings.change(*take(words, 2))
    return ""


def get_param(engine: Conversation, words: Sequence[str]) -> str:
    """Return the value of a parameter."""
    return word_of(engine.settings[engine.settings.known(take(words, 1)[0])])


def get_params(engine: Conversation, words: Sequence[str]) -> str:
    """Return all parameters as a JSON object."""
    return json.dumps({name: word_of(value) for name, value in engine.settings.items()})


# -- the rules of a game other than Go, for GoGui's board ----------------------------------------


def board(engine: Conversation, words: Sequence[str]) -> str:
    """Return the board in rows, the lowest first where rows are numbered from the top."""
    game = engine.game
    cells = game.game.board(game.line.state[None])[0]
    rows = cells if game.style.upward else cells[::-1]
    return "\n".join(" ".join(".XO"[value] for value in row) for row in rows)


def legal_moves(engine: Conversation, words: Sequence[str]) -> str:
    """Return the moves of the side to move, or of one that is named."""
    side = read_colour(words[0]) if words else engine.game.line.side
    line = engine.game.turned(side)
    if line.side != side:
        return ""
    return " ".join(engine.game.text(line, action) for action in line.legal)


def final_score(engine: Conversation, words: Sequence[str]) -> str:
    """Return the result."""
    return engine.game.score(engine.thinker.judged)


def final_result(engine: Conversation, words: Sequence[str]) -> str:
    """Return the result; empty before the end of the game."""
    return "" if engine.game.line.legal else final_score(engine, words)


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
    "kata-list-params": lambda engine, words: " ".join(engine.settings),
    "kata-get-param": get_param,
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
    "showboard": lambda engine, words: engine.game.drawn(),
    "final_score": final_score,
    "clear_cache": clear_cache,
    **analysis.COMMANDS,
}
NOT_GO: dict[str, Handler] = {
    "gogui-rules_game_id": lambda engine, words: engine.game.game.title.replace(
        " ", ""
    ).capitalize(),
    "gogui-rules_board": board,
    "gogui-rules_board_size": lambda engine, words: str(engine.game.game.width),
    "gogui-rules_legal_moves": legal_moves,
    "gogui-rules_side_to_move": lambda engine, words: (
        "black" if engine.game.line.side == BLACK else "white"
    ),
    "gogui-rules_final_result": final_result,
}


def converse(send: Send, game: str, **others: Any) -> Conversation:
    """Return a conversation about a game of ``GAMES``; ``others`` as for `Conversation`."""
    rules = get_game(game)
    if isinstance(rules, Go):
        return Conversation(send, go.GoGame(rules), COMMON | go.COMMANDS | raw.COMMANDS, **others)
    return Conversation(send, GtpGame(rules), COMMON | NOT_GO, **others)
