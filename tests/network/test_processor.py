"""What a processor is called, and whether bfloat16 pays on it."""

import os
import re

import pytest

from evenmatch.network import processor

INFO = """processor\t: 0
model name\t: Some Processor
flags\t\t: fpu avx512_bf16{amx}

processor\t: 1
model name\t: Another
flags\t\t: fpu
"""


@pytest.fixture
def told(tmp_path, monkeypatch):
    def tell(text):
        path = tmp_path / "cpuinfo"
        if text is not None:
            path.write_text(text)
        monkeypatch.setattr(processor, "CPUINFO", path)
        processor._field.cache_clear()

    yield tell
    processor._field.cache_clear()


def test_vectors_of_bfloat16_are_no_matrix_units(told):
    told(INFO.format(amx=""))
    assert not processor.has_matrix_units()
    assert re.fullmatch(r"(1 core|\d+ cores), Some Processor", processor.machine())


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no affinity here")
@pytest.mark.parametrize(("cores", "text"), [(1, "1 core, "), (2, "2 cores, ")])
def test_cores(monkeypatch, cores, text):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)))
    assert processor.machine().startswith(text)


def test_matrix_units(told):
    told(INFO.format(amx=" amx_bf16 amx_tile"))
    assert processor.has_matrix_units()
    assert processor.machine().endswith("Some Processor with AMX")


def test_where_linux_says_nothing(told):
    told(None)
    assert not processor.has_matrix_units()
    assert re.match(r"(1 core|\d+ cores), ", processor.machine())
