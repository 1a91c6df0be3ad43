"""Figures of Connect Four, Othello and Go: how strong, how even."""

from typing import Any

from evenmatch.games import get_game
from evenmatch_lab.figures.texts import span, table, whole
from evenmatch_lab.fujita2022.dda_tables import METHODS, paper_rows
from evenmatch_lab.fujita2022.elo_table import PAPER
from evenmatch_lab.ours.go_engines import GAMES, parts_on
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.imbalances import (
    compared,
    equals_show,
    mean_by_side,
    mean_imbalance,
    overall,
)
from evenmatch_lab.shared.opponents import (
    GAME_IDS,
    OPPONENTS,
    added_up,
    both,
    elo_text,
    imbalance,
)

AIM, AIM_EACH = 0.15, 0.25  #: of |W - L|: the mean over opponents, and against each
WAYS = ("strangers", "series")
WORDS = {1: "less", 0: "open", -1: "more"}  #: even than in the paper
CALLED = {"alphadda1": "AlphaDDA1", "alphadda2": "AlphaDDA2", "alphadda3": "AlphaDDA3"}


def elo_table(rows: Results) -> dict[str, str]:
    """AlphaZero above MCTS1, in Elo: by likelihood, sequential, and the paper's."""
    figures: dict[str, str] = {}
    for game_id in GAME_IDS:
        row, paper = rows[game_id], PAPER[game_id]
        gap, low, high = row["gap"]
        figures |= {
            game_id: f"over {whole(low)}" if high is None and low is not None else whole(gap),
            f"{game_id}.ci": elo_text(row["gap"]),
            f"{game_id}.paper": whole(paper[0] - paper[1]),
            f"{game_id}.sequential": whole(
                row["sequential"]["AlphaZero"] - row["sequential"]["MCTS1"]
            ),
        }
    return figures


def evenness(rows: Results) -> dict[str, str]:
    """The mean of |W - L| of ``even`` over its opponents, and what its moves give up."""
    figures: dict[str, str] = {}
    means, lines = {}, []
    for game_id in GAME_IDS:
        for way in WAYS:
            faced = rows[f"{game_id}, {way}"]["table"]
            differences = {name: imbalance(both(faced[name])) for name in OPPONENTS}
            mean = mean_imbalance(faced)
            means[game_id, way] = mean
            figures[f"{game_id}.{way}"] = f"{mean:.2f}"
            apart = mean_by_side(faced)
            lines.append(
                [
                    f"{_title(game_id)}, {way}",
                    f"**{mean:.2f}**",
                    *(f"{difference:+.2f}" for difference in differences.values()),
                    f"{apart:.2f}",
                    _openings(rows[f"{game_id}, {way}"]),
                ]
            )
            figures[f"{game_id}.{way}.largest"] = f"{max(map(abs, differences.values())):.2f}"
        lost = rows[f"{game_id}, strangers"]["given_up"]
        figures[f"{game_id}.given"] = f"{lost['mean']:.2f}"
        figures[f"{game_id}.given.largest"] = f"{lost['largest']:.1f}"
    heads = ["`W - L`", "mean of abs", *OPPONENTS, "by side", "openings"]
    for way in WAYS:
        average = [means[game_id, way] for game_id in GAME_IDS]
        largest = max(float(figures[f"{game_id}.{way}.largest"]) for game_id in GAME_IDS)
        figures[way] = span(average, ".2f")
        figures[f"{way}.largest"] = f"{largest:.2f}"
        reached = max(average) <= AIM and largest <= AIM_EACH
        figures[f"{way}.aim"] = "is reached" if reached else "is **not** reached"
    for game_id in GAME_IDS:
        games = rows[f"{game_id}, series"]["settings"]["games"]
        figures[f"{game_id}.games"] = str(games)
        figures[f"{game_id}.equals"] = f"{equals_show(games):.2f}"
    return figures | {
        "table": table(heads, lines),
        "games": figures[f"{GAME_IDS[0]}.games"],
        "equals": figures[f"{GAME_IDS[0]}.equals"],
        "given.largest": span(
            (rows[f"{game_id}, strangers"]["given_up"]["largest"] for game_id in GAME_IDS), ".1f"
        ),
    }


def dda_tables(rows: Results) -> dict[str, str]:
    """The mean of |W - L| of AlphaDDA1-3 with constants fitted to our networks."""
    figures, lines, all_means = {}, [], []
    told: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for game_id in GAME_IDS:
        row, cells = rows[f"{game_id}, fitted"], [_title(game_id)]
        for method in METHODS:
            faced = row["tables"][method]
            ours, theirs = mean_imbalance(faced), paper_rows(game_id, method)
            all_means.append(ours)
            cells += [f"{ours:.2f}", f"{mean_imbalance(theirs):.2f}"]
            sign = compared(faced, theirs, overall)
            told[sign].append(f"{CALLED[method]} on {_title(game_id)}")
            for name, one in faced.items():
                figures[f"{game_id}.{method}.{name}"] = f"{imbalance(both(one)):+.2f}"
        lines.append([*cells, _openings(row)])
    heads = ["mean of abs(`W - L`) over the eight"]
    for method in METHODS:
        heads += [CALLED[method], "paper's"]
    figures |= {word: ", ".join(told[sign]) or "none" for sign, word in WORDS.items()}
    return figures | {
        "table": table([*heads, "openings"], lines),
        "all": span(all_means, ".2f"),
    }


def go_engines(rows: Results) -> dict[str, str]:
    """What is won of the games against GNU Go at its strongest level, by game."""
    figures = {}
    for game_id in GAMES:
        parts = parts_on(rows, game_id)
        if parts:
            score = both(added_up([part["row"] for part in parts]))
            figures[game_id] = f"{score.wins} of {score.games}"
    return figures


def _openings(row: dict[str, Any]) -> str:
    """Say how many random plies games began with."""
    plies = row["settings"].get("openings")
    return f"{plies} plies" if plies else "none, to be rerun"


def _title(game_id: str) -> str:
    """Return a game's title, with its size where the other Othello has one."""
    return get_game(game_id).title + (" 8x8" if game_id == "othello" else "")
