"""Closed mechanisms against Pinocchio's constrained dynamics: a platform on six legs, a Delta robot."""

from __future__ import annotations

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import dalembert as da  # noqa: E402
from dalembert.formulations.constraints.projection import consistent_state  # noqa: E402
from dalembert.systems.parallel_robots import DeltaGeometry, delta_configuration, delta_robot  # noqa: E402
from support.pinocchio_models import pinocchio_model  # noqa: E402

pytestmark = pytest.mark.peer


def stewart() -> tuple[da.Machine, np.ndarray]:
    """Platform on six legs (spherical joint at the ground, prismatic leg, ball at the platform)."""
    bodies = [da.box("platform", 10.0, (0.6, 0.6, 0.1))]
    joints = [da.Joint("platform", "free", "world", "platform")]
    frames, constraints, names = [], [], []
    place = {"platform.z": 1.0, "platform.qw": 1.0}
    for k in range(6):
        angle = np.pi / 3 * k
        ground = np.array([0.8 * np.cos(angle + 0.3 * (-1) ** k), 0.8 * np.sin(angle + 0.3 * (-1) ** k), 0.0])
        top = np.array([0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.0])
        leg = top + np.array([0, 0, 1.0]) - ground
        length = float(np.linalg.norm(leg))
        z = leg / length
        axis = np.cross([0, 0, 1.0], z)
        pose = da.Transform.about(axis, float(np.arccos(z[2])), ground)
        bodies += [da.box(f"leg{k}", 1.0, (0.05, 0.05, 0.5)), da.box(f"rod{k}", 0.5, (0.03, 0.03, 0.4))]
        joints += [
            da.Joint(f"base{k}", "spherical", "world", f"leg{k}", pose),
            da.Joint(f"slide{k}", "prismatic", f"leg{k}", f"rod{k}", axis=(0, 0, 1)),
        ]
        frames += [da.Frame(f"tip{k}", f"rod{k}"), da.Frame(f"top{k}", "platform", da.Transform(tuple(top)))]
        constraints.append(da.BallConstraint(f"ball{k}", f"tip{k}", f"top{k}"))
        place[f"slide{k}"] = length
        names.append(f"slide{k}")
    machine = da.Machine("stewart", bodies=bodies, joints=joints, frames=frames, constraints=constraints)
    q = machine.q_neutral
    for name, value in place.items():
        q[list(machine.q_names).index(name)] = value
    return machine, q


def to_pinocchio(machine: da.Machine, model, q: np.ndarray) -> np.ndarray:
    """Scalar-last quaternions, joint by joint."""
    out = np.zeros(model.nq)
    for block in da.equations(machine, backend="vm").layout.blocks:
        x = q[block.q]
        start = model.joints[model.getJointId(block.name)].idx_q
        if block.kind in ("free", "spherical"):
            n = len(x) - 4
            x = np.concatenate([x[:n], x[n + 1 :], x[n : n + 1]])
        out[start : start + len(x)] = x
    return out


def compare(machine: da.Machine, q: np.ndarray, balls: list[tuple[str, str]], *, unique: bool) -> None:
    """Accelerations, and where they are unique the forces of the balls, at a random velocity under random forces."""
    eom = da.equations(machine, backend="vm")
    assert np.abs(eom.constraints(q)).max() < 1e-12
    rng = np.random.default_rng(0)
    v0, tau = rng.normal(size=eom.nv), rng.normal(size=eom.nv)
    v = consistent_state(eom, q, v0).v
    a, force = eom.constrained_dynamics(q, v, tau)
    model = pinocchio_model(machine)
    data = model.createData()
    contacts, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for first, second in balls:
        one, two = (model.frames[model.getFrameId(f"frame:{name}")] for name in (first, second))
        contacts.append(
            pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D, model, one.parentJoint, one.placement, two.parentJoint, two.placement,
                pin.ReferenceFrame.LOCAL,
            )
        )  # fmt: skip
    for contact in contacts:
        datas.append(contact.createData())
    pin.initConstraintDynamics(model, data, contacts, datas)
    x = to_pinocchio(machine, model, q)
    order = np.concatenate([_velocities(machine, model, block) for block in eom.layout.blocks])
    w, f = np.zeros(model.nv), np.zeros(model.nv)
    w[order], f[order] = v, tau
    found = pin.constraintDynamics(model, data, x, w, f, contacts, datas, pin.ProximalSettings(1e-14, 1e-12, 50))
    expected = found[order]
    assert np.abs(a).max() > 1.0
    assert np.allclose(a, expected, atol=1e-7 * np.abs(expected).max())
    for k in range(len(balls) if unique else 0):
        ours = np.linalg.norm(force[3 * k : 3 * k + 3])
        assert ours == pytest.approx(np.linalg.norm(datas[k].contact_force.linear), rel=1e-6)


def _velocities(machine: da.Machine, model, block) -> np.ndarray:
    """Where the velocities of a joint are in Pinocchio."""
    start = model.joints[model.getJointId(block.name)].idx_v
    return np.arange(start, start + block.v.stop - block.v.start)


def test_stewart_platform_accelerates_as_in_pinocchio() -> None:
    machine, q = stewart()
    compare(machine, q, [(f"tip{k}", f"top{k}") for k in range(6)], unique=True)


@pytest.mark.parametrize("platform", ["free", "translating"])  # the second has three redundant rows
def test_delta_robot_accelerates_as_in_pinocchio(platform) -> None:
    machine = delta_robot(platform=platform)
    q = machine.q_neutral
    for name, value in delta_configuration(DeltaGeometry(), (0.12, -0.08, -0.72)).items():
        q[machine.q_names.index(name)] = value
    balls = [(f"end{k}{side}", f"seat{k}{side}") for k in (1, 2, 3) for side in "ab"]
    compare(machine, q, balls, unique=platform == "free")


@pytest.mark.slow
def test_stewart_platform_keeps_its_legs() -> None:
    """Two seconds of free motion: closed loops to 1e-10, energy, and leg lengths as the pose demands."""
    machine, q = stewart()
    run = da.simulate(machine, duration=0.5, q0=q, v0={"platform.vx": 0.3, "platform.wz": 0.5}, step=1e-3, record=0.01)
    assert run["constraint.position"].max() < 1e-10
    assert run.energy.drift < 1e-8
    eom = da.equations(machine, backend="vm")
    for k in (0, 3):
        base = np.array([float(x) for x in machine.joint(f"base{k}").origin.translation])
        top = np.array([eom.pose(f"top{k}", x)[:3, 3] for x in run.x[:, : machine.nq]])
        assert np.allclose(np.linalg.norm(top - base, axis=1), run[f"slide{k}"], atol=1e-10)
