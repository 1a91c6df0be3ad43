"""Players at ranks of Go in games: against the next rank, the middle one, and GNU Go.

The player of `evenmatch play go --rank` meets itself at the next rank, which shows how much
stronger each rank is. It meets GNU Go, which shows the rank that scores half against each level.
Other players of a rank meet its middle rank, as in figure 4 of Chen et al. 2025. Two games at a
time start from the same random plies, with either side, and are the unit of all intervals.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.network.artifact import digest_of, human_policy_path
from evenmatch.opponents.fitted import LEVELS
from evenmatch.opponents.rating_range import gnugo
from evenmatch.opponents.table import parse_spec
from evenmatch.play.arena import play
from evenmatch.progress import Progress
from evenmatch.ratings import Pentanomial, elo_from_score
from evenmatch.ratings.scale import RANKS
from evenmatch_lab.ours.rank_fit import RATINGS
from evenmatch_lab.pages import table as table_of
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import fitted
from evenmatch_lab.shared.intervals import quantiles
from evenmatch_lab.shared.opponents import (
    OPENING_PLIES,
    both,
    distinct_across,
    either_side,
    hashes_of,
    pairs_of,
    row_of,
    seed_of,
)

SEED, DRAWS = 31, 2000  # each part's own seed is that of its name
MIDDLE = 2600  #: 5k, which all ranks of other players meet
PLAYERS = {"pikl": "pikl:rank={rank}", "human": "human:rank={rank}", "sa": "sa:rank={rank}"}
OURS = game_info("go").rated or "human"  #: the player of --rank
ALL = tuple(sorted(rating for some in RATINGS.values() for rating in some))
OUTWARD = tuple(sorted(ALL, key=lambda rating: -abs(rating - MIDDLE)))  #: what decides most first


class Size(NamedTuple):
    """How much is played on a game."""

    games: int  #: of `OURS` at a rank against the next
    others: int  #: of the other players
    foreign: int  #: of a rank against a level of GNU Go
    levels: tuple[int, ...] = (10, 5, 1)


SIZES = {"go9": Size(100, 40, 40), "go13": Size(60, 20, 20), "go": Size(20, 0, 10)}
QUICK = Size(2, 0, 2, levels=(0,))
LEAST_SLOPE = 1e-3  #: Elo a hundredth of a rank, by which a line rises
NEXT = " and "  #: between two ranks, in the names of parts
FIRST = (1100, 3900, 2100, 1600)  #: 20k, 9d, 10k and 15k meet GNU Go before all others


def parts(quick: bool, game_id: str = "go9") -> dict[str, Part]:
    """One part a player, rank and opponent, in the order in which they teach most."""
    size, ratings = (QUICK, (ALL[0], ALL[-1])) if quick else (SIZES[game_id], OUTWARD)
    known = fitted_players(game_id)
    against = {name: against_middle(game_id, name, ratings) for name in known if name != OURS}
    ours = against_next(sorted(ratings)) if OURS in known else {}
    foreign = [
        {
            f"{OURS} {RANKS.write(rating)}{FOREIGN}{level}": specs_of(OURS, rating, gnugo(level))
            for level in size.levels
            for rating in ratings
            if (rating in FIRST) == first
        }
        for first in (True, False)
    ]
    batches = [
        (ours, size.games),
        (foreign[0], size.foreign),
        (against.pop("human", {}), size.others),
        *((specs, size.others) for specs in against.values()),
        (foreign[1], size.foreign),
    ]
    return {
        key: part_of(game_id, specs, games, seed_of(SEED, key))
        for specs_by_key, games in batches
        if games
        for key, specs in specs_by_key.items()
    }


def against_middle(game_id: str, name: str, ratings: Sequence[int]) -> dict[str, list[str]]:
    """Return who meets the middle rank, by key: a player at all ranks that it can play at."""
    weakest = min(LEVELS[game_id].of(name) if game_id in LEVELS else (), default=0)
    middle = PLAYERS[OURS].format(rank=RANKS.write(MIDDLE))
    return {
        f"{name} {RANKS.write(rating)}": specs_of(name, rating, middle)
        for rating in ratings
        if rating >= weakest
    }


def against_next(ratings: Sequence[int]) -> dict[str, list[str]]:
    """Return `OURS` at each rank and the next stronger one, by key."""
    write = RANKS.write
    return {
        f"{OURS} {write(low)}{NEXT}{write(high)}": specs_of(
            OURS, low, PLAYERS[OURS].format(rank=write(high))
        )
        for low, high in pairwise(ratings)
    }


def specs_of(name: str, rating: int, opponent: str) -> list[str]:
    """Return a player at a rank and its opponent, by their specs."""
    return [PLAYERS[name].format(rank=RANKS.write(rating)), opponent]


def part_of(game_id: str, specs: list[str], games: int, seed: int) -> Part:
    """Return the part in which two players meet."""
    people = human_policy_path(game_id)
    settings = {
        "game": game_id,
        "players": specs,
        "rating": int(RANKS.read(parse_spec(specs[0])[1]["rank"])),
        "games": games,
        "openings": OPENING_PLIES[game_id],
        "seed": seed,
        "network": digest_of(people) if people else None,
        "fitted": [fitted(spec, game_id=game_id) for spec in specs if "rank=" in spec],
    }
    return Part(settings, partial(measure, game_id, specs, games, seed))


def fitted_players(game_id: str) -> dict[str, str]:
    """Return the players of a rank that can play a game: what is not fitted cannot."""
    known = LEVELS.get(game_id)
    return {
        name: template
        for name, template in PLAYERS.items()
        if name == "human" or (known is not None and known.of(name))
    }


FOREIGN = ", GNU Go "  #: in the names of parts


def measure(
    game_id: str, specs: list[str], games: int, seed: int, progress: Progress, done: Results
) -> dict[str, Any]:
    """Let two players meet."""
    played = play(
        specs, either_side(0, 1, games), get_game(game_id), seed=seed,
        openings=OPENING_PLIES[game_id], progress=progress,
    )  # fmt: skip
    return {"row": row_of(played, 0, 1) | {"hashes": hashes_of(played)}}


# -- the page ------------------------------------------------------------------------------------


def by_opponent(results: Results) -> dict[str, dict[int, Pentanomial]]:
    """Return the pairs of each player and of each level of GNU Go, by rating.

    Those of `OURS` are each with the next rank.
    """
    found: dict[str, dict[int, Pentanomial]] = {}
    for key, part in results.items():
        player, _, level = key.partition(FOREIGN)
        name = f"GNU Go {level}" if level else player.partition(" ")[0]
        found.setdefault(name, {})[part["settings"]["rating"]] = pairs_of(part["row"])
    return {name: dict(sorted(rows.items())) for name, rows in found.items()}


def page(results: Results) -> list[str]:
    """Write the scores by rank, and where half would be scored."""
    found, settings = by_opponent(results), next(iter(results.values()))["settings"]
    rows = [part["row"] for part in results.values()]
    ours = {name: rows for name, rows in found.items() if not name.startswith("GNU")}
    foreign = {name: rows for name, rows in found.items() if name.startswith("GNU")}
    games = sum(both(row).games for row in rows)
    within = "" if all("hashes" in row for row in rows) else " within parts"
    lines = [
        f"Openings of {settings['openings']} plies; {distinct_across(rows)} of {games} games are "
        f"distinct{within}",
    ]
    ours.pop(OURS, None)
    if steps := steps_of(results):
        lines += ["", f"## `{OURS}` against the next stronger rank", "", step_table(steps), ""]
        lines.append(span_text(unbroken(steps)))
    if ours:
        rises = [[f"`{name}`", *rises_of(rows)] for name, rows in ours.items()]
        heads = ["player", "steps to the next stronger rank", "score more", "intervals do not meet"]
        lines += ["", f"## Against `{OURS}` of {RANKS.write(MIDDLE)}", "", table(ours), ""]
        lines.append(table_of(heads, rises, left=(0, 2, 3)))
    if foreign:
        half = [[name, half_text(rows)] for name, rows in foreign.items()]
        lines += ["", "## Against GNU Go 3.8", "", table(foreign), ""]
        lines.append(table_of(["level", "rank at which half would be scored (95%)"], half))
    return lines


def table(by_name: Mapping[str, Mapping[int, Pentanomial]]) -> str:
    """Write scores: a line a rank, a column a name."""
    ratings = sorted({rating for rows in by_name.values() for rating in rows})
    lines = [
        [RANKS.write(rating)]
        + [score_text(rows[rating]) if rating in rows else "" for rows in by_name.values()]
        for rating in ratings
    ]
    return table_of(["rank", *by_name], lines)


def score_text(pairs: Pentanomial) -> str:
    """Write a score with its interval and the number of games."""
    low, high = pairs.interval()
    return f"{pairs.fraction:.1%} ({low:.1%} to {high:.1%}; {2 * pairs.pairs})"


class Step(NamedTuple):
    """Two ranks that met."""

    low: int
    high: int
    pairs: Pentanomial  #: the score is that of the weaker

    @property
    def ranks(self) -> float:
        """How many ranks they are apart."""
        return (self.high - self.low) / 100

    @property
    def elo(self) -> float:
        """How much stronger the higher is, in Elo."""
        return self.elo_at(self.pairs.fraction)

    def elo_at(self, share: float) -> float:
        """Return the same by the share that the weaker scores; half a game is added for either."""
        games = 2 * self.pairs.pairs
        return -elo_from_score((share * games + 0.5) / (games + 1))


def steps_of(results: Results) -> list[Step]:
    """Return the steps of `OURS` from rank to rank, from the weakest on."""
    found = []
    for key, part in results.items():
        if NEXT in key:
            met = part["settings"]["players"]
            low, high = (int(RANKS.read(parse_spec(one)[1]["rank"])) for one in met)
            found.append(Step(low, high, pairs_of(part["row"])))
    return sorted(found)


def unbroken(steps: Sequence[Step]) -> list[Step]:
    """Return the steps from the weakest on up to the first that is missing."""
    found = list(steps[:1])
    for one in steps[1:]:
        if one.low != found[-1].high:
            break
        found.append(one)
    return found


def step_table(steps: Sequence[Step]) -> str:
    """Write what the weaker of two ranks scores, and how much stronger the other is."""
    lines = [
        [
            RANKS.write(one.low),
            RANKS.write(one.high),
            score_text(one.pairs),
            f"{one.elo:.0f}",
            f"{one.elo / one.ranks:.0f}",
        ]
        for one in steps
    ]
    return table_of(["rank", "next", "score against it", "Elo between", "Elo per rank"], lines)


def span_text(steps: Sequence[Step]) -> str:
    """Write how far apart the ends are, with an interval by pairs of games drawn again."""
    drawn = redrawn({one.low: one.pairs for one in steps})
    low, high = quantiles(
        np.array([sum(one.elo_at(shares[one.low]) for one in steps) for shares in drawn])
    )
    first, last, elo = steps[0], steps[-1], sum(one.elo for one in steps)
    apart = sum(one.ranks for one in steps)
    return (
        f"From {RANKS.write(first.low)} to {RANKS.write(last.high)} it is {elo:.0f} Elo ({low:.0f} "
        f"to {high:.0f}), {elo / apart:.0f} per rank."
    )


def rises_of(rows: Mapping[int, Pentanomial]) -> list[str]:
    """Return the number of steps to a stronger rank, and those at which the score rises."""
    shares = {rating: pairs.fraction for rating, pairs in rows.items()}
    ends = {rating: pairs.interval() for rating, pairs in rows.items()}
    steps = list(pairwise(sorted(shares)))
    rises = [RANKS.write(b) for a, b in steps if shares[b] > shares[a]]
    surely = [RANKS.write(b) for a, b in steps if ends[b].low > ends[a].high]
    cells = [f"{len(some)} ({', '.join(some) or 'none'})" for some in (rises, surely)]
    return [str(len(steps)), *cells]


def half_text(rows: Mapping[int, Pentanomial]) -> str:
    """Write the rank at which half would be scored, with its interval."""
    rating = half_scored(rows, {rating: pairs.fraction for rating, pairs in rows.items()})
    if rating is None:
        return "no line rises through the ranks that played"
    low, high = quantiles(np.array([half_of_draw(rows, draw) for draw in redrawn(rows)]))
    return f"{rank_text(rating)} ({rank_text(low)} to {rank_text(high)})"


def half_scored(rows: Mapping[int, Pentanomial], shares: Mapping[int, float]) -> float | None:
    """Return the rating at which a line through the Elo of the shares is 0; None if none rises.

    Half a game is added for either side at each rank: who won all has an Elo then. Ranks count by
    what their games say of it.
    """
    if len(rows) < 2:
        return None
    games = np.array([2 * rows[rating].pairs for rating in rows])
    share = (np.array([shares[rating] for rating in rows]) * games + 0.5) / (games + 1)
    elo = [elo_from_score(x) for x in share]
    slope, start = np.polyfit(list(rows), elo, 1, w=np.sqrt(games * share * (1 - share)))
    return float(-start / slope) if slope > LEAST_SLOPE else None


def redrawn(rows: Mapping[int, Pentanomial]) -> list[dict[int, float]]:
    """Return shares by pairs drawn again, DRAWS times."""
    rng = np.random.default_rng(SEED)
    each: dict[int, NDArray] = {}
    for rating, pairs in rows.items():
        counts = np.array(pairs.counts)
        drawn = rng.multinomial(counts.sum(), counts / counts.sum(), DRAWS)
        each[rating] = drawn @ np.arange(5) / (4 * counts.sum())
    return [{rating: float(shares[i]) for rating, shares in each.items()} for i in range(DRAWS)]


def half_of_draw(rows: Mapping[int, Pentanomial], shares: Mapping[int, float]) -> float:
    """Return where half is scored by one draw; nan if that is unknown."""
    found = half_scored(rows, shares)
    return float("nan") if found is None else found


def rank_text(rating: float) -> str:
    """Write a rank, or that it is beyond those played."""
    if rating < ALL[0]:
        return f"below {RANKS.write(ALL[0])}"
    return f"above {RANKS.write(ALL[-1])}" if rating > ALL[-1] else RANKS.write(rating)


def plot(results: Results, path: Path) -> None:
    """Draw how strong ranks are, and scores by rank against the middle rank and GNU Go."""
    steps, found = unbroken(steps_of(results)), by_opponent(results)
    found.pop(OURS, None)
    for axes in figure(path, 2, width=10):
        elo = np.cumsum([0.0, *(one.elo for one in steps)])
        ranks = [one.low for one in steps] + [one.high for one in steps[-1:]]
        axes[0].plot(ranks, elo[: len(ranks)], "o-")
        axes[0].set(ylabel=f"Elo above {OURS} at {RANKS.write(ALL[0])}")
        for name, rows in found.items():
            rates = [pairs.fraction for pairs in rows.values()]
            ends = np.array([pairs.interval() for pairs in rows.values()])
            halves = np.abs(ends.T - rates)
            style = "s--" if name.startswith("GNU") else "o-"
            label = f"{OURS} against {name}" if name.startswith("GNU") else name
            axes[1].errorbar(list(rows), rates, halves, fmt=style, capsize=3, label=label)
        axes[1].axhline(0.5, color="0.8", lw=1)
        axes[1].set(ylabel="score", ylim=(-0.02, 1.02))
        axes[1].legend(frameon=False, fontsize=7)
        for one in axes[:2]:
            one.set(xlabel="rank (3000: 1k, 3100: 1d)")
            one.grid(alpha=0.3)


EXPERIMENT = Experiment(
    "rank_games",
    "Strength from rank to rank at Go, and against GNU Go",
    parts,
    page,
    plot,
    games=("go13", "go"),
)
