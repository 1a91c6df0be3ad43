"""Figures of what is no experiment: speed, starts, and measurements of single questions."""

from typing import Any

from evenmatch.games import get_game
from evenmatch.ratings import Score
from evenmatch_lab.drills.table import DRILLS
from evenmatch_lab.figures.scale import serving
from evenmatch_lab.figures.texts import one_after_another, span, table
from evenmatch_lab.ours.web_load_page import crowds_of, most_held, usual_of
from evenmatch_lab.runner import Results
from evenmatch_lab.shared.opponents import GAME_IDS

ALL, SEARCH = "all", "search, 200 simulations"
TREES = {1: "1 tree", 64: "64 trees", 256: "256 trees"}
AIMS = {1: "75%", 64: "90%", 256: "90%"}  #: of the time inside the network
PER_SECOND = "evaluations_per_second"


def connect4_optimal(found: dict[str, Any]) -> dict[str, str]:
    """How often moves keep what a position is worth."""
    rows = {(row["set"], row["move"]): row for row in found["rows"]}
    row = rows[ALL, SEARCH]
    return {
        "search": f"{row['share']:.1%} ({100 * row['low']:.1f} to {100 * row['high']:.1f})",
        "positions": str(row["positions"]),
        "policy": f"{rows[ALL, 'bare policy']['share']:.1%}",
    }


def precision(found: dict[str, Any]) -> dict[str, str]:
    """How much faster kinds of number are than float32, and what proofs cost, by batch."""
    batches = dict.fromkeys(str(row["batch"]) for row in found["rows"])
    ratios: dict[str, list[str]] = {}
    for row in found["rows"]:
        ratios.setdefault(row["benchmark"], []).append(f"{row['ratio']:.2g}")
    return {
        "int8": one_after_another(ratios["network in int8"]),
        "bf16": one_after_another(ratios["network in bf16"]),
        "proofs": one_after_another(ratios["search with proofs"]),
        "batches": one_after_another(list(batches)),
    }


def second(found: dict[str, Any]) -> dict[str, str]:
    """What AlphaZero lost as the second player."""
    score = found["as_second"]
    return {"lost": f"{score['losses']} of {sum(score.values())}"}


def uci_match(found: dict[str, Any]) -> dict[str, str]:
    """Games against another engine on the clock."""
    score = Score.from_outcomes([row["result"] for row in found["games"]])
    settings = found["settings"]
    return {
        "won": f"{score.wins} of {score.games}",
        "engine": settings["engine"],
        "elo": str(settings["elo"]),
        "ci": "{:.0%} to {:.0%}".format(*score.interval()),
        "faults": str(sum(row["end"].startswith("ours") for row in found["games"]) or "no"),
    }


def web_load(rows: Results) -> dict[str, str]:
    """How many players of chess the page's server holds, and as many programs of their own."""
    crowds, usual = crowds_of(rows), usual_of(rows)
    return {
        "held": str(most_held(crowds["chess, at 1500"])),
        "processes": str(most_held(usual["evenmatch uci"])),
    } | serving(rows)


def gtp_match(found: dict[str, Any]) -> dict[str, str]:
    """Games of Go against another engine on the clock."""
    score = Score.from_outcomes([row["result"] for row in found["games"]])
    ends = [row["end"] for row in found["games"]]
    return {
        "won": f"{score.wins} of {score.games}",
        "engine": found["settings"]["engine"],
        "faults": str(
            sum(end.startswith("ours") and "resigned" not in end for end in ends) or "no"
        ),
    }


def drill(found: dict[str, Any]) -> dict[str, str]:
    """What was seen in a drill of the page's server."""
    seen = {name: _told(value) for name, value in found["seen"].items() if name != "examples"}
    return {"table": table(("seen", "how much"), seen.items())}


def drills(rows: Results) -> dict[str, str]:
    """What every drill asserts, how often it ran, and what was lost."""
    lines = [
        (drill.what, drill.kept, drill.lost, f"`{row['command']}`", f"{row['runs']:,}",
         f"{row['losses']:,}")
        for name, drill in DRILLS.items()
        if (row := rows.get(name))
    ]  # fmt: skip
    heads = ("what happens", "what is kept", "the most that is lost", "command", "times", "losses")
    counted = {
        f"seen.{name}": ", ".join(f"{n:,} {what}" for what, n in row["seen"].items())
        for name, row in rows.items()
        if row["seen"]
    }
    total = {
        "runs": f"{sum(row['runs'] for row in rows.values()):,}",
        "losses": f"{sum(row['losses'] for row in rows.values()) or 'no'}",
        "minutes": f"{sum(row['seconds'] for row in rows.values()) / 60:.0f}",
    }
    return {"table": table(heads, lines, left=(0, 1, 2, 3))} | counted | total


def _told(value: Any) -> str:
    """Write a number, or numbers of answers by their status; 0 stands for none."""
    if not isinstance(value, dict):
        return f"{value:,}"
    return ", ".join(f"{n:,} with {'none' if by == '0' else by}" for by, n in value.items())


def starts(found: dict[str, Any]) -> dict[str, str]:
    """Seconds that starts take, medians."""
    names = {
        "help": ("evenmatch --help", ".2f"),
        "move": ("first move, othello", ".2f"),
        "uciok": ("uciok", ".2f"),
        "readyok": ("readyok", ".1f"),
    }
    return {
        short: format(found[name]["median"], form)
        for short, (name, form) in names.items()
        if name in found
    }


def bench(found: dict[str, Any]) -> dict[str, str]:
    """The search's time inside the network, self-play, and the search alone beside others'."""
    rows = {(row["benchmark"], row["game"], row["batch"]): row for row in found["rows"]}
    lines = []
    for trees, name in TREES.items():
        begin = "time inside the network, " if trees == 1 else "... "
        shares = [f"{rows['search', game_id, trees]['network_share']:.1%}" for game_id in GAME_IDS]
        lines.append([f"{begin}{name}", *shares, AIMS[trees]])
    play = [rows["self-play", game_id, 256] for game_id in GAME_IDS]
    rates = [f"{round(row[PER_SECOND], -3):,.0f}" for row in play]
    lines.append(["self-play, evaluations/s", *rates, ""])
    ratios = [f"{row['ratio']:.2f}" for row in play]
    lines.append(["... of the network's bare rate", *ratios, "0.80"])
    heads = ["what", *(get_game(game_id).title for game_id in GAME_IDS), "aim"]
    constant = rows["constant evaluator, 200 simulations", "connect4", 256]
    gumbel = rows["constant evaluator, 200 simulations, Gumbel root", "connect4", 256]
    many = [rows["search", game_id, 256]["network_share"] for game_id in GAME_IDS]
    return {
        "table": table(heads, lines),
        "network": span(many, ".0%"),
        "alone": f"{constant[PER_SECOND] / 1e6:.1f} million",
        "mctx": f"{constant['ratio']:.0f}",
        "gumbel": f"{gumbel['ratio']:.0f}",
        "openspiel": f"{rows['constant evaluator, 200 simulations', 'connect4', 1]['ratio']:.1f}",
    }


def memory(found: dict[str, Any]) -> dict[str, str]:
    """Megabytes of a forest of 256 trees."""
    return {row["game"]: f"{row['bytes'] / 1e6:.0f} MB" for row in found["rows"]}


def chess(found: dict[str, Any]) -> dict[str, str]:
    """The rules and the search of chess."""
    rows = {(row["benchmark"], row["batch"]): row for row in found["rows"]}
    one, many = rows["search", 1], rows["search", 256]
    shares = [row["network_share"] for row in found["rows"] if row["benchmark"] == "search"]
    return {
        "rules": f"{rows['rules', 256][PER_SECOND]:,.0f}",
        "network": span(shares, ".0%"),
        "one": f"{one[PER_SECOND]:,.0f}",
        "many": f"{many[PER_SECOND]:,.0f}",
        "one.ratio": f"{one['ratio']:.2f}",
        "many.ratio": f"{many['ratio']:.2f}",
    }


def maia(found: dict[str, Any]) -> dict[str, str]:
    """The search with a network of Maia."""
    rows = {row["benchmark"]: row for row in found["rows"] if row["batch"] == 1}
    return {
        "one": f"{rows['search'][PER_SECOND]:,.0f}",
        "eight": f"{rows['search, 8 leaves at once'][PER_SECOND]:,.0f}",
    }


PAPER_GAMES = 8 * 240_000  #: the chess games that Chen 2025 learns from


def records(found: dict[str, Any]) -> dict[str, str]:
    """Recorded games read a second, beside python-chess."""
    read, built = found["rows"]["batches"], found["rows"]["dataset"]
    return {
        "read": f"{round(read['games_per_second'], -2):,.0f}",
        "built": f"{round(built['games_per_second'], -2):,.0f}",
        "read.ratio": f"{read['ratio']:.0f}",
        "built.ratio": f"{built['ratio']:.0f}",
        "paper": f"{PAPER_GAMES / built['games_per_second']:.0f}",
    }
