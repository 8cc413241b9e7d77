"""Machines and runs in files: URDF, MJCF, YAML machine files, run files; the orders of states in other engines."""

from dalembert.io.control_blocks import make_law
from dalembert.io.conventions import PeerState, from_mujoco, from_pinocchio, to_mujoco, to_pinocchio
from dalembert.io.experiment_files import experiment_to_yaml, load_experiment
from dalembert.io.exported import Exported
from dalembert.io.json_schema import machine_json_schema
from dalembert.io.machine_check import check_machine
from dalembert.io.machine_files import load_machine, load_simulation
from dalembert.io.machine_writer import machine_to_yaml
from dalembert.io.mjcf import Mjcf, load_mjcf, read_mjcf, to_mjcf
from dalembert.io.realtime import Realtime, pack_inputs, unpack_outputs
from dalembert.io.runs import load_run
from dalembert.io.starter_files import STARTERS, starter
from dalembert.io.urdf import load_urdf
from dalembert.io.urdf_writer import to_urdf

__all__ = [
    "STARTERS",
    "Exported",
    "Mjcf",
    "PeerState",
    "Realtime",
    "check_machine",
    "experiment_to_yaml",
    "from_mujoco",
    "from_pinocchio",
    "load_experiment",
    "load_machine",
    "load_mjcf",
    "load_run",
    "load_simulation",
    "load_urdf",
    "machine_json_schema",
    "machine_to_yaml",
    "make_law",
    "pack_inputs",
    "read_mjcf",
    "starter",
    "to_mjcf",
    "to_mujoco",
    "to_pinocchio",
    "to_urdf",
    "unpack_outputs",
]
