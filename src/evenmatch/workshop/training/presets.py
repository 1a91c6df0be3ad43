"""Training presets: every number of a self-play training, per game.

``paper`` is Fujita 2022, table A1, with what the paper leaves out read in the authors' public
code. It differs from that code in what does not change the method: the optimiser's momentum
is kept from iteration to iteration, weight decay spares biases and batch norms, an epoch draws
rows at random in random symmetries instead of going through all of them once, and positions
with a single legal action are not recorded. ``fast`` is ours, meant for two cores; it was
not measured against other settings.
"""

from dataclasses import dataclass, replace

from evenmatch.errors import UsageError
from evenmatch.games.catalog import CATALOG


@dataclass(frozen=True, kw_only=True)
class Preset:
    """All settings of one training. Symbols in brackets are those of Fujita 2022, table A1."""

    # network
    blocks: int  #: residual blocks
    channels: int  #: filters
    policy_channels: int = 2  #: channels of the policy head's 1x1 convolution
    value_channels: int = 1  #: channels of the value head's 1x1 convolution
    # self-play
    iterations: int  #: self-play and learning alternate this often [N_iter]
    games: int  #: games played side by side
    positions: int = 0  #: new positions per iteration; 0: one full round of ``games`` [N_self]
    simulations: int  #: per move [N_sim]
    considered: int = 0  #: root actions of Gumbel sequential halving; 0: plain AlphaZero root
    c_puct: float = 1.25  #: [C_puct]
    random_root: float = 0.0  #: share of simulations from a random root action [epsilon]
    opening_plies: int = 0  #: plies whose action is drawn from softmax(N / tau) [T_opening]
    tau: float = 1.0  #: [tau]
    random_plies: int = 0  #: each game starts after 0 to this many uniformly random plies
    unvisited_reduction: float | None = None  #: None: unvisited actions count 0
    # learning
    window: int  #: most recent positions learned from, before augmentation
    window_share: float = 1.0  #: ... but at most this share of all positions so far
    batch: int = 2048  #: [N_batch]
    passes: float = 1.0  #: how often each new position is drawn, on average
    whole_window: bool = False  #: draw the whole augmented window instead, ``passes`` times
    search_value: float = 0.0  #: share of the search's value in the value target, beside outcome
    optimizer: str = "sgd"
    learning_rate: float = 0.2
    final_learning_rate: float = 0.2  #: reached along half a cosine
    momentum: float = 0.9
    weight_decay: float = 1e-4
    ema: float | None = None  #: decay of the averaged weights that play; None: the weights
    gate_every: int = 10  #: iterations between matches with the last gate and with MCTS1
    gate_games: int = 40  #: games of each such match
    gate_simulations: int = 32  #: per move in such a match


_PAPER = Preset(
    blocks=3,
    channels=256,
    iterations=600,
    games=10,
    simulations=200,
    random_root=0.2,
    opening_plies=4,
    tau=20,
    window=20_000 // 8,
    whole_window=True,
)

_FAST = Preset(
    blocks=5,
    channels=64,
    policy_channels=4,
    value_channels=4,
    iterations=45,
    games=256,
    positions=20_000,
    simulations=32,
    considered=16,
    unvisited_reduction=0.2,
    random_plies=8,
    window=400_000,
    window_share=0.5,
    batch=1024,
    passes=3.0,
    search_value=0.5,
    optimizer="adamw",
    learning_rate=2e-3,
    final_learning_rate=1e-4,
    weight_decay=1e-2,
    ema=0.98,
)

_TINY = replace(
    _FAST,
    blocks=1,
    channels=16,
    iterations=2,
    games=16,
    positions=200,
    simulations=8,
    considered=4,
    batch=64,
    passes=4.0,
    ema=0.9,
    gate_every=2,
    gate_games=4,
    gate_simulations=8,
)

#: Settings by preset and game. ``tiny`` is a real training in seconds, for trying things out;
#: ``early`` keeps the network of each of its first iterations, for networks of many strengths.
PRESETS: dict[str, dict[str, Preset]] = {
    "paper": {
        "connect4": replace(_PAPER, games=30, tau=50, window=20_000 // 2),
        "othello6": _PAPER,
        "othello": replace(
            _PAPER,
            blocks=5,
            iterations=700,
            simulations=400,
            opening_plies=6,
            tau=40,
            window=50_000 // 8,
        ),
    },
    "fast": {
        "connect4": replace(_FAST, simulations=64, considered=7, random_plies=16),
        "othello6": replace(_FAST, iterations=36),
        "othello": replace(_FAST, blocks=6, iterations=40, random_plies=10),
        "chess": replace(_FAST, random_plies=10),
        **dict.fromkeys(("go9", "go13", "go"), replace(_FAST, random_plies=10)),
    },
    "early": {"othello6": replace(_FAST, iterations=8, gate_every=1)},
    "tiny": dict.fromkeys(CATALOG, _TINY),
}


def get_preset(name: str, game_id: str) -> Preset:
    """Return the preset ``name`` for a game; UsageError listing the valid names if none."""
    if name not in PRESETS:
        raise UsageError(f"unknown preset {name!r}; choose one of: {', '.join(PRESETS)}")
    if game_id not in PRESETS[name]:
        others = ", ".join(other for other, games in PRESETS.items() if game_id in games)
        raise UsageError(
            f"preset {name!r} has no settings for {game_id}; use another preset: {others}"
        )
    return PRESETS[name][game_id]
