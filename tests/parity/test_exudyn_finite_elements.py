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


@pytest.mark.parametrize("machine", [pendulum(), chain()], ids=["pendulum", "chain"])
def test_mass_matrix_and_accelerations(machine: da.Machine) -> None:
    """At a random bent state with rates: mass matrix to rounding, accelerations to the rounding of strain forces."""
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(1)
    q, v = 0.5 * rng.normal(size=(2, machine.nv))
    for body in machine.bodies:
        if isinstance(body, da.FlexibleBody):
            at = [machine.q_names.index(name) for name in body.q_names]
            q[at], v[at] = 0.2 * body.amplitudes * rng.normal(size=(2, len(at)))
    M, h, _ = projected_terms(machine, q, v)
    ours = eom.mass_matrix(q), eom.bias(q, v)
    np.testing.assert_allclose(M, ours[0], atol=3e-13 * np.abs(ours[0]).max())
    a = np.linalg.solve(M, -h), eom.forward_dynamics(q, v, np.zeros(machine.nv))
    np.testing.assert_allclose(a[0], a[1], atol=1e-8 * np.abs(a[1]).max())


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
