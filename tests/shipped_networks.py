"""Networks that ship, and tests that wait for one that does not yet."""

import pytest

from evenmatch.errors import NetworkError
from evenmatch.network.artifact import shipped_path


def skip_without(game_id):
    """Skip a test where a game's network is named but not there."""
    try:
        shipped_path(game_id)
    except NetworkError as error:
        pytest.skip(str(error))
