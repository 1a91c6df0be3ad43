"""AlphaDDA (Fujita 2022): its opponents, tables and grid search."""
