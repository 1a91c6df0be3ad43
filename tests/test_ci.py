"""CI runs commands side by side, and fails if one of them does."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / ".ci" / "side_by_side.py"


def test_commands_side_by_side():
    lines = "network info nonsense\nplayers random\n"
    ended = subprocess.run([sys.executable, SCRIPT], input=lines, capture_output=True, text=True)
    assert ended.returncode == 1
    assert " s  evenmatch players random\n" in ended.stdout
    assert ended.stderr.splitlines()[-1] == "failed: evenmatch network info nonsense"
