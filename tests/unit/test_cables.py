"""Cables: geometry over pulleys, tension, slack, elasticity, winches, and what cable robots need."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert import analysis
from dalembert.analysis.cables.tensions import platform_load
from dalembert.model.cables.swivelling_pulley import SwivellingPulley
from dalembert.systems import cable_robots as cr

INERTIA = (0.01, 0.02, 0.03)


def ball(*cables: da.Cable, **parts) -> da.Machine:
    return da.Machine(
        "ball", bodies=[da.Body("b", 1.5, inertia=INERTIA), *parts.pop("bodies", ())],
        joints=[da.Joint("f", "free", "world", "b"), *parts.pop("joints", ())], cables=cables, **parts,
    )  # fmt: skip


# -- geometry ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_the_cable_leaves_the_pulley_along_a_tangent(seed) -> None:
    """A is on the pulley, the cable is perpendicular to its radius there, and the whole is the shortest way round."""
    rng = np.random.default_rng(seed)
    r, d = 0.1, rng.normal(size=3)
    b = d + rng.normal(size=3) * 2 + np.array([0, 0, -1.0])
    path = SwivellingPulley.path(ca.SX(ca.DM(b)), ca.SX(ca.DM(d)), ca.SX.eye(3), r)
    a, length, sigma = (np.array(ca.evalf(x).full()).squeeze() for x in (path.exit, path.length, path.swivel))
    s = np.array([np.cos(sigma), np.sin(sigma), 0.0])
    centre = d + r * s
    assert np.linalg.norm(a - centre) == pytest.approx(r)
    assert (a - centre) @ (b - a) == pytest.approx(0.0, abs=1e-12)
    assert np.cross(s, [0, 0, 1]) @ (b - d) == pytest.approx(0.0, abs=1e-12)
    # length by walking over the top from D in small chords, then straight to the anchor
    psi = np.arctan2(a[2] - d[2], (a - centre) @ s)
    arc = np.linspace(np.pi, psi, 20001)
    points = centre + r * (np.cos(arc)[:, None] * s + np.sin(arc)[:, None] * [0, 0, 1])
    walked = np.linalg.norm(np.diff(points, axis=0), axis=1).sum() + np.linalg.norm(b - a)
    assert length == pytest.approx(walked, rel=1e-8)
    # a massless pulley cannot hold a force across the cable: dL/db is the cable's direction
    L = ca.SX.sym("b", 3)
    gradient = ca.gradient(SwivellingPulley.path(L, ca.SX(ca.DM(d)), ca.SX.eye(3), r).length, L)
    assert np.allclose(np.array(ca.Function("g", [L], [gradient])(b).full())[:, 0], (b - a) / np.linalg.norm(b - a))


def test_small_pulleys_become_points() -> None:
    machine = cr.pulley_robot(2, pulley=1e-9)
    q = machine.q_neutral + np.array([0, 0.25, 0.37, 0, 0, 0, 0])
    assert np.allclose(analysis.cable_lengths(machine, q), analysis.cable_lengths(cr.pulley_robot(1), q), atol=1e-8)


# -- tension and slack ------------------------------------------------------------------------------------------------


def test_tension_of_a_conical_pendulum() -> None:
    """On a circle of angle beta: T cos(beta) = m g, w^2 = g/(l cos(beta))."""
    l, beta = 1.2, 0.6
    w = np.sqrt(9.81 / (l * np.cos(beta)))
    machine = ball(da.Cable("c", "b", length=l))
    q0 = {"f.x": l * np.sin(beta), "f.z": -l * np.cos(beta)}
    run = da.simulate(machine, duration=1.0, q0=q0, v0={"f.vy": w * l * np.sin(beta)}, step=1e-3)
    assert np.allclose(run["tension.c"], 1.5 * 9.81 / np.cos(beta), rtol=1e-9)
    assert np.allclose(run["f.z"], -l * np.cos(beta), atol=1e-9)
    assert not run.events


def test_slack_and_retension_are_located() -> None:
    """A ball thrown up on its cable leaves the circle where v^2 = g l cos, and flies a parabola until it is caught."""
    l, v = 1.0, np.sqrt(9.81 * 3.5)  # from the bottom: leaves at sin(h) = (v^2 - 2 g l)/(3 g l) = 1/2 above the centre
    machine = ball(da.Cable("c", "b", length=l))
    run = da.simulate(machine, duration=1.5, q0={"f.z": -l}, v0={"f.vx": v}, step=1e-3)
    slack, taut = run.events[:2]
    assert (slack.name, taut.name) == ("c.slack", "c.taut")
    assert slack.x[2] == pytest.approx(0.5 * l, abs=1e-8)
    # parabola from there: x0 = cos(30), z0 = 1/2, speed^2 = g l/2 along the tangent; caught at time 4 v sin(60)/g
    speed = np.sqrt(9.81 * l * 0.5)
    assert taut.t - slack.t == pytest.approx(4 * speed * np.cos(np.pi / 6) / 9.81, rel=1e-8)
    first = next(t for t in run.metadata["transitions"] if t["events"] == ["c.taut"])
    assert first["energy_lost"] > 0.1
    assert run.energy.drift < 1e-8
    assert run["tension.c"].min() > -1e-9
    assert run["length.c"].max() < l + 1e-9


@pytest.mark.slow
def test_bilateral_cable_pushes_instead() -> None:
    l, v = 1.0, np.sqrt(9.81 * 3.5)
    machine = ball(da.Cable("c", "b", length=l, bilateral=True))
    run = da.simulate(machine, duration=1.5, q0={"f.z": -l}, v0={"f.vx": v}, step=1e-3)
    assert not run.events
    assert run["tension.c"].min() < -1.0
    assert run.energy.drift < 1e-8


@pytest.mark.slow
def test_all_cables_slack_in_gravity_is_an_event() -> None:
    machine = ball(*[da.Cable(n, "b", exit_at=(x, 0, 0), length=2.0) for n, x in (("one", -1), ("two", 1))])
    run = da.simulate(machine, duration=1.0, step=1e-3)
    assert run["active.one"][0] == run["active.two"][0] == 0.0
    assert {e.name for e in run.events[:2]} == {"one.taut", "two.taut"}
    assert run.events[0].t == pytest.approx(np.sqrt(2 * np.sqrt(3.0) / 9.81), abs=1e-9)
    assert run.events[0].t == run.events[1].t


def test_winch_lifts_with_its_torque() -> None:
    """One weight on one winch: (m r^2 + J) theta'' = m g r - tau about the winch, tension m (g - r theta'')."""
    r, J, m = 0.05, 2e-3, 1.5
    body, joint, motor = da.winch("w", J)
    cable = da.Cable("c", "b", exit_at=(0, 0, 3), length=3.0, winch="w", drum=r)
    machine = ball(cable, bodies=[body], joints=[joint], motors=[motor])
    tau = -1.2 * m * 9.81 * r  # winds up
    run = da.simulate(machine, duration=0.5, control=[tau], step=1e-3)
    a = (m * 9.81 * r + tau) / (m * r**2 + J)
    assert run["w"][-1] == pytest.approx(0.5 * a * 0.25, rel=1e-9)
    assert run["f.z"][-1] == pytest.approx(-r * run["w"][-1], rel=1e-9)
    assert run["tension.c"][-1] == pytest.approx(m * (9.81 - r * a), rel=1e-9)
    assert run.energy.drift < 1e-10


def test_elastic_cable_oscillates_at_its_frequency() -> None:
    """Vertical oscillation: w^2 = EA/(l m); slack is an event, damping takes energy."""
    EA, l, m = 600.0, 2.0, 1.5
    cable = da.Cable("c", "b", exit_at=(0, 0, 0), length=l, stiffness=EA)
    machine = ball(cable)
    rest = l + m * 9.81 * l / EA
    period = 2 * np.pi / np.sqrt(EA / (l * m))
    run = da.simulate(machine, duration=period, q0={"f.z": -rest - 0.01}, method="dopri5", rtol=1e-11, atol=1e-12)
    assert run["f.z"][-1] == pytest.approx(-rest - 0.01, abs=1e-8)
    assert run["tension.c"][0] == pytest.approx(m * 9.81 + EA / l * 0.01)
    assert run.energy.drift < 1e-9
    # Steps pass over the kink of the force, and their estimates see little of it: drifts are a hundred times rtol.
    thrown = da.simulate(machine, duration=1.0, q0={"f.z": -rest - 0.3}, method="dopri5", rtol=1e-11, atol=1e-13)
    assert [e.name for e in thrown.events[:2]] == ["c.slack", "c.taut"]
    assert thrown["tension.c"].min() == 0.0
    assert thrown.energy.drift < 1e-8
    damped = da.simulate(
        ball(da.Cable("c", "b", length=l, stiffness=EA, damping=6.0)), duration=1.0, q0={"f.z": -rest - 0.01}, step=1e-3
    )
    assert damped["work.loss"][-1] < -0.01
    assert damped.energy.drift < 1e-6


@pytest.mark.slow
def test_moving_exit_does_work_and_body_of_its_own() -> None:
    lift = da.Cable("c", "b", exit_at=(0.0, 0.0, 2.0 + 0.5 * da.smoothstep(da.TIME / 1.0)), length=2.0)
    run = da.simulate(ball(lift), duration=1.5, step=1e-3)
    assert run["f.z"][-1] == pytest.approx(0.5, abs=1e-9)
    assert run["work.input"][-1] == pytest.approx(1.5 * 9.81 * 0.5, rel=1e-8)
    assert run.energy.drift < 1e-9
    cart = da.Machine(
        "crane", bodies=[da.Body("cart", 3.0), da.Body("b", 1.5, inertia=INERTIA)],
        joints=[da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0)), da.Joint("f", "free", "world", "b")],
        cables=[da.Cable("c", "b", exit="cart", length=1.0)],
    )  # fmt: skip
    run = da.simulate(cart, duration=2.0, q0={"f.x": 0.5, "f.z": -np.sqrt(0.75)}, step=1e-3)
    centre = 3.0 * run["x"] + 1.5 * run["f.x"]
    assert np.allclose(centre, 0.75, atol=1e-9)  # nothing pulls sideways from outside
    assert np.ptp(run["x"]) > 0.1
    assert run.energy.drift < 1e-9


def test_runs_with_impacts_are_saved_continued_and_sampled(tmp_path) -> None:
    machine = ball(da.Cable("c", "b", length=1.0))
    whole = da.simulate(machine, duration=1.0, q0={"f.x": 0.5})
    again = da.load_run(whole.save(tmp_path / "run.nc"))
    assert again.metadata["transitions"] == whole.metadata["transitions"]
    part = da.simulate(machine, duration=0.5, q0={"f.x": 0.5})
    rest = da.simulate(machine, duration=0.5, start=part)
    assert np.allclose(rest.x[-1], whole.x[-1], atol=1e-12)
    body, joint, motor = da.winch("w", 2e-3)
    hoist = ball(
        da.Cable("c", "b", exit_at=(0, 0, 3), length=3.0, winch="w", drum=0.05), bodies=[body], joints=[joint],
        motors=[motor],
    )  # fmt: skip
    hold = da.SampledController(lambda t, q, v: [-1.5 * 9.81 * 0.05 - 2.0 * q[7] - 0.5 * v[6]], 0.01)
    run = da.simulate(hoist, duration=1.0, v0={"f.vz": -0.1, "w_dot": 2.0}, control=hold)
    assert abs(run["w_dot"][-1]) < 0.1
    assert run["tension.c"][-1] == pytest.approx(1.5 * 9.81, rel=0.02)


# -- robots ------------------------------------------------------------------------------------------------------------


def test_forward_kinematics_inverts_the_lengths() -> None:
    machine = cr.eight_cable_robot()
    eom = da.equations(machine, backend="vm")
    home = machine.q_neutral
    home[list(machine.q_names).index("platform.z")] = 1.5
    d = np.zeros(machine.nv)
    d[:6] = [0.4, -0.2, 0.1, 0.1, -0.2, 0.15]
    goal = eom.integrate(home, d)
    found = analysis.forward_kinematics(machine, analysis.cable_lengths(machine, goal), home)
    assert np.allclose(found, goal, atol=1e-10)
    with pytest.raises(da.InputError, match="static_equilibrium"):
        four = cr.pulley_robot(2)
        analysis.forward_kinematics(four, analysis.cable_lengths(four, four.q_neutral), four.q_neutral)


def test_structure_matrix_is_the_power_balance_and_the_pull_of_the_cables() -> None:
    machine = cr.pulley_robot(2)
    q = machine.q_neutral + np.array([0.1, 0.25, 0.37, 0, 0, 0, 0])
    A = analysis.structure_matrix(machine, q)
    eom = da.equations(machine, backend="vm")
    f = np.array([1.0, 2.0, 3.0, 4.0])
    pull = np.zeros(6)
    for cable, tension in zip(machine.cables, f, strict=True):
        path = eom.constraint_system.paths[cable.name]
        u = np.array(ca.Function("u", [eom.symbolic.q], [path.direction])(q).full())[:, 0]
        b = np.array([float(x) for x in cable.anchor_at])
        pull += np.concatenate([tension * u, np.cross(b, tension * u)])  # the platform is not turned
    assert np.allclose(A @ f, pull)


@pytest.mark.parametrize("method", ["qp", "closed-form"])
def test_tensions_balance_the_load_within_bounds(method) -> None:
    machine = cr.eight_cable_robot()
    q = machine.q_neutral
    q[list(machine.q_names).index("platform.z")] = 1.5
    A, w = analysis.structure_matrix(machine, q), platform_load(machine, q)
    f = analysis.tension_distribution(A, w, 20.0, 800.0, method=method)
    assert np.allclose(A @ f, w, atol=1e-6)
    assert f.min() >= 20.0 and f.max() <= 800.0
    with pytest.raises(da.InputError, match="no tensions"):
        analysis.tension_distribution(A, 1e5 * np.ones(6), 20.0, 800.0, method=method)


def test_the_qp_is_optimal() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 6))
    low, high = np.zeros(6), np.full(6, 10.0)
    w = A @ rng.uniform(1, 9, size=6)
    f = analysis.tension_distribution(A, w, low, high)
    _, _, Vt = np.linalg.svd(A)
    for _ in range(50):
        other = f + Vt[3:].T @ rng.normal(size=3) * 0.5
        if (other >= low).all() and (other <= high).all():
            assert np.linalg.norm(other - 5.0) >= np.linalg.norm(f - 5.0) - 1e-9


def test_workspace_map() -> None:
    """A suspended point mass can rest below its exits and between them, and nowhere else."""
    machine = cr.cable_robot(
        "point", da.point_mass("platform", 5.0), [(-1, -1, 2), (1, -1, 2), (0, 1, 2)], [(0, 0, 0)] * 3, mount="point"
    )
    names = list(machine.q_names)
    points = [(0, 0, 1), (0, 0, 2.5), (2, 0, 1), (0.0, -0.9, 0.5)]
    configurations = []
    for p in points:
        q = machine.q_neutral
        q[[names.index(k) for k in "xyz"]] = p
        configurations.append(q)
    assert analysis.wrench_feasible(machine, configurations, 1.0, 500.0).tolist() == [True, False, False, True]
    side = np.array([[40.0, 0.0, 0.0], [-40.0, 0.0, 0.0]])
    assert analysis.wrench_feasible(machine, configurations[:1], 1.0, 500.0, wrenches=0.1 * side).tolist() == [True]
    assert analysis.wrench_feasible(machine, configurations[:1], 1.0, 500.0, wrenches=5 * side).tolist() == [False]


def test_planar_robot_hangs_still() -> None:
    machine = cr.cable_robot(
        "planar", da.box("platform", 4.0, (0.4, 0.1, 0.2)), [(-1, 0, 2), (1, 0, 2)], [(-0.2, 0, 0.1), (0.2, 0, 0.1)],
        mount="planar", winches=False,
    )  # fmt: skip
    rest = analysis.static_equilibrium(machine, [1.3, 1.3], machine.q_neutral + np.array([0.0, 0.8, 0.0]))
    run = da.simulate(machine, duration=1.0, q0=rest.q, step=1e-3)
    assert np.abs(run.x[:, :3] - rest.q).max() < 1e-8
    assert np.allclose([run[f"tension.cable{k}"][-1] for k in (1, 2)], rest.tensions)
    assert analysis.natural_frequencies(machine, rest.q)[0] > 0.1


def test_elastic_cables_hang_still_where_their_stretch_carries_the_load() -> None:
    stiffness, mass, natural = 500.0, 4.0, 1.3
    arguments = {"mount": "planar", "winches": False, "stiffness": stiffness}
    platform = da.box("platform", mass, (0.4, 0.1, 0.2))
    one = cr.cable_robot("one", platform, [(0, 0, 2)], [(0, 0, 0.1)], lengths=[natural], **arguments)
    rest = analysis.static_equilibrium(one, [natural], one.q_neutral + np.array([0.0, 0.4, 0.0]))
    assert rest.tensions == pytest.approx([mass * 9.81])
    assert analysis.cable_lengths(one, rest.q) == pytest.approx([natural * (1 + mass * 9.81 / stiffness)])
    exits, anchors = [(-1, 0, 2), (1, 0, 2)], [(-0.2, 0, 0.1), (0.2, 0, 0.1)]
    two = cr.cable_robot("two", platform, exits, anchors, lengths=[1.3, 1.4], **arguments)
    rest = analysis.static_equilibrium(two, [1.3, 1.4], two.q_neutral + np.array([0.0, 0.8, 0.0]))
    run = da.simulate(two, duration=1.0, q0=rest.q, step=1e-3)
    assert np.abs(run.x[:, :3] - rest.q).max() < 1e-8
    assert np.allclose([run[f"tension.cable{k}"][-1] for k in (1, 2)], rest.tensions)


@pytest.mark.slow
def test_redundant_robot_with_locked_and_free_winches() -> None:
    """Eight cables for six degrees of freedom: independent rows with winches, redundant ones without."""
    machine = cr.eight_cable_robot(pulley=0.0)
    q0 = {"platform.z": 1.5}
    run = da.simulate(machine, duration=0.2, q0=q0, control=[-4.0] * 8, step=1e-3)
    assert run["constraint.position"].max() < 1e-11
    fixed = cr.cable_robot(
        "fixed", da.box("platform", 30.0, (0.5, 0.4, 0.3)),
        [c.exit_at for c in machine.cables], [c.anchor_at for c in machine.cables], winches=False, bilateral=True,
    )  # fmt: skip
    held = da.simulate(fixed, duration=0.2, q0=q0, step=1e-3)
    assert np.abs(held["platform.z"] - 1.5).max() < 1e-10
    assert np.isfinite(held["tension.cable1"]).all()


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: da.Cable("c", "b", length=-1.0), "> 0"),
        (lambda: da.Cable("c", "b", winch="w"), "drum"),
        (lambda: da.Cable("c", "b", drum=0.1), "no winch"),
        (lambda: da.Cable("c", "b", pulley=-0.1), ">= 0"),
        (lambda: da.Cable("c", "b", swivel="loose"), "swivel"),
        (lambda: da.Cable("c", "b", stiffness=1e5), "unstretched length"),
        (lambda: da.Cable("c", "b", length=1.0, damping=1.0), "inextensible"),
        (lambda: ball(da.Cable("c", "platform", length=1.0)), "cable 'c': no frame or body named 'platform'"),
        (lambda: ball(da.Cable("c", "b", length=1.0, winch="w", drum=0.1)), "no joint with one coordinate named 'w'"),
        (lambda: ball(da.Cable("c", "world", length=1.0)), "two frames of one body"),
    ],
)
def test_bad_cables(make, match) -> None:
    with pytest.raises(da.MachineError, match=match):
        make()


def test_cable_shorter_than_the_distance_and_anchor_in_the_pulley() -> None:
    with pytest.raises(da.InputError, match=r"'c'.*by 0.5"):
        da.simulate(ball(da.Cable("c", "b", length=1.5)), duration=0.1, q0={"f.z": -2.0}, backend="vm")
    big = cr.pulley_robot(2, pulley=3.0)
    with pytest.raises(da.InputError, match=r"cable1.*radius is larger than the distance"):
        analysis.cable_lengths(big, big.q_neutral)
    with pytest.raises(da.InputError, match=r"cable1.*pulley larger than the distance"):
        da.simulate(big, duration=0.1, backend="vm")
    four = cr.pulley_robot(1)
    with pytest.raises(da.InputError, match=r"no static equilibrium|push"):
        analysis.static_equilibrium(four, [0.1, 0.1, 0.1, 0.1], four.q_neutral)


EIGHT = cr.eight_cable_robot(pulley=0.0)
HOME = np.array([0, 0, 1.5, 1, 0, 0, 0, *[0.0] * 8])
FOUR = cr.pulley_robot(1)
REST = np.array([0, 0.25, 0.37, 1, 0, 0, 0])
BOX = da.box("platform", 20.0, (0.4, 0.3, 0.2))
CORNERS = [(-2, -1.5, 3), (-2, 1.5, 3), (2, 1.5, 3), (2, -1.5, 3)]


def winch_pid(*gains, **options) -> cr.WinchPID:
    return cr.WinchPID(*gains, **({"reference": lambda t: ca.SX.zeros(8)} | options))


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: cr.cable_robot("r", BOX, CORNERS, CORNERS[:3]), "as many exits as anchors"),
        (lambda: cr.cable_robot("r", BOX, CORNERS, CORNERS, mount="fixed"), "free, planar, point, euler"),
        (lambda: cr.overturning_robot(mount="planar"), "must be 'free' or 'euler', got 'planar'"),
        (lambda: cr.cable_robot("r", BOX, CORNERS, CORNERS, lengths=[1.0, 2.0]), r"one length per cable \(4\), got 2"),
        (lambda: cr.cable_robot("r", BOX, CORNERS, CORNERS, swivel_inertia=1e-3), "no radius"),
        (lambda: cr.cable_robot("r", BOX, [(0, 0)] * 4, CORNERS), "3 components"),
        (lambda: analysis.cable_lengths(EIGHT, HOME[:4]), "must be 15 finite numbers"),
        (lambda: analysis.cable_lengths(EIGHT, np.nan * HOME), "finite"),
        (lambda: analysis.cable_lengths(EIGHT, "home"), "numbers, got 'home'"),
        (lambda: analysis.cable_lengths(EIGHT, [0, 0, 1.5, 2, 0, 0, 0, *[0] * 8]), "unit norm"),
        (lambda: analysis.cable_lengths("robot", HOME), "is a Machine, got str"),
        (lambda: analysis.forward_kinematics(EIGHT, [10.0] * 8, HOME), "remain wrong by"),
        (lambda: analysis.forward_kinematics(EIGHT, [np.nan] * 8, HOME), "8 finite numbers"),
        (lambda: analysis.static_equilibrium(FOUR, [1.0, 2.0], REST), "4 finite numbers"),
        (lambda: analysis.static_equilibrium(FOUR, [np.nan] * 4, REST), "4 finite numbers"),
        (lambda: analysis.static_equilibrium(FOUR, [3.9] * 4, [0.0]), "7 finite numbers"),
        (lambda: analysis.tension_distribution(np.eye(3), [1.0, 2.0], 0.0, 9.0), "wrench must be 3"),
        (lambda: analysis.tension_distribution(np.eye(3), np.full(3, np.nan), 0.0, 9.0), "wrench must be 3 finite"),
        (lambda: analysis.tension_distribution(np.eye(3), [1.0, 2.0, 3.0], [0.0], 9.0), "lower bounds"),
        (lambda: analysis.tension_distribution(np.eye(3), [1.0, 2.0, 3.0], 9.0, 0.0), "must not exceed"),
        (lambda: analysis.tension_distribution([1.0, 2.0], [1.0], 0.0, 9.0), "must be a matrix"),
        (lambda: analysis.wrench_feasible(EIGHT, [HOME], 9.0, 1.0), "must not exceed"),
        (lambda: analysis.wrench_feasible(EIGHT, [HOME], 1.0, 9.0, wrenches=[[1.0, 2.0]]), "wrench must be 6"),
        (lambda: analysis.wrench_feasible(EIGHT, [HOME[:7]], 1.0, 9.0), "15 finite numbers"),
        (lambda: analysis.natural_frequencies(FOUR, REST + [0.3, 0, 0, 0, 0, 0, 0]), "not in equilibrium"),
        (lambda: winch_pid(np.nan, 1.0, 1.0), "kp must be"),
        (lambda: winch_pid(1.0, 1.0, 1.0, reference=[0.0]), "function of time"),
        (lambda: winch_pid(1.0, 1.0, 1.0, feedforward=(np.inf,)), "feedforward must be finite"),
        (lambda: cr.winch_reference(EIGHT, lambda t: ca.SX.zeros(3)), "path must return the 15 coordinates"),
        (lambda: cr.winch_reference(FOUR, lambda t: ca.SX.zeros(7)), "no cables with winches"),
    ],
)
def test_wrong_calls_say_what_is_wrong(make, match) -> None:
    with pytest.raises(da.DalembertError, match=match):
        make()


@pytest.mark.slow
def test_feedforward_of_winches_may_depend_on_time() -> None:
    """A function that returns numbers is those numbers; one of another size is refused."""
    robot = cr.eight_cable_robot(pulley=0.0)
    q = dict(zip(robot.q_names, HOME, strict=True))
    settings = {"duration": 0.05, "q0": q, "step": 1e-3}
    torques = tuple(-0.05 * f for f in range(100, 900, 100))
    runs = [
        da.simulate(robot, control=winch_pid(50.0, 0.0, 1.0, feedforward=given), **settings)
        for given in (torques, lambda t: ca.DM(list(torques)), lambda t: ca.DM(list(torques)) * (1 + t))
    ]
    for name in ("platform.x", "winch1"):
        np.testing.assert_array_equal(runs[0][name], runs[1][name])
        assert np.abs(runs[0][name] - runs[2][name]).max() > 1e-9
    with pytest.raises(da.InputError, match="feedforward must have 8 components, got 2"):
        da.simulate(robot, control=winch_pid(1.0, 0.0, 0.0, feedforward=lambda t: ca.DM([1.0, t])), **settings)
