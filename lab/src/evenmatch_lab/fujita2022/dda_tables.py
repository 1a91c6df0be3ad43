"""Tables 5-13 of Fujita 2022: AlphaDDA1-3 against eight opponents, by side and together.

``fitted`` are the constants that the experiment grid_search found for our networks, as the paper's
were found for its own; ``paper`` are the published ones, with our networks. ``plain`` is the
paper's proposal for programs without a policy: MCTS and minimax that evens out by a network's
value; the paper has no numbers of it.
"""

from collections.abc import Mapping
from functools import partial

from evenmatch.games import get_game
from evenmatch.opponents.fitted import CONSTANTS, WITH_QUIRKS
from evenmatch.progress import Progress
from evenmatch_lab.fujita2022.published import DDA_TABLES
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.imbalances import (
    compared,
    drawn_mean,
    mean_by_side,
    mean_imbalance,
    mean_in,
    overall,
)
from evenmatch_lab.shared.opponents import (
    FEW,
    GAME_IDS,
    OPENING_PLIES,
    Row,
    both,
    distinct_share,
    imbalance,
    imbalance_interval,
    lines_met,
    meet,
    score_of,
)

#: With each opponent. On 8x8 games take longest, so that there are fewer.
GAMES_EACH = {"connect4": 100, "othello6": 100, "othello": 40}
SEED = 2
METHODS = ("alphadda1", "alphadda2", "alphadda3")
PLAIN = ("mctsdda", "minimaxdda")
SETS = {"fitted": METHODS, "paper": METHODS, "plain": PLAIN}  #: constants -> methods


def parts(quick: bool) -> dict[str, Part]:
    """One part for each game and set of constants: its methods play side by side."""
    rivals = opponents.specs(quick=quick)
    games = dict.fromkeys(GAME_IDS, 2) if quick else GAMES_EACH
    return {
        f"{game_id}, {constants}": Part(
            {
                "players": [player(method, constants, quick) for method in methods],
                "opponents": rivals,
                "games": games[game_id],
                "openings": OPENING_PLIES[game_id],
                "seed": SEED,
                "network": digest(game_id),
                "constants": [constants_of(method, constants, game_id) for method in methods],
            },
            partial(measure, game_id, constants, rivals, games[game_id], quick),
        )
        for game_id in GAME_IDS
        for constants, methods in SETS.items()
    }


def reported_openings(game_id: str) -> list[list[int]]:
    """Return the openings of these tables, which those who tune constants avoid."""
    return lines_met(get_game(game_id), GAMES_EACH[game_id], SEED)


def player(method: str, constants: str, quick: bool) -> str:
    """Return the spec of a method; with the quirks of the authors' code if fitted with them."""
    if method in PLAIN:
        return method + (f":nmax={FEW}" if method == "mctsdda" and quick else "")
    quirks = "on" if method in WITH_QUIRKS[constants] else "off"
    small = {"alphadda1": f",nmax={FEW}"}.get(method, f",sims={FEW}") if quick else ""
    return f"{method}:constants={constants},quirks={quirks}{small}"


def constants_of(method: str, constants: str, game_id: str) -> str:
    """Write a method's constants."""
    return "as it is" if method in PLAIN else str(CONSTANTS[constants][method][game_id])


def measure(
    game_id: str,
    constants: str,
    rivals: dict[str, str],
    games: int,
    quick: bool,
    progress: Progress,
    done: Results,
) -> dict:
    """Play the methods of a set against all opponents."""
    methods = SETS[constants]
    players = [player(method, constants, quick) for method in methods]
    tables = meet(players, rivals, get_game(game_id), games, SEED, progress)
    return {"tables": dict(zip(methods, tables, strict=True))}


def page(results: Results) -> list[str]:
    """Set the paper's tables beside ours."""
    heads = ["game", "constants", "method", "mean abs(W - L), 8 opponents (95%)", "paper's"]
    heads += ["the paper's in as many games (95%)", "than the paper", "by side", "paper's"]
    heads += ["loses to", "in the paper to", "distinct games"]
    rows = [
        summary(key, method, own, row["settings"]["games"])
        for key, row in results.items()
        for method, own in row["tables"].items()
    ]
    lines = [table(heads, rows, left=(0, 1, 2, 6, 9, 10, 11))]
    for key, row in results.items():
        lines += table_lines(key, row)
    return lines


def summary(key: str, method: str, own: Mapping[str, Row], games: int) -> list[str]:
    """Return the cells that say how even a method is, and how it compares with the paper's.

    The paper's mean is given too as its shares would show it in as many games as ours has: the
    fewer games, the larger such a mean by chance.
    """
    game_id, _, constants = key.partition(", ")
    paper = paper_rows(game_id, method)
    cells = [get_game(game_id).title, constants, method, drawn_mean(own).text()]
    if paper:
        sign = compared(own, paper, overall)
        cells += [f"{mean_imbalance(paper):.2f}", mean_in(paper, games).text()]
        cells.append({1: "less even", -1: "more even", 0: "undecided"}[sign])
        cells += [f"{mean_by_side(own):.2f}", f"{mean_by_side(paper):.2f}"]
        cells += [losing(own), losing(paper)]
    else:
        cells += ["-", "-", "-", f"{mean_by_side(own):.2f}", "-", losing(own), "-"]
    return [*cells, distinct_share(own.values())]


def losing(rows: Mapping[str, Row]) -> str:
    """Name the opponents against whom there are fewer wins than losses."""
    names = [name for name, row in rows.items() if imbalance(both(row)) < 0]
    if len(names) == len(rows):
        return "all"
    return ", ".join(names) or "none"


def paper_rows(game_id: str, method: str) -> dict[str, Row]:
    """Return the paper's results by opponent, as ours have them but for pairs."""
    published = DDA_TABLES[game_id].get(method, {})
    return {
        name: {"first": list(first), "second": list(second)}
        for name, (first, second) in published.items()
    }


def table_lines(key: str, row: dict) -> list[str]:
    """Write one game's table."""
    game_id, _, constants = key.partition(", ")
    settings = row["settings"]
    lines = ["", f"## {get_game(game_id).title}, {constants} constants", ""]
    lines.append(
        f"{settings['games']} games with each, openings of {settings['openings']} plies, seed "
        f"{settings['seed']}, {row['seconds']:.0f} s"
    )
    for (method, own), numbers in zip(row["tables"].items(), settings["constants"], strict=True):
        lines += ["", f"**{method}** `{numbers}`", "", method_table(game_id, method, own)]
    return lines


def method_table(game_id: str, method: str, own: Mapping[str, Row]) -> str:
    """Write a method's results beside the paper's, where it has some."""
    paper = paper_rows(game_id, method)
    columns = ["all", "moving first", "moving second"]
    heads = [f"{column}{of}" for column in columns for of in (["", ", paper"] if paper else [""])]
    rows = []
    for name, row in own.items():
        cells = [name]
        for view in (both, lambda x: score_of(x["first"]), lambda x: score_of(x["second"])):
            scores = [view(x) for x in ([row, paper[name]] if paper else [row])]
            cells += [f"{score.wins} - {score.losses} - {score.draws}" for score in scores]
        low, high = imbalance_interval(row)
        cells.append(f"{imbalance(both(row)):+.2f} ({low:+.2f} to {high:+.2f})")
        rows.append([*cells, str(row["distinct"])])
    return table(["opponent", *heads, "W - L (95%)", "distinct"], rows)


EXPERIMENT = Experiment(
    "dda_tables",
    "AlphaDDA1-3 against eight opponents (Fujita 2022, tables 5-13)",
    parts,
    page,
)
