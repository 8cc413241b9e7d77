"""Chaser and debris in one machine, before the grip closes and after, with their uncertainties as parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.parameter import Parameter, Scalar
from dalembert.core.types import Array
from dalembert.model.beam import Beam
from dalembert.model.body import Body
from dalembert.model.constraints import WeldConstraint
from dalembert.model.elastic.contract import Elastic
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame
from dalembert.model.signals import Signal
from dalembert.model.transform import Transform
from dalembert.spatial.rotations import rpy_from_matrix
from dalembert.systems.space_robots.chaser import solar_array, space_chaser
from dalembert.systems.space_robots.debris import debris
from dalembert.systems.space_robots.sensors import SensorNoise, base_camera, chaser_sensors

__all__ = ["capture_scene", "captured_stack", "grip_parameters", "uncertain_chaser"]

_GROUPS = {"hub": "hub", "tool": "tool", "segment4": "wrist", "segment5": "wrist", "segment6": "wrist", "base": "base"}


def uncertain_chaser() -> Machine:
    """The flexible `space_chaser` with factors of its masses, inertias and stiffnesses as parameters, all of them 1.

    ``base_mass``, ``hub_mass``, ``wrist_mass``, ``tool_mass`` and ``boom_mass`` multiply masses and inertias,
    ``boom_stiffness`` both moduli of the booms, ``array_mass`` and ``array_stiffness`` those of the arrays.
    """
    plain = space_chaser("flexible", arrays=None)
    factor = {name: Parameter(f"{name}_mass", 1.0) for name in ("base", "hub", "wrist", "tool", "boom", "array")}
    stiffness = Parameter("boom_stiffness", 1.0)
    bodies: list[Body | Elastic] = []
    for body in plain.bodies:
        group = next((g for key, g in _GROUPS.items() if body.name.startswith(key)), None)
        if isinstance(body, Beam):
            bodies.append(
                replace(body, density=body.density * factor["boom"], E=body.E * stiffness, G=body.G * stiffness)
            )
        else:
            bodies.append(_scaled(body, factor[group]) if group and isinstance(body, Body) else body)
    root = Parameter("array_stiffness", 1.0) ** 0.5
    arrays = [solar_array(side, scale=factor["array"]) for side in ("left", "right")]
    soft = [replace(a, omega=tuple(w * root for w in a.omega)) for a in arrays]
    return plain.with_(bodies=tuple(bodies)).with_parts(*soft)


def _scaled(body: Body, k: Scalar) -> Body:
    inertia: Any = tuple(tuple(x * k if x else 0.0 for x in row) for row in body.inertia)
    return replace(body, mass=body.mass * k if body.mass else 0.0, inertia=inertia)


def _uncertain_debris() -> Machine:
    """The debris; its inertia is ``S I S`` with ``S`` a diagonal of factors."""
    rigid = debris()
    body = rigid.bodies[0]
    assert isinstance(body, Body)
    s = [Parameter(f"debris_{axis}", 1.0) for axis in "xyz"]
    inertia: Any = tuple(tuple(body.inertia[i][j] * s[i] * s[j] for j in range(3)) for i in range(3))
    return rigid.with_(bodies=(replace(body, inertia=inertia),))


def _target(chosen: Machine | None, uncertain: bool) -> tuple[Machine, Joint]:
    """The debris, and the free joint that it floats on."""
    target = chosen if chosen is not None else (_uncertain_debris() if uncertain else debris())
    if not isinstance(target, Machine):
        raise InputError(f"a debris must be a Machine, got {target!r}")
    free = [j for j in target.joints if j.kind == "free" and j.parent == "world"]
    rooted = [j for j in target.joints if j.parent == "world"]
    if len(free) != 1 or rooted != free or all(f.name != "target" for f in target.frames):
        raise InputError(
            f"machine '{target.name}' is no debris: it must float on one free joint and have a frame 'target', got "
            f"{len(rooted)} joints on the world and the frames {', '.join(f.name for f in target.frames) or 'none'}"
        )
    return target, free[0]


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
) -> Machine:
    """Chaser and debris, both floating: the machine before the grip.

    Runs record the motions of the camera on the base, the hand and the target point as signals ``eye``, ``hand`` and
    ``target``.

    Parameters
    ----------
    chaser
        The chaser; None: `space_chaser`, or `uncertain_chaser`.
    target
        The debris, a machine on one free joint with a frame ``target``, such as `flexible_debris`; None: `debris`.
    uncertain
        Whether the inertia of the debris has factors ``debris_x``, ``debris_y``, ``debris_z`` as parameters.
    noise, period
        Noise of the sensors of the chaser, which its laws then see; None: they see the truth.
    frame
        The tip, of which ``hand`` is the signal.
    """
    whole = chaser if chaser is not None else (uncertain_chaser() if uncertain else space_chaser())
    other, _ = _target(target, uncertain)
    parts = _carried(whole, other, other.joints)
    return whole.with_(
        name="capture",
        **{**parts, "frames": (*parts["frames"], _eye())},
        signals=(Signal("eye", frame="eye"), Signal("hand", frame=frame), Signal("target", frame="target")),
        sensors=() if noise is None else chaser_sensors(noise, period),
    )


def _eye() -> Frame:
    return Frame("eye", "base", _transform(base_camera()))


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
) -> Machine:
    """Chaser with the debris in its hand, a body of its tree: the machine after the grip.

    A second hand closes a loop: a weld ``grip2`` of that hand and the debris, which is open at the start and keeps the
    pose that they have when a `dalembert.Switch` closes it.

    Parameters
    ----------
    chaser, target, uncertain, noise, period
        As in `capture_scene`.
    grip
        Pose of the debris (4 x 4) in the axes of the tip; None: parameters ``grip_x`` to ``grip_yaw``, which
        `grip_parameters` gives, so that one machine serves every grip.
    frame, second
        The tip, and that of another arm (of `two_arm_chaser`); None: there is none.
    """
    whole = chaser if chaser is not None else (uncertain_chaser() if uncertain else space_chaser())
    if grip is None:
        roll, pitch, yaw, *place_ = (Parameter(f"grip_{n}", 0.0) for n in ("roll", "pitch", "yaw", "x", "y", "z"))
        place = Transform.rpy(roll, pitch, yaw, translation=tuple(place_))
    else:
        place = _transform(_pose(grip))
    tips = {f.name: f for f in whole.frames}
    for name in (frame, *(() if second is None else (second,))):
        if name not in tips:
            raise InputError(f"machine '{whole.name}' has no frame '{name}' to grip with")
    mount = tips[frame]
    other, floats = _target(target, uncertain)
    held = Joint("grip", "fixed", mount.body, floats.child, mount.origin @ place)
    loop = () if second is None else (WeldConstraint("grip2", second, floats.child, switchable=True, active=False),)
    return whole.with_(
        name="stack",
        **_carried(whole, other, tuple(held if j is floats else j for j in other.joints)),
        constraints=(*whole.constraints, *loop),
        sensors=() if noise is None else chaser_sensors(noise, period),
    )


def grip_parameters(grip: ArrayLike) -> dict[str, float]:
    """Parameters of a `captured_stack` for the pose (4 x 4) of the debris in the axes of the tip."""
    X = _pose(grip)
    angles = rpy_from_matrix(X[:3, :3])
    names = ("x", "y", "z", "roll", "pitch", "yaw")
    return {f"grip_{n}": float(v) for n, v in zip(names, (*X[:3, 3], *angles), strict=True)}


def _pose(grip: ArrayLike) -> Array:
    X = np.asarray(grip, dtype=float)
    if X.shape != (4, 4) or np.abs(X[:3, :3] @ X[:3, :3].T - np.eye(3)).max() > 1e-6:
        raise InputError(f"a grip must be a homogeneous matrix (4 x 4), got {grip!r}")
    U, _, Vt = np.linalg.svd(X[:3, :3])
    Y = X.copy()
    Y[:3, :3] = U @ Vt
    return Y
