"""Robots of the package ``example-robot-data``, as machines and as models of the peers."""

from __future__ import annotations

import contextlib
import sys
import warnings
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from dalembert.core.errors import DalembertWarning, InputError, UnknownNameError
from dalembert.io.urdf import load_urdf
from dalembert.model.machine import Machine

__all__ = ["ROBOTS", "Robot", "robot_file", "robot_machine", "robot_pinocchio"]


@dataclass(frozen=True)
class Robot:
    """A robot description.

    Parameters
    ----------
    title
        Description.
    path
        Its file below the package's folder of robots.
    floating
        Whether its base is free.
    lock
        Joints that are fixed at zero.
    """

    title: str
    path: str
    floating: bool = False
    lock: tuple[str, ...] = ()


ROBOTS: dict[str, Robot] = {
    "ur5": Robot("UR5", "ur_description/urdf/ur5_robot.urdf"),
    "panda": Robot(
        "Panda, fingers locked",
        "panda_description/urdf/panda.urdf",
        lock=("panda_finger_joint1", "panda_finger_joint2"),
    ),
    "anymal": Robot("ANYmal, a quadruped", "anymal_b_simple_description/robots/anymal.urdf", floating=True),
    "talos": Robot("TALOS, a humanoid", "talos_data/robots/talos_reduced.urdf", floating=True),
}


def robot_file(name: str) -> Path:
    """Path of a robot's URDF file.

    Raises
    ------
    InputError
        If the package that holds it is not installed.

    Examples
    --------
    >>> from dalembert.benchmarks import robot_file
    >>> robot_file("ur5").name  # doctest: +SKIP
    'ur5_robot.urdf'
    """
    if name not in ROBOTS:
        raise UnknownNameError("robot", name, ROBOTS)
    roots = [Path(sys.prefix)]
    with contextlib.suppress(PackageNotFoundError):
        roots.insert(0, Path(str(distribution("example-robot-data").locate_file("cmeel.prefix"))))
    for root in roots:
        path = root / "share" / "example-robot-data" / "robots" / ROBOTS[name].path
        if path.is_file():
            return path
    raise InputError(f"robot '{name}' needs the package example-robot-data (pip install example-robot-data)")


def robot_machine(name: str) -> Machine:
    """The robot as a machine, without motors.

    Examples
    --------
    >>> from dalembert.benchmarks import robot_machine
    >>> print(robot_machine("ur5"))  # doctest: +SKIP
    machine 'ur5': ... bodies (... kg), 6 degrees of freedom, 0 motors, 0 parameters
    """
    robot, path = ROBOTS[name], robot_file(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        return load_urdf(path, floating_base=robot.floating, lock=robot.lock or None, motors=False)


def robot_pinocchio(name: str) -> Any:
    """The robot as Pinocchio reads it."""
    import pinocchio as pin

    robot, path = ROBOTS[name], str(robot_file(name))
    if robot.floating:
        model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    else:
        model = pin.buildModelFromUrdf(path)
    if robot.lock:
        model = pin.buildReducedModel(model, [model.getJointId(j) for j in robot.lock], pin.neutral(model))
    return model
