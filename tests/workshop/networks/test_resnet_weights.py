"""Leela's weights as torch modules, against the oracle that evaluates the file itself."""

import gzip

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")
pytest.importorskip("google.protobuf", reason="protobuf absent: pip install evenmatch[test]")
import oracle_lc0 as oracle  # noqa: E402

from evenmatch.errors import NetworkError  # noqa: E402
from evenmatch.workshop.networks.resnet_weights import leela_module  # noqa: E402


def written(net, path):
    path.write_bytes(gzip.compress(net.SerializeToString(), mtime=0))
    return path


@pytest.mark.parametrize("squeezed", [0, 3])
@pytest.mark.parametrize("wdl", [False, True])
def test_the_module_equals_the_oracle(tmp_path, wdl, squeezed):
    """The policy is the same; of a win, draw and loss the value is (w - l) / (w + l)."""
    net = oracle.random_net(1, convolutional=True, wdl=wdl, squeezed=squeezed)
    planes = (np.random.default_rng(5).random((5, 112, 8, 8)) < 0.2).astype(np.float32)
    logits, values, chances = oracle.forward(net, planes)
    module = leela_module(written(net, tmp_path / "n.pb.gz"))
    with torch.no_grad():
        found = module(torch.from_numpy(planes))
    np.testing.assert_allclose(found.logits, logits, atol=1e-3)
    if wdl:
        values = (chances[:, 0] - chances[:, 2]) / (chances[:, 0] + chances[:, 2])
    np.testing.assert_allclose(found.value, values, atol=1e-3)
    assert module.config.squeezed == squeezed


def test_dense_policies_are_refused(tmp_path):
    net = oracle.random_net(1, convolutional=False, wdl=False, squeezed=0)
    with pytest.raises(NetworkError, match="has a dense policy, which is not trained on"):
        leela_module(written(net, tmp_path / "n.pb.gz"))
