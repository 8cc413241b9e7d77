"""Simulated machines: conservation laws, audits with losses, coordinates, parameters, continuation, limits."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from support.problems import stepping


def double_pendulum(**fields: object) -> da.Machine:
    return da.Machine(
        "double pendulum",
        bodies=[
            da.rod("upper", 1.0, 1.0, axis="z", com=(0, 0, -0.5)),
            da.rod("lower", 0.7, 0.8, axis="z", com=(0, 0, -0.4)),
        ],
        joints=[
            da.Joint("theta1", "revolute", "world", "upper", axis=(0, 1, 0), **fields),  # type: ignore[arg-type]
            da.Joint("theta2", "revolute", "upper", "lower", axis=(0, 1, 0), origin=da.Transform((0, 0, -1.0))),
        ],
        motors=[da.Motor("m1", "theta1", ratio=5.0, rotor_inertia=1e-3), da.Motor("m2", "theta2")],
    )


def floating_two_link() -> da.Machine:
    return da.Machine(
        "floating robot",
        bodies=[
            da.box("base", 20.0, (1.0, 0.8, 0.6), com=(0.05, -0.02, 0.1)),
            da.box("upper", 2.0, (0.1, 0.1, 0.8), com=(0, 0, 0.4)),
            da.box("lower", 1.5, (0.1, 0.1, 0.6), com=(0, 0.05, 0.3)),
        ],
        joints=[
            da.Joint("base", "free", "world", "base"),
            da.Joint("shoulder", "revolute", "base", "upper", axis=(1, 1, 0), origin=da.Transform((0.5, 0, 0.2))),
            da.Joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), origin=da.Transform((0, 0, 0.8))),
        ],
        gravity=(0, 0, 0),
    )


def test_double_pendulum_keeps_its_energy_for_thirty_seconds() -> None:
    run = da.simulate(
        double_pendulum(), duration=30.0, q0=[2.0, 1.0], method="dopri5", rtol=1e-12, atol=1e-13, record=0.05
    )
    assert run.status == "completed"
    assert np.ptp(run["theta1"]) > 1.0  # it does swing
    assert run.energy.drift < 1e-9


def test_floating_robot_keeps_energy_and_momentum_for_thirty_seconds() -> None:
    machine = floating_two_link()
    eom = da.equations(machine)
    v0 = {"base.vx": 0.1, "base.wy": 0.4, "base.wz": -0.2, "shoulder_dot": 1.0, "elbow_dot": -1.5}
    run = da.simulate(eom, duration=30.0, v0=v0, method="dopri5", rtol=1e-12, atol=1e-13, record=0.1)
    q, v = run.array(machine.q_names), run.array(machine.v_names)
    h = eom.momentum(q, v)
    assert run.energy.drift < 1e-9
    assert np.ptp(run["base.wy"]) > 0.05  # momentum does move between the bodies
    assert np.abs(h - h[0]).max() < 1e-9 * np.abs(h[0]).max()
    norms = np.linalg.norm(run.array(["base.qw", "base.qx", "base.qy", "base.qz"]), axis=1)
    assert np.abs(norms - 1.0).max() < 1e-14


def test_audit_closes_with_losses_motors_wrenches_and_springs() -> None:
    machine = double_pendulum(damping=0.3, friction=0.2, friction_velocity=0.05, stiffness=4.0, rest=0.2)
    machine = machine.with_(
        motors=(da.Motor("m1", "theta1", ratio=5.0, rotor_inertia=1e-3, damping=0.01, effort=0.5), machine.motors[1]),
        wrenches=(da.Wrench("push", "lower", force=(3.0 * da.sin(da.TIME * 2.0), 0.0, 0.5)),),
    )
    control = da.PD(30.0, 3.0, [0.5, -0.5])
    run = da.simulate(machine, duration=5.0, q0=[1.0, -0.4], control=control, method="dopri5", rtol=1e-11, atol=1e-12)
    audit = run.energy
    assert audit.drift < 1e-9
    assert run["work.loss"][-1] < -0.1 and (np.diff(run["work.loss"]) <= 1e-12).all()
    assert abs(run["work.input"][-1]) > 0.1
    assert np.abs(run["u.m1"]).max() == 0.5  # saturated


def test_wrenches_depend_on_time_as_written() -> None:
    cart = da.Machine(
        "cart",
        bodies=[da.point_mass("cart", 2.0)],
        joints=[da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0))],
        wrenches=[da.Wrench("push", "cart", force=(2.0 * da.cos(3.0 * da.TIME), 0.0, 0.0))],
    )
    run = da.simulate(cart, duration=2.0, method="dopri5", rtol=1e-11, atol=1e-13)
    assert np.abs(run["x"] - (1 - np.cos(3 * run.t)) / 9).max() < 1e-10


def test_formulations_give_the_same_motion() -> None:
    runs = [
        da.simulate(
            double_pendulum(), duration=2.0, q0=[1.5, 0.5], method="dopri5", rtol=1e-12, atol=1e-13, by=by, record=0.1
        )
        for by in ("newton-euler", "lagrange")
    ]
    assert np.abs(runs[0].x[:, :4] - runs[1].x[:, :4]).max() < 1e-9


def test_other_coordinates_give_the_same_motion() -> None:
    machine = double_pendulum()
    absolute = da.CoordinateMap(
        ["alpha1", "alpha2"],
        to_machine=lambda y, p: [y[0], y[1] - y[0]],
        from_machine=lambda q, p: [q[0], q[0] + q[1]],
    )
    options = {"duration": 2.0, "q0": [1.5, 0.5], "v0": [0.1, -0.2], "method": "dopri5", "rtol": 1e-12, "atol": 1e-13}
    one = da.simulate(machine, record=0.1, **options)  # type: ignore[arg-type]
    eom = da.equations(machine, coordinates=absolute)
    other = da.simulate(eom, record=0.1, **options)  # type: ignore[arg-type]
    assert np.abs(one["theta2"] - other["theta2"]).max() < 1e-9
    assert np.abs(one["theta1"] + one["theta2"] - other["alpha2"]).max() < 1e-9
    assert other.energy.drift < 1e-10


def test_parameters_are_inputs_of_a_run() -> None:
    g = da.Parameter("g", 9.81)
    length = da.Parameter("l", 1.0)
    machine = da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", 1.0, com=(0.0, 0.0, -length))],
        joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
        gravity=(0.0, 0.0, -g),
    )
    run = da.simulate(
        machine, duration=4.0, q0=[1e-4], p={"l": 0.25, "g": 1.62}, method="dopri5", rtol=1e-11, atol=1e-15
    )
    w = np.sqrt(1.62 / 0.25)
    assert np.abs(run["theta"] / 1e-4 - np.cos(w * run.t)).max() < 1e-6


def test_a_run_goes_on_where_it_ended() -> None:
    machine = double_pendulum()
    options = {"q0": [1.0, 0.0], "control": da.PID(40.0, 10.0, 5.0, [0.3, 0.3], gravity=True)}
    whole = da.simulate(machine, duration=2.0, **options)  # type: ignore[arg-type]
    first = da.simulate(machine, duration=1.2, **options)  # type: ignore[arg-type]
    second = da.simulate(machine, duration=0.8, start=first, control=options["control"])
    joined = first.append(second)
    assert joined.t[-1] == pytest.approx(2.0, abs=1e-12)
    assert np.abs(joined.x[-1] - whole.x[-1]).max() < 1e-12


def test_joint_limits_are_located_events() -> None:
    machine = da.Machine(
        "slider",
        bodies=[da.point_mass("mass", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "mass", axis=(0, 0, 1), limits=da.Limits(-2.0, 5.0))],
    )
    run = da.simulate(machine, duration=2.0, limits="stop")
    assert run.status == "stopped"
    assert [e.name for e in run.events] == ["x.lower"]
    assert run.events[0].t == pytest.approx(np.sqrt(2 * 2.0 / 9.81), rel=1e-11)
    free = da.simulate(machine, duration=2.0, limits="ignore")
    assert free.status == "completed" and not free.events


def test_user_events_and_transitions() -> None:
    """A ball that bounces without loss keeps its period sqrt(8 h / g)."""
    ball = da.Machine(
        "ball",
        bodies=[da.point_mass("ball", 0.1)],
        joints=[da.Joint("z", "prismatic", "world", "ball", axis=(0, 0, 1))],
    )

    def bounce(t: float, x: np.ndarray, names: list[str]) -> np.ndarray:
        assert list(names) == ["ground"]
        x = x.copy()
        x[1] = -x[1]
        return x

    run = da.simulate(
        ball,
        duration=5.0,
        q0=[1.0],
        events=[da.Event("ground", lambda t, q, v: q[0], direction=-1)],
        on_event=bounce,
        step=7e-3,
    )
    times = [e.t for e in run.events]
    first, period = np.sqrt(2 / 9.81), np.sqrt(8 / 9.81)
    assert len(times) == 1 + int((5.0 - first) / period)
    assert np.allclose(times, first + period * np.arange(len(times)), atol=1e-10)


@pytest.mark.parametrize(("method", "backend"), [("rk4", "native"), ("dopri5", "vm"), ("cvodes", "vm")])
def test_energy_of_transitions_is_an_entry_of_the_audit(method: str, backend: str) -> None:
    """A ball of 2 kg falls 1 m; each bounce keeps 0.64 of its energy of m g h = 19.62 J."""
    ball = da.Machine(
        "ball",
        bodies=[da.point_mass("ball", 2.0)],
        joints=[da.Joint("z", "prismatic", "world", "ball", axis=(0, 0, 1))],
    )
    ground = da.Event("ground", lambda t, q, v: q[0], direction=-1)

    def bounce(t: float, x: np.ndarray, names: list[str]) -> np.ndarray:
        x[1] *= -0.8
        return x

    settings = {"events": [ground], "on_event": bounce, "backend": backend} | stepping(method, rtol=1e-10)
    run = da.simulate(ball, duration=1.6, q0=[1.0], **settings)
    assert len(run.events) == 2
    assert run.energy.transition[-1] == pytest.approx(19.62 * (0.64**2 - 1.0), rel=1e-7)
    assert run.energy.drift < 1e-7
    assert f"transitions {run.energy.transition[-1]:+.4g} J" in repr(run)
    later = da.simulate(ball, duration=0.6, start=run, **settings)
    assert run.append(later).energy.transition[-1] == pytest.approx(19.62 * (0.64**3 - 1.0), rel=1e-7)


@pytest.mark.parametrize("name", ["work.arm", "active.arm", "offset.arm"])
def test_error_control_does_not_depend_on_names(name: str) -> None:
    """Quadratures and switches do not count in the error norm; a joint that is called like one does."""
    body = da.point_mass("bob", 1.0, com=(0, 0, -1.0))
    runs = []
    for joint in ("arm", name):
        pendulum = da.Machine("pendulum", [body], [da.Joint(joint, "revolute", "world", "bob", axis=(0, 1, 0))])
        runs.append(da.simulate(pendulum, duration=2.0, q0=[1.0], method="dopri5", backend="vm"))
    assert np.array_equal(runs[0].t, runs[1].t) and np.array_equal(runs[0].x, runs[1].x)


def test_divergence_keeps_the_good_part() -> None:
    machine = double_pendulum()
    with pytest.raises(da.SimulationError, match=r"theta.*t = |t = .*theta") as failure:
        da.simulate(machine, duration=50.0, control=da.PD(-0.0, 0.0, [0, 0]), q0=[1, 1], step=1.5, v0=[50.0, -80.0])
    run = failure.value.run
    assert isinstance(run, da.Run) and run.status in ("diverged", "failed")
    assert np.isfinite(run.x).all()


def test_stiff_methods_agree_with_the_explicit_one() -> None:
    machine = double_pendulum(damping=0.5)
    reference = da.simulate(machine, duration=1.0, q0=[1.0, 0.5], method="dopri5", rtol=1e-12, atol=1e-13, record=0.1)
    for method in ("cvodes", "idas"):
        run = da.simulate(machine, duration=1.0, q0=[1.0, 0.5], method=method, rtol=1e-10, atol=1e-12, record=0.1)
        assert np.abs(run.x - reference.x).max() < 1e-7


def test_coupled_joints_follow_in_simulation() -> None:
    machine = double_pendulum().with_(motors=(), couplings=(da.Coupling("theta2", "theta1", ratio=-2.0, offset=0.1),))
    assert machine.q_names == ("theta1",)
    run = da.simulate(machine, duration=3.0, q0=[0.8], method="dopri5", rtol=1e-11, atol=1e-12)
    assert run.energy.drift < 1e-9
    # The same motion by the one-coordinate Lagrangian of the coupled pair.
    free = double_pendulum().with_(motors=())
    eom = da.equations(free, "lagrange", coordinates=da.CoordinateMap(["y"], lambda y, p: [y[0], -2.0 * y[0] + 0.1]))
    a = da.equations(machine).forward_dynamics([0.3], [1.1], [0.2])
    assert a == pytest.approx(eom.forward_dynamics([0.3], [1.1], [0.2]), rel=1e-12)


def test_python_controller_is_called_once_per_sample_with_copies() -> None:
    calls: list[float] = []

    def law(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        calls.append(t)
        q[:] = 99.0  # must not reach the integrator
        return [0.0, 0.0]

    run = da.simulate(
        double_pendulum(), duration=0.1, q0=[0.1, 0.0], control=da.SampledController(law, 0.01), step=3e-3
    )
    assert np.allclose(calls, np.arange(10) * 0.01, atol=1e-12)
    assert np.abs(run["theta1"]).max() < 0.2


def test_expression_events_see_velocities() -> None:
    run = da.simulate(
        double_pendulum(),
        duration=3.0,
        q0=[0.5, 0.0],
        method="dopri5",
        rtol=1e-10,
        events=[da.Event("turn", lambda t, q, v: v[0], terminal=True, direction=1)],
    )
    assert run.status == "stopped" and abs(run["theta1_dot"][-1]) < 1e-9
    assert ca.__version__  # events are CasADi expressions


def test_a_limit_that_must_not_be_passed_stops_every_run() -> None:
    machine = da.Machine(
        "rope",
        bodies=[da.point_mass("mass", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "mass", axis=(0, 0, 1), limits=da.Limits(lower=-1.0, stop=True))],
    )
    for limits in ("record", "ignore"):
        run = da.simulate(machine, duration=2.0, limits=limits)
        assert (run.status, [e.name for e in run.events]) == ("stopped", ["x.lower"])
    assert da.load_machine(machine.to_yaml()) == machine


def test_random_configurations_keep_the_limits() -> None:
    machine = double_pendulum(limits=da.Limits(-0.1, 0.2))
    eom = da.equations(machine, backend="vm")
    q = np.array([eom.random_configuration(np.random.default_rng(i)) for i in range(200)])
    assert q[:, 0].min() >= -0.1 and q[:, 0].max() <= 0.2
    assert np.ptp(q[:, 0]) > 0.25 and np.abs(q[:, 1]).max() > 1.0


@pytest.mark.parametrize("method", ["rk4", "dopri5", "cvodes"])
@pytest.mark.parametrize("backend", ["auto", "vm"])
@pytest.mark.parametrize("restitution", [0.5, 0.8])
def test_bounces_without_end_end_the_run(method, backend, restitution) -> None:
    """A ball comes to rest after infinitely many bounces, at a time that is known; it must not fall through."""
    ball = da.Machine(
        "ball",
        bodies=[da.Body("ball", 1.0)],
        joints=[da.Joint("z", "prismatic", "world", "ball")],
    )

    def bounce(t: float, x: np.ndarray, names: list[str]) -> np.ndarray:
        x[1] *= -restitution
        return x

    settings = stepping(method, step=1e-2, rtol=1e-8) | {"events": [da.Event("floor", lambda t, q, v: q[0] - 0.5)]}
    settings |= {"q0": [1.5], "duration": 8.0, "on_event": bounce}
    eom = da.equations(ball, backend=backend)
    with pytest.raises(da.SimulationError, match=r"events accumulate at t = .* 'floor' recurs ever faster") as caught:
        da.simulate(eom, **settings)
    run = caught.value.run
    assert run.status == "failed"
    assert run["z"].min() > 0.5 - 1e-6
    fall = np.sqrt(2.0 / 9.81)
    rest = fall + 2.0 * fall * restitution / (1.0 - restitution)
    assert run.t[-1] == pytest.approx(rest, abs=1e-3)
    assert da.simulate(eom, check=False, **settings).status == "failed"
