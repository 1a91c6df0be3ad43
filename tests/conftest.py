"""What all tests share: the oracle on the path, and a kernel cache that cannot be stale.

Numba does not notice edits in another file that a cached kernel inlines. The tests therefore
keep their compiled kernels apart, one folder for each content of the sources.
"""

import hashlib
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = HERE.parent / "src" / "evenmatch"

sys.path.insert(0, str(HERE))  # for `import oracle`


def _digest() -> str:
    digest = hashlib.sha256(str(SOURCES).encode())
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_bytes()
        if b"numba" in text or b"kernel" in text:
            digest.update(text)
    return digest.hexdigest()[:16]


os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"evenmatch-kernels-{_digest()}")
)
