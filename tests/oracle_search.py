"""The slow, obvious search: trees as objects with edges.

Nothing here shares code with ``evenmatch``.
"""

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np
from oracle_random import Xorshift, mixed


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
                node.value = value
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
