"""Go in all the rooms, on three sizes of board."""

from evenmatch.domains.domain import Domain, Look, RatingSource

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

# Numbers of ranks as records have them: 30k is 100, 1k 3000, 1d 3100, 9d 3900, 1p 4000, 9p 4080.
# A band begins half a rank below its first.
OGS_BANDS = (50, 1550, 2150, 2650, 3050, 3550)  #: 30k-16k, 15k-10k, 9k-5k, 4k-1k, 1d-5d
DANS = tuple(range(3050, 3951, 100))  #: each dan
SOURCES = (
    RatingSource(
        name="ogs",
        servers=("OGS",),
        written="kyu",
        ships=True,
        ranks=(850, 400, 7),
        bands=OGS_BANDS,
    ),
    RatingSource(
        name="kgs",
        servers=("KGS",),
        written="kyu",
        ships=True,
        on_request=True,
        ranks=(3050, 100, 9),
        bands=DANS,
    ),
    RatingSource(
        name="fox",
        servers=("Fox",),
        written="kyu",
        ranks=(3850, 100, 3),
        bands=(3850, 3950, 4100),  # 9d, professionals
    ),
)
BANDS = (*OGS_BANDS, 3950, 4100)  #: of another server: 6d-9d and professionals, too

GO9, GO13, GO = (
    Domain(
        game=game,
        look=LOOK,
        branching=branching,
        phases=phases,
        simulations=200,
        rated_simulations=32,
        network="go.onnx",
        people="go-people.onnx",
        rated="pikl",
        architecture="katago",
        ranks={"lowest": 1000, "width": 200, "count": 16},  # 21k-20k to 8d-9d, professionals
        knots=tuple(range(100, 4101, 400)),
        servers=SERVERS,
        form=FORM,
        gtp_form="go",
        written="kyu",
        sources=SOURCES if game == "go" else (),
        bands=BANDS,
        judged_whole=5,
        notation="sgf",
        fair_handicap=5 if game == "go9" else 9,
        endings=(".sgf", ".sgfs") if game == "go" else (),  # 19x19, unless another is asked for
    )
    for game, branching, phases in (
        ("go9", 50, (8, 20)),
        ("go13", 120, (15, 45)),
        ("go", 250, (25, 75)),
    )
)
