"""Where the tests keep compiled kernels: one folder for each content of the sources.

Numba does not notice edits in another file that a cached kernel inlines, or whose constants it has.
"""

import hashlib
import tempfile
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


if __name__ == "__main__":
    print(folder())
