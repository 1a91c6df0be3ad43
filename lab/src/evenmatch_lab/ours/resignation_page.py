"""The page and the plot of the experiment ``resignation``."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.strength.resigning import MOST, Habit
from evenmatch_lab.runner import Results, figure
from evenmatch_lab.shared.playing_on import SHOWN
from evenmatch_lab.shared.resigning_turns import EARLIEST, LOST, TIMELY

FIT = "fit"  #: the part that fits; all others report
ACCEPTED = 0.02  #: of decisive games at most, in which a draw would be accepted
BANDS = {
    "below 1200": (0, 1200),
    "1200-1499": (1200, 1500),
    "1500-1799": (1500, 1800),
    "1800-2199": (1800, 2200),
    "2200 and more": (2200, 5000),
}  #: of ratings
TOLD = (0, 2, 8)  #: of SHOWN, for the table


def percent(values: Sequence[float], sign: str = "") -> str:
    """Write a share and its interval, with signs if it is a difference."""
    if not values:
        return ""
    mean, low, high = (100 * x for x in values)
    return f"{mean:{sign}.1f}% ({low:{sign}.1f} to {high:{sign}.1f})"


def plot(results: Results, path: Path) -> None:
    """Draw how many resign after falling, by turns and rating; people and model."""
    names = [name for name in results if name != FIT]
    for axes in figure(path, max(len(names), 1), width=5.5 * max(len(names), 1)):
        for axis, name in zip(axes, names, strict=False):
            drawn = [(band, results[name]["bands"].get(band)) for band in BANDS]
            shown = [(band, row["after"]) for band, row in drawn if row and row["after"]]
            for number, (band, row) in enumerate(shown):
                x = np.array(row["turns"])
                seen, low, high = 100 * np.array(row["shown"])[: len(x)].T
                colour = f"C{number}"
                bars = np.abs([seen - low, high - seen])
                axis.errorbar(x, seen, bars, fmt="o", ms=4, color=colour, label=band)
                axis.plot(x, 100 * np.array(row["model"])[: len(x), 0], color=colour)
            axis.set(title=name, xlabel=f"own turns since the chances fell to {LOST:.0%}")
            axis.set(ylabel="have resigned, % (lines: the model)")
            axis.legend(frameon=False, fontsize=8)
            axis.grid(alpha=0.3)


def page(results: Results) -> list[str]:
    """Write the tables."""
    lines = fit_lines(results[FIT]) if FIT in results else []
    for name, row in results.items():
        if name != FIT:
            lines += dataset_lines(name, row, FIT in results and list(results)[1] == name)
    return lines


def fit_lines(fit: dict[str, Any]) -> list[str]:
    """Write what was fitted, and what it rests on."""
    names = asdict(Habit(*fit["weights"]))
    weights = [
        f"| {name} | {weight} | {1.96 * error:.3f} |"
        for name, weight, error in zip(names, fit["weights"], fit["errors"], strict=True)
    ]
    even, run, start = fit["rule"]
    share_agreed, share_decisive = next(row[3:] for row in fit["rules"] if row[:3] == fit["rule"])
    return [
        "Records do not say who resigned. Games lost without a mate are resignations, losses on "
        "time, and games that were left. All chances are the network's, for the side that resigns. "
        f"Turns count from ply {EARLIEST} on, those of games without an increment up to ply "
        f"{TIMELY}; what happens at chances above {MOST:.0%} counts as no resignation.",
        "",
        "## Who runs out of time?",
        "",
        "Games given up per 1,000 turns (split tune). Time runs out at any chances: without an "
        f"increment the right-hand columns grow from ply {TIMELY} on, with one they do not.",
        "",
        f"| plies | chances up to {LOST:.0%}: increment | no increment | above 30%: increment | "
        "no increment |",
        "|---|---:|---:|---:|---:|",
        *phase_lines(fit["phases"]),
        "",
        "## The network's chances",
        "",
        "What they are worth at people's own turns: chances by the games' evals, and mean score.",
        "",
        "| network | turns | evals, median (80%) | score |",
        "|---|---:|---:|---:|",
        *value_lines(fit["values"]),
        "",
        "## Weights",
        "",
        f"Of the logit, fitted to {fit['turns']:,} turns at chances up to {MOST:.0%} of "
        f"{fit['people']:,} people of split tune, with {fit['resigned']:,} resignations. They "
        "multiply 1, the rating above 1600 in units of 400, and the logits of the chances at this "
        "own turn and the two before.",
        "",
        "| weight | | ± (95%, by person) |",
        "|---|---:|---:|",
        *weights,
        "",
        f"The rule for draws: chances within {even} of 1/2 at {run} own turns in a row, from ply "
        f"{start} on. Of {len(fit['rules'])} rules it accepts most agreed draws "
        f"({share_agreed:.1%}) of those that accept at most {ACCEPTED:.0%} of decisive games "
        f"({share_decisive:.1%}).",
    ]


def phase_lines(rows: list[dict[str, Any]]) -> list[str]:
    """Write the rows of the first table: increments beside none."""
    lines = []
    for none, some in zip(rows[::2], rows[1::2], strict=True):
        counts = [some["lost"], none["lost"], some["open"], none["open"]]
        cells = [f"{1000 * n / of:.1f} ({n} of {of:,})" if of else "" for n, of in counts]
        lines.append(f"| {none['plies'][0]}-{none['plies'][1] - 1} | {' | '.join(cells)} |")
    return lines


def value_lines(rows: list[dict[str, Any]]) -> list[str]:
    """Write what values are worth."""
    return [
        f"| {row['chances'][0]:.0%} to {row['chances'][1]:.0%} | {row['turns']:,} | "
        f"{row['evals'][1]:.1%} ({row['evals'][0]:.1%} to {row['evals'][2]:.1%}) | "
        f"{row['score']:.1%} |"
        for row in rows
    ]


def dataset_lines(name: str, row: dict[str, Any], own: bool) -> list[str]:
    """Write the tables of a dataset; ``own`` is the one the weights were fitted to."""
    lines = ["", f"## {name}, people of split query", ""]
    if not own:
        lines += [
            "The weights are the first dataset's, ratings and habits are this one's: not a test of "
            "the model but of what it takes over from Lichess.",
            "",
        ]
    return [
        *lines,
        *table("Lost games", LOST_HEADS, row, lost_cells),
        *table("Resignations: people and model", MODEL_HEADS, row, model_cells),
        *after_lines(row["bands"]),
        *other_lines(row),
    ]


LOST_HEADS = (
    "lost games",
    "given up before mate",
    f"of these at chances above {MOST:.0%}",
    "chances at the end: median (80%)",
)
MODEL_HEADS = (
    "turns",
    "resigned",
    "model",
    "resigned / model",
    "chances then, median (80%): people",
    "model",
)


def table(
    title: str,
    heads: Sequence[str],
    row: dict[str, Any],
    cells: Callable[[dict[str, Any]], list[str]],
) -> list[str]:
    """Write a table with a row for each band."""
    lines = [
        f"**{title}**",
        "",
        f"| rating | {' | '.join(heads)} |",
        "|---|" + "---:|" * len(heads),
    ]
    lines += [f"| {band} | {' | '.join(cells(found))} |" for band, found in row["bands"].items()]
    return [*lines, ""]


def lost_cells(found: dict[str, Any]) -> list[str]:
    """Write how lost games end."""
    ends = found["ends"]
    told = f"{ends[2]:.1%} ({ends[0]:.1%} to {ends[4]:.1%})" if ends else ""
    return [f"{found['lost']:,}", percent(found["gave_up"]), percent(found["above"]), told]


def model_cells(found: dict[str, Any]) -> list[str]:
    """Write how many resign, and at what chances."""
    ratio, at = found["ratio"], found["resigned at"]
    cells = [f"{ratio['turns']:,}", str(ratio["resigned"]), f"{ratio['expected']:.0f}"]
    cells.append(ratio_text(ratio))
    text = "{1:.1%} ({0:.1%} to {2:.1%})"
    return cells + [text.format(*at[name]) if at else "" for name in ("people", "model")]


def ratio_text(found: dict[str, Any]) -> str:
    """Write a ratio and its interval."""
    return "{:.2f} ({:.2f} to {:.2f})".format(*found["ratio"]) if "ratio" in found else ""


def after_lines(bands: dict[str, dict[str, Any]]) -> list[str]:
    """Write how many have resigned so many turns after they fell."""
    heads = [f"{turns} own turns later" if turns else "at once" for turns in TOLD] + ["ever"]
    lines = [
        f"**Resigned since the chances fell to {LOST:.0%}**, of all who fell so low, whoever won: "
        "people, and how many more the model (half of those who ever resign do so within so many "
        "own turns)",
        "",
        f"| rating | sides (people) | | {' | '.join(heads)} | half within |",
        "|---|---:|---|" + "---:|" * (len(heads) + 1),
    ]
    told = [SHOWN.index(turns) for turns in TOLD] + [-1]
    for band, row in bands.items():
        if after := row["after"]:
            count = f"{band} | {after['sides']:,} ({after['people']:,})"
            rows = (count, "people", "shown", 0), (" | ", "model", "more", 1)
            for first, who, name, number in rows:
                cells = [percent(after[name][at], "+" if number else "") for at in told]
                lines.append(f"| {first} | {who} | {' | '.join(cells)} | {after['half'][number]} |")
    return lines


def doubt_lines(doubts: dict[str, list[float]]) -> list[str]:
    """Write how often evals think more of positions in which somebody resigns."""
    if not doubts:
        return []
    told = ", ".join(f"{who} {' and '.join(f'{x:.1%}' for x in doubts[who])}" for who in doubts)
    return [
        f"**Resigned where the games' evals give chances above 10% and above 20%**: {told}.",
        "",
    ]


def other_lines(row: dict[str, Any]) -> list[str]:
    """Write how well models foretell, what is known of early turns, and draws."""
    early = row["early"]
    lines = [
        "",
        "**Mean log-likelihood of a turn**: "
        + "; ".join(f"{name} {value:.5f}" for name, value in row["likelihoods"].items())
        + ".",
        "",
        *doubt_lines(row["doubts"]),
        f"**Before ply {EARLIEST}**, where the model never resigns ({percent(row['short'])} of "
        f"games are shorter): {early['resigned']} resigned in {early['turns']:,} turns, "
        f"by the weights {early['expected']:.1f} would"
        + (f", ratio {ratio_text(early)}" if "ratio" in early else "")
        + ".",
        "",
        "**Draws**: games in which the rule accepts an offer at some turn",
        "",
        "| games | sides | accepts |",
        "|---|---:|---:|",
    ]
    for kind, found in row["draws"].items():
        lines.append(f"| {kind} | {found['sides']:,} | {percent(found['accepts'])} |")
    return lines
