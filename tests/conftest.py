"""What all tests share: the oracle on the path, a kernel cache that cannot be stale, and seeds.

Numba does not notice edits in another file that a cached kernel inlines. The tests therefore
keep their compiled kernels apart, one folder for each content of the sources.

Torch draws from one generator in a whole process, so that what a test draws would depend on the
tests before it. It is therefore seeded anew before every fixture and every test.
"""

import hashlib
import os
import sys
import tempfile
from pathlib import Path

pytest_plugins = ["fuzz_plugin", "shared_data"]
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


def _seed_torch() -> None:
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


def pytest_fixture_setup() -> None:
    """Let a fixture draw the same, whichever test asks for it first."""
    _seed_torch()


def pytest_runtest_call() -> None:
    """Let a test draw the same, whichever tests ran before."""
    _seed_torch()
