"""Machines from and to MJCF, the model files of MuJoCo."""

from dalembert.io.mjcf.load import Mjcf, load_mjcf, read_mjcf
from dalembert.io.mjcf.writer import to_mjcf

__all__ = ["Mjcf", "load_mjcf", "read_mjcf", "to_mjcf"]
