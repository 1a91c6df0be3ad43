"""The page of `web_load`: tables of who was held, and the plot of replies and memory."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenmatch_lab.runner import Results, figure
from evenmatch_lab.shared.crowd import MOST_MEGABYTES, MOST_SECONDS, holds

AIM = 200  #: players of chess
LOAD_AIM, LOAD_SECONDS, FIRST_SECONDS = 300_000, 1.0, 1.0  #: bytes, seconds of loading, of a move
UPTO = ("1", "8")  #: trees of small searches, in the table
Row = dict[str, Any]


def page(results: Results) -> list[str]:
    """Write how many were held, then how."""
    crowds, usual = crowds_of(results), usual_of(results)
    some = next(iter(next(iter(crowds.values()))))["settings"]
    lines = [
        "Simulated players use the server (`evenmatch web`, a process of its own) from another "
        "process on the same machine, by the sockets that browsers use. Each thinks "
        f"{some['thinking']:g} s on average, exponentially drawn, plays a random move, and begins "
        f"another game when one ends. Moves sent within {some['seconds']:g} s count, after "
        f"{some['warming']:g} s of play; seed {some['seed']}. Who waits for a reply asks nothing "
        "meanwhile, as people do, so that a slow server is asked less. *In*: players whose first "
        "game had begun when the window did. *Begin*: from asking for a game to the first turn, "
        "p95. *Reply*: from sending a move until the player may move again; in brackets the 95% "
        "interval of p95, players drawn with replacement, where there are eight. *Never*: moves "
        "without a reply when play ended. *Trees*: of a "
        "search in lockstep. *Cores*: processor time of the server by time. *MB*: the most memory "
        "that was resident. The players take time of the same cores. Games are young: few are "
        f"older than {(some['seconds'] + some['warming']) / some['thinking']:.0f} moves.",
        "",
        *server_table(crowds),
        *(usual_lines(usual) if usual else ()),
        "",
        "## How many are held",
        "",
        f"Held are so many, of those measured, that all are in, the p95 of a reply is under "
        f"{MOST_SECONDS:g} s and memory under {MOST_MEGABYTES:,.0f} MB.",
        "",
        *verdicts(crowds, usual),
    ]
    return [*lines, *first_visit(results["first visit"])]


def usual_lines(usual: dict[str, list[Row]]) -> list[str]:
    """Write how the same players fare with a process for each game."""
    return [
        "",
        "## A process a game",
        "",
        "The same players, each against a chess program of its own, at 1500. *MB* counts memory "
        "that programs share once, and at the end, which favours them. No more are started once "
        f"the p95 of a reply is {MOST_SECONDS:g} s or memory reaches {MOST_MEGABYTES:,.0f} MB.",
        "",
        *usual_table(usual),
    ]


def crowds_of(results: Results) -> dict[str, list[Row]]:
    """Return the crowds on the server, by the opponent."""
    found: dict[str, list[Row]] = {}
    for key, row in results.items():
        if "players" in row["settings"]:
            told = row | {"players": row["settings"]["players"]}
            found.setdefault(key.rpartition(", ")[0], []).append(told)
    return found


def usual_of(results: Results) -> dict[str, list[Row]]:
    """Return the crowds of the usual ways, by the program."""
    return {key: row["crowds"] for key, row in results.items() if "crowds" in row}


def server_table(crowds: dict[str, list[Row]]) -> Iterator[str]:
    """Yield a line for each crowd on the server."""
    yield (
        "| opponent | players | in | begin | moves | moves/s | trees | searches of 1, 2 to 8, more "
        "| reply p50 | p95 | longest | cores | MB |"
    )
    yield "|---|" + "---:|" * 12
    for name, rows in crowds.items():
        for row in rows:
            cores = row["cpu_seconds"] / row["settings"]["seconds"]
            told = [name, str(row["players"]), str(row["seated"]), _second(row["opening_p95"])]
            told += [str(row["moves"]), f"{row['moves_per_second']:.1f}", *_trees(row)]
            yield _line([*told, *_seconds(row), f"{cores:.2f}", _megabytes(row)])


def usual_table(usual: dict[str, list[Row]]) -> Iterator[str]:
    """Yield a line for each crowd of the usual ways."""
    yield "| program | players | moves | moves/s | reply p50 | p95 | longest | MB |"
    yield "|---|" + "---:|" * 7
    for name, rows in usual.items():
        for row in rows:
            told = [name, str(row["players"]), str(row["moves"]), f"{row['moves_per_second']:.1f}"]
            yield _line([*told, *_seconds(row), _megabytes(row)])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _trees(row: Row) -> list[str]:
    if row["batch"] is None:
        return ["", ""]
    alone, few = (row["batches"][most] / row["searches"] for most in UPTO)
    return [f"{row['batch']:.1f}", f"{alone:.0%}, {few - alone:.0%}, {1 - few:.0%}"]


def _seconds(row: Row) -> list[str]:
    p50, p95, longest = (_second(row[name]) for name in ("p50", "p95", "longest"))
    if row["p95_between"] is not None:
        p95 += " ({:.2f} to {:.2f})".format(*row["p95_between"])
    return [p50, p95, f"{longest}, {row['unanswered']} never" if row["unanswered"] else longest]


def _second(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.2f} s"


def _megabytes(row: Row) -> str:
    return "" if row["megabytes"] is None else f"{row['megabytes']:.0f}"


def most_held(rows: list[Row]) -> int:
    """Return the most players that were held, 0 if none were."""
    return max((row["players"] for row in rows if holds(row)), default=0)


def held_text(rows: list[Row]) -> str:
    """Write the most players that were held; if more were never tried, that it is a least."""
    held = most_held(rows)
    text = f"{held} {'player' if held == 1 else 'players'}"
    return f"at least {text}" if math.isinf(fewest_not_held(rows)) else text


def fewest_not_held(rows: list[Row]) -> float:
    """Return the fewest players that were not held, infinity if all were."""
    return min((row["players"] for row in rows if not holds(row)), default=math.inf)


def times(rows: list[Row], others: list[Row]) -> str:
    """Write how many times the players of others are held; empty if nobody is somewhere.

    Between two sizes that were measured anything is possible, so it is a range.
    """
    held, of_others = most_held(rows), most_held(others)
    if not held or not of_others:
        return ""
    least, most = held / fewest_not_held(others), fewest_not_held(rows) / of_others
    if math.isinf(most):
        return f"at least {least:.1f}" if least else "an unknown number of"
    return f"{least:.1f} to {most:.1f}" if least else f"at most {most:.1f}"


def verdicts(crowds: dict[str, list[Row]], usual: dict[str, list[Row]]) -> Iterator[str]:
    """Yield what was held, and how that compares with a process a game."""
    for name, rows in crowds.items():
        yield f"- The server, {name}: {held_text(rows)}."
    for name, rows in usual.items():
        yield f"- {name}, a process a game: {held_text(rows)}."
    chess, rows = next(iter(crowds.items()))
    for name, others in usual.items():
        if ratio := times(rows, others):
            yield f"- {chess}: the server holds {ratio} times those of {name}."
    aimed = [row for row in rows if row["players"] >= AIM]
    if aimed:
        word = "reached" if any(map(holds, aimed)) else "missed"
        yield f"- The aim of {AIM} players of chess is {word} on this machine."


def first_visit(row: Row) -> Iterator[str]:
    """Yield what a first visit takes, and the replies to first moves."""
    yield from ("", "## The first visit", "")
    load = row["load"]
    if load is None:
        yield "Loading was not measured: Chromium or playwright is not installed."
    else:
        word = (
            "within" if load["bytes"] < LOAD_AIM and load["seconds"] < LOAD_SECONDS else "outside"
        )
        yield (
            f"The page loads {load['files']} files, {load['bytes'] / 1000:.0f} kB as they are "
            f"sent, and is drawn after {load['seconds']:.2f} s (median of {load['visits']} visits "
            f"by Chromium without a cache, at most {load['longest']:.2f} s). That is {word} the "
            f"aims, {LOAD_AIM / 1000:.0f} kB and {LOAD_SECONDS:g} s."
        )
    yield from ("", f"Replies to the first move of a game, {row['settings']['moves']} games each:")
    yield from ("", "| opponent | median | longest | aim |", "|---|---:|---:|---|")
    for name, one in row["moves"].items():
        word = "reached" if one["median"] < FIRST_SECONDS else "missed"
        yield _line([name, f"{one['median']:.2f} s", f"{one['longest']:.2f} s", word])


def plot(results: Results, path: Path) -> None:
    """Draw replies and memory against players, the bounds dashed."""
    crowds, usual = crowds_of(results), usual_of(results)
    ways = crowds | {f"{name}, a process a game": rows for name, rows in usual.items()}
    for axes in figure(path, 2, height=4.6):
        for number, (name, rows) in enumerate(ways.items()):
            players, colour = [row["players"] for row in rows], f"C{number}"
            replies = {part: [row[part] for row in rows] for part in ("p95", "p50")}
            axes[0].plot(players, replies["p95"], "o-", color=colour, label=name)
            axes[0].plot(players, replies["p50"], "o:", color=colour)
            memory = [row["megabytes"] or float("nan") for row in rows]
            axes[1].plot(players, memory, "o-", color=colour, label=name)
        axes[0].axhline(MOST_SECONDS, ls="--", color="0.6")
        axes[1].axhline(MOST_MEGABYTES, ls="--", color="0.6")
        axes[0].axvline(AIM, ls="--", color="0.6")
        axes[0].set(xlabel="players", ylabel="reply, s (p95; dotted p50)")
        axes[1].set(xlabel="players", ylabel="MB")
        for axis in axes:
            axis.set(xscale="log", yscale="log")
        axes[0].legend(fontsize=7)
