"""Made-up roots of a search: six moves, all visited, in positions that are even."""

import numpy as np

from evenmatch.opponents.controller import Root


def even_roots(count: int, rng: np.random.Generator) -> list[Root]:
    """Draw roots whose moves have random worth and priors."""
    return [
        Root(
            visits=np.full(6, 9),
            means=rng.uniform(-0.6, 0.6, 6),
            priors=rng.dirichlet(np.ones(6)).astype(np.float32),
            legal=np.ones(6, bool),
            value=0.0,
            best=0,
        )
        for _ in range(count)
    ]
