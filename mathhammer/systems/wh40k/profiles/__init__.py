"""Profiles of Warhammer 40,000 and their texts: weapons, their abilities, targets, units, and volleys of them."""
