"""What tests of profiles share."""

import pytest

from evenmatch.profiles import Profile


@pytest.fixture
def profile(tmp_path):
    """A profile in a folder of its own."""
    return Profile(tmp_path / "state")
