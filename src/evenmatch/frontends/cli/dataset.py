"""``evenmatch dataset``: build a dataset of recorded games, or describe one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from evenmatch.frontends import console
from evenmatch.frontends.cli.program import LEARN, Cluster, Jobs, Json, app, command
from evenmatch.frontends.console import InterruptReported, counted
from evenmatch.frontends.progress_bars import Line
from evenmatch.games.catalog import game_info, game_of_files

if TYPE_CHECKING:
    from evenmatch.workshop.datasets.dataset import Dataset

DEFAULT = "chess"  #: the game of files whose names do not show it
HEADS = {"elo": "sides by Elo", "kyu": "sides by rank"}  #: by how ratings are written

dataset = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(
    dataset,
    name="dataset",
    help="Make compact datasets of recorded games, for training and evaluation.",
    rich_help_panel=LEARN,
)


@command(LEARN, dataset)
def build(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="PGN or SGF files, which may be compressed: .pgn, .sgf, .sgfs, .pgn.zst, .sgf.gz, "
            ".sgfs.bz2; for SGF also folders.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new folder.")],
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
            show_default="go for .sgf and .sgfs, otherwise chess",
        ),
    ] = None,
    salt: Annotated[
        str, typer.Option("--salt", metavar="TEXT", help="Another text draws another split.")
    ] = "evenmatch",
    speed: Annotated[
        str | None,
        typer.Option(metavar="SPEED", help="Keep games of this speed only, such as rapid."),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
) -> None:
    """Build a dataset of the games of files: PGN for chess, SGF for Go; Othello: a game per line.

    A dataset of Go has one size of board: games of others are skipped. Ratings of different speeds
    are different scales: keep one with [cyan]--speed[/cyan]. Games that cannot be read, and those
    of other variants, are skipped and listed in DIR/skipped.tsv. The folder appears when it is
    whole. One file is one part of the work.
    """
    from evenmatch.frontends.cli import parts
    from evenmatch.games import get_game
    from evenmatch.workshop.datasets import build as building
    from evenmatch.workshop.datasets.dataset import speed_named
    from evenmatch.workshop.datasets.splits import read_shares

    game_id = get_game(game or game_of_files(files) or DEFAULT).id
    shares, only = read_shares(split), None if speed is None else speed_named(speed)
    try:
        with parts.executed(jobs, cluster) as (does, retries), Reading() as bar:
            built = building.build(
                files,
                out,
                game=game_id,
                shares=shares,
                salt=salt,
                speed=only,
                listener=bar.update,
                executor=does,
                on_retry=retries,
            )
    except KeyboardInterrupt:
        console.tell(f"Interrupted; {out} was not built.")
        raise InterruptReported from None
    facts = described(built)
    _tell_skipped(facts, out)
    console.output().print(
        f"{counted(facts['games'], 'game')} of {counted(facts['players'], 'player')}, "
        f"{counted(facts['moves'], 'move')}, {facts['bytes'] / 1e6:,.1f} MB in {out}",
        markup=False,
        soft_wrap=True,
    )


@command(LEARN, dataset)
def info(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a dataset.")],
    json: Json = False,
) -> None:
    """Show what is in a dataset."""
    from evenmatch.workshop.datasets.dataset import Dataset

    facts = described(Dataset.open(folder))
    if json:
        console.print_json(facts)
        return
    table = console.table()
    table.add_column("", style="bold", no_wrap=True)
    table.add_column("", overflow="fold")
    for name, text in _rows(facts):
        table.add_row(name, text)
    console.output().print(table)


def _tell_skipped(facts: dict[str, Any], out: Path) -> None:
    """Say how many games were skipped and why, how many ratings dropped."""
    skips = out / "skipped.tsv"
    if facts["other_speeds"]:
        console.note(f"Skipped {counted(facts['other_speeds'], 'game')} of other speeds.")
    if facts["bad_ratings"]:
        console.note(f"Dropped {counted(facts['bad_ratings'], 'rating')} that cannot be right.")
    if facts["noted"]:
        console.note(f"Read the rest of them: {_reasons(facts['noted'])}; see {skips}")
    if facts["skipped"]:
        total = sum(facts["skipped"].values())
        console.note(f"Skipped {counted(total, 'game')}: {_reasons(facts['skipped'])}; see {skips}")


def _reasons(counts: dict[str, int]) -> str:
    """Write how often each reason was met."""
    from evenmatch.records.record import Reason

    return ", ".join(f"{Reason[name].text} {count:,}" for name, count in counts.items())


class Reading(Line):
    """A bar of bytes read, with games, their rate and the time left."""

    def __init__(self) -> None:
        super().__init__(
            "reading",
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
        )

    def update(self, done: int, due: int, games: int, skipped: int) -> None:
        """Show how far it is."""
        note = self.counted(games, "games") + (f", {skipped:,} skipped" if skipped else "")
        self.show(completed=done, total=due, note=note)


def described(dataset: "Dataset") -> dict[str, Any]:
    """Return what is in a dataset as plain data."""
    import numpy as np

    from evenmatch.records.record import UNKNOWN_RESULT, Speed
    from evenmatch.workshop.datasets.dataset import BAND, bands_of
    from evenmatch.workshop.datasets.splits import SPLITS

    games, facts, sizes = dataset.games, dataset.facts, dataset.facts["sizes"]
    counts = dataset.bytes_on_disk
    total, years = sum(counts.values()), games["year"][games["year"] > 0]
    bands = np.bincount(bands_of(games["ratings"][games["ratings"] > 0]))
    speeds = np.bincount(games["speed"], minlength=len(Speed))
    first, second = (name.lower() for name in dataset.codec.game.players)
    results = {first: 1, "draw": 0, second: -1}
    return {
        "game": facts["game"],
        "games": len(dataset),
        "moves": sizes["moves"],
        "players": len(dataset.players),
        "bytes": total,
        "bytes_per_move": round(total / max(sizes["moves"], 1), 3),
        "years": [int(years.min()), int(years.max())] if len(years) else None,
        "results": {name: int((games["result"] == n).sum()) for name, n in results.items()},
        "unknown_results": int((games["result"] == UNKNOWN_RESULT).sum()),
        "with_evals": int((games["evals"] >= 0).sum()),
        "with_clocks": int((games["clocks"] >= 0).sum()),
        "unrated_sides": int((games["ratings"] == 0).sum()),
        "sides_by_band": {str(BAND * n): int(k) for n, k in enumerate(bands) if k},
        "games_by_speed": {speed.name: int(speeds[speed]) for speed in Speed if speeds[speed]},
        "splits": {name: _split(dataset, number) for number, name in enumerate(SPLITS)},
        "shares": facts["split"]["shares"],
        "salt": facts["split"]["salt"],
        "speed": facts.get("speed"),
        "other_speeds": facts.get("other_speeds", 0),
        "skipped": facts["skipped"],
        "noted": facts.get("noted", {}),
        "bad_ratings": sum(source["bad_ratings"] for source in facts["sources"]),
        "sources": facts["sources"],
    }


def _split(dataset: "Dataset", number: int) -> dict[str, int]:
    mine = dataset.players[dataset.players["split"] == number]
    return {"players": len(mine), "sides": int(mine["sides"].sum())}


def _rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts as lines for people."""
    from evenmatch.records.record import Reason

    years, written = facts["years"], game_info(facts["game"]).written
    sides = {_band_name(written, int(n)): count for n, count in facts["sides_by_band"].items()}
    splits = [
        f"{name} {part['players']:,} players, {part['sides']:,} sides"
        for name, part in facts["splits"].items()
    ]
    return [
        ("games", f"{facts['games']:,}"),
        ("moves", f"{facts['moves']:,}"),
        ("players", f"{facts['players']:,}"),
        ("size", f"{facts['bytes'] / 1e6:,.1f} MB, {facts['bytes_per_move']:.2f} bytes per move"),
        ("years", f"{years[0]} to {years[1]}" if years else "unknown"),
        ("results", _listed(facts["results"] | {"unknown": facts["unknown_results"]})),
        ("speeds", _listed(facts["games_by_speed"])),
        (HEADS[written], _listed(sides | {"unrated": facts["unrated_sides"]})),
        ("with evals", f"{facts['with_evals']:,} games"),
        ("with clocks", f"{facts['with_clocks']:,} games"),
        ("splits", "; ".join(splits)),
        ("skipped", _listed({Reason[n].text: k for n, k in facts["skipped"].items()}) or "none"),
        ("from", ", ".join(source["file"] for source in facts["sources"])),
    ]


def _band_name(written: str, lowest: int) -> str:
    """Return what a band of ratings is called: where it begins, or its first and last rank."""
    from evenmatch.ratings.scale import SCALES, KyuDan
    from evenmatch.workshop.datasets.dataset import BAND

    scale = SCALES[written]
    if not isinstance(scale, KyuDan):
        return str(lowest)
    steps = range(lowest, lowest + BAND, int(scale.width))
    return "-".join(dict.fromkeys(scale.write(rating) for rating in steps if rating))


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
