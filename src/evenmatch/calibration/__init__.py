"""Calibration: a dial's strength measured in games, until its number means what it says."""

from evenmatch.calibration.calibration import Calibration, Standing

__all__ = ["Calibration", "Standing"]
