"""The few numbers of ``even``, found against opponents drawn in every generation. Ours.

CMA-ES (Hansen and Ostermeier 2001), as the library ``cma`` has it, searches the unit cube: each
number lies between two bounds. In every generation all candidates meet the same opponents from the
same openings, with the same seeds. Opponents are of the families that numbers may be fitted on
(`shared/strangers.py`). Most are met in first games, some in short series of which the later games
count, so that the numbers do not trade later games for first ones.

The loss is the mean over opponents of (score - 1/2)^2, without sampling variance
(`shared/debiased.py`), plus a prior: `PRIOR` times the squared distance from the start, which are
the numbers in use when the search was begun.

A part is one generation on one game. It needs all parts of earlier generations, whose losses lead
the optimiser to where it was: it asks for the same candidates again. The last part compares the
numbers found with the start against opponents that no generation met.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from evenmatch.errors import StateError
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.opponents.dials import OF_PEOPLE
from evenmatch.opponents.fitted import COURSES
from evenmatch.progress import Progress
from evenmatch_lab.pages import table
from evenmatch_lab.runner import Experiment, Part, Results, figure
from evenmatch_lab.shared.agents import networks
from evenmatch_lab.shared.debiased import differences, rms
from evenmatch_lab.shared.even_games import OPENINGS, Kept, meet_in_series, meet_strangers
from evenmatch_lab.shared.opponents import FEW, seed_of
from evenmatch_lab.shared.strangers import Stranger, is_installed, population

Floats = NDArray[np.float64]
SEED = 61
GAMES = ("connect4", "othello6")  #: usual ones: one set of numbers for both
BOUNDS = {
    "moves": (0.0, 1.0),
    "unsure": (200.0, 1500.0),
    "course": (0.0, 1.0),
    "ahead": (-0.5, 2.0),
    "steer": (0.0, 3.0),
    "ease": (0.0, 1.0),
    "give": (0.0, 1.0),
    "reserve": (0.0, 2.0),
    "limit": (0.0, 1.0),
}  #: numbers that are searched; they count as far as each bound is from the other
#: Where the search begins; constants, so that numbers that come into use change no result.
START = {
    "moves": 0.6,
    "unsure": 700.0,
    "course": 0.0,
    "ahead": 0.2,
    "steer": 1.0,
    "ease": 0.3,
    "give": 0.4,
    "reserve": 0.3,
    "limit": 0.2,
}
AMONG_PEOPLE = {"moves": 1.0, "course": 0.7, "ahead": 0.3, "ease": 0.5}  #: other at chess and Go
AT_GO = {"unsure": 1000.0}  #: and these at Go
OF_GIVING = ("give", "reserve", "limit")  #: without effect where people's moves are known
STEP = 0.2  #: first standard deviation of candidates, in the unit cube
PRIOR = 0.005  #: of the squared distance from the start, in the unit cube
SAME = 1e-3  #: by which kept candidates may differ, which are rounded
LANES = 2  #: series with an opponent
COUNTED = slice(2, None)  #: games of a series that count: pairs with either side, from one opening


class Size(NamedTuple):
    """How much is played."""

    generations: int
    candidates: int  #: in a generation
    firsts: int  #: opponents in a generation that are met in first games
    series: int  #: those that are met in series
    games: int  #: first games with an opponent, an even number of at least 4
    rounds: int  #: games of a series, an even number of at least 4
    compared: tuple[int, int]  #: opponents of the comparison, in first games and in series


SIZE = Size(30, 8, 20, 4, 6, 6, (80, 40))
QUICK = Size(2, 3, 3, 0, 4, 4, (2, 2))

# -- numbers and the unit cube -------------------------------------------------------------------


def start_of(game_id: str) -> dict[str, float]:
    """Return where the search begins on a game: the numbers that are searched there."""
    info = game_info(game_id)
    if info.rated not in OF_PEOPLE:
        return START
    known = START | AMONG_PEOPLE | (AT_GO if info.level == "rank" else {})
    return {name: x for name, x in known.items() if name not in OF_GIVING}


def in_cube(numbers: dict[str, float]) -> Floats:
    """Return where numbers lie between their bounds, each from 0 to 1."""
    return np.array(
        [(x - BOUNDS[k][0]) / (BOUNDS[k][1] - BOUNDS[k][0]) for k, x in numbers.items()]
    )


def keys_at(names: Iterable[str], point: Floats) -> str:
    """Return the numbers at a point of the unit cube as keys of a spec."""
    low, high = np.array([BOUNDS[name] for name in names]).T
    numbers = low + (high - low) * np.clip(point, 0, 1)
    return keys_of(dict(zip(names, numbers.tolist(), strict=True)))


def keys_of(numbers: dict[str, float]) -> str:
    """Return numbers as keys of a spec."""
    return ",".join(f"{name}={x:.4g}" for name, x in numbers.items())


def numbers_of(keys: str) -> dict[str, float]:
    """Return the numbers that `keys_of` wrote."""
    return {name: float(x) for name, x in (pair.split("=") for pair in keys.split(","))}


# -- games and their loss ------------------------------------------------------------------------


def meet(game_id: str, keys: str, met: Sequence[Stranger], size: Size, seed: int) -> list[Floats]:
    """Let ``even`` with these keys meet opponents; return the scores of their units, [m] each.

    The first ``size.firsts`` are met in first games, whose units are pairs from one opening; the
    others in series, whose units are the counted games of each.
    """
    game = get_game(game_id)
    firsts, series = ({one.name: one.spec for one in some} for some in split(met, size))
    rows = meet_strangers(game, f"even:{keys}", firsts, size.games, seed)
    units = [Kept.of(row).points.mean(1) for row in rows.values()]
    rows = meet_in_series(game, f"even:{keys}", series, LANES, size.rounds, seed)
    return units + [Kept.of(row, COUNTED).points.mean(1) for row in rows.values()]


def loss_of(units: Sequence[Floats]) -> float:
    """Return the mean of (score - 1/2)^2 over opponents, without sampling variance."""
    return float(differences(units).mean())


def split(met: Sequence[Any], size: Size) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return those of first games and those of series."""
    return met[: size.firsts], met[size.firsts :]


def written(units: Sequence[Floats], size: Size) -> str:
    """Write the points of units in halves, a digit a unit and a word an opponent."""
    games = [2] * size.firsts + [size.rounds - COUNTED.start] * (len(units) - size.firsts)
    words = ([round(2 * n * x) for x in some] for some, n in zip(units, games, strict=True))
    return " ".join("".join(map(str, word)) for word in words)


def units_of(text: str, size: Size) -> list[Floats]:
    """Return the scores of units that `written` wrote."""
    halves = [np.array([int(digit) for digit in word], float) for word in text.split()]
    firsts, series = split(halves, size)
    most = 2 * (size.rounds - COUNTED.start)
    return [some / 4 for some in firsts] + [some / most for some in series]


# -- the search ----------------------------------------------------------------------------------


def parts(quick: bool, game_id: str = "") -> dict[str, Part]:
    """One part a generation and game, then the comparison on each game."""
    game_ids = (game_id,) if game_id else GAMES[: 1 if quick else None]
    search = Search(game_ids, QUICK if quick else SIZE, quick)
    shared = {
        "seed": SEED,
        "size": search.size._asdict(),
        "start": keys_of(search.start),
        "bounds": [BOUNDS[name] for name in search.start],
        "step": STEP,
        "prior": PRIOR,
    }
    found: dict[str, Part] = {}
    for k in range(1, search.size.generations + 2):
        earlier = tuple(found)
        for one in game_ids:
            settings = shared | {"networks": networks("even", game_id=one)}
            settings |= {"sims": search.sims(one), "openings": OPENINGS[one]}
            name, run = key_of(one, k), partial(search.play, one, k)
            if k > search.size.generations:
                name, run = f"{one} | comparison", partial(search.compare, one)
            here = one != "chess" or is_installed("stockfish")
            found[name] = Part(settings, run if here else None, earlier)
    return found


def key_of(game_id: str, generation: int) -> str:
    """Return the name of a part."""
    return f"{game_id} | generation {generation}"


@dataclass(frozen=True)
class Search:
    """A search for the numbers of some games, which have the same start."""

    game_ids: tuple[str, ...]
    size: Size
    quick: bool

    @property
    def start(self) -> dict[str, float]:
        """Where it begins."""
        return start_of(self.game_ids[0])

    def sims(self, game_id: str) -> int:
        """Return the simulations of ``even``."""
        return FEW if self.quick else game_info(game_id).rated_simulations

    def optimiser(self, done: Results) -> Any:
        """Return CMA-ES after all generations that are done. StateError if it goes another way."""
        import cma  # takes three seconds

        rng = np.random.default_rng(SEED)
        start = in_cube(self.start)
        options = {
            "bounds": [0, 1],
            "popsize": self.size.candidates,
            "randn": lambda *shape: rng.standard_normal(shape),
            "seed": np.nan,  # leaves the seed of numpy.random alone
            "verbose": -9,
        }
        found = cma.CMAEvolutionStrategy(start, STEP, options)
        for k in count(1):
            rows = [done.get(key_of(one, k)) for one in self.game_ids]
            played = [row for row in rows if row]
            if len(played) < len(rows):
                return found
            points = found.ask()
            kept = [[in_cube(numbers_of(x)) for x in row["candidates"]] for row in played]
            if not np.allclose(kept, points, atol=SAME):
                raise StateError(
                    f"cma {cma.__version__} has other candidates than generation {k} had; install "
                    f"version {played[0]['cma']}, or choose another folder with --out"
                )
            losses = np.mean([row["losses"] for row in played], axis=0)
            apart = np.sum((np.array(points) - start) ** 2, axis=1)
            found.tell(points, (losses + PRIOR * apart).tolist())
        raise AssertionError("no generation is missing")

    def written(self, points: Iterable[Floats]) -> list[str]:
        """Return points of the unit cube as keys of a spec."""
        return [keys_at(self.start, point) for point in points]

    def play(
        self, game_id: str, generation: int, progress: Progress, done: Results
    ) -> dict[str, Any]:
        """Let the candidates of a generation meet a population."""
        import cma

        optimiser, size = self.optimiser(done), self.size
        seed = seed_of(SEED, key_of(game_id, generation))
        met = population(game_id, size.firsts + size.series, seed, self.quick)
        row: dict[str, Any] = {
            "cma": cma.__version__,
            "mean": self.written([optimiser.result.xfavorite])[0],
            "step": round(float(optimiser.sigma), 4),
            "opponents": [one.spec for one in met],
            "candidates": self.written(optimiser.ask()),
            "points": [],
            "losses": [],
        }
        for at, keys in enumerate(row["candidates"]):
            units = meet(game_id, f"{keys},sims={self.sims(game_id)}", met, size, seed)
            row["points"].append(written(units, size))
            row["losses"].append(round(loss_of(units), 6))
            progress(at + 1, size.candidates)
        return row

    def compare(self, game_id: str, progress: Progress, done: Results) -> dict[str, Any]:
        """Let the start and the numbers found meet a population that no generation met."""
        mean = self.written([self.optimiser(done).result.xfavorite])[0]
        seed = seed_of(SEED, f"{game_id} | comparison")
        firsts, series = self.size.compared
        met, size = population(game_id, firsts + series, seed, self.quick), self.size
        size = size._replace(firsts=firsts, series=series)
        points = []
        for at, keys in enumerate((keys_of(self.start), mean)):
            keys += f",sims={self.sims(game_id)}"
            points.append(written(meet(game_id, keys, met, size, seed), size))
            progress(at + 1, 2)
        return {"mean": mean, "opponents": [one.spec for one in met], "points": points}


# -- the page ------------------------------------------------------------------------------------


def page(results: Results) -> list[str]:
    """Write the comparison, the numbers, and the losses by generation."""
    generations = {key: row for key, row in results.items() if "losses" in row}
    compared = {key: row for key, row in results.items() if key not in generations}
    *_, last = results.values()
    start, found = numbers_of(last["settings"]["start"]), numbers_of(last["mean"])
    lines = []
    if compared:
        heads = ["game", "games", "opponents", "start", "found", "difference of squares (95%)"]
        rows = [cells for key, row in compared.items() for cells in compared_cells(key, row)]
        said = "RMS of score - 1/2 against opponents that no generation met, with 95% over "
        lines += [f"{said}opponents; below 0 the numbers found are better:", ""]
        lines += [table(heads, rows, left=(0, 1)), ""]
    heads = ["number", "least", "most", "start", "found" if compared else "so far"]
    rows = [[f"`{k}`", *map(_short, (*BOUNDS[k], x, found[k]))] for k, x in start.items()]
    lines += [table(heads, rows), ""]
    heads = ["generation", "loss of its candidates", "least", "step", "mean of the candidates"]
    rows = []
    for key, row in generations.items():
        some = [f"{np.mean(row['losses']):.4f}", f"{min(row['losses']):.4f}"]
        rows.append([name_of(key), *some, row["step"], f"`{row['mean']}`"])
    lines += [table(heads, rows, left=(0, 4)), ""]
    lines.append(
        "All opponents are of the families that numbers may be fitted on. How even games are is "
        "reported against others: [evenness](evenness.md)."
    )
    return lines


def _short(number: float) -> str:
    return f"{number:.3g}" if abs(number) < 100 else f"{number:.0f}"


def name_of(key: str) -> str:
    """Return a part's game and generation as the page names them."""
    game_id, _, rest = key.partition(" | ")
    return f"{get_game(game_id).title}, {rest.removeprefix('generation ')}"


def compared_cells(key: str, row: dict[str, Any]) -> list[list[str]]:
    """Write the comparison in first games and in series."""
    kept = row["settings"]["size"]
    size = Size(**kept)._replace(firsts=kept["compared"][0])
    title, cells = get_game(key.partition(" | ")[0]).title, []
    both = [split(units_of(points, size), size) for points in row["points"]]
    names = ("first games", f"games {COUNTED.start + 1} to {size.rounds} of a series")
    for name, before, after in zip(names, *both, strict=True):
        gains = differences(after) - differences(before)
        mean, n = gains.mean(), len(gains)
        half = student.ppf(0.975, n - 1) * gains.std(ddof=1) / np.sqrt(n)
        shown = []
        for units in (before, after):
            one = rms(units)
            low, high = one.over_opponents
            shown.append(f"{one.value:.2f} ({low:.2f} to {high:.2f})")
        gain = f"{mean:+.3f} ({mean - half:+.3f} to {mean + half:+.3f})"
        cells.append([title, name, str(n), *shown, gain])
    return cells


def plot(results: Results, path: Path) -> None:
    """Draw losses, and the mean of the candidates in the unit cube, by generation."""
    by_game: dict[str, list[dict[str, Any]]] = {}
    for key, row in results.items():
        if "losses" in row:
            by_game.setdefault(key.partition(" | ")[0], []).append(row)
    for axes in figure(path, 2):
        for game_id, rows in by_game.items():
            at = np.arange(1, len(rows) + 1)
            losses = [np.mean(row["losses"]) for row in rows]
            axes[0].plot(at, losses, "o-", label=get_game(game_id).title)
        numbers = [numbers_of(row["mean"]) for row in rows]
        for name, line in zip(numbers[0], np.array([*map(in_cube, numbers)]).T, strict=True):
            axes[1].plot(at, line, label=name)
        axes[0].set(xlabel="generation", ylabel="mean loss of the candidates")
        axes[1].set(xlabel="generation", ylabel="mean of the candidates, between the bounds")
        for axis in axes:
            axis.legend(frameon=False, fontsize=8)


EXPERIMENT = Experiment(
    "even_numbers",
    "Which numbers of even make games most even",
    parts,
    page,
    plot,
    games=tuple(COURSES),
)
