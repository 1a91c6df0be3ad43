"""`evenmatch warmup` goes through all players, those too that do not play a game."""

import os
import subprocess
import sys

from evenmatch.app import compiling
from evenmatch.games import GAMES


def test_games_can_be_chosen(run, refused):
    result = run("warmup", "connect4")
    assert result.exit_code == 0, result.output
    assert "Connect Four: players" in result.stdout
    assert "Othello" not in result.stdout
    assert "unknown game 'chequers'" in refused("warmup", "chequers")


KERNEL = """
import sys
from numba import njit
from evenmatch.app.compiling import on_first_compile

@njit(cache=True)
def double(number):
    return 2 * number

with on_first_compile(lambda: print("compiling")):
    double(1), double(1.5)
"""


def test_what_is_compiled_is_told_once_and_what_is_loaded_is_not(tmp_path):
    """Wherever numba keeps it, and again after an edit."""
    path = tmp_path / "kernel.py"
    kept = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    for edit, told in (("", "compiling\n"), ("", ""), ("# edited, and longer\n", "compiling\n")):
        if edit or not path.exists():
            path.write_text(KERNEL + edit)
        done = subprocess.run(
            [sys.executable, path], env=kept, capture_output=True, text=True, check=True
        )
        assert done.stdout == told


def test_the_rules_of_a_game_are_compiled_after_a_look():
    compiling.is_compiled(GAMES["connect4"])
    assert compiling.is_compiled(GAMES["connect4"])
