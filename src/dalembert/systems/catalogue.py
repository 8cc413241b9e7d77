"""The ready-made machines by name, with how they are simulated by default."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dalembert.core.errors import UnknownNameError
from dalembert.loop.experiment import Experiment
from dalembert.model.friction import Friction
from dalembert.model.machine import Machine
from dalembert.model.ropes import SheaveLoss
from dalembert.systems import (
    cable_robots,
    contacts,
    cranes,
    falling_chains,
    hoists,
    legged,
    mechanisms,
    parallel_robots,
    space_robots,
    textbook,
)

__all__ = ["SYSTEMS", "SystemInfo", "load_system"]


@dataclass(frozen=True)
class SystemInfo:
    """A ready-made machine.

    Parameters
    ----------
    name
        Its name on the command line.
    description
        Description, in a line.
    source
        Where its data come from.
    make
        Makes the machine.
    block
        How it is simulated by default, as the block ``simulation`` of a machine file says it.
    file
        Its machine file, where it has one.

    Examples
    --------
    >>> from dalembert.systems import SYSTEMS
    >>> SYSTEMS["double-pendulum"].description
    'two rods hanging from each other, frictionless'
    """

    name: str
    description: str
    source: str
    make: Callable[[], Machine]
    block: Callable[[], dict[str, Any]] = dict
    file: Path | None = None

    def settings(self) -> dict[str, Any]:
        """How it is simulated by default: ``simulate(system.make(), **system.settings())``."""
        from dalembert.io import load_simulation, make_law

        if self.file is not None:
            return load_simulation(self.file)[1]
        settings = self.block()
        return settings | {"control": make_law(settings["control"])} if "control" in settings else settings

    def experiment(self) -> Experiment:
        """Return the machine with how it is simulated by default."""
        return Experiment(self.make()).replace(**self.settings())

    def to_yaml(self) -> str:
        """Return the machine and how it is simulated as the text of a machine file."""
        if self.file is not None:
            return self.file.read_text(encoding="utf-8")
        import yaml

        return self.make().to_yaml() + yaml.safe_dump({"simulation": self.block()}, sort_keys=False)


def _delta_move() -> dict[str, Any]:
    """From one place to another in half a second, arms under PID control."""
    geometry = parallel_robots.DeltaGeometry()
    start, end = (-0.2, 0.05, -0.70), (0.2, -0.05, -0.75)
    ways = [[float(x) for x in parallel_robots.delta_angles(geometry, place)] for place in (start, end)]
    move = {"start": ways[0], "end": ways[1], "duration": 0.5, "delay": 0.1}
    return {
        "duration": 1.0,
        "q0": parallel_robots.delta_configuration(geometry, start),
        "control": {"law": "pid", "kp": 400.0, "ki": 2000.0, "kd": 20.0, "reference": move},
    }


def _from_file(name: str, description: str, source: str, file: str) -> SystemInfo:
    path = Path(__file__).parent / file

    def load() -> Machine:
        from dalembert.io import load_machine

        return load_machine(path)

    return SystemInfo(name, description, source, load, file=path)


_ALL = (
    SystemInfo(
        "actuated-pendulum",
        "pendulum driven by a motor through a gear, losses on both sides",
        "ROBOTICS, dynamics of actuated pendulum",
        textbook.actuated_pendulum,
        lambda: {"duration": 10.0, "q0": {"theta": 1.0}},
    ),
    SystemInfo(
        "pr-robot",
        "prismatic and revolute joint in the horizontal plane",
        "ROBOTICS, dynamic model of a PR robot",
        textbook.pr_robot,
        lambda: {"duration": 5.0, "v0": {"q_1_dot": 0.5, "q_2_dot": 4.0}},
    ),
    SystemInfo(
        "double-pendulum",
        "two rods hanging from each other, frictionless",
        "own data",
        textbook.double_pendulum,
        lambda: {"duration": 10.0, "method": "dopri5", "q0": {"q_1": 1.5, "q_2": 0.5}},
    ),
    SystemInfo(
        "floating-two-link",
        "free-floating box with a two-link arm, no gravity",
        "own data",
        textbook.floating_two_link,
        lambda: {
            "duration": 10.0,
            "method": "dopri5",
            "v0": {"base.wx": 0.2, "base.wz": -0.1, "q1_dot": 0.8, "q2_dot": -0.5},
        },
    ),
    _from_file(
        "six-axis-arm",
        "industrial arm with spherical wrist and geared motors, moved by computed torque",
        "own data",
        "six_axis_arm.yaml",
    ),
    SystemInfo(
        "overhead-crane",
        "trolley on a rail with a cable of ten links and a payload of 200 kg, swinging freely",
        "CRANE, own data",
        lambda: cranes.planar_crane(cranes.uniform_cable(10, 5.0, payload=200.0, mass=10.0)),
        lambda: {"duration": 10.0, "q0": {"theta1": 0.2}},
    ),
    SystemInfo(
        "spatial-crane",
        "bridge and trolley with a cable of three links, swinging freely in 3-D",
        "CRANE, own data",
        lambda: cranes.spatial_crane(cranes.uniform_cable(3, 5.0, payload=200.0, mass=6.0)),
        lambda: {"duration": 10.0, "q0": {"theta1": 0.2, "phi1": -0.1}},
    ),
    SystemInfo(
        "two-cable-crane",
        "bridge and trolley with a box on two cables, which sways, tilts and turns",
        "CRANE 1.3, own data",
        lambda: cranes.multi_cable_crane(2, spatial=True, name="two_cable_crane"),
        lambda: {"duration": 10.0, "v0": {"load.vy": 0.6, "load.wz": 0.5}},
    ),
    SystemInfo(
        "reeved-hoist",
        "trolley, drum with a brake and hook block on four parts of rope, with losses; the payload swings",
        "own data",
        lambda: hoists.reeved_hoist(
            4,
            loss=SheaveLoss(bearing=0.1, pin=0.03, bending=0.005),
            rail_friction=Friction(150.0, static=200.0),
            brake=Friction(2000.0),
        ),
        lambda: {"duration": 10.0, "q0": {"swing": 0.3}},
    ),
    SystemInfo(
        "tower-crane",
        "slewing jib, trolley, and a hook block on two falls with a payload that swings and turns",
        "own data",
        lambda: hoists.tower_crane(brake=Friction(12000.0)),
        lambda: {"duration": 10.0, "step": 2e-3, "v0": {"slew_dot": 0.1, "x_dot": 0.5, "turn_dot": 0.2}},
    ),
    SystemInfo(
        "ship-crane",
        "luffing crane on a deck that heaves and rolls; brakes hold its two ropes",
        "own data",
        hoists.ship_crane,
        lambda: {"duration": 16.0, "step": 2e-3},
    ),
    SystemInfo(
        "container-spreader",
        "trolley with four elastic ropes in eight falls that carry a container, which sways and turns",
        "own data",
        lambda: hoists.container_spreader(brake=Friction(1e5)),
        lambda: {"duration": 10.0, "v0": {"load.vx": 0.5, "load.wz": 0.1}},
    ),
    SystemInfo(
        "elevator",
        "car and counterweight on ropes that a sheave drives by friction, started by a speed of the car",
        "own data",
        lambda: hoists.elevator(2, rise=8.0, brake=Friction(300.0)),
        lambda: {"duration": 4.0, "v0": {"car_dot": 1.0}},
    ),
    _from_file(
        "planar-flexible-arm",
        "two flexible links in the plane, vibrating freely",
        "SPACE D.1.1 (De Luca and Siciliano)",
        "flexible_arms/planar_arm.yaml",
    ),
    _from_file(
        "canadarm",
        "six joints and two booms with ten modes each",
        "SPACE D.1.2 (Mohan and Saha)",
        "flexible_arms/canadarm.yaml",
    ),
    _from_file(
        "mda-arm",
        "arm of a debris-removal mission, two booms with six modes each",
        "SPACE D.1.3",
        "flexible_arms/mda_arm.yaml",
    ),
    SystemInfo(
        "space-chaser",
        "satellite of 786 kg with the MDA arm and two solar arrays, all flexible: the arm lets go of a bend",
        "SPACE D.1.3, D.2.1",
        space_robots.space_chaser,
        lambda: {
            "duration": 10.0,
            "method": "dop853",
            "record": 0.02,
            "q0": {"theta2": -0.9, "theta3": 1.7, "theta4": -0.8, "segment2.delta2": 0.05, "left.mode1": 0.02},
        },
    ),
    SystemInfo(
        "three-joint-chaser",
        "satellite of 2 t with an arm of two segments and three joints, reaching out freely",
        "SPACE 9.2.3 (Umetani and Yoshida), own data for the rest",
        space_robots.three_joint_chaser,
        lambda: {
            "duration": 10.0,
            "q0": {"theta2": -0.8, "theta3": 1.6},
            "v0": {"theta1_dot": 0.1, "theta3_dot": -0.2},
        },
    ),
    SystemInfo(
        "debris",
        "satellite of 1060 kg that tumbles at 10 degrees per second",
        "SPACE D.2.2, chapter 7",
        space_robots.debris,
        lambda: {
            "duration": 60.0,
            "method": "dopri5",
            "v0": {"debris.wx": -0.15, "debris.wy": 0.05, "debris.wz": -0.08},
        },
    ),
    SystemInfo(
        "delta-robot",
        "three arms move a platform by six rods, from one place to another in half a second",
        "own data (R. Clavel's robot)",
        parallel_robots.delta_robot,
        _delta_move,
    ),
    SystemInfo(
        "andrews-squeezer",
        "seven bodies in three loops of some centimetres, driven to 1000 rad/s in 30 ms",
        "Test Set for IVP Solvers; IFToMM benchmark A03",
        mechanisms.andrews_squeezer,
        lambda: {"duration": 0.03, "method": "dopri5", "rtol": 1e-9, "record": 1e-4, "q0": mechanisms.ANDREWS_START},
    ),
    SystemInfo(
        "bricard-mechanism",
        "five rods and the ground in one loop that moves although its mobility count is zero",
        "IFToMM benchmark A04",
        mechanisms.bricard_mechanism,
        lambda: {"duration": 10.0, "method": "dopri5", "record": 0.02},
    ),
    SystemInfo(
        "flyball-governor",
        "Watt's governor with stiff springs in place of its lower rods",
        "IFToMM benchmark A05",
        mechanisms.flyball_governor,
        lambda: {
            "duration": 10.0,
            "method": "cvodes",
            "record": 0.02,
            "q0": {"s": 0.5, "swing1": math.pi / 6, "swing2": math.pi / 6},
            "v0": {"spin_dot": 2 * math.pi},
        },
    ),
    SystemInfo(
        "joining-robot",
        "platform of 62.8 kg on four winches above a payload, lowered by PID control",
        "CDPR 3.3.5",
        cable_robots.joining_robot,
        lambda: {
            "duration": 8.0,
            "q0": {"platform.z": 1.5},
            "control": {
                "law": "pid",
                "kp": 60.0,
                "ki": 60.0,
                "kd": 6.0,
                "reference": {"start": [0.0] * 4, "end": [22.0] * 4, "duration": 6.0},
            },
        },
    ),
    SystemInfo(
        "pulley-robot",
        "platform on four cables over swivelling pulleys, pushed sideways",
        "CDPR 4.3, Model 2",
        lambda: cable_robots.pulley_robot(2),
        lambda: {
            "duration": 10.0,
            "q0": {"platform.y": 0.25, "platform.z": 0.37},
            "v0": {"platform.vx": 0.08, "platform.vy": 0.16},
        },
    ),
    SystemInfo(
        "overturning-robot",
        "a moving exit point turns a platform over on three cables",
        "CDPR 5.3",
        cable_robots.overturning_robot,
        lambda: {
            "duration": 14.0,
            "q0": {"platform.x": 0.410372, "platform.y": 1.0},
        },
    ),
    SystemInfo(
        "eight-cable-robot",
        "redundant robot: eight elastic cables hold a box of 30 kg, which swings on them",
        "own data",
        lambda: cable_robots.eight_cable_robot(stiffness=2e5, winches=False),
        lambda: {"duration": 2.0, "step": 2e-4, "q0": {"platform.z": 1.5}, "v0": {"platform.vx": 0.1}},
    ),
    SystemInfo(
        "bouncing-ball",
        "a ball that bounces, e = 0.8, until it rests",
        "closed form",
        contacts.bouncing_ball,
        lambda: {"duration": 5.0, "method": "dopri5", "record": 0.01, "q0": {"z": 1.1}},
    ),
    SystemInfo(
        "rocking-block",
        "a block that rocks from corner to corner on the ground",
        "G. W. Housner, 1963",
        contacts.rocking_block,
        lambda: {
            "duration": 1.0,
            "method": "dopri5",
            "record": 0.005,
            "q0": {"base.x": -0.058272, "base.y": 0.215880, "base.angle": 0.2},
        },
    ),
    SystemInfo(
        "newtons-cradle",
        "five balls in a row, with gaps, of which the first strikes the others",
        "closed form",
        contacts.newtons_cradle,
        lambda: {
            "duration": 1.0,
            "method": "dopri5",
            "record": 0.01,
            "q0": {"x1": -0.5, "x2": 0.1, "x3": 0.201, "x4": 0.302, "x5": 0.403},
            "v0": {"x1_dot": 1.0},
        },
    ),
    SystemInfo(
        "box-on-incline",
        "a cube that rests on a plane of 20 degrees, friction 0.5",
        "closed form",
        contacts.box_on_incline,
        lambda: {"duration": 10.0, "method": "dopri5", "record": 0.1, "q0": {"base.z": 0.15}},
    ),
    SystemInfo(
        "rolling-sphere",
        "a sphere that slides until it rolls",
        "closed form",
        contacts.rolling_sphere,
        lambda: {
            "duration": 1.0,
            "method": "dopri5",
            "record": 0.01,
            "q0": {"base.z": 0.1},
            "v0": {"base.vx": 2.0},
        },
    ),
    SystemInfo(
        "painleve-rod",
        "a rod that slides on its tip with friction 1.5: no force keeps it sliding, a shock stops it",
        "P. Painleve, 1895",
        contacts.painleve_rod,
        lambda: {
            "duration": 0.2,
            "method": "dopri5",
            "record": 0.002,
            "q0": {"base.y": 0.4472135954999579, "base.angle": 1.1071487177940904},
            "v0": {"base.x_dot": -1.0, "base.y_dot": 0.0, "base.angle_dot": 0.0},
        },
    ),
    SystemInfo(
        "chain-on-ground",
        "three flexible links that fall and bounce",
        "IMPACT, Table 1",
        lambda: falling_chains.chain_on_ground(3, 1),
        lambda: {"duration": 1.0, "method": "dopri5", "record": 0.005, "q0": {"base.y": 0.7, "base.angle": 0.3}},
    ),
    SystemInfo(
        "chain-in-circle",
        "two flexible links that fall inside a circle",
        "IMPACT, Table 1; circle, restitution and start are own data",
        falling_chains.chain_in_circle,
        lambda: {"duration": 2.0, "method": "dopri5", "record": 0.005, "q0": {"base.x": -0.9, "base.y": 0.2}},
    ),
    SystemInfo(
        "quadruped",
        "four legs with twelve motors that trot on the ground, by sines under PD control",
        "own data",
        legged.quadruped,
        lambda: {
            "duration": 4.0,
            "contact": "time-stepping",
            "step": 1e-3,
            "record": 0.01,
            "q0": legged.quadruped_stance(),
            "control": legged.trot(),
        },
    ),
)

SYSTEMS: dict[str, SystemInfo] = {system.name: system for system in _ALL}
"""All ready-made machines by name."""


def load_system(name: str) -> Machine:
    """Return a ready-made machine.

    Examples
    --------
    >>> load_system("pr-robot").q_names
    ('q_1', 'q_2')
    """
    if name not in SYSTEMS:
        raise UnknownNameError("system", name, SYSTEMS)
    return SYSTEMS[name].make()
