"""Contacts of a machine, for every formulation: gaps, normals, rows."""
