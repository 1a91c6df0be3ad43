"""The commands of a game: its board, its moves, and its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from evenmatch.frontends.gtp.protocol import (
    RESIGN,
    GtpError,
    read_colour,
    read_number,
    read_whole,
    take,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evenmatch.frontends.gtp.conversation import Conversation
    from evenmatch.frontends.gtp.thinking import Watch
    from evenmatch.sessions.game_line import GameLine


def boardsize(engine: Conversation, words: Sequence[str]) -> str:
    """Begin a game on a board of a size; a width and a height must be the same."""
    from evenmatch.frontends.gtp.record import Record

    take(words, 1)
    sizes = {read_whole(word) for word in words[:2]}
    if len(sizes) > 1:
        raise GtpError("unacceptable size")
    engine.begin(Record(engine.form.sized(sizes.pop())))
    return ""


def clear_board(engine: Conversation, words: Sequence[str]) -> str:
    """Begin the game anew."""
    from evenmatch.frontends.gtp.record import Record

    engine.begin(Record(engine.form))
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
    return generate(engine, read_colour(take(words, 1)[0]))


def generate(
    engine: Conversation,
    side: int,
    watch: Watch | None = None,
    allowed: NDArray[np.bool_] | None = None,
) -> str:
    """Let a side move; ``watch`` sees the search, ``allowed`` [A] are all that it may play."""

    def think() -> str:
        line = engine.record.turned(side)
        answer, action = choose(engine, line, side, watch, allowed)
        if action is not None:
            engine.record.push(line, action)
        return answer

    return engine.timed(side, think)


def choose(
    engine: Conversation,
    line: GameLine,
    side: int,
    watch: Watch | None = None,
    allowed: NDArray[np.bool_] | None = None,
) -> tuple[str, int | None]:
    """Return the answer of a side that is asked to move, and its action, None if it has none."""
    off = engine.form.off_turn(line, side)
    if off is not None:
        return off, None
    action, value = engine.thinker.choose(line, engine.seconds_for(side), watch, allowed)
    if action is None or engine.resigning.resigns(side, value, engine.form.handicap(line)):
        return RESIGN, None
    return engine.form.text(line, action), action


def reg_genmove(engine: Conversation, words: Sequence[str]) -> str:
    """Return what a side would play, without playing it; only a player may resign."""
    side = read_colour(take(words, 1)[0])
    line = engine.record.turned(side)
    off = engine.form.off_turn(line, side)
    if off is not None:
        return off
    action = engine.thinker.choose(line, engine.seconds_for(side)).action
    return RESIGN if action is None else engine.form.text(line, action)


def undo(engine: Conversation, words: Sequence[str]) -> str:
    """Take back the latest move."""
    return undo_many(engine, ())


def undo_many(engine: Conversation, words: Sequence[str]) -> str:
    """Take back as many moves as are named, none if there are fewer; one if no number is."""
    engine.record.undo(read_whole(words[0]) if words else 1)
    engine.resigning.restart()
    engine.thinker.draw()
    return ""


def showboard(engine: Conversation, words: Sequence[str]) -> str:
    """Draw the board."""
    from evenmatch.frontends.gtp.showboard import drawn

    return drawn(engine.form, engine.line)


def final_score(engine: Conversation, words: Sequence[str]) -> str:
    """Return the result."""
    return engine.form.score(engine.line, engine.thinker.judged)


def clear_cache(engine: Conversation, words: Sequence[str]) -> str:
    """Forget what was searched."""
    engine.thinker.new_game()
    return ""


COMMANDS: dict[str, Callable[[Conversation, Sequence[str]], str]] = {
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
}
