"""Check what would be released: `python .ci/release_check.py`, from a clone; publishes nothing.

Builds wheel and sdist twice from clean clones of the last commit, compares their bytes, installs
both with each Python there is, plays, runs tests with the oldest and the newest dependencies, and
asks which of these have known weaknesses. Ends with a table. Exits 1 if something failed; with
--complete also if something could not be checked.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LARGEST = 20_000_000  #: bytes of a wheel, or of an sdist
PYTHONS = ("3.11", "3.12", "3.13")
TOOLS = ["build", "twine", "pip-audit", *PROJECT["build-system"]["requires"]]
EXTRAS = ("web", "train", "cluster")  #: whose oldest versions are tried besides those of the core
TESTERS = ("pytest", "pytest-xdist", "hypothesis", "open_spiel", "sgfmill", "chess", "httpx2")
TESTS = (
    "estimation", "frontends/cli", "frontends/web", "games", "network", "players", "profiles",
    "ratings", "records", "search", "sessions", "strength", "workshop",
)  # fmt: skip
PORT = 18765
PATIENCE = 900.0  #: seconds until the page answers


class MissingError(Exception):
    """Something could not be checked."""


class FailedError(Exception):
    """A check failed."""


def run(*command: object, env: dict[str, str] | None = None, **options) -> str:
    """Run a command; return what it printed, FailedError with that if it fails."""
    words = [str(word) for word in command]
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **(env or {})}
    for name in ("PYTHONPATH", "PYTHONHOME"):  # what is installed is tried, nothing else
        environment.pop(name, None)
    ended = subprocess.run(
        words, capture_output=True, text=True, env=environment, check=False, **options
    )
    if ended.returncode:
        last = (ended.stdout + ended.stderr).strip().splitlines()[-15:]
        raise FailedError("\n".join([f"{' '.join(words)[:200]} ended {ended.returncode}", *last]))
    return ended.stdout


def environment(folder: Path, *packages: object, python: object = sys.executable) -> Path:
    """Make a virtual environment with packages; return its Python."""
    run(python, "-m", "venv", folder)
    if packages:
        run(folder / "bin/python", "-m", "pip", "install", "--quiet", *packages)
    return folder / "bin/python"


# -- the builds ------------------------------------------------------------------------------


def wheels(scratch: Path) -> str:
    """Build the wheel twice from copies of the sources, for CI."""
    built = []
    for number, umask in enumerate((0o022, 0o077)):
        copy = scratch / f"copy{number}"
        shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"):
            shutil.copy(ROOT / name, copy)
        options = ["--quiet", "--no-deps", "--no-cache-dir", "--wheel-dir", copy / "dist"]
        run(sys.executable, "-m", "pip", "wheel", *options, copy, umask=umask)
        built.append(copy / "dist")
    return compared(*built)


def builds(scratch: Path) -> str:
    """Build wheel and sdist twice from clean clones; what the other checks install is the first."""
    python = tools(scratch)
    epoch = run("git", "-C", ROOT, "log", "-1", "--format=%ct").strip()
    built = []
    for number, umask in enumerate((0o022, 0o077)):
        clone = scratch / f"clone{number}"
        run("git", "clone", "--quiet", ROOT, clone, umask=umask)
        dist = scratch / "dist" if number == 0 else clone / "dist"
        run(
            python, "-m", "build", "--outdir", dist, clone,
            umask=umask, env={"SOURCE_DATE_EPOCH": epoch},
        )  # fmt: skip
        built.append(dist)
    run(python, "-m", "twine", "check", "--strict", *sorted(built[0].iterdir()))
    return compared(*built)


def compared(one: Path, other: Path) -> str:
    """Return sizes and digests of two builds' files; FailedError if they differ or are large."""
    said = []
    for path in sorted(one.iterdir()):
        size, digest = path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()
        if size > LARGEST:
            raise FailedError(f"{path.name} has {size:,} bytes; {LARGEST:,} are allowed")
        if digest != hashlib.sha256((other / path.name).read_bytes()).hexdigest():
            raise FailedError(f"two builds of {path.name} differ")
        said.append(f"{path.name}: {size:,} bytes, twice the same, sha256 {digest[:16]}")
    return "; ".join(said)


def tools(scratch: Path) -> Path:
    """Return a Python with the tools of a release, made once."""
    folder = scratch / "tools"
    return folder / "bin/python" if folder.exists() else environment(folder, *TOOLS)


def built(scratch: Path, pattern: str) -> Path:
    """Return the wheel or the sdist, built if need be."""
    if not (scratch / "dist").exists():
        builds(scratch)
    return next((scratch / "dist").glob(pattern))


# -- installed, with each Python -------------------------------------------------------------


def interpreter(version: str) -> str:
    """Return the command of a Python of this version; MissingError if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [f"python{version}", *sorted(map(str, pyenv.glob(f"{version}.*/bin/python")))]
    for command in found:
        try:
            said = run(
                command, "-c", "import sys, venv, ssl; print('%d.%d' % sys.version_info[:2])"
            )
        except (FailedError, OSError):
            continue
        if said.strip() == version:
            return command
    raise MissingError(f"there is no Python {version}; install it")


def installed(version: str, pattern: str) -> Callable[[Path], str]:
    """Return the check that installs a file in a new environment of a Python, and plays."""

    def check(scratch: Path) -> str:
        command = interpreter(version)
        folder = scratch / f"{version}-{pattern[-3:]}"
        python = environment(folder, f"{built(scratch, pattern)}[web]", python=command)
        smoke(python, folder, page=pattern == "*.whl")
        return f"Python {run(python, '-c', 'import platform; print(platform.python_version())')}"

    return check


def smoke(python: Path, folder: Path, page: bool) -> None:
    """Play and measure with what is installed, from a folder outside the repository."""
    evenmatch = python.parent / "evenmatch"
    options: dict[str, Any] = {"cwd": folder, "env": {"EVENMATCH_STATE": str(folder / "state")}}

    def expect(word: str, said: str) -> None:
        if word not in said:
            raise FailedError(f"{word!r} is missing in: {said[-500:]}")

    expect(PROJECT["project"]["version"], run(evenmatch, "--version", **options))
    run(evenmatch, "play", "othello", "--seed", "1", input="d3 hint resign\n", **options)
    match = ("match", "alphadda1", "random", "--game", "connect4", "--games", "2", "--seed", "1")
    if json.loads(run(evenmatch, *match, "--json", **options))["games"] != 2:
        raise FailedError("the match has not two games")
    for game in ("othello", "chess", "go"):
        run(evenmatch, "network", "info", game, "--json", **options)
    if page:
        with serving(evenmatch, **options) as text:
            expect("evenmatch", text)


@contextmanager
def serving(evenmatch: Path, cwd: Path, env: dict[str, str]) -> Iterator[str]:
    """Run the page's server, which compiles for minutes at first; yield the page."""
    environ = {**os.environ, "BROWSER": "true", **env}
    environ.pop("PYTHONPATH", None)
    deadline = time.monotonic() + PATIENCE
    command = [str(evenmatch), "web", "--port", str(PORT)]
    with (cwd / "web.log").open("w") as log:
        server = subprocess.Popen(command, cwd=cwd, env=environ, stdout=log, stderr=log)
    try:
        while True:
            try:
                answer = urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=10)
                break
            except OSError:
                time.sleep(0.5)
            if server.poll() is not None or time.monotonic() > deadline:
                said = (cwd / "web.log").read_text()
                raise FailedError(f"the page's server ended or does not answer: {said}")
        yield answer.read().decode()
    finally:
        server.terminate()
        server.wait(30)


# -- the oldest and the newest dependencies --------------------------------------------------


def declared(*extras: str) -> list[str]:
    """Return the packages that the core and some extras need, those of extras in extras too."""
    optional = PROJECT["project"]["optional-dependencies"]
    found = list(PROJECT["project"]["dependencies"])
    for one in (one for name in extras for one in optional[name]):
        inner = re.fullmatch(r"evenmatch\[(.*)\]", one)
        found += declared(*inner[1].split(",")) if inner else [one]
    return list(dict.fromkeys(found))


def oldest(scratch: Path) -> str:
    """Run the tests with the oldest versions that the bounds allow."""
    return tested(scratch / "oldest", [one.replace(">=", "==") for one in declared(*EXTRAS)])


def newest(scratch: Path) -> str:
    """Run the tests with the newest versions that the bounds allow."""
    return tested(scratch / "newest", ["--upgrade", "--upgrade-strategy=eager", *declared(*EXTRAS)])


def tested(folder: Path, wanted: list[str]) -> str:
    """Run tests of this clone in a new environment with these dependencies."""
    python = environment(folder, *wanted, *TESTERS)
    install = ["--quiet", "--no-deps", "--editable", ROOT, "--editable", ROOT / "lab"]
    run(python, "-m", "pip", "install", *install)
    found = json.loads(run(python, "-m", "pip", "list", "--format", "json"))
    names = {name.partition(">")[0].partition("=")[0].lower() for name in declared(*EXTRAS)}
    versions = {one["name"].lower().replace("_", "-"): one["version"] for one in found}
    shown = ", ".join(f"{name} {versions[name]}" for name in sorted(names))
    kernels = {"NUMBA_CACHE_DIR": str(folder / "kernels"), "EVENMATCH_STATE": str(folder / "state")}
    paths = [f"tests/{name}" for name in TESTS]
    said = run(
        python, "-m", "pytest", "-n", os.environ.get("RELEASE_CHECK_JOBS", "auto"),
        "-p", "no:cacheprovider", "-o", "addopts=", *paths,
        cwd=ROOT, env=kernels,
    )  # fmt: skip
    return f"{said.strip().splitlines()[-1].strip('= ')}, with {shown}"


# -- known weaknesses ------------------------------------------------------------------------


def audit(scratch: Path) -> str:
    """Ask pip-audit about the newest versions of all that the package and its extras need."""
    python = environment(scratch / "audited", *declared("web", "train", "cluster"))
    frozen = scratch / "frozen.txt"
    listed = json.loads(run(python, "-m", "pip", "list", "--format", "json"))
    lines = [f"{one['name']}=={one['version'].partition('+')[0]}" for one in listed]
    frozen.write_text("\n".join(lines) + "\n")
    command = [tools(scratch), "-m", "pip_audit", "--requirement", frozen, "--no-deps"]
    try:
        said = run(*command, "--disable-pip", "--format", "json", "--progress-spinner", "off")
    except FailedError as error:
        if "vulnerabilit" in str(error):
            raise
        raise MissingError(f"pip-audit could not ask: {str(error).splitlines()[-1]}") from error
    told = json.loads(said)["dependencies"]
    skipped = [one["name"] for one in told if "skip_reason" in one]
    if skipped:
        raise MissingError(
            f"pip-audit's database does not answer for {len(skipped)} of {len(told)} packages"
        )
    return f"{len(told)} packages, no known weakness"


# -- all of it -------------------------------------------------------------------------------

CHECKS: dict[str, Callable[[Path], str]] = {
    "build": builds,
    **{f"wheel-{one}": installed(one, "*.whl") for one in PYTHONS},
    **{f"sdist-{one}": installed(one, "*.tar.gz") for one in PYTHONS},
    "oldest": oldest,
    "newest": newest,
    "audit": audit,
}


def main() -> int:
    """Run the checks asked for and print how each went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=[*CHECKS, "ci"], help="these checks alone")
    parser.add_argument("--complete", action="store_true", help="fail if something is missing")
    parser.add_argument("--keep", type=Path, help="copy wheel and sdist to this folder")
    asked = parser.parse_args()
    status = 0
    with tempfile.TemporaryDirectory(prefix="evenmatch-release-") as folder:
        for name in asked.only or CHECKS:
            start = time.monotonic()
            try:
                word, said = "good", {**CHECKS, "ci": wheels}[name](Path(folder))
            except MissingError as error:
                word, said = "not checked", str(error)
                status |= asked.complete
            except FailedError as error:
                word, said, status = "FAILED", str(error), 1
            print(f"{name}: {word} ({time.monotonic() - start:.0f} s): {said.strip()}", flush=True)
        if asked.keep:
            built(Path(folder), "*.whl")
            shutil.copytree(Path(folder) / "dist", asked.keep, dirs_exist_ok=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
