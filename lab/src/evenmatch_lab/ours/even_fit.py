"""The style in which ``even`` answers each level it may see, found by playing: ours.

Stochastic approximation (Robbins and Monro 1951). In every round even meets each of the five
tuning opponents as strangers, and the answers to the levels that it saw in a game move against the
game's result, in steps that become smaller. Levels count as they were seen at the end of the game:
at first everybody is taken to be strong. What is kept is the mean of the answers over the last
half of the rounds (Polyak and Juditsky 1992); it belongs into strength/constants.py.
"""

from functools import partial
from pathlib import Path

import numpy as np

from evenmatch.arena import Pairing, play
from evenmatch.games import get_game
from evenmatch.progress import Progress
from evenmatch.ratings import Score
from evenmatch.strength import SEEN, STRONGEST, STYLES, EvenConfig
from evenmatch_lab.runner import Experiment, Part, Results, digest, figure
from evenmatch_lab.shared import opponents
from evenmatch_lab.shared.opponents import GAME_IDS, both, imbalance, row_of

GAMES_EACH, ROUNDS, SEED = {"connect4": 20, "othello6": 20, "othello": 12}, 10, 8
RATE, SLOWER = 2.5, 3.0  # the first step in styles, and after how many rounds it is half
STILL = 5.0  # games' worth of doubt: levels that were hardly seen hardly move
START = tuple(np.linspace(0, STRONGEST, len(SEEN)))


def parts(quick: bool) -> dict[str, Part]:
    """One part a round."""
    rivals = opponents.specs(opponents.TUNING, quick)
    rounds = 2 if quick else ROUNDS
    by_key: dict[str, Part] = {}
    for game_id in GAME_IDS:
        games = 2 if quick else GAMES_EACH[game_id]
        settings = {
            "opponents": rivals,
            "games": games,
            "seed": SEED,
            "seen": SEEN,
            "start": START,
            "styles": str(STYLES),
            "numbers": str(EvenConfig()),
            "rate": [RATE, SLOWER, STILL],
            "network": digest(game_id),
        }
        small = ",sims=8" if quick else ""
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
    pairings = [
        Pairing(*((0, o) if g % 2 == 0 else (o, 0)))
        for o in range(1, 1 + len(rivals))
        for g in range(games)
    ]
    seen = np.zeros((len(pairings), len(SEEN)))  # chances of each level at the latest own move

    def watch(entrant, turns, mover):
        if entrant == 0:
            for game in map(int, turns.games):
                seen[game] = mover.controller(game).belief.probabilities

    played = play(
        [spec, *rivals.values()],
        pairings,
        get_game(game_id),
        seed=SEED + 1000 * k,
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


def rounds_of(results: Results, game_id: str) -> list[dict]:
    """Return the rounds of a game, in order."""
    return [row for name, row in results.items() if name.startswith(f"{game_id}, ")]


def fitted(rounds: list[dict]) -> np.ndarray:
    """Return the mean answers [L] of the last half of the rounds."""
    return np.mean([row["answers"] for row in rounds[len(rounds) // 2 :]], axis=0)


def late_scores(rounds: list[dict]) -> dict[str, Score]:
    """Add up the results of the last half of the rounds, by opponent."""
    late = rounds[len(rounds) // 2 :]
    return {
        name: sum((both(row["table"][name]) for row in late[1:]), both(late[0]["table"][name]))
        for name in late[0]["table"]
    }


def plot(results: Results, path: Path) -> None:
    """Draw the answers, and how far the rounds were from even."""
    for axes in figure(path, 2, width=9.0):
        for game_id in GAME_IDS:
            rounds = rounds_of(results, game_id)
            title = get_game(game_id).title
            axes[0].plot(range(len(SEEN)), fitted(rounds), "o-", ms=3, label=title)
            strays = [
                np.mean([abs(imbalance(both(sides))) for sides in row["table"].values()])
                for row in rounds
            ]
            axes[1].plot(range(1, 1 + len(rounds)), strays, "o-", ms=3, label=title)
        axes[0].set(title="answers", xlabel="level seen", ylabel="style played")
        axes[0].legend(frameon=False, fontsize=8)
        axes[1].set(title="towards even", xlabel="round", ylabel="mean abs(W - L)", ylim=(0, 1))
        for axis in axes:
            axis.grid(alpha=0.3)


def page(results: Results) -> list[str]:
    """Write the answers and the scores of the later rounds."""
    levels = range(len(SEEN))
    lines = [
        "Levels go from random (0) to full strength; so do styles. The estimate says how an "
        "opponent moves. The answer says how strong it proves to be, and so may fall where a "
        "higher level is estimated.",
        "",
        f"| game | {' | '.join(map(str, levels))} |",
        f"|---|{'---:|' * len(SEEN)}",
    ]
    for game_id in GAME_IDS:
        cells = " | ".join(f"{style:.1f}" for style in fitted(rounds_of(results, game_id)))
        lines.append(f"| {get_game(game_id).title} | {cells} |")
    lines += [
        "",
        "Won - lost - drawn in the last half of the rounds, while the answers still moved:",
        "",
        f"| game | {' | '.join(opponents.TUNING)} | seconds |",
        f"|---|{'---:|' * (1 + len(opponents.TUNING))}",
    ]
    for game_id in GAME_IDS:
        rounds = rounds_of(results, game_id)
        scores = late_scores(rounds).values()
        cells = " | ".join(f"{s.wins}-{s.losses}-{s.draws}" for s in scores)
        seconds = sum(row["seconds"] for row in rounds)
        lines.append(f"| {get_game(game_id).title} | {cells} | {seconds:.0f} |")
    each = [str(rounds_of(results, game_id)[0]["settings"]["games"]) for game_id in GAME_IDS]
    return [
        *lines,
        "",
        f"{', '.join(each)} games with each opponent a round, half with each side; seed {SEED}.",
    ]


EXPERIMENT = Experiment(
    "even_fit",
    "How even answers the levels it sees, fitted by playing",
    parts,
    page,
    plot,
)
