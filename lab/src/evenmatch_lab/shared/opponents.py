"""The eight opponents of Fujita 2022, and how a player fares against them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evenmatch.arena import Pairing, Played, play
from evenmatch.games.game import Game
from evenmatch.progress import Progress
from evenmatch.ratings import Score

#: The games of Fujita 2022.
GAME_IDS = ("connect4", "othello6", "othello")

#: As the authors' code plays them.
OPPONENTS = {
    "AlphaZero": "alphazero:random_root=0.2",
    "MCTS1": "mcts1",
    "MCTS2": "mcts2",
    "MCTS3": "mcts3",
    "MCTS4": "mcts4",
    "Minimax1": "minimax1:quirks=on",
    "Minimax2": "minimax2:quirks=on",
    "Random": "random",
}
#: Those that constants may be fitted against; the others stay unseen until the final tables.
TUNING = ("AlphaZero", "MCTS1", "MCTS2", "Minimax1", "Random")
HELD_OUT = tuple(name for name in OPPONENTS if name not in TUNING)

#: Small searches for runs that only show that everything works.
QUICK = {
    "AlphaZero": "alphazero:sims=16,random_root=0.2",
    "MCTS1": "mcts1:sims=30",
    "MCTS2": "mcts2:sims=10",
    "MCTS3": "mcts3:sims=20",
    "MCTS4": "mcts4:sims=5",
    "Minimax1": "minimax1:depth=1,quirks=on",
    "Minimax2": "minimax2:depth=1,quirks=on",
}


def specs(names: Sequence[str] = tuple(OPPONENTS), quick: bool = False) -> dict[str, str]:
    """Return the opponents' specs by name."""
    known = OPPONENTS | QUICK if quick else OPPONENTS
    return {name: known[name] for name in names}


def meet(
    players: Sequence[str],
    opponents: dict[str, str],
    game: Game,
    games: int,
    seed: int,
    progress: Progress,
    openings: int = 0,
) -> list[dict[str, Any]]:
    """Let each player meet each opponent ``games`` times, half with each side, all at once.

    With ``openings`` > 0 two games at a time start from the same position after so many random
    plies. Returns for each player {opponent: {"first": [w, l, d], "second": [w, l, d]}}, counted
    for the player when it moves first and second. Of an odd number it moves first once more.
    """
    entrants = [*players, *opponents.values()]
    pairings = [
        Pairing(*((p, o) if k % 2 == 0 else (o, p)), opening=k // 2 if openings else 0)
        for p in range(len(players))
        for o in range(len(players), len(entrants))
        for k in range(games)
    ]
    played = play(entrants, pairings, game, seed=seed, openings=openings, progress=progress)
    return [
        {name: sides(played, p, len(players) + o) for o, name in enumerate(opponents)}
        for p in range(len(players))
    ]


def sides(played: Sequence[Played], player: int, opponent: int) -> dict[str, list[int]]:
    """Count a player's results against an opponent, by the side it had."""
    first = [g.result for g in played if (g.pairing.first, g.pairing.second) == (player, opponent)]
    second = [
        -g.result for g in played if (g.pairing.first, g.pairing.second) == (opponent, player)
    ]
    return {"first": counted(first), "second": counted(second)}


def counted(results: Sequence[float]) -> list[int]:
    """Return [wins, losses, draws]."""
    score = Score.from_outcomes(results)
    return [score.wins, score.losses, score.draws]


def both(row: dict[str, list[int]]) -> Score:
    """Add a row's two sides up."""
    return score_of(row["first"]) + score_of(row["second"])


def score_of(counts: Sequence[int]) -> Score:
    """Return [wins, losses, draws] as a score."""
    wins, losses, draws = counts
    return Score(wins=wins, losses=losses, draws=draws)


def imbalance(score: Score) -> float:
    """Return (W - L) / games, from -1 to 1; the paper's win rate less its loss rate."""
    return (score.wins - score.losses) / score.games


def by_side(row: dict[str, list[int]]) -> float:
    """Return the mean over both sides of |W - L| / games: 0 only if each side is even."""
    return float(np.mean([abs(imbalance(score_of(row[side]))) for side in ("first", "second")]))


def metric_d(rows: dict[str, dict[str, list[int]]]) -> int:
    """Return D: the sum of |wins - losses| over opponents and sides; Fujita 2022 eq. 11."""
    return sum(abs(row[side][0] - row[side][1]) for row in rows.values() for side in row)


def interval(rating) -> list[float | None]:
    """Return Elo and the ends of its interval; None for an end the games do not bound."""
    numbers = (rating.elo, rating.low, rating.high)
    return [round(x, 1) if abs(x) < 1e6 else None for x in numbers]
