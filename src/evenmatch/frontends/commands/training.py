"""``evenmatch train``: progress bars on a terminal, one line per iteration elsewhere."""

import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from evenmatch.errors import StateError, UsageError
from evenmatch.frontends import console
from evenmatch.frontends.console import InterruptReported
from evenmatch.games import get_game
from evenmatch.games.catalog import game_info
from evenmatch.network.imported import as_artifact
from evenmatch.workshop.cluster import Executor, Here, Processes, executor
from evenmatch.workshop.cluster.cores import cores
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.training.human import get_human_preset
from evenmatch.workshop.training.presets import get_preset

if TYPE_CHECKING:
    from evenmatch.network.inference import DeviceName


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
    ("held_out_accuracy", "moves foreseen {:.1%}"),
    ("dead_units", "dead units {:.1%}"),
    ("networks_old", "networks {:.1f} iterations old"),
    ("parts_lost", "{} lost parts played again"),
)
OPPONENTS = ("gate", "mcts1")


def train(
    game_id: str,
    preset: str | None,
    data: Sequence[Path],
    out: Path,
    seed: int,
    resume: bool,
    device: "DeviceName",
    init: Path | None,
    teachers: Sequence[Path],
    by: "SelfPlayBy",
    arguments: Sequence[str],
) -> None:
    """Train by self-play or on ``data``; ``arguments`` are the command line's, for the card."""
    game = get_game(game_id)
    game_id = game.id  # in lower case
    for folder in data:
        of = Dataset.open(folder).codec.game
        if of.id != game.id:
            raise UsageError(f"{folder} has games of {of.title}, not {game.title}; choose another")
    preset = preset or ("small" if data else "fast")
    if data:
        iterations = get_human_preset(preset, game_info(game_id).architecture).intervals
    else:
        iterations = get_preset(preset, game_id).iterations
    if resume and not (out / "run.json").exists():
        raise StateError(f"{out} holds no run to go on with; leave out --resume to start one")
    screen = console.output()
    title = f"[bold]{game.title}[/bold], preset {preset}, seed {seed}, in {escape(str(out))}"
    command = shlex.join(["evenmatch", *arguments])
    kind = Bars if console.is_terminal(sys.stdout) else Lines
    listener: Bars | Lines = kind(iterations, title)
    try:
        with listener:
            path = _runner(game_id, data, init, teachers, by)(
                preset, out, seed=seed, resume=resume, device=device, listener=listener,
                command=command,
            )  # fmt: skip
    except KeyboardInterrupt:
        kept = "the same command with --resume goes on from the last iteration"
        nothing = "nothing was kept yet; begin anew"
        screen.print(f"Interrupted; {kept if (out / 'run.json').exists() else nothing}")
        raise InterruptReported from None
    path_text = escape(str(path))
    screen.print(f"The network: [bold]{path_text}[/bold]", soft_wrap=True)
    screen.print(f"evenmatch play {game_id} -o alphazero:net={path_text}", soft_wrap=True)


@dataclass(frozen=True)
class SelfPlayBy:
    """Who plays in a training by self-play, as it was asked for."""

    workers: int | None = None
    free: bool = False
    cluster: str | None = None

    @property
    def count(self) -> int:
        """How many workers."""
        return self.workers or 1

    def executor(self) -> Executor:
        """Return where they play: on a cluster, in processes, or in this one if it is one alone."""
        if self.cluster is not None:
            return executor(self.cluster)
        if self.count == 1 and not self.free:
            return Here()
        return Processes(min(self.count, len(cores())))

    def refuse(self) -> None:
        """Raise UsageError if anything was asked for: nobody plays."""
        asked = {"--workers": self.workers, "--free": self.free, "--cluster": self.cluster}
        for option, given in asked.items():
            if given:
                raise UsageError(f"{option} is for training by self-play; leave out --data")


def _runner(
    game_id: str,
    data: Sequence[Path],
    init: Path | None,
    teachers: Sequence[Path],
    by: SelfPlayBy,
) -> Callable[..., Path]:
    """Return what trains, by self-play or on recorded games; torch is imported only here."""
    if not data:
        for option, given in (("--init", init is not None), ("--teacher", bool(teachers))):
            if given:
                raise UsageError(f"{option} is for training on recorded games; add --data DIR")
        from evenmatch.workshop.training.alphazero import train

        return partial(train, game_id, workers=by.count, free=by.free, executor=by.executor())
    by.refuse()
    from evenmatch.workshop.training.supervised import train_on_games

    return partial(
        train_on_games, data, init=init, teachers=[as_artifact(path) for path in teachers]
    )


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


def clock(seconds: float) -> str:
    """Write a duration as h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


class TimeLeft:
    """Guesses how long the rest takes, from the iterations this process has seen."""

    def __init__(self, iterations: int):
        self._iterations = iterations
        self._start = time.perf_counter()
        self._seen = 0

    def after(self, iteration: int) -> str:
        """Return the time left after iteration number ``iteration`` (from 1)."""
        self._seen += 1
        pace = (time.perf_counter() - self._start) / self._seen
        return clock(pace * (self._iterations - iteration))


class Lines:
    """A listener that prints a line per iteration."""

    def __init__(self, iterations: int, title: str):
        self._iterations = iterations
        self._title = title
        self._left = TimeLeft(iterations)
        self._numbers: dict[str, float] = {}

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def started(self) -> None:
        """Print the title."""
        console.output().print(self._title)

    def phase(self, name: str, done: int, due: int, **numbers: float) -> None:
        """Say nothing of single steps, but remember their rate."""
        self._numbers = numbers

    def iteration(self, row: dict[str, Any]) -> None:
        """Print the numbers of an iteration."""
        number = row["iteration"]
        left = self._left.after(number)
        numbers = written(self._numbers | row)
        print(f"iteration {number}/{self._iterations}  {numbers}  left {left}", flush=True)


class Bars:
    """A listener that draws two bars, all iterations and the phase, and a line per iteration."""

    def __init__(self, iterations: int, title: str):
        self._iterations = iterations
        self._title = title
        self._left = TimeLeft(iterations)
        self._out: Console = console.output()
        self._progress = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(bar_width=24, complete_style="#4cc38a"),
            TextColumn("{task.completed:>6,.0f} of {task.total:,.0f}"),
            TextColumn("[dim]{task.fields[note]}"),
            console=self._out,
            transient=True,
        )
        self._all: TaskID = self._progress.add_task("iteration", total=iterations, note="")
        self._phase: TaskID = self._progress.add_task("", total=1, note="", visible=False)

    def __enter__(self) -> "Bars":
        return self

    def started(self) -> None:
        """Print the title and draw the bars."""
        self._out.print(self._title)
        self._progress.start()

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def phase(self, name: str, done: int, due: int, **numbers: float) -> None:
        """Move the bar of the phase."""
        self._progress.update(
            self._phase,
            description=name,
            completed=done,
            total=due,
            note=written(numbers),
            visible=True,
        )

    def iteration(self, row: dict[str, Any]) -> None:
        """Print the numbers of an iteration and move the bar of all."""
        number = row["iteration"]
        self._progress.update(self._all, completed=number, note=f"left {self._left.after(number)}")
        self._out.print(f"[bold]{number:>4}[/bold]  {written(row)}")
