"""Chess in all the rooms."""

from evenmatch.domains.domain import Domain, Look, RatingSource

CHESS = Domain(
    game="chess",
    look=Look(
        fields=("#8b9fae", "#5c7284"),
        discs=("#ffffff", "#0b0d0e"),
        dot=None,
        mark="#b0983a",
        letters=("PNBRQK", "pnbrqk"),
        figures="♟♞♝♜♛♚",
        upward=True,
        turned=True,
        counts=False,
        paired=True,
    ),
    opponent="pikl",
    rated="pikl",
    branching=35,
    simulations=400,
    network="chess.onnx",
    move_policy=True,
    heard=("maia-1100", "maia-1500", "maia-1900"),
    evaluator="stockfish",
    evaluator_nodes=1_500,
    sources=(
        RatingSource(
            name="lichess-rapid",
            speed="rapid",
            servers=("Lichess", "evenmatch"),
            ships=True,
            listening=True,
            phases=True,
        ),
        RatingSource(name="fide", ships=True, on_request=True),
        RatingSource(
            name="chess.com",
            servers=("Chess.com",),
            ships=True,
            on_request=True,
            ranks=(200, 200, 7),
            shifts={"blitz": 160},
            asked_as="lichess-rapid",
        ),
    ),
    phases=(10, 25),
    notation="pgn",
    servers=(("lichess.org", "Lichess"), ("lichess", "Lichess"), ("chess.com", "Chess.com")),
    endings=(".pgn",),
    protocol="uci",
    form="evenmatch.records.chess.form",
)
