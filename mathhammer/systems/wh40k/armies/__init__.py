"""Army lists: their units, leaders, wargear, and what they use when they attack."""
