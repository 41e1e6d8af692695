"""The rules of an attack, each of them one entry beside the roll that it changes."""
