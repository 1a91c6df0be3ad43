"""How much memory another process takes, in MB; None where the system does not tell."""

from pathlib import Path

MEGABYTE = 1_000_000


def peak_of(process: int) -> float | None:
    """Return the most memory that was resident in a process."""
    return _told(f"/proc/{process}/status", "VmHWM:")


def resident_of(process: int) -> float | None:
    """Return the memory that is resident in a process."""
    return _told(f"/proc/{process}/status", "VmRSS:")


def share_of(process: int) -> float | None:
    """Return a process's memory, of what it shares with others its share."""
    return _told(f"/proc/{process}/smaps_rollup", "Pss:")


def _told(path: str, name: str) -> float | None:
    try:
        rows = Path(path).read_text().splitlines()
    except OSError:
        return None
    return next(
        (int(row.split()[1]) * 1024 / MEGABYTE for row in rows if row.startswith(name)), None
    )
