"""The file of an experiment's results: its parts, and all that its page says of their making."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evenmatch.errors import StateError, UsageError
from evenmatch.files import replace_file
from evenmatch_lab.provenance import Modules, version_of

#: part -> {"settings": ..., where, when and how it was made, **its result}
Results = dict[str, dict[str, Any]]

#: What a row says of its making, which has no part in the result.
MADE = ("code", "date", "machine", "seconds")


@dataclass
class ResultFile:
    """What is kept of an experiment."""

    command: str = ""  #: that made it, and makes the rest
    left: list[str] = field(default_factory=list)  #: parts that are still to be made
    versions: dict[str, Modules] = field(default_factory=dict)  #: the code behind the rows
    parts: Results = field(default_factory=dict)  #: what the page tells of, in its order
    aside: Results = field(default_factory=dict)  #: rows of other settings, or of other networks

    @classmethod
    def read(cls, path: Path) -> "ResultFile":
        """Return the results of a file, none if there is none. StateError if it is broken."""
        if not path.exists():
            return cls()
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            if "parts" not in known:  # as files were before they said what made them
                known = {"parts": known}
            kept = cls(**known)
            complete = all("settings" in row for row in kept.rows.values())
        except (OSError, ValueError, RecursionError, TypeError, AttributeError):
            complete = False
        if not complete:
            raise StateError(f"{path} holds no results; delete it or choose another --out")
        return kept

    def write(self, path: Path) -> None:
        """Replace the file, without versions that no row names. UsageError if it cannot be."""
        named = {row.get("code") for row in self.rows.values()}
        self.versions = {name: seen for name, seen in self.versions.items() if name in named}
        write(path, json.dumps(asdict(self), indent=1) + "\n")

    @property
    def rows(self) -> Results:
        """All rows, on the page or not; of a part that is in both, the one on the page."""
        return self.aside | self.parts

    def keep(self, code: Modules) -> str:
        """Remember the code that makes a row; return its version."""
        version = version_of(code)
        self.versions[version] = code
        return version


def made_by(code: Modules, networks: Mapping[str, str]) -> dict[str, Any]:
    """Return what a benchmark's file says of its making; ``networks`` are digests by name."""
    return {
        "date": today(),
        "code": version_of(code),
        "networks": dict(networks),
        "modules": code,
    }


def today() -> str:
    """Return the day, as ISO 8601 has it."""
    return datetime.now(UTC).date().isoformat()


def fingerprint(results: list[dict[str, Any]]) -> str:
    """Return a hash of results, whatever made them, when and in what time."""
    told = [{k: v for k, v in row.items() if k not in MADE} for row in results]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def write(path: Path, text: str) -> None:
    """Replace a file, whole. Raises UsageError if it cannot be written."""
    try:
        replace_file(path, text)
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> UsageError:
    """Return the exception to raise where a result cannot be written."""
    return UsageError(f"cannot write {path} ({error.strerror}); choose another folder with --out")
