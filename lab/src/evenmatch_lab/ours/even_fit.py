"""The style in which ``even`` answers each level it may see, found by playing: ours.

Stochastic approximation (Robbins and Monro 1951). In every round even meets each of the tuning
opponents as strangers, and the answers to the levels that it saw in a game move against the
game's result, in steps that become smaller. Levels count as they were seen at the end of the game:
at first everybody is taken to be strong. What is kept is the mean of the answers over the last
half of the rounds (Polyak and Juditsky 1992); it belongs into strength/constants.py. Two games at a
time start from the same random plies, none of which is an opening of evenness, where the answers
are reported.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from evenmatch.arena import play
from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch.strength import ANSWERS, SEEN, STRONGEST, STYLES, EvenConfig
from evenmatch_lab.ours import evenness
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.imbalances import drawn_mean, mean_imbalance
from evenmatch_lab.shared.opponents import (
    FEW,
    GAME_IDS,
    OPENING_PLIES,
    Row,
    added_up,
    both,
    distinct_text,
    either_side,
    openings_of,
    row_of,
)

SEED = 8
GAMES_EACH = {"connect4": 20, "othello6": 20, "othello": 12, "go9": 6}  # a round, each opponent
ROUNDS = {"connect4": 8, "othello6": 8, "othello": 6, "go9": 4}
RATE, SLOWER = 2.5, 3.0  # the first step in styles, and after how many rounds it is half
STILL = 5.0  # games' worth of doubt: levels that were hardly seen hardly move
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
            "avoids": {"openings of evenness": [evenness.SIZES[game_id].games, evenness.SEED]},
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

    def watch(entrant, turns, mover):
        if entrant == 0:
            for game in map(int, turns.games):
                seen[game] = mover.controller(game).belief.probabilities

    played = play(
        [spec, *rivals.values()],
        pairings,
        game,
        seed=seed,
        lines=openings_of(game, pairings, seed, evenness.reported_openings(game)),
        progress=progress,
        watch=watch,
    )
    results = np.array([g.result if g.pairing.first == 0 else -g.result for g in played])
    return {
        "answers": [round(x, 4) for x in moved(before, seen, results, k)],
        "table": {name: row_of(played, 0, o) for o, name in enumerate(rivals, start=1)},
    }


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
    levels, games = range(len(SEEN)), games_of(results)
    names = list(rounds_of(results, games[0])[0]["table"])
    lines = [
        "Levels go from random (0) to full strength; so do styles. The estimate says how an "
        "opponent moves. The answer says how strong it proves to be, and so may fall where a "
        "higher level is estimated.",
        "",
        f"| game | {' | '.join(map(str, levels))} |",
        f"|---|{'---:|' * len(SEEN)}",
    ]
    for game_id in games:
        cells = " | ".join(f"{style:.1f}" for style in fitted(rounds_of(results, game_id)))
        lines.append(f"| {get_game(game_id).title} | {cells} |")
    lines += [
        "",
        "Won - lost - drawn in the last half of the rounds, while the answers still moved:",
        "",
        f"| game | {' | '.join(names)} | mean abs(W - L) (95%) | seconds |",
        f"|---|{'---:|' * (2 + len(names))}",
    ]
    for game_id in games:
        rounds = rounds_of(results, game_id)
        rows = late_rows(rounds)
        cells = " | ".join(f"{s.wins}-{s.losses}-{s.draws}" for s in map(both, rows.values()))
        seconds = sum(row["seconds"] for row in rounds)
        title = get_game(game_id).title
        lines.append(f"| {title} | {cells} | {drawn_mean(rows).text()} | {seconds:.0f} |")
    return [*lines, "", *closing_lines(results, games)]


def closing_lines(results: Results, games: Sequence[str]) -> list[str]:
    """Say how games were played, and how far the answers that ship are from these."""
    played, apart = [], []
    for game_id in games:
        rounds, title = rounds_of(results, game_id), get_game(game_id).title
        settings = rounds[0]["settings"]
        rows = [row for one in rounds for row in one["table"].values()]
        played.append(
            f"{title} {settings['games']} games with each opponent a round, openings of "
            f"{settings['openings']} random plies, {distinct_text(rows)}"
        )
        differences = np.abs(fitted(rounds) - np.array(ANSWERS[game_id]))
        level = int(differences.argmax())
        apart.append(f"{title} {differences[level]:.1f} styles (level {level})")
    return [
        f"{'; '.join(played)}. Pairs of games are from one opening with either side, and the unit "
        f"of the intervals; seed {SEED}.",
        "",
        "The answers that ship are those of `strength/constants.py`. The largest difference from "
        f"the ones above: {', '.join(apart)}.",
    ]


EXPERIMENT = Experiment(
    "even_fit",
    "How even answers the levels it sees, fitted by playing",
    parts,
    page,
    plot,
    games=("go9",),
)
