"""Rules of units, read from the texts of their abilities: effects, what they depend on, and switches."""
