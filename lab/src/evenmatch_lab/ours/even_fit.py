"""The style in which ``even`` answers each level it may see, found by playing: ours.

Stochastic approximation (Robbins and Monro 1951). In every round even meets each of the tuning
opponents as strangers, and the answers to the levels that it saw in a game move against the
game's result, in steps that become smaller. Levels count as they were seen at the end of the game:
at first everybody is taken to be strong. What is kept is the mean of the answers over the last
half of the rounds (Polyak and Juditsky 1992); it belongs into strength/constants.py. Two games at a
time start from the same random plies, none of which is an opening of evenness, where the answers
are reported.
"""

from functools import partial
from pathlib import Path

import numpy as np

from evenmatch.games import get_game
from evenmatch.games.game import Game
from evenmatch.opponents.even import SEEN, EvenConfig
from evenmatch.opponents.fitted import ANSWERS
from evenmatch.play.arena import play
from evenmatch.progress import Progress
from evenmatch.search.styles import STRONGEST, STYLES
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.even_games import series_rounds
from evenmatch_lab.shared.imbalances import drawn_mean, mean_imbalance
from evenmatch_lab.shared.opponents import (
    FEW,
    GAME_IDS,
    OPENING_PLIES,
    Row,
    added_up,
    both,
    distinct_share,
    either_side,
    lines_met,
    openings_of,
    row_of,
)

SEED = 8
GAMES_EACH = {"connect4": 20, "othello6": 20, "othello": 12, "go9": 6}  # a round, each opponent
ROUNDS = {"connect4": 8, "othello6": 8, "othello": 6, "go9": 4}
RATE, SLOWER = 2.5, 3.0  # the first step in styles, and after how many rounds it is half
STILL = 5.0  # games' worth of doubt: levels that were hardly seen hardly move
#: Games and series with each opponent, in openings of which the answers are reported.
AVOIDED = {"connect4": (100, 5), "othello6": (100, 5), "othello": (40, 5), "go9": (8, 2)}
AVOIDED_SEED = 7
START = tuple(np.linspace(0, STRONGEST, len(SEEN)))


def parts(quick: bool, *game_ids: str) -> dict[str, Part]:
    """One part a round."""
    by_key: dict[str, Part] = {}
    for game_id in game_ids or GAME_IDS:
        rivals = opponents.specs(opponents.tuning_at(game_id, quick), quick)
        rounds = 2 if quick else ROUNDS[game_id]
        games = 2 if quick else GAMES_EACH[game_id]
        settings = {
            "opponents": rivals,
            "games": games,
            "openings": OPENING_PLIES[game_id],
            "seed": SEED,
            "avoids": {"openings of evenness": [AVOIDED[game_id][0], AVOIDED_SEED]},
            "seen": SEEN,
            "start": START,
            "styles": str(STYLES),
            "numbers": str(EvenConfig()),
            "rate": [RATE, SLOWER, STILL],
            "network": digest(game_id),
        }
        small = f",sims={FEW},looks=1" if quick else f",looks={EvenConfig().looks}"
        for k in range(rounds):
            by_key[key(game_id, k)] = Part(
                settings | {"round": k},
                partial(measure, game_id, k, games, rivals, small),
                (key(game_id, k - 1),) if k else (),
            )
    return by_key


def key(game_id: str, k: int) -> str:
    """Return the name of a round's part."""
    return f"{game_id}, round {k + 1}"


def measure(
    game_id: str,
    k: int,
    games: int,
    rivals: dict[str, str],
    small: str,
    progress: Progress,
    done: Results,
) -> dict:
    """Play a round with the answers of the one before, and move them."""
    before = np.array(done[key(game_id, k - 1)]["answers"] if k else START)
    spec = "even:answers=" + "/".join(f"{style:.4g}" for style in before) + small
    game, seed = get_game(game_id), SEED + 1000 * k
    pairings = [pairing for o in range(1, 1 + len(rivals)) for pairing in either_side(0, o, games)]
    seen = np.zeros((len(pairings), len(SEEN)))  # chances of each level at the latest own move

    def watch(entrant, games, decisions, player):
        if entrant == 0:
            for at, decision in zip(games, decisions, strict=True):
                seen[at] = player.controller.belief(decision.mind).probabilities

    played = play(
        [spec, *rivals.values()],
        pairings,
        game,
        seed=seed,
        lines=openings_of(game, pairings, seed, avoided(game)),
        progress=progress,
        watch=watch,
    )
    results = np.array([g.result if g.pairing.first == 0 else -g.result for g in played])
    return {
        "answers": [round(x, 4) for x in moved(before, seen, results, k)],
        "table": {name: row_of(played, 0, o) for o, name in enumerate(rivals, start=1)},
    }


def avoided(game: Game) -> list[list[int]]:
    """Return the openings in which the answers are reported."""
    games, lanes = AVOIDED[game.id]
    rounds = series_rounds([(1, lane) for lane in range(lanes)], games, lanes)
    series = openings_of(game, [one for some in rounds for one in some], AVOIDED_SEED)
    return [*lines_met(game, games, AVOIDED_SEED), *series.values()]


def moved(answers: np.ndarray, seen: np.ndarray, results: np.ndarray, k: int) -> np.ndarray:
    """Return the answers [L] after round ``k``.

    ``seen`` [n, L] are the chances of each level by game, ``results`` [n] are from -1 to 1.
    """
    steps = results @ seen / (STILL + seen.sum(0))
    after = np.clip(answers - RATE / (1 + k / SLOWER) * steps, 0, STRONGEST)
    after[-1] = STRONGEST  # whoever moves as full strength does is met by full strength
    return after


def games_of(results: Results) -> list[str]:
    """Return the games that there are rounds of."""
    return list(dict.fromkeys(name.partition(", ")[0] for name in results))


def rounds_of(results: Results, game_id: str) -> list[dict]:
    """Return the rounds of a game, in order."""
    return [row for name, row in results.items() if name.startswith(f"{game_id}, ")]


def fitted(rounds: list[dict]) -> np.ndarray:
    """Return the mean answers [L] of the last half of the rounds."""
    return np.mean([row["answers"] for row in rounds[len(rounds) // 2 :]], axis=0)


def late_rows(rounds: list[dict]) -> dict[str, Row]:
    """Add up the results of the last half of the rounds, by opponent."""
    tables = [row["table"] for row in rounds[len(rounds) // 2 :]]
    return {name: added_up([table[name] for table in tables]) for name in tables[0]}


def plot(results: Results, path: Path) -> None:
    """Draw the answers, and how far the rounds were from even."""
    for axes in figure(path, 2, width=9.0):
        for game_id in games_of(results):
            rounds = rounds_of(results, game_id)
            title = get_game(game_id).title
            axes[0].plot(range(len(SEEN)), fitted(rounds), "o-", ms=3, label=title)
            strays = [mean_imbalance(row["table"]) for row in rounds]
            axes[1].plot(range(1, 1 + len(rounds)), strays, "o-", ms=3, label=title)
        axes[0].set(title="answers", xlabel="level seen", ylabel="style played")
        axes[0].legend(frameon=False, fontsize=8)
        axes[1].set(title="towards even", xlabel="round", ylabel="mean abs(W - L)", ylim=(0, 1))
        for axis in axes:
            axis.grid(alpha=0.3)


def page(results: Results) -> list[str]:
    """Write the answers and the scores of the later rounds."""
    games = games_of(results)
    answers, scores = [], []
    for game_id in games:
        rounds, title = rounds_of(results, game_id), get_game(game_id).title
        settings, rows = rounds[0]["settings"], late_rows(rounds)
        found = fitted(rounds)
        apart = np.abs(found - np.array(ANSWERS[game_id]))
        answers.append([title, *(f"{style:.1f}" for style in found)])
        answers[-1].append(f"{apart.max():.1f} (level {apart.argmax()})")
        scores.append(
            [title, *(f"{s.wins}-{s.losses}-{s.draws}" for s in map(both, rows.values()))]
        )
        scores[-1] += [drawn_mean(rows).text(), str(settings["games"]), str(settings["openings"])]
        every = [row for one in rounds for row in one["table"].values()]
        scores[-1] += [distinct_share(every), f"{sum(row['seconds'] for row in rounds):.0f}"]
    names = list(rounds_of(results, games[0])[0]["table"])
    heads = ["game", *names, "mean abs(W - L) (95%)", "games with each a round"]
    heads += ["opening plies", "distinct", "seconds"]
    levels = list(map(str, range(len(SEEN))))
    return [
        "Style that answers each level:",
        "",
        table(["game", *levels, "largest difference from what ships"], answers),
        "",
        "Won - lost - drawn in the last half of the rounds:",
        "",
        table(heads, scores),
    ]


EXPERIMENT = Experiment(
    "even_fit",
    "How even answers the levels it sees, fitted by playing",
    parts,
    page,
    plot,
    games=("go9",),
)
