"""SPACE 8.2, 8.3: structured synthesis and structured singular values, with the benchmarks of their literature."""
