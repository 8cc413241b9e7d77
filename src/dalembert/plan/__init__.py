"""References to follow."""
