"""Commands that train and set up: train, calibrate, network, dataset."""

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from evenmatch.frontends.cli.program import (
    LEARN,
    SEEDS,
    Cluster,
    GameName,
    Jobs,
    Json,
    Seed,
    app,
    command,
    flowing,
    number,
    whole,
)

dataset = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(
    dataset,
    name="dataset",
    help="Make compact datasets of recorded games, to train and judge by.",
    rich_help_panel=LEARN,
)


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
            "[cyan]small[/cyan] (ours), [cyan]further[/cyan] (from --init on), "
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
            help="Learn from a dataset of recorded games; may be given again, for games of other "
            "ratings.",
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
            help="With --data: learn from what this network thinks of the moves, too; may be given "
            "again, such as for all Maias.",
        ),
    ] = [],  # noqa: B006
    seed: Seed = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in DIR.")] = False,
    device: Annotated[Device, typer.Option(help="Where to compute.")] = Device.auto,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole(1, 10_000),
            help="Self-play by so many workers, each with its share of the games. A run keeps its "
            "number.",
            show_default="1",
        ),
    ] = None,
    free: Annotated[
        bool,
        typer.Option(
            "--free", help="Workers play on while the network learns, and nobody waits for them."
        ),
    ] = False,
    cluster: Cluster = None,
) -> None:
    """Train a network by self-play, or on recorded games; needs the [cyan]train[/cyan] extra.

    It can be interrupted at any moment: [cyan]--resume[/cyan] goes on from the last iteration.
    """
    from evenmatch.frontends.commands import training

    side_by_side = training.SelfPlayBy(workers, free, cluster)
    training.train(
        game, preset, data, out, seed, resume, device.value, init, teacher, side_by_side,
        sys.argv[1:],
    )  # fmt: skip


@command(LEARN)
def calibrate(
    game: GameName,
    within: Annotated[
        float,
        typer.Option(
            metavar="ELO",
            parser=number,
            help="Stop when every 95% interval is at most this wide to either side.",
        ),
    ] = 80,
    minutes: Annotated[
        float, typer.Option(metavar="N", parser=number, help="Begin no games after so long.")
    ] = 60,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", "-s", metavar="N", parser=SEEDS, help="Seed of the games and their openings."
        ),
    ] = 0,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curve too, as an SVG file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the curve to this JSON file, and let players go on as before.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Begin anew; forget the games that were kept.")
    ] = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Make ratings true: measure in games how strong players of a rating are on this machine.

    At chess that is [cyan]pikl[/cyan]. Without a measurement it makes the mistakes of people of the
    rating. At other games it is [cyan]style[/cyan]. Its settings play one another and programs of
    known strength that are installed: Stockfish, GNU Go. The games that teach most are played
    first.

    Players of a rating use the result from then on. You can interrupt it at any moment. The same
    command goes on.
    """
    from evenmatch.frontends.commands import calibrations

    calibrations.calibrate(
        calibrations.CalibrateOptions(
            game=game, within=within, minutes=minutes, seed=seed, out=out, plot=plot, again=again,
            as_json=json, command=shlex.join(["evenmatch", *sys.argv[1:]]), jobs=jobs,
            cluster=cluster,
        )
    )  # fmt: skip


networks = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(
    networks,
    name="network",
    rich_help_panel=LEARN,
    help="Import a network of another program, show what one is, fit what goes with it.",
)


def _import(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Weights of Leela Chess Zero or Maia, [cyan].pb.gz[/cyan], or of KataGo, "
            "[cyan].bin.gz[/cyan].",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write it, .onnx.")],
    half: Annotated[
        bool, typer.Option("--half", help="Keep weights in half precision, in half the space.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let --out replace a file that exists.")
    ] = False,
) -> None:
    """Import a chess or Go network, for players that take a network ([cyan]net=FILE[/cyan])."""
    from evenmatch.frontends.commands import networks as commands

    commands.bring(file, out, half, overwrite)


def _info(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A network, or a game: the one that comes with it."),
    ],
    json: Json = False,
) -> None:
    """Show what a network is and how it was made."""
    from evenmatch.frontends.commands import networks as commands

    commands.info(file, json)


def _fit(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a dataset.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to write the files.")],
    net: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Another network than the one that ships."),
    ] = None,
    listening: Annotated[
        bool,
        typer.Option(
            "--listening",
            help="At chess: fit an estimator that asks the three Maias besides, too.",
        ),
    ] = False,
    phases: Annotated[
        bool,
        typer.Option(
            "--phases",
            help="At chess: fit estimators of opening, middle game and ending instead.",
        ),
    ] = False,
    evaluations: Annotated[
        bool,
        typer.Option(
            "--evaluations",
            help="At chess: teach the estimator in --out games that Stockfish evaluates here.",
        ),
    ] = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
) -> None:
    """Fit to recorded games what goes with a chess network: an estimator of ratings, targets.

    The estimator is what [cyan]evenmatch estimate[/cyan] rates people by, the targets are the
    strength scores that [cyan]se[/cyan] keeps to. The dataset's folder names the rating scale.
    """
    from evenmatch.frontends.commands import networks as commands

    commands.fit(folder, out, net, listening, phases, evaluations, jobs, cluster, sys.argv[1:])


def _mix(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="NET...",
            help="Networks of one game: files, names such as [cyan]maia-1500[/cyan], or a game for "
            "the one that comes with it. The first has to know ratings.",
        ),
    ],
    data: Annotated[
        list[Path],
        typer.Option(
            "--data", metavar="DIR", help="A dataset of people's games; may be given again."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write it, .onnx.")],
    seed: Annotated[
        int, typer.Option("--seed", "-s", metavar="N", parser=SEEDS, help="Draws the moves.")
    ] = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let --out replace a file that exists.")
    ] = False,
) -> None:
    """Make one network of several, weighed by rating so that it foretells people's moves best.

    The weights are fitted to moves of the datasets' people of split tune, whom no network of ours
    learns from. Values and strength scores are those of the first network.
    """
    from evenmatch.frontends.commands import networks as commands

    commands.mix(files, data, out, seed, overwrite, sys.argv[1:])


def _quantize(
    net: Annotated[
        str,
        typer.Argument(metavar="NET", help="A file, or a name such as maia-1100."),
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A dataset of people's games.")],
    seed: Annotated[
        int, typer.Option("--seed", "-s", metavar="N", parser=SEEDS, help="Draws the positions.")
    ] = 0,
) -> None:
    """Prepare a network for processors that are faster with integers of eight bits.

    Writes NAME.ranges.json beside it. The positions are of the dataset's people of split tune.
    Players then use eight bits where they are faster, unless you set EVENMATCH_PRECISION=auto.
    """
    from evenmatch.frontends.commands import networks as commands

    commands.quantize(net, folder, seed, sys.argv[1:])


networks.command("mix", help=flowing(_mix.__doc__))(_mix)
networks.command("quantize", help=flowing(_quantize.__doc__))(_quantize)
networks.command("import", help=flowing(_import.__doc__))(_import)
networks.command("info", help=flowing(_info.__doc__))(_info)
networks.command("fit", help=flowing(_fit.__doc__))(_fit)


@command(LEARN, dataset)
def build(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="PGN or SGF files, which may be compressed: .pgn, .sgf, .sgfs, .pgn.zst, .sgf.gz, "
            ".sgfs.bz2; of SGF also folders.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A folder yet to be made.")],
    split: Annotated[
        str,
        typer.Option(
            "--split", metavar="SHARES", help="Players to train, tune, candidate and query."
        ),
    ] = "75/5/10/10",
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            "-g",
            metavar="GAME",
            help="The game of the files; [cyan]go9[/cyan], [cyan]go13[/cyan] for smaller boards.",
            show_default="go for .sgf and .sgfs, else chess",
        ),
    ] = None,
    salt: Annotated[
        str, typer.Option("--salt", metavar="TEXT", help="Another text draws another split.")
    ] = "evenmatch",
    speed: Annotated[
        str | None,
        typer.Option(metavar="SPEED", help="Keep these games alone, such as rapid."),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
) -> None:
    """Build a dataset of the games of files: PGN for chess, SGF for Go, for Othello a game a line.

    A dataset of Go has one size of board: games of others are skipped. Ratings of different speeds
    are different scales: keep one with [cyan]--speed[/cyan]. Games that cannot be read, and those
    of other variants, are skipped and listed in DIR/skipped.tsv. The folder appears when it is
    whole. A part of the work is a file.
    """
    from evenmatch.frontends.commands import datasets

    datasets.build(game, files, out, split, salt, speed, jobs, cluster)


@command(LEARN, dataset)
def info(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a dataset.")],
    json: Json = False,
) -> None:
    """Tell what is in a dataset."""
    from evenmatch.frontends.commands import datasets

    datasets.info(folder, json)
