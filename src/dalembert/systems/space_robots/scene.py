"""Chaser and debris in one machine, before the grip closes and after, with their uncertainties as parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.parameter import Parameter
from dalembert.core.types import Array
from dalembert.model.constraints import WeldConstraint
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame
from dalembert.model.signals import Signal
from dalembert.model.transform import Transform
from dalembert.plan.pose import grip_rotation
from dalembert.spatial.rotations import rpy_from_matrix
from dalembert.systems.space_robots.chaser import space_chaser
from dalembert.systems.space_robots.debris import debris
from dalembert.systems.space_robots.debris_twin import DebrisTwin, debris_twin
from dalembert.systems.space_robots.sensors import SensorNoise, chaser_sensors
from dalembert.systems.space_robots.twins import ChaserTwins, chaser_twins
from dalembert.systems.space_robots.uncertain import uncertain_chaser, uncertain_debris

__all__ = ["capture_scene", "captured_stack", "flying_scene", "grip_parameters"]


def _target(chosen: Machine | None, uncertain: bool, frame: str) -> DebrisTwin:
    """The debris."""
    return debris_twin(chosen if chosen is not None else (uncertain_debris() if uncertain else debris()), frame)


def _carried(whole: Machine, target: Machine, joints: tuple[Joint, ...]) -> dict[str, Any]:
    """Parts of chaser and debris in one machine."""
    both = ("bodies", "frames", "motors", "thrusters", "wrenches", "couplings", "fields")
    return {"joints": (*whole.joints, *joints)} | {k: (*getattr(whole, k), *getattr(target, k)) for k in both}


def capture_scene(
    chaser: Machine | None = None,
    target: Machine | None = None,
    *,
    uncertain: bool = False,
    noise: SensorNoise | None = None,
    period: float = 0.004,
    frame: str = "tip",
    goal: str = "target",
) -> Machine:
    """Chaser and debris, both floating: the machine before the grip.

    Runs record the motions of the camera on the base, the hand, the target point and the debris as signals ``eye``,
    ``hand``, ``target`` and ``seen``.

    Parameters
    ----------
    chaser
        The chaser; None: `space_chaser`, or `uncertain_chaser`.
    target
        The debris, a machine on one free joint, such as `flexible_debris`; None: `debris`.
    uncertain
        Whether the inertia of the debris has factors ``debris_x``, ``debris_y``, ``debris_z`` as parameters.
    noise, period
        Noise of the sensors of the chaser, which its laws then see; None: they see the truth.
    frame, goal
        The tip, of which ``hand`` is the signal, and the frame of the debris that it grips, of which ``target`` is.
    """
    whole = chaser if chaser is not None else (uncertain_chaser() if uncertain else space_chaser())
    return flying_scene(chaser_twins(whole, frame), _target(target, uncertain, goal), noise, period)


def flying_scene(
    twins: ChaserTwins, other: DebrisTwin, noise: SensorNoise | None, period: float, camera: str | None = None
) -> Machine:
    """Chaser and debris before the grip, see `capture_scene`; ``camera`` is a frame of the chaser, z outward."""
    whole = twins.machine
    parts = _carried(whole, other.machine, other.machine.joints)
    eye = () if camera is not None else (Frame("eye", twins.body, _transform(twins.camera)),)
    seen = {"eye": camera or "eye", "hand": twins.frame, "target": other.target, "seen": other.body}
    return whole.with_(
        name="capture",
        **{**parts, "frames": (*parts["frames"], *eye)},
        signals=tuple(Signal(name, frame=frame) for name, frame in seen.items()),
        sensors=() if noise is None else chaser_sensors(noise, period, twins.base, twins.joints),
    )


def _transform(X: Array) -> Transform:
    rotation: Any = tuple(map(tuple, X[:3, :3].tolist()))
    return Transform(tuple(X[:3, 3].tolist()), rotation)


def captured_stack(
    chaser: Machine | None = None,
    grip: ArrayLike | None = None,
    target: Machine | None = None,
    *,
    uncertain: bool = False,
    noise: SensorNoise | None = None,
    period: float = 0.004,
    frame: str = "tip",
    second: str | None = None,
    goal: str = "target",
) -> Machine:
    """Chaser with the debris in its hand, a body of its tree: the machine after the grip.

    A second hand closes a loop: a weld ``grip2`` of that hand and the debris, which is open at the start and keeps the
    pose that they have when a `dalembert.Switch` closes it.

    Parameters
    ----------
    chaser, target, uncertain, noise, period
        As in `capture_scene`.
    grip
        Pose of the debris (4 x 4) in the axes of the tip, or the attitude of the tip (3 x 3) in axes of the debris, as
        in `grip_parameters`; None: parameters ``grip_x`` to ``grip_yaw``, which that function gives, so that one
        machine serves every grip.
    frame, second
        The tip, and that of another arm (of `two_arm_chaser`); None: there is none.
    goal
        The frame of the debris that is gripped.
    """
    whole = chaser if chaser is not None else (uncertain_chaser() if uncertain else space_chaser())
    if grip is None:
        roll, pitch, yaw, *place_ = (Parameter(f"grip_{n}", 0.0) for n in ("roll", "pitch", "yaw", "x", "y", "z"))
        place = Transform.rpy(roll, pitch, yaw, translation=tuple(place_))
    else:
        place = _transform(_pose(grip, _target(target, uncertain, goal)))
    tips = {f.name: f for f in whole.frames}
    for name in (frame, *(() if second is None else (second,))):
        if name not in tips:
            raise InputError(f"machine '{whole.name}' has no frame '{name}' to grip with")
    mount = tips[frame]
    other = _target(target, uncertain, goal)
    held = Joint("grip", "fixed", mount.body, other.body, mount.origin @ place)
    loop = () if second is None else (WeldConstraint("grip2", second, other.body, switchable=True, active=False),)
    twins = chaser_twins(whole, frame)
    return whole.with_(
        name="stack",
        **_carried(whole, other.machine, tuple(held if j.name == other.joint else j for j in other.machine.joints)),
        constraints=(*whole.constraints, *loop),
        sensors=() if noise is None else chaser_sensors(noise, period, twins.base, twins.joints),
    )


def grip_parameters(grip: ArrayLike, target: Machine | None = None, *, goal: str = "target") -> dict[str, float]:
    """Parameters of a `captured_stack` for a grip.

    Parameters
    ----------
    grip
        Pose of the debris (4 x 4) in the axes of the tip; or the attitude of the tip (3 x 3) in axes of the debris, as
        ``plan.grip`` has it: the tip is then at the frame ``goal`` of the debris.
    target, goal
        The debris, and the frame of it that is gripped; None: `debris`.

    Examples
    --------
    >>> grip_parameters(np.diag([1.0, -1.0, -1.0]))["grip_x"]
    -0.75
    """
    X = _pose(grip, _target(target, False, goal))
    angles = rpy_from_matrix(X[:3, :3])
    names = ("x", "y", "z", "roll", "pitch", "yaw")
    return {f"grip_{n}": float(v) for n, v in zip(names, (*X[:3, 3], *angles), strict=True)}


def _pose(grip: ArrayLike, target: DebrisTwin) -> Array:
    """Pose (4 x 4) of the debris in axes of the tip."""
    R = grip_rotation(grip).T
    U, _, Vt = np.linalg.svd(R)
    X = np.eye(4)
    X[:3, :3] = U @ Vt
    given = np.asarray(grip, dtype=float)
    X[:3, 3] = given[:3, 3] if given.shape == (4, 4) else -X[:3, :3] @ (target.point + target.centre)
    return X
