"""How strong is ``even`` while it fits itself to a person? Then results reveal a level.

``even`` plays in a style that it moves with its opponent, and leans towards an even game also.
So its strength in a style is not that of the player ``style``. Players of known Elo meet it here in
series, in which it continues from what it learned. The mean style of its moves in a game stands for
the game. Which Elo each style stands for is what the results say (`ratings/gaussian.py`).

Then each player's games are judged by the curve of all others: how far off is a level by results
alone, after some games?
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.estimation.level import GameSays, level, result_says
from evenmatch.games import get_game
from evenmatch.opponents.dials import curve_of
from evenmatch.opponents.fitted import ANSWERS, EVEN_UNSURE
from evenmatch.opponents.player import Decision
from evenmatch.opponents.rating_range import ANCHORS, supported_range
from evenmatch.play.arena import play_series
from evenmatch.progress import Progress
from evenmatch.ratings.gaussian import rate
from evenmatch.search.styles import STRONGEST
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared.even_games import own_result, series_rounds
from evenmatch_lab.shared.opponents import GAME_IDS, OPENING_PLIES

LEAST_STEP = 1.0  #: Elo between neighbouring styles
SEED = 53
STYLES = np.arange(2 * STRONGEST + 1) / 2  #: those whose Elo is asked for
DIALLED = 5  #: players `style` among the opponents, spread over what they can play at


class Size(NamedTuple):
    """How much is played with each opponent."""

    series: int
    games: int  #: of a series


SIZES = {"connect4": Size(6, 10), "othello6": Size(6, 10), "othello": Size(4, 6)}
QUICK = Size(2, 2)
AFTER = (1, 3, 5, 10)  #: games that levels are told after
BEND, OFF = 100.0, 400.0  #: Elo by which the curve bends at a style, and a guess of it is off
GUESS = 700.0, 2100.0  #: Elo of the weakest and the strongest style before any game


def parts(quick: bool) -> dict[str, Part]:
    """One part a game and opponent."""
    by_key = {}
    for game_id in GAME_IDS:
        size = QUICK if quick else SIZES[game_id]
        for name, (spec, elo, deviation) in opponents(game_id, quick).items():
            settings = {
                "players": ["even", spec],
                "elo": elo,
                "deviation": deviation,
                "network": digest(game_id),
                "answers": ANSWERS[game_id],
                "series": size.series,
                "games": size.games,
                "openings": OPENING_PLIES[game_id],
                "seed": SEED,
            }
            by_key[f"{game_id}: {name}"] = Part(settings, partial(measure, game_id, spec, size))
    return by_key


def opponents(game_id: str, quick: bool) -> dict[str, tuple[str, float, float]]:
    """Return the players whose Elo is known: specs, Elo and its standard deviation by name."""
    known = {
        one.name: (one.spec, one.rating, one.deviation)
        for one in ANCHORS[game_id]
        if one.rating is not None
    }
    if quick:
        return {name: known[name] for name in ("Random", "MCTS2")}
    curve = curve_of(game_id, "style")
    assert curve is not None, "it ships"
    low, high = supported_range(game_id)
    for rating in np.clip(np.linspace(*curve.range, DIALLED).round(), low, high):
        width = np.interp(rating, curve.ratings, np.subtract(curve.high, curve.low))
        spec, deviation = f"style:elo={rating:.0f}", float(width / 3.92)
        known[f"style at {rating:.0f}"] = spec, float(rating), deviation
    return known


def measure(
    game_id: str, spec: str, size: Size, progress: Progress, done: Results
) -> dict[str, Any]:
    """Play the series; return of each its games, [mean style of even, points of the opponent]."""
    rounds = series_rounds([(1, lane) for lane in range(size.series)], size.series * size.games,
                           size.series)  # fmt: skip
    styles: list[list[float]] = [[] for _ in range(size.series)]

    def watch(entrant: int, games: list[int], decisions: list[Decision], player: Any) -> None:
        if entrant == 0:
            for number, decision in zip(games, decisions, strict=True):
                styles[number].append(player.controller.style(decision.mind))

    lanes: list[list[list[float]]] = [[] for _ in range(size.series)]
    game = get_game(game_id)
    for played in play_series(
        ["even", spec], rounds, game,
        seed=SEED, openings=OPENING_PLIES[game_id], progress=progress, watch=watch,
    ):  # fmt: skip
        for lane, one in enumerate(played):
            points = (1 - own_result(one)) / 2
            lanes[lane].append([round(float(np.mean(styles[lane])), 3), points])
            styles[lane].clear()
    return {"lanes": lanes}


# -- what the games say ----------------------------------------------------------------------------


def of_game(results: Results, game_id: str) -> dict[str, dict[str, Any]]:
    """Return a game's parts by opponent."""
    return {
        key.partition(": ")[2]: row
        for key, row in results.items()
        if key.startswith(f"{game_id}: ")
    }


def ratings_of_styles(rows: dict[str, dict[str, Any]]) -> NDArray[np.float64]:
    """Return the Elo that each of ``STYLES`` stands for where ``even`` plays in it, increasing.

    The opponents' Elo is known; that of styles is off from a line and bends by normal amounts.
    """
    count = len(STYLES)
    known = [row["settings"]["elo"] for row in rows.values()]
    mean = np.concatenate([np.linspace(*GUESS, count), known])
    precision = np.diag(
        [0.0] * count + [row["settings"]["deviation"] ** -2.0 for row in rows.values()]
    )
    bends = np.diff(np.eye(count), 2, axis=0) / BEND
    precision[:count, :count] = bends.T @ bends + np.eye(count) / OFF**2
    points = np.zeros(precision.shape)
    for at, row in enumerate(rows.values(), count):
        for style, own in (game for lane in row["lanes"] for game in lane):
            nearest = round(style / (STYLES[1] - STYLES[0]))
            points[at, nearest] += own
            points[nearest, at] += 1 - own
    return increasing(rate(mean, precision, points).mean[:count])


def told(
    lane: Sequence[Sequence[float]], ratings: NDArray[np.float64], unsure: float = EVEN_UNSURE
) -> tuple[float, float, float]:
    """Return a level by results alone, and its 95% interval."""
    grid = np.arange(0.0, 3000.0, 25.0)
    met = np.interp([style for style, _ in lane], STYLES, ratings)
    says = [
        GameSays(0.0, None, result_says(grid, float(elo), own, unsure))
        for elo, (_, own) in zip(met, lane, strict=True)
    ]
    belief = level(grid, says, 0.0, correlation=0.0)
    return (belief.mean, *belief.interval())


class Off(NamedTuple):
    """How far off levels of some players are."""

    error: float  #: root of the mean square
    bias: float  #: mean
    holds: float  #: share of intervals that hold the Elo
    series: int


def off(rows: dict[str, dict[str, Any]], games: int, unsure: float = EVEN_UNSURE) -> dict[str, Off]:
    """Return how far each opponent's level is off after some games, by the curve of the others."""
    found = {}
    for name, row in rows.items():
        others = {other: one for other, one in rows.items() if other != name}
        ratings, elo = ratings_of_styles(others), row["settings"]["elo"]
        each = np.array([told(lane[:games], ratings, unsure) for lane in row["lanes"]])
        wrong = each[:, 0] - elo
        found[name] = Off(
            float(np.sqrt((wrong**2).mean())),
            float(wrong.mean()),
            float(((each[:, 1] <= elo) & (elo <= each[:, 2])).mean()),
            len(each),
        )
    return found


def all_of(found: dict[str, Off]) -> Off:
    """Return how far off levels are over all players, each weighing alike."""
    each = list(found.values())
    return Off(
        float(np.sqrt(np.mean([one.error**2 for one in each]))),
        float(np.mean([one.bias for one in each])),
        float(np.mean([one.holds for one in each])),
        sum(one.series for one in each),
    )


def numbers_of(rows: dict[str, dict[str, Any]]) -> list[int]:
    """Return after how many games levels are given: as many as all series have."""
    most = min(len(lane) for row in rows.values() for lane in row["lanes"])
    return [number for number in AFTER if number <= most]


def page(results: Results) -> list[str]:
    """Write which Elo styles stand for, and how far off levels are."""
    lines = []
    for game_id in GAME_IDS:
        rows = of_game(results, game_id)
        if len(rows) > 2:
            lines += ["", f"## {get_game(game_id).title}", "", *_game_lines(game_id, rows)]
    return lines[1:]


def _game_lines(game_id: str, rows: dict[str, dict[str, Any]]) -> list[str]:
    ratings = ratings_of_styles(rows)
    whole = [int(2 * style) for style in range(STRONGEST + 1)]
    curve = curve_of(game_id, "style")
    elos = [["even's Elo", *(f"{ratings[at]:.0f}" for at in whole)]]
    if curve is not None:
        own = (f"{curve.rating(STYLES[at]):.0f}" for at in whole)
        elos.append(["Elo of the player `style`", *own])
    numbers = numbers_of(rows)
    by_number = {number: off(rows, number) for number in numbers}
    levels = [
        [name, f"{row['settings']['elo']:.0f}", len(row["lanes"])]
        + [_cell(by_number[number][name]) for number in numbers]
        for name, row in rows.items()
    ]
    levels.append(["all", "", "", *(_cell(all_of(found)) for found in by_number.values())])
    return [
        table(["style", *(f"{STYLES[at]:g}" for at in whole)], elos),
        "",
        "Levels by results alone: root mean square (mean) of the error in Elo, and how many 95% "
        "intervals hold the Elo:",
        "",
        table(["player", "Elo", "series", *(f"after {n}" for n in numbers)], levels),
    ]


def _cell(one: Off) -> str:
    return f"{one.error:.0f} ({one.bias:+.0f}), {one.holds:.0%}"


def increasing(ratings: np.ndarray) -> np.ndarray:
    """Return the nearest ratings [P] by least squares that increase by ``LEAST_STEP``."""
    from scipy.optimize import isotonic_regression

    steps = LEAST_STEP * np.arange(len(ratings))
    return isotonic_regression(np.asarray(ratings, float) - steps).x + steps


EXPERIMENT = Experiment(
    "even_levels",
    "How strong even is while it fits itself, so that results against it reveal a level",
    parts,
    page,
)
