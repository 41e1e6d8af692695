"""The questions that a player asks about attacks, and their answers."""
