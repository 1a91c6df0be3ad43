"""Connect Four as lists of discs, judged by whole lines of play."""

LINES = [
    [(column + i * right, row + i * up) for i in range(4)]
    for column in range(7)
    for row in range(6)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    if column + 3 * right < 7 and 0 <= row + 3 * up < 6
]
LINES_OF = {
    (column, row): [line for line in LINES if (column, row) in line]
    for column in range(7)
    for row in range(6)
}


class Naive:
    """Columns as lists of 0 and 1; plain negamax over whole lines of play."""

    def __init__(self, moves=""):
        self.columns = [[] for _ in range(7)]
        self.ply = 0
        for digit in moves:
            self.drop(int(digit) - 1)

    def drop(self, column):
        """Play the side to move's disc there; returns whether it makes four."""
        self.columns[column].append(self.ply % 2)
        self.ply += 1
        cell = column, len(self.columns[column]) - 1
        return any(self.of_one_side(line) for line in LINES_OF[cell])

    def of_one_side(self, line):
        discs = {self.columns[c][r] if r < len(self.columns[c]) else None for c, r in line}
        return len(discs) == 1 and None not in discs

    def legal(self):
        return [column for column in range(7) if len(self.columns[column]) < 6]

    def move_outcomes(self):
        outcomes = {}
        for column in self.legal():
            wins = self.drop(column)
            outcomes[column] = 1 if wins else -max(self.move_outcomes().values(), default=0)
            self.columns[column].pop()
            self.ply -= 1
        return outcomes


def random_position(rng, plies):
    """Return moves of a game of so many plies without a four."""
    while True:
        board, moves = Naive(), ""
        while len(moves) < plies:
            column = rng.choice(board.legal())
            if board.drop(column):
                break
            moves += str(column + 1)
        else:
            return moves
