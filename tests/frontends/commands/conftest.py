"""What tests of ``evenmatch me`` share: a game that was won, files of games."""

import pytest
from records_from_elsewhere import JUDGED, PGN, WON


@pytest.fixture
def played(run):
    """A game of Connect Four that was won."""
    run("play", "connect4", "-o", "random", "-s", "2", lines=WON)


@pytest.fixture
def lichess(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(PGN.replace("{result}", "1-0") + PGN.replace("{result}", "0-1"))
    return str(path)


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "judged.pgn"
    path.write_text(JUDGED)
    return path
