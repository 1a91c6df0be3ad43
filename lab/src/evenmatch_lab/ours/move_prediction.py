"""How often networks predict what people play, by rating: ours beside those given, Maia's say.

Moves are of query players, none of whose moves ours was taught (but for what the Maia knew that its
training began from, which learned from Lichess until 2019). All networks judge the same positions;
what they predict is the legal move of highest prior. Ours is conditioned on the mover's rating, or
not.
Moves are counted by kind too: a network that does not see the whole board gives itself away by
those that go far, and mates.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenmatch.errors import UsageError
from evenmatch.estimation import Ranks
from evenmatch.estimation.rating_scales import bands_of
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import digest_of, human_policy_path, shipped_path
from evenmatch.network.conditions import scale_number
from evenmatch.network.inference import NetworkEvaluator
from evenmatch.progress import Progress
from evenmatch.ratings import Score
from evenmatch.ratings.ranks import Bands
from evenmatch.search import NOTHING, Request
from evenmatch.workshop.datasets.dataset import Dataset, scale_names
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.clusters import ClusterMean, average, ratio_mean
from evenmatch_lab.shared.move_kinds import KINDS
from evenmatch_lab.shared.moves_by_rank import SEED, UNRATED, MovesByRank

MOVES = {"resnet": 10_000, "katago": 4_000}  # of each rank, by the architecture of the networks
OPENING = 10  # plies, shown apart
EACH = "people"  # in results: moves foreseen, and all, of each person of each rank
FEW = 4  # rows up to which ours is compared with each other network
BANDS = "bands"  # in results: edges, and how ratings are written
OURS, UNTOLD, TOLD = "ours", "ours, rating not given", "rating given"
BLOCK = 4096


def kinds_in(sample: MovesByRank) -> NDArray[np.int64]:
    """Return the kind of each move of the sample, [n]; all are 0 where a game has no kinds."""
    kinds = KINDS.get(sample.game.id)
    if kinds is None:
        return np.zeros(len(sample.actions), np.int64)
    return kinds.of(sample.states, sample.moves, sample.actions)


def parts(quick: bool, data: Sequence[Path], nets: Sequence[Path]) -> dict[str, Part]:
    """For each dataset a part for ours and one for each network given."""
    by_key: dict[str, Part] = {}
    opened = [Dataset.open(folder) for folder in data]
    scale_names(opened)  # refuses two of one name
    for folder, dataset in zip(data, opened, strict=True):
        name, info = folder.resolve().name, game_info(dataset.codec.game.id)
        most = 50 if quick else MOVES[info.architecture]
        shared = {"dataset": dataset.identity, "moves": most, "seed": SEED}
        shared |= told_bands(bands_of(name, info))
        by_key[f"{name}: {OURS}"] = Part(
            shared | {"network": digest_of(people_network(dataset.codec.game.id))},
            partial(judge_ours, folder, name, most),
        )
        for net in nets:
            key = f"{name}: {net.stem}"
            if key in by_key:
                raise UsageError(f"two networks are named {net.stem}; rename one")
            by_key[key] = Part(
                shared | {"network": digest_of(net)}, partial(judge, folder, name, net, most)
            )
    return by_key


def people_network(game_id: str) -> str | Path:
    """Return the network that comes with evenmatch and learned from people of a game."""
    return human_policy_path(game_id) or shipped_path(game_id)


def judge_ours(
    folder: Path, scale: str, most: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Judge the shipped network, conditioned on the rating and not."""
    sample = MovesByRank(folder, most)
    net = NetworkEvaluator(people_network(sample.game.id), sample.game)
    half, kinds, told = len(sample.states), kinds_in(sample), told_bands(sample.bands)
    if not net.card.scales:
        plain = foreseen(net, sample, None, progress)
        return {UNTOLD: shares(sample, kinds, plain), **told}
    number = scale_number(scale, net.card.scales)
    conditioned = foreseen(net, sample, number, lambda n, of: progress(n, 2 * half))
    plain = foreseen(net, sample, None, lambda n, of: progress(half + n, 2 * half))
    return {OURS: shares(sample, kinds, conditioned), UNTOLD: shares(sample, kinds, plain), **told}


def judge(
    folder: Path, scale: str, path: Path, most: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Judge a network given, given the rating too where it knows the scale."""
    sample = MovesByRank(folder, most)
    net, kinds, told = NetworkEvaluator(path, sample.game), kinds_in(sample), {}
    if scale in net.card.scales:
        number = scale_number(scale, net.card.scales)
        told[f"{path.stem}, {TOLD}"] = foreseen(net, sample, number, progress)
    found = {path.stem: foreseen(net, sample, None, progress), **told}
    each = {name: shares(sample, kinds, hits) for name, hits in found.items()}
    return {**each, **told_bands(sample.bands)}


def told_bands(bands: Bands) -> dict[str, Any]:
    """Return the bands as data; nothing of chess's, which results of old did not have."""
    return {} if bands == Ranks().bands else {BANDS: [list(bands.edges), bands.written]}


def foreseen(
    net: NetworkEvaluator, sample: MovesByRank, scale: int | None, progress: Progress
) -> NDArray[np.bool_]:
    """Return for each move of the sample whether the network's first choice is it.

    The network is conditioned on the mover's rating of ``scale``, and on the opponent's if it knows
    both; None: on none.
    """
    hits = []
    for at in range(0, len(sample.states), BLOCK):
        part = slice(at, at + BLOCK)
        states = sample.states[part]
        request = NOTHING
        if scale is not None:
            ratings = np.asarray(sample.ratings[part], np.float64)
            scales, opponents = np.full(len(ratings), scale), sample.opponents[part]
            request = Request(ratings=ratings, scales=scales, opponents=opponents)
        logits = net.evaluate(states, request).logits
        legal = sample.game.unclaimed_mask(states)
        choice = np.where(legal, logits, -np.inf).argmax(1)
        hits.append(choice == sample.actions[part])
        progress(min(at + BLOCK, len(sample.states)), len(sample.states))
    return np.concatenate(hits)


def shares(
    sample: MovesByRank, kinds: NDArray[np.int64], right: NDArray[np.bool_]
) -> dict[str, list[list[int]]]:
    """Count the moves predicted, and all: by rank, by rank after the opening, by kind."""
    game = sample.game.id
    late, ranks = sample.plies >= OPENING, sample.labels - 1
    told: dict[str, list] = {
        "all": _counts(ranks, right, sample.groups),
        "later": _counts(ranks[late], right[late], sample.groups),
    }
    if game in KINDS:
        told["kinds"] = _counts(kinds, right, len(KINDS[game].names))
    each = [person_counts(sample.people, right, ranks == i) for i in range(sample.groups)]
    told[EACH] = [" ".join(f"{hits}/{moves}" for hits, moves in people) for people in each]
    return told


def people_in(written: str | list[list[int]]) -> list[list[int]]:
    """Return [predicted, all] of each person of a rank, as a result has them.

    Results of old have them as lists.
    """
    if not isinstance(written, str):
        return written
    return [[int(number) for number in one.split("/")] for one in written.split()]


def person_counts(
    people: NDArray[np.int64], right: NDArray[np.bool_], chosen: NDArray[np.bool_]
) -> list[list[int]]:
    """Return [predicted, all] of the chosen moves of each person, in the order of their numbers."""
    known, numbers = np.unique(people[chosen], return_inverse=True)
    return _counts(numbers, right[chosen], len(known))


def _counts(labels: NDArray[np.int64], right: NDArray[np.bool_], count: int) -> list[list[int]]:
    hits, moves = (np.bincount(x, minlength=count) for x in (labels[right], labels))
    return np.column_stack([hits, moves]).tolist()


def by_dataset(results: Results) -> dict[str, dict[str, dict]]:
    """Return for each dataset what each network predicted."""
    by_name: dict[str, dict[str, dict]] = {}
    for key, row in results.items():
        rows = {name: dict(x) for name, x in row.items() if isinstance(x, dict) and "later" in x}
        for told in rows.values():
            if EACH in told:
                told[EACH] = list(map(people_in, told[EACH]))
        by_name.setdefault(key.partition(": ")[0], {}).update(rows)
    return by_name


def bands_by_dataset(results: Results) -> dict[str, Bands]:
    """Return for each dataset the bands of its ratings."""
    by_name = {}
    for key, row in results.items():
        edges, written = row.get(BANDS) or (Ranks().bands.edges, Ranks().written)
        by_name[key.partition(": ")[0]] = Bands(tuple(edges), written)
    return by_name


def share(counts: list[int]) -> Score:
    """Return moves predicted of all as a score, for its interval."""
    return Score(wins=counts[0], losses=counts[1] - counts[0])


def cell(score: Score) -> str:
    """Write a share with half of its interval."""
    low, high = score.interval()
    return f"{score.fraction:.1%} ±{50 * (high - low):.1f}"


def plot(results: Results, path: Path) -> None:
    """Draw the share predicted by rating, one panel a dataset; others' networks in grey."""
    datasets, bands = by_dataset(results), bands_by_dataset(results)
    for axes in figure(path, len(datasets), width=5.5 * len(datasets)):
        for axis, (name, nets) in zip(axes, datasets.items(), strict=True):
            by_rank = bands[name].middles
            for net, row in nets.items():
                values = [share(x).fraction for x in row["all"]]
                middles = by_rank if len(values) == len(by_rank) else np.zeros(1)
                if net in (OURS, UNTOLD):
                    axis.plot(middles, values, "o-", ms=4, label=net, zorder=3)
                else:
                    axis.plot(middles, values, color="0.75", lw=1)
                    axis.annotate(net, (middles[0], values[0]), fontsize=6, color="0.5")
            axis.set(title=name, xlabel="rating of the mover", ylabel="moves predicted")
            axis.grid(alpha=0.3)
        axes[0].legend(frameon=False, fontsize=8)


def page(results: Results) -> list[str]:
    """Write the tables."""
    lines, bands = [], bands_by_dataset(results)
    for name, nets in by_dataset(results).items():
        for what, title in (("all", "all moves"), ("later", f"from ply {OPENING + 1} on")):
            rows = {net: row[what] for net, row in nets.items()}
            each = {net: row[EACH] for net, row in nets.items() if EACH in row and what == "all"}
            lines += table_lines(f"{name}, {title}", rows, bands[name], each)
            if each:
                lines += gain_lines(each, bands[name])
        counted = {net: row["kinds"] for net, row in nets.items() if "kinds" in row}
        if counted:
            lines += kind_lines(name, counted)
    return lines[1:]


def kind_lines(name: str, nets: dict[str, list[list[int]]]) -> list[str]:
    """Write the table of kinds of moves of a dataset."""
    counts = [moves for _, moves in next(iter(nets.values()))]
    (names,) = (kinds.names for kinds in KINDS.values() if len(kinds.names) == len(counts))
    heads = [f"{kind} ({moves:,})" for kind, moves in zip(names, counts, strict=True)]
    rows = [[net, *(cell(share(x)) for x in counted)] for net, counted in nets.items()]
    return ["", f"## {name}, by kind of move", "", table(["network", *heads], rows)]


def table_lines(
    title: str, nets: dict[str, list[list[int]]], bands: Bands, each: dict[str, list]
) -> list[str]:
    """Write one table, the weakest rank first; intervals by people of the nets of ``each``."""
    groups = len(next(iter(nets.values())))
    order = range(groups, 0, -1)
    names = [bands.name(rank) if groups == bands.count else UNRATED for rank in order]
    rows = []
    for net, counts in nets.items():
        scores = [share(counts[rank - 1]) for rank in order]
        cells = [cell(x) for x in scores]
        if net in each:
            cells = [by_people(each[net][rank - 1]) for rank in order]
        rows.append([net, f"{np.mean([x.fraction for x in scores]):.2%}", *cells])
    return ["", f"## {title}", "", table(["network", "average", *names], rows)]


def gain_lines(each: dict[str, list], bands: Bands) -> list[str]:
    """Write by how many points those given the rating predict more than others, on the same moves.

    Where there are many others, the best of each band, by these moves, so that the comparison
    flatters it.
    """
    told = [net for net in each if net == OURS or net.endswith(TOLD)]
    plain = [net for net in each if net not in (OURS, UNTOLD) and not net.endswith(TOLD)]
    others = [net for net in plain if f"{net}, {TOLD}" not in told]
    if len(each) > FEW:
        pairs = [(net, others) for net in told if others]
    else:
        pairs = [(OURS, [net]) for net in each if net not in (OURS, UNTOLD) and OURS in each]
    rows, names = [], []
    for net, some in pairs:
        ranks = [rank for rank in range(bands.count, 0, -1) if each[net][rank - 1]]
        names, gains = [bands.name(rank) for rank in ranks], gains_over_best(each, net, some)
        beside = [best_of(each, some, rank - 1) for rank in ranks]
        best = [f" ({other})" if len(some) > 1 else "" for other in beside]
        cells = [points(gain) + name for gain, name in zip(gains, best, strict=True)]
        above = sum(gain.mean > 0 for gain in gains)
        against = "the best of the others" if len(some) > 1 else some[0]
        rows.append([f"{net} minus {against}", points(average(gains)), *cells])
        rows[-1].append(f"{above} of {len(gains)}")
    heads = ["points", "average", *names, "above in"]
    return ["", table(heads, rows)] if rows else []


def gains_over_best(each: dict[str, list], net: str, others: Sequence[str]) -> list[ClusterMean]:
    """Return what a network predicts more than the best of others in each band, weakest first."""
    gains = []
    for at in range(len(each[net]) - 1, -1, -1):
        ours = np.array(each[net][at])
        if len(ours):
            theirs = np.array(each[best_of(each, others, at)][at])
            gains.append(of_people(np.column_stack([ours[:, 0] - theirs[:, 0], ours[:, 1]])))
    return gains


def best_of(each: dict[str, list], others: Sequence[str], at: int) -> str:
    """Return which of others predicts most in a band."""
    return max(others, key=lambda name: sum(hits for hits, _ in each[name][at]))


def points(gain: ClusterMean) -> str:
    """Write a difference of shares in points, with half of its interval."""
    half = (gain.interval[1] - gain.interval[0]) / 2
    return f"{100 * gain.mean:+.1f} ± {100 * half:.1f}"


def of_people(counts: Sequence[Sequence[int]] | NDArray) -> ClusterMean:
    """Return the share of moves predicted, of [predicted, all] of each person."""
    return ratio_mean(*np.array(counts, float).T)


def by_people(counts: Sequence[Sequence[int]]) -> str:
    """Write a share with half of its interval; nothing of nobody."""
    if not counts:
        return ""
    mean = of_people(counts)
    low, high = mean.interval
    return f"{mean.mean:.1%} ±{50 * (high - low):.1f}"


EXPERIMENT = Experiment(
    "move_prediction",
    "Moves predicted by rating, beside given networks",
    parts,
    page,
    plot,
    reads_games=True,
)
