"""Connect Four in all the rooms."""

from evenmatch.domains.domain import Domain, Look

CONNECT4 = Domain(
    game="connect4",
    look=Look(
        fields=("#2457b5", "#2457b5"),
        discs=("#e5484d", "#ffd43b"),
        hole="#122a5c",
        dot="#5c86d6",
        mark="#23304f",
        numbered=True,
        letters=("R", "Y"),
        counts=False,
    ),
    simulations=200,
    rated="style",
    phases=(5, 12),
    network="connect4.onnx",
    form="evenmatch.records.transcripts",
    gtp_form="connect4",
)
