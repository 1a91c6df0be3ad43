"""Figures of the README and the docs, filled from the result files: nobody writes them by hand.

    python -m evenmatch_lab.figures

fills them all, in the repository's folder. In a page a figure stands between two comments, which
nobody sees: ``<!--f:FILE.NAME-->314<!--f-->``. One that begins a line is a table. FILE is a file
of docs/results, without ``.json``, and NAME is what the function of SOURCES calls it that reads
such a file. A figure of results that are not all there reads ``(being measured)``.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evenmatch.errors import UsageError
from evenmatch_lab.figures import (
    benchmarks,
    board_games,
    dials,
    estimates,
    full_strength,
    fuzzing,
    go_people,
    likeness,
    loops,
    rated,
    resigning,
    scale,
)
from evenmatch_lab.markdown import wrapped
from evenmatch_lab.result_files import ResultFile

Figures = dict[str, str]

#: What reads each file: it takes the rows, or all of a file that is not an experiment's.
SOURCES: dict[str, Callable[[Any], Figures]] = {
    "bench": benchmarks.bench,
    "bench_chess": benchmarks.chess,
    "bench_maia": benchmarks.maia,
    "bench_memory": benchmarks.memory,
    "bench_precision": benchmarks.precision,
    "board_levels": loops.board_levels,
    "chesscom/estimator": estimates.estimator,
    "chesscom/game_speeds": estimates.game_speeds,
    "class_tournament": rated.class_tournament,
    "closed_loop": loops.closed_loop,
    "connect4_optimal": benchmarks.connect4_optimal,
    "dda_tables": board_games.dda_tables,
    "drills": benchmarks.drills,
    "dynamic_z": dials.dynamic_z,
    "dynamic_z_go9": dials.dynamic_z,
    "eight_bits": full_strength.eight_bits,
    "elo_table": board_games.elo_table,
    "estimator": estimates.estimator,
    "even_levels": loops.even_levels,
    "evaluations": estimates.evaluations,
    "evenness": board_games.evenness,
    "evenness_go9": go_people.evenness,
    "go_engines": board_games.go_engines,
    "fide/estimator": estimates.estimator,
    "fuzz": fuzzing.fuzzing,
    "go/estimator": go_people.ranks_told,
    "go/move_prediction": go_people.move_prediction,
    "go/turing": go_people.turing,
    "judged_moves": go_people.judged_moves,
    "kgs/estimator": go_people.ranks_told,
    "level_fit": rated.level_fit,
    "level_tracking": estimates.level_tracking,
    "move_loss": rated.move_loss,
    "move_prediction": likeness.move_prediction,
    "othello6_second": benchmarks.second,
    "phases": estimates.phases,
    "piece_drops": rated.piece_drops,
    "point_loss": go_people.point_loss,
    "proofs": full_strength.proofs,
    "puzzle_ratings": rated.puzzle_ratings,
    "rank_games": go_people.rank_games,
    "rank_points": go_people.rank_points,
    "rank_moves": likeness.rank_moves,
    "rank_strength": rated.rank_strength,
    "rank_tournament": rated.rank_tournament,
    "records": benchmarks.records,
    "resignation": resigning.resignation,
    "se_spread": rated.se_spread,
    "scaling": scale.scaling,
    "self_estimate": loops.self_estimate,
    "startup": benchmarks.starts,
    "startup_amx": benchmarks.starts,
    "theta_fit": likeness.theta_fit,
    "true_ratings": loops.true_ratings,
    "turing": likeness.turing,
    "turing_people": likeness.turing_people,
    "uci_match": benchmarks.uci_match,
    "web_load": benchmarks.web_load,
    "gtp_match_go9": benchmarks.gtp_match,
    "gtp_match_go": benchmarks.gtp_match,
    "web_drill": benchmarks.drill,
    "web_hostile": benchmarks.drill,
    "z_dial": dials.z_dial,
    "z_dial_go9": dials.z_dial,
    "z_dial_go": dials.z_dial,
}
PENDING = "(being measured)"
MARKED = re.compile(r"<!--f:([\w/]+)\.(\S+?)-->(.*?)<!--f-->", re.DOTALL)


class Filler:
    """Fills pages from the result files of a folder."""

    def __init__(self, results: Path):
        self._results = results
        self._known: dict[str, Figures | None] = {}

    def filled(self, text: str) -> str:
        """Return a page with its figures. UsageError for one that no file has."""
        return "\n".join(wrapped(MARKED.sub(self._one, text).split("\n")))

    def _one(self, marked: re.Match[str]) -> str:
        file, name, there = marked.groups()
        figures = self.figures(file)
        if figures is not None and name not in figures:
            raise UsageError(f"no figure {file}.{name}; there are: {', '.join(figures)}")
        text = PENDING if figures is None else figures[name]
        apart = marked.string[: marked.start()].endswith("\n")  # a table: figures begin no line
        if text.split() == there.split() and not apart:
            return marked[0]  # however it is wrapped
        inner = f"\n\n{text}\n\n" if apart else text
        return f"<!--f:{file}.{name}-->{inner}<!--f-->"

    def figures(self, file: str) -> Figures | None:
        """Return the figures of a file, None if the results for them are not all there."""
        if file not in SOURCES:
            raise UsageError(f"no figures are made of {file}; known are: {', '.join(SOURCES)}")
        if file not in self._known:
            path = self._results / f"{file}.json"
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
                rows = ResultFile.read(path).parts if "parts" in found else found
                self._known[file] = SOURCES[file](rows)
            except (OSError, LookupError, StopIteration):
                self._known[file] = None
        return self._known[file]


def pages(root: Path) -> Iterator[Path]:
    """Yield the pages that have figures."""
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        if MARKED.search(path.read_text(encoding="utf-8")):
            yield path
