"""Laws of underactuated machines on cranes with three and more motors: bridge, trolley and winches."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.linearize import law_gain, linearize
from dalembert.control.law_bases import driven_response
from dalembert.control.lqr import design_lqr
from dalembert.control.underactuated import (
    EnergyRegulation,
    PartialFeedbackLinearization,
    collocated_inertia,
    partition,
)
from dalembert.plan.flat import SmoothStep
from dalembert.plan.shaping import SCurve, ei, zvd
from dalembert.systems.cranes import (
    DesignedOn,
    PayloadTransport,
    crane_structure,
    hanging,
    planar_crane,
    residual_sway,
    spatial_crane,
    sway_angle,
    sway_omega,
    uniform_cable,
)
from dalembert.systems.cranes.reduction import design_coordinates

BRIDGE, TROLLEY = 200.0, 60.0


def crane(n: int = 2, *, lengths: str = "hoisted", **options) -> da.Machine:
    cable = uniform_cable(n, 5.0, payload=50.0, mass=4.0 if n > 1 else 0.0)
    return spatial_crane(cable, trolley=TROLLEY, bridge=BRIDGE, lengths=lengths, **options)


def driven_at_rest(machine: da.Machine) -> np.ndarray:
    rest = hanging(machine)
    return np.array([rest[motor.joint] for motor in machine.motors])


THREE = crane(3, rail_damping=7.0, rail_friction=20.0)
FOUR = crane(3, lengths="variable", winches=2)


@pytest.mark.parametrize("machine", [THREE, FOUR], ids=["three motors", "four motors"])
def test_response_of_the_driven_joints_is_the_schur_complement(machine: da.Machine) -> None:
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-0.6, 0.6, size=(2, machine.nv))
    for i, name in enumerate(machine.q_names):
        q[i] = 1.7 if name.startswith("l") else q[i]
    s = eom.symbolic
    b, G = (
        ca.Function("f", [s.q, s.v, s.t, s.p], [x])(q, v, 0.0, []).full()
        for x in driven_response(eom, s.t, s.q, s.v, s.p)
    )
    parts = partition(eom)
    assert [machine.q_names[i] for i in parts.driven] == [motor.joint for motor in machine.motors]
    assert parts.degree == machine.nv - machine.nu
    M = eom.mass_matrix(q)
    M_bar = collocated_inertia(M, parts)
    assert np.linalg.eigvalsh(M_bar).min() > 0  # Lemma 3
    assert np.allclose(np.linalg.inv(G), M_bar, rtol=1e-9)
    h = eom.bias(q, v) - eom.applied(q, v, np.zeros(machine.nu))
    a, u = list(parts.driven), list(parts.other)
    h_bar = h[a] - M[np.ix_(a, u)] @ np.linalg.solve(M[np.ix_(u, u)], h[u])
    assert np.allclose(b[:, 0], -np.linalg.solve(M_bar, h_bar), rtol=1e-9)


@pytest.mark.parametrize("machine", [THREE, FOUR], ids=["three motors", "four motors"])
def test_partial_feedback_linearisation_makes_all_driven_joints_follow(machine: da.Machine) -> None:
    start = driven_at_rest(machine)
    way = np.array([1.0, -2.0, -0.5, 0.3])[: machine.nu]
    offsets = np.array([0.1, -0.05, 0.08, -0.06])[: machine.nu]
    kp = np.array([4.0, 9.0, 16.0, 25.0])[: machine.nu]
    law = PartialFeedbackLinearization(kp, 2 * np.sqrt(kp), SmoothStep(start, start + way, 3.0))
    names = [motor.joint for motor in machine.motors]
    first = dict(zip(names, (start + offsets).tolist(), strict=True))
    state = hanging(machine, **first, theta1=0.2, phi1=-0.3, phi2=0.2)
    run = da.simulate(machine, duration=4.0, q0=state, control=law, step=1e-3)
    t = run.t[:, None]
    s = np.clip(t / 3.0, 0, 1)
    blend = s**5 * (126 + s * (-420 + s * (540 + s * (-315 + 70 * s))))
    w = np.sqrt(kp)
    expected = start + way * blend + offsets * (1 + w * t) * np.exp(-w * t)  # e'' + 2 w e' + w^2 e = 0
    assert np.allclose(run.array(names), expected, atol=2e-6)
    assert np.abs(run["phi1"]).max() > 0.1  # whatever the cable does


def test_sway_feedback_damps_either_plane_as_in_the_plane() -> None:
    """Small sway in both planes: each is the planar crane's, and the winch holds."""
    machine = crane(1)
    hold = driven_at_rest(machine)
    gains = {"kp": [0.3, 0.3, 9.0], "kd": [0.66, 0.66, 6.0], "sway_gain": [1.07, 1.07, 0.0]}
    law = PartialFeedbackLinearization(reference=hold, **gains)
    run = da.simulate(machine, duration=12.0, q0=hanging(machine, theta1=1e-3, phi1=-2e-3), control=law, step=5e-3)
    flat = planar_crane(uniform_cable(1, 5.0, payload=50.0), trolley=TROLLEY)
    planar = PartialFeedbackLinearization(0.3, 0.66, [0.0], sway_gain=1.07)
    reference = da.simulate(flat, duration=12.0, q0={"theta1": 1e-3}, control=planar, step=5e-3)
    assert np.allclose(run["theta1"], reference["theta1"], atol=1e-7)
    assert np.allclose(run["phi1"], -2 * reference["theta1"], atol=1e-7)
    assert np.abs(run["phi1"][run.t > 10.0]).max() < 2e-3 / 5  # the slowest poles are -0.33 +- 0.74 i
    assert np.abs(run["l1"] - 5.0).max() < 1e-9


@pytest.mark.parametrize(("kp", "gain"), [(0.3, 1.0), (9.0, -1.0), (0.3, -0.2), (9.0, 1.0)])
def test_sign_of_the_sway_gain(kp: float, gain: float) -> None:
    """Poles are those of (s^2 + kd s + kp)(s^2 + w^2) + ks s^3, in both planes; a stiff loop needs the other sign."""
    machine = crane(1)
    kd = 2 * np.sqrt(kp)
    law = PartialFeedbackLinearization([kp, kp, 9.0], [kd, kd, 6.0], driven_at_rest(machine), [gain, gain, 0.0])
    eom = da.equations(machine)
    plant = linearize(eom, hanging(machine))
    K = law_gain(eom, law, at=hanging(machine))
    poles = np.linalg.eigvals(np.asarray(plant.A) + np.asarray(plant.B) @ K)
    plane = np.roots(np.polyadd(np.polymul([1, kd, kp], [1, 0, 9.81 / 5.0]), [gain, 0, 0, 0]))
    expected = np.concatenate([plane, plane, [-3.0, -3.0]])
    for pole in expected:  # double ones scatter by the root of the rounding
        assert np.abs(poles - pole).min() < 1e-4
    assert (plane.real.max() < 0) == (gain * (9.81 / 5.0 - kp) > 0)


@pytest.mark.parametrize(
    "gains",
    [{}, {"ke": 1e-3}, {"kv": 20.0}, {"kv": (10.0, 0.0, 30.0), "ke": 1e-3}, {"k1": 0.0, "kv": 20.0, "ke": 1e-2}],
    ids=["k1", "ke", "kv", "kv per motor", "Fantoni and Lozano"],
)
@pytest.mark.parametrize("machine", [crane(2), crane(2, lengths="variable", winches=2)], ids=["three", "four"])
def test_energy_laws_make_their_function_fall(machine: da.Machine, gains: dict) -> None:
    """W' = -v_a^T Kd v_a with three and four motors, which the law's linear system is solved for by elimination."""
    nu = machine.nu
    rest = hanging(machine)
    target = driven_at_rest(machine)
    kp, kd = np.linspace(250.0, 400.0, nu), np.linspace(300.0, 500.0, nu)
    kv = np.broadcast_to(gains.get("kv", 0.0), (3,))[[0, 1, 2, 2]][:nu]
    law = EnergyRegulation(kp=kp, kd=kd, reference=target, at=rest, **gains | {"kv": kv})
    start = hanging(machine, theta1=0.3, phi1=-0.2, x=-0.5, y=0.3)
    run = da.simulate(machine, duration=2.0, q0=start, control=law, step=5e-4)
    assert run.status == "completed"
    eom = da.equations(machine)
    q, v = run.array(machine.q_names), run.array(machine.v_names)
    rows = list(partition(eom).driven)
    point = np.array([rest[name] for name in machine.q_names])
    hold = eom.gravity(point)[rows]
    E = run["energy.kinetic"] + run["energy.potential"] - eom.energy(point, 0 * point).potential
    E = E - (q[:, rows] - point[rows]) @ hold
    assert E.min() > -1e-9
    k1, ke = gains.get("k1", 1.0), gains.get("ke", 0.0)
    e, va = q[:, rows] - target, v[:, rows]
    W = k1 * E + ke * E**2 / 2 + np.sum(kv * va**2, axis=1) / 2 + np.sum(kp * e**2, axis=1) / 2
    power = np.sum(kd * va**2, axis=1)
    eaten = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))])
    assert np.abs(W + eaten - W[0]).max() < 1e-4 * W[0]
    assert W[-1] < 0.95 * W[0]


def test_energy_regulation_brings_bridge_trolley_and_winch_to_their_places() -> None:
    machine = crane(2)
    target = driven_at_rest(machine) + [1.0, -1.5, -0.4]
    law = EnergyRegulation(kp=[60.0, 30.0, 400.0], kd=[160.0, 60.0, 300.0], reference=target, at=hanging(machine))
    run = da.simulate(machine, duration=60.0, q0=hanging(machine), control=law, step=4e-3, record=0.1)
    names = [motor.joint for motor in machine.motors]
    assert np.abs(run.array(names)[-1] - target).max() < 0.01
    assert np.degrees(sway_angle(da.equations(machine), run.array(machine.q_names))[-50:]).max() < 0.5
    assert crane_structure(machine, samples=2, run=run)["passivity"].holds


def test_regulator_in_space_is_that_of_two_planes_and_a_winch() -> None:
    """Near the vertical a spatial crane is two planar ones: so are the gains, with the masses that each rail moves."""
    machine = crane(2)
    weights = {"x": 1.0, "theta1": 100.0, "theta2": 30.0, "x_dot": 1.0}
    mirrored = {"y": 1.0, "phi1": 100.0, "phi2": 30.0, "y_dot": 1.0}
    law = design_lqr(machine, hanging(machine), Q={**weights, **mirrored, "l1": 10.0, "l1_dot": 1.0}, R=1e-5)
    K = np.asarray(law.gain)
    states = [*machine.q_names, *machine.v_names]
    plane = ["x", "theta1", "theta2"]
    for motor, rail, mass in ((0, "y", TROLLEY + BRIDGE), (1, "x", TROLLEY)):
        flat = planar_crane(uniform_cable(2, 5.0, payload=50.0, mass=4.0), trolley=mass)
        expected = np.asarray(design_lqr(flat, Q=weights, R=1e-5).gain)[0]
        names = [n.replace("x", rail).replace("theta", "phi") if rail == "y" else n for n in plane]
        columns = [states.index(n) for n in (*names, *(f"{n}_dot" for n in names))]
        assert np.allclose(K[motor, columns], expected, rtol=1e-5)
        others = np.delete(K[motor], columns)
        assert np.abs(others).max() < 1e-5 * np.abs(expected).max()
    # The winch alone: m_bar l'' = u, weights 10 and 1
    eom = da.equations(machine)
    inertia = collocated_inertia(eom.mass_matrix(list(hanging(machine).values())), partition(eom))[2, 2]
    k = np.sqrt(10.0 / 1e-5)
    columns = [states.index("l1"), states.index("l1_dot")]
    assert np.allclose(K[2, columns], [k, np.sqrt(1.0 / 1e-5 + 2 * k * inertia)], rtol=1e-5)


def test_regulators_move_payload_and_winch() -> None:
    """Designed on the crane itself, and on one link (whose payload has the cable's mass, or the winch sinks)."""
    machine = crane(3)
    rest = hanging(machine)
    Q = {"x": 1.0, "y": 1.0, "l1": 10.0, "theta1": 10.0, "phi1": 10.0, "x_dot": 1.0, "y_dot": 1.0}
    target = driven_at_rest(machine) + [1.0, 2.0, -0.3]
    own = design_lqr(machine, rest, Q=Q, R=1e-5, reference=target)
    hung = 50.0 + 4.0 * 5 / 6  # five sixths of the cable hang on the winch, in the trapezoidal lumping
    one = spatial_crane(uniform_cable(1, 5.0, payload=hung), trolley=TROLLEY, bridge=BRIDGE, lengths="hoisted")
    chord = np.array([1.0, 2.0, 5.0 - 0.3])
    other = DesignedOn(design_lqr(one, hanging(one), Q=Q, R=1e-5, reference=chord), one)
    eom = da.equations(machine)
    for law in (own, other):
        run = da.simulate(machine, duration=20.0, q0=rest, control=law, step=2e-3, record=0.05)
        last = run.array([motor.joint for motor in machine.motors])[-1]
        assert np.abs(last - target).max() < 0.01
        assert np.degrees(sway_angle(eom, run.array(machine.q_names))[-20:]).max() < 0.1


def test_design_coordinates_in_space() -> None:
    plant, design = (da.equations(crane(n), backend="vm") for n in (4, 2))
    rng = np.random.default_rng(3)
    q = rng.uniform(-0.4, 0.4, plant.nq)
    q[plant.q_names.index("l1")] = 1.4
    s = plant.symbolic
    seen = ca.Function("f", [s.q], [design_coordinates(plant, design)])(q).full()[:, 0]
    for plant_frame, design_frame in (("trolley", "trolley"), ("node2", "node1"), ("bridge", "bridge")):
        assert np.allclose(design.pose(design_frame, seen)[:3, 3], plant.pose(plant_frame, q)[:3, 3], atol=1e-12)
    # The second chord has the direction that is seen; its length is the design's own.
    chord = plant.pose("node4", q)[:3, 3] - plant.pose("node2", q)[:3, 3]
    link = design.pose("node2", seen)[:3, 3] - design.pose("node1", seen)[:3, 3]
    assert np.allclose(link / np.linalg.norm(link), chord / np.linalg.norm(chord), atol=1e-12)
    itself = ca.Function("f", [s.q], [design_coordinates(plant, plant)])(q).full()[:, 0]
    assert np.allclose(itself, q, atol=1e-12)


def test_shaped_references_of_bridge_and_trolley() -> None:
    """Each rail has its own way and shaper; what stays is what linear theory says for either plane."""
    machine = crane(2)
    w = float(sway_omega(machine)[0])
    hold = hanging(machine)["l1"]
    curves = {"y": SCurve.timed(0.0, 0.75, 4.0), "x": SCurve.timed(0.0, 1.0, 4.0)}
    eom = da.equations(machine)
    flat = planar_crane(uniform_cable(2, 5.0, payload=50.0, mass=4.0), trolley=TROLLEY)
    residual = {}
    for name, shaper in (("none", None), ("zvd", zvd(w)), ("ei", ei(w))):
        shaped = [c if shaper is None else shaper(c) for c in curves.values()]
        end = 4.0 if shaper is None else 4.0 + shaper.duration
        law = PartialFeedbackLinearization(9.0, 6.0, lambda t, shaped=shaped: [*(r(t) for r in shaped), hold])
        run = da.simulate(machine, duration=end + 6.0, q0=hanging(machine), control=law, step=2e-3, record=0.02)
        sway = sway_angle(eom, run.array(machine.q_names))[run.t >= end].max()
        planes = [residual_sway(flat, r, end)[0] for r in shaped]
        assert sway == pytest.approx(np.hypot(*planes), rel=0.02, abs=2e-4)
        residual[name] = sway
        assert np.abs(run["l1"] - hold).max() < 1e-6  # the winch holds meanwhile
    assert residual["ei"] == pytest.approx(0.05 * residual["none"], rel=0.02)
    assert residual["zvd"] < 0.005 * residual["none"]


def test_payload_transport_in_space() -> None:
    """The payload's own reference, for a regulator with three motors."""
    machine = crane(1)
    load = SmoothStep([0.0, 0.0], [2.0, 4.0], 7.0)
    Q = {"x": 1.0, "y": 1.0, "l1": 10.0, "theta1": 10.0, "phi1": 10.0}
    law = design_lqr(machine, hanging(machine), Q=Q, R=1e-5, reference=PayloadTransport(machine, load))
    run = da.simulate(machine, duration=12.0, q0=hanging(machine), control=law, step=2e-3, record=0.02)
    eom = da.equations(machine)
    path = eom.pose("payload", run.array(machine.q_names))[:, :2, 3]
    s = np.clip(run.t / 7.0, 0, 1)
    blend = s**5 * (126 + s * (-420 + s * (540 + s * (-315 + 70 * s))))
    assert np.abs(path - blend[:, None] * [4.0, 2.0]).max() < 0.02
    assert np.degrees(sway_angle(eom, run.array(machine.q_names))[run.t >= 7.0]).max() < 0.2
    with pytest.raises(da.InputError, match=r"must have 2 components \(y, x\), got 1"):
        PayloadTransport(machine, SmoothStep([0.0], [1.0], 1.0))


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (lambda: PartialFeedbackLinearization(1.0, 1.0, [0.0]), "must have 3 components .* got 1"),
        (lambda: PartialFeedbackLinearization([1.0, 1.0], 1.0, [0.0] * 3), r"kp must be one number or 3 .* got \(1"),
        (lambda: PartialFeedbackLinearization(1.0, 1.0, [0.0] * 3, sway_gain=np.nan), "sway_gain must be finite, got"),
        (lambda: PartialFeedbackLinearization(1.0, 1.0, [0.0] * 3, 1.0, frame="hook"), "hook"),
        (lambda: EnergyRegulation(1.0, 1.0, [0.0] * 3, kv=[1.0, -1.0, 0.0]), "kv must be finite and not negative"),
        (lambda: EnergyRegulation(1.0, 1.0, [0.0] * 2), "must have 3 components .* got 2"),
    ],
)
def test_refusals(law, message: str) -> None:
    machine = crane(1)
    with pytest.raises(da.DalembertError, match=message):
        da.simulate(machine, duration=0.1, q0=hanging(machine), control=law())
