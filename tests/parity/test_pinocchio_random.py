"""Random trees with mixed joints against Pinocchio: mass matrix, forces, accelerations and Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.io.conventions import from_pinocchio, to_pinocchio
from dalembert.systems.space_robots import space_chaser
from support.comparison import difference
from support.random_machines import random_machine, random_state, with_armatures

pin = pytest.importorskip("pinocchio")

from support.pinocchio_models import pinocchio_model, spring_force  # noqa: E402

pytestmark = pytest.mark.peer

TREES = 200
BLOCKS = 20
SLOW = [pytest.mark.slow, pytest.mark.long]


@pytest.mark.parametrize(
    "block",
    [4, 5, *(pytest.param(block, marks=SLOW[: 1 + (block > 1)]) for block in range(BLOCKS) if block not in (4, 5))],
)
def test_random_trees_agree_with_pinocchio(block: int) -> None:
    for seed in range(block, TREES, BLOCKS):
        machine = with_armatures(random_machine(seed))
        worst = compare(da.equations(machine, backend="vm"), seed)
        assert max(worst.values()) < 1e-9, f"seed {seed}: {worst}"


@pytest.mark.parametrize("seed", [*range(1000, 1004), *(pytest.param(seed, marks=SLOW) for seed in range(1004, 1012))])
def test_compiled_trees_agree_with_pinocchio(seed: int) -> None:
    machine = with_armatures(random_machine(seed, 4, max_nv=10))
    eom = da.equations(machine, backend="native")
    model = pinocchio_model(machine)
    data = model.createData()
    q, v, a, tau = random_state(eom, seed)
    spring = spring_force(machine, q)
    s = to_pinocchio(machine, q, v, a, tau - spring)
    force = from_pinocchio(machine, s.q, tau=pin.rnea(model, data, s.q, s.v, s.a)).tau + spring
    assert difference(eom.inverse_dynamics(q, v, a), force) < 1e-9
    acceleration = from_pinocchio(machine, s.q, s.v, pin.aba(model, data, s.q, s.v, s.tau)).a
    assert difference(eom.forward_dynamics(q, v, tau), acceleration) < 1e-9


def test_long_chain_agrees_with_pinocchio() -> None:
    """Accelerations of a chain of 40 joints, where only the residual is comparable."""
    machine = with_armatures(random_machine(7, 40, kinds=("revolute", "prismatic"), max_nv=40))
    assert machine.nv == 40
    worst = compare(da.equations(machine, backend="vm"), 7, frames=1, coriolis=False)
    assert max(worst.values()) < 1e-9, worst


def test_the_rigid_chaser_agrees_with_pinocchio() -> None:
    """A free base of 786 kg, rigid arrays, six joints with heavy rotors."""
    machine = space_chaser("rigid", arrays="rigid")
    worst = compare(da.equations(machine, backend="vm"), 3)
    assert max(worst.values()) < 1e-9, worst


def compare(eom: da.EquationsOfMotion, seed: int, frames: int = 2, coriolis: bool = True) -> dict[str, float]:
    """Largest relative difference of each quantity at a random state."""
    machine = eom.machine
    model = pinocchio_model(machine)
    data = model.createData()
    assert (model.nq - model.nv, model.nv) == (_extra(machine), machine.nv)
    q, v, a, tau = random_state(eom, seed)
    zero = np.zeros(eom.nv)

    def inverse(v: Any, a: Any) -> Any:
        s = to_pinocchio(machine, q, v, a)
        return from_pinocchio(machine, s.q, tau=pin.rnea(model, data, s.q, s.v, s.a)).tau

    spring = spring_force(machine, q)
    s = to_pinocchio(machine, q, v, a, tau - spring)
    T = to_pinocchio(machine, q, np.eye(eom.nv)).v.T
    M = np.reshape(pin.crba(model, data, s.q), (eom.nv, eom.nv))
    M = T.T @ (np.triu(M) + np.triu(M, 1).T) @ T
    gravity = inverse(zero, zero)
    force = inverse(v, a) + spring
    coriolis_force = inverse(v, zero) - gravity
    scale = max(np.abs(force).max(), np.abs(M @ a).max(), np.abs(coriolis_force).max(), np.abs(gravity).max())
    worst = {
        "mass matrix": difference(eom.mass_matrix(q), M),
        "gravity": difference(eom.gravity(q), gravity, scale),
        "bias": difference(eom.bias(q, v), coriolis_force + gravity + spring, scale),
        "inverse dynamics": difference(eom.inverse_dynamics(q, v, a), force, scale),
    }
    if coriolis:
        worst["Coriolis force"] = difference(eom.coriolis_matrix(q, v) @ v, coriolis_force, scale)
    acceleration = eom.forward_dynamics(q, v, tau)
    if np.linalg.cond(M) < 1e6:
        theirs = from_pinocchio(machine, s.q, s.v, pin.aba(model, data, s.q, s.v, s.tau)).a
        worst["forward dynamics"] = difference(acceleration, theirs)
    residual = M @ acceleration + coriolis_force + gravity + spring - tau
    worst["forward residual"] = difference(residual + tau, tau, scale)
    names = [f"frame:{f.name}" for f in machine.frames] + [f"body:{b.name}" for b in machine.bodies]
    for name in names[:frames]:
        here = name.split(":")[1]
        index = model.getFrameId(name)
        both = (("frame", pin.LOCAL), ("world", pin.LOCAL_WORLD_ALIGNED))
        for axes, reference in both if name == names[0] else both[:1]:
            J = np.reshape(pin.computeFrameJacobian(model, data, s.q, index, reference), (6, eom.nv)) @ T
            worst[f"Jacobian {axes} of {here}"] = difference(eom.jacobian(here, q, axes=axes), J, 1e-3)
        pin.framesForwardKinematics(model, data, s.q)
        worst[f"pose of {here}"] = difference(eom.pose(here, q), data.oMf[index].homogeneous)
    worst["momentum"] = difference(eom.momentum(q, v), _momentum(model, data, s, q))
    kinetic, potential = eom.energy(q, v)
    worst["kinetic energy"] = difference(kinetic, v @ M @ v / 2)
    springs = sum(k * d**2 / 2 for k, d in _springs(machine, q))
    theirs = pin.computePotentialEnergy(model, data, s.q) + springs
    worst["potential energy"] = difference(potential, theirs, scale)
    return worst


def _extra(machine: da.Machine) -> int:
    extra = {"free": 1, "spherical": 1, "planar": 1}
    return sum(extra.get(j.kind, 0) for j in machine.joints)


def _springs(machine: da.Machine, q: Any) -> list[tuple[float, float]]:
    return [(j.stiffness, q[machine.q_names.index(j.name)] - j.rest) for j in machine.joints if j.stiffness != 0.0]


def _momentum(model: Any, data: Any, s: Any, q: Any) -> Any:
    """Momentum about the world's origin: Pinocchio gives it about the centre of mass."""
    h = pin.computeCentroidalMomentum(model, data, s.q, s.v)
    return np.concatenate([h.linear, h.angular + np.cross(data.com[0], h.linear)])
