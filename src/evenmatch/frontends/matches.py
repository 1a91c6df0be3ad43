"""``evenmatch match``: two players in the arena, then a table or JSON."""

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.markup import escape
from rich.table import Table

from evenmatch.arena import MatchResult, Played, play_match
from evenmatch.errors import UsageError
from evenmatch.frontends import console
from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.ratings import Score, Sprt, SprtSettings

Progress = Callable[[int, int], None]
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
) -> None:
    """Play a match and show it; ``record`` gets one line of JSON per game."""
    game = get_game(game_id)
    test = Sprt(settings=SprtSettings(elo0=sprt[0], elo1=sprt[1])) if sprt else None
    with _recorder(record) as write, console.Counting(f"{a} - {b}") as progress:
        if test is None:
            result = play_match(a, b, game, games, seed=seed, openings=openings, progress=progress)
        else:
            result = _sequential(test, a, b, game, games, seed, openings, progress)
        for played in result.games:
            write(record_line(game, (a, b), played))
    if as_json:
        console.print_json(summary(result, test))
    else:
        _show_match(result, game, test)
    if not openings:
        warn_of_repeats(result.games)


def _sequential(
    test: Sprt, a: str, b: str, game: Game, games: int, seed: int, openings: int,
    progress: Progress,
) -> MatchResult:  # fmt: skip
    """Play batches, each with its own seed, until the test is decided or all games are played."""
    start = time.perf_counter()
    played: list[Played] = []
    while (before := len(played)) < games and test.status == "continue":
        batch = play_match(
            a, b, game, min(SPRT_BATCH, games - before), seed=seed + before, openings=openings,
            progress=partial(_later, progress, before, games),
        )  # fmt: skip
        test.update(batch.score)
        played += batch.games
    return MatchResult((a, b), game.id, seed, tuple(played), time.perf_counter() - start)


def _later(progress: Progress, before: int, games: int, done: int, due: int) -> None:
    """Hear of a batch as of a part of the whole match."""
    progress(before + done, games)


def summary(result: MatchResult, test: Sprt | None) -> dict[str, Any]:
    """Return the JSON object of a match; infinite Elo is None."""
    score = result.score
    low, high = score.interval()
    elo_low, elo_high = score.elo_interval()
    numbers = {
        "a": result.players[0],
        "b": result.players[1],
        "game": result.game,
        "games": score.games,
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
    low, high = score.interval()
    elo_low, elo_high = score.elo_interval()
    rate = f"{score.games / result.seconds:.3g} games/s"
    facts = Table.grid(padding=(0, 2))
    facts.add_row(" score", f"{score.fraction:.1%}", f"95% interval {low:.1%} to {high:.1%}")
    bounds = f"95% interval {elo(elo_low, sign=True)} to {elo(elo_high, sign=True)}"
    facts.add_row(" Elo difference", elo(score.elo, sign=True), bounds)
    facts.add_row(
        " speed", rate, f"{score.games} games in {result.seconds:.1f} s, seed {result.seed}"
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


def warn_of_repeats(games: Sequence[Played]) -> None:
    """Say so if players without chance repeated themselves: intervals then mean little."""
    different = len({(one.pairing.first, one.pairing.second, one.actions) for one in games})
    if different < 0.8 * len(games):
        console.errors().print(
            f"note: only {different} of the {len(games)} games differ; --openings 4 starts each "
            "pair from another position",
            style="yellow", markup=False, soft_wrap=True,
        )  # fmt: skip


# -- records -----------------------------------------------------------------------------------


@contextmanager
def _recorder(path: Path | None) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Write a file of records, whole or not at all; UsageError at once if it cannot be written."""
    if path is None:
        yield lambda line: None
        return
    partial = path.with_name(f"{path.name}.partial")
    try:
        file = partial.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {path} ({error.strerror}); choose another --record"
        ) from None
    try:
        with file:
            yield lambda line: print(json.dumps(line), file=file)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def record_line(game: Game, specs: Sequence[str], played: Played) -> dict[str, Any]:
    """Return a game as plain data: the players in order of moving, the moves, the result."""
    state, moves = game.initial(), []
    for action in played.actions:
        moves.append(game.action_text(state[0], action))
        state = game.after(state, np.array([action]))
    return {
        "game": game.id,
        "first": specs[played.pairing.first],
        "second": specs[played.pairing.second],
        "result": played.result,
        "moves": moves,
    }
