"""Matplotlib, whose own files stay in the cache folder; drawings are SVG files."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from evenmatch.errors import MissingExtraError
from evenmatch.files import replacing

FOLDER = "MPLCONFIGDIR"  #: the environment variable that names matplotlib's folder


def pyplot() -> ModuleType:
    """Return matplotlib.pyplot for SVG files; MissingExtraError if it is not installed.

    Without FOLDER it would write to the home folder.
    """
    if FOLDER not in os.environ:
        from platformdirs import user_cache_path

        os.environ[FOLDER] = str(user_cache_path("evenmatch") / "matplotlib")
        Path(os.environ[FOLDER]).mkdir(parents=True, exist_ok=True)
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError(
            "plots need matplotlib; install it: pip install 'evenmatch[plot]'"
        ) from None
    plt.switch_backend("svg")

    return plt


@contextmanager
def axes(path: Path, columns: int, *, size: tuple[float, float]) -> Iterator[Any]:
    """Yield an array of axes side by side, ``size`` inches in all; write them to ``path`` then.

    Equal drawings give equal files. Raises OSError if the file cannot be written.
    """
    plt = pyplot()
    plt.rcParams["svg.hashsalt"] = path.stem
    drawing, grid = plt.subplots(1, columns, figsize=size, squeeze=False)
    try:
        yield grid[0]
        drawing.tight_layout()
        with replacing(path) as partial:
            drawing.savefig(partial, format="svg", metadata={"Date": None})
    finally:
        plt.close(drawing)
