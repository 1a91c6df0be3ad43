"""The processor this runs on: its name, and which kinds of number pay on it."""

import os
import platform
from functools import lru_cache
from pathlib import Path

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
    """Return whether bfloat16 is faster than float32 here, as far as Linux tells.

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
