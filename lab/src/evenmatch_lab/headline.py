"""The README's numbers, from the results: ``python -m evenmatch_lab.headline`` writes them.

``docs/headline.json`` has, for each question of the README's table, the numbers of its answer in
their order. A test compares it with the results, and the README with it.
"""

import json
from pathlib import Path
from typing import Any

RESULTS = Path("docs") / "results"
BEST = "ours, with evals, maia-1100, maia-1500, maia-1900"
GAMES = ("connect4", "othello6", "othello")


def headline(results: Path) -> dict[str, list[str]]:
    """Return the numbers by the question that they answer."""
    evenness, elo = _parts(results, "evenness"), _parts(results, "elo_table")
    engines, estimator = _parts(results, "go_engines"), _parts(results, "estimator")
    people = next(row for row in estimator.values() if row["one_person"])
    errors = {point["games"]: point["error"][0] for point in people["one_person"][BEST]}
    bands = {p["games"]: p["exact"][0] for p in people["methods"][f"{BEST}, all moves"]["points"]}
    return {
        "How even is a series of games?": [
            f"{_imbalance(evenness[f'{game}, series']['table']):.2f}" for game in GAMES
        ],
        "And a single game with a stranger?": [
            f"{_imbalance(evenness[f'{game}, strangers']['table']):.2f}" for game in GAMES
        ],
        "How strong is it without that?": [f"{elo[game]['gap'][0]:.0f}" for game in GAMES],
        "How strong is it at Go?": [
            "{} of {}".format(*_won(engines, f"{game}, GNU Go 10")) for game in ("go9", "go")
        ],
        "How well does it estimate ratings?": [
            *(f"{errors[games]:.0f}" for games in (1, 20)),
            *(f"{bands[games]:.0%}" for games in (1, 20)),
        ],
    }


def _parts(results: Path, name: str) -> dict[str, Any]:
    return json.loads((results / f"{name}.json").read_text(encoding="utf-8"))["parts"]


def _imbalance(table: dict[str, Any]) -> float:
    """Return the mean over opponents of abs(W - L), the shares of games won and lost."""
    total = [
        [a + b for a, b in zip(row["first"], row["second"], strict=True)] for row in table.values()
    ]
    return sum(abs(won - lost) / (won + lost + drawn) for won, lost, drawn in total) / len(total)


def _won(parts: dict[str, Any], begin: str) -> tuple[int, int]:
    """Return the games won and played, of the parts whose name begins so."""
    rows = [part["row"] for key, part in parts.items() if key.startswith(begin)]
    won = sum(row[side][0] for row in rows for side in ("first", "second"))
    return won, sum(sum(row[side]) for row in rows for side in ("first", "second"))


def main() -> None:
    """Write the file, in the repository's folder."""
    text = json.dumps(headline(RESULTS), indent=1) + "\n"
    (RESULTS.parent / "headline.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
