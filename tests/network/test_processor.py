"""What a processor is called, and whether bfloat16 pays on it."""

import os
import re

import pytest

from evenmatch.network import processor

INFO = """processor\t: 0
vendor_id\t: {maker}
model name\t: Some Processor
flags\t\t: fpu{flags}

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


def test_vectors_of_bfloat16_do_not_pay_on_a_xeon(told):
    told(INFO.format(maker="GenuineIntel", flags=" avx512_bf16"))
    assert not processor.bf16_pays()
    assert re.fullmatch(r"(1 core|\d+ cores), Some Processor", processor.machine())


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no affinity here")
@pytest.mark.parametrize(("cores", "text"), [(1, "1 core, "), (2, "2 cores, ")])
def test_cores(monkeypatch, cores, text):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)))
    assert processor.machine().startswith(text)


def test_vectors_of_bfloat16_pay_on_an_epyc(told):
    told(INFO.format(maker="AuthenticAMD", flags=" avx512_bf16"))
    assert processor.bf16_pays()
    assert processor.machine().endswith("Some Processor with bf16")


def test_an_old_epyc_has_none(told):
    told(INFO.format(maker="AuthenticAMD", flags=" avx2"))
    assert not processor.bf16_pays()
    assert processor.machine().endswith("Some Processor")


def test_matrix_units(told):
    told(INFO.format(maker="GenuineIntel", flags=" avx512_bf16 amx_bf16 amx_tile"))
    assert processor.bf16_pays()
    assert processor.machine().endswith("Some Processor with AMX")


def test_where_linux_says_nothing(told):
    told(None)
    assert not processor.bf16_pays()
    assert re.match(r"(1 core|\d+ cores), ", processor.machine())
