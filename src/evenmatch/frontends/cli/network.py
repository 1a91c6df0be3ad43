"""``evenmatch network``: import networks of other programs, show one, fit what goes with it."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from evenmatch.errors import NetworkError, UsageError
from evenmatch.frontends import console
from evenmatch.frontends.cli.program import (
    LEARN,
    SEEDS,
    Cluster,
    Jobs,
    Json,
    app,
    command,
)
from evenmatch.frontends.progress_bars import Line, move_columns

#: Fields of a card that say nothing as 0.
HIDDEN = ("games", "positions", "profiles", "suicide_area", "both_ratings")

network = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(
    network,
    name="network",
    rich_help_panel=LEARN,
    help="Import a network of another program, show one, fit what goes with it.",
)

Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write it, .onnx.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Let --out replace a file that exists.")
]


@command(LEARN, network)
def mix(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="NET...",
            help="Networks of one game: files, names such as [cyan]maia-1500[/cyan], or a game for "
            "the one that ships. The first must be conditioned on ratings.",
        ),
    ],
    data: Annotated[
        list[Path],
        typer.Option("--data", metavar="DIR", help="Dataset of people's games; repeatable."),
    ],
    out: Out,
    seed: Annotated[
        int, typer.Option("--seed", "-s", metavar="N", parser=SEEDS, help="Draws the moves.")
    ] = 0,
    overwrite: Overwrite = False,
) -> None:
    """Make one network of several, weighted by rating so that it best predicts people's moves.

    The weights are fitted to moves of players held out from training (split tune). Values and
    strength scores are those of the first network.
    """
    from evenmatch.network.imported import as_artifact
    from evenmatch.workshop.fitting.mixture_fit import fit_mixture

    _refuse_existing(out, overwrite)
    if len(files) < 2:
        raise UsageError("one network is not a mixture; name two or more")
    if not os.access(out.parent, os.W_OK):  # otherwise all moves would be evaluated for nothing
        raise NetworkError(f"cannot write to {out.parent}; choose another --out")
    with Line("judging moves", *move_columns()) as line, _writable(f"cannot write {out}"):
        card = fit_mixture(
            [as_artifact(_file(name)) for name in files],
            data,
            out,
            seed=seed,
            command=_command(),
            progress=lambda done, due: line.show(completed=done, total=due),
        )
    _say(f"{out}: {len(files)} networks of {card.game}, {card.blocks} blocks in all")


@command(LEARN, network)
def quantize(
    net: Annotated[str, typer.Argument(metavar="NET", help="A file, or a name such as maia-1100.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A dataset of people's games.")],
    seed: Annotated[
        int, typer.Option("--seed", "-s", metavar="N", parser=SEEDS, help="Draws the positions.")
    ] = 0,
) -> None:
    """Prepare a network for processors that are faster with integers of eight bits.

    Writes NAME.ranges.json next to it, from positions of held-out players (split tune). Players
    then use eight bits where they are faster, unless you set EVENMATCH_PRECISION=auto.
    """
    from evenmatch.workshop.fitting.ranges_fit import fit_ranges

    file = _file(net)
    with _writable(f"cannot write next to {file}", "copy the network to a folder of yours"):
        _say(str(fit_ranges(file, folder, seed=seed, command=_command())))


def _import(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Weights of Leela Chess Zero or Maia, [cyan].pb.gz[/cyan], of Maia-2 or Maia-3, "
            "[cyan].pt[/cyan], or of KataGo, [cyan].bin.gz[/cyan].",
        ),
    ],
    out: Out,
    half: Annotated[
        bool, typer.Option("--half", help="Keep weights in half precision, in half the space.")
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """Import a chess or Go network, for players that take a network ([cyan]net=FILE[/cyan])."""
    from evenmatch.network.imported import import_network

    if out.exists() and file.exists() and out.samefile(file):
        raise NetworkError(f"{out} is the file to be read; choose another --out")
    _refuse_existing(out, overwrite)
    with _writable(f"cannot write {out}"):
        card = import_network(file, out, half)
    _say(f"{out}: {card.game}, {card.blocks} blocks of {card.channels} channels")


command(LEARN, network, "import")(_import)


@command(LEARN, network)
def info(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A network, or a game: the one that ships.")
    ],
    json: Json = False,
) -> None:
    """Show what a network is and how it was made."""
    from evenmatch.network.imported import card_of

    card = asdict(card_of(_file(file)))
    if json:
        console.print_json(card)
        return
    table = console.table()
    table.show_header = False
    table.add_column("", style="bold", no_wrap=True)
    table.add_column("", overflow="fold")
    for key, value in card.items():
        if value not in ("", None, {}, []) and (value or key not in HIDDEN):
            label, written = WRITTEN.get(key, (key, _written))
            table.add_row(label, escape(written(value)))
    console.output().print(table)


@command(LEARN, network)
def fit(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a dataset.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write the files.")],
    net: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another network than the one that ships.")
    ] = None,
    extra_nets: Annotated[
        bool,
        typer.Option(
            "--extra-networks",
            help="Chess only: also fit an estimator that uses the three Maia networks.",
        ),
    ] = False,
    phases: Annotated[
        bool,
        typer.Option(
            "--phases",
            help="Chess only: fit estimators of opening, middle game and ending instead.",
        ),
    ] = False,
    evaluations: Annotated[
        bool,
        typer.Option(
            "--evaluations",
            help="Chess only: fit the estimator in --out to games that Stockfish evaluates now.",
        ),
    ] = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
) -> None:
    """Fit what goes with a chess network to recorded games: an estimator of ratings, targets.

    [cyan]evenmatch estimate[/cyan] rates people with the estimator; the targets are the strength
    scores that [cyan]se[/cyan] keeps to. The dataset's folder names the rating scale.
    """
    from evenmatch.estimation.estimator_files import extra_networks, shipped_fitted
    from evenmatch.frontends.cli import parts
    from evenmatch.workshop.datasets.dataset import Dataset
    from evenmatch.workshop.fitting import fitting

    game = Dataset.open(folder).codec.game.id
    policies = extra_networks(game, extra_nets or phases)
    if extra_nets and not policies:
        raise UsageError(f"no estimator of {game} uses other networks; leave out --extra-networks")
    if evaluations and (phases or jobs is not None or cluster is not None):
        raise UsageError("--evaluations goes without --phases, --jobs and --cluster")
    with _writable(f"cannot write to {out}"):
        out.mkdir(parents=True, exist_ok=True)
    network_file = net or shipped_fitted(game).network
    if evaluations:
        files = _fit_evaluated(game, folder, network_file, out, policies)[:1]
    else:
        with (
            parts.executed(jobs, cluster) as (does, retries),
            Line("rating moves", *move_columns()) as line,
        ):
            files = (fitting.fit_phases if phases else fitting.fit)(
                folder,
                network_file,
                out,
                policies=policies,
                command=_command(),
                progress=lambda done, due: line.show(completed=done, total=due),
                executor=does,
                on_retry=retries,
            )
    for path in files:
        _say(str(path))


def _fit_evaluated(
    game: str, folder: Path, network_file: Path, out: Path, policies: Sequence[Path]
) -> list[Path]:
    """Let the game's engine evaluate games, and fit the estimator in ``out`` to them."""
    from evenmatch.games.catalog import game_info
    from evenmatch.opponents.engine_evals import PAWN, EngineEvals, engine_there
    from evenmatch.workshop.fitting.evaluated_fit import fit_evaluated

    info = game_info(game)
    if not info.evaluator:
        raise UsageError(f"no engine evaluates {game}; leave out --evaluations")
    if not engine_there(info.evaluator):
        raise UsageError(f"{info.evaluator} is not installed; install it first")
    with (
        EngineEvals(info.evaluator, info.evaluator_nodes) as evaluate,
        Line("rating moves", *move_columns()) as line,
    ):
        return fit_evaluated(
            folder,
            network_file,
            out,
            evaluate=evaluate,
            engine=f"{evaluate.name}, {evaluate.nodes} nodes a position, pawns of {PAWN}",
            policies=policies,
            command=_command(),
            judging=lambda done, due: line.show(completed=done, total=due),
            evaluating=lambda done, due: line.show(
                description="evaluating moves", completed=done, total=due
            ),
        )


def _command() -> str:
    """Return the command line, as it is noted in what it makes."""
    return shlex.join(["evenmatch", *sys.argv[1:]])


def _say(text: str) -> None:
    console.output().print(text, markup=False, soft_wrap=True)


def _refuse_existing(out: Path, overwrite: bool) -> None:
    if out.exists() and not overwrite:
        raise NetworkError(f"{out} exists; choose another --out, or add --overwrite")


@contextmanager
def _writable(what: str, fix: str = "choose another --out") -> Iterator[None]:
    """Raise errors of files as NetworkError, which says what failed and the fix."""
    try:
        yield
    except OSError as error:
        raise NetworkError(f"{what} ({error.strerror or error}); {fix}") from None


def _file(name: str) -> Path:
    """Return the file of a network: one of that name, or one that ships."""
    from evenmatch.network.artifact import SHIPPED, named_path, shipped_path

    path = Path(name)
    if name.lower() in SHIPPED and not path.exists():
        path = shipped_path(name.lower())
    return named_path(path) or path


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
    "knots": ("ratings", lambda knots: f"{knots[0]:,} to {knots[-1]:,}"),
    "both_ratings": ("both players' ratings", _written),
    "ranks": ("ranks", _ranks),
    "profiles": ("people's profiles", _written),
    "suicide_area": ("area with suicide", _written),
    "torch": ("for GPUs too", _written),
}  #: by field of a card, what it is called and how it is written
