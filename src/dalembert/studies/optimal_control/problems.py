"""Machines and plans of the reference problems, each with its closed form for any data."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import dalembert as da
from dalembert.optimal import OptimalPlan

__all__ = [
    "brachistochrone", "bryson_denham", "double_integrator", "least_energy", "least_time", "regulator", "trapezoid",
    "wall",
]  # fmt: skip

GRAVITY = 9.81
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_TIGHT = 1e-9  # errors of the grid


def _cart(mass: float = 1.0, effort: float = math.inf, contacts: tuple[da.Contact, ...] = ()) -> da.Machine:
    return da.Machine(
        "cart", (da.point_mass("m", mass),), (da.Joint("x", "prismatic", "world", "m", axis=X),),
        motors=(da.Motor("F", "x", effort=effort),), gravity=(0, 0, 0), contacts=contacts,
    )  # fmt: skip


def double_integrator(mass: float = 1.0, d: float = 1.0, T: float = 1.0) -> tuple[OptimalPlan, float]:
    """Least integral of the squared force between two rests: ``12 m^2 d^2 / T^3``."""
    return da.optimise(_cart(mass), end={"x": d}, duration=T), 12.0 * mass**2 * d**2 / T**3


def bryson_denham(limit: float = 1.0 / 9.0, speed: float = 1.0, T: float = 1.0) -> tuple[OptimalPlan, float]:
    """Half the integral of the squared force from a speed to the opposite one, with the way limited.

    ``4 V^2 / (9 T l)`` with ``l = limit / (V T) <= 1 / 6`` (Bryson and Ho, Applied Optimal Control, 3.11).
    """
    plan = da.optimise(
        _cart(), start=da.Start(v={"x_dot": speed}), end={"x": 0.0, "x_dot": -speed}, duration=T,
        limits={"x": (None, limit)}, cost=da.Cost(effort=0.5),
    )  # fmt: skip
    return plan, 4.0 * speed**2 / (9.0 * T * limit / (speed * T))


def trapezoid(d: float = 1.0, acceleration: float = 1.0, speed: float = 0.5) -> tuple[OptimalPlan, float]:
    """Least time with limits of acceleration and speed: ``d / v + v / a``."""
    exact = d / speed + speed / acceleration
    plan = da.optimise(
        _cart(effort=acceleration), end={"x": d}, duration=(0.2 * exact, 5.0 * exact),
        limits={"x_dot": (-speed, speed)}, cost=da.Cost(time=1.0),
    )  # fmt: skip
    return plan, exact


def regulator(q: float = 1.0, r: float = 1.0, T: float = 1.0) -> tuple[OptimalPlan, float]:
    """Least integral of ``q x^2 + r u^2`` for ``x' = u`` from ``x = 1``: ``sqrt(q r) tanh(T sqrt(q / r))``."""
    plan = da.optimise(
        _cart(), start=da.Start(v={"x_dot": 1.0}), free=("x_dot",), duration=T,
        cost=da.Cost(states={"x_dot": q}, effort=r),
    )  # fmt: skip
    return plan, math.sqrt(q * r) * math.tanh(T * math.sqrt(q / r))


def _linear_crane(length: float, effort: float) -> da.Machine:
    """Trolley and load of a crane with small swings: a mass that a force pushes along both axes, one with a spring."""
    return da.Machine(
        "linear crane", (da.Body("bridge"), da.point_mass("load", 1.0)),
        (
            da.Joint("x", "prismatic", "world", "bridge", axis=X),
            da.Joint("y", "prismatic", "bridge", "load", axis=Y, stiffness=GRAVITY / length),
        ),
        thrusters=(da.Thruster("a", "load", force=(1, -1, 0), effort=effort),), gravity=(0, 0, 0),
    )  # fmt: skip


def least_time(d: float = 5.0, acceleration: float = 1.0, length: float = 4.0) -> tuple[OptimalPlan, float]:
    """Least time of a linear crane between two rests.

    Switches at ``T / 2`` and ``T / 2 -+ w`` with ``d = a (T^2 / 4 - 2 w^2)`` and ``1 - 2 cos(omega w) + cos(omega T /
    2) = 0``, the distance and the rest of the load.
    """
    from scipy.optimize import brentq

    omega = math.sqrt(GRAVITY / length)

    def duration(w: float) -> float:
        return 2.0 * math.sqrt(d / acceleration + 2.0 * w * w)

    def swing(w: float) -> float:
        return 1.0 - 2.0 * math.cos(omega * w) + math.cos(omega * duration(w) / 2.0)

    grid = np.linspace(0.0, math.pi / omega, 2001)
    values = np.array([swing(w) for w in grid])
    k = int(np.flatnonzero(np.diff(np.sign(values)))[0])
    exact = duration(float(brentq(swing, grid[k], grid[k + 1], xtol=1e-15)))
    plan = da.optimise(
        _linear_crane(length, acceleration), end={"x": d, "y": 0.0}, duration=(0.4 * exact, 2.5 * exact),
        cost=da.Cost(time=1.0), tolerance=_TIGHT,
    )  # fmt: skip
    return plan, exact


def least_energy(d: float = 5.0, T: float = 6.0, length: float = 4.0) -> tuple[OptimalPlan, float]:
    """Least integral of the squared acceleration of a linear crane: ``z^T W^-1 z`` with its Gramian ``W``."""
    from scipy.linalg import expm

    w2 = GRAVITY / length
    A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, -w2, 0, 0.0]])
    B = np.array([[0], [0], [1], [-1.0]])
    E = expm(np.block([[-A, B @ B.T], [np.zeros((4, 4)), A.T]]) * T)  # Van Loan
    W = E[4:, 4:].T @ E[:4, 4:]
    z = np.array([d, 0, 0, 0])
    plan = da.optimise(_linear_crane(length, math.inf), end={"x": d, "y": 0.0}, duration=T, tolerance=_TIGHT)
    return plan, float(z @ np.linalg.solve(W, z))


def wall(e: float = 0.5, T: float = 2.0, d: float = 1.0) -> tuple[OptimalPlan, tuple[float, float]]:
    """Least integral of the squared force to a wall, with an impact, and back to rest; cost, and time of the impact.

    Each part is a cubic; speed and time of the impact make the sum of their costs stationary.
    """
    from scipy.optimize import fsolve, minimize

    def cost(x: np.ndarray) -> float:
        (v, t), s = x, T - x[1]
        there = 12 * d**2 / t**3 - 12 * d * v / t**2 + 4 * v**2 / t
        return float(there + 12 * d**2 / s**3 - 12 * d * e * v / s**2 + 4 * (e * v) ** 2 / s)

    def slope(x: np.ndarray) -> list[float]:
        (v, t), s, w = x, T - x[1], e * x[0]
        by_v = -12 * d / t**2 + 8 * v / t + e * (-12 * d / s**2 + 8 * w / s)
        by_t = -36 * d**2 / t**4 + 24 * d * v / t**3 - 4 * v**2 / t**2
        return [by_v, by_t + 36 * d**2 / s**4 - 24 * d * w / s**3 + 4 * w**2 / s**2]

    near = minimize(cost, [1.8 * d / T * 2, 0.45 * T], method="Nelder-Mead").x
    best = np.asarray(fsolve(slope, near, xtol=1e-12))
    contact = da.Contact("wall", "m", surface=da.HalfSpace((-1, 0, 0), (d, 0, 0)), restitution=e)
    both = (0.05 * T, 0.95 * T)
    phases = (da.Phase("there", both, impact="wall"), da.Phase("back", both))
    plan = da.optimise(_cart(contacts=(contact,)), end={"x": 0.0}, phases=phases, duration=T, solver_tolerance=1e-12)
    return plan, (cost(best), float(best[1]))


def brachistochrone(across: float = 2.0, down: float = 2.0) -> tuple[OptimalPlan, float]:
    """Least time of a bead from rest along a wire: ``theta sqrt(r / g)`` on a cycloid.

    The wire pushes across the motion: its force is the speed times a steering ``s'``, which is free. The optimal one
    is constant.
    """
    from scipy.optimize import brentq

    theta = float(brentq(lambda x: (x - math.sin(x)) / (1 - math.cos(x)) - across / down, 1e-3, 2 * math.pi - 1e-3))
    exact = theta * math.sqrt(down / (1 - math.cos(theta)) / GRAVITY)
    bead = da.Machine(
        "bead", (da.Body("bridge"), da.point_mass("m", 1.0), da.point_mass("steering", 1.0)),
        (
            da.Joint("s", "prismatic", "world", "steering", axis=X),
            da.Joint("x", "prismatic", "world", "bridge", axis=X),
            da.Joint("z", "prismatic", "bridge", "m", axis=Z),
        ),
        motors=(da.Motor("N", "s"), da.Motor("Fx", "x"), da.Motor("Fz", "z")),
    )  # fmt: skip
    s, x, z = range(3)
    Fx, Fz = 1, 2
    guess: Callable[[np.ndarray], np.ndarray] = lambda t: np.column_stack(  # noqa: E731
        [3 * t, across * (t / t[-1]) ** 2, -down * (t / t[-1]) ** 1.5]
    )
    plan = da.optimise(
        bead, end={"x": across, "z": -down}, free=("x_dot", "z_dot", "s_dot"), free_start=("s_dot",),
        duration=(0.4 * exact, 4.0 * exact), cost=da.Cost(time=1.0, inputs={"N": 1e-11}),
        limits={"s_dot": (-8, 8), "N": (-20, 20)}, guess=guess, refinements=2, tolerance=1e-8,
        equal=lambda t, q, v, u: [u[Fx] + v[s] * v[z], u[Fz] - v[s] * v[x]],
    )  # fmt: skip
    return plan, exact
