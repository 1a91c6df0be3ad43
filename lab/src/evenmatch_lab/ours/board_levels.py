"""Does the interval of a level on a board game hold the truth? Simulated people say so.

They are players of Fujita 2022 that the scale is not made of and that no calibration met. Each
plays ten games a time, again and again, and is told a level as `evenmatch me` tells it, by moves
and results. How strong they are is measured in games against the scale's own players.
"""

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.arena import Played, play
from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.players.anchors import ANCHORS, rating_of_anchor
from evenmatch.players.table import parse_spec
from evenmatch.profiles import Finished, Outcome, Profile
from evenmatch.profiles.judges import DIAL, judge_of
from evenmatch.progress import Progress
from evenmatch.ratings import BradleyTerry, PairingScore
from evenmatch.sessions.saved import Saved
from evenmatch.strength.dials import curve_of
from evenmatch_lab.runner import Experiment, Part, Results, digest
from evenmatch_lab.shared.intervals import share_text, wilson
from evenmatch_lab.shared.opponents import OPPONENTS, both, either_side, meet

GAME = "connect4"  #: the one with a curve that ships
PEOPLE = ("MCTS3", "MCTS4", "Minimax1", "Minimax2")
MEET = {"MCTS2": "mcts:sims=100", "style at 1500": "style:elo=1500"}
ROUNDS, GAMES, SEED = 10, 10, 61
QUICK_ROUNDS, QUICK_GAMES = 2, 3
TRUTH = {"MCTS1": "mcts:sims=300", "MCTS2": "mcts:sims=100"}
OF_TRUTH, QUICK_OF_TRUTH = 100, 4  #: games against each of them
AFTER = (1, 3, 10)  #: games


def parts(quick: bool) -> dict[str, Part]:
    """What each player scores, and a part for each of them and an opponent."""
    judge, curve = judge_of(GAME), curve_of(GAME, DIAL)
    if judge is None or curve is None:
        raise UsageError(f"{GAME} has no levels; evenmatch calibrate {GAME}")
    rounds, games = (QUICK_ROUNDS, QUICK_GAMES) if quick else (ROUNDS, GAMES)
    of_truth = QUICK_OF_TRUTH if quick else OF_TRUTH
    by_key = {}
    for name in PEOPLE:
        spec = OPPONENTS[name]
        settings = {"player": spec, "against": list(TRUTH.values()), "seed": SEED}
        run = partial(strength, spec, of_truth)
        by_key[f"{name} truth"] = Part(settings | {"games": of_truth}, run)
    for other, opponent in MEET.items():
        for name in PEOPLE:
            spec = OPPONENTS[name]
            settings = {
                "players": [spec, opponent],
                "network": digest(GAME),
                "judge": judge.key,
                "correlation": judge.correlation,
                "unlike": judge.unlike,
                "curve": list(curve.ratings),
                "rounds": rounds,
                "games": games,
                "seed": SEED,
            }
            run = partial(levels, spec, opponent, rounds, games)
            by_key[f"{name} against {other}"] = Part(settings, run)
    return by_key


def strength(spec: str, games: int, progress: Progress, done: Results) -> dict[str, Any]:
    """Return a player's Elo by games against players of the scale, with a 95% interval."""
    [rows] = meet([spec], TRUTH, get_game(GAME), games, SEED, progress)
    scores = [PairingScore(first=spec, second=name, score=both(row)) for name, row in rows.items()]
    known = {one.name: one.rating for one in ANCHORS[GAME] if one.name in TRUTH and one.rating}
    table = BradleyTerry(anchors=known).fit(scores)
    rating = next(one for one in table.ratings if one.name == spec)
    return {
        "elo": round(rating.elo, 1),
        "ends": [round(rating.low, 1), round(rating.high, 1)],
        "rows": rows,
    }


def levels(
    spec: str, opponent: str, rounds: int, games: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return what a player is told after some games, [rating, low, high] by round and number."""
    pairings = either_side(0, 1, rounds * games)
    played = play([spec, opponent], pairings, get_game(GAME), seed=SEED, progress=progress)
    told = []
    with tempfile.TemporaryDirectory() as folder:
        profile = Profile(Path(folder))
        for at in range(rounds):
            person, some = f"round {at}", played[at * games : (at + 1) * games]
            profile.games.add(
                (f"{at}-{number}", finished(one, person, opponent, number))
                for number, one in enumerate(some)
            )
            history = profile.levels.history(person, GAME)
            told.append([[round(x, 1) for x in one[1:4]] for one in history])
        profile.close()
    return {"told": told, "distinct": len({one.actions for one in played})}


def finished(played: Played, person: str, opponent: str, number: int) -> Finished:
    """Return a game as the first entrant's, against an opponent of known rating."""
    side = 1 if played.pairing.first == 0 else -1
    saved = Saved(
        game=GAME, opponent=opponent, side=side, seed=number, person=person, actions=played.actions
    )
    outcome = Outcome(int(played.result) * side, "", rating_of(opponent))
    return Finished(saved=saved, outcome=outcome, begun=0.0, ended=float(number))


def rating_of(opponent: str) -> float:
    """Return the rating of who is met: an anchor's, or that it is asked to play at."""
    known = rating_of_anchor(GAME, opponent)
    return float(parse_spec(opponent)[1]["elo"]) if known is None else known


def holds(told: Sequence[Sequence[Sequence[float]]], number: int, truth: float) -> np.ndarray:
    """Return in which rounds the interval after so many games holds the truth."""
    return np.array([one[number - 1][1] <= truth <= one[number - 1][2] for one in told])


def page(results: Results) -> list[str]:
    """Write how strong they are, and how often the interval holds that."""
    row = next(row for row in results.values() if "told" in row)
    settings, games = row["settings"], row["settings"]["games"]
    numbers = [number for number in AFTER if number <= games]
    lines = [
        f"On {get_game(GAME).title}: players whom neither the scale nor its curve was made of play "
        f"{settings['rounds']} times {games} games from the usual start, seed {SEED}, and are told "
        "a level by moves and results, as `evenmatch me` tells it. *Truth*: Elo by games against "
        f"{' and '.join(TRUTH)} from random openings, 95%. *Holds*: how often the 95% interval of "
        "the level holds the truth, with the 95% interval of that share (Wilson; rounds are "
        "independent). *Told*: the mean level after the last game, and half the mean width of its "
        "interval.",
        "",
        f"| who | truth | against | {' | '.join(f'holds after {n}' for n in numbers)} | told |",
        f"|---|---:|---|{'---:|' * len(numbers)}---:|",
    ]
    for key, row in results.items():
        if "told" in row:
            lines.append(_row(key, row, results, numbers))
    return [*lines, "", *finding(results, games)]


def _row(key: str, row: dict[str, Any], results: Results, numbers: Sequence[int]) -> str:
    name, _, other = key.partition(" against ")
    truth = results[f"{name} truth"]
    last = np.array([one[-1] for one in row["told"]])
    cells = [name, "{:.0f} ({:.0f} to {:.0f})".format(truth["elo"], *truth["ends"]), other]
    cells += [covered(holds(row["told"], number, truth["elo"])) for number in numbers]
    half = (last[:, 2] - last[:, 1]).mean() / 2
    return f"| {' | '.join([*cells, f'{last[:, 0].mean():.0f} ± {half:.0f}'])} |"


def covered(held: np.ndarray) -> str:
    """Write a share of rounds with its interval."""
    return share_text(float(held.mean()), wilson(float(held.mean()), len(held)))


def finding(results: Results, games: int) -> list[str]:
    """Say how often the interval holds the truth over all, and where it does not."""
    by_key = {
        key: holds(row["told"], games, results[f"{key.partition(' against ')[0]} truth"]["elo"])
        for key, row in results.items()
        if "told" in row
    }
    held = np.concatenate(list(by_key.values()))
    short = [key for key, of in by_key.items() if wilson(float(of.mean()), len(of))[1] < 0.95]
    where = f"It is shown to hold too little for: {', '.join(short)}." if short else ""
    return [
        f"- After {games} games the interval holds the truth in {held.mean():.0%} of "
        f"{len(held)} rounds, over players who are not a sample of people. {where}".rstrip()
    ]


EXPERIMENT = Experiment(
    "board_levels",
    "How often the interval of a level holds the truth, on simulated people of a board game",
    parts,
    page,
)
