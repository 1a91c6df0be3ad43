"""Benchmarks: how fast search, networks, rules and self-play run on this machine.

``python -m evenmatch_lab.bench --out FILE`` does what ``evenmatch bench --json`` does
and can choose benchmarks and networks.
"""

from evenmatch_lab.bench.rows import FULL, HEADS, NUMBERS, QUICK, Row, Size, cells
from evenmatch_lab.bench.suites import SUITES, run

__all__ = ["FULL", "HEADS", "NUMBERS", "QUICK", "SUITES", "Row", "Size", "cells", "run"]
