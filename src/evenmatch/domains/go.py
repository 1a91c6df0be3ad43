"""Go in all the rooms, on three sizes of board."""

from evenmatch.domains.domain import Domain, Look

LOOK = Look(
    fields=("#c9a063", "#c9a063"),
    discs=("#101112", "#f6f3ea"),
    dot=None,
    mark="#d8452e",
    lines="#6f5327",
    letters=("X", "O"),
    columns="ABCDEFGHJKLMNOPQRST",
    upward=True,
    counts=False,
)

GO9, GO13, GO = (
    Domain(game=game, look=LOOK, branching=branching, simulations=200, network="go.onnx")
    for game, branching in (("go9", 50), ("go13", 120), ("go", 250))
)
