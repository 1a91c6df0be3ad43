"""The players of a rating that experiments compare, and how they meet."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.arena import Pairing, play
from evenmatch.errors import UsageError
from evenmatch.estimation import Ranks
from evenmatch.estimation.fitted import SHIPPED, targets_path
from evenmatch.experiments.opponents import counted
from evenmatch.experiments.runner import Part, Progress, Results, digest
from evenmatch.games import get_game
from evenmatch.games.chess_policy import actions_of_moves
from evenmatch.network.artifact import digest_of
from evenmatch.players import parse_spec
from evenmatch.records.dataset import Dataset
from evenmatch.strength.fitted import ACE_THETAS, RATED_SIMULATIONS, SA_Z

RANKS = Ranks()
CLASSES = {"D": 1200, "B": 1600, "Expert": 2100, "Grandmaster": 2500}  #: ACE's, from here ...
WIDTH = 100  #: ... so wide, in Elo
RATINGS = tuple(lowest + WIDTH // 2 for lowest in CLASSES.values())  #: their middles
METHODS = ("human", "se", "sa", "ace")  #: players of a rating
SIMULATIONS = RATED_SIMULATIONS
OPENING = 8  #: plies taken from people's games

#: The four programs of Chen et al. 2025, section 4.3.
PROGRAMS = {
    "MCTS": "alphazero:sims={sims}",
    "SA-MCTS": "sa:elo={elo:g},sims={sims}",
    "SE-MCTS": "se:elo={elo:g},plain=on,sims={sims}",
    "SE_inf-MCTS": "se:elo={elo:g},sims={sims}",
}


def program(name: str, rank: int, sims: int = SIMULATIONS) -> str:
    """Return the spec of a program that plays as a rank, which MCTS does not."""
    return PROGRAMS[name].format(elo=float(RANKS.middle(rank)), sims=sims)


def networks() -> list[str]:
    """Return the digests of what players of a rating ask: networks and the targets of SE-MCTS."""
    targets = [digest_of(targets_path(scale)) for scale in SHIPPED]
    return [digest("chess"), digest("chess-strength"), *targets]


def still_open(states: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which positions [n, S] are not over, [n]; people may play on after a draw."""
    return ~get_game("chess").outcome(states)[0]


def terms(results: Results) -> str:
    """Say how many games and simulations duels had."""
    settings = next(iter(results.values()))["settings"]
    sims = parse_spec(settings["players"][-1])[1]["sims"]
    games = settings["games"] * sum(len(row["scores"]) for row in results.values())
    distinct = sum(row["distinct"] for row in results.values())
    return (
        f"{settings['games']} games of each two from people's openings, {sims} simulations a move "
        f"({distinct} of {games} games differ)"
    )


def only_folder(data: Sequence[Path], nets: Sequence[Path]) -> Path:
    """Return the one dataset that openings are taken from; UsageError if more was given."""
    if nets or len(data) > 1:
        raise UsageError(
            "the players that ship meet, from openings of one dataset; leave out --net and all "
            "but one --data"
        )
    return data[0]


def fitted(spec: str) -> list[list[float]]:
    """Return the fitted numbers that a player of a rating plays by, for the settings of parts."""
    name = spec.partition(":")[0]
    if name == "sa":
        return [[elo, z] for elo, z in SA_Z.items()]
    return [[elo, *theta.values] for elo, theta in ACE_THETAS.items()] if name == "ace" else []


def opening_lines(dataset: Dataset, games: Sequence[int], most: int) -> list[list[int]]:
    """Return the first actions of recorded games, up to ``most`` lines, none of them twice.

    From one opening two players who never draw lots play one game however often they meet.
    """
    lines: dict[tuple[int, ...], None] = {}
    for game in games:
        if len(lines) == most:
            break
        opening = dataset.states(np.full(OPENING, game), np.arange(OPENING))
        lines[tuple(actions_of_moves(opening.states, opening.moves).tolist())] = None
    return [list(line) for line in lines]


def drawn_lines(dataset: Dataset, most: int, seed: int) -> list[list[int]]:
    """Draw up to ``most`` openings of candidates' games; UsageError if no game is long enough."""
    games = np.unique(dataset.select(split="candidate").games)
    games = games[dataset.games["plies"][games] > OPENING]
    if not len(games):
        raise UsageError("no candidate's game has an opening to take; add games")
    return opening_lines(dataset, np.random.default_rng(seed).permutation(games).tolist(), most)


def duel(folder: Path, firsts: Sequence[str], second: str, games: int, seed: int) -> Part:
    """Return a part in which specs meet one other, each twice from an opening, with either side.

    Its result has ``scores``: wins, losses and draws of each of the first. All games go on at once.
    """
    settings = {
        "dataset": Dataset.open(folder).identity,
        "networks": networks(),
        "players": [*firsts, second],
        "fitted": [fitted(spec) for spec in (*firsts, second)],
        "games": games,
        "seed": seed,
    }
    return Part(settings, partial(_meet, folder, firsts, second, games, seed))


def _meet(
    folder: Path,
    firsts: Sequence[str],
    second: str,
    games: int,
    seed: int,
    progress: Progress,
    done: Results,
) -> dict[str, Any]:
    lines = drawn_lines(Dataset.open(folder), -(-games // 2), seed)
    last = len(firsts)
    pairings = [
        Pairing(*((first, last) if k % 2 == 0 else (last, first)), k // 2 % len(lines))
        for first in range(last)
        for k in range(games)
    ]
    specs = [*firsts, second]
    played = play(specs, pairings, get_game("chess"), seed=seed, lines=lines, progress=progress)
    scores = []
    for first in range(last):
        own = played[first * games : (first + 1) * games]
        scores.append(counted([g.result if g.pairing.first == first else -g.result for g in own]))
    distinct = {(g.pairing.first, g.pairing.second, g.actions) for g in played}
    return {"scores": scores, "distinct": len(distinct)}
