"""Which code a machine has: parts are done by equal code, or not at all."""

import hashlib
from contextlib import suppress
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from evenmatch.errors import StateError
from evenmatch.workshop.cluster.executor import Work

Versions = dict[str, str]  #: package -> digest of its files


def code_of(work: Work) -> Versions:
    """Return what does a part here: evenmatch, and the package that the work is of."""
    function = work
    while isinstance(function, partial):
        function = function.func
    package = (getattr(function, "__module__", None) or "").partition(".")[0]
    known = {name: digest(name) for name in ("evenmatch", package)}
    return {name: found for name, found in known.items() if found}


def check(versions: Versions, where: str) -> None:
    """Refuse other code than was asked for. Raises StateError, with the fix."""
    for package, asked in versions.items():
        if digest(package) != asked:
            raise StateError(
                f"{where} has another {package} than this machine; install the same on both"
            )


@cache
def digest(package: str) -> str:
    """Return a digest of all files of a package, networks too; empty if it is not here."""
    found, folders = hashlib.blake2b(digest_size=8), []
    with suppress(ValueError):  # no name, or that of a script, which is sent whole
        spec = find_spec(package)
        folders = list((spec and spec.submodule_search_locations) or ())
    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(f"{path.relative_to(folder)}\n".encode())
                found.update(path.read_bytes())
    return found.hexdigest() if folders else ""
