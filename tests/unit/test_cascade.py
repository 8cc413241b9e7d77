"""Sampled laws and cascades: several periods in one loop, joined by held values with names."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da
from dalembert import control
from dalembert.control.actuators import ActuatorLag
from dalembert.engine.sampling import Sampler


def cart(**parts) -> da.Machine:
    return da.Machine(
        "cart",
        bodies=[da.point_mass("m", 2.0)],
        joints=[da.Joint("x", "prismatic", "world", "m", axis=(1, 0, 0), damping=0.5)],
        motors=[da.Motor("F", "x")],
        gravity=(0.0, 0.0, 0.0),
        **parts,
    )


def held_exactly(law, guide, *, inner: float, every: int, n: int, x0) -> np.ndarray:
    """States at the inner instants by the exact solution of the linear plant between samples."""
    A = np.zeros((3, 3))
    A[0, 1], A[1, 1], A[1, 2] = 1.0, -0.25, 0.5
    step = expm(A * inner)
    x, rows, c = np.array(x0, dtype=float), [], None
    for k in range(n):
        rows.append(x.copy())
        if k % every == 0:
            c = guide(k * inner, x)
        x = (step @ [*x, law(k * inner, x, c)])[:2]
    return np.array(rows)


def stages() -> dict[str, object]:
    """The same guidance twice: a Python function, an expression with a state."""

    def python(t, q, v, s):
        python.z += 0.05
        return {"goal": 0.3 + python.z - 0.1 * q[0], "push": 0.2 * v[0]}

    python.z = 0.0

    def native(known):
        z = known["z"] + 0.05
        return [0.3 + z - 0.1 * known["x"], 0.2 * known["x_dot"]], [z]

    return {
        "python": control.Guidance(python, 0.05, ["goal", "push"], name="guide"),
        "native": control.NativeGuidance(native, 0.05, ["goal", "push"], states={"z": 0.0}, name="guide"),
    }


class Inner:
    """PD on held values with a feedforward."""

    def state_names(self, eom):
        return ()

    def initial_state(self, eom):
        return np.zeros(0)

    def expression(self, eom, t, q, v, z, p):
        goal, push = control.read("goal"), control.read("push")
        return 9.0 * (goal - q[0]) - 5.0 * v[0] + push, np.zeros((0, 1))


@pytest.mark.parametrize("kind", ["python", "native"])
def test_two_periods_against_the_exact_solution(kind: str) -> None:
    memory = {"z": 0.0}

    def guide(t, x):
        memory["z"] += 0.05
        return 0.3 + memory["z"] - 0.1 * x[0], 0.2 * x[1]

    def law(t, x, c):
        return 9.0 * (c[0] - x[0]) - 5.0 * x[1] + c[1]

    rows = held_exactly(law, guide, inner=0.01, every=5, n=100, x0=[0.2, -0.1])
    cascade = control.Cascade(control.Sampled(Inner(), 0.01), [stages()[kind]])
    run = da.simulate(
        cart(), duration=1.0, q0=[0.2], v0=[-0.1], control=cascade, method="dopri5", rtol=1e-12, atol=1e-13
    )
    at = np.searchsorted(run.t, 0.01 * np.arange(100) - 1e-9)
    assert np.allclose(run.x[at, :2], rows, atol=1e-10)
    assert np.allclose(run["guide.t"], np.floor(np.minimum(run.t, 0.99) / 0.05 + 1e-6) * 0.05, atol=1e-12)


def test_a_continuous_inner_law() -> None:
    """Held values in a law that is not sampled: between samples of the guidance it is a plain PD."""
    guide = control.Guidance(lambda t, q, v, s: [1.0 if t < 0.45 else 0.0], 0.5, ["goal"])
    run = da.simulate(cart(), duration=1.0, control=control.Cascade(da.PD(9.0, 5.0, control.Follow(["goal"])), [guide]))
    first = da.simulate(cart(), duration=0.5, control=da.PD(9.0, 5.0, [1.0]))
    second = da.simulate(cart(), duration=0.5, control=da.PD(9.0, 5.0, [0.0]), start=first)
    assert np.allclose(run.x, first.append(second).x, atol=1e-13)


def test_guidance_reads_what_others_hold() -> None:
    """Two stages at two periods: the inner one filters what the outer one wants; each is called at its own instants."""
    calls: dict[str, list[float]] = {"far": [], "near": []}

    def far(t, q, v, s):
        calls["far"].append(t)
        return [t]

    def near(t, q, v, s):
        calls["near"].append(t)
        assert s["wanted"] == pytest.approx(np.floor(t / 0.3 + 1e-6) * 0.3)
        return [s["wanted"] + s["double"]]

    outer = [
        control.Guidance(far, 0.3, ["wanted"], name="far"),
        control.Guidance(near, 0.1, ["goal"], reads=["wanted", "double"], name="near"),
    ]
    law = control.Sampled(da.PD(9.0, 5.0, control.Follow(["goal"])), 0.02)
    run = da.simulate(cart(signals=[da.Signal("double", "2 * x")]), duration=0.9, control=control.Cascade(law, outer))
    assert np.allclose(calls["far"], [0.0, 0.3, 0.6])
    assert np.allclose(calls["near"], 0.1 * np.arange(9))
    assert np.allclose(run["goal"][0], 0.0)


def test_follow_goes_on_between_samples() -> None:
    """Positions, velocities and accelerations of a parabola: the reference is exact at any time."""
    names = ["r", "rd", "rdd"]
    guide = control.Guidance(lambda t, q, v, s: [t * t, 2 * t, 2.0], 0.25, names, name="guide")
    goal = control.Follow(["r"], ["rd"], ["rdd"], since="guide.t")
    r, rd, rdd = goal.motion(control.read("t"))
    signals = [da.Signal(n, lambda s, x=x: x[0]) for n, x in (("pos", r), ("vel", rd), ("acc", rdd))]
    law = control.Cascade(da.PD(1.0, 1.0, goal), [guide])
    run = da.simulate(cart(), duration=1.0, control=law, signals=signals, step=0.01)
    assert np.allclose(run["pos"], run.t**2, atol=1e-12)
    assert np.allclose(run["vel"], 2 * run.t, atol=1e-12)
    assert np.allclose(run["acc"], 2.0)


def test_a_sampled_law_is_a_sampled_controller() -> None:
    law = da.PID(20.0, 5.0, 8.0, [0.5])
    run = da.simulate(cart(), duration=1.0, control=control.Sampled(law, 0.01))
    z = [0.0]

    def same(t, q, v):
        u = 20.0 * (0.5 - q[0]) + 5.0 * z[0] - 8.0 * v[0]
        z[0] += 0.01 * (0.5 - q[0])
        return [u]

    other = da.simulate(cart(), duration=1.0, control=da.SampledController(same, 0.01))
    assert np.allclose(run["x"], other["x"], atol=1e-13)


def test_what_stands_between_a_sampled_law_and_the_machine() -> None:
    law = da.PD(20.0, 8.0, [0.5])
    run = da.simulate(cart(), duration=1.0, control=ActuatorLag(control.Sampled(law, 0.01), 0.05))
    python = da.SampledController(lambda t, q, v: [20.0 * (0.5 - q[0]) - 8.0 * v[0]], 0.01)
    same = da.simulate(cart(), duration=1.0, control=ActuatorLag(python, 0.05))
    assert np.allclose(run["x"], same["x"], atol=1e-13)
    guide = control.Guidance(lambda t, q, v, s: [0.5], 0.1, ["goal"])
    sampled = control.Sampled(da.PD(20.0, 8.0, control.Follow(["goal"])), 0.01)
    for loop in (
        ActuatorLag(control.Cascade(sampled, [guide]), 0.05),
        control.Cascade(ActuatorLag(sampled, 0.05), guide),
    ):
        assert np.allclose(da.simulate(cart(), duration=1.0, control=loop)["x"], run["x"], atol=1e-13)
    with pytest.raises(da.InputError, match=r"write Cascade\(ActuatorLag"):
        da.simulate(cart(), duration=1.0, control=ActuatorLag(control.Cascade(law, [guide]), 0.05))


@pytest.mark.parametrize("backend", ["native", "vm"])
def test_backends_agree(backend: str) -> None:
    loops = [control.Cascade(control.Sampled(Inner(), 0.01), [stages()["native"]]) for _ in range(2)]
    runs = [
        da.simulate(cart(), duration=0.5, control=loop, backend=b)
        for loop, b in zip(loops, ("auto", backend), strict=True)
    ]
    assert np.allclose(runs[0].x, runs[1].x, atol=1e-13)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: control.Sampled(3.0, 0.1), "needs an expression law"),
        (lambda: control.Sampled(da.PD(1, 1, [0]), 0.0), "period of Sampled must be"),
        (lambda: control.Guidance(3.0, 0.1, ["a"]), "needs a function"),
        (lambda: control.Guidance(print, -0.1, ["a"]), "period of Guidance 'guidance' must be"),
        (lambda: control.Guidance(print, 0.1, []), "must hold at least one"),
        (lambda: control.Guidance(print, 0.1, ["a", "a"]), "must differ"),
        (lambda: control.NativeGuidance(lambda k: 0, 0.1, ["a"], states={"z": np.nan}), "initial value of state 'z'"),
        (lambda: control.Cascade(da.PD(1, 1, [0]), [3.0]), "a stage of a Cascade needs"),
        (lambda: control.Cascade(3.0, []), "inner law of a Cascade"),
        (lambda: control.Follow(["a"], ["b", "c"]), "velocities of Follow must be 1"),
    ],
)
def test_parts_refuse(make, message) -> None:
    with pytest.raises(da.InputError, match=message):
        make()


def test_loops_refuse() -> None:
    law = control.Sampled(da.PD(1.0, 1.0, control.Follow(["goal"])), 0.01)

    def loop(stage):
        return da.simulate(cart(), duration=0.1, control=control.Cascade(law, [stage]))

    with pytest.raises(da.SimulationError, match=r"controller 'guidance' at t = 0 s must return 1 numbers \(goal\)"):
        loop(control.Guidance(lambda t, q, v, s: [1.0, 2.0], 0.05, ["goal"]))
    with pytest.raises(da.SimulationError, match="must return goal, got aim"):
        loop(control.Guidance(lambda t, q, v, s: {"aim": 1.0}, 0.05, ["goal"]))
    with pytest.raises(da.SimulationError, match="returned nan for 'goal'"):
        loop(control.Guidance(lambda t, q, v, s: [np.nan], 0.05, ["goal"]))
    with pytest.raises(da.SimulationError, match="controller 'guidance' failed at t = 0 s: ZeroDivisionError"):
        loop(control.Guidance(lambda t, q, v, s: [1 / 0], 0.05, ["goal"]))
    with pytest.raises(da.InputError, match="must return 1 values"):
        loop(control.NativeGuidance(lambda k: [1.0, 2.0], 0.05, ["goal"]))
    with pytest.raises(da.InputError, match="two held values of the loop are named 'goal'"):
        da.simulate(cart(), duration=0.1, control=control.Cascade(law, 2 * [control.Guidance(print, 0.1, ["goal"])]))
    with pytest.raises(da.InputError, match="an input of 'guidance' contains unknown symbols: y"):
        loop(control.Guidance(lambda t, q, v, s: [0.0], 0.05, ["goal"], reads=["y"]))


def _sampled_cart(kind: str) -> tuple[control.Cascade, list[da.Sensor]]:
    noisy = da.Sensor("ruler", ["x", "x_dot"], 0.01, noise=(1e-3, 2e-3), delay=0.013, feedback=False)
    seen = da.Sensor("gauge", ["x"], 0.004, noise=1e-3)
    return control.Cascade(control.Sampled(Inner(), 0.008), [stages()[kind]]), [noisy, seen]


@pytest.mark.parametrize("kind", ["python", "native"])
@pytest.mark.parametrize("record", [None, 0.017])
def test_the_native_loop_samples_as_the_interpreted_one(kind: str, record: float | None) -> None:
    """Sensors with noise and delay, guidance and law at periods of their own; an event that jumps in between."""
    bounce = da.Event("wall", lambda t, q, v: q[0] - 0.35, direction=1)
    runs = []
    for backend in ("native", "vm"):
        law, sensors = _sampled_cart(kind)
        runs.append(
            da.simulate(
                da.equations(cart(), backend=backend), duration=1.0, q0=[0.2], v0=[-0.1], step=1e-3, record=record,
                control=law, sensors=sensors, seed=3, events=[bounce],
                on_event=lambda t, x, names: [x[0], -0.3, *x[2:]],
            )
        )  # fmt: skip
    fast, slow = runs
    assert fast.metadata["backend"] != slow.metadata["backend"] and fast.events
    assert fast.names == slow.names and len(fast.t) == len(slow.t)
    for name in fast.names:
        np.testing.assert_allclose(fast[name], slow[name], rtol=1e-9, atol=1e-11, err_msg=name)
    assert fast.final.samples == slow.final.samples
    np.testing.assert_allclose(fast.final.held, slow.final.held, rtol=1e-9, atol=1e-11)


def test_python_comes_only_at_the_instants_of_python_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    times = []
    own = Sampler.sample
    monkeypatch.setattr(Sampler, "sample", lambda self, t, x: (times.append(t), own(self, t, x))[1])
    for kind, expected in (("native", [0.0]), ("python", 0.05 * np.arange(20))):
        times.clear()
        law, sensors = _sampled_cart(kind)
        da.simulate(cart(), duration=1.0, control=law, sensors=sensors)
        np.testing.assert_allclose(times, expected, atol=1e-12)


def test_a_native_stage_that_is_not_finite_is_named() -> None:
    wild = control.NativeGuidance(lambda known: [1.0 / known["x"]], 0.05, ["goal"], name="wild")
    push = control.NativeGuidance(lambda known: [0.0], 0.05, ["push"], name="push")
    with pytest.raises(da.SimulationError, match=r"controller 'wild' at t = 0 s returned inf for 'goal'"):
        da.simulate(cart(), duration=1.0, control=control.Cascade(control.Sampled(Inner(), 0.01), [wild, push]))
    late = control.NativeGuidance(lambda known: [1.0 / ca.fmax(0.42 - known["t"], 0.0)], 0.05, ["goal"], name="late")
    with pytest.raises(da.SimulationError, match=r"controller 'late' at t = 0\.45 s returned inf for 'goal'") as error:
        da.simulate(cart(), duration=1.0, control=control.Cascade(control.Sampled(Inner(), 0.01), [late, push]))
    assert error.value.run.t[-1] == pytest.approx(0.45)
