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
SERVERS = (
    ("gokgs", "KGS"),
    ("kgs", "KGS"),
    ("online-go", "OGS"),
    ("ogs", "OGS"),
    ("fox", "Fox"),
)
FORM = "evenmatch.records.go.form"

GO9, GO13, GO = (
    Domain(
        game=game,
        look=LOOK,
        branching=branching,
        simulations=200,
        network="go.onnx",
        architecture="katago",
        ranks={"lowest": 1000, "width": 200, "count": 16},  # 21k-20k to 8d-9d, professionals
        knots=tuple(range(100, 4101, 400)),
        servers=SERVERS,
        form=FORM,
        gtp_form="go",
        written="kyu",
        notation="sgf",
        fair_handicap=5 if game == "go9" else 9,
        endings=(".sgf", ".sgfs") if game == "go" else (),  # 19x19, unless another is asked for
    )
    for game, branching in (("go9", 50), ("go13", 120), ("go", 250))
)
