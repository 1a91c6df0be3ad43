"""What GoGui asks: a table of analyses to show on its board, and the rules of games but Go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from evenmatch.frontends.gtp.protocol import BLACK, GtpError, read_colour, take
from evenmatch.frontends.gtp.settings import PARAMETERS, change, get

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenmatch.frontends.gtp.conversation import Conversation

#: Kind, label and command of each analysis; kinds are GoGui's. Those of commands that a game has
#: not are left out.
ANALYSES = (
    ("dboard", "Policy", "evenmatch-policy"),
    ("string", "Win Chance", "evenmatch-chance"),
    ("plist", "Legal Moves", "gogui-rules_legal_moves"),
    ("dboard", "Ownership", "evenmatch-ownership"),
    ("string", "Score", "final_score"),
    ("plist", "Dead Stones", "final_status_list dead"),
    ("plist", "Stones in Seki", "final_status_list seki"),
    ("param", "Parameters", "evenmatch-param"),
)


def analyze_commands(engine: Conversation, words: Sequence[str]) -> str:
    """Return the table of analyses, one a line."""
    return "\n".join(
        "/".join(row) for row in ANALYSES if row[2].partition(" ")[0] in engine.commands
    )


def policy(engine: Conversation, words: Sequence[str]) -> str:
    """Return how likely the network takes moves to be, as a board from 0 to 1, less for White."""
    import numpy as np

    line, game = engine.line, engine.form.game
    said = engine.thinker.judged(line)
    if said is None or not line.legal:
        raise GtpError("no policy here")
    legal = np.array(line.legal)
    shares = np.exp(said.logits[0, legal] - said.logits[0, legal].max())
    board = np.zeros(game.height * game.width)
    for action, share in zip(legal, shares / shares.sum(), strict=True):
        cell = game.action_cell(line.state, int(action))
        if cell is not None:
            board[cell] = share * line.side
    return as_board(engine, board.reshape(game.height, game.width))


def chance(engine: Conversation, words: Sequence[str]) -> str:
    """Return the expected score of the side to move, of 100, by the network alone."""
    value = engine.thinker.value(engine.line)
    if value is None:
        raise GtpError("no network knows this game")
    who = "Black" if engine.line.side == BLACK else "White"
    return f"{who} {50 * (1 + value):.1f}%"


def param(engine: Conversation, words: Sequence[str]) -> str:
    """Return the parameters, one a line with its kind, or set one."""
    if words:
        change(engine.settings, *take(words, 2))
        return ""
    kinds = {bool: "bool", int: "string", float: "string"}
    values = {name: getattr(engine.settings, one.field) for name, one in PARAMETERS.items()}
    return "\n".join(
        f"[{kinds[type(value)]}] {name} {_as_param(engine, name, value)}"
        for name, value in values.items()
    )


def _as_param(engine: Conversation, name: str, value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else get(engine.settings, name)


def as_board(engine: Conversation, cells: NDArray) -> str:
    """Write values [H, W] as GoGui shows boards, the top row first."""
    return "\n" + "\n".join(
        " ".join(f"{value:.3f}" for value in row) for row in engine.form.rows(cells)
    )


# -- the rules of a game that is not Go, for GoGui's board ---------------------------------------


def game_id(engine: Conversation, words: Sequence[str]) -> str:
    """Return the game's name, as GoGui writes names."""
    return engine.form.game.title.replace(" ", "").capitalize()


def board(engine: Conversation, words: Sequence[str]) -> str:
    """Return the board in rows from the top: X is Black, O White."""
    cells = engine.form.game.board(engine.line.state[None])[0]
    rows = engine.form.rows(cells)
    return "\n".join(" ".join(".XO"[value] for value in row) for row in rows)


def board_size(engine: Conversation, words: Sequence[str]) -> str:
    """Return the size of the board."""
    return str(engine.form.game.width)


def legal_moves(engine: Conversation, words: Sequence[str]) -> str:
    """Return the moves of the side to move, or of one that is named."""
    side = read_colour(words[0]) if words else engine.line.side
    line = engine.record.turned(side)
    if line.side != side:
        return ""
    return " ".join(engine.form.text(line, action) for action in line.legal)


def side_to_move(engine: Conversation, words: Sequence[str]) -> str:
    """Return who is to move."""
    return "black" if engine.line.side == BLACK else "white"


def final_result(engine: Conversation, words: Sequence[str]) -> str:
    """Return the result; empty while the game goes on."""
    return "" if engine.line.legal else engine.form.score(engine.line, engine.thinker.judged)


Handlers = dict[str, Callable[["Conversation", Sequence[str]], str]]

COMMANDS: Handlers = {
    "gogui-analyze_commands": analyze_commands,
    "evenmatch-policy": policy,
    "evenmatch-chance": chance,
    "evenmatch-param": param,
}
RULER: Handlers = {
    "gogui-rules_game_id": game_id,
    "gogui-rules_board": board,
    "gogui-rules_board_size": board_size,
    "gogui-rules_legal_moves": legal_moves,
    "gogui-rules_side_to_move": side_to_move,
    "gogui-rules_final_result": final_result,
}
