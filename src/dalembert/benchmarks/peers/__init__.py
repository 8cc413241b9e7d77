"""The peers of the benchmark: their computations, and their models."""
