"""OPTIMAL: closed-form optima of small control problems, with their printed data and with others."""
