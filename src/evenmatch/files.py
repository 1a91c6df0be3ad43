"""Files that change as a whole or not at all, and the folder of those that are kept for a user."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evenmatch.errors import StateError


@contextmanager
def replacing(path: Path, mode: int | None = None) -> Iterator[Path]:
    """Yield a file beside ``path`` to write; it takes its place at the end, not after an exception.

    ``mode`` is the file's permissions, by default those of any new file. Missing folders are made.
    Raises OSError if the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        with partial.open("rb") as file:
            os.fsync(file.fileno())  # else a crash may leave the new name with nothing behind it
        os.chmod(partial, 0o666 & ~umask() if mode is None else mode)
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def replace_file(path: Path, text: str, mode: int | None = None) -> None:
    """Write a text file whole or not at all; see :func:`replacing`."""
    with replacing(path, mode) as partial:
        partial.write_text(text, encoding="utf-8")


def read_bounded(path: Path, most: int) -> bytes:
    """Return the bytes of a file; OSError if it cannot be read or has more than ``most``."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size  # 0 of a pipe
        data = file.read(min(size or most, most) + 1) if size <= most else None
    if data is None or len(data) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data


def umask() -> int:
    """Return the permissions that new files lack; they can only be asked for by setting them."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def state_folder() -> Path:
    """Return EVENMATCH_STATE, or the user's state folder. StateError if that is a file."""
    chosen = os.environ.get("EVENMATCH_STATE")
    if chosen:
        folder = Path(chosen).expanduser()
        if os.path.isfile(folder):
            raise StateError(f"EVENMATCH_STATE is a file, {folder}; set it to a folder")
        return folder
    from platformdirs import user_state_dir

    return Path(user_state_dir("evenmatch", appauthor=False))
