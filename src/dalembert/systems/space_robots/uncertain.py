"""The ready-made chaser and debris with their uncertainties as parameters."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from dalembert.core.parameter import Parameter, Scalar
from dalembert.model.beam import Beam
from dalembert.model.body import Body
from dalembert.model.elastic.contract import Elastic
from dalembert.model.machine import Machine
from dalembert.systems.space_robots.chaser import solar_array, space_chaser
from dalembert.systems.space_robots.debris import debris

__all__ = ["case_machines", "uncertain_chaser", "uncertain_debris"]

_GROUPS = {"hub": "hub", "tool": "tool", "segment4": "wrist", "segment5": "wrist", "segment6": "wrist", "base": "base"}


def uncertain_chaser() -> Machine:
    """The flexible `space_chaser` with factors of its masses, inertias and stiffnesses as parameters, all of them 1.

    ``base_mass``, ``hub_mass``, ``wrist_mass``, ``tool_mass`` and ``boom_mass`` multiply masses and inertias,
    ``boom_stiffness`` both moduli of the booms, ``array_mass`` and ``array_stiffness`` those of the arrays.

    Examples
    --------
    >>> from dalembert.systems.space_robots import uncertain_chaser
    >>> sorted(p.name for p in uncertain_chaser().parameters)[:2]
    ['array_mass', 'array_stiffness']
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


def uncertain_debris() -> Machine:
    """The debris; its inertia is ``S I S`` with ``S`` a diagonal of factors."""
    rigid = debris()
    body = rigid.bodies[0]
    assert isinstance(body, Body)
    s = [Parameter(f"debris_{axis}", 1.0) for axis in "xyz"]
    inertia: Any = tuple(tuple(body.inertia[i][j] * s[i] * s[j] for j in range(3)) for i in range(3))
    return rigid.with_(bodies=(replace(body, inertia=inertia),))


@cache
def case_machines() -> tuple[Machine, Machine]:
    """Chaser and debris of a `CaptureCase`."""
    return uncertain_chaser(), uncertain_debris()
