"""Drills of faults: what is killed, filled, cut short or lied to, and what must be left of it.

    python -m evenmatch_lab.drills [NAME ...] [--quick] [--seed N] [--out FILE]

Each drill is a row of the table ``DRILLS``.
"""
