"""What the outputs of the strength head are; needs no torch.

Strength scores beta come first, from a ranking that has random moves as the weakest rank (SE_inf)
and from one that has not (SE); then for every rating scale the logits of its ranks.
"""

BETA, BETA_PLAIN, LOGITS = range(3)
"""Columns: SE_inf, SE, and where the ranks' logits begin."""


def strength_outputs(scales: int, ranks: int) -> int:
    """Return how many outputs the head has for so many rating scales and ranks."""
    return LOGITS + scales * ranks


def rank_logits(scale: int, ranks: int) -> slice:
    """Return the columns of the ranks' logits of scale number ``scale``, the strongest first."""
    return slice(LOGITS + scale * ranks, LOGITS + (scale + 1) * ranks)
