"""Derivatives of runs, and what rests on them: identification, design, base parameters."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dalembert as da
from dalembert.analysis import base_parameters
from dalembert.benchmarks.robots import robot_file
from dalembert.campaigns import gradient, identify, optimise, sensitivities
from dalembert.core.errors import DalembertError, InputError, UnknownNameError
from dalembert.systems import SYSTEMS

MASS, LENGTH = da.Parameter("mass", 200.0), da.Parameter("length", 4.0)
CRANE = da.Machine(
    "crane",
    bodies=[da.point_mass("trolley", 150.0), da.point_mass("load", MASS, com=(0, 0, -LENGTH))],
    joints=[
        da.Joint("x", "prismatic", "world", "trolley", axis=(1, 0, 0), damping=20.0),
        da.Joint("swing", "revolute", "trolley", "load", axis=(0, 1, 0)),
    ],
    frames=[da.Frame("hook", "load", da.Transform((0, 0, -LENGTH)))],
    motors=[da.Motor("drive", "x", effort=2000.0)],
)
LAW = da.PD(kp=400.0, kd=700.0, reference=da.Quintic([0.0], [5.0], duration=4.0))
PULL: dict[str, Any] = {"control": LAW, "duration": 3.0, "step": 5e-3}


def differences(machine: da.Machine, name: str, change: float, signals: list[str], **given: Any) -> Any:
    """Central differences of the signals of two runs."""
    ends = []
    for sign in (1.0, -1.0):
        at = {k: dict(given.get(k) or {}) for k in ("p", "q0", "v0")}
        kind, _, rest = name.partition(".")
        target, key = (kind, rest) if kind in ("q0", "v0") else ("p", name)
        nominal = {q.name: q.value for q in machine.parameters}
        at[target][key] = at[target].get(key, nominal.get(key, 0.0)) + sign * change
        others = {k: v for k, v in given.items() if k not in at}
        ends.append(da.simulate(machine, **at, **others).array(signals))
    return (ends[0] - ends[1]) / (2.0 * change)


@pytest.mark.parametrize(("name", "step"), [("mass", 1e-2), ("length", 1e-4), ("q0.swing", 1e-5), ("v0.x_dot", 1e-5)])
def test_derivatives_are_those_of_the_run(name: str, step: float) -> None:
    signals = ["x", "swing", "u.drive"]
    found = sensitivities(CRANE, of=signals, wrt=[name], q0={"swing": 0.1}, **PULL)
    exact = differences(CRANE, name, step, signals, q0={"swing": 0.1}, **PULL)
    scale = np.abs(exact).max(axis=0)
    np.testing.assert_allclose(found.derivatives[:, :, 0] / scale, exact / scale, atol=1e-6)


def test_derivatives_of_an_oscillator_are_exact() -> None:
    """x = x0 cos(w t), w^2 = k / m: dx/dm = x0 t w / (2 m) sin(w t)."""
    m = da.Parameter("m", 2.0)
    machine = da.Machine(
        "oscillator",
        bodies=[da.point_mass("body", m)],
        joints=[da.Joint("x", "prismatic", "world", "body", axis=(1, 0, 0), stiffness=50.0)],
    )
    found = sensitivities(
        machine,
        of=["x"],
        wrt=["m", "q0.x", "v0.x_dot"],
        q0={"x": 0.3},
        duration=2.0,
        method="dopri5",
        rtol=1e-11,
        atol=1e-13,
    )
    t, w = found.t, np.sqrt(50.0 / 2.0)
    np.testing.assert_allclose(found["x"][:, 0], 0.3 * t * w / 4.0 * np.sin(w * t), atol=1e-8)
    np.testing.assert_allclose(found["x"][:, 1], np.cos(w * t), atol=1e-8)
    np.testing.assert_allclose(found["x"][:, 2], np.sin(w * t) / w, atol=1e-8)


def test_derivatives_of_a_tumbling_body() -> None:
    """A free body has a quaternion; derivatives with respect to inertia and rates."""
    I = da.Parameter("I", 3.0)
    machine = da.Machine(
        "body",
        gravity=(0, 0, 0),
        bodies=[da.Body("body", 1.0, inertia=(2.0, I, 4.0))],
        joints=[da.Joint("pose", "free", "world", "body")],
        frames=[da.Frame("mark", "body", da.Transform((0, 0, 1.0)))],
    )
    start = {"pose.wx": 0.4, "pose.wy": 0.7, "pose.wz": -0.2}
    given: dict[str, Any] = {"v0": start, "duration": 3.0, "step": 2e-3}
    signals = ["pose.wx", "pose.wy", "pose.qx"]
    for name in ("I", "v0.pose.wy"):
        found = sensitivities(machine, of=signals, wrt=[name], **given)
        exact = differences(machine, name, 1e-4, signals, **given)
        np.testing.assert_allclose(found.derivatives[:, :, 0], exact, atol=1e-6)


def test_adjoint_is_the_forward_derivative() -> None:
    names = ["mass", "length", "q0.swing", "v0.x_dot"]
    given: dict[str, Any] = {"q0": {"swing": 0.1}, **PULL}
    backward = gradient(CRANE, wrt=names, final=lambda s: (s["position.hook.x"] - 5.0) ** 2, **given)
    forward = sensitivities(CRANE, of=["position.hook.x"], wrt=names, **given)
    miss = forward.values[-1, 0] - 5.0
    assert backward.cost == pytest.approx(miss**2, rel=1e-12)
    np.testing.assert_allclose(backward.gradient, 2.0 * miss * forward.derivatives[-1, 0], rtol=1e-9)
    both = gradient(CRANE, wrt=names, final="x", integral=lambda s: s["swing"] ** 2, **given)
    single = da.simulate(CRANE, **given)
    assert both.cost == pytest.approx(single["x"][-1] + np.trapezoid(single["swing"] ** 2, single.t), rel=1e-4)
    h = 1e-4
    ends = [
        gradient(CRANE, wrt=names, final="x", integral=lambda s: s["swing"] ** 2, p={"length": 4.0 + d}, **given).cost
        for d in (h, -h)
    ]
    assert both.gradient[1] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6)


def test_bad_questions() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'mass'"):
        sensitivities(CRANE, of=["x"], wrt=["mas"], **PULL)
    with pytest.raises(UnknownNameError, match="swong"):
        sensitivities(CRANE, of=["swong"], wrt=["mass"], **PULL)
    with pytest.raises(InputError, match="not Python controllers"):
        sensitivities(
            CRANE, of=["x"], wrt=["mass"], duration=1.0, control=da.SampledController(lambda t, q, v: [0.0], 0.1)
        )
    with pytest.raises(InputError, match="needs a cost"):
        gradient(CRANE, wrt=["mass"], duration=1.0)
    with pytest.raises(InputError, match="begins at 4, outside"):
        identify(CRANE, {"t": [0.0, 1.0], "x": [0.0, 1.0]}, unknown={"length": (5.0, 6.0)}, measured=["x"])
    with pytest.raises(InputError, match="swing is missing"):
        identify(CRANE, {"t": [0.0, 1.0], "x": [0.0, 1.0]}, unknown=["length"], measured=["swing"])


TRUE = {"mass": 260.0, "length": 4.6}


def noisy_sway(rng: np.random.Generator, part: float) -> dict[str, Any]:
    run = da.simulate(CRANE, p=TRUE, q0={"swing": 0.05}, control=LAW, duration=8.0, step=5e-3, record=0.05)
    record: dict[str, Any] = {"t": run.t}
    for name in ("x", "swing"):
        record[name] = run[name] + part * np.abs(run[name]).max() * rng.normal(size=len(run.t))
    return record


def test_payload_and_length_from_sway() -> None:
    found = identify(
        CRANE, noisy_sway(np.random.default_rng(1), 0.01),
        unknown={"mass": (50.0, 600.0), "length": (2.0, 8.0), "q0.swing": (-0.2, 0.2)},
        measured=["x", "swing"], control=LAW, step=5e-3,
    )  # fmt: skip
    for name, true in TRUE.items():
        assert found.values[name] == pytest.approx(true, rel=1e-2)
        assert found.deviations[name] < 0.01 * true
    assert not found.blind
    assert "mass = " in repr(found)


SEEDS = [pytest.param(30, marks=pytest.mark.slow), pytest.param(100, marks=[pytest.mark.slow, pytest.mark.long])]


def assert_honest(found: list[Any], truths: list[Any]) -> None:
    """Errors in units of their deviations are normal: mean 0 and size 1, within three deviations of such figures."""
    n = len(found)
    for name in truths[0]:
        errors = [(f.values[name] - true[name]) / f.deviations[name] for f, true in zip(found, truths, strict=True)]
        assert abs(np.mean(errors)) < 3.0 / np.sqrt(n), name
        assert abs(np.sqrt(np.mean(np.square(errors))) - 1.0) < 3.0 / np.sqrt(2.0 * n), name
        intervals = [f.intervals(0.95)[name] for f in found]
        covered = sum(low <= true[name] <= high for (low, high), true in zip(intervals, truths, strict=True))
        assert 0.95 * n - 3.0 * np.sqrt(0.0475 * n) < covered, name
        assert n < 100 or covered < n, name


@pytest.mark.parametrize("n", SEEDS)
def test_intervals_cover_the_truth(n: int) -> None:
    found = [
        identify(
            CRANE, noisy_sway(np.random.default_rng(seed), 0.01),
            unknown={"mass": (50.0, 600.0), "length": (2.0, 8.0)}, measured=["x", "swing"], control=LAW,
            q0={"swing": 0.05}, step=5e-3,
        )
        for seed in range(n)
    ]  # fmt: skip
    assert_honest(found, [TRUE] * n)


STIFFNESS, DAMPER = da.Parameter("k", 40.0), da.Parameter("c", 1.0)
SPRING = da.Machine(
    "spring",
    bodies=[da.point_mass("block", 2.0)],
    joints=[da.Joint("x", "prismatic", "world", "block", axis=(1, 0, 0), stiffness=STIFFNESS, damping=DAMPER)],
)
SPRING_TRUTH = {"k": 50.0, "c": 1.5}
OF_SPRING: dict[str, Any] = {"unknown": {"k": (10.0, 200.0), "c": (0.01, 20.0)}, "q0": {"x": 0.3}, "step": 0.01}


def swinging(seed: int, of_x: float, of_v: float) -> dict[str, Any]:
    """A record whose signals have noises of their own, as parts of their peaks."""
    run = da.simulate(SPRING, duration=4.0, step=0.01, q0={"x": 0.3}, p=SPRING_TRUTH, record=0.04)
    rng, record = np.random.default_rng(seed), {"t": run.t}
    for name, part in (("x", of_x), ("x_dot", of_v)):
        record[name] = run[name] + part * np.abs(run[name]).max() * rng.normal(size=len(run.t))
    return record


@pytest.mark.parametrize("n", SEEDS)
@pytest.mark.parametrize(("of_x", "of_v"), [(1e-5, 1e-2), (1e-3, 0.4), (1e-2, 1e-2), (1e-2, 1e-5)])
def test_intervals_cover_the_truth_whatever_the_noise(of_x: float, of_v: float, n: int) -> None:
    """Noise of the signals in ratios of 1e-3 to 1e3; 40 % is noise that hides the signal."""
    records = (swinging(seed, of_x, of_v) for seed in range(n))
    assert_honest([identify(SPRING, one, measured=["x", "x_dot"], **OF_SPRING) for one in records], [SPRING_TRUTH] * n)


@pytest.mark.parametrize(("of_x", "of_v", "precise"), [(1e-3, 0.4, "x"), (0.4, 1e-3, "x_dot")])
def test_precise_signals_decide(of_x: float, of_v: float, precise: str) -> None:
    """A signal that is all noise changes neither values nor intervals of what the other one tells."""
    record = swinging(3, of_x, of_v)
    both = identify(SPRING, record, measured=["x", "x_dot"], **OF_SPRING)
    alone = identify(SPRING, record, measured=[precise], **OF_SPRING)
    for name, deviation in alone.deviations.items():
        assert abs(both.values[name] - alone.values[name]) < 0.1 * deviation
        assert both.deviations[name] == pytest.approx(deviation, rel=0.1)
    run = da.simulate(SPRING, duration=4.0, step=0.01, q0={"x": 0.3}, p=SPRING_TRUTH, record=0.04)
    for name, part in (("x", of_x), ("x_dot", of_v)):
        assert both.noise[name] == pytest.approx(part * np.abs(run[name]).max(), rel=0.25)


def test_values_on_their_bounds_say_so() -> None:
    record = swinging(0, 0.01, 0.01)
    with pytest.warns(da.DalembertWarning, match="'k' = 45; their confidence intervals are not valid"):
        found = identify(SPRING, record, measured=["x"], **{**OF_SPRING, "unknown": {"k": (10.0, 45.0), "c": (0, 9)}})
    assert found.at_bound == {"k": 45.0}
    assert "k = 45" in repr(found) and repr(found).count("on its bound") == 1
    with pytest.warns(da.DalembertWarning, match="'c' = 5"):
        low = identify(
            SPRING, record, measured=["x"], **{**OF_SPRING, "unknown": {"k": (10, 90), "c": (5, 9)}}, p={"c": 6.0}
        )
    assert low.at_bound == {"c": 5.0}
    assert not identify(SPRING, record, measured=["x"], **OF_SPRING).at_bound


TIMES = np.arange(0.0, 1.0, 0.04)
GOOD: dict[str, Any] = {"t": TIMES, "x": 0.3 * np.cos(5.0 * TIMES)}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"unknown": None}, "unknown must be names"),
        ({"unknown": 3}, "unknown must be names"),
        ({"unknown": []}, "unknown must be one name or more"),
        ({"unknown": ["k", "k"]}, "each once"),
        ({"unknown": {"k": None}}, "range of 'k' must be two numbers"),
        ({"unknown": {"k": (1, 2, 3)}}, "range of 'k' must be two numbers"),
        ({"unknown": {"k": (np.nan, 99.0)}}, "low < high"),
        ({"measured": []}, "measured must be one name or more"),
        ({"measured": None}, "measured must be names"),
        ({"measured": [3]}, "measured must be names"),
        ({"measured": ["x", "x"]}, "each once"),
        ({"noise": {}}, "'x' is missing"),
        ({"noise": {"x": 0.0}}, "noise of 'x' must be a finite number > 0"),
        ({"noise": {"x": 1.0, "y": 1.0}}, "'y' is not measured"),
        ({"noise": 0.1}, "noise must map"),
        ({"data": []}, "data is empty"),
        ({"data": None}, "a record is a run"),
        ({"data": {**GOOD, "x": GOOD["x"][:-1]}}, "25 times, but 24 values of 'x'"),
        ({"data": {**GOOD, "x": np.ones((25, 2))}}, "in one row"),
        ({"data": {"t": 0.0, "x": 1.0}}, "in one row"),
        ({"data": {"t": [], "x": []}}, "measurements cannot tell|at least two instants"),
        ({"data": {**GOOD, "x": ["a"] * 25}}, "plain numbers"),
        ({"data": {**GOOD, "x": 1j * GOOD["x"]}}, "plain numbers"),
        ({"data": {**GOOD, "x": np.ma.masked_greater(GOOD["x"], 0.1)}}, "plain numbers"),
        ({"data": {**GOOD, "t": np.datetime64("2020") + np.arange(25)}}, "plain numbers"),
        ({"data": {**GOOD, "t": TIMES[::-1]}}, "must not decrease"),
        ({"data": {**GOOD, "t": np.where(TIMES == 0.0, np.inf, TIMES)}}, "finite numbers"),
        ({"data": {**GOOD, "q0": 3}}, "'q0' of a record must map"),
        ({"data": {**GOOD, "p": [1.0]}}, "'p' of a record must map"),
        ({"data": pandas.DataFrame({"y": GOOD["x"]}, index=TIMES)}, "x is missing"),
        (
            {"data": {"t": [0.0, 0.1], "x": [0.3, 0.2]}, "unknown": ["k", "c", "q0.x"]},
            "2 measurements cannot determine",
        ),
    ],
)
def test_wrong_records_and_questions(changes: dict[str, Any], reason: str) -> None:
    options: dict[str, Any] = {"unknown": ["k"], "measured": ["x"], "q0": {"x": 0.3}, "step": 0.01, **changes}
    with pytest.raises(DalembertError, match=reason):
        identify(SPRING, options.pop("data", GOOD), **options)


@pytest.mark.parametrize("level", [0, 1, 95, "high", None, float("nan")])
def test_levels_of_intervals(level: Any) -> None:
    found = identify(SPRING, GOOD, unknown=["k"], measured=["x"], q0={"x": 0.3}, step=0.01)
    assert not found.at_bound
    with pytest.raises(InputError, match="level must be a number between 0 and 1"):
        found.intervals(level)


def test_what_cannot_be_told_apart() -> None:
    """A pendulum's swing tells nothing of its mass, and of two springs in parallel only the sum."""
    mass, soft, stiff = da.Parameter("mass", 1.0), da.Parameter("soft", 3.0), da.Parameter("stiff", 5.0)
    machine = da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", mass, com=(0, 0, -1.0)), da.point_mass("block", 2.0)],
        joints=[
            da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0)),
            da.Joint("x", "prismatic", "world", "block", axis=(1, 0, 0), stiffness=soft + stiff),
        ],
    )
    record = da.simulate(machine, duration=3.0, q0={"theta": 0.5, "x": 0.1}, p={"soft": 4.0}, record=0.02)
    found = identify(
        machine, record, unknown=["mass", "soft", "stiff"], measured=["theta", "x"], q0={"theta": 0.5, "x": 0.1}
    )
    assert {frozenset(one) for one in found.blind} == {frozenset({"mass"}), frozenset({"soft", "stiff"})}
    assert found.values["soft"] + found.values["stiff"] == pytest.approx(9.0, rel=1e-6)
    assert np.isinf(found.deviations["mass"])


EXAMPLES = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "identification.py"))


@pytest.mark.parametrize(
    "name",
    [
        "payload_and_cable_length",
        "flexible_arm",
        pytest.param("winch_radii", marks=pytest.mark.slow),
        "tumbling_debris",
    ],
)
def test_examples_find_the_truth(name: str) -> None:
    """Within 1 % at 1 % noise, and within the intervals of 99.9 %."""
    found, truth = EXAMPLES[name](seed=5)
    assert set(found.values) == set(truth)
    assert not found.blind
    for key, (low, high) in found.intervals(0.999).items():
        assert low < truth[key] < high
        assert found.values[key] == pytest.approx(truth[key], rel=1e-2)


@pytest.mark.parametrize("n", SEEDS)
@pytest.mark.parametrize("name", [pytest.param("winch_radii", marks=pytest.mark.long), "tumbling_debris"])
def test_intervals_of_examples_cover_the_truth(name: str, n: int) -> None:
    found, truths = zip(*(EXAMPLES[name](seed=seed) for seed in range(n)), strict=True)
    assert_honest(list(found), list(truths))


def test_inertia_of_tumbling_debris() -> None:
    """Ratios of inertia from rates; the size of the inertia itself is invisible without torques."""
    names = ("Ix", "Iy", "Iz")
    inertia = tuple(da.Parameter(n, v) for n, v in zip(names, (2.0, 3.0, 4.0), strict=True))
    debris = da.Machine(
        "debris",
        gravity=(0, 0, 0),
        bodies=[da.Body("body", 1.0, inertia=inertia)],
        joints=[da.Joint("pose", "free", "world", "body")],
    )
    start = {"pose.wx": 0.5, "pose.wy": 0.8, "pose.wz": -0.3}
    rates = ["pose.wx", "pose.wy", "pose.wz"]
    run = da.simulate(debris, duration=20.0, v0=start, p={"Ix": 2.2, "Iy": 2.7}, step=0.01, record=0.1)
    found = identify(debris, run, unknown={"Ix": (1.0, 3.9), "Iy": (1.0, 3.9)}, measured=rates, v0=start, step=0.01)
    assert found.values["Ix"] == pytest.approx(2.2, rel=1e-6)
    assert found.values["Iy"] == pytest.approx(2.7, rel=1e-6)
    whole = identify(debris, run, unknown=list(names), measured=rates, v0=start, step=0.01)
    assert [set(one) for one in whole.blind] == [set(names)]


def test_design_with_a_limit() -> None:
    """Spring and damper of a mass that is pushed: the best damper is known, and a limit on speed is kept."""
    c = da.Parameter("c", 1.0)
    machine = da.Machine(
        "table",
        bodies=[da.point_mass("table", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "table", axis=(1, 0, 0), stiffness=1.0, damping=c)],
    )
    # The integral of x^2 over all time from x0 = 1 is (1 + c^2) / (2 c): least at c = 1.
    found = optimise(
        machine, vary={"c": (0.2, 5.0)}, integral=lambda s: s["x"] ** 2, q0={"x": 1.0}, duration=40.0, step=0.02,
        p={"c": 3.0},
    )  # fmt: skip
    assert found.ok
    assert found.values["c"] == pytest.approx(1.0, abs=1e-4)
    assert found.cost == pytest.approx(1.0, abs=1e-5)
    limited = optimise(
        machine, vary={"c": (0.2, 5.0)}, integral=lambda s: s["x"] ** 2, q0={"x": 1.0}, duration=3.0, step=0.02,
        limits={"late": (lambda s: -s["x"], -0.2)},
    )  # fmt: skip
    assert limited.ok
    assert limited.limits["late"] == pytest.approx(-0.2, abs=1e-6)
    many = optimise(
        machine, vary={"c": (0.2, 5.0)}, integral=lambda s: s["x"] ** 2, duration=40.0, step=0.02,
        scenarios=[{"q0": {"x": 1.0}}, {"q0": {"x": 2.0}}],
    )  # fmt: skip
    assert many.values["c"] == pytest.approx(1.0, abs=1e-4)
    assert many.cost == pytest.approx(2.5, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "losses"), [("six-axis-arm", True), ("double-pendulum", False), ("floating-two-link", False)]
)
def test_base_parameters_give_inverse_dynamics(name: str, losses: bool) -> None:
    machine = SYSTEMS[name].make()
    base = base_parameters(machine, losses=losses)
    eom = da.equations(machine)
    rng = np.random.default_rng(0)
    q = machine.q_neutral + 0.0
    for _ in range(5):
        v, a = rng.normal(size=(2, machine.nv))
        for joint in ("q1", "q2", "q3", "theta1", "theta2"):
            if joint in machine.q_names:
                q[machine.q_names.index(joint)] = rng.normal()
        tau = eom.inverse_dynamics(q, v, a)
        if losses:
            tau = tau - eom.applied(q, v, np.zeros(machine.nu))
        np.testing.assert_allclose(base.regressor(q, v, a) @ base.values, tau, rtol=1e-9, atol=1e-9)
    assert len(base.descriptions) == len(base) < len(base.names)


@pytest.mark.peer
def test_rank_is_that_of_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    path = robot_file("ur5")
    machine = da.load_urdf(path, geometry=False)
    model = pin.buildModelFromUrdf(str(path))
    data, rng = model.createData(), np.random.default_rng(0)
    rows = [
        pin.computeJointTorqueRegressor(
            model, data, pin.randomConfiguration(model), *rng.normal(size=(2, model.nv))
        ).copy()
        for _ in range(300)
    ]
    singular = np.linalg.svd(np.vstack(rows), compute_uv=False)
    assert len(base_parameters(machine)) == int((singular > 1e-9 * singular[0]).sum())


def test_base_parameters_are_fitted() -> None:
    machine = SYSTEMS["double-pendulum"].make()
    base, rng = base_parameters(machine), np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, 400, machine.nv))
    tau = np.stack([da.equations(machine).inverse_dynamics(*s) for s in zip(q, v, a, strict=True)])
    noisy = tau + 0.01 * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    values, deviations = base.fit(q, v, a, noisy)
    assert (np.abs(values - base.values) < 4.0 * deviations).all()
    with pytest.raises(InputError, match="excite"):
        base.fit(0 * q, 0 * v, 0 * a, tau)
