"""Inertia of bodies: the library's formulas as expressions, and integrals over the volume that know none of them."""

from __future__ import annotations

import numpy as np
from casadi import DM

from dalembert import Body, Joint, Machine, Parameter, box, closed_form, hollow_cylinder
from dalembert.analysis.closed_form.form import ClosedForm
from dalembert.core.types import Array
from dalembert.formulations.natural.body import mass_matrix
from dalembert.spatial.rotations import numpy, rotation_about
from dalembert.studies.expected import Formula

__all__ = ["box_error", "cylinder_error", "euler_errors", "euler_inertia", "shapes", "steiner"]


def _about_joint(body: Body) -> ClosedForm:
    """Closed form whose mass matrix is the inertia of a body about the origin of its frame: a spherical joint there."""
    machine = Machine("body", bodies=(body,), joints=(Joint("s", "spherical", "world", body.name),))
    return closed_form(machine)


def _diagonal(form: ClosedForm) -> Formula:
    return Formula.of(form, form.mass_matrix.diagonal().T)


def steiner() -> Formula:
    """Inertia of a general body about the origin of its frame, from which its centre of mass lies at ``r``."""
    p = {k: Parameter(k, x) for k, x in {"m": 2.0, "r_x": 0.1, "r_y": -0.2, "r_z": 0.3}.items()}
    values = {"I_xx": 0.5, "I_yy": 0.6, "I_zz": 0.7, "I_xy": 0.01, "I_xz": -0.02, "I_yz": 0.03}
    inertia = tuple(Parameter(k, x) for k, x in values.items())
    form = _about_joint(Body("b", p["m"], (p["r_x"], p["r_y"], p["r_z"]), inertia))  # type: ignore[arg-type]
    return Formula.of(form, form.mass_matrix)


def _moments(points: Array, weights: Array) -> Array:
    """Diagonal of the inertia of a cloud of points (3, n) with masses."""
    squares = points**2 @ weights
    return np.array([squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]])


def _gauss(low: float, high: float) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(4)
    return (high + low) / 2 + (high - low) / 2 * x, (high - low) / 2 * w


def _numeric(body: Body) -> Array:
    return np.array([float(body.inertia[i][i]) for i in range(3)])


_MASS, _SIDES = 2.3, (0.7, 0.4, 0.25)


def _box_cloud() -> tuple[Array, Array]:
    """Points (3, n) and masses whose second moments are those of a box."""
    axes = [_gauss(-s / 2, s / 2) for s in _SIDES]
    points = np.stack([x.ravel() for x in np.meshgrid(*[a[0] for a in axes], indexing="ij")])
    volume = np.prod([w.ravel() for w in np.meshgrid(*[a[1] for a in axes], indexing="ij")], axis=0)
    return points, np.asarray(_MASS / np.prod(_SIDES) * volume)


def box_error() -> float:
    """Largest relative difference of a box's moments from the integral over its volume."""
    return float(np.max(np.abs(_numeric(box("b", _MASS, _SIDES)) / _moments(*_box_cloud()) - 1.0)))


def euler_inertia() -> Formula:
    """Inertia matrix of a body with Euler's matrix J: Hessian of tr(S(w) J S(w)^T)/2 in the angular velocity w."""
    import sympy

    x, y, z = w = sympy.symbols("w_x w_y w_z")
    names = [["J_xx", "J_xy", "J_xz"], ["J_xy", "J_yy", "J_yz"], ["J_xz", "J_yz", "J_zz"]]
    J = sympy.Matrix([[sympy.Symbol(name) for name in row] for row in names])
    S = sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    I = sympy.hessian(sympy.Rational(1, 2) * (S * J * S.T).trace(), w).applyfunc(sympy.expand)
    return Formula(I, "; ".join(", ".join(str(I[i, j]) for j in range(3)) for i in range(3)))


def euler_errors() -> dict[str, float]:
    """Euler's matrix of a box turned out of its axes, as natural coordinates carry it: CDPR (11) to (13).

    ``volume``: largest difference from the integral of r r^T. ``inertia``: of tr(J) 1 - J from the inertia matrix. Both
    relative to the largest entry.
    """
    R = numpy(rotation_about(DM([2.0, -1.0, 2.0]) / 3.0, 0.7))
    points, weights = _box_cloud()
    points = R @ points
    inertia = R @ np.diag(_numeric(box("b", _MASS, _SIDES))) @ R.T
    M = np.array(mass_matrix(_MASS, np.zeros(3), DM(inertia)).full())
    J = M[3::3, 3::3]
    integral = (points * weights) @ points.T
    return {
        "volume": float(np.abs(J - integral).max() / np.abs(integral).max()),
        "inertia": float(np.abs(np.trace(J) * np.eye(3) - J - inertia).max() / np.abs(inertia).max()),
    }


def cylinder_error() -> float:
    """Largest relative difference of a tube's moments (axis x) from the integral over its volume."""
    m, a, b, h = 1.7, 0.12, 0.09, 0.6
    x, wx = _gauss(-h / 2, h / 2)
    r, wr = _gauss(b, a)
    angle = np.arange(8) * (2 * np.pi / 8)
    X, R, A = (y.ravel() for y in np.meshgrid(x, r, angle, indexing="ij"))
    weights = (wx[:, None, None] * (wr * r)[None, :, None] * np.full(8, 2 * np.pi / 8)).ravel()
    density = m / (np.pi * (a**2 - b**2) * h)
    integral = _moments(np.stack([X, R * np.cos(A), R * np.sin(A)]), density * weights)
    return float(np.max(np.abs(_numeric(hollow_cylinder("c", m, a, b, h)) / integral - 1.0)))


def shapes() -> tuple[Formula, Formula, Formula]:
    """Inertia of a box and of a tube about their centres, and of a tube about its end, as expressions."""
    m, a, b, c, h = (Parameter(k, x) for k, x in (("m", 2.0), ("a", 0.5), ("b", 0.3), ("c", 0.2), ("h", 0.9)))
    centred = _diagonal(_about_joint(box("box", m, (a, b, c))))
    tube = _diagonal(_about_joint(hollow_cylinder("tube", m, a, b, h)))
    end = _about_joint(hollow_cylinder("tube", m, a, b, h, com=(h / 2.0, 0.0, 0.0)))
    return centred, tube, Formula.of(end, end.mass_matrix[2, 2])
