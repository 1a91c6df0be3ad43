"""Figures of how like people players of chess play, and how well people's moves are foreseen."""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from evenmatch_lab.ace2019.turing import PEOPLE, STOCKFISH, TOLD, beside_guessing
from evenmatch_lab.ace2019.turing_people import PART as JUDGED
from evenmatch_lab.chen2025.rank_moves import BEST, GENTLER, PAPER, bits, game_of, lead, over_ranks
from evenmatch_lab.chen2025.rank_moves import TOLD as ACE
from evenmatch_lab.figures.texts import span, table
from evenmatch_lab.ours.move_prediction import (
    EACH,
    OURS,
    by_dataset,
    gains_over_best,
    points,
    share,
)
from evenmatch_lab.ours.move_prediction import TOLD as RATING_TOLD
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.agents import CLASSES, FITTED_SE, RATINGS, WIDTH
from evenmatch_lab.shared.clusters import average

RAPID = "lichess-rapid"
MIXED = f"chess-people, {RATING_TOLD}"
PROGRAMS = ("MCTS", "SA-MCTS", "SE-MCTS", BEST, GENTLER, ACE)


def turing(rows: Results) -> dict[str, str]:
    """How often a classifier tells players from people, by class."""
    called = {
        PEOPLE: "other people",
        "alphazero": "`alphazero`, no rating",
        STOCKFISH: f"{_engine(rows)} by UCI_Elo (1350 in D), 10,000 nodes",
    }
    figures, lines = {}, []
    for agent in (PEOPLE, "human", "pikl", "ace", "sa", "se", "alphazero", STOCKFISH):
        found = {
            label: rows[f"{RAPID}, {label}: {agent}{TOLD if agent != PEOPLE else ''}"]
            for label in CLASSES
        }
        rates = {label: row["told_right"] for label, row in found.items()}
        cells = [
            f"{rate:.0%}" + (f" (±{100 * half:.0f})" if half > WIDE else "")
            for rate, half in rates.values()
        ]
        lines.append([called.get(agent, f"`{agent}`"), *cells])
        figures[f"{agent}.short"] = " and ".join(str(found[x]["left_out"]) for x in ("D", "B"))
        figures[agent] = span((rate for rate, _ in rates.values()), ".0%")
        figures[f"{agent}.half"] = span((100 * half for _, half in rates.values()), ".0f")
        for label, (rate, half) in rates.items():
            figures[f"{agent}.{label}"] = f"{rate:.0%}"
            figures[f"{agent}.{label}.low"] = f"{rate - half:.0%}"
            figures[f"{agent}.{label}.high"] = f"{rate + half:.0%}"
            figures[f"{agent}.{label}.ends"] = f"{rate - half:.1%} to {rate + half:.1%}"
            beside = beside_guessing(found[label])
            figures[f"{agent}.{label}.sides"] = str(beside.size)
            if isfinite(beside.needed):
                needed = round(beside.needed, 2 - len(str(round(beside.needed))))
                figures[f"{agent}.{label}.needed"] = f"{needed:,.0f}"
    judged = [row for key, row in rows.items() if key.endswith(TOLD)]
    *others, last = (rows[f"{RAPID}, {label}: {PEOPLE}"]["people"] for label in CLASSES)
    figures |= {
        "games": span((row["agent"][1] for row in judged), "d"),
        "sides": span((sides for sides, _ in others), "d"),
        "persons": span((persons for _, persons in others), "d"),
        "Grandmaster.sides": f"{last[0]} of {last[1]}",
        "half": span((100 * row["told_right"][1] for row in judged), ".0f"),
    }
    heads = [f"{label} ({rating})" for label, rating in zip(CLASSES, RATINGS, strict=True)]
    return figures | {"table": table(["accuracy", *heads], lines)}


def turing_people(rows: Results) -> dict[str, str]:
    """How many people judged pairs of games."""
    row = rows[JUDGED]
    return {"people": str(row["people"]), "guesses": f"{len(row['guesses']):,}"}


WIDE = 0.15  #: half of an interval that is to be seen in the table


def _engine(rows: Results) -> str:
    games = next(row for key, row in rows.items() if key.endswith(f": {STOCKFISH}"))
    return games["settings"]["engine"]


def theta_fit(rows: Results) -> dict[str, str]:
    """ACE's search parameters by class, and what they gain."""
    lines, figures = [], {}
    for label, lowest in CLASSES.items():
        row = next(row for key, row in rows.items() if key.endswith(f": {label}"))
        tau, prior, c_puct = row["theta"]
        losses = [_three(row[name]) for name in ("loss_before", "loss_after", "gain")]
        numbers = [f"{tau:.2f}", f"{prior:.2f}", f"{c_puct:.1f}", *losses]
        lines.append([f"{label} ({lowest}-{lowest + WIDTH - 1})", *numbers])
        figures[f"moves.{label}"] = str(row["moves"][1])
        figures[f"people.{label}"] = str(row["people"])
    heads = ["class (rating)", "temperature", "prior temperature", "C_puct"]
    heads += ["cross-entropy before, in nats", "fitted", "gain, move by move"]
    return figures | {"table": table(heads, lines)}


def move_prediction(rows: Results) -> dict[str, str]:
    """The share of people's moves that networks foresee, the average of ranks."""
    nets = by_dataset(rows)[RAPID]
    averages = {
        name: float(np.mean([share(counts).fraction for counts in row["all"]]))
        for name, row in nets.items()
    }
    maias = [name for name in nets if name.startswith("maia")]
    ours = [share(counts).fraction for counts in nets[OURS]["all"]]
    best = [max(share(nets[name]["all"][at]).fraction for name in maias) for at in range(len(ours))]
    mates, far = ([share(nets[x]["kinds"][at]).fraction for x in (OURS, *maias)] for at in (0, 1))
    figures = mixture(nets, maias, best) if MIXED in nets else {}
    return figures | {
        "ours": f"{averages[OURS]:.1%}",
        "ours.ranks": span(ours, ".0%"),
        "maia": span((averages[name] for name in maias), ".1%"),
        "behind": f"{100 * max(b - own for b, own in zip(best, ours, strict=True)):.0f}",
        "mates": f"{mates[0]:.0%}",
        "mates.maia": span(mates[1:], ".0%"),
        "far": f"{far[0]:.0%}",
        "far.maia": span(far[1:], ".0%"),
        "moves": f"{sum(moves for _, moves in nets[OURS]['all']):,}",
    }


def mixture(nets: dict[str, dict], maias: list[str], best: list[float]) -> dict[str, str]:
    """What the mixture foresees, and how much more than the best Maia of each band."""
    mixed = [share(counts).fraction for counts in nets[MIXED]["all"]]
    each = {name: nets[name][EACH] for name in (MIXED, *maias)}
    gain = average(gains_over_best(each, MIXED, maias))
    return {
        "mixed": f"{np.mean(mixed):.1%}",
        "mixed.gain": points(gain),
        "mixed.above": f"{sum(own > b for own, b in zip(mixed, best, strict=True))} of {len(best)}",
    }


def rank_moves(rows: Results) -> dict[str, str]:
    """How many of people's moves programs of their rank play, and by how much more."""
    figures, lines, halves = {}, [], []
    for begin, net, called in (("", "", "ours"), ("maia.", ", maia-1500", "Maia-1500")):
        known = {
            name: rows[f"{RAPID}: {name}{net}"]
            for name in (*PROGRAMS, FITTED_SE)
            if f"{RAPID}: {name}{net}" in rows
        }
        played = {name: bits(row) for name, row in known.items()}
        people = [np.array(who) for who in known[BEST]["people"]]
        cells = [_average(played.get(name), name in (BEST, GENTLER)) for name in PROGRAMS]
        lines.append([called, *cells])
        halves += [
            100 * over_ranks([of_rank.astype(float) for of_rank in right], people)[1]
            for right in played.values()
        ]
        leads = ((BEST, "best"), (GENTLER, "gentler"), (FITTED_SE, "fitted"))
        for ours, short in leads:
            if ours not in played:
                continue
            for other in ("MCTS", "SA-MCTS", "SE-MCTS"):
                gap, half = lead(played[ours], played[other], people)
                name = f"{begin}{short}.{other.removesuffix('MCTS').strip('-') or 'MCTS'}"
                figures[name] = f"{100 * gap:.1f}"
                figures[f"{name}.half"] = f"{100 * half:.1f}"
    paper = PAPER[game_of(rows)]
    theirs = [f"{paper[name]:.1f}%" if name in paper else "" for name in PROGRAMS]
    figures["paper.MCTS"] = f"{paper[BEST] - paper['MCTS']:.1f}"
    lines.append(["Chen et al. 2025 (20 x 256, 800 simulations)", *theirs])
    heads = ["policy and value", "MCTS", "SA-MCTS", "SE-MCTS", "SE_inf-MCTS"]
    heads += ["... with c_1 0.5 for 2", "`ace`, its most visited move"]
    return figures | {"table": table(heads, lines), "half": span(halves, ".1f")}


def _average(played: Sequence[np.ndarray] | None, bold: bool) -> str:
    if played is None:
        return ""
    text = f"{np.mean([of_rank.mean() for of_rank in played]):.1%}"
    return f"**{text}**" if bold else text


def _three(estimated: Sequence[float]) -> str:
    middle, low, high = estimated
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"
