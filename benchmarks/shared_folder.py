"""The folder of recorded games and positions, which not everybody has."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]


def data_folder() -> Path:
    """Return the folder: $EVENMATCH_DATA or ../shared/data."""
    return Path(os.environ.get("EVENMATCH_DATA", ROOT.parent / "shared" / "data"))
