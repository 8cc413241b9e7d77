"""Rotations, quaternions, twists and wrenches, inertia: the algebra, on numbers and CasADi symbols alike."""
