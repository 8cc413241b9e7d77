"""Colliders on machines with joints, loops and motors: declared contacts, closed forms, outlets, filters, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.live_programs import LiveProgram

import dalembert as da
from dalembert.core.errors import DalembertError
from dalembert.systems.scenes import lifting_gripper

G = 9.81
STEP = {"contact": "time-stepping", "step": 1e-3, "backend": "vm"}
BALL, FREE = da.sphere("a", 1.0, 0.1), da.Joint("a", "free", "world", "a")
GROUND = da.Collider("ground", surface=da.HalfSpace())


def chain(*, declared=False, ignores=("links",)):
    """Three hinged boxes with a rod between the first and the last one, and a motor with a spring law."""
    bodies = [da.box(f"l{k}", 1.0 + 0.2 * k, (0.4, 0.1, 0.1)) for k in range(3)]
    joints = [da.Joint("l0", "free", "world", "l0")]
    joints += [
        da.Joint(f"h{k}", "revolute", f"l{k - 1}", f"l{k}", axis=(0, 1, 0), origin=da.Transform((0.25, 0.0, 0.0)))
        for k in (1, 2)
    ]
    rod, tip = (
        da.DistanceConstraint("rod", "l0", "tip", length=0.66),
        da.Frame("tip", "l2", da.Transform((0.2, 0, 0.1))),
    )
    machine = da.Machine(
        "chain", bodies, joints, frames=[tip], constraints=[rod], motors=[da.Motor("drive", "h1", effort=20.0)]
    )
    coefficients = {"friction": 0.4, "restitution": 0.2}
    if declared:
        return machine.with_(contacts=da.geometry_contacts(machine, **coefficients))
    ground = da.Collider("ground", surface=da.HalfSpace(), **coefficients)
    return machine.with_(colliders=[da.Collider("links", ignores=ignores, **coefficients), ground])


def thrown(machine, **more):
    turn = {"l0.qw": 0.9, "l0.qx": 0.3, "l0.qy": -0.2, "l0.qz": np.sqrt(1 - 0.94)}
    start = da.Start(q={"l0.z": 0.3, **turn, "h1": 0.4}, v={"l0.vx": 1.0, "l0.vz": -2.0, "l0.wx": 2.0, "h1_dot": 0.0})
    law = da.PD(kp=20.0, kd=0.5, reference=[0.6])
    return da.Experiment(machine, start=start, control=law, duration=0.4, contact="time-stepping", **more)


def test_as_declared_contacts():
    """Rows from the Jacobians of bodies equal those from tapes of pairs, beside a loop and a motor."""
    exact = da.TimeStepping(tolerance=1e-11)
    found, declared = (da.simulate(thrown(chain(declared=d)).replace(contact=exact)) for d in (False, True))
    assert found["contact.count"].max() >= 4
    for name in (*found.machine.q_names, *found.machine.v_names, "multiplier.rod", "u.drive", "work.input"):
        within = 1e-5 if name == "multiplier.rod" else 1e-8  # forces are impulses by the step of 1 ms
        np.testing.assert_allclose(found[name], declared[name], atol=within, err_msg=name)
    assert found["work.loss"][-1] == pytest.approx(declared["work.loss"][-1], rel=1e-9)
    assert found["work.loss"][-1] < -1.0


def test_members_and_continued_runs():
    """Members of rollouts and steppers, and a run in two halves, take the same steps as a single run."""
    experiment = thrown(chain(), record=0.05).replace(duration=0.3)
    angles = [0.4, 0.45]
    single = [da.simulate(experiment.replace(start=_angle(experiment, x))) for x in angles]
    both = da.rollout(experiment, vary={"q0.h1": angles})
    stepper = da.stepper(experiment, period=0.1, members=2, vary={"q0.h1": angles})
    for _ in range(3):
        stepper.step()
    for k, run in enumerate(single):
        for name in ("l0.z", "h2", "contact.count", "force.l2.z", "work.loss"):
            tolerance = 1e-7 * max(1.0, np.abs(run[name]).max())  # starts are assembled to rounding, sweeps to 1e-8
            np.testing.assert_allclose(both[name][k], run[name], atol=tolerance, err_msg=name)
            assert stepper.x[k][stepper.state_names.index(name)] == pytest.approx(run[name][-1], abs=tolerance)
    half = da.simulate(experiment.replace(duration=0.15))
    rest = da.simulate(experiment.replace(start=half, duration=0.15))
    np.testing.assert_allclose(rest["l0.z"][-1], single[0]["l0.z"][-1], atol=1e-7)


def _angle(experiment, angle):
    start = experiment.start
    return da.Start(q={**start.q, "h1": angle}, v=start.v)


def test_free_bodies_by_tapes_are_the_same():
    """A box that tumbles over the ground and a ball: the two ways to step free bodies, one of them without tapes."""
    bodies, start = (
        [da.box("b", 2.0, (0.4, 0.3, 0.2)), BALL],
        {"b.z": 0.6, "b.qw": -0.8, "b.qx": -0.6, "a.z": 0.4, "a.x": 2.0},
    )
    joints = [FREE, da.Joint("b", "free", "world", "b")]
    machine = da.Machine("two", bodies, joints, colliders=[da.Collider("all", restitution=0.3), GROUND])
    runs = [
        da.simulate(machine, duration=0.5, q0=start, v0={"b.wx": 3.0, "b.vx": 1.0}, events=events, **STEP)
        for events in ((), da.Event("high", "b.z - 5"))
    ]
    for name in (*machine.q_names, *machine.v_names, "contact.count", "work.loss"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-9, err_msg=name)
    (contact,) = [c for c in runs[0].metadata["contacts"] if "a" in c["between"]] or [None]
    if contact is not None:
        assert runs[1]["force.a.z"][-1] == pytest.approx(contact["force"][0], rel=1e-6)


@pytest.mark.parametrize(("press", "lifted"), [(10.0, 0.2), (4.75, 0.2), (3.8, 0.0)])
def test_gripper_lifts_a_cylinder(press, lifted):
    """Friction carries 2 mu F: more than m (g + a), with a at most 10/sqrt(3) h/T^2, lifts; less than m g does not."""
    run = da.simulate(lifting_gripper(), duration=1.1, p={"F": press}, record=0.1)
    assert 0.4 * (G + 10 / np.sqrt(3) * 0.2 / 0.8**2) < 4.75  # 2 mu = 1
    assert run["cylinder.z"][-1] - 0.06 == pytest.approx(lifted, abs=1e-6)
    assert run["force.cylinder.z"][-1] == pytest.approx(0.4 * G, rel=1e-6)
    assert run["force.left.x"][-1] == pytest.approx(-press, rel=1e-6)


def test_motor_pushes_a_crate():
    """A piston with a force F pushes a crate over the ground: (F - mu m g)/(m + m_piston)."""
    piston, crate = da.box("piston", 2.0, (0.2, 0.1, 0.1)), da.box("crate", 3.0, (0.2, 0.2, 0.2))
    joints = [
        da.Joint("slide", "prismatic", "world", "piston", axis=(1, 0, 0), origin=da.Transform((-0.2, 0.0, 0.1))),
        da.Joint("crate", "free", "world", "crate"),
    ]
    smooth = {"friction": 0.0}
    colliders = [da.Collider("piston", bodies=["piston"], **smooth), da.Collider("crate"), GROUND]
    machine = da.Machine(
        "push", [piston, crate], joints, colliders=colliders, motors=[da.Motor("f", "slide", effort=99.0)]
    )
    run = da.simulate(machine, duration=0.3, q0={"crate.z": 0.1}, control=[30.0], record=0.1, **STEP)
    a = (30.0 - 0.5 * 3.0 * G) / 5.0
    assert run["crate.vx"][-1] == pytest.approx(a * 0.3, rel=1e-9)
    assert run["force.piston.x"][-1] == pytest.approx(2.0 * a - 30.0, rel=1e-9)
    assert run["force.crate.z"][-1] == pytest.approx(3.0 * G, rel=1e-9)
    assert run["work.input"][-1] == pytest.approx(30.0 * 0.5 * a * 0.09, rel=1e-9)


def test_neighbours_do_not_touch():
    """Bodies that a joint connects overlap at it, and those welded to them; the ones after the next touch."""
    bodies = [da.box(f"l{k}", 1.0, (0.3, 0.1, 0.1)) for k in range(3)]
    bodies.append(da.Body("base", geometry=da.Box((0.1, 0.2, 0.2))))
    joints = [
        da.Joint("base", "fixed", "world", "base"),
        da.Joint("h0", "revolute", "base", "l0", axis=(0, 1, 0)),
        da.Joint("h1", "revolute", "l0", "l1", axis=(0, 1, 0), origin=da.Transform((0.25, 0.0, 0.0))),
        da.Joint("h2", "revolute", "l1", "l2", axis=(0, 1, 0), origin=da.Transform((0.25, 0.0, 0.0))),
    ]
    machine = da.Machine("arm", bodies, joints, colliders=[da.Collider("all")], gravity=(0, 0, 0))
    assert da.simulate(machine, duration=0.01, **STEP)["contact.count"].max() == 0  # l0 in its base, l1 in l0
    with pytest.raises(DalembertError, match="q0: 'l2' and 'base' of machine 'arm' overlap by 0"):
        da.simulate(machine, duration=0.01, q0={"h1": np.pi - 0.2, "h2": -0.2}, **STEP)
    apart = [da.Collider("base", bodies=["base"], ignores=["all"]), da.Collider("all")]
    with pytest.raises(DalembertError, match="q0: 'l0' and 'l2' of machine 'arm' overlap by 0"):
        da.simulate(machine.with_(colliders=apart), duration=0.01, q0={"h1": np.pi - 0.2, "h2": -0.2}, **STEP)


def test_fast_ball_does_not_pass():
    """In a step a ball moves by 15 times its radius; the step is split, and it bounces back."""
    door, ball = da.box("door", 50.0, (0.02, 1.0, 1.0)), da.sphere("a", 0.01, 0.01)
    hinge = da.Joint("hinge", "revolute", "world", "door", axis=(0, 0, 1), origin=da.Transform((0.0, -0.5, 0.0)))
    machine = da.Machine(
        "door", [door, ball], [hinge, FREE], gravity=(0, 0, 0), colliders=[da.Collider("all", restitution=1.0)]
    )
    run = da.simulate(machine, duration=0.02, q0={"a.x": -1.0}, v0={"a.vx": 150.0}, **STEP)
    assert run["a.vx"][-1] < -100.0
    assert run["hinge_dot"][-1] != 0.0


def test_refused_sizes_and_methods():
    size = da.Parameter("r", 0.1)
    arm = da.Body("a", 1.0, inertia=(0.1, 0.1, 0.1), geometry=da.Sphere(size))
    machine = da.Machine("m", [arm], [da.Joint("h", "revolute", "world", "a")], colliders=[da.Collider("all"), GROUND])
    with pytest.raises(DalembertError, match="'r' is a size or a place of a collider that depends on parameters"):
        da.simulate(machine, duration=0.1, **STEP)
    with pytest.raises(DalembertError, match="needs contact='time-stepping'"):
        da.simulate(machine, duration=0.1)


@pytest.mark.slow
def test_program_of_fmus_and_pages(tmp_path):
    """The C of FMUs and of pages that simulate records the same rows."""
    experiment = thrown(chain(), record=0.05).replace(contact=da.TimeStepping(tolerance=1e-11))
    run, rows = da.simulate(experiment), LiveProgram(experiment, tmp_path).run(0.4)
    np.testing.assert_allclose(rows["t"], run.t, atol=1e-15)
    forces = [name.startswith(("force.", "multiplier.")) for name in run.state_names]
    within = np.where(forces, 1e-5, 1e-7)  # forces are impulses by the step of 1 ms
    assert (np.abs(rows["x"] - run.x) <= within * (1.0 + np.abs(run.x))).all()
    assert run["contact.count"].max() >= 4


def test_body_on_a_beam():
    """A ball at the tip of a flexible boom strikes the ground: as with a declared contact."""
    boom = da.Beam(
        "boom", length=1.0, section=da.Section.tube(0.01, 0.008), E=7e10, G=2.6e10, density=2700, modes={"z": 2}
    )
    hinge = da.Joint("shoulder", "revolute", "world", "boom", axis=(0, 1, 0), origin=da.Transform((0.0, 0.0, 0.5)))
    machine = da.Machine(
        "boom", [boom, da.sphere("tip", 0.3, 0.05)], [hinge, da.Joint("fix", "fixed", "boom.tip", "tip")]
    )
    found = machine.with_(colliders=[da.Collider("all", friction=0.5, restitution=0.3), _floor(0.3)])
    floor = da.Contact("floor", "tip", da.Sphere(0.05), friction=0.5, restitution=0.3)
    runs = [da.simulate(m, duration=0.6, **STEP) for m in (found, machine.with_(contacts=[floor]))]
    assert runs[0]["contact.count"].max() == 1
    for name in machine.q_names:
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-8, err_msg=name)  # to which sweeps solve


def _floor(restitution):
    return da.Collider("ground", surface=da.HalfSpace(), restitution=restitution)


def test_cable_beside_colliders():
    """A plate hangs on a cable and a ball lies on the ground: tension and force are the weights."""
    rope = da.Cable("rope", "plate", anchor_at=(0.0, 0.0, 0.05), exit_at=(0.0, 0.0, 1.5), length=1.0)
    bodies = [da.box("plate", 2.0, (0.3, 0.3, 0.1)), BALL]
    joints = [da.Joint("plate", "free", "world", "plate"), FREE]
    machine = da.Machine("hung", bodies, joints, cables=[rope], colliders=[da.Collider("all"), GROUND])
    start = {"plate.z": 0.45, "a.x": 0.6, "a.z": 0.15}
    run = da.simulate(machine, duration=0.3, q0=start, record=0.1, **STEP)
    assert run["tension.rope"][-1] == pytest.approx(2.0 * G, rel=1e-9)
    assert run["force.a.z"][-1] == pytest.approx(G, rel=1e-6)
    assert run["a.z"][-1] == pytest.approx(0.1, abs=1e-7)
