"""Machines and runs in files: URDF, YAML machine files, run files."""

from dalembert.io.machine_files import load_machine, load_simulation
from dalembert.io.machine_writer import machine_to_yaml
from dalembert.io.urdf import load_urdf

__all__ = ["load_machine", "load_simulation", "load_urdf", "machine_to_yaml"]
