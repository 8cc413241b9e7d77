"""Gibbs-Appell's equations of trees by recursions with 3x3 rotations and 3-vectors only (IMPACT, section 3)."""
