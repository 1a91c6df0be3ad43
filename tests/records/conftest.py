from record_fixtures import pgn  # noqa: F401
