"""Speed of forward dynamics, side by side with the peers that are installed."""

from dalembert.benchmarks.bench import main, run_bench

__all__ = ["main", "run_bench"]
