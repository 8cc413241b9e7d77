"""The integration problem, as functions and sizes: states, constrained equations, contacts, unilateral pairs."""
