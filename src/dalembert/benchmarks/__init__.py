"""Speed of dynamics, side by side with the peers that are installed; published robots to try it on."""

from dalembert.benchmarks.arms import run_bench
from dalembert.benchmarks.bench import TOPICS, main
from dalembert.benchmarks.browser import launch_browser
from dalembert.benchmarks.cases import QUANTITIES
from dalembert.benchmarks.machines import chain
from dalembert.benchmarks.robots import ROBOTS, robot_file, robot_machine
from dalembert.benchmarks.rollouts import ROLLOUTS, run_rollouts
from dalembert.benchmarks.single_runs import SINGLE_RUNS, measure_single_runs

__all__ = [
    "QUANTITIES",
    "ROBOTS",
    "ROLLOUTS",
    "SINGLE_RUNS",
    "TOPICS",
    "chain",
    "launch_browser",
    "main",
    "measure_single_runs",
    "robot_file",
    "robot_machine",
    "run_bench",
    "run_rollouts",
]
