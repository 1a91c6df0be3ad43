"""Go: rules on packed positions, playouts, and what networks are shown."""

from evenmatch.games.go.go import Go

__all__ = ["Go"]
