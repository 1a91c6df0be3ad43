"""An edit of what kernels inline or read makes a new folder of kernels, another edit does not."""

import shutil
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
