"""The eight opponents of Fujita 2022, and how a player fares against them."""

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evenmatch.games.game import Game
from evenmatch.play.arena import (
    Pairing,
    Played,
    distinct_games,
    paired,
    play,
    random_openings,
)
from evenmatch.progress import Progress
from evenmatch.ratings import EloEstimate, Interval, Pentanomial, Score

#: The games of Fujita 2022.
GAME_IDS = ("connect4", "othello6", "othello")

#: Random plies that games begin with; the papers have none. 200 openings differ, up to symmetry.
OPENING_PLIES = {"connect4": 4, "othello6": 6, "othello": 6, "go9": 4, "go13": 4, "go": 4}

#: What is known of a player's games against one opponent: "first" and "second", [wins, losses,
#: draws] when it moved so; "pairs", how many pairs of games from one opening gave it 0, 1/2, 1, 3/2
#: and 2 points; "distinct", how many games differ.
Row = dict[str, Any]

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
#: One that searches with the network, one without, and one that does not search.
FEW_OPPONENTS = ("AlphaZero", "MCTS3", "Random")


FEW = 4  #: simulations of a search that only shows that everything works
#: Small searches for such runs.
QUICK = {
    "AlphaZero": f"alphazero:sims={FEW},random_root=0.2",
    "MCTS1": f"mcts1:sims={FEW}",
    "MCTS2": f"mcts2:sims={FEW}",
    "MCTS3": f"mcts3:sims={FEW}",
    "MCTS4": f"mcts4:sims={FEW}",
    "Minimax1": "minimax1:depth=1,quirks=on",
    "Minimax2": "minimax2:depth=1,quirks=on",
}


def tuning(quick: bool = False) -> tuple[str, ...]:
    """Return the names of those that constants may be fitted against; few if ``quick``."""
    return tuple(name for name in FEW_OPPONENTS if name in TUNING) if quick else TUNING


def specs(names: Sequence[str] = (), quick: bool = False) -> dict[str, str]:
    """Return the opponents' specs by name, by default those of Fujita 2022; few if ``quick``."""
    known = OPPONENTS | (QUICK if quick else {})
    return {name: known[name] for name in names or (FEW_OPPONENTS if quick else OPPONENTS)}


def meet(
    players: Sequence[str],
    opponents: dict[str, str],
    game: Game,
    games: int,
    seed: int,
    progress: Progress,
    avoid: Iterable[Sequence[int]] = (),
) -> list[dict[str, Row]]:
    """Let each player meet each opponent ``games`` times, half with each side, all at once.

    Two games at a time start from the same random plies; all players and opponents have the same
    openings, none of which leads where one of ``avoid`` does. Returns the rows by opponent, for
    each player. With an odd number of games it moves first once more.
    """
    entrants = [*players, *opponents.values()]
    pairings = [
        pairing
        for p in range(len(players))
        for o in range(len(players), len(entrants))
        for pairing in either_side(p, o, games)
    ]
    lines = openings_of(game, pairings, seed, avoid)
    played = play(entrants, pairings, game, seed=seed, lines=lines, progress=progress)
    return [
        {name: row_of(played, p, len(players) + o) for o, name in enumerate(opponents)}
        for p in range(len(players))
    ]


def openings_of(
    game: Game, pairings: Sequence[Pairing], seed: int, avoid: Iterable[Sequence[int]] = ()
) -> dict[int, list[int]]:
    """Return the random plies that games begin with, by opening number.

    What is tuned avoids the openings of what is reported.
    """
    return random_openings(game, OPENING_PLIES[game.id], seed, pairings, avoid)


def lines_met(game: Game, games: int, seed: int) -> list[list[int]]:
    """Return the openings of ``meet``, for those who avoid them."""
    return list(openings_of(game, either_side(0, 1, games), seed).values())


def either_side(player: int, opponent: int, games: int) -> list[Pairing]:
    """Return games in which ``player`` moves first, then second, from one opening after another."""
    sides = (player, opponent), (opponent, player)
    return [Pairing(*sides[k % 2], opening=k // 2) for k in range(games)]


def row_of(played: Sequence[Played], player: int, opponent: int) -> Row:
    """Count a player's games against an opponent."""
    sides = (player, opponent), (opponent, player)
    mine = [one for one in played if (one.pairing.first, one.pairing.second) in sides]
    first = [one.result for one in mine if one.pairing.first == player]
    second = [-one.result for one in mine if one.pairing.second == player]
    return {
        "first": counted(first),
        "second": counted(second),
        "pairs": list(paired(mine, player, opponent).counts),
        "distinct": distinct_games(mine),
    }


def added_up(rows: Sequence[Row]) -> Row:
    """Return the row of all games; distinct are those that differ within one of ``rows``."""
    return {key: np.sum([row[key] for row in rows], axis=0).tolist() for key in rows[0]}


def counted(results: Sequence[float]) -> list[int]:
    """Return [wins, losses, draws]."""
    score = Score.from_outcomes(results)
    return [score.wins, score.losses, score.draws]


def both(row: Row) -> Score:
    """Add a row's two sides up."""
    return score_of(row["first"]) + score_of(row["second"])


def pairs_of(row: Row) -> Pentanomial:
    """Return a row's pairs."""
    return Pentanomial(tuple(row["pairs"]))


def score_of(counts: Sequence[int]) -> Score:
    """Return [wins, losses, draws] as a score."""
    wins, losses, draws = counts
    return Score(wins=wins, losses=losses, draws=draws)


def imbalance(score: Score) -> float:
    """Return (W - L) / games, from -1 to 1; the paper's win rate less its loss rate."""
    return (score.wins - score.losses) / score.games


def imbalance_interval(row: Row) -> Interval:
    """Return the 95% interval of (W - L) / games, by pairs of games from one opening."""
    low, high = pairs_of(row).interval()
    return Interval(2 * low - 1, 2 * high - 1)


def seed_of(seed: int, name: str) -> int:
    """Return the seed of a part by its name: parts of one seed may play the same games."""
    return zlib.crc32(name.encode(), seed) >> 1


def hashes_of(played: Iterable[Played]) -> list[str]:
    """Return a short hash of the moves of each game, by which parts are compared."""
    moves = (np.array(one.actions, np.int64).tobytes() for one in played)
    return [hashlib.sha256(line).hexdigest()[:12] for line in moves]


def distinct_across(rows: Iterable[Row]) -> int:
    """Return how many games differ among all parts, by their ``hashes``.

    In rows that have none, games count that differ within their part.
    """
    rows = list(rows)
    seen = {one for row in rows for one in row.get("hashes", ())}
    return len(seen) + sum(row["distinct"] for row in rows if "hashes" not in row)


def distinct_share(rows: Iterable[Row]) -> str:
    """Write how many of the games differ."""
    rows = list(rows)
    games = sum(both(row).games for row in rows)
    return f"{sum(row['distinct'] for row in rows)} of {games}"


def by_side(row: Row) -> float:
    """Return the mean over both sides of |W - L| / games: 0 only if each side is even."""
    return float(np.mean([abs(imbalance(score_of(row[side]))) for side in ("first", "second")]))


def metric_d(rows: Mapping[str, Row]) -> int:
    """Return D: the sum of |wins - losses| over opponents and sides; Fujita 2022 eq. 11."""
    sides = [row[side] for row in rows.values() for side in ("first", "second")]
    return sum(abs(wins - losses) for wins, losses, _ in sides)


def interval(rating: EloEstimate) -> list[float | None]:
    """Return Elo and the ends of its interval; None for an end the games do not bound."""
    return bounded(rating.elo, rating.low, rating.high)


def bounded(*elo: float) -> list[float | None]:
    """Return Elo numbers as JSON has them; None for those that are not finite."""
    return [round(float(x), 1) if abs(x) < 1e6 else None for x in elo]


def elo_text(ends: Sequence[float | None]) -> str:
    """Write what ``interval`` returns: a value, with what the games bound it by."""
    elo, low, high = ends
    if low is not None and high is not None:
        return f"{elo:.0f} ({low:.0f} to {high:.0f})"
    bounds = [f"above {low:.0f}"] if low is not None else []
    bounds += [f"below {high:.0f}"] if high is not None else []
    return f"{elo:.0f} ({bounds[0] if bounds else 'unbounded'})"
