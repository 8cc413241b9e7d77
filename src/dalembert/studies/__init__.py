"""Published results and ours: one folder per document, with the expected values and their source in a data file."""

from dalembert.studies.registry import run_study, studies
from dalembert.studies.rows import Row

__all__ = ["Row", "run_study", "studies"]
