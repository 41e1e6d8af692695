"""Army lists as text: what the GW app and New Recruit export to be pasted, read into names and counts."""
