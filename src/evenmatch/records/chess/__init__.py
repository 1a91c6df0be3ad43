"""Chess records: PGN and its tags, move text, evaluations; replay in one kernel; puzzles."""
