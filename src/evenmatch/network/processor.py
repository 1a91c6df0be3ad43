"""The CPU: its name, the precision that pays on it, and OpenVINO, which runs networks there.

``import openvino`` imports ``openvino_telemetry``, where that is installed. That writes a client id
under the user's home and sends an event over the network. OpenVINO carries a stand-in of its own
that does neither and takes it where the package cannot be imported; so for the time of our import
it cannot. The user's own choice, in files that OpenVINO keeps, is not touched.
"""

import os
import platform
import sys
import threading
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args

from evenmatch.errors import UsageError, printable

CPUINFO = Path("/proc/cpuinfo")


def machine() -> str:
    """Say on what kind of machine this runs, for the record of a measurement."""
    name = _field("model name") or platform.processor() or platform.machine()
    cores = core_count()
    count = f"{cores} core" + ("" if cores == 1 else "s")
    units = " with AMX" if _has("amx_bf16") else " with bf16" if bf16_pays() else ""
    return f"{count}, {name}{units}"


def core_count() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def bf16_pays() -> bool:
    """Return whether bfloat16 is faster than float32 here, as far as Linux reports.

    It is with matrix units (AMX). With vectors of bfloat16 alone (AVX-512) it depends on the maker:
    an EPYC (Zen 4) evaluates 1.9 times as many positions by the chess network, in batches of 64 on
    one core, and trains it 1.7 times as fast on two; a Xeon is 1.7 and 1.4 times as slow.
    """
    return _has("amx_bf16") or (_field("vendor_id") == "AuthenticAMD" and _has("avx512_bf16"))


def eight_bits_pay() -> bool:
    """Return whether integers of eight bits are faster than what `bf16_pays` leads to.

    Processors with instructions for their products are taken for it: VNNI, with vectors of any
    size, or matrix units (AMX).
    """
    return any(_has(flag) for flag in ("avx512_vnni", "avx_vnni", "amx_int8"))


def _has(flag: str) -> bool:
    return flag in _field("flags").split()


@lru_cache
def _field(name: str) -> str:
    """Return what Linux says of its first processor under a name; empty where it says nothing."""
    lines = CPUINFO.read_text().splitlines() if CPUINFO.exists() else []
    pairs = (line.partition(":") for line in lines)
    return next((text.strip() for key, _, text in pairs if key.strip() == name), "")


Precision = Literal["auto", "fast", "int8", "bf16", "f32"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
VARIABLE = "EVENMATCH_PRECISION"  #: the environment variable


def precision() -> Precision:
    """Return the precision of players' networks: EVENMATCH_PRECISION, otherwise ``fast``.

    UsageError for one that there is not.
    """
    requested = os.environ.get(VARIABLE) or "fast"
    for one in PRECISIONS:
        if requested == one:
            return one
    known = ", ".join(PRECISIONS)
    raise UsageError(f"{VARIABLE}={printable(requested)} is not known; set it to one of {known}")


SENDER = "openvino_telemetry"  #: the package that sends
_lock = threading.Lock()


def import_openvino() -> ModuleType:
    """Return the module openvino; if this process has not imported it yet, it sends nothing."""
    with _lock:
        if "openvino" in sys.modules:
            return sys.modules["openvino"]
        hidden = _hide()
        try:
            import openvino
        finally:
            _show(hidden)
        return openvino


def _hide() -> dict[str, Any]:
    """Make the sender impossible to import; return what was imported of it before."""
    names = [name for name in sys.modules if name.partition(".")[0] == SENDER]
    hidden = {name: sys.modules.pop(name) for name in names}
    sys.modules[SENDER] = None  # type: ignore[assignment]  # import raises ImportError
    return hidden


def _show(hidden: dict[str, Any]) -> None:
    """Let the program import the sender as before."""
    sys.modules.pop(SENDER, None)
    sys.modules.update(hidden)
