"""Commented machine files to begin with."""
