"""Writes dependencies.md: all dependencies and their licences.

``python docs/reference/dependencies.py`` reads them off what is installed: all extras have to be,
and ``packaging`` and ``hatchling``. Exits 1, with a line for each, if one is missing or its licence
is not known to go with the GPL.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PAGE = Path(__file__).with_name("dependencies.md")
PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
CORE, BUILD = "evenmatch itself", "building it"
FOR_USERS = (CORE, "plot", "train", "web", "cluster")

#: Licences whose works may be combined with works under GPL-3.0-or-later, by SPDX identifier.
COMPATIBLE = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause",
    "BSL-1.0", "CC0-1.0", "GPL-3.0-or-later", "ISC", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0",
    "PSF-2.0", "Zlib",
}  # fmt: skip
#: What packages that name no SPDX identifier write, in classifiers or in words.
WORDS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
#: Packages that say but "BSD License": read in their licence files.
READ = dict.fromkeys(
    ("colorama", "contourpy", "cycler", "jinja2", "kiwisolver", "mpmath", "nodeenv", "scipy",
     "sympy"),
    "BSD-3-Clause",
) | {"numba": "BSD-2-Clause"}  # fmt: skip

BEGIN = """# Dependencies

`python docs/reference/dependencies.py` wrote this page from what was installed: Python {python},
{machine}. Versions are those that were read. Which are allowed is said in `pyproject.toml`.

evenmatch is under GPL-3.0-or-later. Every licence below may be combined with it. What is under
Apache-2.0 or MPL-2.0 goes with version 3 of the GPL, and not with version 2.

- **In the wheel** is none of these packages: pip installs them. In it are chessground
  (GPL-3.0-or-later), the networks of Maia (GPL-3.0) and of KataGo (CC0-1.0).
- **PyTorch.** On Linux pip brings NVIDIA's CUDA libraries with it, which have terms of NVIDIA's
  own. evenmatch does not ask for them, and trains without them on a CPU build. This page was
  written with such a build.
- **Parts of parts.** A licence is the one that a package names for itself. Wheels of NumPy, SciPy,
  PyTorch and OpenVINO have compiled libraries of others in them, whose licences they bring along.
"""


def wanted() -> dict[str, dict[str, Requirement]]:
    """Return what ``pyproject.toml`` asks for: by extra, and by package."""
    project = PROJECT["project"]
    asked = {CORE: project["dependencies"], **project["optional-dependencies"]}
    asked[BUILD] = PROJECT["build-system"]["requires"]
    return {
        extra: {
            canonicalize_name(one.name): one
            for one in map(Requirement, lines)
            if not one.name.startswith("evenmatch")
        }
        for extra, lines in asked.items()
    }


def declared() -> dict[str, list[str]]:
    """Return the packages that are asked for, each with the extras that ask for it."""
    found: dict[str, list[str]] = {}
    for extra, asked in wanted().items():
        for name in asked:
            found.setdefault(name, []).append(extra)
    return dict(sorted(found.items()))


def brought() -> dict[str, set[str]]:
    """Return the packages that others bring, each with the packages asked for that do."""
    found: dict[str, set[str]] = {}
    asked = {name: one for group in wanted().values() for name, one in group.items()}
    for first, requirement in asked.items():
        seen, todo = {first}, [(first, frozenset(requirement.extras))]
        while todo:
            for name, extras in needs(*todo.pop()):
                if name not in seen:
                    seen.add(name)
                    todo.append((name, extras))
                    if name not in asked:
                        found.setdefault(name, set()).add(first)
    return dict(sorted(found.items()))


def needs(name: str, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what a package needs on this machine, with some of its extras."""
    for line in installed(name).requires or []:
        one = Requirement(line)
        if one.marker is None or any(one.marker.evaluate({"extra": x}) for x in {"", *extras}):
            yield canonicalize_name(one.name), frozenset(one.extras)


def installed(name: str) -> Distribution:
    """Return an installed package; exits if it is not."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        sys.exit(f"{name} is not installed; install all extras")


def licence(name: str) -> str:
    """Return a package's licence as SPDX expression; "unknown: ..." if it is none of the known."""
    meta = installed(name).metadata
    if name in READ:
        return READ[name]
    if expression := meta.get("License-Expression"):
        return str(expression)
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in meta.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    words = classifiers or [str(meta.get("License") or "").strip()]
    return " AND ".join(WORDS.get(one, one) for one in words)


def compatible(expression: str) -> bool:
    """Say whether an SPDX expression may be combined with the GPL, version 3."""
    either = expression.replace("(", " ").replace(")", " ").split(" OR ")
    return any(
        all(term.strip() in COMPATIBLE for term in re.split(r"\bAND\b", one)) for one in either
    )


def row(name: str, by: str) -> str:
    """Return the line of a package."""
    package = installed(name)
    return f"| {name} | {by} | {package.version.partition('+')[0]} | {licence(name)} |"


def page() -> str:
    """Return the page."""
    import platform

    lines = [BEGIN.format(python=platform.python_version(), machine=platform.system())]
    of_users = {name for extra in FOR_USERS for name in wanted()[extra]}
    groups = {
        "Installed by users": [name for name in declared() if name in of_users],
        "Installed by developers": [name for name in declared() if name not in of_users],
    }
    for title, names in groups.items():
        lines += [f"## {title}", "", "| package | asked for by | version | licence |", HEAD]
        lines += [row(name, ", ".join(declared()[name])) for name in names] + [""]
    lines += ["## Brought by these", "", "| package | brought by | version | licence |", HEAD]
    lines += [row(name, ", ".join(sorted(by))) for name, by in brought().items()]
    return "\n".join(lines) + "\n"


HEAD = "|---|---|---|---|"


def main() -> int:
    """Write the page; return 1 if a licence is not known to go with the GPL."""
    wrong = [name for name in (*declared(), *brought()) if not compatible(licence(name))]
    for name in wrong:
        print(f"{name}: {licence(name)!r} is not known to go with the GPL", file=sys.stderr)
    PAGE.write_text(page())
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
