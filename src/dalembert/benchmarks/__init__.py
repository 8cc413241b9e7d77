"""Speed of dynamics, side by side with the peers that are installed."""

from dalembert.benchmarks.arms import run_bench
from dalembert.benchmarks.bench import main

__all__ = ["main", "run_bench"]
