"""Othello in all the rooms, on both sizes of board."""

from evenmatch.domains.domain import Domain

OTHELLO = Domain(
    game="othello",
    rated="style",
    phases=(10, 20),
    network="othello.onnx",
    simulations=400,
    form="evenmatch.records.transcripts",
    gtp_form="othello",
)
OTHELLO6 = Domain(
    game="othello6",
    rated="style",
    phases=(5, 11),
    network="othello6.onnx",
    simulations=200,
    form="evenmatch.records.transcripts",
    gtp_form="othello",
)
