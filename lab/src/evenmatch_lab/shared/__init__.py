"""What several experiments use: positions, agents, intervals by person, losses by an engine."""
