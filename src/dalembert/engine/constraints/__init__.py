"""Constrained equations of motion inside the time loops."""
