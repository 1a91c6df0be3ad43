"""``evenmatch network``: import networks of other programs, show what a network is."""

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.markup import escape

from evenmatch.errors import NetworkError, UsageError
from evenmatch.frontends import console
from evenmatch.frontends.commands.lost_parts import parts_by
from evenmatch.network.artifact import SHIPPED, named_path, shipped_path
from evenmatch.network.card import Card
from evenmatch.network.imported import as_artifact, card_of, import_network

COUNTS = ("games", "positions")  #: fields of a card that say nothing as 0


def bring(source: Path, out: Path, half: bool, overwrite: bool) -> None:
    """Import a network of another program."""
    if out.exists() and source.exists() and out.samefile(source):
        raise NetworkError(f"{out} is the file to be read; choose another --out")
    refuse_existing(out, overwrite)
    try:
        card = import_network(source, out, half)
    except OSError as error:
        reason = error.strerror or error
        raise NetworkError(f"cannot write {out} ({reason}); choose another --out") from None
    size = f"{card.blocks} blocks of {card.channels} channels"
    console.output().print(f"{out}: {card.game}, {size}", markup=False, soft_wrap=True)


def mix(
    names: Sequence[str],
    folders: Sequence[Path],
    out: Path,
    seed: int,
    overwrite: bool,
    arguments: Sequence[str],
) -> None:
    """Weigh networks by rating, and write them as one; ``arguments`` are noted on its card."""
    from evenmatch.frontends.progress_bars import Line, move_columns
    from evenmatch.workshop.fitting.mixture_fit import fit_mixture

    refuse_existing(out, overwrite)
    if len(names) < 2:
        raise UsageError("one network is no mixture; name two or more")
    if not os.access(out.parent, os.W_OK):  # or all moves would be judged for nothing
        raise NetworkError(f"cannot write to {out.parent}; choose another --out")
    with Line("judging moves", *move_columns()) as line:
        try:
            card = fit_mixture(
                [as_artifact(_file(name)) for name in names],
                folders,
                out,
                seed=seed,
                command=shlex.join(["evenmatch", *arguments]),
                progress=lambda done, due: line.show(completed=done, total=due),
            )
        except OSError as error:
            reason = error.strerror or error
            raise NetworkError(f"cannot write {out} ({reason}); choose another --out") from None
    told = f"{len(names)} networks of {card.game}, {card.blocks} blocks in all"
    console.output().print(f"{out}: {told}", markup=False, soft_wrap=True)


def refuse_existing(out: Path, overwrite: bool) -> None:
    """Raise NetworkError if a file exists that is not to be replaced."""
    if out.exists() and not overwrite:
        raise NetworkError(f"{out} exists; choose another --out, or add --overwrite")


def info(name: str, as_json: bool) -> None:
    """Show the card of a file, or of a network that ships."""
    card = asdict(_card(name))
    if as_json:
        console.print_json(card)
        return
    out = console.output()
    table = console.table()
    table.add_column("", style="bold", no_wrap=True)
    table.add_column("", overflow="fold")
    for key, value in card.items():
        if value not in ("", None, {}, []) and (value or key not in COUNTS):
            label, written = WRITTEN.get(key, (key, _written))
            table.add_row(label, escape(written(value)))
    table.show_header = False
    out.print(table)


def fit(
    folder: Path,
    out: Path,
    net: Path | None,
    listening: bool,
    phases: bool,
    evaluations: bool,
    jobs: int | None,
    cluster: str | None,
    arguments: Sequence[str],
) -> None:
    """Fit an estimator and targets to a dataset; ``arguments`` are noted in the estimator.

    ``phases``: estimators of opening, middle game and ending instead. ``evaluations``: instead the
    estimator in ``out`` learns games that an engine evaluates here.
    """
    from evenmatch.estimation.estimator_files import heard, shipped_fitted
    from evenmatch.frontends.progress_bars import Line, move_columns
    from evenmatch.workshop.datasets.dataset import Dataset
    from evenmatch.workshop.fitting import fitting

    game = Dataset.open(folder).codec.game.id
    policies = heard(game, listening or phases)
    if listening and not policies:
        raise UsageError(f"no estimator of {game} asks other networks; leave --listening out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise NetworkError(f"cannot write to {out} ({reason}); choose another --out") from None
    command = shlex.join(["evenmatch", *arguments])
    if evaluations:
        if phases or jobs is not None or cluster is not None:
            raise UsageError("--evaluations goes without --phases, --jobs and --cluster")
        files = _fit_evaluated(folder, net or shipped_fitted(game).network, out, policies, command)
        console.output().print(str(files[0]), markup=False, soft_wrap=True)
        return
    with parts_by(jobs, cluster) as (does, lost), Line("rating moves", *move_columns()) as line:
        files = (fitting.fit_phases if phases else fitting.fit)(
            folder,
            net or shipped_fitted(game).network,
            out,
            policies=policies,
            command=command,
            progress=lambda done, due: line.show(completed=done, total=due),
            executor=does,
            lost=lost,
        )
    for path in files:
        console.output().print(str(path), markup=False, soft_wrap=True)


def _fit_evaluated(
    folder: Path, network: Path, out: Path, policies: Sequence[Path], command: str
) -> list[Path]:
    """Let the game's engine evaluate games, and the estimator in ``out`` learn from them."""
    from evenmatch.frontends.progress_bars import Line, move_columns
    from evenmatch.games.catalog import game_info
    from evenmatch.opponents.engine_evals import PAWN, EngineEvals, engine_there
    from evenmatch.workshop.datasets.dataset import Dataset
    from evenmatch.workshop.fitting.evaluated_fit import fit_evaluated

    info = game_info(Dataset.open(folder).codec.game.id)
    if not info.evaluator:
        raise UsageError(f"no engine evaluates {info.game}; leave out --evaluations")
    if not engine_there(info.evaluator):
        raise UsageError(f"{info.evaluator} is not installed; install it first")
    with (
        EngineEvals(info.evaluator, info.evaluator_nodes) as evaluate,
        Line("rating moves", *move_columns()) as line,
    ):
        return fit_evaluated(
            folder,
            network,
            out,
            evaluate=evaluate,
            engine=f"{evaluate.name}, {evaluate.nodes} nodes a position, pawns of {PAWN}",
            policies=policies,
            command=command,
            judging=lambda done, due: line.show(completed=done, total=due),
            evaluating=lambda done, due: line.show(
                description="evaluating moves", completed=done, total=due
            ),
        )


def quantize(name: str, folder: Path, seed: int, arguments: Sequence[str]) -> None:
    """Prepare a network for eight bits; ``arguments`` are noted with its ranges."""
    from evenmatch.workshop.fitting.ranges_fit import fit_ranges

    network, command = _file(name), shlex.join(["evenmatch", *arguments])
    try:
        path = fit_ranges(network, folder, seed=seed, command=command)
    except OSError as error:
        reason = error.strerror or error
        raise NetworkError(
            f"cannot write beside {network} ({reason}); copy the network to a folder of yours"
        ) from None
    console.output().print(str(path), markup=False, soft_wrap=True)


def _file(name: str) -> Path:
    """Return the file of a network: one of that name, or one that ships."""
    path = Path(name)
    if name.lower() in SHIPPED and not path.exists():
        path = shipped_path(name.lower())
    return named_path(path) or path


def _card(name: str) -> Card:
    return card_of(_file(name))


def _written(value: Any) -> str:
    """Write a number, a word or a yes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _planes(shape: Sequence[int]) -> str:
    count, height, width = shape
    return f"{count} planes of {f'{height} x {width}' if height else 'any square board'}"


def _results(strength: Mapping[str, Any]) -> str:
    """Write measured strengths, one opponent a line."""
    return "\n".join(f"against {name}: {_result(row)}" for name, row in strength.items())


def _result(row: Any) -> str:
    if not isinstance(row, dict):
        return str(row)
    known = dict(row)
    words = []
    if "score" in known:
        words.append(f"{known.pop('score'):.1%}")
    if "score_95" in known:
        low, high = known.pop("score_95")
        words.append(f"(95% interval {low:.1%} to {high:.1%})")
    if "games" in known:
        words.append(f"of {known.pop('games'):,} games")
    rest = [f"{key} {_written(value)}" for key, value in known.items()]
    return ", ".join(filter(None, [" ".join(words), *rest]))


def _ranks(ranks: Mapping[str, Any]) -> str:
    named = {"lowest": 0, "width": 0, "count": 0, "written": "elo"} | dict(ranks)
    unit = " Elo" if named["written"] == "elo" else ""
    return f"{named['count']} of {named['width']}{unit} each, from {named['lowest']} up"


WRITTEN: dict[str, tuple[str, Callable[[Any], str]]] = {
    "shape": ("input", _planes),
    "planes": ("planes", lambda text: re.sub(r"^Write planes( \[.*?\])?: *", "", text)),
    "actions": ("moves", lambda count: _written(count) if count else "by the board"),
    "strength": ("strength", _results),
    "scales": ("rating scales", ", ".join),
    "ranks": ("ranks", _ranks),
    "torch": ("for GPUs too", _written),
}  #: by field of a card, what it is called and how it is written
