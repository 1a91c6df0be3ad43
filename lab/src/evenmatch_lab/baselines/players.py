"""``PLAYERS``: rows of the table of players, of those that the papers compare with."""

from __future__ import annotations

from evenmatch.errors import UsageError
from evenmatch.opponents.alphadda import AlphaDDA1, AlphaDDA1Config
from evenmatch.opponents.controller import Fixed
from evenmatch.opponents.player import Player
from evenmatch.opponents.search_player import SearchPlayer
from evenmatch.opponents.spec import NET, Key, PlayerKind, one_of, switch
from evenmatch.opponents.table import OPEN, C, mcts_kind
from evenmatch.search import Plan, Rule
from evenmatch_lab.baselines.early import GAME_IDS, ITERATIONS, network_path
from evenmatch_lab.baselines.minimax import Minimax
from evenmatch_lab.baselines.minimax_player import DepthByValue, DepthPlayer, MinimaxPlayer
from evenmatch_lab.baselines.mixed import Changing, Noisy, player_within


def _mctsdda(game, networks, *, nh, a, x0, nmax, c, open, net) -> Player:
    config = AlphaDDA1Config(n_h=nh, a=a, x0=x0, n_max=nmax)
    plan = Plan(rule=Rule.UCT, c_puct=c, open_at=open)
    judge = networks.evaluator(net)
    return SearchPlayer(game, networks.rollouts, AlphaDDA1(config, plan), judge=judge)


def _minimaxdda(game, networks, *, nh, a, x0, depth, variant, net) -> Player:
    controller = DepthByValue(nh, a, x0, depth)
    Minimax(game, variant, depth)  # refuses other games, and bad values, now
    return DepthPlayer(game, variant, networks.evaluator(net), controller)


def _minimax_kind(variant: str) -> PlayerKind:
    keys = {
        "depth": Key(int, 3, "moves it looks ahead"),
        "quirks": Key(switch, False, "on: expects the worst, as the paper's program did"),
    }
    return PlayerKind(
        f"looks three moves ahead and counts by the paper's rule {variant[-1]} (minimax)",
        lambda game, networks, depth, quirks: MinimaxPlayer(game, variant, depth, quirks),
        keys,
    )


def _noisy(game, networks, *, of, share) -> Player:
    return Noisy(game, player_within(game, networks, of), share)


def _changing(game, networks, *, first, then, ply) -> Player:
    quarter = game.height * game.width // 4
    one, other = (player_within(game, networks, spec) for spec in (first, then))
    return Changing(one, other, quarter if ply is None else ply)


def _early(game, networks, *, iteration, sims) -> Player:
    if game.id not in GAME_IDS or iteration not in ITERATIONS:
        known = ", ".join(map(str, ITERATIONS))
        raise UsageError(
            f"no network of iteration {iteration} of {game.id}; choose one of {known} "
            f"on {', '.join(GAME_IDS)}"
        )
    judge = networks.evaluator(network_path(game.id, iteration))
    return SearchPlayer(game, judge, Fixed(Plan(simulations=sims)))


PLAYERS: dict[str, PlayerKind] = {
    "changing": PlayerKind(
        "plays as one player at first, then as another; ; stands for , in their specs",
        _changing,
        {
            "first": Key(str, "random", "the player at first, such as minimax1:depth=1"),
            "then": Key(str, "mcts", "the player afterwards"),
            "ply": Key(int, None, "the ply from which it plays", "a quarter of the squares"),
        },
    ),
    "early": PlayerKind(
        "alphazero with a network from the first minutes of a training",
        _early,
        {
            "iteration": Key(
                int, ITERATIONS[0], f"of the training: {', '.join(map(str, ITERATIONS))}"
            ),
            "sims": Key(int, 20, "positions it looks at for a move"),
        },
    ),
    "mcts1": mcts_kind(300, "the same with 300 random games for a move (MCTS1)"),
    "mcts2": mcts_kind(100, "the same with 100 (MCTS2)"),
    "mcts3": mcts_kind(200, "the same with 200 (MCTS3)"),
    "mcts4": mcts_kind(50, "the same with 50 (MCTS4)"),
    "mctsdda": PlayerKind(
        "mcts that plays fewer random games the better it stands",
        _mctsdda,
        {
            "nh": Key(int, 2, "how many of its latest positions it judges the game by (N_h)"),
            "a": Key(float, 2.0, "how sharply it thinks less when ahead (A_sim)"),
            "x0": Key(float, -1.0, "how far ahead it must be to think less (B_sim0)"),
            "nmax": Key(int, 1000, "random games for a move when behind"),
            "c": C,
            "open": OPEN,
            "net": NET,
        },
    ),
    "minimax1": _minimax_kind("minimax1"),
    "minimax2": _minimax_kind("minimax2"),
    "noisy": PlayerKind(
        "another player, with random moves in between; ; stands for , in its spec",
        _noisy,
        {
            "of": Key(str, "mcts", "the player, such as minimax1:depth=1"),
            "share": Key(float, 0.2, "the share of random moves, 0 to 1"),
        },
    ),
    "minimaxdda": PlayerKind(
        "minimax that looks less far ahead the better it stands",
        _minimaxdda,
        {
            "nh": Key(int, 2, "how many of its latest positions it judges the game by (N_h)"),
            "a": Key(float, 3.0, "how sharply it looks less far when ahead"),
            "x0": Key(float, -1.0, "how far ahead it must be to look less far"),
            "depth": Key(int, 5, "moves it looks ahead when behind"),
            "variant": Key(
                one_of("minimax1", "minimax2"), "minimax1", "by whose rule it counts positions"
            ),
            "net": NET,
        },
    ),
}
