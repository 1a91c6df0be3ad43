"""Send inputs that nobody should send to the doors of evenmatch, and tell what they did."""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.console import print_error
from evenmatch_lab.fuzz import runner, web
from evenmatch_lab.fuzz.door import drawn
from evenmatch_lab.fuzz.doors import door_named, doors
from evenmatch_lab.provenance import installed_code, version_of
from evenmatch_lab.result_files import made_by, write

INPUTS = 10_000
CORPUS = Path("tests") / "fuzz" / "corpus"  #: what was found and mended, in a folder a door


def main() -> int:
    """Run what the command line asks for; return the exit code: 1 after a find."""
    asked = _asked()
    try:
        if asked.input is not None:
            return _one(asked.doors, asked.seed, asked.input)
        if asked.coverage:
            from evenmatch_lab.fuzz.guided import guide

            return max(guide(name, asked.inputs, asked.seed) for name in asked.doors)
        found = [_fuzzed(name, asked) for name in asked.doors or (*doors(), web.NAME)]
    except EvenmatchError as error:
        print_error(error)
        return 2
    return 1 if any(one.wrong for one in found) else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evenmatch_lab.fuzz", description=__doc__)
    parser.add_argument("doors", nargs="*", metavar="DOOR", help=", ".join((*doors(), web.NAME)))
    parser.add_argument("--inputs", type=int, default=INPUTS, metavar="N", help="of each door")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON; rows of doors are replaced")
    parser.add_argument(
        "--input", type=int, metavar="N", help="write this input of a door, no more"
    )
    parser.add_argument(
        "--coverage", action="store_true", help="let Atheris look for inputs that reach new code"
    )
    asked = parser.parse_args()
    if (asked.coverage or asked.input is not None) and not asked.doors:
        parser.error("name a door")
    return asked


def _fuzzed(name: str, asked: argparse.Namespace) -> runner.Found:
    """Run one door, tell what was found, and keep its row."""
    if name == web.NAME:
        found = web.fuzz(asked.inputs, asked.seed)
    else:
        door_named(name)  # refuses what is none
        found = runner.fuzz(name, asked.inputs, asked.seed, _tell)
    _tell(found)
    for find in found.finds:
        print(f"{name} {find['number']}: {find['kind']}\n{find['told']}\n")
    if asked.out:
        keep(asked.out, found)
    return found


def _tell(found: runner.Found) -> None:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(found.kinds.items()))
    print(f"{found.door}: {found.inputs:,} inputs, {kinds}", file=sys.stderr, flush=True)


def keep(path: Path, found: runner.Found) -> None:
    """Write the row of a door to a result file, among the rows that are there."""
    kept: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    rows = kept.get("rows", {})
    command = f"python -m evenmatch_lab.fuzz {found.door} --inputs {found.inputs}"
    title = web.TITLE if found.door == web.NAME else door_named(found.door).title
    code = installed_code().reached_from("evenmatch_lab.fuzz.child", "main")
    told = {"title": title, "command": f"{command} --seed {found.seed}", "code": version_of(code)}
    kept_small = sum(path.is_file() for path in (CORPUS / found.door).glob("*"))
    rows[found.door] = told | found.row() | {"mended": kept_small}
    order = (*doors(), web.NAME)
    rows = {name: rows[name] for name in order if name in rows}
    write(path, json.dumps({"made": made_by(code, {}), "rows": rows}, indent=1) + "\n")


def _one(names: Sequence[str], seed: int, number: int) -> int:
    """Write an input of a door to the output."""
    for name in names:
        door = door_named(name)
        with tempfile.TemporaryDirectory() as folder:
            data = drawn(door, seed, number, door.examples(Path(folder)))
        sys.stdout.buffer.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
