"""Muon on convolutions is torch's Muon on the same numbers as matrices."""

import pytest
from tiny_networks import make_net

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")

from evenmatch.workshop.networks.muon import ADAM_SHARE, MuonAdamW  # noqa: E402


def layers():
    torch.manual_seed(0)
    conv, dense = torch.nn.Conv2d(3, 4, 3), torch.nn.Linear(5, 6)
    return conv.to(memory_format=torch.channels_last), dense


def make(conv, dense, lr=0.1):
    return MuonAdamW(
        [conv.weight, dense.weight], [conv.bias, dense.bias], lr=lr, momentum=0.9, weight_decay=0.01
    )


def give_gradients(conv, dense, seed):
    torch.manual_seed(seed)
    for p in (*conv.parameters(), *dense.parameters()):
        p.grad = torch.randn_like(p)


def test_convolutions_step_as_matrices():
    conv, dense = layers()
    matrix = torch.nn.Parameter(conv.weight.detach().permute(0, 2, 3, 1).flatten(1).clone())
    alone = torch.optim.Muon([matrix], lr=0.1, momentum=0.9, weight_decay=0.01)
    ours = make(conv, dense)
    for seed in range(3):
        give_gradients(conv, dense, seed)
        matrix.grad = conv.weight.grad.permute(0, 2, 3, 1).flatten(1)
        ours.step()
        alone.step()
    assert torch.equal(conv.weight.permute(0, 2, 3, 1).flatten(1), matrix)
    assert not torch.equal(conv.weight, layers()[0].weight)


def test_biases_step_by_the_share():
    """The first step of Adam is its step size, whatever the gradient."""
    conv, dense = layers()
    before, ours = dense.bias.detach().clone(), make(conv, dense)
    ours.set_learning_rate(0.05)
    give_gradients(conv, dense, 0)
    ours.step()
    assert (dense.bias - before).abs().detach().numpy() == pytest.approx(ADAM_SHARE * 0.05, 1e-3)
    ours.zero_grad()
    assert conv.weight.grad is None


def test_a_saved_state_goes_on_alike():
    one, other = layers(), layers()
    first, second = make(*one), make(*other)
    for optimizer, pair in ((first, one), (second, other)):
        give_gradients(*pair, seed=1)
        optimizer.step()
    third = make(*other)
    third.load_state_dict(second.state_dict())
    for optimizer, pair in ((first, one), (third, other)):
        give_gradients(*pair, seed=2)
        optimizer.step()
    assert all(
        torch.equal(a, b) for x, y in zip(one, other, strict=True)
        for a, b in zip(x.parameters(), y.parameters(), strict=True)
    )  # fmt: skip


def test_weights_whose_channels_do_not_come_last_are_refused():
    """Their matrix would be a copy, whose steps nobody sees."""
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        MuonAdamW([torch.nn.Conv2d(3, 4, 3).weight], [], lr=0.1, momentum=0.9, weight_decay=0.0)


def test_the_weights_between_input_and_outputs_are_muons():
    shape = {"planes": 3, "height": 8, "width": 8, "actions": 1858, "conditions": 5}
    net = make_net(**shape, chess_policy=True, normed=False)
    names = {id(p): name for name, p in net.named_parameters()}
    branches = ["blocks.0", "blocks.1", "policy_block"]
    expected = {f"{branch}.{part}.0.weight" for branch in branches for part in ("first", "second")}
    assert {names[id(p)] for p in net.inner_weights()} == {
        "stem.0.weight", "policy_conv.0.weight", *expected
    }  # fmt: skip
