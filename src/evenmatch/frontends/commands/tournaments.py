"""``evenmatch tournament``: every two of several players, then an Elo table or JSON."""

import time
from collections.abc import Sequence
from typing import Any

from rich.markup import escape

from evenmatch.errors import UsageError, quoted
from evenmatch.frontends import console
from evenmatch.frontends.commands.lost_parts import games_by
from evenmatch.frontends.commands.matches import counts, elo, finite, warn_of_repeats
from evenmatch.frontends.progress_bars import GameProgress
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.opponents import resolve
from evenmatch.play.arena import Played, distinct_games, round_robin
from evenmatch.ratings import BradleyTerry, PairingScore, RatingTable, Score


def tournament(
    specs: Sequence[str],
    game_id: str,
    games: int,
    seed: int,
    openings: int,
    anchors: Sequence[str],
    as_json: bool,
    jobs: int | None = None,
    cluster: str | None = None,
) -> None:
    """Play a round robin and show the Elo table."""
    game = get_game(game_id)
    if len(set(specs)) < max(2, len(specs)):
        raise UsageError("a tournament needs at least 2 players, all different; name more of them")
    fit = BradleyTerry(anchors=read_anchors(anchors, specs))
    start = time.perf_counter()
    with games_by(jobs, cluster) as by, GameProgress("tournament") as line:
        opponents = [resolve(spec, game, own=True) for spec in specs]
        played = round_robin(
            opponents, game, games, seed=seed, openings=openings, progress=line.update, by=by
        )
    seconds = time.perf_counter() - start
    ratings = fit.fit([_rated(specs, one) for one in played])
    if as_json:
        console.print_json(_ratings_json(ratings, game, played, seconds, seed))
    else:
        _show_ratings(ratings, game, played, seconds, seed)
    warn_of_repeats(played, openings)


def read_anchors(texts: Sequence[str], specs: Sequence[str]) -> dict[str, float]:
    """Read anchors, one of a player at most. Raises UsageError."""
    anchors: dict[str, float] = {}
    for text in texts:
        name, rating = read_anchor(text, specs)
        if name in anchors:
            raise UsageError(f"{name} has two anchors; keep one --anchor {name}=ELO")
        anchors[name] = rating
    return anchors


def read_anchor(text: str, specs: Sequence[str]) -> tuple[str, float]:
    """Read ``SPEC=ELO``, the spec being one of ``specs``. Raises UsageError."""
    name, _, number = text.rpartition("=")
    try:
        rating = float(number)
    except ValueError:
        raise UsageError(
            f"cannot read the anchor {quoted(text)}; write SPEC=ELO, such as mcts1=1500"
        ) from None
    if name not in specs:
        raise UsageError(
            f"the anchor {quoted(name)} does not play; choose one of: {', '.join(specs)}"
        )
    return name, rating


def _rated(specs: Sequence[str], played: Played) -> PairingScore:
    first, second = specs[played.pairing.first], specs[played.pairing.second]
    return PairingScore(first=first, second=second, score=Score.from_outcomes([played.result]))


def _ratings_json(
    ratings: RatingTable, game: Game, played: Sequence[Played], seconds: float, seed: int
) -> dict[str, Any]:
    rows = [
        {
            "player": rating.name,
            "elo": rating.elo,
            "elo_low": finite(rating.low),
            "elo_high": finite(rating.high),
            "games": rating.score.games,
            **counts(rating.score),
            "score": rating.score.fraction,
        }
        for rating in ratings.ratings
    ]
    return {
        "game": game.id,
        "games": len(played),
        "distinct_games": distinct_games(played),
        "relative_to": ratings.relative_to,
        "ratings": rows,
        "games_per_second": len(played) / seconds,
        "seconds": seconds,
        "seed": seed,
    }


def _show_ratings(
    ratings: RatingTable, game: Game, played: Sequence[Played], seconds: float, seed: int
) -> None:
    games, distinct = len(played), distinct_games(played)
    table = console.table(f"{game.title}, {games} games ({distinct} distinct), seed {seed}")
    table.add_column("player", style="bold")
    for name in ("Elo", "95% interval", "wins", "losses", "draws", "score"):
        table.add_column(name, justify="right")
    for rating in ratings.ratings:
        score = rating.score
        bars = f"{elo(rating.low)} to {elo(rating.high)}" if rating.standard_error else "given"
        numbers = (score.wins, score.losses, score.draws)
        table.add_row(
            escape(rating.name), elo(rating.elo), bars, *map(str, numbers), f"{score.fraction:.1%}"
        )
    out = console.output()
    out.print(table)
    facts = f" Elo relative to {ratings.relative_to}; {games / seconds:.3g} games/s"
    out.print(facts, style="dim", markup=False)
