"""Formulations in the coordinates of the tree of joints."""
