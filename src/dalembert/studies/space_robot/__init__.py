"""SPACE: mass matrix of the chaser, free tumbling, optimal captures of chapter 7, manipulability of Fig. 8.3."""
