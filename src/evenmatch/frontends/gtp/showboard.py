"""The board as text, for people at a console."""

from evenmatch.frontends.gtp.forms import Form
from evenmatch.frontends.gtp.protocol import BLACK
from evenmatch.sessions.game_line import GameLine

SIGNS = {1: "X", -1: "O", 0: "."}


def drawn(form: Form, line: GameLine) -> str:
    """Draw the board with its coordinates: X is Black, O White; the latest move in brackets."""
    game, board = form.game, form.game.board(line.state[None])[0]
    latest = game.action_cell(line.states[-2], line.actions[-1]) if line.ply else None
    letters = "   " + " ".join(form.letters[: game.width].upper())
    lines = ["", letters]
    for row in range(game.height):
        number = game.height - row if form.upward else row + 1
        text = f"{number:2}"
        for column in range(game.width):
            at = latest is not None and latest == row * game.width + column
            before = latest is not None and latest == row * game.width + column - 1 and column
            text += ("(" if at else ")" if before else " ") + SIGNS[int(board[row, column])]
        lines.append(text + (")" if latest == (row + 1) * game.width - 1 else ""))
    mover = "Black (X)" if line.side == BLACK else "White (O)"
    lines += [letters, f"{mover} to move, {line.ply} played"]
    return "\n".join(lines)
