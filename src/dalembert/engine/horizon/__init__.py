"""Optimal control over a horizon, in C: quadratic programmes, predictive control, estimation."""
