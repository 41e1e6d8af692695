"""The attack sequence of any game: volleys, the walk over a unit, the result and its explanation."""
