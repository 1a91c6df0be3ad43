"""The rules of Go beside all that can judge them: counts, records, GNU Go, OpenSpiel, results.

    python benchmarks/go_rules.py [FOLDER] [--only PART ...] [--out DIR]

FOLDER has the recorded games; by default go/ of the shared data. Writes go_rules.json after every
part, and goes on from there; then the page. Ends with status 1 if anything differs.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import go_recorded
from go_beside import GNUGO, TOGETHER, beside_gnugo, beside_openspiel, gnugo_version, lines
from go_positions import KNOWN, legal_boards, reachable_boards
from go_recorded import agreement, files
from shared_folder import data_folder

from evenmatch.network.artifact import digest_of, shipped_path
from evenmatch.network.processor import machine
from evenmatch.sessions.scoring import result_text
from evenmatch_lab.markdown import wrapped
from evenmatch_lab.provenance import DIGITS, code_of_script
from evenmatch_lab.result_files import made_by, write

SEED = 1
SPIEL = {5: 4000, 9: 10_000, 19: 6000}  # positions by size
AIM = 0.98  # of results
SHOWN = 12  # illegal games of a file that the page names
Found = dict[str, Any]


# -- the parts: each yields what is known so far -------------------------------------------------


def positions(folder: Path, known: Found) -> Iterator[Found]:
    """Count the legal positions of small boards in two ways."""
    for size in KNOWN:
        if str(size) not in known:
            counts = {"legal": legal_boards(size), "reachable": reachable_boards(size)}
            known[str(size)] = counts
            yield known


def records(folder: Path, known: Found) -> Iterator[Found]:
    """Play all recorded games."""
    for path in files(folder):
        if path.name not in known:
            known[path.name] = go_recorded.legality(path)
            yield known


def gnugo(folder: Path, known: Found) -> Iterator[Found]:
    """Compare games with GNU Go's."""
    known.setdefault("version", gnugo_version())
    known.setdefault("games", [])
    games = lines(folder, SEED) if known["version"] else []
    for begin in range(len(known["games"]), len(games), TOGETHER):
        known["games"] += beside_gnugo(games[begin : begin + TOGETHER])
        yield known


def openspiel(folder: Path, known: Found) -> Iterator[Found]:
    """Compare random positions with OpenSpiel's."""
    for size, count in SPIEL.items():
        if str(size) not in known:
            known[str(size)] = beside_openspiel(size, count, SEED)
            yield known


def area(folder: Path, known: Found) -> Iterator[Found]:
    """Compare areas with the plain board's."""
    if not known:
        yield go_recorded.area_twins(folder)


def results(folder: Path, known: Found) -> Iterator[Found]:
    """Compare scores with those of the records."""
    if not known:
        yield go_recorded.results(folder)


PARTS: dict[str, Callable[[Path, Found], Iterator[Found]]] = {
    "positions": positions,
    "records": records,
    "gnugo": gnugo,
    "openspiel": openspiel,
    "area": area,
    "results": results,
}


# -- the page ------------------------------------------------------------------------------------


def page(known: Found) -> str:
    """Write what was found for people."""
    made, parts = known["made"], known["parts"]
    sections = {
        "positions": positions_section, "records": records_section, "gnugo": gnugo_section,
        "openspiel": openspiel_section, "area": area_section, "results": results_section,
    }  # fmt: skip
    text = [
        "# The rules of Go",
        "",
        "Command: `python benchmarks/go_rules.py`.",
        f"Made: {made['date']}; {known['machine']}; network "
        f"`{made['networks']['go'][:DIGITS]}`; code `{made['code']}`.",
        "",
    ]
    for name, section in sections.items():
        if name in parts:
            text += [*section(parts[name]), ""]
    return "\n".join(wrapped(text[:-1])) + "\n"


def positions_section(part: Found) -> list[str]:
    rows = [
        f"| {size}x{size} | {KNOWN[int(size)]:,} | {row['legal']:,} | {row['reachable']:,} |"
        for size, row in part.items()
    ]
    return [
        "## Legal positions",
        "",
        "Counts of boards all of whose chains have liberties, of all 3^points boards, and of "
        "boards that legal moves reach from the empty one (history forgotten after each move, "
        "either side to move). Known: Tromp and Farneback 2007.",
        "",
        "| board | known | all chains breathe | reached by play |",
        "|---|---:|---:|---:|",
        *rows,
    ]


def records_section(part: Found) -> list[str]:
    rows, named = [], []
    for name, row in part.items():
        left, illegal = row["left_out"], row["illegal"]
        others = ", ".join(
            f"{count} {reason.replace('_', ' ')}"
            for reason, count in left.items()
            if reason != "illegal_move"
        )
        rows.append(
            f"| {name} | {row['games']:,} | {row['plies']:,} | {row['kept']:,} | "
            f"{left.get('illegal_move', 0)} | {others or 0} |"
        )
        if illegal:
            kinds = Counter(fault["wrong"].partition(",")[0] for fault in illegal)
            told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
            some = "; ".join(
                f"line {fault['line']} move {fault['move']} {fault['point']} ({fault['wrong']})"
                for fault in illegal[:SHOWN]
            )
            more = f"; and {len(illegal) - SHOWN} more" if len(illegal) > SHOWN else ""
            named.append(f"- {name}: {told}. {some}{more}.")
    return [
        "## Recorded games",
        "",
        "Every move of every shared game was played. Games with a wrong move are left out of "
        "datasets whole; a plain board that shares no code with evenmatch (that of "
        "`benchmarks/gtp_match.py`) says what is wrong with the first one. All of them are named "
        "in `go_rules.json`. Two moves of a side in a row are read with a pass between them; "
        "counts made before 28 November 2026 have such games as out of turn.",
        "",
        "| file | games | moves of the kept | kept | illegal move | other |",
        "|---|---:|---:|---:|---:|---:|",
        *rows,
        "",
        *named,
    ]


def gnugo_section(part: Found) -> list[str]:
    games = part["games"]
    if not games:
        return ["## GNU Go", "", "GNU Go is not installed here."]
    total = {name: sum(row[name] for row in games) for name in ("positions", "captured", "banned")}
    differ = [row for row in games if row["differ"]]
    sizes = Counter(row["size"] for row in games)
    told = ", ".join(f"{count} on {size}x{size}" for size, count in sorted(sizes.items()))
    return [
        "## GNU Go",
        "",
        f"{len(games)} games ({told}): recorded ones of 19x19 and random ones, at most 480 plies. "
        f"In each of {total['positions']:,} positions the stones, the prisoners of both sides and "
        f"the legal moves were compared with {part['version']}'s (`{GNUGO}`): {total['captured']:,}"
        f" stones were captured, and ko and superko banned {total['banned']:,} points. "
        f"Games in which anything differs: **{len(differ)}**.",
    ]


def openspiel_section(part: Found) -> list[str]:
    count = sum(row["positions"] for row in part.values())
    games = sum(row["games"] for row in part.values())
    repeating = sum(row["repeating"] for row in part.values())
    differ = [text for row in part.values() for text in row["differ"]]
    sizes = ", ".join(f"{row['positions']:,} on {size}x{size}" for size, row in part.items())
    return [
        "## OpenSpiel",
        "",
        f"{count:,} positions of {games} random games ({sizes}), seed {SEED}: legal moves, ends "
        "of games and winners. OpenSpiel ends a game where a position repeats, ours forbid the "
        f"move: {repeating:,} such moves were met. Differences: **{len(differ)}**.",
    ]


def area_section(part: Found) -> list[str]:
    count = sum(part["positions"].values())
    return [
        "## Area",
        "",
        f"{count:,} last positions of recorded games, stones as they stand, counted by the plain "
        f"board too. Differences: **{len(part['differ'])}**.",
    ]


def results_section(part: Found) -> list[str]:
    text = [
        "## Results of recorded games",
        "",
        "Games by area (Chinese, AGA, New Zealand or Tromp-Taylor rules) whose record tells by how "
        "many points they were won. Dead stones are those that the shipped network gives to the "
        "other side (`sessions/scoring.py`). Only where two passes end the record is its last "
        f"position the one that was counted; there the aim is {AIM:.0%}.",
        "",
        "| file | record ends with | games | equal scores | winner the same |",
        "|---|---|---:|---:|---:|",
    ]
    names = list(dict.fromkeys(row["file"] for row in part["games"]))
    for passed in (True, False):
        every = [row for row in part["games"] if row["passed"] == passed]
        groups = {name: [row for row in every if row["file"] == name] for name in names}
        for name, rows in [*groups.items(), ("all", every)]:
            if rows:
                equal, winners = agreement(rows)
                end = "two passes" if passed else "a move"
                text.append(f"| {name} | {end} | {len(rows):,} | {equal} | {winners} |")
    text += [
        "",
        "One rule was learned from these very games: by OGS's Chinese rules a handicap of one "
        "(HA[1]) gives White a point. Without it 75.1% had equal scores. So the share is not that "
        "of games which nobody had looked at.",
        "",
    ]
    return text + disagreements([row for row in part["games"] if row["passed"]])


def disagreements(rows: list[Found]) -> list[str]:
    """Tell the games that two passes ended, and whose score differs."""
    differ = [row for row in rows if row["told"] != row["ours"]]
    lines = [
        f"| {row['file']} | {row['line']} | {lead(row['told'])} | {lead(row['ours'])} | "
        f"{lead(row['all_alive'])} | {lead(row['gnugo'])} | {row['dead']} | {row['neither']} |"
        for row in differ
    ]
    alike = sum(row["gnugo"] == row["ours"] for row in differ)
    return [
        f"Games that two passes ended, and whose score differs. In {alike} of the {len(differ)} "
        "GNU Go, which judges by itself what is dead, has the same score as ours:",
        "",
        "| file | line | record | ours | all stones alive | GNU Go | dead stones | nobody's |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *lines,
    ]


def lead(points: float | None) -> str:
    """Write a lead as results are written."""
    return "" if points is None else result_text(points)


def faults(parts: Found) -> list[str]:
    """Return what differs from what it should be."""
    wrong = [
        f"{size}x{size}"
        for size, row in parts.get("positions", {}).items()
        if set(row.values()) != {KNOWN[int(size)]}
    ]
    wrong += [f"GNU Go, game {n}" for n, row in enumerate(parts.get("gnugo", {}).get("games", []))
              if row["differ"]]  # fmt: skip
    wrong += [text for row in parts.get("openspiel", {}).values() for text in row["differ"]]
    wrong += parts.get("area", {}).get("differ", [])
    counted = [row for row in parts.get("results", {}).get("games", []) if row["passed"]]
    if counted and agreement(counted)[0].share < AIM:
        wrong.append(f"results: {agreement(counted)[0]} equal")
    return wrong


# -- the command line ----------------------------------------------------------------------------


def main() -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, help="of the .sgfs.zst files")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--out", type=Path, default=Path("docs/results"))
    asked = parser.parse_args()
    folder = asked.folder or data_folder() / "go"
    path = asked.out / "go_rules.json"
    made = made_by(code_of_script(__file__, "PARTS"), {"go": digest_of(shipped_path("go"))})
    known = json.loads(path.read_text()) if path.exists() else {}
    same = known.get("made", {}).get("code") == made["code"]
    parts = known["parts"] if same else {}
    for name in asked.only:
        for found in PARTS[name](folder, parts.get(name, {})):
            parts[name] = found
            parts = {part: parts[part] for part in PARTS if part in parts}
            known = {"made": made, "machine": machine(), "parts": parts}
            write(path, json.dumps(known, indent=1) + "\n")
            print(name, file=sys.stderr, flush=True)
    write(path.with_suffix(".md"), page(known))
    wrong = faults(parts)
    print("\n".join(wrong) or "nothing differs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
