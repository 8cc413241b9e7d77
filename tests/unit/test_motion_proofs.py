"""Proofs along motions of joints: their Lyapunov functions fall along linear models that `linearize` derives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.linearize import law_gain
from dalembert.control import linear_feedback
from dalembert.control.varying import motion_stability
from dalembert.systems.flexible_arms import planar_arm


def hoist(damping: float = 8.0) -> da.Machine:
    return da.Machine(
        "hoist",
        bodies=[da.Body("rope"), da.point_mass("load", 2.0)],
        joints=[
            da.Joint("sway", "revolute", "world", "rope", axis="y", damping=damping),
            da.Joint("l", "prismatic", "rope", "load", axis="-z"),
        ],
        motors=[da.Motor("F", "l")],
    )


def follow(machine: da.Machine, at=None, w: float = 4.0):
    """A law of proportional and derivative gains of each motor on its own joint."""
    eom = da.equations(machine, backend="vm")
    q = eom.q_neutral.copy()
    for name, x in (at or {}).items():
        q[eom.q_names.index(name)] = x
    inertia = np.diag(eom.mass_matrix(q))
    joints = [m.joint for m in machine.motors]
    J = np.array([inertia[next(b.v.start for b in eom.layout.blocks if b.name == j)] for j in joints])
    K = np.hstack([np.diag(w**2 * J), np.diag(1.4 * w * J)])
    measured = [*joints, *(f"{j}_dot" for j in joints)]
    return linear_feedback(machine, K, measured=measured, controls=[m.name for m in machine.motors], at=at)


def arm() -> da.Machine:
    machine = planar_arm()
    return machine.with_(
        bodies=tuple(replace(b, damping=0.02) if isinstance(b, da.Beam) else b for b in machine.bodies)
    )


def spatial() -> da.Machine:
    """An arm of three joints about different axes, with gravity, of which two move."""
    return da.Machine(
        "spatial",
        bodies=[
            da.Body("a", 2.0, com=(0.2, 0.1, 0.0), inertia=(0.1, 0.2, 0.2)),
            da.Body("b", 1.5, com=(0.3, 0.0, 0.1), inertia=(0.02, 0.1, 0.1)),
            da.Body("c", 1.0, com=(0.1, 0.2, 0.0), inertia=(0.05, 0.03, 0.05)),
        ],
        joints=[
            da.Joint("q1", "revolute", "world", "a", axis="z"),
            da.Joint("q2", "revolute", "a", "b", origin=(0.4, 0, 0), axis="y"),
            da.Joint("q3", "revolute", "b", "c", origin=(0.5, 0, 0), axis="x"),
        ],
        motors=[da.Motor(f"u{k}", f"q{k}") for k in (1, 2, 3)],
    )


CASES = {
    "hoist": (hoist(), {"l": 2.0}, {"l": (1.0, 3.0)}, {"l": (0.4, 1.0)}),
    "arm": (arm(), None, {"theta1": (-3.0, 3.0), "theta2": (-2.0, 2.0)}, {"theta1": (0.5, 0.5), "theta2": (0.5, 0.5)}),
    "spatial": (spatial(), None, {"q2": (-1.0, 1.0), "q3": (-7.0, 7.0)}, {"q2": (0.4, 0.6), "q3": (0.4, 0.6)}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_function_falls_along_linear_models_of_the_machine(name: str) -> None:
    """``V`` and ``V'`` with ``A`` and all rates by differences of the machine's functions along the motion."""
    machine, at, ranges, motion = CASES[name]
    law = follow(machine, at, 12.0 if name == "spatial" else 4.0)
    proof = motion_stability(machine, law, ranges, motion, at=at, decay=0.05)
    assert proof.proven and proof.margin > 0.0, proof.message
    assert proof.guaranteed is (name != "arm") and bool(proof.bent) is (name == "arm")
    eom = da.equations(machine, backend="vm")
    gain = law_gain(eom, law, at)
    scale, rng, nv, h = proof.energy.scales, np.random.default_rng(7), eom.nv, 1e-6
    for _ in range(8):
        q, v, a = eom.q_neutral.copy(), np.zeros(nv), np.zeros(nv)
        for n, x in (at or {}).items():
            q[eom.q_names.index(n)] = x
        for n, (rate, push) in motion.items():
            i = next(b.v.start for b in eom.layout.blocks if b.name == n)
            q[eom.q_names.index(n)] = rng.uniform(*ranges[n])
            v[i], a[i] = rate * rng.choice([-1.0, 0.3, 1.0]), push * rng.choice([-1.0, 1.0])
        A, M = closed(eom, gain, q, v, a), eom.mass_matrix(q)
        P, later, before = (lyapunov(eom, proof.energy, gain, q + s * h * v) for s in (0.0, 1.0, -1.0))
        fall = P @ A + A.T @ P + (later - before) / (2 * h) + 4 * 0.05 * P / 2
        assert np.allclose(P[nv:, nv:], M)
        assert np.linalg.eigvalsh(scale[:, None] * P * scale)[0] > 0.0
        assert np.linalg.eigvalsh(scale[:, None] * fall * scale)[-1] < 0.0


def closed(eom, gain, q, v, a):
    """The loop about a motion, by differences of the forward dynamics; forces that no motor balances stay."""
    nv, h = eom.nv, 1e-6
    inputs = np.column_stack([eom.applied(q, v, e) - eom.applied(q, v, 0 * e) for e in np.eye(eom.nu)])
    force = eom.inverse_dynamics(q, v, a) - eom.applied(q, v, np.zeros(eom.nu))

    def accelerations(e):
        return eom.forward_dynamics(
            q + e[:nv], v + e[nv:], force + eom.applied(q + e[:nv], v + e[nv:], np.zeros(eom.nu))
        )

    A = np.column_stack([(accelerations(h * e) - accelerations(-h * e)) / (2 * h) for e in np.eye(2 * nv)])
    return np.vstack([np.eye(2 * nv)[nv:], A + np.linalg.solve(eom.mass_matrix(q), inputs) @ gain])


def lyapunov(eom, energy, gain, q):
    """The function at a position, with the stiffness at rest by differences of the bias."""
    nv, h, zero = eom.nv, 1e-6, np.zeros(eom.nv)
    inputs = np.column_stack([eom.applied(q, zero, e) - eom.applied(q, zero, 0 * e) for e in np.eye(eom.nu)])
    K = np.column_stack([(eom.bias(q + h * e, zero) - eom.bias(q - h * e, zero)) / (2 * h) for e in np.eye(nv)])
    K = K - inputs @ gain[:, :nv]
    M = eom.mass_matrix(q)
    return np.block([[(K + K.T) / 2 + energy.X, energy.S @ M], [(energy.S @ M).T, M]])


def test_loops_that_are_unstable_somewhere_are_not_proven() -> None:
    """A spring that holds the straight arm only: with gravity it falls over where the arm is turned up."""
    machine, _, ranges, _ = CASES["spatial"]
    weak = motion_stability(machine, follow(machine, w=2.0), ranges, dict.fromkeys(ranges, (0.01, 0.01)))
    assert not weak.proven and weak.energy is None and not weak.guaranteed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"motion": {}}, "at least one joint"),
        ({"motion": {"l": 0.4}}, "a rate and an acceleration"),
        ({"motion": {"l": (-0.4, 1.0)}}, "motion of 'l'"),
        ({"motion": {"rope": (0.4, 1.0)}, "ranges": {"rope": (0.0, 1.0)}}, "no revolute or prismatic joint"),
        ({"ranges": {}}, "has a motion but no range"),
        ({"ranges": {"l": (1.0, 3.0), "sway": (0.0, 1.0)}}, "'sway' has a range but no motion"),
        ({"ranges": {"l": (3.0, 1.0)}}, "two increasing numbers"),
        ({"law": da.PID(kp=1.0, ki=1.0, kd=1.0, reference=[0.0])}, "without states"),
        ({"decay": "fast"}, "decay"),
    ],
)
def test_bad_input_is_refused(change, message) -> None:
    machine, at, ranges, motion = CASES["hoist"]
    given = {"law": follow(machine, at), "ranges": ranges, "motion": motion, "at": at} | change
    with pytest.raises(da.DalembertError, match=message):
        motion_stability(machine, given.pop("law"), given.pop("ranges"), given.pop("motion"), **given)


def test_loops_that_are_no_polynomials_are_refused() -> None:
    machine, at, ranges, motion = CASES["hoist"]

    class Tangent:
        def state_names(self, eom):
            return ()

        def initial_state(self, eom):
            return np.zeros(0)

        def expression(self, eom, t, q, v, z, p):
            return -30.0 * q[1] ** 3 * q[0] ** 2 - 30.0 * v[1] * q[1] ** 3, z

    with pytest.raises(da.DalembertError, match="not a polynomial of the motion"):
        motion_stability(machine, Tangent(), ranges, motion, at=at)


@pytest.mark.slow
def test_pairs_of_runs_approach_each_other_as_proven() -> None:
    from dalembert.loop.motion_pairs import attack
    from dalembert.studies.robust_control.envelopes import arm_case

    case = arm_case()
    proof = case.proof()
    assert proof.proven and not proof.guaranteed
    short = replace(case, duration=0.5, step=5e-3)
    ratios = attack(short, proof, 16, 0)
    assert (ratios < 1.0).all() and ratios.max() > 1e-6
    forward = short.members(8, 1)
    reaches = forward["p"]["theta1_reach"]
    assert forward["q0"].shape[0] == 16 and np.array_equal(reaches[::2], reaches[1::2])
    eom = short.eom
    for j, (rate, push) in case.motion.items():
        reach, omega, middle = (forward["p"][f"{j}_{x}"] for x in ("reach", "omega", "middle"))
        assert (reach * omega <= rate * (1 + 1e-12)).all() and (reach * omega**2 <= push * (1 + 1e-12)).all()
        assert (np.abs(middle) + reach <= case.ranges[j][1] + 1e-12).all() and j in eom.q_names


def test_the_margin_is_below_the_inequalities_at_all_nodes_and_between() -> None:
    """What lies between the nodes, and rounding, is taken off."""
    from dalembert.control.varying import motion_loop
    from dalembert.control.varying.motions import proven_motion

    machine, at, ranges, motion = CASES["hoist"]
    loop = motion_loop(machine, follow(machine, at), ranges, motion, at=at)
    proof = proven_motion(loop)
    assert proof.proven and proof.energy is not None
    scale, least = proof.energy.scales, np.inf
    for x in np.linspace(-1.0, 1.0, 4 * (proof.nodes - 1) + 1):
        place = loop.family.at([float(x)])
        for corner in loop.family.vertices:
            parts = np.tensordot(corner, place, 1)
            for matrix in (proof.energy.fall(parts), proof.energy.value(place[0])):
                least = min(least, float(np.linalg.eigvalsh(scale[:, None] * matrix * scale)[0]))
    assert 0.4 * least < proof.margin < least
