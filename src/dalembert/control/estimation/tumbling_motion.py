"""Motion of a body that tumbles freely, errors of its state, and its markers in a stereo camera.

The state (18) is position, velocity, quaternion (w, x, y, z), body rate and five numbers of the inertia; its error (17)
has a rotation vector in body axes in the place of the quaternion.
"""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import Kernel, compile_function
from dalembert.core.types import Array, Expression
from dalembert.spatial.rotations import quaternion_exp, quaternion_matrix, quaternion_product

__all__ = ["apart", "inertia_matrix", "inertia_numbers", "moved", "sight", "stepped"]

_STEP = 0.5  # of the Runge-Kutta steps in a prediction [s]
_NEAR = ca.DM([0.0] * 17)


def inertia_numbers(I: Array) -> Array:
    """Five numbers of an inertia (3, 3): two logarithms and three products, relative to its last moment."""
    J = I / I[2, 2]
    return np.array([np.log(J[0, 0]), np.log(J[1, 1]), J[0, 1], J[0, 2], J[1, 2]])


def inertia_matrix(m: ArrayLike) -> Array:
    """Inertia (3, 3) relative to its last moment, of its five numbers."""
    a, b, c, d, e = np.asarray(m, dtype=float)
    return np.array([[np.exp(a), c, d], [c, np.exp(b), e], [d, e, 1.0]])


def moved(x: Array, d: Array) -> Array:
    """State moved by an error."""
    result = x.copy()
    result[:6] += d[:6]
    half = 0.5 * float(np.linalg.norm(d[6:9]))
    turn = np.array([np.cos(half), *(0.5 * np.sinc(half / np.pi) * d[6:9])])
    Q = _product(x[6:10], turn)
    result[6:10] = Q / np.linalg.norm(Q)
    result[10:] += d[9:]
    return result


def apart(x: Array, y: Array) -> Array:
    """Error that moves ``x`` to ``y``."""
    turn = _product(x[6:10] * np.array([1.0, -1.0, -1.0, -1.0]), y[6:10])
    s = float(np.linalg.norm(turn[1:]))
    w = 2.0 * turn[1:] * np.sign(turn[0]) if s < 1e-9 else 2.0 * np.arctan(s / turn[0]) / s * turn[1:]
    return np.concatenate([y[:6] - x[:6], w, y[10:] - x[10:]])


def _product(a: Array, b: Array) -> Array:
    w, x, y, z = a.tolist()
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ b


def _symbolic_moved(x: Expression, d: Expression) -> Expression:
    return ca.vertcat(x[:6] + d[:6], quaternion_product(x[6:10], quaternion_exp(d[6:9])), x[10:] + d[9:])


def _rates(y: Expression) -> Expression:
    """Rates of position, velocity, quaternion, body rate and inertia (Euler's equations)."""
    Q, w, m = y[6:10], y[10:13], y[13:]
    J = ca.vertcat(
        ca.horzcat(ca.exp(m[0]), m[2], m[3]), ca.horzcat(m[2], ca.exp(m[1]), m[4]), ca.horzcat(m[3], m[4], 1.0)
    )
    turn = 0.5 * quaternion_product(Q, ca.vertcat(0.0, w))
    return ca.vertcat(y[3:6], ca.SX(3, 1), turn, ca.solve(J, -ca.cross(w, J @ w)), ca.SX(5, 1))


def stepped(x: Array, span: float) -> tuple[Array, Array]:
    """State after a time, and the matrix of its errors."""
    steps = max(1, int(np.ceil(span / _STEP - 1e-9)))
    F = np.eye(17)
    for _ in range(steps):
        x, step = _motion()(x, span / steps)
        F = step @ F
    return x, F


@cache
def _motion() -> Kernel:
    """``x, h -> x`` after a step and the matrix of its errors, by a Runge-Kutta step of fourth order."""
    x, d, h = ca.SX.sym("x", 18), ca.SX.sym("d", 17), ca.SX.sym("h")

    def after(y: Expression) -> Expression:
        k1 = _rates(y)
        k2 = _rates(y + h / 2 * k1)
        k3 = _rates(y + h / 2 * k2)
        k4 = _rates(y + h * k3)
        z = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return ca.vertcat(z[:6], z[6:10] / ca.norm_2(z[6:10]), z[10:])

    end, moved = after(x), after(_symbolic_moved(x, d))
    inverse = ca.vertcat(end[6], -end[7:10])
    turn = 2.0 * quaternion_product(inverse, moved[6:10])[1:]  # first order is all that the derivative sees
    change = ca.vertcat(moved[:6] - end[:6], turn, moved[10:] - end[10:])
    F = ca.substitute(ca.jacobian(change, d), d, _NEAR)
    function = ca.Function("tumbling", [x, h], [end, ca.densify(F)], ["x", "h"], ["end", "F"])
    return compile_function(function, shapes={"h": (), "F": (17, 17)}, lanes=False)


@cache
def sight(n: int) -> Kernel:
    """``x, camera pose, n markers, (f / rho, baseline) -> pixels (n, 4) and their derivatives (4 n, 17) by errors``."""
    x, d, C = ca.SX.sym("x", 18), ca.SX.sym("d", 17), ca.SX.sym("camera", 4, 4)
    p, cam = ca.SX.sym("markers", n, 3), ca.SX.sym("lens", 2)

    def seen(y: Expression) -> Expression:
        k, half, rows = cam[0], 0.5 * cam[1], []
        for i in range(n):
            world = y[:3] + quaternion_matrix(y[6:10]) @ p[i, :].T
            s = C[:3, :3].T @ (world - C[:3, 3])
            rows += [k * (s[0] + half) / s[2], k * s[1] / s[2], k * (s[0] - half) / s[2], k * s[1] / s[2]]
        return ca.vertcat(*rows)

    H = ca.substitute(ca.jacobian(seen(_symbolic_moved(x, d)), d), d, _NEAR)
    names, outputs = ["x", "camera", "markers", "lens"], ca.cse([seen(x), ca.densify(H)])
    function = ca.Function(f"sight{n}", [x, C, p, cam], outputs, names, ["pixels", "H"])
    shapes = {"camera": (4, 4), "markers": (n, 3), "H": (4 * n, 17)}
    return compile_function(function, shapes=shapes, lanes=False)
