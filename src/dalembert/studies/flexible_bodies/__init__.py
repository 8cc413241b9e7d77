"""FLEXIBLE BODIES: an L-frame of finite elements, its modes and its drop by explicit and implicit steps."""
