"""Networks of other programs by their files and names."""

from pathlib import Path

from evenmatch.network.artifact import read_card
from evenmatch.network.imported import as_artifact


def test_networks_of_others_that_ship_are_known_by_name(tmp_path, monkeypatch):
    """Unless a file of that name is here."""
    monkeypatch.chdir(tmp_path)
    assert read_card(as_artifact(Path("maia-1500"))).game == "chess"
    assert as_artifact(Path("maia-1450")) == Path("maia-1450")
    assert as_artifact(Path("elsewhere/maia-1500")) == Path("elsewhere/maia-1500")
    Path("maia-1500").touch()
    assert as_artifact(Path("maia-1500")) == Path("maia-1500")
