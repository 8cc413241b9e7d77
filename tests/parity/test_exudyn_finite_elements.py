"""Bodies from finite elements against Exudyn's reduced-order floating frames with the same modes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("exudyn")

from tests.support.finite_element_models import brick_model

import dalembert as da
from dalembert.benchmarks.flexible_arm import FlexibleArm, compare_runs, projected_terms

pytestmark = [pytest.mark.peer, pytest.mark.exudyn]

SIZE = (0.5, 0.03, 0.02)


def bar(name: str) -> da.FlexibleBody:
    model = brick_model((6, 1, 1), SIZE, 70e9, 0.3, 2700.0)
    return model.body(name, {"root": "ROOT", "tip": "TIP"}, 4)


def chain() -> da.Machine:
    """Two bars of bricks and a load, on hinges about z."""
    load = da.Body("load", 0.5, com=(0.02, 0.01, 0.0), inertia=(1e-3, 1e-3, 1e-3))
    joints = [
        da.Joint("a", "revolute", "world", "one"),
        da.Joint("b", "revolute", "one.tip", "two"),
        da.Joint("c", "revolute", "two.tip", "load"),
    ]
    return da.Machine("chain", [bar("one"), bar("two"), load], joints, gravity=(0, 0, 0))


def pendulum() -> da.Machine:
    return da.Machine("pendulum", [bar("one")], [da.Joint("a", "revolute", "world", "one")], gravity=(0, 0, 0))


def in_plane(body: da.FlexibleBody) -> np.ndarray:
    """Modes that move the tip along x and y and turn it about z alone."""
    modes = body.section_modes("tip")
    return np.abs(modes[[2, 3, 4]]).max(axis=0) < 1e-9 * np.abs(modes).max()


@pytest.mark.parametrize("plane", [False, True], ids=["space", "plane"])
@pytest.mark.parametrize("machine", [pendulum(), chain()], ids=["pendulum", "chain"])
def test_mass_matrix_and_accelerations(machine: da.Machine, plane: bool) -> None:
    """At a random bent state with rates: mass matrix to rounding, accelerations, and joints where tips turn alike.

    In space tips turn by 3-2-1 angles here and by a rotation vector there, so that joint equations agree in the plane.
    """
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(1)
    q, v = 0.5 * rng.normal(size=(2, machine.nv))
    moves = np.ones(machine.nv, dtype=bool)
    for body in machine.bodies:
        if isinstance(body, da.FlexibleBody):
            at = np.array([machine.q_names.index(name) for name in body.q_names])
            q[at], v[at] = 0.2 * body.amplitudes * rng.normal(size=(2, len(at)))
            if plane:
                out = at[~in_plane(body)]
                q[out], v[out], moves[out] = 0.0, 0.0, False
    M, h, joints = projected_terms(machine, q, v)
    ours = eom.mass_matrix(q)
    np.testing.assert_allclose(M, ours, atol=1e-14 * np.abs(ours).max())
    a = np.linalg.solve(M, -h), eom.forward_dynamics(q, v, np.zeros(machine.nv))
    np.testing.assert_allclose(a[0], a[1], atol=1e-8 * np.abs(a[1]).max())
    if plane:
        assert moves.sum() >= 6
        np.testing.assert_allclose(joints[:, moves], 0.0, atol=1e-9)


def test_motion_is_the_same() -> None:
    """A pendulum whose first mode moves: both methods come to the same solution with the square of the step."""
    arm = FlexibleArm("bar", "bar", loaded, {}, {"a_dot": 1.0, "one.delta1_dot": 0.05}, "load", da.ImplicitMidpoint)
    rows = compare_runs(arm, (2e-4, 1e-4), duration=0.02, repetitions=1)
    ours, theirs = ([r["error"] for r in rows if r["engine"].startswith(name)] for name in ("dalembert", "Exudyn"))
    assert ours[0] < 2e-5 and ours[0] / ours[1] == pytest.approx(4.0, rel=0.3)
    assert theirs[0] < 1e-4 and theirs[0] / theirs[1] == pytest.approx(4.0, rel=0.3)


def loaded() -> da.Machine:
    load = da.Body("load", 0.5, inertia=(1e-3, 1e-3, 1e-3))
    joints = [da.Joint("a", "revolute", "world", "one"), da.Joint("c", "revolute", "one.tip", "load")]
    return da.Machine("loaded", [bar("one"), load], joints, gravity=(0, 0, 0))


def test_a_chain_moves_alike_in_the_plane() -> None:
    """Two bars and a load, an in-plane mode of each excited: both errors fall with the square of the step."""
    start = {"a_dot": 1.0, "b_dot": -2.0, "one.delta2_dot": 0.05, "two.delta2_dot": 0.05}
    assert all(in_plane(body)[1] for body in (bar("one"), bar("two")))
    arm = FlexibleArm("chain", "chain", chain, {}, start, "load", da.ImplicitMidpoint)
    rows = compare_runs(arm, (2e-4, 1e-4), duration=0.02, repetitions=1)
    for name in ("dalembert", "Exudyn"):
        error = [r["error"] for r in rows if r["engine"].startswith(name)]
        assert error[0] < 1e-4 and error[0] / error[1] == pytest.approx(4.0, rel=0.3)
