"""Datasheets that their publishers offer, in the user's cache folder: fetched on demand, none in the package."""
