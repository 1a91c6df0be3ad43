"""How often programs of a rank play what people of that rank played (Chen et al. 2025).

Table 1 there is of Go, table 2 of chess.

All programs see the same moves of query players, which neither networks nor targets were taught
(Maias learned from Lichess until 2019, and ours began from one).
Theirs are not conditioned on the rating. SE_inf-MCTS is there with the paper's c_1, and with the
one that predicts most on people of split tune (docs/notes/archive/rated.md), and as ``se`` ships,
with the c_1 by which it loses what people lose. A search by ACE's parameters, whose policy is
conditioned on the rating, and which plays the most visited move, is there also. A network given
takes the place of ours as policy and value, in programs of its own; z and c_1 stay those of ours.
Ratings are lichess-rapid's.

On games of Go the same programs play at ranks, as far as they are fitted and their targets known;
and beside them the move that people of the rank make most often, by the network that learned from
people, with no search.

As published, programs with the paper's c_1 think 800 simulations, over the first of the same moves:
slices that each have some of every rank, breadth first, so that they can be run a few at a time.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evenmatch.errors import UsageError
from evenmatch.estimation.estimator_files import WITH_TARGETS
from evenmatch.estimation.rating_scales import bands_of
from evenmatch.games.catalog import SOURCES, game_info
from evenmatch.network.artifact import digest_of, human_policy_path
from evenmatch.opponents.ace import LEAST
from evenmatch.opponents.fitted import LEVELS
from evenmatch.opponents.se_mcts import PAPER_PLAN
from evenmatch.progress import Progress
from evenmatch.ratings.scale import SCALES
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.pages import table as table_of
from evenmatch_lab.runner import Experiment, Part, Results
from evenmatch_lab.shared.agents import FITTED_SE, PROGRAMS, RANKS, fitted, networks, still_open
from evenmatch_lab.shared.clusters import average, cluster_mean
from evenmatch_lab.shared.engine_losses import estimate
from evenmatch_lab.shared.moves_by_rank import MovesByRank
from evenmatch_lab.shared.positions import DrawnMoves, chosen

SEED = 18
MOVES = {"resnet": 500, "katago": 100}  # of each rank, by the architecture of the game's networks
AT_ONCE = 125  # positions a program thinks about side by side
QUICK = 2, 4  # moves of each rank, simulations
SLICE, SLICES = 20, 5  # moves of each rank in a slice as published, and how many there are
QUICK_SLICE, QUICK_SLICES = 1, 2
AS_PUBLISHED = " as published, slice "  #: in the names of parts, between dataset and program
PUBLISHED_PROGRAMS = ("MCTS", "SE-MCTS", "SE_inf-MCTS")
#: Chen et al. 2025, tables 1 and 2, averages by game; 800 simulations.
PAPER = {
    "go": {"MCTS": 50.35, "SA-MCTS": 42.56, "SE-MCTS": 52.87, "SE_inf-MCTS": 51.33},
    "chess": {"MCTS": 46.56, "SA-MCTS": 40.21, "SE-MCTS": 38.93, "SE_inf-MCTS": 47.25},
}
BEST = "SE_inf-MCTS"
GENTLER_C_1 = 0.5  #: of 0.25, 0.5, 1 and 2, on 2,000 moves of split tune
GENTLER = f"SE_inf-MCTS (c_1 {GENTLER_C_1:g})"
TOLD = "ACE (most visited)"
POLICY = "people's policy (no search)"
SPECS = PROGRAMS | {
    GENTLER: f"se:{{level}}{{scale}},c_1={GENTLER_C_1:g},sims={{sims}}",
    FITTED_SE: "se:{level}{scale},sims={sims}",
    TOLD: f"ace:{{level}},tau={LEAST},sims={{sims}}",
    POLICY: "human:{level}{scale},temperature=0",
}


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each dataset and program one part."""
    opened = [Dataset.open(folder) for folder in data]
    by_key: dict[str, Part] = {}
    for folder, name, dataset in zip(data, scale_names(opened), opened, strict=True):
        game_id = dataset.codec.game.id
        most = MOVES[game_info(game_id).architecture]
        moves, sims = QUICK if quick else (most, game_info(game_id).rated_simulations)
        levels = levels_of(name, game_id)
        for net in (None, *nets):
            for label in labels_of(name, game_id, own=net is None):
                key = f"{name}: {label}" + (f", {net.stem}" if net else "")
                if key in by_key:
                    raise UsageError(f"two networks are named {net and net.stem}; rename one")
                specs = [spec_of(label, name, level, sims) for level in levels]
                others = [digest_of(net)] if net else []
                settings = {
                    "dataset": dataset.identity,
                    "networks": networks(*specs, game_id=game_id) + others,
                    "fitted": fitted(*specs, game_id=game_id),
                    "moves": moves,
                    "simulations": sims,
                    "seed": SEED,
                }
                by_key[key] = Part(settings, partial(judge, folder, label, net, moves, sims))
        if game_id == "chess":
            by_key |= published_parts(quick, folder, name, dataset)
    return by_key


def labels_of(scale: str, game_id: str, own: bool) -> list[str]:
    """Return the programs of a game; ``own``: with our network."""
    if game_id == "chess":
        return [*PROGRAMS, GENTLER, *((TOLD, FITTED_SE) if own else ())]
    known = LEVELS.get(game_id)
    labels = ["MCTS"] + (["SA-MCTS"] if known and known.sa else [])
    labels += ["SE-MCTS", "SE_inf-MCTS"] if scale in WITH_TARGETS else []
    return labels + ([POLICY] if own and human_policy_path(game_id) else [])


def levels_of(scale: str, game_id: str) -> list[str]:
    """Return the level in the middle of each rank as specs have it, the strongest in front."""
    info = game_info(game_id)
    write = SCALES[info.source(scale).written if info.level == "rank" else "elo"].write
    return [f"{info.level}={write(middle)}" for middle in bands_of(scale, info).middles]


def published_parts(quick: bool, folder: Path, name: str, dataset: Dataset) -> dict[str, Part]:
    """Slices of moves that programs with the paper's c_1 and simulations think about."""
    size, slices = (QUICK_SLICE, QUICK_SLICES) if quick else (SLICE, SLICES)
    sims = QUICK[1] if quick else PAPER_PLAN.simulations
    by_key = {}
    for number in range(1, 1 + slices):
        for label in PUBLISHED_PROGRAMS:
            settings = {
                "dataset": dataset.identity,
                "networks": networks(
                    *[spec_of(label, name, level, sims) for level in levels_of(name, "chess")]
                ),
                "moves": size,
                "slice": number,
                "simulations": sims,
                "seed": SEED,
            }
            work = partial(judge, folder, label, None, size, sims, start=(number - 1) * size)
            by_key[f"{name}{AS_PUBLISHED}{number}: {label}"] = Part(settings, work)
    return by_key


def spec_of(label: str, scale: str, level: str, sims: int) -> str:
    """Return the spec of a program that plays at a level, which is the scale's."""
    info, _ = SOURCES.get(scale, (None, None))
    of_scale = f",scale={scale}" if info and info.level == "rank" else ""
    return SPECS[label].format(level=level, scale=of_scale, sims=sims)


def judge(
    folder: Path,
    label: str,
    net: Path | None,
    most: int,
    sims: int,
    progress: Progress,
    done: Results,
    start: int = 0,
) -> dict[str, Any]:
    """Return which moves of each rank a program plays too: a string of 0 and 1 for each.

    They are ``most`` of each rank, but for those that are over, after the first ``start``.
    """
    sample = MovesByRank(folder, start + most)
    others = {} if net is None else {"net": str(net)}
    game, bands = sample.game, sample.bands
    going = still_open(sample.states, game)
    right, people = [], []
    scale = folder.resolve().name
    for rank, level in enumerate(levels_of(scale, game.id), 1):
        rows = np.flatnonzero(sample.labels == rank)[start:]
        rows = rows[going[rows]]
        if not len(rows):
            raise UsageError(f"no query player's moves are of rating {bands.name(rank)}; add games")
        moves = DrawnMoves(
            sample.states[rows], sample.plies[rows], sample.actions[rows], None, game.id
        )
        spec = spec_of(label, scale, level, sims)
        hits = chosen(spec, moves, AT_ONCE, SEED, progress, **others) == moves.actions
        right.append("".join("01"[int(x)] for x in hits))
        people.append(sample.people[rows].tolist())
    ranks = [bands.name(rank) for rank in range(1, 1 + bands.count)]
    return {"right": right, "people": people, "ranks": ranks}


def bits(row: dict[str, Any]) -> list[np.ndarray]:
    """Return which moves were played too, of each rank."""
    return [np.frombuffer(text.encode(), np.uint8) == ord("1") for text in row["right"]]


def lead(
    one: list[np.ndarray], other: list[np.ndarray], people: list[np.ndarray]
) -> tuple[float, float]:
    """Return by how much an average of ranks is above another, and half its 95% interval.

    Both played the same moves, of ``people``, who are independent of each other.
    """
    return over_ranks([a.astype(float) - b for a, b in zip(one, other, strict=True)], people)


def over_ranks(each: list[np.ndarray], people: list[np.ndarray]) -> tuple[float, float]:
    """Return the average of ranks of what their moves have, and half its 95% interval."""
    found = average(
        [cluster_mean(of.astype(float), who) for of, who in zip(each, people, strict=True)]
    )
    return found.mean, float(np.ptp(found.interval)) / 2


def page(results: Results) -> list[str]:
    """Write two tables for each dataset and network: shares by rank, and differences."""
    groups: dict[str, dict[str, dict]] = {}
    slices: dict[str, dict[str, list[dict]]] = {}
    for key, row in results.items():
        name, _, rest = key.partition(": ")
        if AS_PUBLISHED in name:
            dataset = name.partition(AS_PUBLISHED)[0]
            slices.setdefault(dataset, {}).setdefault(rest, []).append(row)
            continue
        label, _, net = rest.partition(", ")
        groups.setdefault(f"{name}, {net or 'our network'}", {})[label] = row
    for name, by_label in slices.items():
        groups[f"{name}, our network, as published"] = joined(by_label)
    lines = []
    for title, rows in groups.items():
        if rows:
            lines += ["", f"## {title}", "", *table(rows)]
    return lines[1:]


def joined(by_label: dict[str, list[dict]]) -> dict[str, dict]:
    """Return the slices that all programs have thought about as one row of each."""
    if by_label.keys() < set(PUBLISHED_PROGRAMS):
        return {}
    numbers = [{row["settings"]["slice"] for row in rows} for rows in by_label.values()]
    common = set.intersection(*numbers)
    rows = {}
    for label, known in by_label.items():
        some = [row for row in known if row["settings"]["slice"] in common]
        if not some:
            return {}
        settings = some[0]["settings"]
        rows[label] = {
            "settings": settings | {"moves": settings["moves"] * len(some)},
            "right": ["".join(of) for of in zip(*(row["right"] for row in some), strict=True)],
            "people": [
                [one for slice_ in of for one in slice_]
                for of in zip(*(row["people"] for row in some), strict=True)
            ],
        }
    return rows


def game_of(results: dict[str, dict]) -> str:
    """Return which of the paper's games results are of; boards of all sizes are Go's."""
    game_id = next(iter(results.values()))["settings"]["dataset"]["game"]
    return "chess" if game_id == "chess" else "go"


def names_of(row: dict) -> list[str]:
    """Return the names of the ranks of a row; older ones have the ranks of chess."""
    return row.get("ranks") or [RANKS.name(rank) for rank in range(1, 1 + RANKS.count)]


def table(rows: dict[str, dict]) -> list[str]:
    """Write the shares by rank, averages, and how far ours are above the others."""
    first = next(iter(rows.values()))
    settings = first["settings"]
    by_label = {label: bits(row) for label, row in rows.items()}
    people = [np.array(who) for who in first["people"]]
    shares = []
    for rank, name in enumerate(names_of(first)):
        played = [estimate(r[rank].astype(float), people[rank]) for r in by_label.values()]
        cells = [f"{share:.1%} ±{100 * half:.1f}" for share, half in played]
        shares.append([f"r_{rank + 1} ({name})", *cells])
    paper = PAPER[game_of(rows)]
    averages = [over_ranks(right, people) for right in by_label.values()]
    shares.append(["average", *(f"{mean:.2%} ±{100 * half:.1f}" for mean, half in averages)])
    theirs = [f"{paper[label]:.2f}%" if label in paper else "-" for label in rows]
    shares.append(["paper's average", *theirs])
    others = [label for label in by_label if label not in (BEST, GENTLER, FITTED_SE)]
    leads = []
    for ours in by_label:
        cells = []
        for label in others:
            gap, half = lead(by_label[ours], by_label[label], people)
            significant = "" if abs(gap) > half else " (not significant)"
            beside = (
                f"; paper {paper[ours] - paper[label]:+.2f}" if {ours, label} <= set(paper) else ""
            )
            cells.append(
                "" if ours == label else f"{100 * gap:+.2f} ± {100 * half:.2f}{significant}{beside}"
            )
        leads.append([ours, *cells])
    return [
        f"{settings['moves']} moves per rank, {settings['simulations']} simulations:",
        "",
        table_of(["rank", *rows], shares),
        "",
        "Points more than, in the same moves:",
        "",
        table_of(["", *others], leads),
    ]


EXPERIMENT = Experiment(
    "rank_moves",
    "People's moves played by rank (Chen et al. 2025, tables 1 and 2)",
    parts,
    page,
    reads_games=True,
)
