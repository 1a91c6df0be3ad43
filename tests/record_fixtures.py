"""Records: PGN files."""

from pathlib import Path

import pytest


@pytest.fixture
def pgn(tmp_path):
    """Write a text as a PGN file and return its path."""

    def write(text: str | bytes, name: str = "games.pgn") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write
