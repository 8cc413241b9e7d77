"""SPACE: mass matrix of the chaser, free tumbling, captures of chapter 7, Fig. 8.3, loops of 9.1, missions, tides."""
