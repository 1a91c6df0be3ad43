"""What all tests share: kernels that are compiled once and cannot be stale, and seeds.

A test draws the same in every run. Torch draws from one generator in a whole process, so that it is
seeded anew before every fixture and every test; who would ask the system for a seed gets one from a
series that is the same in each test.
"""

import os
import random
import secrets
import sys

import kernel_cache
import numpy as np
import pytest

pytest_plugins = ["fuzz_plugin", "pytester", "shared_data"]

os.environ.setdefault("NUMBA_CACHE_DIR", str(kernel_cache.folder()))
kernel_cache.compile_once(kernel_cache.folder() / "locks")


def _seed_torch() -> None:
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


def pytest_fixture_setup() -> None:
    """Let a fixture draw the same, whichever test asks for it first."""
    _seed_torch()


def pytest_runtest_call() -> None:
    """Let a test draw the same, whichever tests ran before."""
    _seed_torch()


@pytest.fixture(autouse=True)
def seeds_of_the_system(monkeypatch):
    """Draw the seeds that nobody named from a fixed series."""
    series, generator = random.Random(0), np.random.default_rng
    monkeypatch.setattr(secrets, "randbits", series.getrandbits)
    monkeypatch.setattr(
        np.random,
        "default_rng",
        lambda seed=None: generator(series.getrandbits(64) if seed is None else seed),
    )
