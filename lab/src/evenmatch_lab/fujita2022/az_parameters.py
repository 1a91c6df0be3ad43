"""Figures 3A, 3B and 4 of Fujita 2022: AlphaZero's Elo by simulations, C_puct and dropout.

AlphaZero with one number changed plays 50 games against each of five opponents, as the paper's
does, and 6 on 8x8, where a game takes several times as long. Their Elo is fixed at what a round
robin among them gave (the paper's table 4). Two games at a time start from the same random plies,
as in elo_table: without openings, as in the paper, players that hardly choose at random repeat two
games 25 times, and points of one curve lay up to 400 Elo apart.
"""

from functools import partial
from itertools import pairwise
from pathlib import Path

from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch.ratings import BradleyTerry, PairingScore
from evenmatch.ratings.anchored import anchored_interval
from evenmatch_lab.fujita2022 import elo_table
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.opponents import (
    FEW,
    GAME_IDS,
    OPENING_PLIES,
    both,
    bounded,
    elo_text,
    meet,
    pairs_of,
)

GAMES_EACH, SEED = {"connect4": 50, "othello6": 50, "othello": 6}, 3

#: Figure -> (the key of the spec, its values, the axis).
FIGURES = {
    "3A": ("sims", (1, 2, 5, 10, 20, 40, 80, 120, 160, 200, 300, 400), "simulations"),
    "3B": ("c_puct", (0.0, 0.25, 0.5, 1.0, 1.25, 2.0, 3.0, 4.0), "C_puct"),
    "4": ("dropout", (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95), "dropout"),
}


def parts(quick: bool) -> dict[str, Part]:
    """For each game a round robin of the opponents, then one part a figure."""
    tournaments, resamples = elo_table.size(quick)
    by_key: dict[str, Part] = {}
    for game_id in GAME_IDS:
        rivals = opponents.specs(opponents.tuning_at(game_id, quick), quick)
        games = 2 if quick else GAMES_EACH[game_id]
        shared = {"opponents": rivals, "network": digest(game_id), "seed": SEED}
        by_key[f"{game_id}, opponents"] = Part(
            shared
            | {"tournaments": tournaments, "resamples": resamples}
            | {"seed": elo_table.SEED, "openings": OPENING_PLIES[game_id]},
            partial(elo_table.measure, game_id, rivals, tournaments, resamples),
        )
        for name, (key, values, _) in FIGURES.items():
            used = values[-2:] if quick else values
            players = [player(key, value, quick) for value in used]
            by_key[f"{game_id}, figure {name}"] = Part(
                shared | {"players": players, "games": games, "openings": OPENING_PLIES[game_id]},
                partial(measure, game_id, players, used, rivals, games),
                (f"{game_id}, opponents",),
            )
    return by_key


def player(key: str, value: float, quick: bool) -> str:
    """Return AlphaZero's spec with one number changed."""
    values: dict[str, float] = {"sims": FEW} if quick else {}
    values[key] = min(value, FEW) if quick and key == "sims" else value
    return "alphazero:random_root=0.2," + ",".join(f"{k}={v}" for k, v in values.items())


def measure(
    game_id: str,
    players: list[str],
    values: tuple[float, ...],
    rivals: dict[str, str],
    games: int,
    progress: Progress,
    done: Results,
) -> dict:
    """Play every variant against the opponents and rate it with theirs fixed."""
    tables = meet(players, rivals, get_game(game_id), games, SEED, progress)
    known = done[f"{game_id}, opponents"]["likelihood"]
    anchors = {name: elo[0] for name, elo in known.items()}
    points = []
    for value, table in zip(values, tables, strict=True):
        pairings = [
            PairingScore(first="it", second=name, score=both(sides))
            for name, sides in table.items()
        ]
        elo = BradleyTerry(anchors=anchors).fit(pairings)["it"].elo
        met = {anchors[name]: pairs_of(sides) for name, sides in table.items()}
        ends = bounded(elo, *anchored_interval(met, elo))
        points.append({"value": value, "elo": ends, "table": table})
    return {"points": points}


def plot(results: dict, path: Path) -> None:
    """Draw Elo against each number, one panel a figure, one line a game."""
    for axes in figure(path, len(FIGURES)):
        for axis, (name, (_, _, label)) in zip(axes, FIGURES.items(), strict=True):
            for game_id in GAME_IDS:
                points = results[f"{game_id}, figure {name}"]["points"]
                elo = [point["elo"][0] for point in points]
                bounds = [
                    [x if x is not None else e for x in p["elo"][1:]]
                    for p, e in zip(points, elo, strict=True)
                ]
                below = [e - low for e, (low, _) in zip(elo, bounds, strict=True)]
                above = [high - e for e, (_, high) in zip(elo, bounds, strict=True)]
                x = [point["value"] for point in points]
                axis.errorbar(
                    x, elo, (below, above), marker="o", capsize=2, label=get_game(game_id).title
                )
            axis.set_title(f"figure {name}")
            axis.set_xlabel(label)
            axis.grid(alpha=0.3)
        axes[0].set_xscale("log")
        axes[0].set_ylabel("Elo")
        axes[-1].legend(frameon=False, fontsize=8)


def page(results: Results) -> list[str]:
    """Write all points."""
    lines = [
        "Elo is by maximum likelihood with the opponents' fixed; *above* or *below* stands where "
        "the games bound it to one side only. Two games at a time start from the same random "
        "plies; the paper has no openings. Intervals take such a pair as the unit, and the "
        "opponents' Elo as exact.",
        "",
        "What agrees with the paper, what does not, and why. The paper finds that Elo rises with "
        "the simulations and falls with dropout, that C_puct hardly matters apart from 0, and that "
        "no setting is as weak as Random. Ours (*apart* where intervals do not meet):",
        "",
        *(line for game_id in GAME_IDS for line in verdict_lines(results, game_id)),
        "",
        "The paper reports curves without intervals, and its networks are others.",
    ]
    for game_id in GAME_IDS:
        known = results[f"{game_id}, opponents"]["likelihood"]
        fixed = ", ".join(f"{name} {elo_text(elo)}" for name, elo in known.items())
        lines += ["", f"## {get_game(game_id).title}", "", f"Opponents: {fixed}.", ""]
        for name, (_, _, label) in FIGURES.items():
            row = results[f"{game_id}, figure {name}"]
            lines += [
                f"Figure {name}, {row['settings']['games']} games against each opponent, seed "
                f"{SEED}, {row['seconds']:.0f} s:",
                "",
                f"| {label} | Elo (95%) |",
                "|---:|---:|",
                *(f"| {point['value']} | {elo_text(point['elo'])} |" for point in row["points"]),
                "",
            ]
    return lines


def verdict_lines(results: Results, game_id: str) -> list[str]:
    """Count what the paper says of its figures in ours."""
    points = {name: results[f"{game_id}, figure {name}"]["points"] for name in FIGURES}
    random = results[f"{game_id}, opponents"]["likelihood"]["Random"]
    c_puct = [point for point in points["3B"] if point["value"] != 0]
    lowest, highest = (extreme(c_puct, key=_elo) for extreme in (min, max))
    everything = [point for some in points.values() for point in some]
    weak = [point for point in everything if not _apart(random, point["elo"])]
    return [
        f"- {get_game(game_id).title}: from {_change(points['3A'], 'simulations')}; from "
        f"{_change(points['4'], 'dropout')}; C_puct apart from 0 from {_elo(lowest):.0f} to "
        f"{_elo(highest):.0f}{_verdict(lowest, highest)}; {len(weak)} of {len(everything)} points "
        "are not shown to be above Random."
    ]


def _change(points: list[dict], label: str) -> str:
    """Say what Elo does from the first to the last point, and how often it turns on the way."""
    first, last = points[0], points[-1]
    steps = [_elo(b) - _elo(a) for a, b in pairwise(points)]
    sign = 1 if _elo(last) > _elo(first) else -1
    return (
        f"{first['value']} to {last['value']} {label} by {_elo(last) - _elo(first):+.0f}"
        f"{_verdict(first, last)}, {sum(sign * step < 0 for step in steps)} of {len(steps)} steps "
        "the other way"
    )


def _verdict(one: dict, other: dict) -> str:
    low, high = sorted((one, other), key=_elo)
    return " (apart)" if _apart(low["elo"], high["elo"]) else " (not apart)"


def _apart(low: list[float | None], high: list[float | None]) -> bool:
    """Whether an Elo is shown to be below another: their intervals do not meet."""
    return low[2] is not None and high[1] is not None and low[2] < high[1]


def _elo(point: dict) -> float:
    return point["elo"][0]


EXPERIMENT = Experiment(
    "az_parameters",
    "AlphaZero's Elo by its parameters (Fujita 2022, figures 3A, 3B and 4)",
    parts,
    page,
    plot,
)
