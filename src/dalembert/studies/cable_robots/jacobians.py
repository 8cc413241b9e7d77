"""The printed Jacobians against automatic differentiation of the constraint itself."""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from dalembert.core.types import Array
from dalembert.model.cables import CABLE_EXITS
from dalembert.studies.cable_robots.printed import Pulley

__all__ = ["errors"]


def _constraint(swivel: str) -> ca.Function:
    """``Phi`` of CDPR (23) and its derivatives along a motion, by automatic differentiation."""
    b, bdot, d = ca.SX.sym("b", 3), ca.SX.sym("bdot", 3), ca.SX.sym("d", 3)
    sigma, sigmadot, theta, thetadot = (ca.SX.sym(n) for n in ("sigma", "sigmadot", "theta", "thetadot"))
    radius, drum, l_0 = (ca.SX.sym(n) for n in ("radius", "drum", "l0"))
    R = ca.SX.eye(3)
    if swivel == "fixed":
        c, s = ca.cos(sigma), ca.sin(sigma)
        R = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
    length = CABLE_EXITS[swivel].path(b, d, R, radius).length
    phi = length**2 - (l_0 + drum * theta) ** 2
    x, rate = ca.vertcat(b, sigma, theta), ca.vertcat(bdot, sigmadot, thetadot)
    J = ca.jacobian(phi, x)
    arguments = [b, bdot, d, radius, drum, l_0, sigma, sigmadot, theta, thetadot]
    return ca.Function("phi", arguments, [phi, ca.densify(J), ca.densify(ca.jtimes(J.T, x, rate))])


def _states(n: int, seed: int) -> Iterator[tuple[Array, ...]]:
    rng = np.random.default_rng(seed)
    for _ in range(n):
        d = rng.normal(size=3)
        b = d + np.array([rng.uniform(0.5, 3.0), rng.uniform(0.3, 3.0), -rng.uniform(0.2, 3.0)])
        yield d, b, rng.normal(size=3), rng.normal(size=4), rng.uniform(0.02, 0.12, size=1)


def errors(n: int = 50, seed: int = 3) -> dict[str, float]:
    """Largest relative differences between the printed formulas and automatic differentiation over random states."""
    worst = dict.fromkeys(["phi", "anchor", "anchor_dot", "theta", "sigma", "sigma_dot", "anchor_fixed"], 0.0)

    def note(name: str, printed: Array | float, exact: Array | float) -> None:
        scale = max(1.0, float(np.max(np.abs(exact))))
        worst[name] = max(worst[name], float(np.max(np.abs(np.asarray(printed) - exact))) / scale)

    free, fixed = _constraint("free"), _constraint("fixed")
    for d, b, bdot, extra, radius in _states(n, seed):
        r, drum, l_0 = float(radius[0]), 0.03, 2.0
        theta, thetadot = float(extra[0]), float(extra[1])
        cable = Pulley(r, np.eye(3), d, b, bdot, drum, l_0, theta, thetadot)
        common = (b, bdot, d, r, drum, l_0)
        phi, J, Jdot = (np.array(x.full()) for x in free(*common, 0.0, 0.0, theta, thetadot))
        note("phi", cable.phi, phi[0, 0])
        note("anchor", cable.by_anchor, J[0, :3])
        note("anchor_dot", cable.by_anchor_dot, Jdot[:3, 0])
        note("theta", np.array([cable.by_theta, cable.by_theta_dot]), np.array([J[0, 4], Jdot[4, 0]]))
        sigma, sigmadot = float(cable.sigma or 0.0) + 0.1 * float(extra[2]), float(extra[3])
        swung = Pulley(r, np.eye(3), d, b, bdot, drum, l_0, theta, thetadot, sigma, sigmadot)
        _, J, Jdot = (np.array(x.full()) for x in fixed(*common, sigma, sigmadot, theta, thetadot))
        note("sigma", swung.by_sigma, J[0, 3])
        note("sigma_dot", swung.by_sigma_dot, Jdot[3, 0])
        note("anchor_fixed", swung.by_anchor_fixed_plane, J[0, :3])
    return worst
