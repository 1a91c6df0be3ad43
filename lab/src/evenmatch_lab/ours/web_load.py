"""How many people the page's server holds at once, beside a process for each game.

The server runs as a program of its own, and simulated players use it from another process, through
the sockets that browsers use. Each thinks for 8 s on average, exponentially drawn, plays a random
move (half of the time it takes something, if it can) and begins another game when one ends. The
usual way is measured alike: `evenmatch uci` and Stockfish, a process a game.
"""

import asyncio
import shutil
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from evenmatch.players.commands import command_of
from evenmatch.players.even import by_people, styles_config
from evenmatch.progress import Progress
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared.crowd import (
    MOST_MEGABYTES,
    MOST_SECONDS,
    THINKING,
    Window,
    holds,
    play_together,
)
from evenmatch_lab.shared.first_load import browser, first_load
from evenmatch_lab.shared.uci_players import EVENMATCH, UciPlayer, programs, started
from evenmatch_lab.shared.web_players import first_reply, play_on_page
from evenmatch_lab.shared.web_server import Counts, WebServer, serving

SEED = 1
GAMES = ("chess", "go9")  #: that the server offers
ELO = 1500
#: What is asked of the server: the game and the opponent, as the page asks for them.
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "chess, at 1500": ("chess", {"level": str(ELO)}),
    "chess, a stranger": ("chess", {"mine": True}),
    "9x9 Go, a stranger": ("go9", {"mine": True}),
}
#: How many ask for it at once.
PLAYERS = {
    "chess, at 1500": (1, 32, 64, 128, 200, 512),
    "chess, a stranger": (1, 32),
    "9x9 Go, a stranger": (1, 32, 128, 512),
}
PROCESSES = (1, 2, 4, 6, 8, 12, 16, 32, 64, 128)
SECONDS, WARMING = 45.0, 15.0  #: of the window, and before it
QUICK, QUICK_THINKING = 3.0, 0.5  #: seconds of both, and of a quick run's players for a move
FIRST_MOVES, FEW_MOVES = 10, 2  #: of the first visit; of a quick run
NODES = 10_000  #: of Stockfish, a move
AIM = 200  #: players of chess
LOAD_AIM, LOAD_SECONDS, FIRST_SECONDS = 300_000, 1.0, 1.0  #: bytes, seconds of loading, of a move
UPTO = ("1", "8")  #: trees of small searches, in the table
Row = dict[str, Any]
LIMITED = {"UCI_LimitStrength": "true", "UCI_Elo": str(ELO)}


class Usual(NamedTuple):
    """A chess program, of which every game has a process."""

    command: list[str]
    options: dict[str, str]
    go: str  #: what lets it move


USUAL = {
    "evenmatch uci": Usual(EVENMATCH, LIMITED, "go"),
    "Stockfish": Usual(
        command_of("stockfish"), LIMITED | {"Threads": "1", "Hash": "16"}, f"go nodes {NODES}"
    ),
}


def parts(quick: bool) -> dict[str, Part]:
    """One for each crowd, one for each usual way, and one for the first visit."""
    pace = Pace(QUICK, QUICK, QUICK_THINKING) if quick else Pace(SECONDS, WARMING, THINKING)
    networks = [digest(game) for game in GAMES]
    shared = pace._asdict() | {"seed": SEED}
    asked = dict(list(ASKED.items())[:1]) if quick else ASKED
    moves = FEW_MOVES if quick else FIRST_MOVES
    first = {"asked": asked, "moves": moves, "offered": list(GAMES), "networks": networks}
    first |= numbers(GAMES[1])
    by_key = {"first visit": Part(first | {"seed": SEED}, partial(measure_first, asked, moves))}
    for name, (game, opponent) in asked.items():
        for players in (4,) if quick else PLAYERS[name]:
            settings = {"game": game, "opponent": opponent, "players": players} | numbers(game)
            by_key[f"{name}, {players}"] = Part(
                shared | settings | {"offered": list(GAMES), "networks": networks},
                partial(measure_server, game, opponent, players, pace),
            )
    for name, usual in USUAL.items():
        if shutil.which(usual.command[0]) is None:
            continue
        counts = (1, 2) if quick else PROCESSES
        settings = {"options": usual.options, "go": usual.go, "processes": list(counts)}
        by_key[name] = Part(
            shared | settings | {"networks": networks},
            partial(measure_processes, usual, counts, pace),
        )
    return by_key


class Pace(NamedTuple):
    """How long is played, and how fast."""

    seconds: float  #: of the window
    warming: float  #: seconds before it
    thinking: float  #: mean seconds a move

    def window(self) -> Window:
        """Return the window of who begins to play now."""
        begin = time.monotonic() + self.warming
        return Window(begin, begin + self.seconds, self.thinking)


def numbers(game: str) -> dict[str, str]:
    """Return what `even` is set to on a game where strangers play it by styles, for settings."""
    return {} if by_people(game) else {"even": str(styles_config(game))}


# -- the server ----------------------------------------------------------------------------------


def measure_server(
    game: str,
    opponent: dict[str, Any],
    players: int,
    pace: Pace,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    """Let so many play on the server for some time."""
    with serving(GAMES) as server:
        asyncio.run(first_reply(server, game, opponent, SEED))
        window = pace.window()
        before, after = asyncio.run(_watched(server, game, opponent, players, window))
        return window.facts() | _work(before, after, game) | {"megabytes": server.peak}


async def _watched(
    server: WebServer, game: str, opponent: dict[str, Any], players: int, window: Window
) -> tuple[Counts, Counts]:
    """Let them play; return what the server had counted when the window began and ended."""

    async def counts(when: float) -> Counts:
        await asyncio.sleep(max(when - time.monotonic(), 0.0))
        return await asyncio.to_thread(server.counts)

    looking = [asyncio.create_task(counts(when)) for when in (window.begin, window.end)]
    await play_on_page(server, game, opponent, players, window, SEED)
    before, after = await asyncio.gather(*looking)
    return before, after


def _work(before: Counts, after: Counts, game: str) -> dict[str, Any]:
    """Return what the server did meanwhile: searches by their trees, and the work of its cores."""
    spent = {key: value - before.get(key, 0.0) for key, value in after.items()}
    name = "evenmatch_batch_trees_bucket"
    upto = sorted(
        (float(most), calls) for (what, *of), calls in spent.items()
        if what == name and of[0] == game for most in of[1:]
    )  # fmt: skip
    calls, moves = upto[-1][1], spent["evenmatch_batch_trees_sum", game]
    return {
        "searches": int(calls),
        "batch": moves / calls if calls else None,
        "batches": {f"{most:g}": int(count) for most, count in upto[:-1]},  # of at most so many
        "search_seconds": spent["evenmatch_search_seconds_sum", game],
        "waited_seconds": spent["evenmatch_wait_seconds_sum", game],  # by all moves
        "cpu_seconds": spent["process_cpu_seconds_total",],
    }


def measure_first(
    asked: dict[str, tuple[str, dict[str, Any]]], moves: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Visit the page for the first time, and play first moves on a server that is warm."""
    found: dict[str, Any] = {"moves": {}, "load": None}
    with serving(GAMES) as server:
        chromium = browser()
        if chromium is not None:
            found["load"] = first_load(server, chromium)
        for name, (game, opponent) in asked.items():
            asyncio.run(first_reply(server, game, opponent, SEED))  # which warms it
            replies = [
                asyncio.run(first_reply(server, game, opponent, SEED + 1 + k)) for k in range(moves)
            ]
            found["moves"][name] = {"median": median(replies), "longest": max(replies)}
    return found


# -- the usual way -------------------------------------------------------------------------------


def measure_processes(
    usual: Usual, counts: tuple[int, ...], pace: Pace, progress: Progress, done: Results
) -> dict[str, Any]:
    """Let more and more play, each against a process of its own, until a bound is broken."""
    return {"crowds": asyncio.run(_with_processes(usual, counts, pace, progress))}


async def _with_processes(
    usual: Usual, counts: tuple[int, ...], pace: Pace, progress: Progress
) -> list[dict[str, Any]]:
    crowds: list[dict[str, Any]] = []
    async with programs() as running:
        for at, players in enumerate(counts):
            progress(at, len(counts))
            while len(running) < players:
                running.append(await started(usual.command, usual.options))
            window = pace.window()
            crowd = [UciPlayer(one, usual.go, window, SEED, k) for k, one in enumerate(running)]
            await play_together([one.play() for one in crowd], window)
            memory = sum(one.memory or 0.0 for one in running) or None
            crowds.append({"players": players, "megabytes": memory, **window.facts()})
            if not holds(crowds[-1]):
                break
    return crowds


# -- the page ------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write how the crowds fared, how many were held, and the first visit."""
    crowds, usual = crowds_of(results), usual_of(results)
    visit, sent = results["first visit"], ["moves", "moves/s"]
    times = ["reply p50", "p95 (95%)", "longest"]
    heads = ["opponent", "players", "in", "begin", *sent, "trees", "searches of 1, 2 to 8, more"]
    rows = [
        [name, *_sent(row), *_trees(row), *_seconds(row), *_resources(row)]
        for name, crowd in crowds.items()
        for row in crowd
    ]
    lines = [table([*heads, *times, "cores", "MB"], rows)]
    if usual:
        rows = [
            [name, row["players"], *_sent(row)[-2:], *_seconds(row), _megabytes(row)]
            for name, crowd in usual.items()
            for row in crowd
        ]
        lines += ["", "## A process a game", ""]
        lines.append(table(["program", "players", *sent, *times, "MB"], rows))
    held = [[name, held_text(rows)] for name, rows in (crowds | usual).items()]
    lines += ["", "## How many are held", "", table(["way", f"held (aim {AIM})"], held)]
    lines += ["", "## The first visit", ""]
    if load := visit["load"]:
        heads = ["files", f"kB (aim {LOAD_AIM / 1000:.0f})", f"seconds (aim {LOAD_SECONDS:g})"]
        cells = [load["files"], f"{load['bytes'] / 1000:.0f}", f"{load['seconds']:.2f}"]
        cells += [f"{load['longest']:.2f}", load["visits"]]
        lines += [table([*heads, "at most", "visits"], [cells], left=()), ""]
    games = visit["settings"]["moves"]
    rows = [
        [name, games, _second(one["median"]), _second(one["longest"])]
        for name, one in visit["moves"].items()
    ]
    heads = ["opponent", "first moves", f"median (aim {FIRST_SECONDS:g} s)", "longest"]
    return [*lines, table(heads, rows)]


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


def _sent(row: Row) -> list[str]:
    first = [str(row["players"]), str(row["seated"]), _second(row["opening_p95"])]
    return [*first, str(row["moves"]), f"{row['moves_per_second']:.1f}"]


def _resources(row: Row) -> list[str]:
    return [f"{row['cpu_seconds'] / row['settings']['seconds']:.2f}", _megabytes(row)]


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


def held_text(rows: list[Row]) -> str:
    """Write the most players that were held; if more were never tried, that it is a least."""
    held = max((row["players"] for row in rows if holds(row)), default=0)
    return str(held) if not all(map(holds, rows)) else f"at least {held}"


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


EXPERIMENT = Experiment(
    "web_load",
    "The page under load, beside a process for each game",
    parts,
    page,
    plot,
)
