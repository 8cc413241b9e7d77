"""Algorithms of the engine once more: short, slow and readable, for tests to compare with."""
