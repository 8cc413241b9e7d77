"""Constraints of machines: kinds, closed mechanisms, solution methods, switching, refusals."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from tests.support.reference.constraints import solved

import dalembert as da
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.kernels import problem_kernels
from dalembert.engine.methods.constraints import CONSTRAINT_METHODS, constraint_method
from dalembert.loop.closed_loop import close_loop

INERTIA = (0.01, 0.02, 0.03)


def four_bar(**options) -> da.Machine:
    """Planar four-bar in the x-z plane: crank 0.3, coupler 0.8, rocker 0.6, ground 0.9; cut at the rocker's tip."""
    crank, coupler, rocker = 0.3, 0.8, 0.6
    bodies = [
        da.rod("crank", 1.0, crank, axis="x", com=(crank / 2, 0, 0)),
        da.rod("coupler", 2.0, coupler, axis="x", com=(coupler / 2, 0, 0)),
        da.rod("rocker", 1.5, rocker, axis="x", com=(rocker / 2, 0, 0)),
    ]
    y = (0.0, -1.0, 0.0)  # counter-clockwise in the x-z plane
    joints = [
        da.Joint("a", "revolute", "world", "crank", axis=y),
        da.Joint("b", "revolute", "crank", "coupler", origin=da.Transform((crank, 0, 0)), axis=y),
        da.Joint("c", "revolute", "world", "rocker", origin=da.Transform((0.9, 0, 0)), axis=y),
    ]
    frames = [
        da.Frame("coupler_tip", "coupler", da.Transform((coupler, 0, 0))),
        da.Frame("rocker_tip", "rocker", da.Transform((rocker, 0, 0))),
    ]
    loop = da.BallConstraint("loop", "coupler_tip", "rocker_tip", **options)
    return da.Machine("four-bar", bodies=bodies, joints=joints, frames=frames, constraints=[loop])


def four_bar_angles(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Absolute angles of coupler and rocker from the crank's, by the triangle over the diagonal."""
    a, b, c, d = 0.3, 0.8, 0.6, 0.9
    px, pz = a * np.cos(theta), a * np.sin(theta)
    dx, dz = d - px, -pz
    e = np.hypot(dx, dz)
    base = np.arctan2(dz, dx)
    coupler = base + np.arccos((b**2 + e**2 - c**2) / (2 * b * e))
    tip_x, tip_z = px + b * np.cos(coupler), pz + b * np.sin(coupler)
    return coupler, np.arctan2(tip_z, tip_x - d)


@pytest.mark.parametrize("components", ["xz", "xyz"])  # the second one is redundant: nothing can move along y
def test_four_bar_follows_its_kinematics(components) -> None:
    machine = four_bar(components=components)
    theta = 0.7
    coupler, rocker = four_bar_angles(np.array(theta))
    q0 = [theta, coupler - theta, rocker]
    run = da.simulate(machine, duration=2.0, q0=q0, v0={"a_dot": 6.0}, method="dopri5", rtol=1e-10, atol=1e-12)
    coupler, rocker = four_bar_angles(run["a"])
    wrap = lambda x: np.angle(np.exp(1j * x))  # noqa: E731
    assert np.abs(wrap(run["a"] + run["b"] - coupler)).max() < 1e-9
    assert np.abs(wrap(run["c"] - rocker)).max() < 1e-9
    assert run["a"].max() - run["a"].min() > np.pi  # it has moved
    assert run.energy.drift < 1e-8
    assert run["constraint.position"].max() < 1e-11
    assert run["constraint.velocity"].max() < 1e-11


def test_redundant_rows_do_not_change_the_motion() -> None:
    coupler, rocker = four_bar_angles(np.array(0.7))
    q, v = np.array([0.7, coupler - 0.7, rocker]), np.array([1.0, 0.0, 0.0])
    plain, redundant = (da.equations(four_bar(components=c), backend="vm") for c in ("xz", "xyz"))
    a, force = plain.constrained_dynamics(q, v, np.zeros(3))
    b, same = redundant.constrained_dynamics(q, v, np.zeros(3))
    assert np.allclose(a, b, atol=1e-11)
    assert np.allclose(force, same[[0, 2]], atol=1e-9)
    assert abs(same[1]) < 1e-9


def test_slider_crank() -> None:
    """Crank 0.2, rod 0.7, piston on the x axis: x = r cos(phi) + sqrt(l^2 - r^2 sin^2(phi))."""
    r, l = 0.2, 0.7
    machine = da.Machine(
        "slider-crank",
        bodies=[
            da.rod("crank", 1.0, r, axis="x", com=(r / 2, 0, 0)),
            da.rod("rod", 1.0, l, axis="x", com=(l / 2, 0, 0)),
            da.Body("piston", 0.5),
        ],
        joints=[
            da.Joint("phi", "revolute", "world", "crank", axis=(0, -1, 0)),
            da.Joint("psi", "revolute", "crank", "rod", origin=da.Transform((r, 0, 0)), axis=(0, -1, 0)),
            da.Joint("x", "prismatic", "world", "piston", axis=(1, 0, 0)),
        ],
        frames=[da.Frame("tip", "rod", da.Transform((l, 0, 0)))],
        constraints=[da.BallConstraint("pin", "tip", "piston", components="xz")],
    )
    q0 = {"phi": 0.0, "psi": 0.0, "x": r + l}
    run = da.simulate(machine, duration=1.5, q0=q0, v0={"phi_dot": 8.0}, method="dopri5", rtol=1e-10, atol=1e-12)
    assert np.allclose(run["x"], r * np.cos(run["phi"]) + np.sqrt(l**2 - (r * np.sin(run["phi"])) ** 2), atol=1e-10)
    assert run.energy.drift < 1e-8
    assert np.ptp(run["phi"]) > 4.0


def pendulum_by_constraints() -> tuple[da.Machine, da.Machine]:
    """A body on a rod, once free with a distance constraint, once on a spherical joint at the rod's end."""
    free = da.Machine(
        "free",
        bodies=[da.Body("b", 1.2, inertia=INERTIA)],
        joints=[da.Joint("f", "free", "world", "b")],
        constraints=[da.BallConstraint("pivot", "hook")],
        frames=[da.Frame("hook", "b", da.Transform((0, 0, 0.8)))],
    )
    hung = da.Machine(
        "hung",
        bodies=[da.Body("b", 1.2, com=(0, 0, -0.8), inertia=INERTIA)],
        joints=[da.Joint("s", "spherical", "world", "b")],
    )
    return free, hung


@pytest.fixture(scope="module")
def reference() -> da.Run:
    _, hung = pendulum_by_constraints()
    return da.simulate(
        hung, duration=1.0, v0=[1.0, -2.0, 3.0], method="dopri5", rtol=1e-12, atol=1e-13, record=0.5, backend="vm"
    )


def error_of(reference: da.Run, name: str, step: float) -> tuple[float, da.Run]:
    free, _ = pendulum_by_constraints()
    w = np.array([1.0, -2.0, 3.0])
    tuning = {"rtol": 1e-9} if name == "idas" else {"step": step}
    v = np.concatenate([np.cross(w, [0, 0, -0.8]), w])
    run = da.simulate(free, duration=1.0, q0={"f.z": -0.8}, v0=v, constraints=name, record=0.5, **tuning)
    q = [f"f.q{k}" for k in "wxyz"]
    s = [f"s.q{k}" for k in "wxyz"]
    return max(abs(run[a][-1] - reference[b][-1]) for a, b in zip(q, s, strict=True)), run


@pytest.mark.parametrize("name", CONSTRAINT_METHODS)
def test_every_method_converges_to_the_motion_in_minimal_coordinates(reference, name) -> None:
    if name == "idas":
        error, run = error_of(reference, name, 1e-2)
        assert error < 1e-5
        assert run["constraint.position"].max() < 1e-6
        return
    order = 2 if name == "generalized-alpha" else 4
    coarse, fine = (error_of(reference, name, h) for h in (4e-3, 2e-3))
    assert fine[0] < (1e-4 if order == 2 else 1e-7)
    assert coarse[0] / fine[0] > 2 ** (order - 0.5)
    limit = {"projection": 1e-11, "generalized-alpha": 1e-11}.get(name, 1e-6)
    assert fine[1]["constraint.position"].max() < limit


def test_projection_keeps_both_levels_and_the_multipliers_are_the_reaction(reference) -> None:
    _, run = error_of(reference, "projection", 2e-3)
    assert run["constraint.position"].max() < 1e-11
    assert run["constraint.velocity"].max() < 1e-12
    assert run.energy.drift < 1e-8
    # at rest the pivot carries the weight: force on the body is -lambda
    free, _ = pendulum_by_constraints()
    eom = da.equations(free, backend="vm")
    _, force = eom.constrained_dynamics(np.array([0, 0, -0.8, 1, 0, 0, 0]), np.zeros(6), np.zeros(6))
    assert np.allclose(-force, [0, 0, 1.2 * 9.81])


@pytest.mark.parametrize("name", CONSTRAINT_METHODS)
def test_a_method_by_name_is_its_object(name) -> None:
    """The run of a name and that of the object are one, and the run says which method it was."""
    free, _ = pendulum_by_constraints()
    settings = {"duration": 0.02, "q0": {"f.z": -0.8}, "v0": {"f.wx": 2.0, "f.vy": 1.6}}
    way = CONSTRAINT_METHODS[name]()
    runs = [da.simulate(free, constraints=which, **settings) for which in (name, way)]
    assert np.array_equal(runs[0].x, runs[1].x)
    assert runs[0].metadata["constraints"] == name
    assert runs[0].metadata["method"] == (way.integrator or "rk4")


def test_an_integrator_with_a_way_of_its_own_brings_it() -> None:
    """What the run says about its constraints is what was done: IDAS has Baumgarte's terms, not a projection."""
    free, _ = pendulum_by_constraints()
    settings = {"duration": 0.05, "q0": {"f.z": -0.8}, "v0": {"f.wx": 2.0, "f.vy": 1.6}, "record": 0.01}
    for name in ("idas", "generalized-alpha"):
        a, b = (da.simulate(free, **{key: name}, **settings) for key in ("method", "constraints"))
        assert np.array_equal(a.x, b.x)
        assert a.metadata["constraints"] == a.metadata["method"] == name
    steep = da.simulate(free, constraints=da.Idas(alpha=3.0, beta=7.0), **settings)
    assert not np.array_equal(steep.x, da.simulate(free, method="idas", **settings).x)


@pytest.mark.parametrize("by", ["newton-euler", "natural"])
def test_velocities_that_are_named_are_kept(by) -> None:
    """The others follow from the loop: as the rates of the angles that belong to the crank's."""
    machine, theta, rate = four_bar(components="xz"), 0.7, 4.0
    solid = [da.Body(body.name, 1.0, com=body.com, inertia=(0.1, 0.1, 0.1)) for body in machine.bodies]
    machine = machine.with_(bodies=solid)  # natural coordinates need bodies of some thickness
    names = machine.v_names
    coupler, rocker = four_bar_angles(np.array(theta))
    q0 = [theta, coupler - theta, rocker]
    step = 1e-6
    ahead, behind = (np.array(four_bar_angles(np.array(theta + s))) for s in (step, -step))
    slope = (ahead - behind) / (2 * step)
    expected = rate * np.array([1.0, slope[0] - 1.0, slope[1]])
    for k, name in enumerate(names):
        run = da.simulate(machine, duration=0.01, q0=q0, v0={name: expected[k]}, by=by)
        assert np.allclose([run[n][0] for n in names], expected, rtol=1e-7)
    words = rf"do not allow the velocities {names[0]}, {names[2]} together: .* would become"
    with pytest.raises(da.InputError, match=words):
        da.simulate(machine, duration=0.01, q0=q0, v0={names[0]: 4.0, names[2]: 0.0}, by=by)
    rounded = {name: float(f"{value:.4g}") for name, value in zip(names, expected, strict=True)}
    da.simulate(machine, duration=0.01, q0=q0, v0=rounded, by=by)
    with pytest.warns(da.DalembertWarning, match=rf"'{names[0]}' starts at .* instead of 4"):
        da.simulate(machine, duration=0.01, q0=q0, v0=[4.0, 0.0, 0.0], by=by)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "dopri5", "constraints": "generalized-alpha"}, "'generalized-alpha', not by method 'dopri5'"),
        ({"method": "rk4", "constraints": "idas"}, "'idas', not by method 'rk4'"),
        ({"method": "idas", "constraints": "projection"}, "'idas' cannot keep constraints by 'projection'"),
        ({"method": "cvodes"}, "'cvodes' cannot keep constraints"),
        ({"constraints": 3}, "constraints must be a ConstraintMethod"),
    ],
)
def test_what_cannot_be_had_together_is_refused(settings, words) -> None:
    free, _ = pendulum_by_constraints()
    with pytest.raises(da.InputError, match=words):
        da.simulate(free, duration=0.1, q0={"f.z": -0.8}, **settings)


def test_an_integrator_for_constraints_alone_is_refused_without_them() -> None:
    _, hung = pendulum_by_constraints()
    with pytest.raises(da.InputError, match="keeps constraints, but machine 'hung' has none"):
        da.simulate(hung, duration=0.1, method="generalized-alpha")


def test_methods_take_their_own_settings_only() -> None:
    with pytest.raises(TypeError):
        da.Projection(penalty=1e8)
    with pytest.raises(TypeError):
        da.Baumgarte(radius=0.5)
    for wrong in (-1.0, np.inf, "100", True):
        with pytest.raises(da.InputError, match="alpha of Baumgarte must be a finite number >= 0"):
            da.Baumgarte(alpha=wrong)
    with pytest.raises(da.InputError, match="radius of GeneralizedAlpha must lie between 0 and 1"):
        da.GeneralizedAlpha(radius=1.1)
    with pytest.raises(da.InputError, match="index of GeneralizedAlpha must be 2 or 3"):
        da.GeneralizedAlpha(index=1)
    with pytest.raises(da.InputError, match="max_iterations of AugmentedLagrangian must be a whole number"):
        da.AugmentedLagrangian(max_iterations=2.5)
    with pytest.raises(da.UnknownNameError, match="no setting named 'radius'"):
        constraint_method({"name": "penalty", "radius": 0.5})
    assert constraint_method({"name": "penalty", "penalty": 1e7}) == da.Penalty(penalty=1e7)


@pytest.mark.parametrize("way", CONSTRAINT_METHODS.values())
def test_settings_reach_the_time_loop(way) -> None:
    """A setting of a method changes its run: each in turn, by a factor."""
    free, _ = pendulum_by_constraints()
    settings = {"duration": 0.05, "q0": {"f.z": -0.8}, "v0": {"f.wx": 2.0, "f.vy": 1.6}, "record": 0.05}
    settings["rtol" if way is da.Idas else "step"] = 1e-6 if way is da.Idas else 1e-2
    plain = da.simulate(free, constraints=way(), **settings)
    for field in fields(way):
        value = {"index": 2, "tolerance": 1e-2, "drift": 1e-30, "max_iterations": 1}.get(
            field.name, 0.3 * getattr(way(), field.name)
        )
        other = da.simulate(free, constraints=way(**{field.name: value}), check=False, **settings)
        assert not np.array_equal(other.x[-1], plain.x[-1]), field.name


def test_generalized_alpha_of_index_2_keeps_the_velocities(reference) -> None:
    error, run = error_of(reference, da.GeneralizedAlpha(index=2), 2e-3)
    assert error < 1e-4
    assert run["constraint.velocity"].max() < 1e-10


def test_virtual_machine_gives_the_same_run(reference) -> None:
    free, _ = pendulum_by_constraints()
    settings = {"duration": 0.05, "q0": {"f.z": -0.8}, "v0": {"f.wx": 2.0, "f.vy": 1.6}, "step": 1e-3}
    for name in ("projection", "baumgarte", "udwadia-kalaba", "penalty", "augmented-lagrangian", "generalized-alpha"):
        native, slow = (da.simulate(free, constraints=name, backend=b, **settings) for b in ("native", "vm"))
        # rounding of the violation, times the penalty, acts as a force; Newton's method ends within 1e-13 in each step
        bound = 1e-9 if hasattr(CONSTRAINT_METHODS[name](), "penalty") else 1e-11
        np.testing.assert_allclose(slow.x, native.x, rtol=bound, atol=bound)
        assert slow.metadata["backend"] == "vm"


def test_prescribed_motion_does_work() -> None:
    """A pendulum on a driven cart: the energy balance closes with the work of the moving constraint."""
    machine = da.Machine(
        "driven",
        bodies=[da.Body("cart", 2.0), da.point_mass("bob", 1.0, com=(0, 0, -0.5))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0)),
            da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
        constraints=[da.MotionConstraint("drive", joint="x", value=0.2 * da.sin(3.0 * da.TIME))],
    )
    run = da.simulate(machine, duration=4.0, q0={"theta": 0.3}, method="dopri5", rtol=1e-10, atol=1e-12)
    assert np.allclose(run["x"], 0.2 * np.sin(3 * run.t), atol=1e-11)
    assert np.allclose(run["x_dot"], 0.6 * np.cos(3 * run.t), atol=1e-11)
    assert np.ptp(run["work.input"]) > 0.5
    assert run.energy.drift < 1e-9
    # the cart starts at once and the bob, on which no impulse acts along its way, stays: theta' = -x' cos(theta)/l
    assert run.metadata["initial_projection"]["velocity"] == pytest.approx(0.6 * np.cos(0.3) / 0.5)


@pytest.mark.parametrize("index", [2, 3])
def test_work_of_a_drive_is_the_kinetic_energy_that_it_gives(index: int) -> None:
    """x = 1 - cos t of 1.7 kg: the work is 0.85 sin(t)^2, by generalized-alpha to second order."""
    drive = da.MotionConstraint("drive", joint="x", value=1.0 - da.cos(da.TIME))
    machine = da.Machine(
        "driven",
        bodies=[da.Body("cart", 1.7)],
        joints=[da.Joint("x", "prismatic", "world", "cart", axis="x")],
        constraints=[drive],
    )
    errors = []
    for step in (0.04, 0.02, 0.01):
        run = da.simulate(machine, duration=1.0, step=step, constraints=da.GeneralizedAlpha(index=index), backend="vm")
        errors.append(abs(run["work.input"][-1] - 0.85 * np.sin(1.0) ** 2))
    assert errors[-1] < 1e-4 and min(np.log2(a / b) for a, b in pairwise(errors)) > 1.8


def test_gear_has_the_reduced_inertia() -> None:
    """Two wheels geared 1 : -3: alpha = tau/(I1 + 9 I2) (the second turns three times as fast)."""
    machine = da.Machine(
        "gears",
        bodies=[da.Body("one", 1.0, inertia=(0.5, 0.5, 0.5)), da.Body("two", 1.0, inertia=(0.1, 0.1, 0.1))],
        joints=[da.Joint("q1", "revolute", "world", "one"), da.Joint("q2", "revolute", "world", "two")],
        constraints=[da.GearConstraint("mesh", terms={"q1": 3.0, "q2": 1.0})],
    )
    eom = da.equations(machine, backend="vm")
    a, force = eom.constrained_dynamics([0.2, -0.6], [0.0, 0.0], [2.0, 0.0])
    assert np.allclose(a, [2.0 / 1.4, -6.0 / 1.4])
    assert force[0] == pytest.approx(0.1 * 6.0 / 1.4)


@pytest.mark.parametrize(
    ("constraint", "rows", "freedom"),
    [
        (da.LoopConstraint("c", "b", kind="ball"), 3, 3),
        (da.LoopConstraint("c", "b", kind="revolute", axis=(1, 2, 0)), 5, 1),
        (da.LoopConstraint("c", "b", kind="prismatic", axis=(0, 1, 1)), 5, 1),
        (da.LoopConstraint("c", "b", kind="cylindrical"), 4, 2),
        (da.LoopConstraint("c", "b", kind="fixed"), 6, 0),
        (da.WeldConstraint("c", "b", offset=da.Transform()), 6, 0),
        (da.ParallelConstraint("c", "b"), 2, 4),
        (da.OrthogonalConstraint("c", "b"), 1, 5),
        (da.DistanceConstraint("c", "b", length=1e-9), 1, 5),
    ],
)
def test_each_kind_takes_its_degrees_of_freedom(constraint, rows, freedom) -> None:
    machine = da.Machine(
        "m", bodies=[da.Body("b", 1.0, inertia=INERTIA)], joints=[da.Joint("f", "free", "world", "b")],
        constraints=[constraint],
    )  # fmt: skip
    q = machine.q_neutral
    if isinstance(constraint, da.DistanceConstraint):
        q[0] = 1e-9
    eom = da.equations(machine, backend="vm")
    assert np.allclose(eom.constraints(q), 0.0)
    J = eom.constraint_jacobian(q)
    assert J.shape == (rows, 6)
    assert 6 - np.linalg.matrix_rank(J, tol=1e-9) == freedom


def two_bodies(**options) -> da.Machine:
    """Two bodies on a rail; the second can be caught by the first."""
    return da.Machine(
        "rail",
        bodies=[da.Body("one", 2.0), da.Body("two", 1.0)],
        joints=[
            da.Joint("x1", "prismatic", "world", "one", axis=(1, 0, 0)),
            da.Joint("x2", "prismatic", "world", "two", axis=(1, 0, 0)),
        ],
        constraints=[da.WeldConstraint("grip", "two", "one", switchable=True, active=False, **options)],
    )


def test_catching_is_an_inelastic_impact_and_the_loss_is_reported() -> None:
    """m1 = 2 at 3 m/s catches m2 = 1 at rest: 2 m/s, loss m1 m2 v^2/(2 (m1 + m2)) = 3 J."""
    switches = [da.Switch(at=0.4, on="grip"), da.Switch(at=0.8, off="grip")]
    run = da.simulate(two_bodies(), duration=1.0, v0={"x1_dot": 3.0}, switches=switches, step=1e-2)
    assert run["x2_dot"][-1] == pytest.approx(2.0)
    assert run["x1"][-1] - run["x2"][-1] == pytest.approx(1.2)  # the pose of the catch is kept
    first, second = run.metadata["transitions"]
    assert (first["t"], second["t"]) == pytest.approx((0.4, 0.8))
    assert first["energy_lost"] == pytest.approx(3.0)
    assert second["energy_lost"] == pytest.approx(0.0, abs=1e-12)
    assert run.energy.drift < 1e-12  # the audit knows where the energy went
    assert np.abs(run.energy.transition).max() < 1e-12
    assert run["active.grip"][[0, -1]].tolist() == [0.0, 0.0]


def test_switch_at_an_event_and_gap_that_cannot_close() -> None:
    meet = da.Event("meet", lambda t, q, v: q[0] - q[1])
    machine = two_bodies(offset=da.Transform())
    settings = {"q0": {"x2": 1.0}, "v0": {"x1_dot": 2.0}, "duration": 1.0, "step": 1e-2}
    run = da.simulate(machine, events=[meet], switches=[da.Switch(event="meet", on=("grip",))], **settings)
    assert run.metadata["transitions"][0]["t"] == pytest.approx(0.5)
    assert run["x2"][-1] == pytest.approx(1.0 + 0.5 * 4.0 / 3.0)
    with pytest.raises(da.SimulationError, match="gap"):
        da.simulate(machine, switches=[da.Switch(at=0.2, on="grip")], **settings)
    with pytest.raises(da.UnknownNameError, match="grab"):
        da.simulate(machine, switches=[da.Switch(at=0.2, on="grab")], **settings)


def test_initial_state_is_projected_and_the_correction_reported() -> None:
    coupler, rocker = four_bar_angles(np.array(0.7))
    q0 = np.array([0.7, coupler - 0.7 + 0.01, rocker - 0.02])
    run = da.simulate(four_bar(), duration=0.01, q0=q0, v0=[1.0, 0.0, 0.0], backend="vm")
    assert run["constraint.position"][0] < 1e-11
    assert 1e-3 < run.metadata["initial_projection"]["position"] < 5e-2
    assert run.metadata["initial_projection"]["velocity"] > 0.1


def test_what_cannot_honour_constraints_refuses() -> None:
    machine = four_bar()
    eom = da.equations(machine, backend="vm")
    with pytest.raises(da.InputError, match="constrained_dynamics"):
        eom.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3))
    with pytest.raises(da.InputError, match=r"do not allow a = 2, b = 2, c = 2 together: .*; 66 starts were tried"):
        da.simulate(machine, duration=0.1, q0=[2.0, 2.0, 2.0], backend="vm")
    with pytest.raises(da.InputError, match="at: the constraints of machine 'four-bar' do not allow"):
        da.linearize(machine, [2.0, 2.0, 2.0])
    with pytest.raises(da.InputError, match="no such derivatives"):
        eom.forward_dynamics_derivatives(np.zeros(3), np.zeros(3), np.zeros(3))
    coupler, rocker = four_bar_angles(np.array(0.7))
    q0 = [0.7, coupler - 0.7, rocker]
    with pytest.raises(da.InputError, match="cvodes"):
        da.simulate(machine, duration=0.1, q0=q0, method="cvodes", backend="vm")
    with pytest.raises(da.InputError, match="baumgarte"):
        da.simulate(machine, duration=0.1, q0=q0, constraints="baumgart", backend="vm")
    with pytest.raises(da.InputError, match="no constraints to switch"):
        da.simulate(machine.with_(constraints=()), duration=0.1, switches=[da.Switch(at=0.05, on="loop")])


def test_a_run_that_leaves_its_constraints_behind_stops() -> None:
    """The tip of the coupler is pulled away faster than the linkage reaches."""
    coupler, rocker = four_bar_angles(np.array(0.7))
    pull = da.MotionConstraint("pull", frame="coupler_tip", component="x", value=0.9 + 3.0 * da.TIME)
    machine = four_bar(components="xz")
    machine = machine.with_(constraints=[*machine.constraints, pull])
    with pytest.raises(da.SimulationError, match="constraints could not be kept") as caught:
        da.simulate(machine, duration=1.0, q0=[0.7, coupler - 0.7, rocker], reach=0.3, step=1e-3)
    assert caught.value.run.t[-1] > 0.0


def test_contradicting_constraints_are_refused() -> None:
    machine = da.Machine(
        "torn", bodies=[da.Body("b", 1.0, inertia=INERTIA)], joints=[da.Joint("f", "free", "world", "b")],
        constraints=[da.DistanceConstraint("near", "b", length=1.0), da.DistanceConstraint("far", "b", length=1.05)],
    )  # fmt: skip
    with pytest.raises(da.InputError, match="no state satisfies the constraints of machine 'torn': 66 starts"):
        da.simulate(machine, duration=0.1, q0={"f.x": 1.0}, backend="vm")


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: da.BallConstraint("c", "b", "b"), "to itself"),
        (lambda: da.BallConstraint("c", "b", components="xx"), "components"),
        (lambda: da.DistanceConstraint("c", "b", length=-1.0), "> 0"),
        (lambda: da.DistanceConstraint("c", "b", length=float("nan")), "finite"),
        (lambda: da.LoopConstraint("c", "b", kind="helical"), "known kinds"),
        (lambda: da.ParallelConstraint("c", "b", axis=(0, 0, 0)), "zero"),
        (lambda: da.OrthogonalConstraint("c", "b", angle=0.0), "ParallelConstraint"),
        (lambda: da.GearConstraint("c", terms={}), "not zero"),
        (lambda: da.MotionConstraint("c"), "joint or a frame"),
        (lambda: da.WeldConstraint("c", "b", active=False), "never act"),
    ],
)
def test_bad_constraints(make, match) -> None:
    with pytest.raises(da.MachineError, match=match):
        make()


@pytest.mark.parametrize(
    ("constraint", "match"),
    [
        (da.BallConstraint("c", "hand"), "no frame or body named 'hand'"),
        (da.GearConstraint("c", terms={"knee": 1.0}), "no joint with one coordinate named 'knee'"),
        (da.MotionConstraint("c", frame="foot"), "foot"),
    ],
)
def test_names_must_exist(constraint, match) -> None:
    with pytest.raises(da.MachineError, match=match):
        four_bar().with_(constraints=[constraint])


@pytest.mark.parametrize(
    "name", ["projection", "baumgarte", "udwadia-kalaba", "penalty", "augmented-lagrangian", "idas"]
)
def test_accelerations_and_multipliers_are_those_of_the_method(name: str) -> None:
    """Beside the constraints, where terms of Baumgarte and penalties count; against the equations in NumPy."""
    penalised = name in ("penalty", "augmented-lagrangian")  # of 1e8 rounding of J a would count
    way = constraint_method({"name": name, "penalty": 1e5} if penalised else name)
    rng = np.random.default_rng(5)
    problem = close_loop(da.equations(four_bar()), None, limits="ignore").problem
    system = problem.constrained
    assert system is not None
    codes = problem_kernels(problem, tapes=way.tapes).constrained_codes()
    native, p = NativeConstrained(problem, codes, way), np.zeros(problem.n_parameters)
    for _ in range(5):
        x = np.concatenate(
            [0.3 * rng.normal(size=system.nq + system.nv), np.zeros(problem.n_states - system.nq - system.nv)]
        )
        terms = [np.array(y.full()) for y in system.tape.call([np.zeros(1), x, np.zeros(0), p])]
        _, f, Jt, phi, phidot, gamma, _, M = terms
        a, multipliers = solved(way, M, f[:, 0], Jt.T, phi[:, 0], phidot[:, 0], gamma[:, 0])
        got = native.signals(np.zeros(1), x[None], np.zeros(0), p)[0]
        np.testing.assert_allclose(got[:-3], multipliers, rtol=1e-7, atol=1e-9 * np.abs(multipliers).max())
        assert got[-3] == pytest.approx(np.abs(phi).max(), rel=1e-12)
        assert got[-1] == 0.0  # forces of contacts that are undetermined: there are none
        found = native.memory.arrays["a"]
        np.testing.assert_allclose(found, a, rtol=1e-7, atol=1e-9 * np.abs(a).max())


def test_idas_leaves_a_cut_cable_alone() -> None:
    """A pendulum whose string is cut falls into a longer one, and swings on that."""
    machine = da.Machine(
        "bob",
        bodies=[da.Body("slide"), da.point_mass("b", 2.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
            da.Joint("z", "prismatic", "slide", "b", axis=(0, 0, 1)),
        ],
        cables=[da.Cable("one", "b", length=1.0), da.Cable("two", "b", length=1.2)],
    )
    settings = {"q0": {"z": -1.0}, "v0": {"x_dot": 1.0}, "duration": 0.6, "switches": [da.Switch(at=0.1, off="one")]}
    by_idas, projected = (
        da.simulate(machine, record=0.1, **settings, **way) for way in ({"constraints": "idas"}, {"method": "dopri5"})
    )
    assert [e.name for e in by_idas.events] == [e.name for e in projected.events] == ["switch0", "two.taut"]
    np.testing.assert_allclose(by_idas.x[-1, :4], projected.x[-1, :4], atol=1e-4)
