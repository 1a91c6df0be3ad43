"""The same doors under Atheris: inputs are changed so that they reach new code.

``pip install atheris`` (Linux and macOS). Code that numba or OpenVINO compiled is not
followed. What is drawn depends on the machine, so the table of results has none of it.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import evenmatch
from evenmatch.errors import EvenmatchError, MissingExtraError

HANG = 10  #: seconds of an input, after which Atheris ends


def guide(name: str, inputs: int, seed: int) -> int:
    """Run so many inputs of a door in a process of its own; return the exit code."""
    from importlib.util import find_spec

    if find_spec("atheris") is None:
        raise MissingExtraError("coverage needs Atheris: pip install atheris")
    with tempfile.TemporaryDirectory() as folder:
        told = json.dumps({"door": name, "inputs": inputs, "seed": seed, "folder": folder})
        found = subprocess.run([sys.executable, "-m", "evenmatch_lab.fuzz.guided", told])
        kept = [path for path in Path(folder).iterdir() if path.name.startswith("find-")]
        for path in kept:
            target = Path(f"{name}-{path.name}")
            target.write_bytes(path.read_bytes())
            print(f"kept: {target}")
    return 1 if found.returncode else 0


def compiled() -> list[str]:
    """Return the modules that have code for numba, which cannot compile what Atheris adds."""
    root = Path(evenmatch.__file__).parent
    return [
        ".".join(path.relative_to(root.parent).with_suffix("").parts)
        for path in root.rglob("*.py")
        if "@kernel" in (text := path.read_text(encoding="utf-8")) or "njit" in text
    ]


def main() -> None:
    """Run a door under Atheris, as the argument tells."""
    import atheris

    asked = json.loads(sys.argv[1])
    with atheris.instrument_imports(include=["evenmatch"], exclude=compiled()):
        from evenmatch_lab.fuzz.doors import door_named

        door = door_named(asked["door"])
        folder = Path(asked["folder"])
        os.environ["EVENMATCH_STATE"] = str(folder / "state")
        examples, corpus = door.examples(folder), folder / "corpus"
        take = door.opened(folder)
    corpus.mkdir()
    for number, example in enumerate(examples):
        (corpus / str(number)).write_bytes(example)

    def one(data: bytes) -> None:
        with contextlib.suppress(EvenmatchError):
            take(data)

    options = {"runs": asked["inputs"], "seed": asked["seed"], "timeout": HANG, "max_len": 1 << 16}
    flags = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], *flags, f"-artifact_prefix={folder}/find-", str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
