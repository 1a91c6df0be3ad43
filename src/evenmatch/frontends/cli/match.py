"""``evenmatch match`` and ``tournament``: players in the arena, then a table or JSON."""

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from evenmatch.errors import UsageError, quoted
from evenmatch.frontends import console
from evenmatch.frontends.cli.program import (
    GAMES,
    MEASURE,
    Cluster,
    GameOption,
    Jobs,
    Json,
    Openings,
    Seed,
    command,
)
from evenmatch.frontends.progress_bars import GameProgress

if TYPE_CHECKING:
    from evenmatch.games.game import Game
    from evenmatch.play.arena import MatchResult, Played
    from evenmatch.ratings import Pentanomial, RatingTable, Score, Sprt

SPRT_BATCH = 32  #: games played before an early stop is considered
SPRT_WORDS = {
    "continue": "undecided",
    "accept_elo0": "A is not that strong: {elo0:+g} Elo accepted",
    "accept_elo1": "A is that strong: {elo1:+g} Elo accepted",
}


@command(MEASURE)
def match(
    a: Annotated[str, typer.Argument(metavar="A", help="Spec of a player, `evenmatch players`.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Spec of the other.")],
    game: GameOption,
    games: Annotated[
        int,
        typer.Option("--games", "-n", metavar="N", parser=GAMES, help="Games, half per side."),
    ] = 100,
    seed: Seed = 0,
    openings: Openings = 0,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--sprt",
            metavar="ELO0 ELO1",
            help="Stop early, once it is clear whether A is ELO1 or only ELO0 above B (5% errors; "
            "takes games as independent, those from one opening too).",
        ),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    json: Json = False,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record",
            metavar="FILE",
            help="Write the games to a new file: chess as PGN, Go as SGF, other games as one JSON "
            "object per line, as all games do if the name ends in .json or .jsonl.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let --record replace a file that exists.")
    ] = False,
) -> None:
    """Let two players play many games and compare them.

    The JSON object has the score and the Elo difference of A with 95% intervals; an Elo that
    is infinite, as after a clean sweep, is null.
    """
    from evenmatch.app.game_words import network_notes
    from evenmatch.app.match_records import Record
    from evenmatch.frontends.cli import parts
    from evenmatch.games import get_game
    from evenmatch.opponents import resolve
    from evenmatch.opponents.rating_range import clamp_spec
    from evenmatch.play.arena import MatchResult, Played, play_match
    from evenmatch.ratings import Sprt, SprtSettings

    rules = get_game(game)
    test = Sprt(settings=SprtSettings(elo0=sprt[0], elo1=sprt[1])) if sprt else None
    if overwrite and record is None:
        raise UsageError("--overwrite does nothing without --record FILE; add it, or leave it out")
    kept = Record(record, rules, (a, b), openings=openings, overwrite=overwrite)
    ended: list[Played] = []  # all games that are over, in the order in which they ended
    played: list[Played] = []
    try:
        with parts.arena(jobs, cluster) as by, GameProgress(f"{a} - {b}") as line:
            first, second = (resolve(spec, rules, own=True) for spec in (a, b))
            start = time.perf_counter()
            while (before := len(played)) < games and (not test or test.status == "continue"):
                batch = play_match(
                    first, second, rules,
                    min(SPRT_BATCH, games - before) if test else games,
                    seed=seed + before, openings=openings, finished=ended.append, by=by,
                    progress=partial(_shown, line, before, games),
                )  # fmt: skip
                played += batch.games
                if test:
                    test.update(batch.score)
    except KeyboardInterrupt:
        console.tell(f"Interrupted; {kept.rescue(ended)}.")
        raise console.InterruptReported from None
    seconds = time.perf_counter() - start
    result = MatchResult((first.spec, second.spec), rules.id, seed, tuple(played), seconds)
    for spec in (a, b):  # now that they are known to play
        if text := network_notes(spec):
            console.note(text)
        if note := clamp_spec(rules.id, spec)[1]:
            console.note(f"{spec} is a guess: {note.partition(';')[0]}.")
    try:
        kept.save(result.games)
    finally:  # a full disk must not cost the result as well
        if json:
            console.print_json(summary(result, test))
        else:
            _show_match(result, rules, test)
        _note_odd_game(result)
    _note_repeats(result.games, openings)


def _shown(line: GameProgress, before: int, games: int, done: int, due: int) -> None:
    """Show a batch as a part of the whole match."""
    line.update(before + done, games)


def _note_odd_game(result: "MatchResult") -> None:
    """Say so if the sides are not balanced."""
    if len(result.games) % 2:
        first, second = result.players
        without = "; the intervals leave that game out" if result.pairs.pairs else ""
        console.note(
            f"{len(result.games)} is an odd number of games: {first} moves first one time more "
            f"than {second}{without}"
        )


def summary(result: "MatchResult", test: "Sprt | None") -> dict[str, Any]:
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
        "unit": "pairs" if result.pairs.pairs else "games",
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


def unit_of(result: "MatchResult") -> "Score | Pentanomial":
    """Return the score by what is independent: pairs of games from one opening.

    An odd game is left out. A single game, which has no other, counts by itself.
    """
    return result.pairs if result.pairs.pairs else result.score


def counts(score: "Score") -> dict[str, int]:
    """Return the counts of a score by name."""
    return {"wins": score.wins, "losses": score.losses, "draws": score.draws}


def finite(elo: float) -> float | None:
    """Return an Elo as JSON has it: None if infinite."""
    return elo if math.isfinite(elo) else None


def _show_match(result: "MatchResult", game: "Game", test: "Sprt | None") -> None:
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
    by = " by pairs of games" if result.pairs.pairs else ""
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


def _note_repeats(games: "Sequence[Played]", openings: int) -> None:
    """Say so if players repeated themselves: intervals then promise too much."""
    from evenmatch.play.arena import distinct_games

    different = distinct_games(games)
    if different < 0.8 * len(games):
        advice = (
            f"ask for more than {openings} plies"
            if openings
            else "--openings 4 starts each pair from another position"
        )
        console.note(f"only {different} of the {len(games)} games differ; {advice}")


# -- tournaments -----------------------------------------------------------------------------------


@command(MEASURE)
def tournament(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC SPEC...", help="The players.")],
    game: GameOption,
    games: Annotated[
        int,
        typer.Option("--games", "-n", metavar="N", parser=GAMES, help="Games of each pair."),
    ] = 20,
    seed: Seed = 0,
    openings: Openings = 0,
    anchor: Annotated[
        list[str],
        typer.Option("--anchor", metavar="SPEC=ELO", help="Fix the Elo of a player; repeatable."),
    ] = [],  # noqa: B006
    jobs: Jobs = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Let every two of several players meet; print an Elo table with 95% intervals."""
    from evenmatch.frontends.cli import parts
    from evenmatch.games import get_game
    from evenmatch.opponents import resolve
    from evenmatch.play.arena import distinct_games, round_robin
    from evenmatch.ratings import BradleyTerry, PairingScore, Score

    rules = get_game(game)
    if len(set(specs)) < max(2, len(specs)):
        raise UsageError("a tournament needs at least 2 players, all different; name more of them")
    fit = BradleyTerry(anchors=read_anchors(anchor, specs))
    start = time.perf_counter()
    with parts.arena(jobs, cluster) as by, GameProgress("tournament") as line:
        opponents = [resolve(spec, rules, own=True) for spec in specs]
        played = round_robin(
            opponents, rules, games, seed=seed, openings=openings, progress=line.update, by=by
        )
    seconds = time.perf_counter() - start
    ratings = fit.fit([
        PairingScore(
            first=specs[one.pairing.first], second=specs[one.pairing.second],
            score=Score.from_outcomes([one.result]),
        )
        for one in played
    ])  # fmt: skip
    facts = {
        "game": rules.id,
        "games": len(played),
        "distinct_games": distinct_games(played),
        "relative_to": ratings.relative_to,
        "ratings": [_rating(rating) for rating in ratings.ratings],
        "games_per_second": len(played) / seconds,
        "seconds": seconds,
        "seed": seed,
    }
    if json:
        console.print_json(facts)
    else:
        _show_ratings(ratings, rules.title, facts)
    _note_repeats(played, openings)


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


def _rating(rating: Any) -> dict[str, Any]:
    """Return the row of a player as plain data."""
    return {
        "player": rating.name,
        "elo": rating.elo,
        "elo_low": finite(rating.low),
        "elo_high": finite(rating.high),
        "games": rating.score.games,
        **counts(rating.score),
        "score": rating.score.fraction,
    }


def _show_ratings(ratings: "RatingTable", title: str, facts: dict[str, Any]) -> None:
    games = f"{facts['games']} games ({facts['distinct_games']} distinct)"
    table = console.table(f"{title}, {games}, seed {facts['seed']}")
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
    rate = f"{facts['games_per_second']:.3g} games/s"
    out.print(f" Elo relative to {ratings.relative_to}; {rate}", style="dim", markup=False)
