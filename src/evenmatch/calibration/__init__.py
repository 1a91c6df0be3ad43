"""Calibration: a dial's strength measured in games, until its number means what it says."""

from evenmatch.calibration.anchors import Anchor, anchors_of
from evenmatch.calibration.calibration import Calibration, Standing

__all__ = ["Anchor", "Calibration", "Standing", "anchors_of"]
