"""The README's numbers, from the results: ``python -m evenmatch_lab.headline`` writes them.

``docs/headline.json`` has, for each question of the README's table, the numbers of its answer in
their order. A test compares it with the results, and the README with it.
"""

import json
import re
from pathlib import Path
from typing import Any

RESULTS = Path("docs") / "results"
BEST = "ours, with evals, maia-1100, maia-1500, maia-1900"
GAMES = ("connect4", "othello6", "othello")


def headline(results: Path) -> dict[str, list[str]]:
    """Return the numbers by the question that they answer."""
    elo, engines, estimator = (
        _parts(results, name) for name in ("elo_table", "go_engines", "estimator")
    )
    people = next(row for row in estimator.values() if row["one_person"])
    errors = {point["games"]: point["error"][0] for point in people["one_person"][BEST]}
    bands = {p["games"]: p["exact"][0] for p in people["methods"][f"{BEST}, all moves"]["points"]}
    return {
        **_evenness(results / "evenness.md"),
        "Does it find your level?": [
            _cell(results, "level_tracking", [games, evidence], 2)
            for evidence in ("both", "Glicko-2")
            for games in ("1", "20")
        ],
        "Can it rate recorded games?": [
            *(f"{errors[games]:.0f}" for games in (1, 20)),
            *(f"{bands[games]:.0%}" for games in (1, 20)),
        ],
        "Do players at a rating play at it?": [
            _cell(results, "dial", [game], 2)
            for game in ("Chess", "Othello", "Connect Four", "6x6 Othello")
        ],
        "How strong is it at most?": [
            *("{} of {}".format(*_won(engines, f"{game}, GNU Go 10")) for game in ("go9", "go")),
            *(f"{elo[game]['gap'][0]:.0f}" for game in GAMES),
        ],
    }


def _parts(results: Path, name: str) -> dict[str, Any]:
    return json.loads((results / f"{name}.json").read_text(encoding="utf-8"))["parts"]


def _evenness(page: Path) -> dict[str, list[str]]:
    """Return RMS of score - 1/2 of `even` by game, as its page has it; nothing without a page."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    ways = {
        "Is the first game even?": "strangers",
        "Are its games even, from the sixth on?": "series, games 6 on",
    }
    rows = {
        question: re.findall(rf"^\| even \| {way} \| \d+ \| \d+ \| (\S+)", text, re.M)
        for question, way in ways.items()
    }
    return {question: found for question, found in rows.items() if found}


def _cell(results: Path, page: str, first: list[str], column: int) -> str:
    """Return the number in a column of the first row of a page that begins with these cells."""
    lines = (results / f"{page}.md").read_text(encoding="utf-8").splitlines()
    row = next(line for line in lines if line.startswith(f"| {' | '.join(first)} | "))
    return row.strip("| ").split(" | ")[column].split()[0]


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
