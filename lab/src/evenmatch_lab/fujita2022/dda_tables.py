"""Tables 5-13 of Fujita 2022: AlphaDDA1-3 against eight opponents, by side and together.

``constants=fitted`` are those that the experiment grid_search found for our networks, as the
paper's were found for its own; ``paper`` are the published ones, with our networks, in fewer games.
"""

from functools import partial

from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch.ratings import Score
from evenmatch.strength import CONSTANTS, WITH_QUIRKS
from evenmatch_lab.fujita2022.published import DDA_TABLES
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.opponents import GAME_IDS, both, by_side, imbalance, meet, score_of

GAMES_EACH, SEED = {"fitted": 100, "paper": 40}, 2
METHODS = ("alphadda1", "alphadda2", "alphadda3")


def parts(quick: bool) -> dict[str, Part]:
    """One part for each game and set of constants: its three methods play side by side."""
    each = dict.fromkeys(GAMES_EACH, 2) if quick else GAMES_EACH
    rivals = opponents.specs(quick=quick)
    return {
        f"{game_id}, {constants}": Part(
            {
                "players": [player(method, constants, quick) for method in METHODS],
                "opponents": rivals,
                "games": each[constants],
                "seed": SEED,
                "network": digest(game_id),
                "constants": [str(CONSTANTS[constants][m][game_id]) for m in METHODS],
            },
            partial(measure, game_id, constants, rivals, each[constants], quick),
        )
        for game_id in GAME_IDS
        for constants in GAMES_EACH
    }


def player(method: str, constants: str, quick: bool) -> str:
    """Return the spec of a method; with the quirks of the authors' code if fitted with them."""
    quirks = "on" if method in WITH_QUIRKS[constants] else "off"
    small = {"alphadda1": ",nmax=16"}.get(method, ",sims=16") if quick else ""
    return f"{method}:constants={constants},quirks={quirks}{small}"


def measure(
    game_id: str,
    constants: str,
    rivals: dict[str, str],
    games: int,
    quick: bool,
    progress: Progress,
    done: Results,
) -> dict:
    """Play all three methods against all opponents."""
    players = [player(method, constants, quick) for method in METHODS]
    tables = meet(players, rivals, get_game(game_id), games, SEED, progress)
    return {"tables": dict(zip(METHODS, tables, strict=True))}


def page(results: dict) -> list[str]:
    """Set the paper's tables beside ours."""
    lines = [
        "Each entry is wins - losses - draws of 100 (each side: 50), or as many as stated. `W - L` "
        "is the win rate less the loss rate with its 95% interval; 0 is an even match. The mean of "
        "abs(W - L) cannot be 0: two equals who never draw show 0.08 in 100 games, 0.13 in 40. "
        "*By side* takes the games moved first and second apart: a player may be even in sum and "
        "win with one side what it loses with the other. Opponents "
        f"never used for fitting: {', '.join(opponents.HELD_OUT)}.",
        "",
        "| game | constants | method | mean abs(W - L), 8 opponents | paper's | by side |",
        "|---|---|---|---:|---:|---:|",
    ]
    for key, row in results.items():
        game_id, _, constants = key.partition(", ")
        for method, table in row["tables"].items():
            ours = mean_imbalance({name: both(sides) for name, sides in table.items()})
            theirs = mean_imbalance(paper_scores(game_id, method))
            title = get_game(game_id).title
            apart = sum(map(by_side, table.values())) / len(table)
            lines.append(
                f"| {title} | {constants} | {method} | {ours:.2f} | {theirs:.2f} | {apart:.2f} |"
            )
    for key, row in results.items():
        lines += table_lines(key, row)
    return lines


def paper_scores(game_id: str, method: str) -> dict[str, Score]:
    """Return the paper's results as counts of 100 games."""
    return {name: score_of(row) for name, row in DDA_TABLES[game_id][method].items()}


def mean_imbalance(scores: dict[str, Score]) -> float:
    """Return the mean of |W - L| over opponents."""
    return sum(abs(imbalance(score)) for score in scores.values()) / len(scores)


def table_lines(key: str, row: dict) -> list[str]:
    """Write one game's table."""
    game_id, _, constants = key.partition(", ")
    settings = row["settings"]
    lines = [
        "",
        f"## {get_game(game_id).title}, {constants} constants",
        "",
        f"{settings['games']} games against each, seed {settings['seed']}, {row['seconds']:.0f} s "
        "for the whole table.",
    ]
    for method, constants in zip(METHODS, settings["constants"], strict=True):
        lines += ["", f"**{method}** `{constants}`", ""]
        lines += [
            "| opponent | paper | ours | W - L (95%) | moving first | moving second |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        published = paper_scores(game_id, method)
        for name, sides in row["tables"][method].items():
            score = both(sides)
            low, high = (2 * x - 1 for x in score.interval())
            cells = [counts(published[name]), counts(score)]
            cells.append(f"{imbalance(score):+.2f} ({low:+.2f} to {high:+.2f})")
            cells += [counts(score_of(sides[side])) for side in ("first", "second")]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def counts(score: Score) -> str:
    """Write a score."""
    return f"{score.wins} - {score.losses} - {score.draws}"


EXPERIMENT = Experiment(
    "dda_tables",
    "AlphaDDA1-3 against eight opponents (Fujita 2022, tables 5-13)",
    parts,
    page,
)
