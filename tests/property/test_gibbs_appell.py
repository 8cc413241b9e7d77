"""Gibbs-Appell's equations against Newton-Euler's and Lagrange's, term by term where the document has terms."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.formulations.tree.gibbs_appell.formulation import GibbsAppell
from support.comparison import difference
from support.flexible_machines import random_flexible_machine, random_flexible_state
from support.random_machines import random_machine, random_state

TOLERANCE = 1e-10
PLANE = ("clamped-free", "clamped-clamped", "free-free", "pinned-free")


def planar_chain(
    n: int, m: int, seed: int = 0, *, boundary: str = "clamped-free", base: str = "planar", **fields: Any
) -> da.Machine:
    """The document's chain: links in a plane with m bending modes each, on a base that moves."""
    rng = np.random.default_rng(seed)
    bodies = [
        da.Beam(
            f"link{i}",
            float(rng.uniform(0.5, 1.5)),
            da.Section(1e-4 * float(rng.uniform(0.5, 1.5)), I_y=1e-6, I_z=2e-6),
            1e9,
            4e8,
            1e4,
            modes={"y": m} if m else {},
            boundary=boundary,
            **fields,
        )
        for i in range(n)
    ]
    joints = [da.Joint("base", base, "world", "link0", axis=(0, 0, 1))]
    joints += [
        da.Joint(f"q{i}", "revolute", f"link{i - 1}.tip", f"link{i}", axis=(0, 0, float(rng.choice([-1, 1]))))
        for i in range(1, n)
    ]
    return da.Machine("chain", bodies, joints, gravity=(0, -9.81, 0))


def spatial_chain(n: int, modes: dict[str, int], seed: int = 0, **fields: Any) -> da.Machine:
    """Links that bend both ways, stretch and twist, on a free base, with skew joints between."""
    rng = np.random.default_rng(seed)
    section = da.Section(2e-3, I_y=3e-6, I_z=1e-6, I_yz=5e-7)
    bodies = [da.Beam(f"link{i}", 1.0, section, 1e9, 4e8, 1500.0, modes=modes, **fields) for i in range(n)]
    joints = [da.Joint("base", "free", "world", "link0")]
    for i in range(1, n):
        origin = da.Transform.quaternion(rng.normal(size=4), tuple(rng.normal(size=3) * 0.2))
        axis = tuple(rng.normal(size=3))
        joints.append(da.Joint(f"q{i}", "revolute", f"link{i - 1}.tip", f"link{i}", origin, axis=axis))
    return da.Machine("spatial chain", bodies, joints, gravity=(1.0, -2.0, -9.81))


def compare(machine: da.Machine, seed: int, *others: str) -> None:
    """Compare everything at a state whose beams are bent visibly."""
    eom = da.equations(machine, by="gibbs-appell", backend="vm")
    q, v, a, tau = random_flexible_state(eom, seed)
    for by in others:
        other = da.equations(machine, by=by, backend="vm")
        assert difference(eom.mass_matrix(q), other.mass_matrix(q)) < TOLERANCE
        for name, given in (("bias", (q, v)), ("gravity", (q,)), ("inverse_dynamics", (q, v, a))):
            assert difference(getattr(eom, name)(*given), getattr(other, name)(*given)) < TOLERANCE, name
        for name in ("energy", "momentum"):
            assert difference(getattr(eom, name)(q, v), getattr(other, name)(q, v)) < TOLERANCE, name
        assert difference(eom.center_of_mass(q), other.center_of_mass(q)) < TOLERANCE
        frame = f"{machine.bodies[-1].name}.tip" if isinstance(machine.bodies[-1], da.Beam) else "beam1.middle"
        assert difference(eom.jacobian(frame, q), other.jacobian(frame, q)) < TOLERANCE
        # Accelerations carry the condition of M: compared by the forces that they need, relative to the terms of these.
        made = eom.forward_dynamics(q, v, tau)
        terms = np.abs(other.mass_matrix(q)) @ np.abs(made)
        assert difference(other.inverse_dynamics(q, v, made), tau, terms) < TOLERANCE


@pytest.mark.parametrize("boundary", PLANE)
@pytest.mark.parametrize("rotary", [False, pytest.param(True, marks=pytest.mark.slow), "rigid"])
def test_planar_chains_agree(boundary: str, rotary: bool | str) -> None:
    machine = planar_chain(3, 2, boundary=boundary, rotary_inertia=rotary)
    compare(machine, 1, "newton-euler")
    if boundary in ("clamped-free", "free-free"):
        compare(planar_chain(2, 1, boundary=boundary, rotary_inertia=rotary), 2, "lagrange")


def test_sections_that_turn_with_the_link_only() -> None:
    """They add the inertia of all sections to the angle of the link, and nothing to its modes: B_10 of IMPACT (16)."""
    none, rigid = (da.equations(planar_chain(1, 2, rotary_inertia=kind), backend="vm") for kind in (False, "rigid"))
    q = np.array([0.1, 0.2, 0.3, 0.02, -0.01])
    beam = rigid.machine.bodies[0]
    assert isinstance(beam, da.Beam)
    expected = np.zeros((5, 5))
    expected[2, 2] = 1e4 * 2e-6 * beam.length
    np.testing.assert_allclose(rigid.mass_matrix(q) - none.mass_matrix(q), expected, atol=1e-12)
    assert da.load_machine(rigid.machine.to_yaml()) == rigid.machine


def test_rigid_links_are_those_without_modes() -> None:
    compare(planar_chain(4, 0), 1, "newton-euler", "lagrange")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        pytest.param({"rotary_inertia": False}, marks=pytest.mark.slow),
        pytest.param({"rotary_inertia": "rigid"}, marks=pytest.mark.slow),
        pytest.param({"stiffening": True}, marks=pytest.mark.slow),
    ],
)
def test_spatial_chains_agree(fields: dict[str, bool | str]) -> None:
    twist = {} if "rotary_inertia" in fields else {"torsion": 1}
    compare(spatial_chain(3, {"x": 1, "y": 1, "z": 1} | twist, **fields), 3, "newton-euler")
    compare(spatial_chain(1 if "stiffening" in fields else 2, {"y": 1, "z": 1}, **fields), 4, "lagrange")


@pytest.mark.parametrize("seed", range(4))
def test_trees_agree(seed: int) -> None:
    compare(random_flexible_machine(seed, 4), seed, "newton-euler")


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 4, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 3, 5, 6))])
@pytest.mark.parametrize("m", range(1, 5))
def test_random_chains_agree(n: int, m: int) -> None:
    """Up to six links with up to four modes; Lagrange's equations of small ones and the largest."""
    boundary = PLANE[(n + m) % len(PLANE)]
    machine = planar_chain(n, m, 10 * n + m, boundary=boundary, rotary_inertia=bool(m % 2))
    compare(machine, n, "newton-euler", *(["lagrange"] if n * m <= 8 or n * m == 24 else []))
    compare(spatial_chain(n, {"y": (m + 1) // 2, "z": m // 2 or 1, "torsion": 1}, m), m, "newton-euler")


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [*range(12, 17), *(pytest.param(k, marks=pytest.mark.long) for k in (10, 11, 17, 18, 19))]
)
def test_random_trees_agree(seed: int) -> None:
    compare(random_flexible_machine(seed, 4), seed, "newton-euler", *(["lagrange"] if seed < 14 else []))
    machine = random_machine(seed, 6, parameters=True)
    eom, other = (da.equations(machine, by=by, backend="vm") for by in ("gibbs-appell", "newton-euler"))
    q, v, a, _ = random_state(eom, seed)
    assert difference(eom.mass_matrix(q), other.mass_matrix(q)) < TOLERANCE
    assert difference(eom.inverse_dynamics(q, v, a), other.inverse_dynamics(q, v, a)) < TOLERANCE


@pytest.mark.parametrize("stiffening", [False, True])
def test_equations_are_the_derivatives_of_the_acceleration_energy(stiffening: bool) -> None:
    """(27)-(29) against automatic differentiation of (5)."""
    machine = spatial_chain(2, {"y": 1, "z": 1, "torsion": 1}, stiffening=stiffening)
    eom = da.equations(machine, by="gibbs-appell", backend="vm")
    x, formulation = eom.symbolic, eom.formulation
    S = formulation.acceleration_energy()  # type: ignore[attr-defined]
    slope = ca.gradient(S, x.a) + formulation.model.spring_force  # type: ignore[attr-defined]
    f = ca.Function("f", [x.q, x.v, x.a], [slope, ca.hessian(S, x.a)[0]])
    q, v, a, _ = random_flexible_state(eom, 5)
    slope, M = (np.array(y.full()) for y in f(q, v, a))
    assert difference(slope[:, 0], eom.inverse_dynamics(q, v, a)) < 1e-12
    assert difference(M, eom.mass_matrix(q)) < 1e-12


def test_angular_accelerations_without_those_of_the_coordinates() -> None:
    """(46), which is zero in the plane: a chain in space whose tips turn about one axis each, where it is exact."""
    machine = spatial_chain(4, {"z": 2}, 7)
    eom = da.equations(machine, by="gibbs-appell", backend="vm")
    x, motion = eom.symbolic, eom.formulation.motion  # type: ignore[attr-defined]
    still = ca.SX(eom.nv, 1)
    states, hops = motion.states(x.v, still), motion.hops
    i = len(hops) - 1
    # iR_k, the elastic rates at the tips and the joint's rates, as the document names them
    R = [ca.SX.eye(3)]
    for hop in reversed(hops[1:]):
        R.insert(0, R[0] @ hop.R.T)
    printed = ca.SX(3, 1)
    for k in range(i):
        hop = hops[k + 1]
        theta = hop.section.twist(x.v[hop.modal])[1]
        own = hop.joint[1] @ x.v[hop.node.v]
        printed += ca.cross(R[k] @ (states[k].w + theta), R[k + 1] @ own) + R[k] @ ca.cross(states[k].w, theta)
    # The rate of w in moving axes for coordinates that do not accelerate; the base's own rate does not change.
    rate = ca.jtimes(states[i].w, x.q, x.coordinate_rate)
    f = ca.Function("f", [x.q, x.v], [printed, states[i].turn, rate])
    q, v, _, _ = random_flexible_state(eom, 3)
    printed, ours, differentiated = (np.array(y.full())[:, 0] for y in f(q, v))
    assert np.abs(printed).max() > 0.1
    assert difference(printed, differentiated) < 1e-12
    assert difference(ours, differentiated) < 1e-12


def test_verify_takes_part() -> None:
    report = da.verify(planar_chain(2, 1), samples=2, tolerance=TOLERANCE)
    assert report.ok, str(report)
    assert ("lagrange", "gibbs-appell") in {row.pair for row in report.rows}


def test_long_chains_are_not_too_deep() -> None:
    """The recursions of the appendix go over pairs of links; Python's stack must not grow with the chain."""
    machine = planar_chain(40, 0)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        GibbsAppell(machine).mass_matrix()
    finally:
        sys.setrecursionlimit(limit)
