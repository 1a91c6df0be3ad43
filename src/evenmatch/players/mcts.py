"""Monte Carlo tree search by random games (Fujita 2022, section 4.3.1)."""

from __future__ import annotations

from functools import partial

from evenmatch.games.catalog import game_info
from evenmatch.players.player import Player
from evenmatch.players.search_player import SearchPlayer
from evenmatch.players.spec import Key, PlayerKind
from evenmatch.search import Plan, Rule
from evenmatch.strength import Fixed


def _mcts(game, games, networks, *, sims, c, open_at) -> Player:
    plan = Plan(simulations=sims, rule=Rule.UCT, c_puct=c, open_at=open_at)
    return SearchPlayer(game, games, networks.rollouts, partial(Fixed, plan))


#: The authors' code has sqrt(2 ln N / n) where eq. 12 has sqrt(ln N / n), both with C = 0.5; the
#: published ratings come from the code. It decides: on 6x6, 100 games, openings of 2 random
#: plies, seed 0, mcts1 scored 56.5% of its games against minimax1 with it, 36% with 0.5 in eq. 12.
PUBLISHED_C = 0.5 * 2**0.5
C = Key(float, PUBLISHED_C, "how readily the search tries other moves (C)")
OPEN = Key(int, 5, "looks at a position before its replies are looked at (N_open)")


EACH = 6  #: random games for each move of a usual position, if they are more than usual


def mcts_kind(least: int, summary: str) -> PlayerKind:
    """Return the player of so many random games for a move, or more at games of many moves."""
    usual = f"{least}, or {EACH} for each move of a usual position where that is more"

    def make(game, games, networks, *, sims, c, open) -> Player:
        if sims is None:  # enough to try every move: untried ones come in the order of numbers
            sims = max(least, round(EACH * game_info(game.id).branching))
        return _mcts(game, games, networks, sims=sims, c=c, open_at=open)

    return PlayerKind(
        summary,
        make,
        {
            "sims": Key(int, None, "random games it plays in its head for a move", usual),
            "c": C,
            "open": OPEN,
        },
    )
