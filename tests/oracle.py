"""Slow, obvious references: the games on lists of cells, the search as objects with edges.

Nothing here shares code with ``evenmatch``. Where a compiled kernel draws random numbers the
oracle draws the same ones from its own copy of the generator, so that whole trees compare
node for node.
"""

import functools
import itertools
import math
import random
from dataclasses import dataclass

import numpy as np

WORD = 2**64 - 1


# -- games -----------------------------------------------------------------------------------------


def remembered(method):
    """Let each object keep what the method returned; the positions here never change."""

    @functools.wraps(method)
    def recall(self, *args):
        known = self.__dict__.setdefault("known", {})
        key = (method.__name__, *args)
        if key not in known:
            known[key] = method(self, *args)
        return known[key]

    return recall


class SlowOthello:
    """Othello of any even size; ``cells[row][column]`` is 1 Black, -1 White, 0 empty."""

    directions = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))

    def __init__(self, cells, player=1):
        self.cells = [list(row) for row in cells]
        self.player = player
        self.size = len(self.cells)

    @classmethod
    def start(cls, size):
        half = size // 2
        cells = [[0] * size for _ in range(size)]
        cells[half - 1][half] = cells[half][half - 1] = 1
        cells[half - 1][half - 1] = cells[half][half] = -1
        return cls(cells)

    def turned(self, row, column, player):
        """The discs that ``player`` turns over by placing one at an empty cell."""
        found = []
        for down, right in self.directions:
            line = []
            r, c = row + down, column + right
            while 0 <= r < self.size and 0 <= c < self.size and self.cells[r][c] == -player:
                line.append((r, c))
                r, c = r + down, c + right
            if line and 0 <= r < self.size and 0 <= c < self.size and self.cells[r][c] == player:
                found += line
        return found

    def placements(self, player):
        return [
            self.size * row + column
            for row in range(self.size)
            for column in range(self.size)
            if self.cells[row][column] == 0 and self.turned(row, column, player)
        ]

    @remembered
    def legal(self):
        own = self.placements(self.player)
        if own:
            return own
        return [self.size**2] if self.placements(-self.player) else []

    @remembered
    def play(self, action):
        after = SlowOthello(self.cells, -self.player)
        if action < self.size**2:
            row, column = divmod(action, self.size)
            for r, c in [*self.turned(row, column, self.player), (row, column)]:
                after.cells[r][c] = self.player
        return after

    def outcome(self):
        """For the side to move, of a finished game."""
        lead = sum(map(sum, self.cells)) * self.player
        return float((lead > 0) - (lead < 0))

    def words(self):
        """The position as the compiled game packs it."""
        own, other = 0, 0
        for row in range(self.size):
            for column in range(self.size):
                own |= (self.cells[row][column] == self.player) << (8 * row + column)
                other |= (self.cells[row][column] == -self.player) << (8 * row + column)
        return (own, other, int(self.player == -1))

    def board(self):
        return self.cells


class SlowConnect4:
    """Connect Four; ``columns[c]`` lists the discs of a column from the bottom, 1 is Red."""

    def __init__(self, columns=((),) * 7, player=1):
        self.columns = [list(column) for column in columns]
        self.player = player

    def cell(self, column, row):
        inside = 0 <= column < 7 and 0 <= row < len(self.columns[column])
        return self.columns[column][row] if inside else 0

    def has_four(self, player):
        return any(
            all(self.cell(column + i * right, row + i * up) == player for i in range(4))
            for column in range(7)
            for row in range(6)
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    @remembered
    def legal(self):
        if self.has_four(-self.player):
            return []
        return [column for column in range(7) if len(self.columns[column]) < 6]

    @remembered
    def play(self, action):
        after = SlowConnect4(self.columns, -self.player)
        after.columns[action].append(self.player)
        return after

    def outcome(self):
        return -1.0 if self.has_four(-self.player) else 0.0

    def words(self):
        own, discs = 0, 0
        for column in range(7):
            for row, disc in enumerate(self.columns[column]):
                own |= (disc == self.player) << (7 * column + row)
                discs |= 1 << (7 * column + row)
        return (own, discs)

    def board(self):
        return [[self.cell(column, 5 - row) for column in range(7)] for row in range(6)]


def chess_start():
    """The oracle of chess lies apart, for it needs python-chess."""
    from oracle_chess import SlowChess

    return SlowChess()


#: The start position of each game of ``GAMES``.
STARTS = {
    "connect4": SlowConnect4,
    "othello6": lambda: SlowOthello.start(6),
    "othello": lambda: SlowOthello.start(8),
    "chess": chess_start,
}


def cells_of(text, signs):
    """Cells [row][column] of a board drawn as lines of characters; ``signs`` says who is who."""
    return [[signs[mark] for mark in line.strip()] for line in text.split()]


def othello_from(text, player=1):
    """A position from a drawing in B, W and dots."""
    return SlowOthello(cells_of(text, {"B": 1, "W": -1, ".": 0}), player)


def connect4_from(text, player=None):
    """A position from a drawing in R, Y and dots; Red moves when the discs are even."""
    rows = cells_of(text, {"R": 1, "Y": -1, ".": 0})[::-1]
    columns = [[disc for disc in column if disc] for column in zip(*rows, strict=True)]
    discs = sum(map(len, columns))
    return SlowConnect4(columns, player or (1 if discs % 2 == 0 else -1))


def packed(positions):
    """Positions as the states [B, S] of the compiled game."""
    return np.array([position.words() for position in positions], np.uint64)


def random_walk(position, plies, seed):
    """The position after up to ``plies`` random actions; stops short of the end of the game."""
    rng = random.Random(seed)
    for _ in range(plies):
        children = map(position.play, rng.sample(position.legal(), len(position.legal())))
        after = next((child for child in children if child.legal()), None)
        if after is None:
            return position
        position = after
    return position


def slow_perft(position, depth):
    """Count the action sequences of exactly ``depth`` plies."""
    if depth == 1:
        return len(position.legal())
    return sum(slow_perft(position.play(action), depth - 1) for action in position.legal())


def outcome_chances(position):
    """Chances that random play ends in a (loss, draw, win) of the side to move, exactly."""
    actions = position.legal()
    if not actions:
        return tuple(float(position.outcome() == value) for value in (-1, 0, 1))
    below = [outcome_chances(position.play(action)) for action in actions]
    return tuple(sum(chances[2 - i] for chances in below) / len(actions) for i in range(3))


# -- random numbers --------------------------------------------------------------------------------


class Xorshift:
    """Vigna's xorshift64*, of which the upper 32 bits are used."""

    def __init__(self, state):
        self.state = int(state)

    def bits(self):
        x = self.state
        x ^= x >> 12
        x ^= (x << 25) & WORD
        x ^= x >> 27
        self.state = x
        return ((x * 2685821657736338717) & WORD) >> 32

    def below(self, bound):
        return (self.bits() * bound) >> 32

    def uniform(self):
        """From the open interval (0, 1)."""
        return (self.bits() + 0.5) / 2**32


def mixed(word):
    """The finalizer of splitmix64, never 0."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return (word ^ (word >> 31)) | 1


def slow_playout(position, rng):
    """The outcome of random play for the side to move."""
    player = position.player
    while actions := position.legal():
        forced_pass = isinstance(position, SlowOthello) and actions == [position.size**2]
        position = position.play(actions[0 if forced_pass else rng.below(len(actions))])
    return position.outcome() * (1 if position.player == player else -1)


# -- evaluators: (position, seed) -> (logits [A], value) -------------------------------------------


def hash_evaluation(states, num_actions):
    """Logits [n, A] in [-2, 2), values, betas [n] in [-1, 1) that look random: they hang on states.

    Computed with integers alone, so that they do not depend on the size of the batch.
    """
    states = np.asarray(states, np.uint64)
    hashes = np.full(len(states), 0x9E3779B97F4A7C15, np.uint64)
    for word in range(states.shape[1]):
        hashes = _mixed_words(hashes ^ states[:, word])
    salts = _mixed_words(np.arange(1, num_actions + 3, dtype=np.uint64))
    draws = (_mixed_words(hashes[:, None] ^ salts) >> np.uint64(44)).astype(np.float32) / 2**20
    values, betas = draws[:, 0] * 2 - 1, draws[:, -1] * 2 - 1
    return np.ascontiguousarray(draws[:, 1:-1] * 4 - 2), values, betas


def said_by_hash(states, actions):
    """The same as an evaluator says it: one strength score, in both columns."""
    from evenmatch.search import Evaluation

    logits, values, beta = hash_evaluation(states, actions)
    return Evaluation(logits, values, scores=np.stack([beta, beta], 1))


def _mixed_words(words):
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


class SlowHash:
    """The oracle's side of :func:`hash_evaluation`."""

    def __init__(self, num_actions):
        self.num_actions = num_actions

    def __call__(self, position, seed):
        logits, values, betas = hash_evaluation(packed([position]), self.num_actions)
        return logits[0], float(values[0]), float(betas[0])


class SlowRollout:
    """Equal logits and the outcome of one random game."""

    def __init__(self, num_actions):
        self.num_actions = num_actions

    def __call__(self, position, seed):
        return np.zeros(self.num_actions, np.float32), slow_playout(position, Xorshift(seed))


# -- search ----------------------------------------------------------------------------------------


@dataclass
class Edge:
    """An action of a node: N(s, a), W(s, a) for the side that takes it, P(s, a)."""

    prior: np.float32
    visits: int = 0
    total: float = 0.0
    child: "Node | None" = None


@dataclass
class Node:
    """A position; ``edges`` is None until the node is opened, and stays None at the game's end."""

    position: object
    visits: int = 0
    value: float | None = None
    judged: float = 0.0  # the sum of all evaluations of the node itself
    terminal: bool = False
    edges: "dict[int, Edge] | None" = None
    beta: float | None = None  # None before it was judged, and where the game is over
    distance: float = 0.0  # delta^, in single precision

    def children(self):
        """The nodes one action further that were met."""
        return [edge.child for edge in (self.edges or {}).values() if edge.child]

    def betas(self, own=False):
        """The strength scores of the subtree, judged nodes alone, in the order they were made.

        ``own`` are those of the actions of the side whose action led here.
        """
        found = [self]
        for node in found:
            after = node.children()
            found += [x for reply in after for x in reply.children()] if own else after
        made = sorted((x for x in found if x.beta is not None), key=lambda node: node.number)
        return [node.beta for node in made]


def as_root(position):
    """The position as a search starts from it; only chess makes a difference."""
    return position.as_root() if hasattr(position, "as_root") else position


class SlowSearch:
    """One tree, searched as Fujita 2022 and Danihelka et al. 2022 say.

    ``plan`` is an ``evenmatch.search.Plan`` read by attribute. ``leaves`` > 1 collects that
    many leaves before judging them, each counting as a loss on its way until it is judged.
    """

    def __init__(self, position, seed, evaluate, leaves=1):
        self.root = Node(as_root(position))
        self.rng = Xorshift(seed)
        self.evaluate = evaluate
        self.leaves = leaves
        self.numbers = itertools.count()
        self.scores = {}  # g(a) + log P(a) of the root's actions

    def follow(self, action):
        """Take the child as the root and forget the rest."""
        edge = (self.root.edges or {}).get(action)
        position = as_root(self.root.position.play(action))
        kept = edge is not None and edge.child is not None
        self.root = edge.child if kept else Node(position)
        if self.root.terminal and position.legal():
            self.root = Node(position)  # the game ended only within the search
        self.root.position = position

    def run(self, plan, steps=None):
        """Search until the plan's simulations, or so many steps, are spent."""
        self.plan = plan
        if self.root.edges is None and not self.root.terminal:
            self.root.visits += 1
            self.judge([(self.root, [], self.rng.state)])
        if self.root.terminal:
            return
        self.draw_noise()
        left = max(plan.simulations - (self.root.visits - 1), 1)
        while left > 0 and (steps is None or steps > 0):
            left -= self.step(left)
            steps = None if steps is None else steps - 1

    def step(self, left):
        """Collect and judge leaves; return the simulations that took."""
        leaves, spent = [], 0
        if self.plan.rule.name == "STRENGTH":
            self.weigh()
        while spent < left and len(leaves) < self.leaves:
            path, node = self.descend()
            if node.terminal:
                node.visits += 1
                self.back_up(path, node.value)
                spent += 1
            elif any(node is other for other, _, _ in leaves):
                for parent, edge in path:  # someone is there already: as if it never happened
                    parent.visits -= 1
                    edge.visits -= 1
                    edge.total += 1.0
                break
            else:
                node.visits += 1
                self.rng.bits()
                leaves.append((node, path, mixed(self.rng.state)))
                spent += 1
        self.judge(leaves)
        return spent

    def descend(self):
        """Follow the rules to a node without edges: (path of (node, edge), node)."""
        node, path = self.root, []
        while node.edges is not None:
            action = self.root_action() if node is self.root else self.best_action(node)
            edge = node.edges[action]
            node.visits += 1
            edge.visits += 1
            edge.total -= 1.0 if self.leaves > 1 else 0.0
            path.append((node, edge))
            if edge.child is None:
                edge.child = Node(node.position.play(action))
            node = edge.child
        return path, node

    def judge(self, leaves):
        """Evaluate leaves, open them where due, back their values up."""
        for node, path, seed in leaves:
            actions = node.position.legal()
            logits, value, *beta = self.evaluate(node.position, seed)
            if node.visits == 1 and actions and beta:
                node.beta, node.number = float(np.float32(beta[0])), next(self.numbers)
            if not actions:
                node.terminal = True
                node.value = node.position.outcome()
            else:
                node.value = self.with_playout(value, node.position, seed)
                if node is self.root or node.visits >= self.plan.open_at:
                    node.edges = self.new_edges(actions, logits)
            node.judged += float(np.float32(node.value))
            self.back_up(path, node.value)

    def weigh(self):
        """delta^ of Chen et al. 2025, section 3.3: |mean beta - target|, up to the plan's cap.

        Bounds are over the tree, or over the actions of each position.
        """
        compared, level, depth = {}, [self.root], 0
        while level:
            target = self.plan.targets[min(depth, len(self.plan.targets) - 1)]
            depth += 1
            for parent in level:
                for node in parent.children():
                    node.distance, betas = 0.0, node.betas(self.plan.own_actions == 1)
                    if betas:
                        total = functools.reduce(float.__add__, betas)
                        among = id(parent) if self.plan.scaling.name == "SIBLINGS" else 0
                        off = total / len(betas) - target
                        compared.setdefault(among, []).append((node, off))
            level = [node for parent in level for node in parent.children()]
        for offs in compared.values():
            sizes = [min(abs(off), self.plan.cap or math.inf) for _, off in offs]
            low, span = min(sizes), max(sizes) - min(sizes)
            for (node, off), size in zip(offs, sizes, strict=True):
                share = self.plan.weaker if off < 0 else 1.0
                if span > 0:
                    node.distance = float(np.float32(share * (size - low) / span))

    def with_playout(self, value, position, seed):
        """Silver et al. 2016: (1 - lambda) v + lambda z."""
        share = self.plan.playout_share
        if share == 0:
            return value
        result = slow_playout(position, Xorshift(seed))
        return float(np.float32((1 - share) * float(np.float32(value)) + share * float(result)))

    def back_up(self, path, value):
        if self.plan.rule.name == "BALANCE":
            return self.back_up_imbalance(path, value)
        for _, edge in reversed(path):
            value = -value
            edge.total += value + (1.0 if self.leaves > 1 else 0.0)

    def back_up_imbalance(self, path, value):
        """Fujita 2022 eq. 7; the root's side is to move at every second node."""
        for_root = value if len(path) % 2 == 0 else -value
        for i, (_, edge) in enumerate(path):
            wanted = -self.plan.balance if i % 2 == 0 else self.plan.balance
            edge.total += (1.0 if self.leaves > 1 else 0.0) - abs(for_root - wanted)

    def new_edges(self, actions, logits):
        """Edges with priors softmax(logits / temperature), in single precision as stored."""
        scores = [float(logits[action]) for action in actions]
        highest = max(scores)
        weights = [math.exp((score - highest) / self.plan.prior_temperature) for score in scores]
        total = functools.reduce(float.__add__, weights)  # sum() rounds otherwise from 3.12 on
        priors = [np.float32(float(np.float32(weight)) / total) for weight in weights]
        return {action: Edge(prior) for action, prior in zip(actions, priors, strict=True)}

    # -- which action ---------------------------------------------------------------------------

    def root_action(self):
        plan, edges = self.plan, self.root.edges
        if plan.considered > 0:
            return self.halving_action()
        if plan.random_root > 0:
            chance = self.rng.bits() / 2**32
            pick = self.rng.below(len(edges))
            if chance < plan.random_root:
                return list(edges)[pick]
        if plan.rule.name == "LEVEL":
            return min(edges, key=lambda action: edges[action].visits)
        return self.best_action(self.root)

    def best_action(self, node):
        scores = {action: self.score(node, edge) for action, edge in node.edges.items()}
        return max(scores, key=scores.get)  # the first of equals

    def score(self, node, edge):
        c = self.plan.c_puct
        mean = edge.total / edge.visits if edge.visits else self.unvisited_mean(node)
        if self.plan.rule.name == "UCT":  # Fujita 2022 eq. 12
            return mean + c * math.sqrt(math.log(node.visits + 1.0) / (edge.visits + 1e-7))
        if self.plan.rule.name == "BALANCE":  # eq. 6
            return mean + c * math.sqrt(2 * math.log(node.visits + 1.0) / (edge.visits + 1))
        if self.plan.rule.name == "LEVEL":
            return node.visits * float(edge.prior) - edge.visits
        if self.plan.rule.name == "STRENGTH":  # Chen et al. 2025 eq. 6
            distance = edge.child.distance if edge.child else 0.0
            gap = float(edge.prior) - self.plan.c_1 * distance
            return mean + c * gap * math.sqrt(node.visits) / (1 + edge.visits)
        # Fujita 2022 eq. 8
        return mean + c * float(edge.prior) * math.sqrt(node.visits) / (1 + edge.visits)

    def unvisited_mean(self, node):
        if self.plan.unvisited.name == "CONSTANT":
            return self.plan.unvisited_value
        total, mass = node.judged, 0.0
        for edge in node.edges.values():
            if edge.visits:
                total += edge.total
                mass += float(edge.prior)
        return total / node.visits - self.plan.unvisited_value * math.sqrt(mass)

    # -- sequential halving (Danihelka et al. 2022, algorithm 2) ---------------------------------

    def halving_action(self):
        """Among the actions that are due, the best by g + log P + sigma(q)."""
        edges = self.root.edges
        due = self.visits_due(self.root.visits - 1)
        most = max(edge.visits for edge in edges.values())
        found = {}
        for action, edge in edges.items():
            if edge.visits == due:
                found[action] = self.scores[action]
                if due > 0:  # sigma is the same for all actions without visits
                    found[action] += (50 + most) * (edge.total / edge.visits + 1) / 2
        return max(found, key=found.get)

    def visits_due(self, simulation):
        """How many visits the action tried by this simulation (from 0) has had before.

        Phases: each gives every survivor an equal share of simulations / ceil(log2 m), at
        least one round of visits, then half of them survive, never fewer than two.
        """
        survivors = min(self.plan.considered, len(self.root.edges))
        if survivors == 1:
            return simulation
        phases, had = math.ceil(math.log2(survivors)), 0
        while True:
            rounds = max(1, self.plan.simulations // (phases * survivors))
            for _ in range(rounds):
                if simulation < survivors:
                    return had
                simulation -= survivors
                had += 1
            survivors = max(2, survivors // 2)

    # -- noise at the root -----------------------------------------------------------------------

    def draw_noise(self):
        plan, edges = self.plan, list(self.root.edges.values())
        if plan.noise_fraction > 0:
            draws = [self.gamma(plan.noise_alpha) for _ in edges]
            for edge, draw in zip(edges, draws, strict=True):
                share = draw / np.sum(draws)
                prior = (1 - plan.noise_fraction) * float(edge.prior)
                edge.prior = np.float32(prior + plan.noise_fraction * share)
        if plan.considered > 0:
            self.scores = {}
            for action, edge in self.root.edges.items():
                noise = -math.log(-math.log(self.rng.uniform()))
                self.scores[action] = math.log(max(float(edge.prior), 1e-30)) + noise

    def gamma(self, shape):
        """Gamma(shape, 1) by Marsaglia and Tsang 2000, normals by Box and Muller."""
        if shape < 1:
            lift = self.rng.uniform() ** (1 / shape)
            return lift * self.gamma(shape + 1)
        d = shape - 1 / 3
        c = 1 / math.sqrt(9 * d)
        while True:
            radius = math.sqrt(-2 * math.log(self.rng.uniform()))
            x = radius * math.cos(2 * math.pi * self.rng.uniform())
            v = (1 + c * x) ** 3
            if v > 0:
                u = self.rng.uniform()
                if math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
                    return d * v
