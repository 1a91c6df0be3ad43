"""Where the tests keep compiled kernels: one folder for each content of the sources.

Numba does not notice edits in another file that a cached kernel inlines, or whose constants it has.
Nor does it know that another process is at work on a kernel: `compile_once` lets that one finish.
"""

import hashlib
import tempfile
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src" / "evenmatch"


def folder(sources: Path = SOURCES) -> Path:
    """Return the folder for the kernels of these sources."""
    return Path(tempfile.gettempdir()) / f"evenmatch-kernels-{digest(sources)}"


def digest(sources: Path) -> str:
    """Return a digest of the rooms with kernels: of these, and of what they may inline or read."""
    texts = {path: path.read_bytes() for path in sorted(sources.rglob("*.py"))}
    room = {path: path.relative_to(sources).parts[0] for path in texts}
    rooms = {room[path] for path, text in texts.items() if b"games.bits import" in text}
    found = hashlib.sha256(str(sources).encode())
    for path, text in texts.items():
        if room[path] in rooms:
            found.update(text)
    return found.hexdigest()[:16]


def compile_once(locks: Path) -> None:
    """Compile a kernel in one process at a time: those who wait for it read it from the cache.

    A process holds the lock of a kernel while it compiles what that one calls. Kernels do not call
    each other in a circle, so that no two processes wait for each other.
    """
    from filelock import FileLock
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    locks.mkdir(parents=True, exist_ok=True)
    compile_alone = Dispatcher.compile

    @cache
    def lock_of(name: str) -> FileLock:
        return FileLock(locks / f"{name}.lock", thread_local=False)

    def compile_in_turn(self, sig):
        function = self.py_func
        name = hashlib.sha256(f"{function.__module__}.{function.__qualname__}".encode()).hexdigest()
        with global_compiler_lock, lock_of(name[:16]):  # in this order: it is one for all threads
            return compile_alone(self, sig)

    Dispatcher.compile = compile_in_turn


if __name__ == "__main__":
    print(folder())
