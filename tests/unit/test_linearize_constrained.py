"""Linear models of machines with constraints: against minimal coordinates, analytic reductions, differences, motion."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import analysis
from dalembert.analysis.cables.tensions import platform_load
from dalembert.analysis.linearize import equilibrium, law_gain, linearize, reduction
from dalembert.analysis.modal import machine_modes, modal_reduction
from dalembert.control.lqr import design_lqr
from dalembert.formulations.constraints.projection import consistent_state
from dalembert.systems import cable_robots as cr
from dalembert.systems.mechanisms import four_bars

CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.8, 0.6, 0.9
MASSES = (1.0, 2.0, 1.5)


def point_pendulum(**options) -> da.Machine:
    """A point mass in the x-z plane on a massless rod of 0.8 m, pushed along x."""
    return da.Machine(
        "point pendulum",
        bodies=[da.Body("slide"), da.point_mass("bob", 1.3)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0), damping=0.2),
            da.Joint("z", "prismatic", "slide", "bob", axis=(0, 0, 1)),
        ],
        constraints=[da.DistanceConstraint("rod", "bob", **({"length": 0.8} | options))],
        motors=[da.Motor("F", "x")],
    )


def four_bar(components: str = "xz", **parts) -> da.Machine:
    axis = (0.0, -1.0, 0.0)
    bodies = [
        da.rod(name, m, length, axis="x", com=(length / 2, 0, 0))
        for name, m, length in zip(("crank", "coupler", "rocker"), MASSES, (CRANK, COUPLER, ROCKER), strict=True)
    ]
    joints = [
        da.Joint("a", "revolute", "world", "crank", axis=axis, damping=0.3),
        da.Joint("b", "revolute", "crank", "coupler", origin=da.Transform((CRANK, 0, 0)), axis=axis),
        da.Joint("c", "revolute", "world", "rocker", origin=da.Transform((GROUND, 0, 0)), axis=axis),
    ]
    frames = [
        da.Frame("tip1", "coupler", da.Transform((COUPLER, 0, 0))),
        da.Frame("tip2", "rocker", da.Transform((ROCKER, 0, 0))),
    ]
    loop = da.BallConstraint("loop", "tip1", "tip2", components=components)
    own = {"motors": [da.Motor("torque", "a")]} | parts
    return da.Machine("four-bar", bodies=bodies, joints=joints, frames=frames, constraints=[loop], **own)


def four_bar_angles(theta: float) -> tuple[float, float]:
    """Absolute angles of coupler and rocker, by the triangle over the diagonal."""
    dx, dz = GROUND - CRANK * np.cos(theta), -CRANK * np.sin(theta)
    e = np.hypot(dx, dz)
    coupler = np.arctan2(dz, dx) + np.arccos((COUPLER**2 + e**2 - ROCKER**2) / (2 * COUPLER * e))
    x, z = CRANK * np.cos(theta) + COUPLER * np.cos(coupler), CRANK * np.sin(theta) + COUPLER * np.sin(coupler)
    return coupler, np.arctan2(z, x - GROUND)


def four_bar_energies(theta: float) -> tuple[float, float]:
    """Inertia reduced to the crank, 2 T/theta'^2, and potential energy, from the closed-form kinematics."""

    def centres(x: float) -> np.ndarray:
        coupler, rocker = four_bar_angles(x)
        pin = CRANK * np.array([np.cos(x), np.sin(x)])
        return np.array(
            [
                pin / 2,
                pin + COUPLER / 2 * np.array([np.cos(coupler), np.sin(coupler)]),
                [GROUND + ROCKER / 2 * np.cos(rocker), ROCKER / 2 * np.sin(rocker)],
            ]
        )

    h = 1e-5
    moved = (centres(theta + h) - centres(theta - h)) / (2 * h)
    turned = (np.array([theta + h, *four_bar_angles(theta + h)]) - [theta - h, *four_bar_angles(theta - h)]) / (2 * h)
    inertia = sum(
        m * (d @ d + w**2 * length**2 / 12)
        for m, d, w, length in zip(MASSES, moved, turned, (CRANK, COUPLER, ROCKER), strict=True)
    )
    return float(inertia), float(9.81 * np.dot(MASSES, centres(theta)[:, 1]))


def test_point_mass_on_a_rod_is_a_pendulum() -> None:
    m, l, c = 1.3, 0.8, 0.2
    outputs = ["x", "z", "bob.x", "multiplier.rod"]
    plant = linearize(point_pendulum(), {"z": -l}, outputs=outputs)
    assert plant.state_labels == ["x", "x_dot"]
    assert np.allclose(plant.A, [[0.0, 1.0], [-9.81 / l, -c / m]], atol=1e-13)
    assert np.allclose(plant.B, [[0.0], [1 / m]], atol=1e-14)
    assert np.allclose(plant.C, [[1, 0], [0, 0], [1, 0], [0, 0]], atol=1e-13)  # the height changes to second order
    # leaning by 0.5 rad with the force m g tan(0.5): w^2 = g/(l cos), in x: x'' = -w^2 cos.. see the angle's model
    lean = 0.5
    angle = da.Machine(
        "angle",
        bodies=[da.point_mass("bob", m, com=(0, 0, -l))],
        joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, -1, 0))],
        wrenches=[da.Wrench("F", "tip", force=(m * 9.81 * np.tan(lean), 0, 0), axes="world")],
        frames=[da.Frame("tip", "bob", da.Transform((0, 0, -l)))],
    )
    expected = linearize(angle, {"theta": lean})
    at = {"x": l * np.sin(lean), "z": -l * np.cos(lean)}
    slide = da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0))
    undamped = point_pendulum().with_(joints=[slide, point_pendulum().joint("z")])
    plant = linearize(undamped, at, outputs=["x", "z", "multiplier.rod"])
    assert equilibrium(da.equations(undamped, backend="vm"), at).u == pytest.approx([m * 9.81 * np.tan(lean)])
    assert np.allclose(plant.A[1, 0], expected.A[1, 0])
    assert np.allclose(plant.C[1], [np.tan(lean), 0.0])  # along the circle z rises with x
    # tension T = F sin + m g cos + m v^2/l: at constant F it is stationary there, and F adds its component
    assert plant.D[2, 0] == pytest.approx(np.sin(lean))
    assert plant.C[2] == pytest.approx([0.0, 0.0], abs=1e-11)


@pytest.mark.parametrize("components", ["xz", "xyz"])  # the second one is redundant
def test_four_bar_is_its_analytic_reduction(components) -> None:
    """One degree of freedom: inertia I(theta), I theta'' = tau - V' - I'/2 theta'^2, held by tau = V'."""
    theta, h = 0.7, 1e-3
    coupler, rocker = four_bar_angles(theta)
    plant = linearize(four_bar(components), [theta, coupler - theta, rocker], independent=["a"], outputs=["a", "c"])
    V = [four_bar_energies(theta + k * h)[1] for k in (-2, -1, 0, 1, 2)]
    slope = np.dot([1, -8, 0, 8, -1], V) / (12 * h)
    curvature = np.dot([-1, 16, -30, 16, -1], V) / (12 * h**2)
    inertia = four_bar_energies(theta)[0]
    assert plant.state_labels == ["a", "a_dot"]
    assert np.allclose(plant.A, [[0, 1], [-curvature / inertia, -0.3 / inertia]], rtol=1e-6, atol=1e-9)
    assert np.allclose(plant.B, [[0], [1 / inertia]], rtol=1e-8)
    turn = (four_bar_angles(theta + 1e-6)[1] - four_bar_angles(theta - 1e-6)[1]) / 2e-6
    assert plant.C[1, 0] == pytest.approx(turn, rel=1e-8)
    eom = da.equations(four_bar(components), backend="vm")
    assert equilibrium(eom, [theta, coupler - theta, rocker]).u == pytest.approx([slope], rel=1e-8)


def field(eom: da.EquationsOfMotion, q0, latches, own, x, u) -> np.ndarray:
    """(y', w') of the constrained machine at independent displacements and velocities ``x`` around ``q0``."""
    n, k = len(own.independent), list(own.independent)
    rest = [i for i in range(eom.nv) if i not in k]
    q = eom.integrate(q0, own.S @ x[:n])
    for _ in range(20):  # onto the constraints, the independent displacements from q0 kept
        step = np.zeros(eom.nv)
        J = eom.constraint_jacobian(q, latches=latches)
        step[rest] = -np.linalg.lstsq(J[:, rest], eom.constraints(q, latches=latches), rcond=1e-9)[0]
        d = eom.difference(q0, eom.integrate(q, step))
        d[k] = x[:n]
        q = eom.integrate(q0, d)
    assert np.abs(eom.constraints(q, latches=latches)).max() < 1e-13
    J = eom.constraint_jacobian(q, latches=latches)
    v = np.zeros(eom.nv)
    v[k] = x[n:]
    v[rest] = np.linalg.lstsq(J[:, rest], -J[:, k] @ v[k], rcond=1e-9)[0]
    a, _ = eom.constrained_dynamics(q, v, eom.applied(q, v, u), latches=latches)
    e = 1e-6
    rate = eom.coordinate_rate(q, v)
    ends = []
    for sign in (1, -1):
        moved = q + sign * e * rate
        for _, start in eom.layout.quaternions:
            moved[start : start + 4] /= np.linalg.norm(moved[start : start + 4])
        ends.append(eom.difference(q0, moved))
    return np.concatenate([((ends[0] - ends[1]) / (2 * e))[k], a[k]])


@pytest.mark.parametrize("case", ["four-bar", "platform"])
def test_away_from_rest_it_is_the_derivative_of_the_constrained_field(case) -> None:
    if case == "four-bar":
        machine = four_bar()
        coupler, rocker = four_bar_angles(0.7)
        q, v = np.array([0.7, coupler - 0.7, rocker]), np.array([4.0, 0.0, 0.0])
        u = np.array([1.5])
    else:
        machine = cr.pulley_robot(1)
        q = machine.q_neutral + np.array([0.1, 0.3, 0.4, 0, 0, 0, 0])
        v, u = np.array([0.5, -0.4, 0.3, 0.6, 0.2, -0.5]), np.zeros(0)
    eom = da.equations(machine, backend="vm")
    point = equilibrium(eom, q, u=u)
    v0 = consistent_state(eom, point.q, v, latches=point.latches).v
    own = reduction(eom, q)
    plant = linearize(eom, q, v=v, u=u, require_equilibrium=False)
    k = list(own.independent)
    x0, h = np.concatenate([np.zeros(len(k)), v0[k]]), 1e-5
    ends = [[field(eom, point.q, point.latches, own, x0 + z * h * e, u) for e in np.eye(len(x0))] for z in (1, -1)]
    A = (np.array(ends[0]) - ends[1]).T / (2 * h)
    assert np.abs(A).max() > 1.0
    assert np.allclose(plant.A, A, atol=2e-5 * np.abs(A).max())


def suspended(**options) -> tuple[da.Machine, np.ndarray]:
    """A platform on four cables and winches, in no symmetric pose, and its rest."""
    exits = [(-2.0, -1.5, 3.0), (-2.1, 1.5, 3.0), (2.0, 1.6, 2.8), (2.0, -1.5, 3.1)]
    anchors = [(-0.2, -0.15, 0.1), (-0.2, 0.15, 0.1), (0.2, 0.15, 0.1), (0.2, -0.15, 0.1)]
    platform = da.box("platform", 20.0, (0.4, 0.3, 0.2))
    robot = cr.cable_robot("robot", platform, exits, anchors, drum=0.04, damping=0.05, **options)
    guess = robot.q_neutral
    guess[list(robot.q_names).index("platform.z")] = 1.5
    return robot, analysis.static_equilibrium(robot, analysis.cable_lengths(robot, guess), guess).q


def test_a_small_motion_of_a_cable_robot_is_predicted() -> None:
    """What the linear model misses is of second order: a tenth of the motion, a hundredth of the error."""
    from scipy.linalg import expm

    robot, q = suspended(pulley=0.05)
    eom = da.equations(robot)
    plant = linearize(eom, q)
    own, u = reduction(eom, q), equilibrium(eom, q).u
    assert plant.nstates == 12  # with the winches free all six motions of the platform are left
    errors = []
    for size in (1e-2, 1e-3):
        w = size * np.array([0.3, -0.2, 0.1, 0.5, 0.4, -0.3])
        run = da.simulate(robot, duration=0.5, q0=q, v0=own.S @ w, control=u, record=0.1, step=5e-4)
        assert not run.events
        x0 = np.concatenate([np.zeros(6), w])
        k = list(own.independent)
        error = 0.0
        for t, row in zip(run.t, run.x, strict=True):
            d = eom.difference(q, row[: eom.nq])[k]
            error = max(error, np.abs(np.concatenate([d, row[eom.nq :][k]]) - expm(plant.A * t) @ x0).max())
        errors.append(error)
    assert errors[1] < 1e-5
    assert errors[0] / errors[1] == pytest.approx(100.0, rel=0.2)


def test_frequencies_are_the_poles_and_locked_winches_are_fixed_lengths() -> None:
    robot, q = suspended(pulley=0.05)
    winches = [f"winch{k}" for k in (1, 2, 3, 4)]
    free = robot.with_(joints=[da.Joint(j.name, j.kind, j.parent, j.child) for j in robot.joints])  # without damping
    poles = np.sort(np.abs(linearize(free, q).poles().imag))[::2] / (2 * np.pi)
    assert np.allclose(poles, analysis.natural_frequencies(robot, q), rtol=1e-7)
    held = linearize(robot, q, locked=winches)
    poles = np.sort(np.abs(held.poles().imag))[::2] / (2 * np.pi)
    fixed, rest = suspended(pulley=0.05, winches=False)
    assert len(poles) == 2
    assert np.allclose(poles, analysis.natural_frequencies(fixed, rest), rtol=1e-7)
    assert np.allclose(poles, analysis.natural_frequencies(robot, q, locked=winches), rtol=1e-7)
    assert np.allclose(linearize(fixed, rest, by="lagrange").A, linearize(fixed, rest).A, atol=1e-9)
    natural = linearize(fixed, rest, by="natural")
    assert np.allclose(np.sort(natural.poles().imag), np.sort(held.poles().imag), rtol=1e-7)


def test_a_singular_position_is_refused_unless_cables_count_as_stiff() -> None:
    """Four equal cables on a centred platform have rank 3; elastic ones tend to the same soft frequencies."""
    exits = [(-2.0, -1.5, 3.0), (-2.0, 1.5, 3.0), (2.0, 1.5, 3.0), (2.0, -1.5, 3.0)]
    anchors = [(-0.2, -0.15, 0.1), (-0.2, 0.15, 0.1), (0.2, 0.15, 0.1), (0.2, -0.15, 0.1)]
    platform = da.box("platform", 20.0, (0.4, 0.3, 0.2))
    robot = cr.cable_robot("robot", platform, exits, anchors, winches=False)
    q = robot.q_neutral + np.array([0, 0, 1.5, 0, 0, 0, 0])
    with pytest.raises(da.InputError, match=r"singular position.*allow_singular"):
        linearize(robot, q)
    with pytest.raises(da.InputError, match="singular position"):
        analysis.natural_frequencies(robot, q)
    rigid = analysis.natural_frequencies(robot, q, allow_singular=True)
    lengths = analysis.cable_lengths(robot, q)
    tension = analysis.static_equilibrium(robot, lengths, q).tensions
    errors = []
    for EA in (1e6, 1e7):
        slack = lengths / (1 + tension / EA)
        elastic = cr.cable_robot("elastic", platform, exits, anchors, winches=False, stiffness=EA, lengths=list(slack))
        errors.append(np.abs(analysis.natural_frequencies(elastic, q)[:3] - rigid).max())
    assert rigid[0] > 2.0 and len(rigid) == 3
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.1)


def test_tensions_as_outputs() -> None:
    """Tensions by displacement, velocity and torque, against differences of the constrained dynamics."""
    robot, q = suspended()
    eom = da.equations(robot, backend="vm")
    names = [f"tension.cable{k}" for k in (1, 2, 3, 4)]
    plant = linearize(eom, q, outputs=names)
    own, point = reduction(eom, q), equilibrium(eom, q)
    assert np.allclose(
        point.multipliers, analysis.static_equilibrium(robot, analysis.cable_lengths(robot, q), q).tensions
    )
    h, zero = 1e-5, np.zeros(eom.nv)

    def tensions(d: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
        x = consistent_state(eom, eom.integrate(point.q, d), v, latches=point.latches)
        return eom.constrained_dynamics(x.q, x.v, eom.applied(x.q, x.v, u), latches=point.latches).multipliers

    for i, e in enumerate(own.S.T):
        slope = (tensions(h * e, zero, point.u) - tensions(-h * e, zero, point.u)) / (2 * h)
        assert np.allclose(plant.C[:, i], slope, atol=1e-4 * np.abs(plant.C[:, :6]).max())
        slope = (tensions(zero, h * e, point.u) - tensions(zero, -h * e, point.u)) / (2 * h)
        assert np.allclose(plant.C[:, 6 + i], slope, atol=1e-6 * np.abs(plant.C[:, 6:]).max())
    for i, e in enumerate(np.eye(4)):
        slope = (tensions(zero, zero, point.u + e) - tensions(zero, zero, point.u - e)) / 2
        assert np.allclose(plant.D[:, i], slope, atol=1e-9)


@pytest.mark.slow
def test_regulator_of_a_redundant_cable_robot() -> None:
    """Eight winches hold six degrees of freedom; the tensions come from a distribution within bounds."""
    robot = cr.eight_cable_robot(pulley=0.0)
    eom = da.equations(robot)
    q = robot.q_neutral
    q[list(robot.q_names).index("platform.z")] = 1.5
    with pytest.raises(da.InputError, match=r"cable5.*would have to push"):
        linearize(robot, q)
    f = analysis.tension_distribution(analysis.structure_matrix(robot, q), platform_load(robot, q), 50.0, 800.0)
    u = -0.05 * f
    assert equilibrium(eom, q, u=u).multipliers == pytest.approx(f, rel=1e-6)
    weights = {f"platform.{c}.int": 100.0 for c in ("vx", "vy", "vz", "wx", "wy", "wz")}
    law = design_lqr(robot, q, u=u, Q=weights, R=1e-2)
    plant = linearize(eom, q, u=u)
    poles = np.linalg.eigvals(plant.A + plant.B @ law_gain(eom, law, q))
    assert poles.real.max() < -0.5 > plant.poles().real.max() - 0.5
    run = da.simulate(robot, duration=3.0, q0=q, v0={"platform.vx": 0.05, "platform.wz": 0.1}, control=law, record=0.1)
    assert np.abs([run[f"platform.{c}"][-1] for c in ("x", "y", "qz")]).max() < 1e-3
    assert np.abs(run["platform.x"]).max() > 1e-4
    with pytest.raises(da.InputError, match="driven joints"):
        design_lqr(robot, q, u=u, reference=[0.0] * 8)


def test_modes_and_modal_reduction_know_the_constraints() -> None:
    m, l = 1.3, 0.8
    modes = machine_modes(da.equations(point_pendulum(), backend="vm"), {"z": -l})
    assert modes.omega == pytest.approx([np.sqrt(9.81 / l)])
    assert modes.shapes[:, 0] == pytest.approx([1 / np.sqrt(m), 0.0], abs=1e-12)
    assert modes.damping == pytest.approx([0.2 / m / (2 * np.sqrt(9.81 / l))])
    robot, q = suspended(winches=False)
    eom = da.equations(robot, backend="vm")
    full, reduced = linearize(eom, q), modal_reduction(eom, 2, q)
    assert np.allclose(np.sort(full.poles().imag), np.sort(reduced.poles().imag))
    with pytest.raises(da.InputError, match="has 2 modes"):
        modal_reduction(eom, 3, q)


def test_slack_cables_and_switched_constraints_do_not_act() -> None:
    machine = da.Machine(
        "swing",
        bodies=[da.Body("slide"), da.point_mass("bob", 1.3)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
            da.Joint("z", "prismatic", "slide", "bob", axis=(0, 0, 1)),
        ],
        cables=[da.Cable("hang", "bob", length=0.8), da.Cable("loose", "bob", exit_at=(0.5, 0, 0), length=2.0)],
        constraints=[da.DistanceConstraint("hold", "bob", length=0.8, switchable=True, active=False)],
    )
    plant = linearize(machine, {"z": -0.8})
    assert np.allclose(plant.A, [[0, 1], [-9.81 / 0.8, 0]])
    same = linearize(machine, {"z": -0.8}, active={"hold": True, "hang": False}, outputs=["multiplier.hold", "x"])
    assert np.allclose(same.A, plant.A)
    with pytest.raises(da.InputError, match="redundant"):
        linearize(machine, {"z": -0.8}, active={"hold": True}, outputs=["x", "tension.hang"])
    with pytest.raises(da.InputError, match=r"'tension.loose'.*does not act"):
        linearize(machine, {"z": -0.8}, outputs=["x", "tension.loose"])
    with pytest.raises(da.UnknownNameError, match="loose"):
        linearize(machine, {"z": -0.8}, active={"loos": False})


LENGTH = da.Parameter("length", 0.8)
HANGING = {"platform.y": 0.25, "platform.z": 0.37}
LOOSE = point_pendulum().with_(constraints=(), gravity=(0, 0, 0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: linearize(point_pendulum(), {"z": -0.9}), r"do not allow z = -0.9: .*; 66 starts .* z = -0.8$"),
        (lambda: linearize(point_pendulum(), {"x": 0.48, "z": -0.64}, u=[0.0]), r"not in equilibrium.*constraints"),
        (lambda: linearize(point_pendulum(), {"z": -0.8}, v=[1.0, 0.0]), "not at rest with v"),
        (lambda: linearize(point_pendulum(), {"z": -0.8}, v=[0.0, 1.0]), "not at rest with v"),  # along the rod
        (lambda: linearize(point_pendulum(), {"z": -0.8}, independent=["x", "z"]), "1 degrees of freedom.*names 2"),
        (lambda: linearize(point_pendulum(), {"z": -0.8}, independent=["z"]), "depend on each other"),
        (lambda: linearize(point_pendulum(), {"z": -0.8}, independent=["y"]), "y"),
        (lambda: linearize(point_pendulum(), {"z": -0.8}, locked="x"), r"write \['x'\]"),
        (lambda: linearize(point_pendulum(), {"z": -0.8}, locked=["w"]), "no joint named 'w'"),
        (lambda: linearize(point_pendulum(), {"z": -0.8}, locked=["x"]), "no degree of freedom"),
        (lambda: linearize(point_pendulum(), {"z": -0.8}, outputs=["multiplier.bar"]), "multiplier.rod"),
        (lambda: linearize(point_pendulum(), {"z": -0.8}, active={"rod": False}), "rod"),
        (lambda: linearize(point_pendulum(length=LENGTH), {"z": -0.8}, inputs=["length"]), "part of constraint 'rod'"),
        (lambda: linearize(point_pendulum(length=0.8 + 0.1 * da.TIME), {"z": -0.8}), "constraint 'rod' moves"),
        (lambda: linearize(four_bar(), [np.pi, 0.0, 0.0]), "do not allow a = 3.14159, b = 0, c = 0 together"),
        (lambda: linearize(cr.pulley_robot(1), HANGING, outputs=["platform.x"]), "name a parameter"),
        (lambda: linearize(LOOSE, independent=["x"]), "no constraints"),
        (lambda: linearize(LOOSE, active={"rod": True}), "no constraints"),
    ],
)
def test_refusals(make, message) -> None:
    with pytest.raises(da.DalembertError, match=message):
        make()


def test_folded_linkage_has_no_linear_model() -> None:
    """A parallelogram lying flat can go on in two ways: the loop loses rank there."""
    axis = (0.0, -1.0, 0.0)
    machine = da.Machine(
        "parallelogram",
        bodies=[
            da.rod(name, 1.0, length, axis="x", com=(length / 2, 0, 0))
            for name, length in (("one", 0.4), ("two", 1.0), ("three", 0.4))
        ],
        joints=[
            da.Joint("a", "revolute", "world", "one", axis=axis),
            da.Joint("b", "revolute", "one", "two", origin=da.Transform((0.4, 0, 0)), axis=axis),
            da.Joint("c", "revolute", "world", "three", origin=da.Transform((1.0, 0, 0)), axis=axis),
        ],
        frames=[
            da.Frame("tip1", "two", da.Transform((1.0, 0, 0))),
            da.Frame("tip2", "three", da.Transform((0.4, 0, 0))),
        ],
        constraints=[da.BallConstraint("loop", "tip1", "tip2", components="xz")],
        gravity=(0, 0, 0),
    )
    with pytest.raises(da.InputError, match="singular position"):
        linearize(machine, [0.0, 0.0, 0.0])
    assert linearize(machine, [0.3, -0.3, 0.3]).nstates == 2


@pytest.mark.parametrize("angle", [-np.pi / 2, np.pi / 2, 0.0])
def test_links_in_one_line_are_singular_at_any_angle(angle: float) -> None:
    """Of a row that vanishes there rounding may leave something: it counts as little as an exact zero."""
    machine = four_bars(1).with_(gravity=(0, 0, 0))
    q = {"crank0": angle, "crank1": angle, "coupler0": -angle}
    flat = abs(np.cos(angle)) < 1e-9
    for compute in (linearize, analysis.natural_frequencies):
        if flat:
            with pytest.raises(da.InputError, match="singular position"):
                compute(machine, q)
        else:
            compute(machine, q)
    assert linearize(machine, q, allow_singular=True).nstates == (4 if flat else 2)
    assert len(analysis.natural_frequencies(machine, q, allow_singular=True)) == (2 if flat else 1)
