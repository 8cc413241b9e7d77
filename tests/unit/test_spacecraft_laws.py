"""Laws of robots on a free base: errors on SE(3), coupling, feedforward, modes of the base; tabulated references."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert import control, plan
from dalembert.compile.loops import split_tape
from dalembert.compile.tape import read_tape
from dalembert.systems import space_robots


def craft() -> da.Machine:
    return da.Machine(
        "craft",
        bodies=[da.box("hub", 100.0, (1.0, 2.0, 3.0))],
        joints=[da.Joint("hub", "free", "world", "hub")],
        thrusters=space_robots.attitude_thrusters("hub", torque=np.inf, force=np.inf),
        gravity=(0.0, 0.0, 0.0),
    )


def strong() -> da.Machine:
    """A chaser whose motors have no limits."""
    machine = space_robots.three_joint_chaser()
    return machine.with_(motors=[replace(motor, effort=np.inf) for motor in machine.motors])


def quaternion(R: Rotation) -> np.ndarray:
    return R.as_quat(scalar_first=True)


def inputs(machine: da.Machine, law, q, v, t: float = 0.0) -> np.ndarray:
    eom = da.equations(machine)
    s = eom.symbolic
    u, _ = law.expression(eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)
    return ca.Function("u", [s.t, s.q, s.v, s.p], [u])(t, q, v, eom.parameter_values()).full()[:, 0]


def test_the_error_of_a_base_is_that_of_its_pose() -> None:
    """Position error in base axes, rotation vector from attitude to reference; the sign of a quaternion is nothing."""
    rng = np.random.default_rng(1)
    kp, kd = rng.uniform(1, 9, 6), rng.uniform(1, 9, 6)
    A, B = Rotation.random(random_state=2), Rotation.random(random_state=3)
    x, y, twist = rng.normal(size=3), rng.normal(size=3), rng.normal(size=6)
    e = np.concatenate([A.inv().apply(y - x), (A.inv() * B).as_rotvec()])
    for sign in (1.0, -1.0):
        law = control.BasePD(kp, kd, [*y, *(sign * quaternion(B))])
        assert np.allclose(inputs(craft(), law, [*x, *quaternion(A)], twist), kp * e - kd * twist, atol=1e-12)
    K = np.zeros((6, 6))
    K[:3, :3], K[3:, 3:] = (M @ M.T for M in (rng.normal(size=(3, 3)), rng.normal(size=(3, 3))))
    full = control.BasePD(K, np.zeros(6), [*y, *quaternion(B)])
    assert np.allclose(inputs(craft(), full, [*x, *quaternion(A)], twist), K @ e, atol=1e-11)


def test_the_filter_of_a_base_is_one_of_first_order() -> None:
    """Force and turn about an axis: three linear states each, whose motion is a matrix exponential."""
    kp, kd, corner = np.array([30.0, 20.0, 50.0] * 2), np.array([90.0, 80.0, 120.0] * 2), 2.5
    law = control.BasePD(kp, kd, [0.0] * 3 + [1.0, 0.0, 0.0, 0.0], joint="hub", filter=corner)
    eom = da.equations(craft(), backend="vm")
    for k, m, q0 in ((1, 100.0, {"hub.y": 0.4}), (5, 500.0 / 12, {"hub.qz": np.sin(0.2), "hub.qw": np.cos(0.2)})):
        run = da.simulate(eom, duration=4.0, q0=q0, control=law, step=0.01, record=1.0)
        A = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0 / m], [-corner * kp[k], -corner * kd[k], -corner]])
        got = run["hub.y"][-1] if k == 1 else 2.0 * np.arcsin(run["hub.qz"][-1])
        assert got == pytest.approx((expm(4.0 * A) @ [0.4, 0.0, 0.0])[0], abs=1e-8)
    with pytest.raises(da.InputError, match="filter of a BasePD"):
        control.BasePD(kp, kd, [0.0] * 3 + [1.0, 0.0, 0.0, 0.0], filter=-1.0)


def test_a_moving_reference_has_its_velocities() -> None:
    """On a reference that moves and turns, with its twist, there is no error; gravity-free, so no wrench is asked."""
    w = np.array([0.1, -0.2, 0.3])

    def reference(t):
        angle = ca.norm_2(w) * t
        e = w / np.linalg.norm(w)
        return ca.vertcat(0.5 * t, t * t, 1.0, ca.cos(angle / 2), ca.sin(angle / 2) * e)

    t = 0.7
    R = Rotation.from_rotvec(w * t)
    q = [0.5 * t, t * t, 1.0, *quaternion(R)]
    v = [*R.inv().apply([0.5, 2 * t, 0.0]), *w]
    u = inputs(craft(), control.BasePD(1e3, 1e3, reference), q, v, t)
    assert np.abs(u).max() < 1e-9


def test_a_held_pose_moves_on_with_its_twist() -> None:
    """Against the exact motion with that twist: without error in the place, of third order in the attitude."""
    pose, Q = control.FollowPose("ref", since="guidance.t"), Rotation.from_rotvec([0.4, -0.3, 0.8])
    names = [*(f"ref.{k}" for k in ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"))]
    v, w = np.array([0.1, -0.2, 0.05]), np.array([0.02, 0.03, -0.01])
    values = [1.0, 2.0, 3.0, *quaternion(Q), *v, *w, 5.0]
    t = ca.SX.sym("t")
    out = ca.vertcat(*pose.motion(t))
    known = dict(zip([*names, "guidance.t"], values, strict=True))
    symbols = [x for x in ca.symvar(out) if x.name() in known]
    got = ca.Function("got", [t], [ca.substitute(out, ca.vertcat(*symbols), ca.DM([known[x.name()] for x in symbols]))])
    for passed in (0.0, 0.5):
        y = np.array(got(5.0 + passed)).ravel()
        assert np.allclose(y[:3], [1.0, 2.0, 3.0] + passed * Q.apply(v), atol=1e-14)
        assert np.allclose(y[3:7], quaternion(Q * Rotation.from_rotvec(passed * w)), atol=1e-6)
        assert np.allclose(y[7:], [*Q.apply(v), *w], atol=1e-14)


def test_held_poses_switch_the_base_from_flying_to_floating() -> None:
    """Gates: with both the pose is held, with the second the attitude alone, with none nothing acts."""
    machine = craft()
    guide = control.Guidance(
        lambda t, q, v, s: [1.0, 0, 0, 1, 0, 0, 0, float(t < 10.0), float(t < 20.0)],
        0.5,
        [*(f"ref.{k}" for k in ("x", "y", "z", "qw", "qx", "qy", "qz")), "flying", "pointing"],
    )
    law = control.BasePD(
        [20.0] * 3 + [80.0] * 3,
        [60.0] * 3 + [200.0] * 3,
        control.FollowPose("ref", moving=False),
        gates=["flying", "pointing"],
    )
    run = da.simulate(
        machine,
        duration=30.0,
        v0=[0, 0.1, 0, 0.02, 0, 0.01],
        control=control.Cascade(law, guide),
        record=0.5,
        step=0.05,
    )
    force = np.abs(run.array(["u.force.x", "u.force.y", "u.force.z"])).max(axis=1)
    torque = np.abs(run.array(["u.torque.x", "u.torque.y", "u.torque.z"])).max(axis=1)
    assert (force[run.t < 9.9] > 0).any() and not force[run.t > 10.1].any()
    assert (torque[(run.t > 10.1) & (run.t < 19.9)] > 0).any() and not torque[run.t > 20.1].any()
    steady = run.x[run.t > 20.1]
    assert np.allclose(steady[:, 7:13], steady[0, 7:13], atol=1e-6)


def test_thrusters_share_a_wrench() -> None:
    """Eight skewed thrusters: whatever the law wants is what they give."""
    rng = np.random.default_rng(4)
    frames = [da.Frame(f"f{k}", "hub", da.Transform(tuple(rng.normal(size=3)))) for k in range(8)]
    thrusters = [da.Thruster(f"t{k}", f"f{k}", force=tuple(rng.normal(size=3))) for k in range(8)]
    machine = craft().with_(frames=frames, thrusters=thrusters)
    eom = da.equations(machine)
    wrench = rng.normal(size=6)
    u = control.allocate(eom)(wrench)
    q, v = [0, 0, 0, 1, 0, 0, 0], np.zeros(6)
    assert np.allclose(eom.applied(q, v, u), wrench, atol=1e-12)
    u = inputs(machine, control.BasePD(np.diag(np.ones(6)), 0.0, [*wrench[:3], 1, 0, 0, 0]), q, v, 0.0)
    assert np.allclose(eom.applied(q, v, u)[:3], wrench[:3], atol=1e-12)
    flat = machine.with_(thrusters=[da.Thruster("t", "hub", force=(1, 0, 0))])
    along = control.BasePD([2.0, 0, 0, 0, 0, 0], 0.0, [0.5, 0, 0, 1, 0, 0, 0])
    assert np.allclose(inputs(flat, along, q, v, 0.0), [1.0])  # only along x: what the other gains do not ask for
    with pytest.raises(da.InputError, match="cannot give force along y, force along z, torque about x"):
        inputs(flat, control.BasePD(1.0, 1.0, [0, 0, 0, 1, 0, 0, 0]), q, v, 0.0)


def test_a_centralized_law_knows_the_mass_matrix() -> None:
    machine = space_robots.space_chaser("rigid", arrays=None)
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(5)
    posture = {"theta2": -0.9, "theta3": 1.7}
    kp, kd, r = rng.uniform(size=6), rng.uniform(size=6), rng.normal(size=6)
    q, v = eom.random_configuration(rng), rng.normal(size=12)
    u = inputs(machine, control.CentralizedPD(kp, kd, r, at=posture), q, v)
    q0 = np.array([posture.get(n, float(x)) for n, x in zip(eom.q_names, eom.q_neutral, strict=True)])
    D = eom.mass_matrix(q0)[6:, 6:]
    assert np.allclose(u[:6], D @ (kp * (r - q[7:]) - kd * v[6:]), atol=1e-9)
    assert not u[6:].any()


def test_sums_of_laws() -> None:
    machine = space_robots.three_joint_chaser()
    rng = np.random.default_rng(6)
    eom = da.equations(machine, backend="vm")
    q, v = eom.random_configuration(rng), rng.normal(size=9)
    joints, base = da.PD(3.0, 2.0, [0.1, 0.2, 0.3]), control.BasePD(5.0, 4.0, [0, 0, 0, 1, 0, 0, 0])
    push = control.Feedforward({"theta2": 7.0, "force.y": lambda t: 2 * t})
    u = inputs(machine, control.Together([joints, base, push]), q, v, t=1.5)
    extra = np.zeros(9)
    extra[1], extra[4] = 7.0, 3.0
    assert np.allclose(u, inputs(machine, joints, q, v) + inputs(machine, base, q, v) + extra, atol=1e-12)
    law = control.Together([da.PID(3.0, 1.0, 2.0, [0.1, 0.2, 0.3]), control.Feedforward({"theta1": "push"})])
    run = da.simulate(machine, duration=0.1, control=law, signals=[da.Signal("push", "1 + t")])
    alone = da.simulate(machine, duration=0.1, control=law.laws[0])
    assert np.allclose(run["u.theta1"][0] - alone["u.theta1"][0], 1.0)
    assert "integral.theta1" in run.state_names


def test_partial_computed_torque_on_a_base_that_floats() -> None:
    """Joints obey their error equation exactly, the base goes where momentum takes it."""
    machine = strong()
    run = da.simulate(
        machine, duration=2.0, control=da.ComputedTorque(9.0, 6.0, [0.3, -0.2, 0.4], partial=True), method="dopri5",
        rtol=1e-11, atol=1e-12, record=0.05,
    )  # fmt: skip
    e = np.outer((1 + 3 * run.t) * np.exp(-3 * run.t), [0.3, -0.2, 0.4])
    assert np.allclose(run.array(["theta1", "theta2", "theta3"]), [0.3, -0.2, 0.4] - e, atol=1e-9)
    eom = da.equations(machine)
    assert np.abs(eom.momentum(run.x[:, : eom.nq], run.x[:, eom.nq : eom.nq + eom.nv])).max() < 1e-7
    assert np.abs(run["base.y"]).max() > 1e-3
    with pytest.raises(da.InputError, match="partial=True leaves these"):
        da.simulate(machine.with_(thrusters=()), duration=0.1, control=da.ComputedTorque(9.0, 6.0, [0.3, -0.2, 0.4]))


def test_tables_and_splines() -> None:
    """Against NumPy and SciPy, with the derivatives that laws take; at rest outside."""
    rng = np.random.default_rng(7)
    times, values = np.sort(rng.uniform(0, 5, 13)), rng.normal(size=(13, 2))
    t = ca.SX.sym("t")
    at = np.linspace(times[0] + 1e-9, times[-1] - 1e-9, 101)
    spline = plan.Spline(times, values)(t)
    d, dd = ca.jacobian(spline, t), ca.jacobian(ca.jacobian(spline, t), t)
    own = np.array([ca.Function("f", [t], [ca.horzcat(spline, d, dd)])(x).full() for x in at])
    reference = CubicSpline(times, values, bc_type="clamped")
    for k in range(3):
        assert np.allclose(own[:, :, k], reference(at, k), atol=1e-8 * 10**k)
    table = ca.Function("f", [t], [plan.Table(times, values[:, 0])(t)])
    assert np.allclose([float(table(x)) for x in at], np.interp(at, times, values[:, 0]), atol=1e-12)
    outside = ca.Function("f", [t], [spline, d])
    for x, row in ((times[0] - 1, 0), (times[-1] + 1, -1)):
        value, rate = outside(x)
        assert np.allclose(value.full()[:, 0], values[row], atol=1e-12) and not rate.full().any()
    assert hash(plan.Spline(times, values)) == hash(plan.Spline(list(times), values.tolist()))


def test_a_law_follows_a_spline() -> None:
    machine = strong()
    goal = plan.Spline([0.0, 1.0, 2.0], [[0, 0, 0], [0.2, 0.1, -0.1], [0.1, 0.3, 0.2]])
    run = da.simulate(machine, duration=2.5, control=da.ComputedTorque(100.0, 20.0, goal, partial=True), step=5e-3)
    asked = np.array([np.array(goal(x)).ravel() for x in run.t])
    jump = np.abs(CubicSpline(goal.times, goal.values, bc_type="clamped")(np.array(goal.times), 2)).max()
    # the acceleration jumps at both ends, which a step cannot see
    assert np.abs(run.array(["theta1", "theta2", "theta3"]) - asked).max() < 5e-3**2 * jump


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: control.BasePD(-1.0, 1.0, [0, 0, 0, 1, 0, 0, 0]), "kp of a BasePD must not be negative"),
        (lambda: control.BasePD([1.0, 2.0], 1.0, [0, 0, 0, 1, 0, 0, 0]), "kp of a BasePD must be 6 numbers"),
        (lambda: control.BasePD(1.0, 1.0, [0, 0, 0, 1, 1, 0, 0]), "a position and a unit quaternion"),
        (lambda: control.BasePD(1.0, 1.0, lambda t: [t, t]), "a position and a quaternion, 7 numbers, got 2"),
        (lambda: control.BasePD(1.0, 1.0, [0, 0, 0, 1, 0, 0, 0], joint="arm"), "no free joint named 'arm'"),
        (lambda: control.BasePD(1.0, 1.0, [0, 0, 0, 1, 0, 0, 0], gates=["a"]), "gates of a BasePD must be 2 names"),
        (
            lambda: control.BasePD(1.0, 1.0, [0, 0, 0, 1, 0, 0, 0], feedforward=["a"]),
            "feedforward of a BasePD must be 6",
        ),
        (lambda: control.Feedforward({"theta9": 1.0}), "no motor or thruster named 'theta9'"),
        (lambda: control.Together([]), "Together needs at least one law"),
        (lambda: control.Together([1.0]), "Together needs expression laws"),
        (lambda: plan.Spline([0.0, 0.0], [1.0, 2.0]), "times of a Spline must increase"),
        (lambda: plan.Table([0.0], [1.0]), "a Table needs 2 times or more"),
    ],
)
def test_refusals(make, message) -> None:
    machine = craft()
    with pytest.raises(da.DalembertError, match=message):
        inputs(machine, make(), [0, 0, 0, 1, 0, 0, 0], np.zeros(6))


def test_long_tables_are_loops_over_numbers() -> None:
    """461 knots of 14 components: the tape repeats itself row by row, so that its code is short."""
    t = np.linspace(0.0, 46.0, 461)
    x = np.random.default_rng(0).normal(size=(461, 14))
    time = ca.SX.sym("t")
    spline = plan.Spline(t, x)
    function = ca.Function("f", [time], [spline(time)])
    for s in (-1.0, 0.0, 3.33, 20.0, 46.0, 50.0):
        expected = CubicSpline(t, x, bc_type="clamped")(np.clip(s, 0.0, 46.0))
        assert np.allclose(function(s).full()[:, 0], expected, atol=1e-11)
    tape = read_tape(function)
    written = sum(piece.length for piece in split_tape(tape, 400))
    assert tape.n_operations > 50_000 and written < 2000
