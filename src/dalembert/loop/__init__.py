"""Equations, law, switches and cables, composed into the problem that is integrated."""
