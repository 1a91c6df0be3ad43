"""Datasets built from files of games: in a folder beside the target, which is renamed when whole.

By an executor each file is a part, whose games are written to a folder of their own and put
together in the order of the files. So the dataset has the same bytes wherever its parts were read.
All machines need the files and the target's folder at the same paths.
"""

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evenmatch.errors import RecordError, StateError
from evenmatch.files import umask
from evenmatch.progress import Progress, ignore
from evenmatch.records.codec import RecordCodec, codec_for
from evenmatch.records.record import Fault, Reason, Speed
from evenmatch.workshop.datasets.dataset import Dataset
from evenmatch.workshop.datasets.splits import SALT, SHARES
from evenmatch.workshop.datasets.writer import Part, Writer
from evenmatch.workshop.tasks import Executor, OnRetry, TaskPool

BuildListener = Callable[[int, int, int, int], None]  #: (bytes done, bytes in all, games, left out)
Files = Sequence[tuple[Path, int]]  #: with their bytes


def build(
    files: Sequence[str | Path],
    out: str | Path,
    *,
    game: str = "chess",
    shares: Sequence[int] = SHARES,
    salt: str = SALT,
    speed: Speed | None = None,
    listener: BuildListener = ignore,
    executor: Executor | None = None,
    on_retry: OnRetry = ignore,
) -> Dataset:
    """Build a dataset of the games of files in the folder ``out``, and open it.

    ``game`` is the id of their game; the catalog names its format, PGN for chess. ``out`` is there
    when it is whole, and not before. ``shares`` and ``salt`` draw the split of players, see
    splits.py; with a ``speed`` only games of that speed are kept. An ``executor`` reads several
    files side by side; it is not closed, and ``on_retry`` is called for those that are read again.
    Raises RecordError if ``out`` exists already or cannot be written, a file cannot be read, or no
    game is left; StateError if a machine does not have the files.
    """
    out, paths = Path(out), list(map(Path, files))
    try:
        codec = codec_for(game)
        with _folder_beside(out) as folder:
            with Writer(codec, folder, speed) as writer:
                sized = [(path, _size(codec, path, len(paths) == 1)) for path in paths]
                if executor is None or len(paths) == 1:
                    _read_all(writer, sized, listener)
                else:
                    _read_in_parts(writer, sized, listener, executor, on_retry)
                writer.finish(shares, salt)
            os.chmod(folder, 0o777 & ~umask())  # mkdtemp makes it private
            os.replace(folder, out)
        return Dataset.open(out)
    except OSError as error:
        raise RecordError(
            f"cannot write {out} ({error.strerror or error}); make room or choose another folder"
        ) from None


def _size(codec: RecordCodec, path: Path, alone: bool) -> int:
    """Return the bytes of a file; RecordError if it is not there, or it is damaged and alone."""
    try:
        return codec.size(path)
    except RecordError:
        if alone or not path.is_file():
            raise
        return path.stat().st_size  # reading it will say what is wrong


@contextlib.contextmanager
def _folder_beside(out: Path) -> Iterator[Path]:
    """Yield a new folder beside ``out``, and delete it after an error."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise RecordError(f"{out} exists already; delete it or choose another folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}-"))
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _read_all(writer: Writer, files: Files, listener: BuildListener) -> None:
    """Add the games of all files, one after the other."""
    before, due = 0, sum(size for _, size in files)

    def hear(done: int) -> None:
        listener(before + done, due, writer.games, sum(writer.skipped.values()))

    for path, size in files:
        _read(writer, path, hear, alone=len(files) == 1)
        before += size


def _read(writer: Writer, file: Path, hear: Callable[[int], None], alone: bool = False) -> None:
    """Add the games of a file; ``hear`` hears how many of its bytes are done.

    A file that is damaged counts as skipped, unless it is the only one.
    """
    try:
        with writer.codec.reader(file) as reader:
            writer.begin_source(reader)
            try:
                for batch in reader.batches(writer.skip):
                    writer.add(batch)
                    hear(reader.stream.done)
            finally:
                writer.end_source(reader)
    except RecordError as error:
        if alone:
            raise
        writer.skip(Fault(str(file), 1, Reason.unreadable_file, str(error)))


# -- files side by side ----------------------------------------------------------------------------


def _read_in_parts(
    writer: Writer, files: Files, listener: BuildListener, executor: Executor, on_retry: OnRetry
) -> None:
    """Let the files be read side by side, and take their games in the files' order."""
    beside = writer.folder.resolve() / "parts"
    beside.mkdir()
    done, waiting = dict.fromkeys(map(str, range(len(files))), 0), dict[str, Part]()

    def tell() -> None:
        games = writer.games + sum(part.games for part in waiting.values())
        skipped = sum(writer.skipped.values())
        skipped += sum(sum(part.skipped.values()) for part in waiting.values())
        listener(sum(done.values()), sum(size for _, size in files), games, skipped)

    def started(key: str) -> Progress:
        def hears(bytes_done: int, _due: int) -> None:
            done[key] = bytes_done
            tell()

        return hears

    tasks = TaskPool(executor, started, on_retry)
    for key, (path, _) in zip(done, files, strict=True):
        work = partial(read_part, writer.codec.game.id, path, beside, writer.only)
        tasks.add(key, work)
    turns = iter(done)
    turn = next(turns, "")
    for key, result in tasks.results():
        waiting[key], done[key] = result["part"], files[int(key)][1]
        tell()
        while turn in waiting:
            writer.take(waiting[turn])
            shutil.rmtree(waiting.pop(turn).folder)
            turn = next(turns, "")
    shutil.rmtree(beside)  # with what lost parts left behind


def read_part(
    game: str, file: Path, beside: Path, speed: Speed | None, key: str, hear: Progress
) -> dict[str, Any]:
    """Read a file into a folder of its own ``beside`` those of others; return it as a `Part`.

    Raises StateError if this machine has not both of them.
    """
    for needed in (file, beside):
        if not needed.exists():
            raise StateError(
                f"{socket.gethostname()} has no {needed}; put it where all machines see it"
            )
    folder = Path(tempfile.mkdtemp(dir=beside, prefix=f"{key}-"))
    with Writer(codec_for(game), folder, speed) as writer:
        _read(writer, file, lambda done: hear(done, 0))
        return {"part": writer.part()}
