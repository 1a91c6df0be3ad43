"""Figures of levels and opponents on people and players that nobody knows."""

import numpy as np

from evenmatch_lab.figures.texts import span
from evenmatch_lab.ours import board_levels as boards
from evenmatch_lab.ours import closed_loop as loop
from evenmatch_lab.ours import even_levels as fitted
from evenmatch_lab.ours import self_estimate as looks
from evenmatch_lab.ours import true_ratings as ratings
from evenmatch_lab.result_files import Results
from evenmatch_lab.shared.imbalances import drawn_mean
from evenmatch_lab.shared.opponents import GAME_IDS


def board_levels(rows: Results) -> dict[str, str]:
    """How often levels' intervals hold the truth after the last game, and how far levels are off.

    Shares are over rounds, by who plays from the least to the most.
    """
    shares, off = [], []
    for key, row in rows.items():
        if "told" in row:
            truth = rows[f"{key.partition(' against ')[0]} truth"]["elo"]
            shares += [boards.holds(row["told"], row["settings"]["games"], truth)]
            off += [one[-1][0] - truth for one in row["told"]]
    each = [float(held.mean()) for held in shares]
    return {
        "holds": f"{np.concatenate(shares).mean():.0%}",
        "range": span(each, ".0%"),
        "error": f"{np.sqrt(np.mean(np.square(off))):.0f}",
        "below": f"{-np.mean(off):.0f}",
    }


def closed_loop(rows: Results) -> dict[str, str]:
    """The mean of |W - L| by way, with its 95% interval, of the stand-ins that were met."""
    return {
        way: drawn_mean({name: row["row"] for name, row in found.items()}).text()
        for way, found in loop.by_way(rows).items()
        if way in loop.AIMS
    }


def even_levels(rows: Results) -> dict[str, str]:
    """How far off levels by results against ``even`` are after some games, by game."""
    figures = {}
    for game_id in GAME_IDS:
        found = fitted.of_game(rows, game_id)
        if len(found) < 3:
            continue
        for games in fitted.numbers_of(found):
            off = fitted.all_of(fitted.off(found, games))
            figures[f"{game_id}.{games}"] = f"{off.error:.0f}"
            figures[f"{game_id}.{games}.holds"] = f"{off.holds:.0%}"
    return figures


def true_ratings(rows: Results) -> dict[str, str]:
    """By how much ratings asked for are off in games, on average with the 95% interval, by game."""
    found = {
        game_id: ratings.mean_error(row, ratings.drawn_anew(row))
        for game_id, row in ratings.by_game(rows).items()
    }
    return {
        game_id: f"{error:.0f} ({low:.0f} to {high:.0f})"
        for game_id, (error, low, high) in found.items()
    }


def self_estimate(rows: Results) -> dict[str, str]:
    """How far players look from the rating asked for, on average over ratings."""
    figures = {}
    for name, some in looks.by_player(rows).items():
        off = [looks.looks(row)[0] - row["settings"]["asked"] for row in some]
        figures[name] = f"{np.abs(off).mean():.0f}"
    return figures
