"""A round robin of programs, two of each of some ranks (Chen et al. 2025, table 5, on Go).

Whether ranks keep their order whatever the opponent. At chess z and c_1 are fitted by what moves
lose; at Go both are the paper's. In the paper z is set so that both programs of a rank score alike,
c_1 is one for all, and they think 800 simulations.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path

from evenmatch.games.catalog import game_info
from evenmatch.opponents import parse_spec
from evenmatch.ratings import BradleyTerry, PairingScore, RatingTable
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.chen2025.rank_moves import levels_of, spec_of
from evenmatch_lab.chen2025.rank_strength import share
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import (
    BATCH,
    FITTED_SE,
    Tally,
    duels,
    only_folder,
    program,
    tallies,
    terms,
)
from evenmatch_lab.shared.opponents import interval

SEED, BATCHES = 17, 1
GAMES = {"chess": 10, "go": 2}  #: of a pair; theirs had 250
NAMES = {"SA": "SA-MCTS", "SE_inf": FITTED_SE}
CHESS_RANKS = (1, 2, 4, 6, 8)
RANKS_MET: dict[str, dict[str, tuple[int, ...]]] = {
    "chess": {"SA": CHESS_RANKS, "SE_inf": CHESS_RANKS},
    "go": {"SA": (1, 2), "SE_inf": (1, 2, 3, 4, 5)},  # z is known from 5k on
}
QUICK = 1, 1, 2, 4  # ranks, batches, games, simulations


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """Parts of each pair."""
    folder = only_folder(data, nets, tuple(GAMES))
    dataset = Dataset.open(folder)
    game_id, scale = dataset.codec.game.id, scale_names([dataset])[0]
    own = game_info(game_id).rated_simulations
    met = RANKS_MET[game_id]
    most = max(map(len, met.values()))
    ranks, batches, games, sims = QUICK if quick else (most, BATCHES, GAMES[game_id], own)
    entrants = {
        f"{short}-r{rank}": spec_at(name, rank, scale, game_id, sims)
        for short, name in NAMES.items()
        for rank in met[short][:ranks]
    }
    pairs = {f"{a} - {b}": (entrants[a], entrants[b]) for a, b in combinations(entrants, 2)}
    return duels(folder, pairs, batches, games, SEED)


def spec_at(name: str, rank: int, scale: str, game_id: str, sims: int) -> str:
    """Return the spec of a program at a rank: at Go one of the bands of its dataset's scale."""
    if game_id == "chess":
        return program(name, rank, sims)
    return spec_of(name, scale, levels_of(scale, game_id)[rank - 1], sims)


def both_ways(results: Results) -> dict[tuple[str, str], Tally]:
    """Return what each entrant scored against each other."""
    met = {}
    for key, tally in tallies(results).items():
        a, _, b = key.partition(" - ")
        met[a, b], met[b, a] = tally, -tally
    return met


def rated(met: dict[tuple[str, str], Tally], names: Sequence[str]) -> RatingTable:
    """Return each entrant's Elo by maximum likelihood, games taken as independent."""
    return BradleyTerry().fit(
        [PairingScore(first=a, second=b, score=met[a, b].score) for a, b in combinations(names, 2)]
    )


def page(results: Results) -> list[str]:
    """Write rows against columns, Elo by maximum likelihood, and whether ranks are in order."""
    met = both_ways(results)
    names = list(dict.fromkeys(a for a, _ in met))
    fitted = rated(met, names)
    mixed = len({tally.by_pairs for tally in met.values()}) > 1
    rows = []
    for a in names:
        cells = ["-" if a == b else share(met[a, b], mixed) for b in names]
        elo, low, high = ("?" if x is None else f"{x:.0f}" for x in interval(fitted[a]))
        rows.append([a, level_of(results, a), *cells, f"{elo} ({low} to {high})"])
    return [
        f"Win rates (draws half) of rows against columns, {terms(results)}:",
        "",
        table(["", "plays at", *names, "Elo (95%)"], rows, left=(0, 1)),
        "",
        table(["", ""], order_rows(met, {name: fitted[name].elo for name in names})),
    ]


def level_of(results: Results, name: str) -> str:
    """Return the rating or rank at which an entrant plays."""
    for key, row in results.items():
        names = key.partition(BATCH)[0].split(" - ")
        for own, spec in zip(names, row["settings"]["players"], strict=True):
            if own == name:
                values = parse_spec(spec)[1]
                return str(values.get("rank") or f"{values['elo']:g}")
    raise KeyError(name)


def order_rows(met: dict[tuple[str, str], Tally], elo: dict[str, float]) -> list[list[str]]:
    """Return whether ranks are in order by Elo, and how many pairs of ranks are in order surely."""
    rows = []
    for short in NAMES:
        own = [elo[name] for name in elo if name.startswith(f"{short}-r")]
        order = "yes" if all(a > b for a, b in pairwise(own)) else "no"
        rows.append([f"{short}: Elo falls from every rank to the next", order])
        rows.append([f"{short}: Elo from first to last", f"{own[0] - own[-1]:.0f}"])
    unlike = [tally for (a, b), tally in met.items() if rank_of(a) < rank_of(b)]
    above = sum(tally.fraction > 0.5 for tally in unlike)
    sure, contrary = (
        sum(found.interval()[0] > 0.5 for found in some)
        for some in (unlike, [-tally for tally in unlike])
    )
    alike = [met[a, b] for a, b in combinations(elo, 2) if rank_of(a) == rank_of(b)]
    differ = sum(not low <= 0.5 <= high for low, high in (tally.interval() for tally in alike))
    return [
        *rows,
        ["pairs of unlike ranks: the stronger scores above half", f"{above} of {len(unlike)}"],
        ["... with its whole interval", f"{sure}"],
        ["... the weaker does, with its whole interval", f"{contrary}"],
        ["pairs of one rank that differ significantly", f"{differ} of {len(alike)}"],
    ]


def rank_of(name: str) -> int:
    """Return the rank of an entrant, such as 4 of ``SA-r4``."""
    return int(name.rpartition("-r")[2])


EXPERIMENT = Experiment(
    "rank_tournament",
    "Ranks against each other (Chen et al. 2025, table 5)",
    parts,
    page,
    reads_games=True,
)
