"""The table of benchmarks, each a generator of cases, and how they are run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from evenmatch.errors import UsageError
from evenmatch.games import GAMES, get_game
from evenmatch_lab.bench import cases
from evenmatch_lab.bench.bench import Bench, Case
from evenmatch_lab.bench.rows import FULL, QUICK, Row

QUICK_GAMES = "connect4", "othello6", "chess", "go9"
LEFT_OUT_OF_QUICK = "memory", "precision", "proofs"  # too small to be seen; slow to prepare

SUITES: dict[str, Callable[[Bench], Iterator[Case]]] = {
    "search": cases.search_cases,
    "self-play": cases.self_play_cases,
    "remembered": cases.remembered_cases,
    "ratings": cases.ratings_cases,
    "precision": cases.precision_cases,
    "proofs": cases.proof_cases,
    "constant": cases.constant_cases,
    "memory": cases.memory_cases,
    "rules": cases.rules_cases,
    "encode": cases.encode_cases,
    "playouts": cases.playout_cases,
    "mcts": cases.mcts_cases,
    "sgf": cases.sgf_cases,
}


def run(
    quick: bool = False,
    progress: Callable[[str], None] | None = None,
    *,
    nets: Mapping[str, str | Path] | None = None,
    only: Iterable[str] | None = None,
    games: Sequence[str] = (),
) -> list[Row]:
    """Run the benchmarks, or ``only`` some of ``SUITES``, and return their rows.

    ``quick`` measures too little to say much, in seconds. ``nets`` maps game ids to network
    files to use instead of the shipped ones. ``games`` are those measured where it is games that
    are compared: by default all, but one of each kind where all benchmarks are ``quick``.
    ``progress`` hears a line per row.
    """
    usual = [name for name in SUITES if not (quick and name in LEFT_OUT_OF_QUICK)]
    names = usual if only is None else list(only)
    for name in names:
        if name not in SUITES:
            raise UsageError(f"unknown benchmark {name!r}; choose from: {', '.join(SUITES)}")
    known = {get_game(name).id: path for name, path in (nets or {}).items()}
    usual_games = QUICK_GAMES if quick and only is None else GAMES
    chosen = [get_game(name) for name in games or usual_games]
    bench = Bench(QUICK if quick else FULL, known, chosen)
    rows = []
    for name in names:
        for case in SUITES[name](bench):
            rows.append(case.measured(bench.size_for(case.game)))
            if progress:
                progress(described(rows[-1]))
    return rows


def described(line: Row) -> str:
    """Return a row as a line of text."""
    numbers = []
    if line["evaluations_per_second"]:
        numbers.append(f"{line['evaluations_per_second']:,.0f}/s")
    if line["network_share"] is not None:
        numbers.append(f"{line['network_share']:.1%} in the network")
    if line["ratio"] is not None:
        numbers.append(f"{line['ratio']:.3g} x {line['peer']}")
    text = "; ".join(filter(None, (", ".join(numbers), line["note"])))
    return f"{line['benchmark']}, {line['game']}, batch {line['batch']}: {text}"
