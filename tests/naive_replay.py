"""Moves of Go replayed slowly, legal or not: a board as a dictionary, every position kept."""

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
FREE, PASS, NONE = 0, "pass", -1


class NaiveReplay:
    """A game in progress. Points are (row, column) from the top left; sides are 1 and -1."""

    def __init__(self, size, stones=()):
        """Begin with stones of side 1 on the board."""
        self.size = size
        self.board = {(row, col): FREE for row in range(size) for col in range(size)}
        self.board.update(dict.fromkeys(stones, 1))
        self.boards = [dict(self.board)]  # after each move, the first in front
        self.moves = []  # (side, point or PASS)
        self.captured = []  # by move, the points

    def beside(self, point):
        """Return the neighbours of a point on the board."""
        row, col = point
        near = ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))
        return [other for other in near if other in self.board]

    def chain(self, point, board=None):
        """Return (stones, liberties) of the chain of a stone."""
        board = board or self.board
        stones, liberties, queue = {point}, set(), [point]
        while queue:
            for near in self.beside(queue.pop()):
                if board[near] == FREE:
                    liberties.add(near)
                elif board[near] == board[point] and near not in stones:
                    stones.add(near)
                    queue.append(near)
        return stones, liberties

    def after(self, side, point):
        """Return (board, captured points) after a move; own stones without liberties go too."""
        board = {**self.board, point: side}
        captured = set()
        for near in self.beside(point):
            if board[near] == -side and not self.chain(near, board)[1]:
                captured |= self.chain(near, board)[0]
        board.update(dict.fromkeys(captured, FREE))
        own, liberties = self.chain(point, board)
        if not liberties:
            board.update(dict.fromkeys(own, FREE))
        return board, captured

    def play(self, side, point):
        """Make a move, legal or not."""
        self.moves.append((side, point))
        self.captured.append(set())
        if point != PASS:
            self.board, self.captured[-1] = self.after(side, point)
        self.boards.append(dict(self.board))

    def ko(self):
        """Return the point that simple ko bans, or None."""
        if not self.moves or self.moves[-1][1] == PASS or len(self.captured[-1]) != 1:
            return None
        stones, liberties = self.chain(self.moves[-1][1])
        return next(iter(self.captured[-1])) if len(stones) == len(liberties) == 1 else None

    def banned(self, side, rule="simple", suicide=False):
        """Return the points where a side must not move by simple ko and by a superko rule.

        Moves that would be illegal suicide are not counted; of one stone it always is.
        """
        found = {self.ko()} - {None}
        if rule == "simple":
            return found
        movers = [mover for mover, _ in self.moves]
        movers = [-movers[0] if movers else -side, *movers]
        earlier = [
            board
            for board, mover in zip(self.boards, movers, strict=True)
            if rule == "positional" or mover == side
        ]
        for point, colour in self.board.items():
            if colour == FREE:
                board = self.after(side, point)[0]
                dies = board[point] == FREE
                legal = not dies or (suicide and board != self.board)
                if legal and board in earlier:
                    found.add(point)
        return found


def read_point(text, size):
    """Read a coordinate such as D4, or a pass."""
    if text.lower() == PASS:
        return PASS
    return size - int(text[1:]), LETTERS.index(text[0])
