"""The time loop, its events, and the tableaus of its methods."""
