"""The peers of the benchmark: what each computes, and its models."""
