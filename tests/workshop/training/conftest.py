import pytest


@pytest.fixture
def no_curves(monkeypatch):
    """Leave out the plot of a training on games, which takes longer than a tiny training."""
    monkeypatch.setattr("evenmatch.workshop.training.supervised.draw_curves", lambda *_: None)
