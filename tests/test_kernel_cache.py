"""Kernels of edited sources go to a new folder; two processes compile a kernel once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import kernel_cache
import pytest

import evenmatch

SOURCES = Path(evenmatch.__file__).parent


@pytest.mark.parametrize(
    ("name", "matters"),
    [
        ("games/bits.py", True),
        ("search/rules.py", True),  # only inlined
        ("records/record.py", True),  # only constants
        ("opponents/even.py", False),
    ],
)
def test_edits(tmp_path, name, matters):
    shutil.copytree(SOURCES, tmp_path / "src", ignore=shutil.ignore_patterns("*.onnx", "*.pyc"))
    before = kernel_cache.digest(tmp_path / "src")
    with (tmp_path / "src" / name).open("a") as file:
        file.write("# edited\n")
    assert (kernel_cache.digest(tmp_path / "src") != before) == matters


KERNEL = """
from numba import njit

@njit(cache=True)
def inner(x):
    return x + 1

@njit(cache=True)
def outer(x):
    return inner(x) * 2
"""
PROCESS = """
import sys
from pathlib import Path
import kernel_cache
kernel_cache.compile_once(Path("locks"))
from kernels import inner, outer
print(flush=True)
sys.stdin.readline()
assert outer(1) == 4
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in (inner, outer)))
"""


def test_two_processes_compile_a_kernel_once(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNEL)
    folders = [str(tmp_path), str(Path(__file__).parent)]
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path / "kept"),
        "PYTHONPATH": os.pathsep.join(folders),
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS], cwd=tmp_path, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in processes:
        process.stdout.readline()  # it has imported all
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    compiled = [int(process.communicate()[0]) for process in processes]
    assert sum(compiled) == 2
