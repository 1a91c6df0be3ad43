"""Benchmarks: how fast search, networks, rules and self-play run on this machine.

``python -m evenmatch.frontends.bench --out FILE`` does what ``evenmatch bench --json`` does
and can choose benchmarks and networks. What the rows mean is in benchmarks/README.md.
"""

from evenmatch.frontends.bench.rows import FULL, QUICK, Row, Size
from evenmatch.frontends.bench.suites import SUITES, run

__all__ = ["FULL", "QUICK", "SUITES", "Row", "Size", "run"]
