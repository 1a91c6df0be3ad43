"""The page's server: HTTP and WebSocket, by the drill of attacks, benchmarks/web_hostile.py."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evenmatch.errors import UsageError
from evenmatch_lab.fuzz.runner import Found

NAME, TITLE = "web", "HTTP and WebSocket of the page's server"
SCRIPT = Path("benchmarks") / "web_hostile.py"
WRONG = ("games of others changed", "lines of the log that tell of errors", "wrong answers")
REFUSED = 400  #: the least status of a refusal; 0 is no answer


def fuzz(requests: int, seed: int) -> Found:
    """Run the drill of attacks with so many requests; UsageError where its script is not here."""
    if not SCRIPT.exists():
        raise UsageError(f"{SCRIPT} is not here; run this in the repository's folder")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "seen.json"
        command = [sys.executable, str(SCRIPT), "--requests", str(requests), "--seed", str(seed)]
        subprocess.run([*command, "--json", str(out)], stdout=subprocess.DEVNULL, check=False)
        seen = json.loads(out.read_text())["seen"]
    found = Found(NAME, seed, inputs=seen["requests"], seconds=time.monotonic() - begun)
    answers = {int(status): count for status, count in seen["answers by status"].items()}
    found.kinds["accepted"] = sum(n for status, n in answers.items() if 0 < status < REFUSED)
    wrong = sum(seen[name] for name in WRONG)
    found.kinds["answer"] = wrong
    found.kinds["refused"] = found.inputs - found.kinds["accepted"] - wrong
    found.slowest = seen["seconds until answered: longest"]
    found.megabytes = seen["megabytes grown"]
    found.finds = [
        {"number": -1, "kind": kind, "told": told} for kind, told in seen["examples"].items()
    ]
    return found
