"""What networks in integers of eight bits say and play, beside the same networks as they were.

In three ways: what they say of moves of people of split candidate, beside float32; what moves of
`pikl` lose in positions of people of ACE's classes, by Stockfish, in eight bits less without; and
games of the search at full strength, in eight bits against without. *Without* is what players use
where eight bits do not pay: bfloat16 or float32, as the processor likes it.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.arena import play, random_openings
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import digest_of, named_path, shipped_path
from evenmatch.network.eight_bits import ranges_path
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.network.precision import VARIABLE, Precision
from evenmatch.progress import Progress
from evenmatch.records.dataset import Dataset
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import (
    CLASSES,
    SIMULATIONS,
    WIDTH,
    fitted,
    networks,
    only_folder,
)
from evenmatch_lab.shared.clusters import cluster_mean
from evenmatch_lab.shared.engine_losses import Judge, judge_settings
from evenmatch_lab.shared.opponents import added_up, either_side, match_text, pairs_of, row_of
from evenmatch_lab.shared.positions import DrawnMoves, chosen, drawn_moves

SEED = 43
SPLIT = "candidate"
BAND = 1000, 2600
NAMES = ("chess", *game_info("chess").extra_networks)
MOVES, POSITIONS = 10_000, 500  #: of all bands, of each class
GAMES, A_PART, OPENING = 1_000, 100, 8
QUICK = 8
AT_ONCE, BLOCK = 100, 64
WITHOUT: Precision = "auto"
SAID: tuple[Precision, ...] = ("bf16", "int8")
BOUND = 15  #: Elo


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """A part for each network, for each class and for each hundred games."""
    folder = only_folder(data, nets)
    dataset = {"dataset": Dataset.open(folder).identity, "split": SPLIT, "seed": SEED}
    moves, positions = (QUICK, QUICK) if quick else (MOVES, POSITIONS)
    by_key = {}
    for name in NAMES[: 1 if quick else None]:
        settings = dataset | files(name) | {"moves": moves}
        by_key[f"moves: {name}"] = Part(settings, partial(measure_said, name, folder, moves))
    for label, lowest in list(CLASSES.items())[: 1 if quick else None]:
        spec = f"pikl:elo={lowest + WIDTH // 2}" + ",sims=4" * quick
        settings = dataset | files("chess") | {
            "player": spec, "positions": positions, "judge": judge_settings(),
            "networks": networks(spec), "fitted": fitted(spec),
        }  # fmt: skip
        by_key[f"levels: {label}"] = Part(
            settings, partial(measure_level, spec, folder, lowest, positions)
        )
    few, due, sims = (2, 2, 4) if quick else (A_PART, GAMES, SIMULATIONS)
    for first in range(0, due, few):
        settings = files("chess") | {
            "simulations": sims, "openings": OPENING, "seed": SEED, "first": first, "games": few,
        }  # fmt: skip
        by_key[f"games {first + 1} to {first + few}"] = Part(
            settings, partial(measure_games, sims, first, few, due)
        )
    return by_key


def files(name: str) -> dict[str, Any]:
    """Return what tells a network and its ranges."""
    path = file_of(name)
    return {"network": digest_of(path), "ranges": digest_of(ranges_path(path))}


def file_of(name: str) -> Path:
    """Return the file of a network that ships: a game's, or one with a name of its own."""
    return named_path(Path(name)) or shipped_path(name)


# -- what they say -----------------------------------------------------------------------------


class Said(NamedTuple):
    """What a network says of n positions."""

    policies: NDArray[np.float64]  # [n, A] over the moves that can be played
    values: NDArray[np.float64]  # [n]


def measure_said(
    name: str, folder: Path, count: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Compare precisions with float32, on moves of people."""
    moves = drawn_moves(Dataset.open(folder), SPLIT, BAND, count, SEED)
    exact = said_of(name, "f32", moves)
    told: dict[str, Any] = {}
    for number, precision in enumerate(SAID, start=1):
        told[precision] = compared(said_of(name, precision, moves), exact, moves)
        progress(number, len(SAID))
    return told


def said_of(name: str, precision: Precision, moves: DrawnMoves) -> Said:
    """Return what a network says before each of some moves; nobody's rating is told."""
    net = NetworkEvaluator(file_of(name), moves.game, precision=precision)
    policies, values = [], []
    for at in range(0, len(moves.states), BLOCK):
        states = moves.states[at : at + BLOCK]
        judged = net.evaluate(states)
        logits = np.where(moves.game.unclaimed_mask(states), judged.logits, -np.inf)
        weights = np.exp(logits - logits.max(1, keepdims=True), dtype=np.float64)
        policies.append(weights / weights.sum(1, keepdims=True))
        values.append(judged.values.astype(np.float64))
    return Said(np.concatenate(policies), np.concatenate(values))


def compared(said: Said, exact: Said, moves: DrawnMoves) -> dict[str, list[float]]:
    """Return means over moves and the ends of their 95% intervals, by people."""
    assert moves.people is not None, "they are of a dataset"
    rows = np.arange(len(moves.actions))
    best, best_exact = said.policies.argmax(1), exact.policies.argmax(1)
    each = {
        "same": best == best_exact,
        "moved": np.abs(said.policies - exact.policies).sum(1) / 2,
        "cross_entropy": np.log(exact.policies[rows, moves.actions])
        - np.log(said.policies[rows, moves.actions]),
        "foreseen": (best == moves.actions) - (best_exact == moves.actions).astype(float),
        "value": np.abs(said.values - exact.values),
        "bias": said.values - exact.values,
    }
    return {key: _mean(values.astype(float), moves.people) for key, values in each.items()}


def _mean(values: NDArray[np.float64], people: NDArray[np.int64]) -> list[float]:
    found = cluster_mean(values, people)
    return [round(float(x), 5) for x in (found.mean, *found.interval)]


# -- levels ------------------------------------------------------------------------------------


def measure_level(
    spec: str, folder: Path, lowest: int, count: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Return what a player's moves lose in eight bits less without, in people's positions."""
    moves = drawn_moves(Dataset.open(folder), SPLIT, (lowest, lowest + WIDTH), count, SEED)
    assert moves.people is not None, "they are of a dataset"
    actions = []
    for precision in ("int8", WITHOUT):
        with playing_in(precision):
            actions.append(chosen(spec, moves, AT_ONCE, SEED, progress))
    other = np.flatnonzero(actions[0] != actions[1])
    difference = np.zeros(len(moves.states))
    some = moves._replace(states=moves.states[other], plies=moves.plies[other])
    if len(other):
        with Judge() as judge:
            before = judge.worth(some.states)
            mine, theirs = (judge.losses(some.states, before, x[other]) for x in actions)
        difference[other] = mine - theirs
    return {"other": len(other), "loses": _mean(difference, moves.people)}


@contextmanager
def playing_in(precision: str) -> Iterator[None]:
    """Let players' networks be of a precision for a time."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = precision
    try:
        yield
    finally:
        del os.environ[VARIABLE]
        if before is not None:
            os.environ[VARIABLE] = before


# -- games -------------------------------------------------------------------------------------


def measure_games(
    simulations: int, first: int, few: int, due: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Let the search in eight bits meet that without, in some of the games that are due."""
    game, pairings = get_game("chess"), either_side(0, 1, due)
    lines = random_openings(game, OPENING, SEED, pairings)
    some, ours = pairings[first : first + few], shipped_path("chess")
    with tempfile.TemporaryDirectory() as folder, playing_in("fast"):
        without = Path(folder) / ours.name  # no ranges lie beside it
        shutil.copy(ours, without)
        specs = [f"alphazero:sims={simulations},net={path}" for path in (ours, without)]
        played = play(specs, some, game, seed=SEED + first, lines=lines, progress=progress)
    return {"row": row_of(played, 0, 1)}


# -- the page ----------------------------------------------------------------------------------

HEADS = {
    "same": "same first move",
    "moved": "policy moved",
    "cross_entropy": "cross-entropy",
    "foreseen": "moves foreseen",
    "value": "value off",
    "bias": "value, mean difference",
}


def page(results: Results) -> list[str]:
    """Write the three tables."""
    lines = [
        f"{MOVES:,} moves of people of split {SPLIT}, {BAND[0]} to {BAND[1]} (seed {SEED}), each "
        "network beside itself in float32: how often the first move is the same, how much of the "
        "policy moved (total variation), how much more people's moves cost (nats) and how many "
        "more are foreseen (points), and how far values in [-1, 1] are off. 95% intervals are by "
        "people.",
        "",
        f"| network | | {' | '.join(HEADS.values())} |",
        f"|---|---|{'---:|' * len(HEADS)}",
    ]
    for name in NAMES:
        part = results.get(f"moves: {name}", {})
        for precision in SAID if part else ():
            cells = [_cell(key, part[precision][key]) for key in HEADS]
            lines.append(f"| {name} | {precision} | {' | '.join(cells)} |")
    lines += [
        "",
        "What moves of `pikl` lose of the chances to win, in eight bits less without, in percent, "
        "by Stockfish, and how many moves are other ones:",
        "",
        "| class | positions | other moves | loses more |",
        "|---|---:|---:|---:|",
    ]
    for label in CLASSES:
        part = results.get(f"levels: {label}", {})
        if part:
            mean, low, high = (100 * x for x in part["loses"])
            count = part["settings"]["positions"]
            lines.append(
                f"| {label} | {count} | {part['other']} | {mean:+.2f} ({low:+.2f} to {high:+.2f}) |"
            )
    rows = [part["row"] for key, part in results.items() if key.startswith("games ")]
    if rows:
        total = added_up(rows)
        ends = pairs_of(total).elo_interval()
        inside = ends.low > -BOUND and ends.high < BOUND
        lines += [
            "",
            f"Full strength with {SIMULATIONS} simulations in eight bits against without, from "
            f"openings of {OPENING} random plies. {match_text(total)} The difference is "
            f"{'' if inside else 'not shown to be '}within {BOUND} Elo.",
        ]
    return lines


def _cell(key: str, ends: Sequence[float]) -> str:
    if key in ("same", "foreseen"):
        mean, low, high = (100 * x for x in ends)
        sign, unit = ("+", "") if key == "foreseen" else ("", "%")
        return f"{mean:{sign}.1f}{unit} ({low:{sign}.1f} to {high:{sign}.1f})"
    mean, low, high = ends
    return f"{mean:.4f} ({low:.4f} to {high:.4f})"


EXPERIMENT = Experiment(
    "eight_bits",
    "Networks in eight bits: what they say and play",
    parts,
    page,
    reads_games=True,
)
