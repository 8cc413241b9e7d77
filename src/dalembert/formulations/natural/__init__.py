"""The formulation in natural coordinates."""
