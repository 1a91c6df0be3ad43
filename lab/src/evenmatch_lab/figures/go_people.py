"""Figures of Go as people play it: moves foreseen, points lost, players of a rank in games."""

from itertools import pairwise
from typing import Any

import numpy as np

from evenmatch.training.human import CLASSIFIER
from evenmatch_lab.ace2019 import turing as likeness
from evenmatch_lab.chen2025.estimator import WHOLE, compared
from evenmatch_lab.figures import estimates
from evenmatch_lab.figures.texts import span, table
from evenmatch_lab.ours import point_loss as losses
from evenmatch_lab.ours import rank_games as games
from evenmatch_lab.ours import rank_points as points
from evenmatch_lab.ours.move_prediction import (
    EACH,
    OURS,
    UNTOLD,
    bands_by_dataset,
    by_dataset,
    of_people,
)
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.equivalence import DIFFERENT, EQUIVALENT
from evenmatch_lab.shared.imbalances import drawn_mean, equals_show

#: Networks trained alike as the docs call them, by method and preset.
ALIKE = {
    "SE_inf, short": "SE_inf, all ranks",
    "SE_inf, three-ranks": "SE_inf, three ranks",
    "SE_inf, two-ranks": "SE_inf, two ranks",
    f"SL_sum, {CLASSIFIER}": "SL_sum, a network of its own",
    f"SL_vote, {CLASSIFIER}": "SL_vote, that network",
}
GAMES_ALIKE = (1, 5, 15, 20, 26, 100)
GAMES_TOLD = (1, 5, 10, 20, 26)
METHODS_TOLD = ("ours", "SE_inf", "SE", "SL_sum", "SL_vote")
#: Chen et al. 2025, section 4.2, and a later work with more features, on other games.
PAPER, LATER = "80% from 15 games", "91.7% from 20"
BEFORE = "go"  #: the network that the one of people began from
SERVERS = {"ogs": "OGS", "kgs": "KGS", "fox": "Fox"}


def move_prediction(rows: Results) -> dict[str, str]:
    """How many moves of held-out people are foreseen, by server and rank."""
    bands, lines, gains = bands_by_dataset(rows), [], []
    for name, nets in by_dataset(rows).items():
        for rank in range(bands[name].count, 0, -1):
            ours, untold, before = (nets[net][EACH][rank - 1] for net in (OURS, UNTOLD, BEFORE))
            gain = of_people([[a - b, n] for (a, n), (b, _) in zip(ours, before, strict=True)])
            half = (gain.interval[1] - gain.interval[0]) / 2
            gains.append(100 * gain.mean)
            where = f"{SERVERS[name]} {bands[name].name(rank)}"
            counts = [str(len(ours)), f"{sum(n for _, n in ours):,}"]
            shares = [f"{of_people(x).mean:.1%}" for x in (before, ours, untold)]
            lines.append([where, *counts, *shares, f"{100 * gain.mean:+.1f} ± {100 * half:.1f}"])
    heads = ["people of", "people", "moves", "`g170-b6c96`", "ours", "ours, rank not told", "gain"]
    return {
        "table": table(heads, lines),
        "gain": f"{min(gains):+.1f} to {max(gains):+.1f}",
        "bands": str(len(gains)),
        "five": str(sum(gain >= 5 for gain in gains)),
    }


def ranks_told(rows: Results) -> dict[str, str]:
    """How often a rank is told right, and nearly, from some games; the error for one person."""
    row = next(row for row in rows.values() if row["one_person"])
    lines = []
    for method in (name for name in METHODS_TOLD if f"{name}, {WHOLE}" in row["methods"]):
        points = {p["games"]: p for p in row["methods"][f"{method}, {WHOLE}"]["points"]}
        for what, words in (("exact", "right"), ("within_one", "within one band")):
            shares = [points[games][what] for games in GAMES_TOLD]
            cells = [f"{x:.0%} ({100 * low:.0f}-{100 * high:.0f})" for x, low, high in shares]
            lines.append([f"{method}, {words}", *cells])
    one_person = row["one_person"]["ours"]
    errors = [f"{one['error'][0] / 100:.1f} from {one['games']}" for one in one_person]
    return (
        estimates.estimator(rows)
        | _trained_alike(rows)
        | {
            "paper": PAPER,
            "later": LATER,
            "told": table(["games", *map(str, GAMES_TOLD)], lines),
            "errors": ", ".join(errors),
            "people": ", ".join(str(one["people"]) for one in one_person),
            "queries": f"{sum(row['sides']['query'])}",
            "players": ", ".join(map(str, row["players"])),
        }
    )


def _trained_alike(rows: Results) -> dict[str, str]:
    """The accuracy of networks that learned from few ranks, and of classes: figure 5, and SL."""
    curves = compared(rows)
    if not ALIKE.keys() <= curves.keys():
        return {}
    lines = []
    for key, words in ALIKE.items():
        points = {p["games"]: p["exact"] for p in curves[key]["points"]}
        shares = [points[games] for games in GAMES_ALIKE]
        lines.append([words, *(f"{x:.0%} ({100 * a:.0f}-{100 * b:.0f})" for x, a, b in shares)])
    return {"alike": table(["games", *map(str, GAMES_ALIKE)], lines)}


def judged_moves(facts: dict[str, Any]) -> dict[str, str]:
    """What an estimate loses by judging every second move of later games."""
    whole, half = (facts[f"right, {name}"] for name in ("all moves", "every second of later games"))
    apart = facts["mean difference of ratings"] / 100
    return {"right": f"{whole:.0%} and {half:.0%}", "apart": f"{apart:.1f}"} | {
        name: str(facts[name]) for name in ("games", "sides", "people")
    }


def point_loss(rows: Results) -> dict[str, str]:
    """What a move loses, by rank of OGS."""
    means = {label: one.mean() for label, (_, one) in losses.by_band(rows["ogs"]).items()}
    labels = list(means)
    return {
        "ogs": ", ".join(f"{mean.mean:.1f}" for mean in means.values()),
        "weakest": f"{means[labels[0]].mean:.1f}",
        "strongest": f"{means[labels[-1]].mean:.1f}",
    }


def rank_points(rows: Results) -> dict[str, str]:
    """What players of a rank lose by a move beside its people, and what that shows."""
    lines, verdicts = [], []
    for rank, by_name in points.by_rank(rows).items():
        if games.OURS not in by_name:
            continue
        server, _, written = rank.partition(" ")
        people, own = by_name[points.PEOPLE], by_name[games.OURS]
        found = own.against_people
        verdicts.append(found.verdict)
        more = f"{found.mean:+.1f} ± {found.half:.1f}"
        lines.append([f"{SERVERS[server]} {written}", str(len(np.unique(own.movers)))])
        lines[-1] += [f"{one.mean[0]:.1f} ± {one.mean[1]:.1f}" for one in (people, own)]
        lines[-1] += [more, found.verdict]
    heads = ["rank", "people", "they lose", f"`{games.OURS}` loses", "more (90%)", "verdict"]
    return {
        "table": table(heads, lines),
        "bound": f"{points.BOUND:g}",
        "ranks": str(len(verdicts)),
        "equivalent": str(verdicts.count(EQUIVALENT)),
        "different": str(verdicts.count(DIFFERENT)),
    }


def rank_games(rows: Results) -> dict[str, str]:
    """What players of a rank score against the middle one."""
    found = games.by_opponent(rows)
    own = found[games.OURS]
    played = [2 * pairs.pairs for pairs in own.values()]
    shares = {rating: pairs.fraction for rating, pairs in own.items()} | {games.MIDDLE: 0.5}
    steps = list(pairwise(sorted(shares)))
    rises = np.array([shares[b] > shares[a] for a, b in steps])
    ends = games.RANKS.write(min(shares)), games.RANKS.write(max(shares))
    return {
        "games": " to ".join(map(str, dict.fromkeys([min(played), max(played)]))),
        "half": "; ".join(
            games.half_text(name, pairs).removeprefix("- GNU Go ").removesuffix(".")
            for name, pairs in found.items()
            if name.startswith("GNU")
        ),
        "ends": f"{shares[min(shares)]:.0%} at {ends[0]} to {shares[max(shares)]:.0%} at {ends[1]}",
        "rises": f"{rises.sum()} of {len(rises)}",
    }


def turing(rows: Results) -> dict[str, str]:
    """How often a classifier tells players from people, by rank."""
    ranks = [(scale, rank) for scale, of in likeness.GO.classes.items() for rank in of]
    lines, figures = [], {}
    for agent in (likeness.PEOPLE, *likeness.GO.agents):
        told = likeness.TOLD if agent != likeness.PEOPLE else ""
        found = [rows.get(f"{scale}, {rank}: {agent}{told}") for scale, rank in ranks]
        rates = [row["told_right"] for row in found if row is not None]
        if not rates:
            continue
        name = "other people" if agent == likeness.PEOPLE else f"`{agent}`"
        cells = ["-" if row is None else _accuracy(*row["told_right"]) for row in found]
        lines.append([name.replace(f"`{likeness.GNUGO}`", "GNU Go, level 10"), *cells])
        figures[agent.replace(" ", "_")] = span((rate for rate, _ in rates), ".0%")
    heads = [f"{SERVERS[scale]} {rank}" for scale, rank in ranks]
    return figures | {"table": table(["accuracy", *heads], lines)}


def _accuracy(rate: float, half: float) -> str:
    return f"{rate:.0%} ± {100 * half:.0f}"


def evenness(rows: Results) -> dict[str, str]:
    """The mean of |W - L| of ``even`` on 9x9, as stranger and in series, with 95% intervals."""
    ways = {way: rows[f"go9, {way}"] for way in ("strangers", "series")}
    played = ways["series"]["settings"]["games"]
    return {name: drawn_mean(way["table"]).text() for name, way in ways.items()} | {
        "games": str(played),
        "equals": f"{equals_show(played):.2f}",
    }
