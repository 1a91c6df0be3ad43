"""Benchmarks: how fast search, networks, rules and self-play run on this machine.

``python -m evenmatch.frontends.bench --out FILE`` does what ``evenmatch bench --json`` does
and can choose benchmarks and networks. What the rows mean is in benchmarks/README.md.
"""

from evenmatch.frontends.bench.rows import FULL, HEADS, NUMBERS, QUICK, Row, Size, cells
from evenmatch.frontends.bench.suites import SUITES, run

__all__ = ["FULL", "HEADS", "NUMBERS", "QUICK", "SUITES", "Row", "Size", "cells", "run"]
