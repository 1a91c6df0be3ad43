"""``evenmatch match``: two players in the arena, then a table or JSON."""

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

from rich.markup import escape
from rich.table import Table

from evenmatch.errors import UsageError
from evenmatch.frontends import console
from evenmatch.frontends.commands.lost_parts import games_by
from evenmatch.frontends.commands.match_records import Record
from evenmatch.frontends.console import InterruptReported
from evenmatch.frontends.progress_bars import GameProgress
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.opponents import Opponent, resolve
from evenmatch.opponents.rating_range import as_measured
from evenmatch.play.arena import Finished, MatchResult, Play, Played, distinct_games, play_match
from evenmatch.progress import Progress
from evenmatch.ratings import Pentanomial, Score, Sprt, SprtSettings


class Hear(TypedDict):
    """Who hears how a match goes, and what plays its games."""

    progress: Progress
    finished: Finished
    by: Play


SPRT_BATCH = 32  #: games played before an early stop is considered
SPRT_WORDS = {
    "continue": "undecided",
    "accept_elo0": "A is not that strong: {elo0:+g} Elo accepted",
    "accept_elo1": "A is that strong: {elo1:+g} Elo accepted",
}


def match(
    a: str,
    b: str,
    game_id: str,
    games: int,
    seed: int,
    openings: int,
    sprt: tuple[float, float] | None,
    as_json: bool,
    record: Path | None,
    overwrite: bool,
    jobs: int | None = None,
    cluster: str | None = None,
) -> None:
    """Play a match and show it; ``record`` gets the games, as PGN or as lines of JSON."""
    game = get_game(game_id)
    test = Sprt(settings=SprtSettings(elo0=sprt[0], elo1=sprt[1])) if sprt else None
    if overwrite and record is None:
        raise UsageError("--overwrite says nothing without --record FILE; add it, or leave it out")
    kept = Record(record, game, (a, b), openings=openings, overwrite=overwrite)
    ended: list[Played] = []
    try:
        with games_by(jobs, cluster) as by, GameProgress(f"{a} - {b}") as line:
            hear: Hear = {"progress": line.update, "finished": ended.append, "by": by}
            first, second = (resolve(spec, game, own=True) for spec in (a, b))
            if test is None:
                result = play_match(
                    first, second, game, games, seed=seed, openings=openings, **hear
                )
            else:
                result = _sequential(test, first, second, game, games, seed, openings, hear)
    except KeyboardInterrupt:
        console.tell(f"Interrupted; {kept.rescue(ended)}.")
        raise InterruptReported from None
    for spec in (a, b):  # now that they are known to play
        if note := as_measured(game.id, spec)[1]:
            console.note(f"{spec} is a guess: {note.partition(';')[0]}.")
    try:
        kept.save(result.games)
    finally:  # a full disk shall not cost the result as well
        _report(result, game, test, as_json)
    warn_of_repeats(result.games, openings)


def _sequential(
    test: Sprt, a: Opponent, b: Opponent, game: Game, games: int, seed: int, openings: int,
    hear: Hear,
) -> MatchResult:  # fmt: skip
    """Play batches, each with its own seed, until the test is decided or all games are played.

    The test takes games as independent, those from one opening too. Such a pair usually varies less
    than two games of its own, so that the test stops later than it could.
    """
    start = time.perf_counter()
    played: list[Played] = []
    while (before := len(played)) < games and test.status == "continue":
        batch = play_match(
            a, b, game, min(SPRT_BATCH, games - before), seed=seed + before, openings=openings,
            progress=partial(_later, hear["progress"], before, games),
            finished=hear["finished"], by=hear["by"],
        )  # fmt: skip
        test.update(batch.score)
        played += batch.games
    seconds = time.perf_counter() - start
    return MatchResult((a.spec, b.spec), game.id, seed, tuple(played), seconds)


def _later(progress: Progress, before: int, games: int, done: int, due: int) -> None:
    """Hear of a batch as of a part of the whole match."""
    progress(before + done, games)


def _report(result: MatchResult, game: Game, test: Sprt | None, as_json: bool) -> None:
    """Print the result as a table or as JSON; a note if the sides are not balanced."""
    if as_json:
        console.print_json(summary(result, test))
    else:
        _show_match(result, game, test)
    if len(result.games) % 2:
        first, second = result.players
        without = "; the intervals leave that game out" if result.pairs.pairs else ""
        console.note(
            f"{len(result.games)} is an odd number of games: {first} moves first one time more "
            f"than {second}{without}"
        )


def summary(result: MatchResult, test: Sprt | None) -> dict[str, Any]:
    """Return the JSON object of a match; infinite Elo is None.

    ``unit`` is what the intervals take as independent, ``pairs`` or ``games``.
    """
    score, unit = result.score, unit_of(result)
    low, high = unit.interval()
    elo_low, elo_high = unit.elo_interval()
    numbers = {
        "a": result.players[0],
        "b": result.players[1],
        "game": result.game,
        "games": score.games,
        "distinct_games": result.distinct,
        "pairs": list(result.pairs.counts),
        "unit": "pairs" if isinstance(unit, Pentanomial) else "games",
        "wins": score.wins,
        "losses": score.losses,
        "draws": score.draws,
        "score": score.fraction,
        "score_low": low,
        "score_high": high,
        "elo": finite(score.elo),
        "elo_low": finite(elo_low),
        "elo_high": finite(elo_high),
        "as_first": counts(result.score_first),
        "as_second": counts(result.score_second),
        "games_per_second": score.games / result.seconds,
        "seconds": result.seconds,
        "seed": result.seed,
    }
    if test:
        numbers["sprt"] = {
            "status": test.status,
            "log_likelihood_ratio": test.log_likelihood_ratio,
            "elo0": test.settings.elo0,
            "elo1": test.settings.elo1,
        }
    return numbers


def unit_of(result: MatchResult) -> Score | Pentanomial:
    """Return the score by what is independent: pairs of games from one opening.

    An odd game is left out. A single game, which has no other, stands for itself.
    """
    return result.pairs if result.pairs.pairs else result.score


def counts(score: Score) -> dict[str, int]:
    """Return the counts of a score by name."""
    return {"wins": score.wins, "losses": score.losses, "draws": score.draws}


def finite(elo: float) -> float | None:
    """Return an Elo as JSON has it: None if infinite."""
    return elo if math.isfinite(elo) else None


def _show_match(result: MatchResult, game: Game, test: Sprt | None) -> None:
    out, score = console.output(), result.score
    table = console.table(escape(f"{result.players[0]} against {result.players[1]}, {game.title}"))
    table.add_column("")
    for name in ("wins", "losses", "draws", "score"):
        table.add_column(name, justify="right")
    for label, part in (
        ("all games", score),
        ("moving first", result.score_first),
        ("moving second", result.score_second),
    ):
        if part.games:
            numbers = (part.wins, part.losses, part.draws)
            table.add_row(label, *map(str, numbers), f"{part.fraction:.1%}",
                          style="bold" if label == "all games" else "")  # fmt: skip
    out.print(table)
    unit = unit_of(result)
    low, high = unit.interval()
    elo_low, elo_high = unit.elo_interval()
    rate = f"{score.games / result.seconds:.3g} games/s"
    facts = Table.grid(padding=(0, 2))
    facts.add_row(" score", f"{score.fraction:.1%}", f"95% interval {low:.1%} to {high:.1%}")
    by = " by pairs of games" if isinstance(unit, Pentanomial) else ""
    bounds = f"95% interval {elo(elo_low, sign=True)} to {elo(elo_high, sign=True)}{by}"
    facts.add_row(" Elo difference", elo(score.elo, sign=True), bounds)
    facts.add_row(
        " games",
        f"{score.games}",
        f"{result.distinct} distinct; {rate}, {result.seconds:.1f} s, seed {result.seed}",
    )
    if test:
        words = SPRT_WORDS[test.status].format(elo0=test.settings.elo0, elo1=test.settings.elo1)
        facts.add_row(" SPRT", f"{test.log_likelihood_ratio:+.2f}", words)
    out.print(facts)


def elo(number: float, sign: bool = False) -> str:
    """Write an Elo number for people."""
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return f"{number:+.0f}" if sign else f"{number:.0f}"


def warn_of_repeats(games: Sequence[Played], openings: int) -> None:
    """Say so if players repeated themselves: intervals then promise too much."""
    different = distinct_games(games)
    if different < 0.8 * len(games):
        advice = (
            f"ask for more than {openings} plies"
            if openings
            else "--openings 4 starts each pair from another position"
        )
        console.note(f"only {different} of the {len(games)} games differ; {advice}")
