"""Fields: what can be said of a profile or a situation, each once for constructor, stat line, form and command."""
