"""Contacts that stick, as constraints: machines whose feet do not slip, for linear models.

A point that sticks to a surface does not move: to first order, and to all orders while it sticks, it is a ball joint at
the point where it touches. The reactions of the ball joint at rest must lie in the cone of friction.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from dalembert.analysis.equilibrium import equilibrium
from dalembert.core.errors import InputError
from dalembert.core.types import Array, StateLike
from dalembert.core.validation import Matrix
from dalembert.formulations.equations import Parameters, derive
from dalembert.model.constraints.ball import BallConstraint
from dalembert.model.contacts.contact import Contact
from dalembert.model.geometry import Box
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame
from dalembert.model.transform import Transform, as_transform

__all__ = ["with_sticking_contacts"]

_CLOSED = 1e-6
"""Gap [m] below which a contact is closed."""
_SIDES = 32
"""Sides of the pyramids within the cones of friction, 0.5 % inside them."""
_BALANCED = 1e-6
"""Largest force that may be left unbalanced, relative to the largest one."""


def with_sticking_contacts(machine: Machine, at: StateLike = None, *, p: Parameters = None) -> Machine:
    """Machine whose closed contacts are ball constraints where they touch, for `dalembert.linearize` and `uncertain`.

    Points and corners of boxes can stick; round solids roll and raise an error. The machine must rest in the
    configuration with normal forces that push and tangential forces within the friction; otherwise the error names the
    contact and its forces. Where the forces are not unique, some of them must do so. Open contacts are left
    out: the linear model does not contain them.

    Parameters
    ----------
    machine
        A machine with contacts.
    at
        Configuration: numbers, or a mapping of names. Contacts with a gap below 1e-6 m are closed.
    p
        Parameter values. Over ranges, check the corners: the forces depend on the values.

    Examples
    --------
    >>> import dalembert as da
    >>> pole = da.Machine(
    ...     "pole",
    ...     bodies=[da.rod("rod", 2.0, 1.0, axis="z", com=(0, 0, 0.5))],
    ...     joints=[da.Joint("base", "planar", "world", "rod", axis="y")],
    ...     contacts=[da.Contact("foot", "rod", friction=0.6)],
    ... )
    >>> stuck = with_sticking_contacts(pole)
    >>> [c.name for c in stuck.constraints], stuck.contacts
    (['foot'], ())
    """
    eom = derive(machine)
    point = equilibrium(eom, at, p=p)
    values = eom.parameter_values(p)
    names = eom.contact_names if machine.contacts else ()
    gaps = np.atleast_1d(eom.contact_gaps(point.q, p=values)) if names else np.zeros(0)
    closed = [k for k, gap in enumerate(gaps) if gap < _CLOSED]
    if not closed:
        least = f"; the least gap is {gaps.min():.3g} m" if len(gaps) else ""
        raise InputError(f"no contact of machine '{machine.name}' is closed there{least}")
    points, axes = eom.contact_points(point.q, p=values)
    pairs = [(contact, corner) for contact in machine.contacts for corner in range(contact.count)]
    frames, constraints = [], []
    for k in closed:
        contact, corner = pairs[k]
        if gaps[k] < -_CLOSED:
            raise InputError(f"contact '{names[k]}' of machine '{machine.name}' is {-gaps[k]:.3g} m inside its surface")
        surface = np.eye(4) if contact.on == "world" else eom.pose(contact.on, point.q, p=values)
        frames += [
            Frame(f"{names[k]}.point", contact.frame, contact.origin @ _touching(contact, corner, machine.name)),
            Frame(f"{names[k]}.surface", contact.on, _placed(surface, points[k], axes[k])),
        ]
        constraints.append(BallConstraint(names[k], *(f.name for f in frames[-2:])))
    stuck = machine.with_(
        frames=(*machine.frames, *frames), constraints=(*machine.constraints, *constraints), contacts=()
    )
    _check_forces(machine, stuck, point.q, [(names[k], pairs[k][0]) for k in closed], p)
    return stuck


def _check_forces(machine: Machine, stuck: Machine, q: Array, closed: list[tuple[str, Contact]], p: Parameters) -> None:
    """Refuse contacts that slip or pull at rest."""
    eom = derive(stuck)
    rest = equilibrium(eom, q, p=p)
    worst = rest.unbalanced(_BALANCED)
    if worst is not None:
        raise InputError(
            f"machine '{machine.name}' does not rest on its contacts there: a force of {rest.residual[worst]:.6g} at "
            f"'{eom.v_names[worst]}' is left unbalanced"
        )
    s, values = derive(machine).symbolic, derive(machine).parameter_values(p)
    starts = {rows.name: rows.start for rows in eom.constraint_system.rows}
    rows = [starts[name] + i for name, _ in closed for i in range(3)]
    frictions = [float(ca.Function("friction", [s.p], [s.value(c.friction)])(values)) for _, c in closed]
    forces = -rest.multipliers[rows].reshape(-1, 3)
    pulls = np.hypot(forces[:, 0], forces[:, 1])
    excess = pulls - np.array(frictions) * np.maximum(forces[:, 2], 0.0) * (1.0 + 1e-9)
    if (excess <= 1e-12 * rest.scale).all() and (forces[:, 2] > 0.0).all():
        return
    on = np.flatnonzero(eom.constraint_system.activity(rest.latches))
    J = rest.J[[int(np.flatnonzero(on == row)[0]) for row in rows]]
    if _balanced_in_cones(J, forces.ravel(), frictions):
        return
    k = int(np.argmax(np.where(forces[:, 2] > 0.0, excess, np.inf)))
    raise InputError(
        f"contact '{closed[k][0]}' of machine '{machine.name}' does not stick there: it needs a tangential force of "
        f"{pulls[k]:.6g} N and a normal force of {forces[k, 2]:.6g} N, and its friction is {frictions[k]:g}"
    )


def _balanced_in_cones(J: Array, forces: Array, frictions: list[float]) -> bool:
    """Whether other forces with the same effect lie in pyramids within the cones of friction."""
    from scipy.optimize import linprog

    size = float(np.abs(forces).max())
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    inner = np.cos(np.pi / _SIDES)
    limits = np.zeros((_SIDES * len(frictions), 3 * len(frictions)))
    for k, mu in enumerate(frictions):
        rows, at = slice(_SIDES * k, _SIDES * (k + 1)), 3 * k
        limits[rows, at : at + 3] = np.column_stack([np.cos(angles), np.sin(angles), np.full(_SIDES, -mu * inner)])
    bounds = [(None, None), (None, None), (0.0, None)] * len(frictions)
    effect = J.T @ (forces / size)
    found = linprog(forces * 0.0, limits, np.zeros(len(limits)), J.T, effect, bounds)
    return bool(found.status == 0)


def _touching(contact: Contact, corner: int, machine: str) -> Transform:
    """Place of the touching point in the pose of the solid."""
    if contact.surface.sharp:
        raise InputError(
            f"contact '{contact.name}' of machine '{machine}' is with faces and edges of a box: points and corners of "
            "boxes on other surfaces can stick in a linear model"
        )
    if contact.solid is None:
        return Transform()
    if not isinstance(contact.solid, Box):
        kind = type(contact.solid).__name__
        raise InputError(
            f"contact '{contact.name}' of machine '{machine}' has a {kind}, which rolls: points and corners of boxes "
            "can stick in a linear model"
        )
    i, j, k = [(i, j, k) for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)][corner]
    a, b, c = contact.solid.size
    return Transform((i * a / 2, j * b / 2, k * c / 2))


def _placed(carrier: Array, point: Array, axes: Array) -> Transform:
    """Frame at a point of the surface in the frame of its carrier, with the normal as third axis."""
    R, origin = carrier[:3, :3], carrier[:3, 3]
    normal, tangent = axes[0], axes[1]
    turned = R.T @ np.column_stack([tangent, np.cross(normal, tangent), normal])
    return as_transform((R.T @ (point - origin)).tolist(), "a contact") @ Transform(rotation=_matrix(turned))


def _matrix(R: Array) -> Matrix:
    a, b, c = ((float(x), float(y), float(z)) for x, y, z in R)
    return a, b, c
