import shutil
from threading import Thread

import numpy as np
import pytest

from evenmatch.network.inference import NetworkEvaluator


@pytest.fixture
def compiled(monkeypatch):
    """Each compilation of a model from now on."""
    openvino = pytest.importorskip("openvino")
    calls, own = [], openvino.Core.compile_model

    def counted(*args):
        calls.append(args)
        return own(*args)

    monkeypatch.setattr(openvino.Core, "compile_model", counted)
    return calls


def test_a_file_is_compiled_once(path, game, states, compiled, tmp_path):
    own = shutil.copy(path, tmp_path / "own.onnx")
    first, second = (NetworkEvaluator(own, game, device="cpu") for _ in range(2))
    wanted = first.evaluate(states[:2]).logits.copy()
    np.testing.assert_array_equal(second.evaluate(states[:2]).logits, wanted)
    assert len(compiled) == 1
    assert first.lock is second.lock


def test_threads_and_precisions_are_compiled_apart(path, game, states, compiled, tmp_path):
    own = shutil.copy(path, tmp_path / "own.onnx")
    for kind in ({"precision": "f32"}, {"precision": "bf16"}, {"precision": "f32", "threads": 1}):
        NetworkEvaluator(own, game, device="cpu", **kind).evaluate(states[:2])
    assert len(compiled) == 3


def test_a_file_that_was_written_again_is_loaded_again(path, game, states, compiled, tmp_path):
    own = shutil.copy(path, tmp_path / "own.onnx")
    kept = NetworkEvaluator(own, game, device="cpu")
    kept.evaluate(states[:2])
    (tmp_path / "own.onnx").unlink()
    shutil.copyfile(path, own)
    NetworkEvaluator(own, game, device="cpu").evaluate(states[:2])
    assert len(compiled) == 2


def test_evaluators_of_one_file_do_not_mix_up_their_rows(path, game, states):
    """Threads with an evaluator each get what they get alone."""
    wanted = [NetworkEvaluator(path, game).evaluate_worth(states[n:]).values for n in range(4)]
    faults = []

    def ask(n):
        network = NetworkEvaluator(path, game)
        for _ in range(50):
            with network.lock:
                found = network.evaluate(states[n:]).values.copy()
            if not np.allclose(found, wanted[n], atol=1e-3):
                faults.append(n)

    threads = [Thread(target=ask, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
