"""Chaser and debris in one machine, before the grip closes and after, with what is not known of them as parameters."""

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
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame
from dalembert.model.signals import Signal
from dalembert.model.transform import Transform
from dalembert.spatial.rotations import rpy_from_matrix
from dalembert.systems.space_robots.chaser import solar_array, space_chaser
from dalembert.systems.space_robots.debris import CORNER, debris
from dalembert.systems.space_robots.guidance import SensorNoise, base_camera, chaser_sensors

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
    bodies: list[Body | Beam] = []
    for body in plain.bodies:
        group = next((g for key, g in _GROUPS.items() if body.name.startswith(key)), None)
        if isinstance(body, Beam):
            bodies.append(
                replace(body, density=body.density * factor["boom"], E=body.E * stiffness, G=body.G * stiffness)
            )
        else:
            bodies.append(body if group is None else _scaled(body, factor[group]))
    root = Parameter("array_stiffness", 1.0) ** 0.5
    arrays = [solar_array(side, scale=factor["array"]) for side in ("left", "right")]
    soft = [replace(a, frequencies=tuple(w * root for w in a.frequencies)) for a in arrays]
    return plain.with_(bodies=tuple(bodies)).with_parts(*soft)


def _scaled(body: Body, k: Scalar) -> Body:
    inertia: Any = tuple(tuple(x * k if x else 0.0 for x in row) for row in body.inertia)
    return replace(body, mass=body.mass * k if body.mass else 0.0, inertia=inertia)


def _debris_body(uncertain: bool) -> Body:
    """The debris; its inertia is ``S I S`` with ``S`` a diagonal of factors."""
    body = debris().bodies[0]
    assert isinstance(body, Body)
    if not uncertain:
        return body
    s = [Parameter(f"debris_{axis}", 1.0) for axis in "xyz"]
    inertia: Any = tuple(tuple(body.inertia[i][j] * s[i] * s[j] for j in range(3)) for i in range(3))
    return replace(body, inertia=inertia)


def capture_scene(
    chaser: Machine | None = None, *, uncertain: bool = False, noise: SensorNoise | None = None, period: float = 0.004
) -> Machine:
    """Chaser and debris, both floating: the machine before the grip.

    Runs record the motions of the camera on the base, the hand and the target point as signals ``eye``, ``hand`` and
    ``target``.

    Parameters
    ----------
    chaser
        The chaser; None: `space_chaser`, or `uncertain_chaser`.
    uncertain
        Whether the inertia of the debris has factors ``debris_x``, ``debris_y``, ``debris_z`` as parameters.
    noise, period
        Of the sensors of the chaser, which its laws then see; None: they see the truth.
    """
    whole = chaser if chaser is not None else (uncertain_chaser() if uncertain else space_chaser())
    return whole.with_(
        name="capture",
        bodies=(*whole.bodies, _debris_body(uncertain)),
        joints=(*whole.joints, Joint("debris", "free", "world", "debris")),
        frames=(*whole.frames, Frame("target", "debris", Transform(CORNER)), _eye()),
        signals=(Signal("eye", frame="eye"), Signal("hand", frame="tip"), Signal("target", frame="target")),
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
    *,
    uncertain: bool = False,
    noise: SensorNoise | None = None,
    period: float = 0.004,
    frame: str = "tip",
) -> Machine:
    """Chaser with the debris in its hand, a body of its tree: the machine after the grip.

    Parameters
    ----------
    chaser, uncertain, noise, period
        As of `capture_scene`.
    grip
        Pose of the debris (4 x 4) in the axes of the tip; None: parameters ``grip_x`` to ``grip_yaw``, which
        `grip_parameters` gives, so that one machine serves every grip.
    frame
        The tip.
    """
    whole = chaser if chaser is not None else (uncertain_chaser() if uncertain else space_chaser())
    if grip is None:
        roll, pitch, yaw, *place_ = (Parameter(f"grip_{n}", 0.0) for n in ("roll", "pitch", "yaw", "x", "y", "z"))
        place = Transform.rpy(roll, pitch, yaw, translation=tuple(place_))
    else:
        place = _transform(_pose(grip))
    mount = next((f for f in whole.frames if f.name == frame), None)
    if mount is None:
        raise InputError(f"machine '{whole.name}' has no frame '{frame}' to grip with")
    return whole.with_(
        name="stack",
        bodies=(*whole.bodies, _debris_body(uncertain)),
        joints=(*whole.joints, Joint("grip", "fixed", mount.body, "debris", mount.origin @ place)),
        frames=(*whole.frames, Frame("target", "debris", Transform(CORNER))),
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
