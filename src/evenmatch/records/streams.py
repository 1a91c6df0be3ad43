"""Files, folders, standard input and texts as streams: plain, or compressed by zstd, gzip, bzip2.

The first bytes say which compression it is. A compressed file that ends early or is damaged is an
error, never a shorter file.

UTF-16 and UTF-32 are read as UTF-8, a byte-order mark at the beginning is passed over, and lines
that end in a carriage return alone get a line feed. Every other byte stays as it is.
"""

import bz2
import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import zstandard

from evenmatch.errors import RecordError

MAGIC = {b"\x28\xb5\x2f\xfd": "zst", b"\x1f\x8b": "gz", b"BZh": "bz2"}
CHUNK = 1 << 10  #: bytes of a zstd file decompressed at a time
LOOK = 1 << 12  #: bytes that show the encoding
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SGF_ENDINGS = (".sgf", ".sgfs")  #: of names, before the ending of a compressed file
STANDARD_INPUT = "-"  #: instead of a path; a file of that name is Path("-") or "./-"


class Text(NamedTuple):
    """What was pasted or sent, to be read as a file is."""

    data: bytes
    name: str = "this text"  #: for messages


Source = Path | str | Text  #: of records: a file, "-" for standard input, or a text


class Stream:
    """The decompressed bytes of a file, read from beginning to end. A context manager."""

    def __init__(self, path: Source):
        """Open a file, standard input if ``path`` is the text "-", or a text.

        Raises RecordError if the file is missing, a folder, empty or not what it says.
        """
        self.size = 0  #: bytes on disk; 0 of standard input
        if path == STANDARD_INPUT:
            self.name, fix = "standard input", "pipe games into it"  #: the name is for messages
            with self._explained():
                self._file: io.BufferedReader = _standard_input()
        elif isinstance(path, Text):
            self.name, fix, self.size = path.name, "paste a game", len(path.data)
            self._file = io.BufferedReader(io.BytesIO(path.data))  # type: ignore[arg-type]
        else:
            self.name, fix = str(path), "export or download it again"
            with self._explained():
                self._file = self._opened(Path(path))
        try:
            with self._explained():
                self._start(self._kind(fix))
        except BaseException:
            self._file.close()
            raise

    def _opened(self, path: Path) -> io.BufferedReader:
        if path.is_dir():
            raise RecordError(
                f"{path} is a folder; name the files in it, or give one that has .sgf files"
            )
        self.size = path.stat().st_size
        return path.open("rb")

    def _kind(self, fix: str) -> str:
        head = self._file.peek(4)[:4]
        if not head:
            raise RecordError(f"{self.name} is empty; {fix}")
        kind = next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), "")
        said = Path(self.name).suffix.lower()[1:]
        if said in MAGIC.values() and said != kind:
            raise RecordError(f"{self.name} is no .{said} file; rename it, or download it again")
        return kind

    def _start(self, kind: str) -> None:
        unpacked: Any = self._file
        self._chunks: Iterator[bytes] | None = None
        if kind == "zst":
            self._chunks = self._zstd_chunks()
        elif kind == "gz":
            unpacked = gzip.GzipFile(fileobj=self._file)
        elif kind == "bz2":
            unpacked = bz2.BZ2File(self._file)
        self._unpacked = unpacked
        self._rest = b""  #: decompressed bytes that nobody has asked for
        self._ahead = b""  #: and those of them that are decoded
        self._decoder: codecs.IncrementalDecoder | None = None
        self._returns = False  #: whether a carriage return ends a line
        self._begun = self._ended = False

    def _zstd_chunks(self) -> Iterator[bytes]:
        """Yield what each chunk of the file holds; frames may follow each other.

        A block of 128 KB may take 4 bytes of the file, so a chunk holds 32 MB at the very most.
        """
        unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 31)
        frame, fresh = unpacker.decompressobj(), True
        while chunk := self._file.read(CHUNK):
            while chunk:
                yield frame.decompress(chunk)
                fresh, chunk = frame.eof, frame.unused_data
                if frame.eof:
                    frame = unpacker.decompressobj()
        if not fresh:
            raise EOFError

    def read(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer only at the end. Raises RecordError if damaged."""
        if not self._begun:
            self._begun = True
            self._look()
        while len(self._ahead) < size and not self._ended:
            block = self._unpack(max(size - len(self._ahead), LOOK))
            self._ended = not block
            if self._decoder is not None:
                block = self._decoder.decode(block, self._ended).encode("utf-8", "replace")
            if self._returns:
                block = block.replace(b"\r", b"\n")
            self._ahead = self._ahead + block if self._ahead else block
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        return data

    def _look(self) -> None:
        """Read the first bytes, to find out how they are to be decoded."""
        head = self._unpack(LOOK)
        encoding = next((name for mark, name in MARKS if head.startswith(mark)), _wide(head))
        if encoding:
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
            head = self._decoder.decode(head).encode("utf-8", "replace")
        while head.startswith(codecs.BOM_UTF8):  # programs that append to a file write more of them
            head = head[len(codecs.BOM_UTF8) :]
        self._returns = b"\r" in head and b"\n" not in head
        self._ahead = head.replace(b"\r", b"\n") if self._returns else head

    def _unpack(self, size: int) -> bytes:
        """Return the next ``size`` decompressed bytes, fewer only at the end."""
        with self._explained():
            if self._chunks is None:
                return self._unpacked.read(size)
            parts, missing = [self._rest], size - len(self._rest)
            while missing > 0 and (chunk := next(self._chunks, None)) is not None:
                parts.append(chunk)
                missing -= len(chunk)
            data = b"".join(parts)
            self._rest = data[size:]
            return data[:size]

    @property
    def done(self) -> int:
        """Bytes of the file on disk that have been read."""
        return self._file.tell()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of files and of decompression into one line that says the fix."""
        path = self.name
        try:
            yield
        except FileNotFoundError:
            raise RecordError(f"no file {path}; check the path") from None
        except EOFError:
            raise RecordError(f"{path} ends early; download it again") from None
        except (zstandard.ZstdError, zlib.error, gzip.BadGzipFile):
            raise RecordError(f"{path} is damaged; download it again") from None
        except OSError as error:
            if error.strerror is None:  # bz2's word for damage
                raise RecordError(f"{path} is damaged; download it again") from None
            raise RecordError(
                f"cannot read {path} ({error.strerror}); check the file and its permissions"
            ) from None


def _wide(head: bytes) -> str:
    """Return the encoding of text in two bytes a letter that has no mark; empty for any other."""
    zeros = [head[at::2].count(0) for at in (0, 1)]
    if len(head) < 4 or not any(zeros) or min(zeros) > 0:
        return ""
    most = len(head) // 4  # of the letters a half at least are Latin
    return "utf-16-le" if zeros[1] >= most else "utf-16-be" if zeros[0] >= most else ""


class _Rest(io.RawIOBase):
    """Bytes that were read already, and then those that follow them; closing it closes nothing."""

    def __init__(self, head: bytes, file: BinaryIO):
        self._head, self._file = head, file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head or self._file.read(len(buffer))
        data, self._head = data[: len(buffer)], data[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def _standard_input() -> io.BufferedReader:
    """Return standard input, whose first bytes can be looked at even if they come one by one."""
    if sys.stdin is None:
        raise RecordError("standard input is closed; pipe games into it")
    return io.BufferedReader(_Rest(sys.stdin.buffer.read(4), sys.stdin.buffer))


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
    return ending_of(path) in SGF_ENDINGS


def ending_of(path: Path) -> str:
    """Return the ending of a name that says the format, behind which one of compression may be."""
    name = path.name.lower()
    for packed in (".zst", ".gz", ".bz2"):
        name = name.removesuffix(packed)
    return Path(name).suffix
