"""Shares of wrenches among wheels, gyros and thrusters of a base, one by one, of machines without any symmetry."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert import control
from dalembert.control import allocation, gyro_steering, nozzles
from dalembert.control.detumbling import rotor_momentum

Array = NDArray[Any]
RNG = np.random.default_rng(12)


def _turned() -> tuple[Array, tuple[tuple[float, ...], ...]]:
    R = Rotation.random(random_state=int(RNG.integers(1 << 30))).as_matrix()
    return R, tuple(tuple(row) for row in R.tolist())


def _craft(*parts: Any, jets: int = 0, one_sided: bool = False) -> tuple[Any, Array, Array]:
    """A hub with thrusters in any place and direction; their wrenches (6, n) at the hub, and limits."""
    frames, thrusters, columns, limits = [], [], [], []
    for k in range(jets):
        R, rows = _turned()
        place, force, torque = RNG.normal(size=3), RNG.normal(size=3), 0.3 * RNG.normal(size=3)
        frames.append(da.Frame(f"f{k}", "hub", da.Transform(tuple(place), rows)))
        limits.append(float(RNG.uniform(0.5, 3.0)))
        thrusters.append(
            da.Thruster(f"jet{k}", f"f{k}", tuple(force), tuple(torque), effort=limits[-1], one_sided=one_sided)
        )
        columns.append([*(R @ force), *(np.cross(place, R @ force) + R @ torque)])
    body = da.Body("hub", 120.0, com=(0.1, -0.2, 0.05), inertia=(50.0, 60.0, 70.0))
    free = da.Joint("base", "free", "world", "hub")
    machine = da.Machine("craft", [body], [free], frames=frames, thrusters=thrusters, gravity=(0, 0, 0))
    eom = da.equations(machine.with_parts(*parts), backend="vm")
    return eom, np.array(columns).reshape(-1, 6).T, np.array(limits)


def test_thrusters_of_both_signs_share_a_wrench_by_their_limits() -> None:
    """The least inputs relative to their limits, and the largest wrench along each axis within them."""
    eom, B, limits = _craft(jets=9)
    shared = control.allocate(eom)
    np.testing.assert_allclose(shared.effect, B, atol=1e-9)
    least = limits[:, None] * np.linalg.pinv(B * limits)
    np.testing.assert_allclose(shared.positive, least, atol=1e-9)
    np.testing.assert_allclose(shared.negative, -least, atol=1e-9)
    np.testing.assert_allclose(shared.capacity, (limits[:, None] / np.abs(least)).min(axis=0), rtol=1e-9)
    assert shared.linear and shared.missing == () and shared.wheels == () and len(shared.jets) == 9
    w = RNG.normal(size=6)
    np.testing.assert_allclose(B @ shared(w), w, atol=1e-9)
    np.testing.assert_allclose(np.array(ca.DM(shared.expression(ca.DM(w))).full())[:, 0], shared(w), atol=1e-12)


def test_nozzles_that_only_push_share_a_wrench_by_linear_programs() -> None:
    eom, B, limits = _craft(jets=26, one_sided=True)
    shared = control.allocate(eom)
    assert not shared.linear
    for made, sign in ((shared.positive, 1.0), (shared.negative, -1.0)):
        assert (made >= -1e-12).all()
        np.testing.assert_allclose(B @ made, sign * np.eye(6), atol=1e-8)
        for k in range(6):
            best: Any = linprog(np.ones(26), A_eq=B, b_eq=sign * np.eye(6)[k], bounds=(0.0, None))
            assert made[:, k].sum() == pytest.approx(best.fun, rel=1e-8)
    room = [np.where(x > 1e-12, limits[:, None] / np.maximum(x, 1e-12), np.inf).min(axis=0)
            for x in (shared.positive, shared.negative)]  # fmt: skip
    np.testing.assert_allclose(shared.capacity, np.minimum(*room), rtol=1e-9)
    w = RNG.normal(size=6)
    np.testing.assert_allclose(B @ shared(w), w, atol=1e-8)
    assert (shared(w) >= -1e-12).all()
    np.testing.assert_allclose(np.array(ca.DM(shared.expression(ca.DM(w))).full())[:, 0], shared(w), atol=1e-12)
    some, B, _ = _craft(jets=4)
    with pytest.raises(da.InputError, match="cannot produce force"):
        control.allocate(some)
    weak = control.allocate(some, need=())
    assert set(weak.missing) and (weak.capacity[[n in weak.missing for n in allocation.COMPONENTS]] == 0.0).all()
    mixed = allocation._least(np.array([[1.0, -2.0, 0.5]]), np.array([-3.0]), np.full(3, np.inf), [True, False, True])
    np.testing.assert_allclose(mixed, [0.0, 1.5, 0.0], atol=1e-9)
    assert allocation._least(np.array([[1.0, 2.0]]), np.array([-3.0]), np.full(2, np.inf), [True, True]) is None
    assert allocation._least(np.zeros((1, 0)), np.array([1.0]), np.zeros(0), []) is None


def _wheels(count: int) -> tuple[list[Any], Array]:
    axes = RNG.normal(size=(count, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    made = [
        da.Wheel(f"w{k}", "hub", tuple(a), 0.05 + 0.01 * k, torque=0.2 + 0.1 * k, momentum=4.0)
        for k, a in enumerate(axes)
    ]
    return made, axes.T


def test_wheels_give_the_torque_and_thrusters_the_force() -> None:
    wheels, axes = _wheels(4)
    eom, B, _ = _craft(*wheels, jets=8)
    shared = control.allocate(eom)
    assert shared.wheels == ("w0", "w1", "w2", "w3")
    turning = [eom.u_names.index(n) for n in shared.wheels]
    efforts = np.array([0.2, 0.3, 0.4, 0.5])
    np.testing.assert_allclose(shared.effect[:, turning], np.vstack([np.zeros((3, 4)), -axes]), atol=1e-9)
    least = efforts[:, None] * np.linalg.pinv(-axes * efforts)
    np.testing.assert_allclose(shared.positive[turning][:, 3:], least, atol=1e-9)
    assert not shared.positive[turning][:, :3].any()
    jets = [eom.u_names.index(f"jet{k}") for k in range(8)]
    assert not shared.positive[jets][:, 3:].any()
    np.testing.assert_allclose(B @ shared.positive[jets][:, :3], np.eye(6)[:, :3], atol=1e-8)
    np.testing.assert_allclose(shared.capacity[3:], (efforts[:, None] / np.abs(least)).min(axis=0), rtol=1e-9)
    jets_alone = control.allocate(eom, wheels=False)
    assert jets_alone.wheels == () and not jets_alone.positive[turning].any()
    # unloading: against the momentum of the rotors, less that which is kept
    q, v = eom.q_neutral.copy(), RNG.normal(size=eom.nv)
    spins = v[[eom.v_names.index(f"w{k}_dot") for k in range(4)]]
    h = np.array(ca.DM(rotor_momentum(eom, "base", ca.DM(q), ca.DM(v))).full())[:, 0]
    inertias = np.array([0.05, 0.06, 0.07, 0.08])
    np.testing.assert_allclose(h, axes @ (inertias * spins), rtol=1e-9)  # by their turning in the base
    for keep in (0.0, 0.5 * float(np.linalg.norm(h)), 2.0 * float(np.linalg.norm(h))):
        law = control.Unloading(0.3, keep=keep)
        u = np.array(ca.DM(law.expression(eom, ca.DM(0), ca.DM(q), ca.DM(v), ca.DM(0, 1), ca.DM(0, 1))[0]).full())[:, 0]
        left = max(1.0 - keep / np.linalg.norm(h), 0.0)
        np.testing.assert_allclose(shared.effect[:, jets] @ u[jets], [0, 0, 0, *(-0.3 * left * h)], atol=1e-8)
        assert not u[turning].any()


def _gyros(count: int) -> tuple[list[Any], Array, Array]:
    frames = [Rotation.random(random_state=int(RNG.integers(1 << 30))).as_matrix() for _ in range(count)]
    made = [
        da.ControlMomentGyro(
            f"g{k}", "hub", tuple(R[:, 0]), tuple(R[:, 1]), 0.1, 15.0 + 4.0 * k, gimbal_inertia=0.2 + 0.1 * k
        )
        for k, R in enumerate(frames)
    ]
    return made, np.array([R[:, 0] for R in frames]), np.array([R[:, 1] for R in frames])


def _moments(axes: Array, spins: Array, d: Array, h: Array) -> tuple[Array, Array]:
    """Momentum of each gyro turned about its gimbal, and its derivative."""
    now = np.array([Rotation.from_rotvec(a * x).apply(s) for a, s, x in zip(axes, spins, d, strict=True)])
    return h[:, None] * now, h[:, None] * np.cross(axes, now)


@pytest.mark.parametrize("avoid", [0.0, 0.3])
def test_gyros_give_a_torque_on_a_turning_base(avoid: float) -> None:
    """``A d' = -(torque + w x h)``, or its robust inverse; efforts hold against the gyroscopic torque of the base."""
    parts, axes, spins = _gyros(4)
    eom, _, _ = _craft(*parts)
    q, v = eom.q_neutral.copy(), np.zeros(eom.nv)
    gimbal = [eom.q_names.index(f"g{k}.gimbal") for k in range(4)]
    turn = [eom.v_names.index(f"g{k}.gimbal_dot") for k in range(4)]
    spin = [eom.v_names.index(f"g{k}.rotor_dot") for k in range(4)]
    base = eom.v_names.index("base.wx") if "base.wx" in eom.v_names else 3
    q[gimbal], v[spin] = RNG.uniform(-2.0, 2.0, 4), RNG.uniform(100.0, 200.0, 4)
    h = 0.1 * v[spin]
    own, slopes = _moments(axes, spins, q[gimbal], h)
    total, A = own.sum(axis=0), slopes.T
    found = [np.array(ca.DM(x).full()) for x in control.gyro_momentum(eom, ca.DM(q), ca.DM(v))]
    np.testing.assert_allclose(found[0][:, 0], total, rtol=1e-9)
    np.testing.assert_allclose(found[1], A, rtol=1e-9, atol=1e-9)
    w, torque, t, follow = np.array([0.02, -0.03, 0.05]), np.array([0.4, -0.2, 0.3]), 0.7, 15.0
    v[base : base + 3], v[turn] = w, RNG.normal(size=4)

    def inputs(rate: float) -> Array:
        u = gyro_steering.gyro_inputs(eom, "base", (ca.DM(t), ca.DM(q), ca.DM(v)), ca.DM(torque), rate=rate,
                                      avoid=avoid, follow=follow)  # fmt: skip
        return np.array(ca.DM(u).full())[:, 0]

    size = np.linalg.norm(h) / 2.0
    G = A @ A.T / size**2
    a = 0.1 * np.sin(0.5 * np.pi * t + np.arange(3) * np.pi / 2.0)
    E = np.array([[1.0, a[2], a[1]], [a[2], 1.0, a[0]], [a[1], a[0], 1.0]])
    weight = avoid * np.exp(-10.0 * np.linalg.det(G)) + 1e-9
    wanted = -A.T @ np.linalg.solve(G + weight * E, torque + np.cross(w, total)) / size**2
    if not avoid:
        np.testing.assert_allclose(-A @ wanted - np.cross(w, total), torque, atol=1e-6)
    held = np.einsum("ki,ki->k", axes, np.cross(w, own))
    gimbals = np.array([0.2, 0.3, 0.4, 0.5]) + 0.05  # with the disc about its diameter
    rows = [eom.u_names.index(n) for n in control.base_gyros(eom.machine, "base")]
    np.testing.assert_allclose(inputs(1e3)[rows], follow * gimbals * (wanted - v[turn]) + held, rtol=1e-6, atol=1e-9)
    most = 0.3 * np.abs(wanted).max()
    np.testing.assert_allclose(
        inputs(most)[rows], follow * gimbals * (0.3 * wanted - v[turn]) + held, rtol=1e-6, atol=1e-9
    )
    found_torque = gyro_steering.gyro_torques(eom, "base", q[None], v[None])[0]
    np.testing.assert_allclose(found_torque, -A @ v[turn] - np.cross(w, total), rtol=1e-9)
    assert not gyro_steering.gyro_torques(_craft()[0], "base", np.zeros((3, 7)), np.zeros((3, 6))).any()
    if avoid:
        law = control.GyroPD(
            [2.0, 3.0, 4.0], [5.0, 6.0, 7.0], [0, 0, 0, 1, 0, 0, 0], rate=1e3, avoid=avoid, follow=follow
        )
        e = Rotation.from_quat([0.1, -0.05, 0.08, 0.99]).as_rotvec()
        q[3:7] = np.roll(Rotation.from_rotvec(e).as_quat(), 1)
        u = np.array(ca.DM(law.expression(eom, ca.DM(t), ca.DM(q), ca.DM(v), ca.DM(0, 1), ca.DM(0, 1))[0]).full())[:, 0]
        wanted_rates = (u[rows] - held) / (follow * gimbals) + v[turn]
        asked = -(G + weight * E) @ np.linalg.lstsq(A.T, wanted_rates, rcond=None)[0] * size**2 - np.cross(w, total)
        np.testing.assert_allclose(asked, -np.array([2.0, 3.0, 4.0]) * e - np.array([5.0, 6.0, 7.0]) * w, rtol=1e-5)


def test_the_capacity_of_gyros_is_half_of_that_at_zero_angles() -> None:
    parts, axes, spins = _gyros(5)
    eom, _, _ = _craft(*parts)
    rates = {f"g{k}.rotor_dot": float((-1) ** k * RNG.uniform(100.0, 200.0)) for k in range(5)}
    h = 0.1 * np.abs(list(rates.values()))
    A = (h[:, None] * np.cross(axes, spins)).T
    limit = gyro_steering._largest_rate(eom, "base")
    torques, momentum = gyro_steering.gyro_capacity(eom, "base", rates)
    for k in range(3):
        d = np.linalg.pinv(A)[:, k]  # gimbal rates for a unit torque
        assert torques[k] == pytest.approx(0.5 * limit / np.abs(d).max(), rel=1e-9)
    assert momentum == pytest.approx(h.min())
    assert limit == 1.0  # no gimbal has a limit


def test_pulses_of_nozzles_step_by_step() -> None:
    """Each owes the impulse that was not fired, opens for the least pulse, and forgets what it can never fire."""
    eom, _, limits = _craft(jets=3, one_sided=True)
    period, least, isp = 0.02, 0.053, 180.0
    asked = {"jet0": 0.3 * limits[0], "jet1": 5.0 * limits[1], "jet2": -1.0}
    law = control.PulsedJets(control.Feedforward(asked), period, least, isp)
    assert law.state_names(eom) == (*(f"{kind}.jet{k}" for kind in ("owed", "open") for k in range(3)), "propellant")
    z, owed, left, mass = law.initial_state(eom), np.zeros(3), np.zeros(3), 0.0
    none = ca.DM(0, 1)
    sizes = [float(np.linalg.norm(x.force)) for x in eom.machine.thrusters]
    fired = np.zeros(3)
    for _ in range(60):
        u, rates = law.expression(eom, ca.DM(0), ca.DM(eom.q_neutral), ca.DM(np.zeros(eom.nv)), ca.DM(z), none)
        thrust = np.array(ca.DM(u).full())[:, 0]
        z = z + period * np.array(ca.DM(rates).full())[:, 0]
        wanted = np.clip([asked[f"jet{k}"] for k in range(3)], 0.0, limits)
        owed = np.minimum(owed + wanted * period, 2.0 * limits * (least + period))
        left = np.where((left < 0.5 * period) & (owed >= limits * least * (1.0 - 1e-9)), least, left)
        on = left > 0.5 * period
        owed, left = owed - on * limits * period, np.maximum(left - period, 0.0)
        mass += period * float((on * limits) @ sizes) / (nozzles.STANDARD_GRAVITY * isp)
        np.testing.assert_allclose(thrust, on * limits, rtol=1e-9)
        np.testing.assert_allclose(z, [*owed, *left, mass], rtol=1e-7, atol=1e-12)
        fired += on
    assert 5 < fired[0] < 30 and fired[1] > 50 and fired[2] == 0
    metered = control.MeteredJets(control.Feedforward({"jet1": 0.7}), isp)
    rates = metered.expression(eom, ca.DM(0), ca.DM(eom.q_neutral), ca.DM(np.zeros(eom.nv)), ca.DM([0.0]), none)[1]
    assert float(ca.DM(rates)) == pytest.approx(0.7 * sizes[1] / (9.80665 * isp), rel=1e-9)


def test_propellant_of_torques_and_small_forces() -> None:
    """Nozzles behind a torque have a lever; those of a force count by it, whatever its size; without a lever, none."""
    body = da.Body("hub", 120.0, inertia=(50.0, 60.0, 70.0))
    jets = [
        da.Thruster("weak", "hub", (0.0, 0.2, 0.15)),
        da.Thruster("turn", "hub", torque=(0.3, 0.0, -0.4)),
        da.Thruster("both", "hub", (2.0, 0.0, 0.0), (0.0, 5.0, 0.0)),
    ]
    free = da.Joint("base", "free", "world", "hub")
    eom = da.equations(da.Machine("craft", [body], [free], thrusters=jets, gravity=(0, 0, 0)), backend="vm")
    u = np.array([1.3, -0.7, -2.0])
    for lever, turned in ((None, 0.0), (0.8, 0.5 / 0.8)):
        thrust = 0.25 * 1.3 + turned * 0.7 + 2.0 * 2.0
        flow = float(ca.DM(nozzles.propellant_flow(eom, ca.DM(u), 250.0, lever)))
        assert flow == pytest.approx(thrust / (9.80665 * 250.0), rel=1e-12)
    bare = da.equations(da.Machine("bare", [body], [free], gravity=(0, 0, 0)), backend="vm")
    assert float(ca.DM(nozzles.propellant_flow(bare, ca.DM(0, 1), 250.0, None))) == 0.0


def _arm(free: bool) -> Any:
    """Four joints about and along different axes, on the world or on a base that floats."""
    rng = np.random.default_rng(31)
    names = ["base", *(f"l{k}" for k in range(4))]
    bodies = [
        da.Body(
            n,
            float(rng.uniform(1.0, 9.0)),
            com=tuple(0.2 * rng.normal(size=3)),
            inertia=tuple(rng.uniform(1.0, 1.5, 3)),
        )
        for n in names
    ]
    joints = [da.Joint("base", "free" if free else "fixed", "world", "base")]
    for k, (kind, axis) in enumerate((("revolute", "z"), ("revolute", "y"), ("prismatic", "x"), ("revolute", "y"))):
        origin = da.Transform(tuple(0.4 * rng.normal(size=3)))
        joints.append(da.Joint(f"q{k}", kind, names[k], names[k + 1], axis=axis, origin=origin))
    motors = [da.Motor(f"m{k}", f"q{k}") for k in (2, 0, 1, 3)]
    machine = da.Machine("arm", bodies, joints, motors=motors, gravity=(0, 0, 0))
    return da.equations(machine, backend="vm")


@pytest.mark.parametrize("free", [False, True])
def test_gains_of_joints_for_a_stiffness_of_the_tip(free: bool) -> None:
    """``J*^T K_d J*`` with a base that reacts, a stiffness where the tip sees no motion, and one damping."""
    rng = np.random.default_rng(32)
    eom = _arm(free)
    q = eom.q_neutral.copy()
    rows_q = [eom.q_names.index(f"q{k}") for k in (2, 0, 1, 3)]
    q[rows_q] = rng.uniform(-0.8, 0.8, 4)
    t = [eom.v_names.index(f"q{k}_dot") for k in (2, 0, 1, 3)]
    b = [k for k in range(eom.nv) if k not in t]
    M, J = eom.mass_matrix(q), eom.jacobian("l3", q)
    react = np.linalg.solve(M[np.ix_(b, b)], M[np.ix_(b, t)]) if free else np.zeros((0, 4))
    Js, Ms = J[:, t] - J[:, b] @ react, M[np.ix_(t, t)] - M[np.ix_(t, b)] @ react
    root = rng.normal(size=(6, 6))
    whole = 30.0 * root @ root.T
    for stiffness, wanted in (
        (whole, whole),
        ([40.0, 50.0, 60.0], np.diag([40.0, 50.0, 60.0, 0.0, 0.0, 0.0])),
        ([40.0, 0.0, 60.0, 7.0, 8.0, 9.0], np.diag([40.0, 0.0, 60.0, 7.0, 8.0, 9.0])),
    ):
        found = control.tip_gains(eom, "l3", q, stiffness, damping=0.6)
        np.testing.assert_allclose(found.jacobian, Js, atol=1e-9)
        np.testing.assert_allclose(found.inertia, Ms, atol=1e-9)
        assert not found.flexibility.any()
        seen = Js.T @ wanted @ Js
        if np.linalg.matrix_rank(seen, tol=1e-6) == 4:
            np.testing.assert_allclose(found.kp, seen, rtol=1e-8, atol=1e-8)
        else:  # the motion that is left is as fast as the slowest one that is seen
            squares = np.sort(np.linalg.eigvals(np.linalg.solve(Ms, found.kp)).real)
            before = np.sort(np.linalg.eigvals(np.linalg.solve(Ms, seen)).real)
            np.testing.assert_allclose(squares, [before[1], *before[1:]], rtol=1e-6)
        squares, modes = np.linalg.eig(np.linalg.solve(Ms, found.kp))
        ratios = np.linalg.solve(Ms, found.kd) @ modes
        if np.diff(np.sort(squares.real)).min() > 1e-3:
            np.testing.assert_allclose(
                ratios, 2.0 * 0.6 * np.sqrt(squares.real) * modes, atol=1e-6 * np.abs(ratios).max()
            )
        np.testing.assert_allclose(
            found.kd @ np.linalg.solve(Ms, found.kd), 4.0 * 0.36 * found.kp, rtol=1e-6, atol=1e-6
        )
    for wrong in ([1.0, -1.0, 0.0], [1.0, 2.0], -whole, [np.inf, 0.0, 0.0], "stiff"):
        with pytest.raises(da.InputError, match="stiffness of a tip"):
            control.tip_gains(eom, "l3", q, wrong)
    with pytest.raises(da.InputError, match="ratio >= 0"):
        control.tip_gains(eom, "l3", q, whole, damping=-0.1)
    law = control.TipImpedance("l3", whole, reference=[0.1, -0.2, 0.3, 0.4], damping=0.6, at=q)
    v = rng.normal(size=eom.nv)
    found = control.tip_gains(eom, "l3", q, whole, damping=0.6)
    expected = found.kp @ (np.array([0.1, -0.2, 0.3, 0.4]) - q[rows_q]) - found.kd @ v[t]
    u = law.expression(eom, ca.SX.sym("t"), ca.DM(q), ca.DM(v), ca.DM(0, 1), ca.DM(0, 1))[0]
    np.testing.assert_allclose(np.array(ca.DM(u).full())[:, 0], expected, rtol=1e-9)
