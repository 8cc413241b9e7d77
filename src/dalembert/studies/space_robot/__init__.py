"""SPACE: mass matrix of the chaser, free tumbling, captures of chapter 7, Fig. 8.3, torque of the base, the tide."""
