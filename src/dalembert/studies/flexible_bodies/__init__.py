"""FLEXIBLE BODIES: an L-frame of finite elements, its modes and its drop, and exact rods at rest and about it."""
