"""Training learns, averages and resumes."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from tiny_networks import make_net

from evenmatch.errors import NetworkError, StateError

torch = pytest.importorskip("torch", reason="torch absent: pip install evenmatch[train]")
from evenmatch.workshop.networks.fit import NOBODY, Fitter, Ranked, kept_loss, losses_of  # noqa: E402
from evenmatch.workshop.networks.ranking_loss import ranking_loss  # noqa: E402
from evenmatch.workshop.networks.resnet import NetworkOutput, ResNet  # noqa: E402


@pytest.fixture
def batch():
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2, (32, 2, 4, 5)).astype(np.float32)
    return planes, np.eye(7, dtype=np.float32)[rng.integers(0, 7, 32)], rng.choice([-1.0, 1.0], 32)


def make(seed=0, **changes):
    settings = {"learning_rate": 0.02, "device": "cpu", **changes}
    return Fitter(make_net(strength=False, seed=seed), **settings)


@pytest.mark.parametrize(
    "settings", [{}, {"optimizer": "adamw", "learning_rate": 3e-3}], ids=["sgd", "adamw"]
)
def test_overfits_one_batch(batch, settings):
    fitter = make(**settings)
    first = fitter.step(*batch)
    for _ in range(80):
        last = fitter.step(*batch)
    assert first.policy > 1.5
    assert last.policy < 0.2
    assert last.value < 0.2


def test_losses_are_equation_10(batch):
    fitter = make()
    fitter._half = False
    module = copy.deepcopy(fitter.module).train()
    with torch.no_grad():
        output = module(torch.from_numpy(batch[0]))
    log_p = torch.log_softmax(output.logits, 1).numpy()
    losses = fitter.step(*batch)
    assert losses.policy == pytest.approx(-(batch[1] * log_p).sum(1).mean(), rel=1e-4)
    assert losses.value == pytest.approx(((batch[2] - output.value.numpy()) ** 2).mean(), rel=1e-4)


def test_average_follows_slowly(batch):
    fitter = make(ema=0.5)
    old = fitter.averaged().state_dict()
    fitter.step(*batch)
    new, mean = fitter.module.state_dict(), fitter.averaged().state_dict()
    for name in ("stem.0.weight", "stem.1.running_var", "value_out.bias"):
        torch.testing.assert_close(mean[name], (old[name] + new[name]) / 2)
    assert not fitter.averaged().training


def test_without_average_the_weights_are_exported(batch):
    fitter = make()
    fitter.step(*batch)
    copied = fitter.averaged()
    assert torch.equal(copied.policy_out.weight, fitter.module.policy_out.weight)
    assert copied is not fitter.module


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_resumes_bit_equal(batch, tmp_path, optimizer):
    first = make(optimizer=optimizer, ema=0.9)
    first.step(*batch)
    torch.save(first.state_dict(), tmp_path / "run.pt")
    second = make(seed=7, optimizer=optimizer, ema=0.9)
    second.load_state_dict(torch.load(tmp_path / "run.pt", weights_only=True))
    for fitter in (first, second):
        fitter.step(*batch)
    for pair in ((first.module, second.module), (first.averaged(), second.averaged())):
        states = [module.state_dict() for module in pair]
        assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_learning_rate_can_change(batch):
    fitter = make(momentum=0.0, weight_decay=0.0)
    fitter.set_learning_rate(0.0)
    before = fitter.module.stem[0].weight.clone()
    fitter.step(*batch)
    assert torch.equal(before, fitter.module.stem[0].weight)


def test_errors(batch):
    with pytest.raises(NetworkError, match="adamw"):
        make(optimizer="adam")
    with pytest.raises(NetworkError, match="ema"):
        make(ema=1.5)
    with pytest.raises(StateError, match="ema"):
        make(ema=0.9).load_state_dict(make().state_dict())
    other = make().state_dict()
    del other["module"]["stem.0.weight"]
    with pytest.raises(StateError, match="another network"):
        make().load_state_dict(other)
    planes = np.full_like(batch[0], np.inf)
    with pytest.raises(NetworkError, match="diverged"):
        make().step(planes, *batch[1:])


def test_actions_are_targets_as_good_as_rows_of_chances():
    net, rng = make_net(strength=False), np.random.default_rng(0)
    planes = torch.tensor(rng.normal(size=(12, 2, 4, 5)), dtype=torch.float32)
    played = torch.tensor(rng.integers(0, 7, 12))
    values = torch.tensor(rng.uniform(-1, 1, 12), dtype=torch.float32)
    output = net(planes)
    rows = torch.nn.functional.one_hot(played, 7).float()
    one, two = (losses_of(output, target, values) for target in (played, rows))
    assert [x.item() for x in one] == pytest.approx([x.item() for x in two], rel=1e-6)


@pytest.mark.parametrize("rows", [False, True])
def test_only_legal_moves_share_the_policy(rows):
    """By hand: three moves with logits 0, 1 and 9, the last illegal; the first was played."""
    logits = torch.tensor([[0.0, 1.0, 9.0]], requires_grad=True)
    output = NetworkOutput(logits, torch.zeros(1), torch.zeros(1), None)
    target = torch.tensor([[1.0, 0, 0]]) if rows else torch.tensor([0])
    legal = torch.tensor([[True, True, False]])
    policy = losses_of(output, target, torch.zeros(1), None, legal)[0]
    assert policy.item() == pytest.approx(np.log(1 + np.e))
    policy.backward()
    assert logits.grad[0, 2] == 0
    assert logits.grad[0, 1] == pytest.approx(np.e / (1 + np.e))


def test_random_moves_count_for_their_rank_alone():
    """Of 3 + 2 samples of 3 ranks x 2 positions the third rank's policy and value are left out."""
    net, rng = make_net(), np.random.default_rng(0)
    output = net(torch.tensor(rng.normal(size=(15, 2, 4, 5)), dtype=torch.float32))
    played = torch.tensor(rng.integers(0, 7, 15))
    values = torch.zeros(15)
    human = [0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12]
    some = type(output)(output.logits[human], output.value[human], output.value_score[human], None)
    wanted = losses_of(some, played[human], values[human])
    got = losses_of(output, played, values, Ranked(3, 2, random=True, first=3))
    assert [x.item() for x in got[:2]] == pytest.approx([x.item() for x in wanted[:2]], rel=1e-6)
    assert got[2].item() == pytest.approx(ranking_loss(output.beta[3:].view(2, 3, 2)).item() / 2)


def test_rows_before_the_ranked_ones_are_not_ranked():
    """Five rows more in front: the ranking loss is that of the rest, policy is of all."""
    net, rng = make_net(), np.random.default_rng(0)
    output = net(torch.tensor(rng.normal(size=(17, 2, 4, 5)), dtype=torch.float32))
    played, values = torch.tensor(rng.integers(0, 7, 17)), torch.zeros(17)
    got = losses_of(output, played, values, Ranked(3, 2, first=5))
    assert got[2].item() == pytest.approx(ranking_loss(output.beta[5:].view(2, 3, 2)).item() / 2)
    plain = losses_of(output, played, values)
    assert [x.item() for x in got[:2]] == pytest.approx([x.item() for x in plain[:2]])


def test_the_logistic_loss_of_a_value():
    """By hand: of v = tanh(x) and z, -(1+z)/2 log((1+v)/2) - (1-z)/2 log((1-v)/2)."""
    scores = torch.tensor([-0.7, 0.0, 1.3])
    values = torch.tensor([-1.0, 0.2, 0.5])
    output = NetworkOutput(torch.zeros(3, 2), scores.tanh(), scores, None)
    found = losses_of(output, torch.zeros(3).long(), values, value_loss="logistic")[1]
    v, z = scores.tanh().numpy(), values.numpy()
    wanted = -(1 + z) / 2 * np.log((1 + v) / 2) - (1 - z) / 2 * np.log((1 - v) / 2)
    assert found.item() == pytest.approx(wanted.mean(), rel=1e-5)


def test_a_value_that_is_sure_of_what_is_wrong_is_put_right_by_the_logistic_loss():
    """At a score of 10 the squared loss has no gradient to speak of."""
    gradients = []
    for kind in ("squared", "logistic"):
        score = torch.tensor([10.0], requires_grad=True)
        output = NetworkOutput(torch.zeros(1, 2), score.tanh(), score, None)
        losses_of(output, torch.tensor([0]), torch.tensor([-1.0]), value_loss=kind)[1].backward()
        gradients.append(score.grad.item())
    assert gradients[0] < 1e-6
    assert gradients[1] == pytest.approx(2, rel=1e-3)


def test_ranks_are_learned():
    """Planes that give the rank away: 60 steps take the ranking loss below half of chance."""
    torch.manual_seed(0)
    fitter = Fitter(make_net().train(), device="cpu", learning_rate=0.01)
    rng = np.random.default_rng(0)
    for _ in range(60):
        planes = rng.normal(size=(4, 3, 5, 2, 4, 5))
        planes[:, :, :, 0] += np.arange(3)[::-1, None, None, None]
        losses = fitter.step(
            planes.reshape(-1, 2, 4, 5).astype(np.float32),
            rng.integers(0, 7, 60),
            np.zeros(60, np.float32),
            Ranked(3, 5),
        )
    assert losses.ranking < 0.5 * np.log(6) / 2


def test_a_classifier_learns_no_ranking():
    """Of the strength head's last layer the scores' rows get no gradient, those of classes do."""
    torch.manual_seed(0)
    net = ResNet(replace(make_net().config, strength=2 + 3))
    fitter = Fitter(net, device="cpu", learning_rate=0.1, weight_decay=0.0, ranking_weight=0.0)
    before = net.strength_out.weight.detach().clone()
    rng = np.random.default_rng(0)
    planes = rng.normal(size=(12, 2, 4, 5)).astype(np.float32)
    fitter.step(planes, rng.integers(0, 7, 12), np.zeros(12, np.float32), Ranked(3, 2))
    changed = (net.strength_out.weight != before).any(1)
    assert changed.tolist() == [False, False, True, True, True]


def test_own_parts_learn_at_a_rate_of_their_own():
    """Adam's first step is the step size: of the strength head five times that of the others."""
    torch.manual_seed(0)
    net = make_net(strength=2 + 3).train()
    fitter = Fitter(
        net, device="cpu", learning_rate=1.0, weight_decay=0.0, optimizer="adamw", own_rate=5.0
    )
    fitter.set_learning_rate(0.01)
    before = {name: p.detach().clone() for name, p in net.named_parameters()}
    rng = np.random.default_rng(0)
    planes = rng.normal(size=(12, 2, 4, 5)).astype(np.float32)
    fitter.step(planes, rng.integers(0, 7, 12), np.zeros(12, np.float32), Ranked(3, 2))
    moved = {name: (p - before[name]).abs().max().item() for name, p in net.named_parameters()}
    assert moved["strength_out.weight"] == pytest.approx(0.05, rel=1e-2)
    assert moved["value_out.weight"] == pytest.approx(0.01, rel=1e-2)
    assert fitter.step(planes, rng.integers(0, 7, 12), np.zeros(12, np.float32)).ranking == 0


def test_what_is_no_target_teaches_nothing():
    """Rows of NOBODY's action and of an unknown value: losses are those of the other rows."""
    net, rng = make_net(), np.random.default_rng(0)
    output = net(torch.tensor(rng.normal(size=(6, 2, 4, 5)), dtype=torch.float32))
    played = torch.tensor([NOBODY, 3, 4, NOBODY, 5, 6])
    values = torch.tensor([1.0, -1, np.nan, 0, np.nan, 1])
    for kind in ("squared", "logistic"):
        got = losses_of(output, played, values, value_loss=kind)[:2]
        rows = [1, 2, 4, 5], [0, 1, 3, 5]
        said = output.logits, output.value, output.value_score
        parts = [NetworkOutput(*(x[r] for x in said), None) for r in rows]
        policy = losses_of(parts[0], played[rows[0]], torch.zeros(4), value_loss=kind)[0]
        value = losses_of(parts[1], torch.zeros(4).long(), values[rows[1]], value_loss=kind)[1]
        assert [x.item() for x in got] == pytest.approx([policy.item(), value.item()], rel=1e-6)
    nothing = losses_of(output, torch.full((6,), NOBODY), torch.full((6,), np.nan))
    assert [x.item() for x in nothing[:2]] == [0, 0]


def test_what_is_kept_by_hand():
    """Chances (1, 0, 0) beside thirds, 5 points of lead, and ownership that is half away."""

    def said(wdl, lead, owner):
        wdl, lead, owner = (torch.tensor([x]) for x in (wdl, lead, owner))
        nothing = torch.zeros(1)
        return NetworkOutput(torch.zeros(1, 2), nothing, nothing, None, None, wdl, lead, owner)

    one, two = said([1 / 3] * 3, 0.0, [0.5, 0.5]), said([1.0, 0, 0], 5.0, [1.0, 1.0])
    assert kept_loss(one, one).item() == 0
    wanted = np.log(3) + 0.5**2 / 2 + 0.5**2
    assert kept_loss(one, two).item() == pytest.approx(wanted, rel=1e-4)
    rows = ("wdl", "lead", "ownership")
    three = one._replace(**{x: torch.cat([getattr(y, x) for y in (one, two, one)]) for x in rows})
    ends = one._replace(**{x: getattr(three, x)[::2] for x in rows})
    assert kept_loss(three, ends, every=2).item() == 0
