"""Published results and ours: one folder per document, with the expected values and their source in a data file."""

from dalembert.studies.registry import expected_values, run_study, studies
from dalembert.studies.rows import KINDS, Row, totals

__all__ = ["KINDS", "Row", "expected_values", "run_study", "studies", "totals"]
