"""``evenmatch train``: progress bars on a terminal, and one line per iteration."""

import shlex
import sys
import time
from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn

from evenmatch.errors import StateError, UsageError
from evenmatch.frontends import console
from evenmatch.frontends.cli.program import LEARN, Cluster, GameName, Seed, command, whole

#: key of a row, how it is written
COLUMNS = (
    ("games_per_second", "{:.1f} games/s"),
    ("evaluations_per_second", "{:,.0f} evals/s"),
    ("policy_loss", "policy {:.3f}"),
    ("value_loss", "value {:.3f}"),
    ("ranking_loss", "ranking {:.3f}"),
    ("positions_per_second", "{:,.0f} positions/s"),
    ("held_out_policy", "held out: policy {:.3f}"),
    ("held_out_ranking", "ranking {:.3f}"),
    ("held_out_accuracy", "moves predicted {:.1%}"),
    ("dead_units", "dead units {:.1%}"),
    ("networks_old", "networks {:.1f} iterations old"),
    ("parts_lost", "{} lost parts played again"),
)
OPPONENTS = ("gate", "mcts1")


class Device(StrEnum):
    """Where a training computes."""

    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"
    mps = "mps"


@command(LEARN)
def train(
    game: GameName,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the run.")],
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            "-p",
            help="[cyan]fast[/cyan] (ours), [cyan]paper[/cyan] or [cyan]tiny[/cyan]; with --data "
            "[cyan]small[/cyan] (ours), [cyan]further[/cyan] (continues from --init), "
            "[cyan]paper[/cyan], [cyan]short[/cyan], [cyan]two-ranks[/cyan], "
            "[cyan]three-ranks[/cyan], [cyan]classifier[/cyan] or [cyan]tiny[/cyan].",
            show_default="fast, with --data small",
        ),
    ] = None,
    data: Annotated[
        list[Path],
        typer.Option(
            "--data",
            metavar="DIR",
            help="Learn from a dataset of recorded games; repeatable, for games on other rating "
            "scales.",
        ),
    ] = [],  # noqa: B006
    init: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --data: begin with the weights of this network, which may be Leela's, "
            "Maia's or KataGo's.",
        ),
    ] = None,
    teacher: Annotated[
        list[Path],
        typer.Option(
            "--teacher",
            metavar="FILE",
            help="With --data: also learn this network's move probabilities; repeatable, such as "
            "for all Maias.",
        ),
    ] = [],  # noqa: B006
    seed: Seed = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in DIR.")] = False,
    device: Annotated[Device, typer.Option(help="Where to compute.")] = Device.auto,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole(1, 10_000),
            help="Number of workers in self-play, which share the games. It is fixed for a run.",
            show_default="1",
        ),
    ] = None,
    free: Annotated[
        bool,
        typer.Option("--free", help="Workers keep playing while the network learns."),
    ] = False,
    cluster: Cluster = None,
) -> None:
    """Train a network by self-play, or on recorded games; needs the [cyan]train[/cyan] extra.

    You can interrupt it at any time: [cyan]--resume[/cyan] continues from the last iteration.
    """
    from evenmatch.games import get_game
    from evenmatch.games.catalog import game_info

    rules = get_game(game)
    wrong: dict[str, object]
    if data:
        wrong = {"--workers": workers, "--free": free, "--cluster": cluster}
        kind, fix = "by self-play", "leave out --data"
    else:
        wrong = {"--init": init, "--teacher": teacher}
        kind, fix = "on recorded games", "add --data DIR"
    for option in (name for name, given in wrong.items() if given):
        raise UsageError(f"{option} is for training {kind}; {fix}")
    if data:
        from evenmatch.network.imported import as_artifact
        from evenmatch.workshop.datasets.dataset import Dataset
        from evenmatch.workshop.training.human import get_human_preset

        for folder in data:
            of = Dataset.open(folder).codec.game
            if of.id != rules.id:
                raise UsageError(
                    f"{folder} has games of {of.title}, not {rules.title}; choose another"
                )
        preset = preset or "small"
        iterations = get_human_preset(preset, game_info(rules.id).architecture).intervals
    else:
        from evenmatch.workshop.training.presets import get_preset

        preset = preset or "fast"
        iterations = get_preset(preset, rules.id).iterations
    if resume and not (out / "run.json").exists():
        raise StateError(f"{out} holds no run to continue; leave out --resume to start one")
    screen = console.output()
    title = f"[bold]{rules.title}[/bold], preset {preset}, seed {seed}, in {_escaped(out)}"
    try:
        with Shown(iterations, title) as listener:
            if data:
                from evenmatch.workshop.training.supervised import train_on_games

                teachers = [as_artifact(path) for path in teacher]
                run = partial(train_on_games, data, init=init, teachers=teachers)
            else:
                from evenmatch.workshop.training import alphazero

                count = workers or 1
                run = partial(
                    alphazero.train, rules.id, workers=count, free=free,
                    executor=_executor(count, free, cluster),
                )  # fmt: skip
            path = run(
                preset, out, seed=seed, resume=resume, device=device.value, listener=listener,
                command=shlex.join(["evenmatch", *sys.argv[1:]]),
            )  # fmt: skip
    except KeyboardInterrupt:
        kept = "the same command with --resume continues from the last iteration"
        nothing = "nothing was kept yet; start again"
        screen.print(f"Interrupted; {kept if (out / 'run.json').exists() else nothing}")
        raise console.InterruptReported from None
    screen.print(f"The network: [bold]{_escaped(path)}[/bold]", soft_wrap=True)
    screen.print(f"evenmatch play {rules.id} -o alphazero:net={_escaped(path)}", soft_wrap=True)


def _executor(workers: int, free: bool, cluster: str | None) -> Any:
    """Return where workers play: on a cluster, in processes, or in this one if it is one alone."""
    from evenmatch.network.processor import core_count
    from evenmatch.workshop.ray_tasks import executor
    from evenmatch.workshop.tasks import InlineExecutor, ProcessExecutor

    if cluster is not None:
        return executor(cluster)
    if workers == 1 and not free:
        return InlineExecutor()
    return ProcessExecutor(min(workers, core_count()))


def _escaped(path: Path) -> str:
    from rich.markup import escape

    return escape(str(path))


def written(row: Mapping[str, Any]) -> str:
    """Write numbers: speed, losses, and Elo where matches were played (the score if all won)."""
    parts = [form.format(row[key]) for key, form in COLUMNS if key in row]
    for opponent in OPPONENTS:
        elo, score = row.get(f"elo_{opponent}"), row.get(f"score_{opponent}")
        if elo is not None:
            parts.append(f"{opponent} {elo:+.0f} Elo")
        elif score is not None:
            parts.append(f"{opponent} {score:.0%}")
    return "  ".join(parts)


class Shown:
    """A listener that prints a line per iteration, below two bars where there is a terminal."""

    def __init__(self, iterations: int, title: str):
        self._iterations, self._title = iterations, title
        self._start, self._seen = time.perf_counter(), 0
        self._numbers: dict[str, float] = {}
        self._out = console.output()
        self._bars = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(bar_width=24, complete_style="#4cc38a"),
            TextColumn("{task.completed:>6,.0f} of {task.total:,.0f}"),
            TextColumn("[dim]{task.fields[note]}"),
            console=self._out,
            transient=True,
            disable=not console.is_terminal(sys.stdout),
        )
        self._all = self._bars.add_task("iteration", total=iterations, note="")
        self._phase = self._bars.add_task("", total=1, note="", visible=False)

    def __enter__(self) -> "Shown":
        return self

    def started(self) -> None:
        """Print the title and draw the bars."""
        self._out.print(self._title)
        self._bars.start()

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def phase(self, name: str, done: int, due: int, **numbers: float) -> None:
        """Move the bar of the phase; keep its rate for the line of the iteration."""
        self._numbers = numbers
        self._bars.update(
            self._phase, description=name, completed=done, total=due, note=written(numbers),
            visible=True,
        )  # fmt: skip

    def iteration(self, row: dict[str, Any]) -> None:
        """Print the numbers of an iteration, with the time left by those seen so far."""
        number = row["iteration"]
        self._seen += 1
        pace = (time.perf_counter() - self._start) / self._seen
        left = clock(pace * (self._iterations - number))
        self._bars.update(self._all, completed=number, note=f"left {left}")
        self._out.print(
            f"iteration {number}/{self._iterations}  {written(self._numbers | row)}  left {left}",
            soft_wrap=not console.is_terminal(sys.stdout),
        )


def clock(seconds: float) -> str:
    """Write a duration as h:mm:ss."""
    whole_seconds = round(seconds)
    return f"{whole_seconds // 3600}:{whole_seconds // 60 % 60:02}:{whole_seconds % 60:02}"
