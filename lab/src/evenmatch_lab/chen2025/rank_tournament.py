"""A round robin of programs, two of each of some ranks (Chen et al. 2025, table 5, on Go).

Whether ranks keep their order whoever the opponent is. At chess z and c_1 are fitted by what moves
lose; at Go both are the paper's. In the paper z is set so that both programs of a rank score alike,
c_1 is one for all, and they think 800 simulations.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path

from evenmatch.games.catalog import game_info
from evenmatch.players import parse_spec
from evenmatch.ratings import BradleyTerry, PairingScore, RatingTable
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.chen2025.rank_moves import levels_of, spec_of
from evenmatch_lab.chen2025.rank_strength import share
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import (
    BATCH,
    FITTED_SE,
    RANKS,
    Tally,
    duels,
    intervals_text,
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


def ranks_text(results: Results) -> str:
    """Say what the ranks are."""
    levels = {}
    for key, row in results.items():
        names = key.partition(BATCH)[0].split(" - ")
        for name, spec in zip(names, row["settings"]["players"], strict=True):
            levels[rank_of(name)] = parse_spec(spec)[1].get("rank")
    if None in levels.values():
        return f"Ranks are of {RANKS.width} Elo, r1 from {RANKS.highest - RANKS.width}."
    written = ", ".join(f"r{rank} {level}" for rank, level in sorted(levels.items()))
    return f"Ranks are the middles of bands: {written}."


HOW_SET = {
    "chess": "Both z and c_1 are fitted to the rank.",
    "go": "Both z and c_1 are the paper's, for 800 simulations.",
}


def game_of(results: Results) -> str:
    """Return the game: at Go players are given ranks."""
    specs = next(iter(results.values()))["settings"]["players"]
    return "go" if "rank" in parse_spec(specs[0])[1] else "chess"


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
    """Write the table: rows against columns, and Elo by maximum likelihood."""
    met = both_ways(results)
    names = list(dict.fromkeys(a for a, _ in met))
    fitted = rated(met, names)
    mixed = len({tally.by_pairs for tally in met.values()}) > 1
    lines = [
        f"Win rates (draws half) of rows against columns, {terms(results)}, with "
        f"{intervals_text(results)}; Elo by maximum likelihood around a mean of 1500, games taken "
        "as independent, which makes its intervals too narrow where the two games from an opening "
        f"are alike. {HOW_SET[game_of(results)]} {ranks_text(results)}",
        "",
        f"| | {' | '.join(names)} | Elo (95%) |",
        "|---|" + "---:|" * (1 + len(names)),
    ]
    for a in names:
        cells = ["-" if a == b else share(met[a, b], mixed) for b in names]
        elo, low, high = ("?" if x is None else f"{x:.0f}" for x in interval(fitted[a]))
        lines.append(f"| {a} | {' | '.join(cells)} | {elo} ({low} to {high}) |")
    return [
        *lines,
        "",
        "## What agrees, what does not, and why",
        "",
        *findings(met, {name: fitted[name].elo for name in names}, game_of(results)),
    ]


def findings(met: dict[tuple[str, str], Tally], elo: dict[str, float], game: str) -> list[str]:
    """Say whether ranks are in order by Elo, and how many pairs of ranks are in order for sure."""
    lines = []
    for short in NAMES:
        own = [elo[name] for name in elo if name.startswith(f"{short}-r")]
        order = all(a > b for a, b in pairwise(own))
        lines.append(
            f"- {short}: Elo {'falls' if order else 'does not fall'} from every rank to the next, "
            f"by the estimates; from first to last {own[0] - own[-1]:.0f}."
        )
    unlike = [tally for (a, b), tally in met.items() if rank_of(a) < rank_of(b)]
    above = sum(tally.fraction > 0.5 for tally in unlike)
    sure, contrary = (
        sum(found.interval()[0] > 0.5 for found in some)
        for some in (unlike, [-tally for tally in unlike])
    )
    alike = [met[a, b] for a, b in combinations(elo, 2) if rank_of(a) == rank_of(b)]
    told = sum(not low <= 0.5 <= high for low, high in (tally.interval() for tally in alike))
    return [
        *lines,
        f"- Of {len(unlike)} pairs of unlike ranks the stronger rank scores above half in {above}, "
        f"with its whole interval in {sure}; the weaker one does that in {contrary}.",
        f"- Of {len(alike)} pairs of one rank {told} are told apart.",
        "",
        OTHERWISE[game],
    ]


_THERE = (
    "z is set so that both programs of a rank score alike, they think 800 simulations, and a pair "
    "has 250 games."
)
OTHERWISE = {
    "chess": "In the paper's table, which is on Go, higher ranks have higher Elo. Not the same "
    f"here: in the paper c_1 is one for all, {_THERE}",
    "go": "In the paper's table higher ranks have higher Elo. From its second rank to its tenth SA "
    "spans 406 Elo (1686 to 1280), SE_inf 423 (1706 to 1283). Not the same here: there ranks are "
    f"of Fox, two dans apart, {_THERE}",
}


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
