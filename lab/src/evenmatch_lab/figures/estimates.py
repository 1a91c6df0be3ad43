"""Figures of ratings told from moves of chess."""

from typing import Any

from evenmatch.estimation.phases import PHASES
from evenmatch_lab.chen2025.estimator import WHOLE
from evenmatch_lab.chen2025.evaluations import ALONE, MADE, RECORDED
from evenmatch_lab.chen2025.evaluations import NUMBERS as EVALUATED
from evenmatch_lab.figures.texts import table
from evenmatch_lab.ours.level_tracking import NUMBERS, numbers_of
from evenmatch_lab.ours.phases import WHOLE as WHOLE_GAMES
from evenmatch_lab.result_files import Results

GAMES = (1, 5, 20, 26, 100)
MAIA = "maia-1100, maia-1500, maia-1900"
#: Methods as the docs call them, the best first.
METHODS = {
    "best": f"ours, with evals, {MAIA}",
    "maia": f"ours, with {MAIA}",
    "evals": "ours, with evals",
    "moves": "ours",
    "theirs": "SE_inf",
}
CALLED = {
    "best": "band accuracy: ours, with evaluations",
    "maia": "... ours, moves alone",
    "evals": "... with `--fast`, with evaluations",
    "moves": "... with `--fast`, moves alone",
    "theirs": "... SE_inf of Chen et al. 2025, our network",
}
PUBLISHED = ["... theirs, on Lichess blitz", "", "", "", "80%", "93%"]


def estimator(rows: Results) -> dict[str, str]:
    """The accuracy of bands and the error of one person's rating, by method and games."""
    row = next(row for row in rows.values() if row["one_person"])
    figures, lines = {}, []
    for short, name in METHODS.items():
        if f"{name}, {WHOLE}" not in row["methods"]:
            continue
        points = {p["games"]: p for p in row["methods"][f"{name}, {WHOLE}"]["points"]}
        cells = []
        for games in GAMES:
            share, *ends = points[games]["exact"]
            low, high = (f"{100 * end:.0f}" for end in ends)
            figures[f"{short}.{games}"] = f"{share:.0%}"
            figures[f"{short}.{games}.ci"] = f"{share:.0%} ({low} to {high})"
            figures[f"{short}.{games}.ends"] = f"{low} to {high}"
            bold = "**" if short == "best" else ""
            cells.append(f"{bold}{share:.0%}{bold} ({low}-{high})")
        lines.append([CALLED[short], *cells])
        figures |= _one_person(short, row["one_person"][name])
    heads = ["games", *map(str, GAMES)]
    return figures | _few_ranks(rows) | {"table": table(heads, [*lines, PUBLISHED])}


def _few_ranks(rows: Results) -> dict[str, str]:
    """The accuracy of networks that were taught some of the ranks, of all, at 26 games."""
    figures = {}
    for key, short in (("two-ranks", "two"), ("three-ranks", "three"), ("short", "all")):
        row = next((row for name, row in rows.items() if name.endswith(f", {key}")), None)
        if row is None:
            continue
        points = {p["games"]: p for p in row["methods"][f"SE_inf, {WHOLE}"]["points"]}
        share, low, high = points[26]["exact"]
        figures[f"ranks.{short}"] = f"{share:.0%}"
        figures[f"ranks.{short}.ends"] = f"{100 * low:.0f} to {100 * high:.0f}"
    return figures


def _one_person(short: str, found: list[dict[str, Any]]) -> dict[str, str]:
    figures = {}
    for point in found:
        figures[f"{short}.person.{point['games']}"] = f"{point['error'][0]:.0f}"
        figures[f"people.{point['games']}"] = str(point["people"])
        if point["held"] is not None:
            figures[f"{short}.held.{point['games']}"] = f"{point['held']:.0%}"
    held = sorted(point["held"] for point in found if point["held"] is not None)
    if held:
        figures[f"{short}.held"] = f"{held[0]:.0%} to {held[-1]:.0%}"
    return figures


def game_speeds(rows: Results) -> dict[str, str]:
    """Shifts by speed, and the errors of query people without and with them."""
    figures: dict[str, str] = {}
    (row,) = rows.values()
    for speed, one in row["speeds"].items():
        query = one["query"]
        less, low, high = query["difference"]
        before, after = query["error"]
        figures |= {
            f"{speed}.shift": f"{one['shift']:+d}",
            f"{speed}.sides": str(query["sides"]),
            f"{speed}.bias": f"{query['bias'][0][0]:.0f}",
            f"{speed}.errors": f"from {before:.0f} to {after:.0f}",
            f"{speed}.difference": f"{less:+.0f} ({low:+.0f} to {high:+.0f})",
        }
    return figures


def evaluations(rows: Results) -> dict[str, str]:
    """Accuracies with evaluations of three kinds, and their differences in percentage points."""
    (row,) = rows.values()
    heads = ["games", *map(str, EVALUATED)]
    lines = []
    for way, shares in row["shares"].items():
        cells = [f"{x:.0%} ({100 * a:.0f}-{100 * b:.0f})" for x, a, b in shares["exact"]]
        lines.append([way, *cells])
    figures = {"table": table(heads, lines), "people": f"{row['people']:,}"}
    figures["sides"] = f"{row['sides']:,}"
    at = EVALUATED.index(20)
    for key, of, less in (("made.alone", MADE, ALONE), ("made.recorded", MADE, RECORDED)):
        one = next(x for x in row["differences"] if (x["of"], x["from"]) == (of, less))
        mean, low, high = (100 * x for x in one["exact"][at])
        figures[f"{key}.20"] = f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"
    share, low, high = row["shares"][MADE]["exact"][at]
    figures["made.20.ci"] = f"{share:.0%} ({100 * low:.0f} to {100 * high:.0f})"
    for key, way in (("made", MADE), ("alone", ALONE), ("recorded", RECORDED)):
        figures[f"{key}.one"] = f"{row['one_game'][way]['error'][0]:.0f}"
    return figures


def phases(rows: Results) -> dict[str, str]:
    """The error of ratings told from each phase, and how many intervals hold and say something."""
    (row,) = rows.values()
    numbers = [one["games"] for one in row[WHOLE_GAMES]["person"]]
    lines = []
    for name in (WHOLE_GAMES, *PHASES):
        pairs = zip(row[name]["person"], row[name]["told"], strict=True)
        cells = [f"{x['error'][0]:.0f} ({x['held']:.0%}, {says:.0%})" for x, says in pairs]
        lines.append([name, *cells])
    people = ["people", *(str(one["people"]) for one in row[WHOLE_GAMES]["person"])]
    return {"table": table(["games", *map(str, numbers)], [people, *lines])}


def level_tracking(rows: Results) -> dict[str, str]:
    """The error of a person's level and the coverage of its interval, by number of games."""
    people = next(row for row in rows.values() if "people" in row and "scores" not in row)["people"]
    figures = {"people": str(len(people))}
    for number in NUMBERS:
        error, holds, _ = numbers_of(people, number, "both")
        figures[f"error.{number}"] = error.partition(" ")[0]
        figures[f"holds.{number}"] = holds.partition(" ")[0]
        glicko = numbers_of(people, number, "Glicko-2")[0]
        figures[f"glicko.{number}"] = glicko.partition(" ")[0]
    return figures
