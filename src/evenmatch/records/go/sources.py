"""Where SGF comes from: a file, standard input, a text, or the files of a folder."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from evenmatch.errors import RecordError
from evenmatch.records.streams import STANDARD_INPUT, Source, Stream, Text

ENDINGS = (".sgf", ".sgfs")  #: of names, before the ending of a compressed file


class Sources:
    """A file, standard input, a text, or the files of a folder one by one; a context manager."""

    def __init__(self, path: Source):
        """Open it. RecordError if it cannot be read, or the folder has no SGF file."""
        folder = None if isinstance(path, Text) or path == STANDARD_INPUT else Path(path)
        if folder and not folder.is_dir():
            folder = None
        self.is_folder = folder is not None
        self.paths: list[Source] = [path]
        self._open: Stream | None = None
        self._before = 0  #: bytes of the files that are done
        if folder:
            self.name = str(folder)
            files = sgf_files(folder)
            self.paths = list(files)
            self.size = sum(file.stat().st_size for file in files)
        else:
            self._open = Stream(path)
            self.name, self.size = self._open.name, self._open.size

    @property
    def done(self) -> int:
        """Bytes on disk that have been read."""
        return self._before + (self._open.done if self._open else 0)

    def streams(self) -> Iterator[Callable[[], Stream]]:
        """Yield what opens each file. RecordError comes from opening it."""
        for path in self.paths:
            yield partial(self._opened, path)
            if self._open:
                self._before += self._open.size
                self._open.__exit__()
                self._open = None

    def _opened(self, path: Source) -> Stream:
        self._open = self._open or Stream(path)
        return self._open

    def __enter__(self) -> "Sources":
        return self

    def __exit__(self, *_: object) -> None:
        if self._open:
            self._open.__exit__()


def sgf_files(folder: Path) -> list[Path]:
    """Return the SGF files in a folder and those below it, by name; RecordError if none."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and is_sgf_name(path)]
    if not files:
        raise RecordError(f"{folder} has no SGF file in it; name files that end in .sgf or .sgfs")
    return files


def is_sgf_name(path: Path) -> bool:
    """Tell whether a name is that of an SGF file, compressed or not."""
    return ending_of(path) in ENDINGS


def ending_of(path: Path) -> str:
    """Return the ending of a name that tells the format, behind which one of compression may be."""
    name = path.name.lower()
    for packed in (".zst", ".gz", ".bz2"):
        name = name.removesuffix(packed)
    return Path(name).suffix
