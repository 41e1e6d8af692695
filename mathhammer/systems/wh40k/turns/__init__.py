"""A turn of two units against each other: shooting, the charge, the fight, and what is left of both."""
