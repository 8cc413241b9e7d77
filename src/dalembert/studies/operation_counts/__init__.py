"""IMPACT: operations of the equations of flexible chains, and time to derive them, by rotations and by transforms."""
