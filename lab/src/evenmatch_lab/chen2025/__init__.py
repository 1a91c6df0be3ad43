"""The strength estimator and SE-MCTS (Chen 2025): accuracy, strength and moves by rank."""
