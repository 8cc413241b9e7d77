"""Scenes of bodies that collide: a wall of bricks, a row of dominoes, a heap, a gripper that lifts a cylinder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import TIME, Parameter, Scalar, smoothstep
from dalembert.core.types import Array
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.loop.experiment import Experiment, Start
from dalembert.model.body import Body, box, cylinder, sphere
from dalembert.model.colliders import Collider
from dalembert.model.constraints import MotionConstraint
from dalembert.model.contacts import HalfSpace
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Wrench

__all__ = ["brick_wall", "domino_row", "heap", "lifting_gripper"]

_LOOSE = TimeStepping(tolerance=1e-4, max_sweeps=50)  # for bodies in motion, which need no exact impulses


def brick_wall(rows: int = 10, columns: int = 10, *, friction: float = 0.6) -> Experiment:
    """A wall of bricks of 0.2 x 0.1 x 0.08 m and 3 kg in running bond; rows with an odd number have one brick less.

    Parameters
    ----------
    rows, columns
        Numbers of rows, and of bricks in the first one.
    friction
        Coefficient of all contacts.

    Returns
    -------
    Experiment
        The wall at rest, with 0.2 mm between the bricks of a row.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.scenes import brick_wall
    >>> run = da.simulate(brick_wall(3, 3), duration=0.05)
    >>> run.status, bool(abs(run["brick_2_1.z"][-1] - run["brick_2_1.z"][0]) < 1e-8)
    ('completed', True)
    """
    _check(rows=rows, columns=columns)
    size, places = np.array([0.2, 0.1, 0.08]), {}
    for row in range(rows):
        for k in range(columns - row % 2):
            places[f"brick_{row}_{k}"] = (size[0] * (k + 0.5 * (row % 2)), 0.0, size[2] * (row + 0.5))
    bodies = [box(name, 3.0, tuple(size - (2e-4, 0.0, 0.0))) for name in places]
    return _experiment("brick wall", bodies, np.array(list(places.values())), friction=friction)


def domino_row(dominoes: int = 100, *, spacing: float = 0.04, push: float = 3.0, friction: float = 0.3) -> Experiment:
    """A row of dominoes of 0.01 x 0.05 x 0.1 m and 0.05 kg along x, the first of which is pushed.

    Parameters
    ----------
    dominoes
        Their number.
    spacing
        From the centre of one to that of the next [m].
    push
        Angular velocity with which the first one begins to fall [rad/s].
    friction
        Coefficient of all contacts.

    Returns
    -------
    Experiment
        The row, with its start. Steps stop as those of a `heap`: the fall of a row of 100 is the same to 10 ms with a
        tolerance of 1e-8.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.scenes import domino_row
    >>> run = da.simulate(domino_row(3), duration=0.6, record=0.1)
    >>> run.status, bool(run["domino_002.z"][-1] < 0.045)
    ('completed', True)
    """
    _check(dominoes=dominoes)
    size = (0.01, 0.05, 0.1)
    if not spacing > size[0]:
        raise InputError(
            f"spacing of a row of dominoes must be more than their thickness of {size[0]:g} m, got {spacing!r}"
        )
    names = [f"domino_{k:03d}" for k in range(dominoes)]
    places = np.array([(spacing * k, 0.0, size[2] / 2) for k in range(dominoes)])
    twist = {f"{names[0]}.wy": push, f"{names[0]}.vx": push * size[2] / 2, f"{names[0]}.vz": push * size[0] / 2}
    made = [box(name, 0.05, size) for name in names]
    return _experiment("domino row", made, places, v=twist, friction=friction, way=_LOOSE)


def heap(
    bodies: int = 200, *, solid: str = "box", friction: float = 0.5, restitution: float = 0.0, seed: int = 0
) -> Experiment:
    """Boxes of 0.08 m or spheres of 0.1 m, each of 1 kg, above each other in 25 columns: they fall into a heap.

    Parameters
    ----------
    bodies
        Their number.
    solid
        ``"box"`` or ``"sphere"``.
    friction, restitution
        Coefficients of all contacts.
    seed
        Seed of the orientations and of small displacements.

    Returns
    -------
    Experiment
        The bodies in the air, the first layer near the ground. Steps stop at a change of 1e-4 of the impulses or after
        50 sweeps: a heap that tumbles does not need more.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.scenes import heap
    >>> run = da.simulate(heap(10, solid="sphere"), duration=0.2, record=0.1)
    >>> run.status, bool(run["contact.deepest"].min() > -1e-4)
    ('completed', True)
    """
    _check(bodies=bodies)
    if solid not in ("box", "sphere"):
        raise InputError(f"solid of a heap must be box or sphere, got {solid!r}")
    rng = np.random.default_rng(seed)
    k = np.arange(bodies)
    pitch = 0.15 if solid == "box" else 0.11
    places = np.column_stack([pitch * (k % 5), pitch * (k // 5 % 5), 0.08 + (pitch + 0.01) * (k // 25)])
    places[:, :2] += rng.uniform(-0.004, 0.004, (bodies, 2))
    turns = rng.normal(size=(bodies, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    names = [f"{solid}_{i:03d}" for i in k]
    made = [box(name, 1.0, (0.08, 0.08, 0.08)) if solid == "box" else sphere(name, 1.0, 0.05) for name in names]
    return _experiment(
        f"heap of {bodies}", made, places, turns=turns, friction=friction, restitution=restitution, way=_LOOSE
    )


def lifting_gripper(*, friction: float = 0.5, height: float = 0.2, duration: float = 0.8) -> Experiment:
    """A gripper that closes on a cylinder of 0.4 kg on the ground and lifts it.

    The two fingers press with the force ``F`` (a parameter, 10 N). From 0.2 s on the hand follows a
    smooth step along z. Friction carries ``2 friction F``; less than ``m (g + a)`` lets the cylinder slip out.

    Parameters
    ----------
    friction
        Coefficient of all contacts.
    height, duration
        Way of the hand [m], and the time that it takes [s].

    Returns
    -------
    Experiment
        With open fingers, the cylinder upright between them.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.scenes import lifting_gripper
    >>> run = da.simulate(lifting_gripper(), duration=1.2, record=0.1)
    >>> run.status, round(float(run["cylinder.z"][-1]), 3)
    ('completed', 0.26)
    """
    radius, length, mass, press = 0.03, 0.12, 0.4, Parameter("F", 10.0)
    bodies = (
        Body("hand", 1.0),
        box("left", 0.2, (0.02, 0.06, 0.06)),
        box("right", 0.2, (0.02, 0.06, 0.06)),
        cylinder("cylinder", mass, radius, length, axis="z"),
    )
    joints = (
        Joint("lift", "prismatic", WORLD, "hand", axis=(0.0, 0.0, 1.0)),
        Joint("left", "prismatic", "hand", "left", axis=(1.0, 0.0, 0.0)),
        Joint("right", "prismatic", "hand", "right", axis=(1.0, 0.0, 0.0)),
        Joint("cylinder", "free", WORLD, "cylinder"),
    )
    machine = Machine(
        "lifting gripper",
        bodies,
        joints,
        constraints=(MotionConstraint("hoist", joint="lift", value=_lifted(height, duration)),),
        wrenches=(
            Wrench("press left", "left", force=(press, 0.0, 0.0)),
            Wrench("press right", "right", force=(-press, 0.0, 0.0)),
        ),
        colliders=(
            Collider("things", friction=friction),
            Collider("ground", surface=HalfSpace(), friction=friction, ignores=("fingers",)),
            Collider("fingers", bodies=("left", "right"), friction=friction),
        ),
    )
    start = {"lift": 0.07, "left": -radius - 0.02, "right": radius + 0.02, "cylinder.z": length / 2}
    return Experiment(machine, start=Start(q=start), contact=TimeStepping(), duration=0.2 + duration)


def _lifted(height: float, duration: float) -> Scalar:
    """Height of the hand as a function of time."""
    return 0.07 + height * smoothstep((TIME - 0.2) / duration)


def _experiment(
    name: str,
    bodies: Sequence[Body],
    places: Array,
    *,
    turns: Array | None = None,
    v: dict[str, float] | None = None,
    friction: float,
    restitution: float = 0.0,
    way: TimeStepping | None = None,
) -> Experiment:
    """Free bodies at places on the ground."""
    ground = HalfSpace()
    machine = Machine(
        name,
        bodies=tuple(bodies),
        joints=tuple(Joint(body.name, "free", "world", body.name) for body in bodies),
        colliders=(
            Collider("bodies", friction=friction, restitution=restitution),
            Collider("ground", surface=ground, friction=friction, restitution=restitution),
        ),
    )
    q: dict[str, float] = {}
    for i, body in enumerate(bodies):
        q |= {f"{body.name}.{axis}": float(x) for axis, x in zip("xyz", places[i], strict=True)}
        if turns is not None:
            q |= {f"{body.name}.q{axis}": float(x) for axis, x in zip("wxyz", turns[i], strict=True)}
    return Experiment(machine, start=Start(q=q, v=v or {}), contact=way or TimeStepping())


def _check(**numbers: int) -> None:
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InputError(f"{name} must be a whole number > 0, got {number!r}")
