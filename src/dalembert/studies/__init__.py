"""Published results and ours: one folder per document, with the expected values and their source in a data file."""

from dalembert.studies.crane.robustness import compare_robustness, robustness_table
from dalembert.studies.crane.transport import compare_transport, spill_over, transport_crane, transport_table
from dalembert.studies.flexible_arms.runs import energy_error, free_vibration, pick_and_place
from dalembert.studies.registry import expected_values, run_study, studies
from dalembert.studies.rows import KINDS, Row, totals

__all__ = [
    "KINDS",
    "Row",
    "compare_robustness",
    "compare_transport",
    "energy_error",
    "expected_values",
    "free_vibration",
    "pick_and_place",
    "robustness_table",
    "run_study",
    "spill_over",
    "studies",
    "totals",
    "transport_crane",
    "transport_table",
]
