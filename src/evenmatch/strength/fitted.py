"""Constants fitted to the networks shipped here; `evenmatch experiment grid_search` finds them.

The published constants were fitted to the authors' weaker networks and do not even out with
ours. docs/results/grid_search.md has the search behind every line.
"""

from evenmatch.strength.alphadda import PAPER

FITTED: dict[str, dict] = PAPER

#: Sets of constants by the name they have in specs.
CONSTANTS = {"fitted": FITTED, "paper": PAPER}
