"""Go as obviously as it can be written: sets of points, whole boards compared for superko.

Nothing here shares code with ``evenmatch``.
"""

from itertools import product


class NaiveGo:
    """A game on a board of any size; ``stones`` is a dict from (row, column) to 1 or -1."""

    def __init__(self, size, komi=7.5, stones=None, player=1):
        self.size, self.komi, self.player = size, komi, player
        self.stones = dict(stones or {})
        self.seen = [frozenset(self.stones.items())]
        self.moves = []
        self.captured = {1: 0, -1: 0}

    def near(self, point):
        """The points beside a point."""
        row, column = point
        around = (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)
        return [(r, c) for r, c in around if 0 <= r < self.size and 0 <= c < self.size]

    def chain(self, stones, point):
        """The stones of a chain, and its liberties."""
        chain, liberties, todo = {point}, set(), [point]
        while todo:
            for other in self.near(todo.pop()):
                if other not in stones:
                    liberties.add(other)
                elif stones[other] == stones[point] and other not in chain:
                    chain.add(other)
                    todo.append(other)
        return chain, liberties

    def after(self, point):
        """The stones after a move of the player, None if it is suicide or the point is taken."""
        if point in self.stones:
            return None
        stones = {**self.stones, point: self.player}
        for other in self.near(point):
            if stones.get(other) == -self.player:
                chain, liberties = self.chain(stones, other)
                if not liberties:
                    stones = {p: side for p, side in stones.items() if p not in chain}
        return stones if self.chain(stones, point)[1] else None

    def legal(self):
        """The legal actions: row * size + column, then pass; none once the game is over."""
        if self.over():
            return []
        actions = []
        for point in product(range(self.size), repeat=2):
            stones = self.after(point)
            if stones is not None and frozenset(stones.items()) not in self.seen:
                actions.append(point[0] * self.size + point[1])
        return [*actions, self.size**2]

    def over(self):
        """Whether both have passed."""
        return self.moves[-2:] == [self.size**2] * 2

    def play(self, action):
        """Play a legal action."""
        if action < self.size**2:
            stones = self.after(divmod(action, self.size))
            self.captured[self.player] += len(self.stones) + 1 - len(stones)
            self.stones = stones
        self.seen.append(frozenset(self.stones.items()))
        self.moves.append(action)
        self.player = -self.player

    def owner(self, point):
        """Whose area a point is: 1, -1 or 0."""
        if point in self.stones:
            return self.stones[point]
        region, todo, meets = {point}, [point], set()
        while todo:
            for other in self.near(todo.pop()):
                if other in self.stones:
                    meets.add(self.stones[other])
                elif other not in region:
                    region.add(other)
                    todo.append(other)
        return meets.pop() if len(meets) == 1 else 0

    def lead(self):
        """Black's area minus White's and komi."""
        return sum(map(self.owner, product(range(self.size), repeat=2))) - self.komi

    def cells(self):
        """The board, row by row from the top."""
        return [
            [self.stones.get((row, column), 0) for column in range(self.size)]
            for row in range(self.size)
        ]
