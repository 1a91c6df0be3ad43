import pytest

from evenmatch.workshop.training.runs import cosine


def test_steps_become_smaller_along_half_a_cosine():
    assert cosine(0.2, 0.01, 0.0) == 0.2
    assert cosine(0.2, 0.01, 1.0) == pytest.approx(0.01)
    assert cosine(0.2, 0.01, 0.5) == pytest.approx((0.2 + 0.01) / 2)
    assert cosine(0.2, 0.01, 2.0) == pytest.approx(0.01)
