"""How results stand to the code and the networks that there are now."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import evenmatch
from evenmatch.network.artifact import digest_of, graph_digest
from evenmatch_lab.experiment import Experiment
from evenmatch_lab.provenance import DIGITS, changed_modules
from evenmatch_lab.result_files import ResultFile

NETWORKS = ("network", "networks", "policies", "people")  #: settings that may hold digests


@dataclass(frozen=True)
class Standing:
    """What made the results of an experiment, and what has changed since."""

    done: int  #: parts
    due: int
    aside: int  #: parts of other settings
    dates: list[str]  #: ISO days, in order
    machines: list[str]
    codes: list[str]  #: versions
    networks: dict[str, bool]  #: short digests, and whether such a network ships
    replaced: list[str]  #: networks that shipped then
    changed: list[str]  #: modules
    not_kept: int  #: parts whose code is not known

    @property
    def verdict(self) -> str:
        """The worst that is to be said, in a few words."""
        if not self.done:
            return "settings changed" if self.aside else "not run"
        if self.done < self.due:
            return "unfinished"
        if self.replaced:
            return "other network"
        if self.not_kept:
            return "code not kept"
        return "code changed" if self.changed else "up to date"

    @property
    def since(self) -> str:
        """What has changed, in a sentence; empty if nothing has."""
        told = [f"network {listed([name])}, which ships no more" for name in self.replaced]
        told += [_modules(self.changed)] if self.changed else []
        if self.not_kept:
            told.append(f"perhaps more: the code of {self.not_kept} parts was not kept")
        return f"Changed since then: {'; '.join(told)}." if told else ""


def standing(experiment: Experiment, kept: ResultFile) -> Standing:
    """Compare an experiment's results with what there is now."""
    rows, now = kept.parts.values(), experiment.code()
    codes = sorted({row["code"] for row in rows if "code" in row})
    changed = {
        module
        for code in codes
        if code in kept.versions
        for module in changed_modules(kept.versions[code], now)
    }
    networks = sorted({name[:DIGITS] for row in rows for name in networks_in(row["settings"])})
    known = {name: name in shipped() for name in networks}
    return Standing(
        done=len(kept.parts),
        due=len(kept.parts) + len(kept.left),
        aside=len(kept.aside),
        dates=sorted({row["date"] for row in rows if "date" in row}),
        machines=sorted({row["machine"] for row in rows if "machine" in row}),
        codes=codes,
        networks=known,
        # with --net, others than those that ship are meant to be there
        replaced=[] if "--net" in kept.command else [x for x in networks if not known[x]],
        changed=sorted(changed),
        not_kept=sum(row.get("code") not in kept.versions for row in rows),
    )


def networks_in(settings: dict[str, Any]) -> Iterator[str]:
    """Yield the digests of networks that settings name, or settings within them."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from networks_in(value)
        elif key in NETWORKS and isinstance(value, str | list):
            yield from [value] if isinstance(value, str) else value


@cache
def shipped() -> frozenset[str]:
    """Return short digests of the networks, estimators and targets that ship.

    Networks have two, of the file and of the graph alone, by which estimators name those of others.
    Some lie beside the module of the experiment that they are for.
    """
    files = [
        *(Path(evenmatch.__file__).parent / "nets").glob("*.[on][np]*"),
        *Path(__file__).parent.rglob("*.onnx"),
    ]
    graphs = [graph_digest(path) for path in files if path.suffix == ".onnx"]
    return frozenset(name[:DIGITS] for name in [*map(digest_of, files), *graphs])


def listed(names: list[str], most: int = 6) -> str:
    """Write names as code, up to ``most`` of them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more


def _modules(names: list[str], most: int = 6) -> str:
    """Write the names of modules as code, or what they are parts of if they are many."""
    inner = [name.partition(".")[2] or name for name in names]
    if len(inner) <= most:
        return listed(inner)
    parts = sorted({name.partition(".")[0] for name in inner})
    return f"{len(names)} modules of {listed(parts, len(parts))}"
