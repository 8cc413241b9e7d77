"""What is integrated, as functions and sizes: states, constrained equations, contacts, pairs that act one way only."""
