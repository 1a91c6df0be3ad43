"""How fast people's ratings move: the variance of their differences by the months between games.

    python benchmarks/rating_drift.py [FILE] [--json OUT]

FILE is PGN whose games tell the month; by default the shared games of Lichess. Two games of one
player in the same month differ by what a rating strays by itself. What the difference
grows by from month to month is drift: the slope of the mean square over the first year, each player
weighing alike at each lag. The interval is by players drawn with replacement. Players of split
query are left out, for levels are tested on them.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from shared_folder import data_folder

from evenmatch.records.streams import Stream
from evenmatch.workshop.datasets.splits import SPLITS, split_of
from evenmatch_lab.provenance import code_of_script
from evenmatch_lab.result_files import made_by
from evenmatch_lab.shared.game_months import DAYS, month_of

LEAST, MOST = 6, 60  #: games of a player
MONTHS = 12  #: lags that the slope is of
DRAWS, SEED = 1000, 1
FILE = "chess/lichess-rapid.pgn.zst"

Seen = tuple[str, int, float]  #: a player, a month, a rating


def of_pgn(path: Path) -> Iterator[Seen]:
    """Yield who had which rating in which month."""
    tags: dict[str, str] = {}
    with Stream(path) as stream:
        rest = b""
        while block := stream.read(1 << 20):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                match = re.match(rb'\[(\w+) "(.*)"\]', line)
                if match is None:
                    yield from _sides(tags)
                    tags = {}
                else:
                    tags[match[1].decode()] = match[2].decode("utf-8", "replace")


def _sides(tags: dict[str, str]) -> Iterator[Seen]:
    month = month_of(tags.get("UTCDate", tags.get("Date", "")))
    for side in ("White", "Black"):
        rating = tags.get(f"{side}Elo", "")
        if month and rating.isdigit():
            yield tags.get(side, ""), month, float(rating)


def squares(seen: Iterator[Seen]) -> list[np.ndarray]:
    """Return for each player the mean square difference at each lag, [MONTHS + 1]; NaN for none."""
    of: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for name, month, rating in seen:
        if name and len(of[name]) < MOST and SPLITS[split_of(name)] != "query":
            of[name].append((month, rating))
    return [_of_player(np.array(games)) for games in of.values() if len(games) >= LEAST]


def _of_player(games: np.ndarray) -> np.ndarray:
    months, ratings = games.T
    first, second = np.triu_indices(len(games), 1)
    lags = np.abs(months[first] - months[second]).astype(int)
    differences = (ratings[first] - ratings[second]) ** 2
    within = lags <= MONTHS
    counts = np.bincount(lags[within], minlength=MONTHS + 1)
    sums = np.bincount(lags[within], differences[within], MONTHS + 1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def slope(rows: np.ndarray) -> tuple[float, float]:
    """Return the slope a month, and the value at no lag, of players' mean squares [P, lags]."""
    means, counts = _means(rows), (~np.isnan(rows)).sum(0)
    fit = np.polyfit(np.arange(len(means)), means, 1, w=np.sqrt(counts))
    return float(fit[0]), float(means[0])


def _means(rows: np.ndarray) -> np.ndarray:
    """Return the mean over players at each lag, 0 where nobody is known."""
    return np.nansum(rows, 0) / np.maximum((~np.isnan(rows)).sum(0), 1)


def drift(path: Path) -> dict[str, object]:
    """Return the drift of a file's players, with its interval."""
    rows = np.array(squares(of_pgn(path)))
    rng = np.random.default_rng(SEED)
    drawn = [slope(rows[rng.integers(0, len(rows), len(rows))])[0] / DAYS for _ in range(DRAWS)]
    a_month, at_once = slope(rows)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return {
        "players": len(rows),
        "variance a day": round(a_month / DAYS, 1),
        "interval": [round(float(low), 1), round(float(high), 1)],
        "deviation of one rating": round(float(np.sqrt(at_once / 2)), 1),
        "mean squares by month": [round(float(x)) for x in _means(rows)],
    }


def main() -> None:
    """Print it, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    path = asked.file or data_folder() / FILE
    found = {"file": path.name} | drift(path)
    for key, value in found.items():
        print(f"{key}: {value}")
    if asked.json:
        made = made_by(code_of_script(__file__, "main"), {})
        facts = {"made": made, "seed": SEED, "draws": DRAWS} | found
        asked.json.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
