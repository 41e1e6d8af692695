"""From profiles and rules to the volleys that the engine resolves."""
