"""Datasheets that their publishers offer, in the user's cache folder: fetched when asked for, none in the package."""
