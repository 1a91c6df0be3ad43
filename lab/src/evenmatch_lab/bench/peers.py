"""The searches of others that ours is measured against, on Connect Four: mctx and OpenSpiel.

Both get the true rules, a uniform prior and the value 0 for every position that continues: what
is timed is tree search and rules alone. Install them with ``pip install 'evenmatch[peers]'``.
"""

from collections.abc import Callable
from importlib import metadata
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games.connect4 import COLUMNS, ROWS
from evenmatch.games.game import States

INSTALL = "pip install 'evenmatch[peers]'"
C_PUCT = 1.25
FULL = (1 << ROWS) - 1  # a column of discs
ILLEGAL = -1e9


class Peer(NamedTuple):
    """Another search, ready to be timed."""

    name: str  #: with its version
    search: Callable[[], NDArray]  #: runs one search of all trees; root visits [B, A] come back


def mctx_peer(states: States, simulations: int, considered: int = 0) -> Peer | None:
    """Return mctx searching ``states`` [B, 2] on the CPU; None if it is not installed.

    It runs ``muzero_policy`` with AlphaZero's formula as ours has it, or with ``considered`` > 0
    ``gumbel_muzero_policy`` with so many actions considered.
    """
    if find_spec("mctx") is None:
        return None
    import jax

    with jax.default_device(jax.devices("cpu")[0]):
        roots = jax.device_put(column_boards(states))
        search = _gumbel_search(simulations, considered) if considered else _search(simulations)
        key = jax.random.PRNGKey(0)
        compiled = search.lower(key, roots).compile()
    policy = "gumbel_muzero_policy" if considered else "muzero_policy"
    name = f"mctx {metadata.version('mctx')} {policy} (jax {metadata.version('jax')}, CPU)"
    return Peer(name, lambda: np.asarray(compiled(key, roots)))


def column_boards(states: States) -> NDArray[np.uint8]:
    """Return boards [B, 2, 7] of one word per column: the mover's discs, the other side's."""
    shifts = np.arange(0, 7 * COLUMNS, 7, dtype=np.uint64)
    own, discs = states[:, :1], states[:, 1:]
    words = np.stack([own >> shifts, (own ^ discs) >> shifts], 1)
    return (words & np.uint64(FULL)).astype(np.uint8)


def drop(boards: Any, actions: Any) -> tuple[Any, Any, Any]:
    """Play ``actions`` [B] on boards [B, 2, 7] in JAX: (boards after, won [B], full [B]).

    The boards after are seen by the side then to move.
    """
    import jax.numpy as jnp

    mine, other = boards[:, 0], boards[:, 1]
    discs = mine | other
    here = jnp.arange(COLUMNS) == actions[:, None]
    mine = jnp.where(here, (mine | (discs + 1)) & FULL, mine).astype(jnp.uint8)
    won = _has_four(mine)
    full = ((mine | other) == FULL).all(1)
    return jnp.stack([other, mine], 1), won, full


def _has_four(columns: Any) -> Any:
    """Return whether columns [B, 7] of one side's discs hold four in a line, [B]."""
    a, b, c, d = (columns[:, i : i + 4] for i in range(4))
    across = a & b & c & d
    rising = a & (b >> 1) & (c >> 2) & (d >> 3)
    falling = (a >> 3) & (b >> 2) & (c >> 1) & d
    upward = columns & (columns >> 1) & (columns >> 2) & (columns >> 3)
    return (across | rising | falling).any(1) | upward.any(1)


def _logits(boards: Any) -> Any:
    """Return the uniform prior over legal columns as logits [B, 7]."""
    import jax.numpy as jnp

    return jnp.where((boards[:, 0] | boards[:, 1]) == FULL, ILLEGAL, 0.0)


def _step(params: Any, key: Any, actions: Any, boards: Any) -> Any:
    """Play ``actions`` [B] on ``boards`` [B, 2, 7] as mctx's recurrent function."""
    import jax.numpy as jnp
    import mctx

    after, won, full = drop(boards, actions)
    output = mctx.RecurrentFnOutput(
        reward=won.astype(jnp.float32),  # to the side that moved
        discount=jnp.where(won | full, 0.0, -1.0),
        prior_logits=_logits(after),
        value=jnp.zeros(len(actions)),
    )
    return output, after


def _root(boards: Any) -> Any:
    import jax.numpy as jnp
    import mctx

    value = jnp.zeros(len(boards))
    return mctx.RootFnOutput(prior_logits=_logits(boards), value=value, embedding=boards)


def _q(tree: Any, node: Any) -> Any:
    """Return Q [7] as AlphaZero has it, very low for illegal actions, also below the root."""
    import jax.numpy as jnp

    q = jnp.where(tree.children_visits[node] > 0, tree.qvalues(node), 0.0)
    return q + jnp.minimum(tree.children_prior_logits[node], 0.0)


def _search(simulations: int) -> Any:
    """Return the jitted search: (key, boards [B, 2, 7]) -> root visits [B, 7]."""
    import jax
    import mctx

    @jax.jit
    def search(key: Any, boards: Any) -> Any:
        root = _root(boards)
        output = mctx.muzero_policy(
            None, key, root, _step, simulations, invalid_actions=root.prior_logits < 0,
            qtransform=_q, dirichlet_fraction=0.0, pb_c_init=C_PUCT, pb_c_base=1e9,
        )  # fmt: skip
        return output.search_tree.summary().visit_counts

    return search


def _gumbel_search(simulations: int, considered: int) -> Any:
    """Return the same for mctx's own search with a Gumbel root, all else at its defaults."""
    import jax
    import mctx

    @jax.jit
    def search(key: Any, boards: Any) -> Any:
        root = _root(boards)
        output = mctx.gumbel_muzero_policy(
            None, key, root, _step, simulations, invalid_actions=root.prior_logits < 0,
            max_num_considered_actions=considered,
        )  # fmt: skip
        return output.search_tree.summary().visit_counts

    return search


def openspiel_peer(simulations: int) -> Peer | None:
    """Return OpenSpiel's Python MCTS at the start position; None if it is not installed."""
    if find_spec("open_spiel") is None:
        return None
    import pyspiel
    from open_spiel.python.algorithms import mcts

    class Constant(mcts.Evaluator):
        def evaluate(self, state):
            return np.zeros(2)

        def prior(self, state):
            legal = state.legal_actions()
            return [(action, 1 / len(legal)) for action in legal]

    game = pyspiel.load_game("connect_four")
    bot = mcts.MCTSBot(
        game, C_PUCT, simulations, Constant(), solve=False,
        child_selection_fn=mcts.SearchNode.puct_value,
    )  # fmt: skip
    start = game.new_initial_state()

    def search() -> NDArray:
        visits = np.zeros((1, COLUMNS), np.int32)
        for child in bot.mcts_search(start).children:
            visits[0, child.action] = child.explore_count
        return visits

    return Peer(f"OpenSpiel {metadata.version('open_spiel')} Python MCTS", search)
