"""Free rigid bodies that collide: shapes, broad and narrow phase, and their terms of a step, in C."""
