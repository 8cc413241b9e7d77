"""Signals and sensors: recorded by name, read by laws, measured in place of the true state."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert import control
from dalembert.campaigns import sensitivities
from dalembert.campaigns.run_measures import measure_run
from dalembert.core.errors import FileFormatError
from dalembert.loop import close_loop
from dalembert.spatial.rotations import numpy, quaternion_difference, quaternion_matrix
from dalembert.systems import space_robots


def cart(**parts) -> da.Machine:
    return da.Machine(
        "cart",
        bodies=[da.point_mass("m", 2.0)],
        joints=[da.Joint("x", "prismatic", "world", "m", axis=(1, 0, 0))],
        motors=[da.Motor("F", "x")],
        gravity=(0.0, 0.0, 0.0),
        **parts,
    )


def craft(**parts) -> da.Machine:
    return da.Machine(
        "craft",
        bodies=[da.box("hub", 10.0, (1.0, 2.0, 3.0))],
        joints=[da.Joint("hub", "free", "world", "hub")],
        frames=[da.Frame("nose", "hub", da.Transform((1.0, 0.5, 0.0)))],
        thrusters=[da.Thruster("jet", "hub", torque=(0, 0, 1))],
        gravity=(0.0, 0.0, 0.0),
        **parts,
    )


def test_signals_are_what_the_equations_say() -> None:
    """Position, attitude and twist of a frame; a text; a function: against numbers of the equations themselves."""
    machine = craft(signals=[da.Signal("nose", frame="nose"), da.Signal("off", "hypot(nose.x, nose.y) - 2 * hub.x")])
    more = [da.Signal("height", lambda s: s.pose("nose")[2, 3] + s["off"]), da.Signal("late", "off + t")]
    run = da.simulate(machine, duration=1.0, v0=[0.1, 0, 0.2, 1.0, -2.0, 0.5], record=0.05, signals=more)
    eom, q, v = da.equations(machine), run.x[:, :7], run.x[:, 7:13]
    X = eom.pose("nose", q)
    assert np.allclose(run.array(["nose.x", "nose.y", "nose.z"]), X[:, :3, 3], atol=1e-14)
    R = [numpy(quaternion_matrix(Q)) for Q in run.array(["nose.qw", "nose.qx", "nose.qy", "nose.qz"])]
    assert np.allclose(R, X[:, :3, :3], atol=1e-14)
    twist = np.einsum("nij,nj->ni", eom.jacobian("nose", q, axes="world"), v)
    assert np.allclose(run.array([f"nose.{k}" for k in ("vx", "vy", "vz", "wx", "wy", "wz")]), twist, atol=1e-13)
    off = np.hypot(run["nose.x"], run["nose.y"]) - 2 * run["hub.x"]
    assert np.allclose(run["off"], off, atol=1e-14)
    assert np.allclose(run["height"], run["nose.z"] + off, atol=1e-14)
    assert np.allclose(run["late"], off + run.t, atol=1e-14)


def test_names_mean_the_same_to_everyone() -> None:
    """Motion of frames and parameters: to signals, laws, measures, steppers, derivatives."""
    mass = da.Parameter("mass", 0.8)
    machine = da.Machine(
        "arm",
        bodies=[da.point_mass("bob", mass, com=(0, 0, -0.6))],
        joints=[da.Joint("theta", "revolute", "world", "bob", axis="y")],
        frames=[da.Frame("tip", "bob", da.Transform((0.1, 0, -0.6)))],
        motors=[da.Motor("u", "theta")],
        signals=[da.Signal("pull", "parameter.mass * position.tip.x + velocity.tip.z")],
    )

    def pull(s):
        return s["parameter.mass"] * s["position.tip.x"] + s["velocity.tip.z"]

    read = control.read
    law = da.PD(0.0, 1.0, lambda t: 0.1 * (read("parameter.mass") * read("position.tip.x") + read("velocity.tip.z")))
    settings = {"duration": 0.5, "q0": {"theta": 0.4}, "p": {"mass": 1.1}, "step": 0.01}
    run = da.simulate(machine, control=law, **settings)
    eom, q, v = da.equations(machine), run.x[:, :1], run.x[:, 1:2]
    tip = eom.pose("tip", q)[:, 0, 3]
    speed = (eom.jacobian("tip", q, axes="world")[:, 2] * v)[:, 0]
    assert np.allclose(run["pull"], 1.1 * tip + speed, atol=1e-14)
    by_signal = da.simulate(machine, control=da.PD(0.0, 1.0, lambda t: 0.1 * read("pull")), **settings)
    assert np.allclose(by_signal.x, run.x, atol=1e-14)
    measure = {"end": da.Measure(pull), "named": da.Measure("pull")}
    many = da.rollout(machine, control=law, measure=measure, **settings)
    one = measure_run(eom, run, measure)
    found = sensitivities(machine, of=["position.tip.x", "pull"], wrt=["mass"], control=law, **settings)
    for value in (many.measures["end"][0], many.measures["named"][0], one["end"], one["named"], found.values[-1, 1]):
        assert value == pytest.approx(run["pull"][-1], abs=1e-12)
    assert np.allclose(found.values[:, 0], tip, atol=1e-12)
    stepper = da.stepper(machine, period=0.01, control=law, observe={"pull": pull}, p={"mass": 1.1})
    assert stepper.reset(q0={"theta": 0.4}).ravel()[0] == pytest.approx(run["pull"][0], abs=1e-12)


def test_derived_names_are_seen_as_they_are_measured() -> None:
    """A law that reads the place of a frame sees it where the sensors say that the machine is."""
    machine = cart(frames=[da.Frame("front", "m", da.Transform((0.5, 0, 0)))])
    ruler = da.Sensor("ruler", "x", period=0.01, bias=0.02)
    law = da.PD(20.0, 8.0, lambda t: 1.0 - control.read("position.front.x"))
    run = da.simulate(machine, duration=8.0, control=law, sensors=[ruler])
    assert run["x"][-1] == pytest.approx(0.25 - 0.02, abs=1e-3)  # x + b = 0.5 - (x + b)


def test_a_law_reads_signals() -> None:
    """A law of its own that reads a signal is the law that computes it."""

    class Own:
        def __init__(self, read: bool) -> None:
            self.read = read

        def state_names(self, eom):
            return ()

        def initial_state(self, eom):
            return np.zeros(0)

        def expression(self, eom, t, q, v, z, p):
            twice = control.read("twice") if self.read else 2 * q[0]
            return -5.0 * twice - 3.0 * v[0], ca.SX(0, 1)

    machine = cart(signals=[da.Signal("twice", "2 * x")])
    runs = [da.simulate(machine, duration=1.0, q0=[1.0], control=Own(read)) for read in (True, False)]
    assert np.array_equal(runs[0].x, runs[1].x)
    with pytest.raises(da.InputError, match=r"contains unknown symbols: nothing.*twice"):
        da.simulate(machine, duration=1.0, control=da.PD(1.0, 1.0, lambda t: control.read("nothing")))


def test_an_event_reads_signals() -> None:
    machine = cart(signals=[da.Signal("gap", "1 - x")])
    hit = da.Event("hit", lambda t, q, v: control.read("gap"), terminal=True)
    run = da.simulate(machine, duration=3.0, v0=[0.8], events=[hit])
    assert run.t[-1] == pytest.approx(1.25, abs=1e-9)


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.3, 0.25, 0.04])
def test_delay_and_sampling(delay: float) -> None:
    """A moving cart: at each time the last sample that is old enough, and the first one before there is any."""
    sensor = da.Sensor("ruler", "x", period=0.1, delay=delay)
    run = da.simulate(cart(), duration=1.0, q0=[3.0], v0=[2.0], sensors=[sensor], step=0.01)
    samples = np.floor((run.t - delay) / 0.1 + 1e-6) * 0.1
    expected = 3.0 + 2.0 * np.maximum(samples, 0.0)
    assert np.allclose(run["ruler.x"][:-1], expected[:-1], atol=1e-12)  # the end itself is not sampled
    assert run.held_names == ("ruler.x",)


def test_bias_and_rounding() -> None:
    sensor = da.Sensor("ruler", ("x", "x_dot"), period=0.01, bias=(0.1, 0.0), quantum=(0.25, 0.0))
    run = da.simulate(cart(), duration=1.0, v0=[2.0], sensors=sensor, step=0.01)
    x = np.minimum(run["x"], run["x"][-2])  # the last instant is not sampled
    assert np.allclose(run["ruler.x"], 0.25 * np.floor((x + 0.1) / 0.25 + 0.5), atol=1e-12)
    assert np.allclose(run["ruler.x_dot"], 2.0)


def test_noise_is_normal_and_can_be_repeated() -> None:
    """Moments of 4000 samples within five standard errors; the same for the same seed, whoever else is measured."""
    sensor = da.Sensor("ruler", ("x", "x_dot"), period=1e-3, noise=(0.5, 2.0))
    other = replace(sensor, name="other")
    settings = {"duration": 4.0, "step": 1e-3}
    run = da.simulate(cart(), sensors=[sensor], **settings)
    w = run.array(["ruler.x", "ruler.x_dot"])[:-1] / [0.5, 2.0]
    n = len(w)
    assert np.abs(w.mean(axis=0)).max() < 5 / np.sqrt(n)
    assert np.abs(w.var(axis=0) - 1.0).max() < 5 * np.sqrt(2 / n)
    assert abs(np.mean(w[:, 0] * w[:, 1])) < 5 / np.sqrt(n)
    assert abs(np.mean(w[1:, 0] * w[:-1, 0])) < 5 / np.sqrt(n)
    both = da.simulate(cart(), sensors=[other, sensor], **settings)
    assert np.array_equal(both["ruler.x"], run["ruler.x"])
    assert abs(np.mean(both["other.x"] * both["ruler.x"])) < 5 * 0.25 / np.sqrt(n)
    again = da.simulate(cart(), sensors=[sensor], seed=1, duration=0.1)
    assert not np.isclose(again["ruler.x"][:-1], run["ruler.x"][: len(again.t) - 1]).any()


def test_an_attitude_is_measured_by_small_rotations() -> None:
    sensor = da.Sensor("tracker", ["hub.attitude", "hub.rate"], period=0.01, noise=(1e-3, 2e-3, 3e-3, 0, 0, 0))
    machine = craft(sensors=[sensor], signals=[da.Signal("nose", frame="nose")])
    run = da.simulate(machine, duration=20.0, v0=[0, 0, 0, 0.3, 1.0, -0.2], step=0.01, method="rk4")
    names = [f"hub.q{k}" for k in "wxyz"]
    true, read = run.array(names)[:-1], run.array([f"tracker.{n}" for n in names])[:-1]
    assert np.allclose(np.linalg.norm(read, axis=1), 1.0, atol=1e-12)
    turns = np.array([numpy(quaternion_difference(a, b)) for a, b in zip(true, read, strict=True)])
    n = len(turns)
    assert np.all(np.abs(turns.std(axis=0) / [1e-3, 2e-3, 3e-3] - 1) < 5 / np.sqrt(2 * n))
    assert np.array_equal(run["tracker.hub.wx"][:-1], run["hub.wx"][:-1])


def test_laws_see_what_is_measured() -> None:
    """A wrong ruler leads to the wrong place; a law that sees the truth is not misled."""
    ruler = da.Sensor("ruler", "x", period=0.01, bias=0.02)
    for sensor, end in ((ruler, 0.48), (replace(ruler, feedback=False), 0.5)):
        run = da.simulate(cart(), duration=8.0, control=da.PD(20.0, 8.0, [0.5]), sensors=[sensor])
        assert run["x"][-1] == pytest.approx(end, abs=1e-3)
    by_name = da.simulate(
        cart(), duration=8.0, control=da.PD(20.0, 8.0, lambda t: 1.0 - control.read("ruler.x")), sensors=[sensor]
    )
    assert by_name["x"][-1] == pytest.approx(0.49, abs=1e-3)


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.025])
def test_a_measured_loop_is_the_loop_of_a_computer(delay: float) -> None:
    """A law on measurements, against a Python controller that samples, waits and holds by itself."""
    sensor = da.Sensor("ruler", ("x", "x_dot"), period=0.01, delay=delay)
    run = da.simulate(cart(), duration=1.0, q0=[1.0], control=da.PD(20.0, 8.0, [0.0]), sensors=[sensor], step=2.5e-3)
    seen = []

    def computer(t, q, v):
        seen.append((q[0], v[0]))
        k = max(0, int(np.floor((t - delay) / 0.01 + 1e-6))) * 4
        return [-20.0 * seen[k][0] - 8.0 * seen[k][1]]

    same = da.simulate(cart(), duration=1.0, q0=[1.0], control=da.SampledController(computer, 2.5e-3), step=2.5e-3)
    assert np.allclose(run["x"], same["x"], atol=1e-13)


def test_python_controllers_see_measurements() -> None:
    sensor = da.Sensor("ruler", "x", period=0.01, bias=0.5)
    seen = []
    controller = da.SampledController(lambda t, q, v: [seen.append((q[0], v[0])) or 0.0], 0.1)
    da.simulate(cart(), duration=0.5, v0=[1.0], control=controller, sensors=[sensor])
    assert np.allclose(seen, [(0.5 + 0.1 * k, 1.0) for k in range(5)])


def test_two_halves_are_the_whole(tmp_path) -> None:
    """Delays, noise and grids go on over a file."""
    sensor = da.Sensor("ruler", ("x", "x_dot"), period=0.03, noise=0.1, delay=0.05)
    machine, law = cart(sensors=[sensor]), control.Sampled(da.PID(20.0, 5.0, 8.0, [0.5]), 0.01)
    whole = da.simulate(machine, duration=1.0, control=law, seed=3)
    first = da.simulate(machine, duration=0.5, control=law, seed=3)
    first = da.load_run(first.save(tmp_path / "half.nc"))
    second = da.simulate(machine, duration=0.5, control=law, seed=3, start=first)
    both = first.append(second)
    assert np.array_equal(both.x, whole.x)
    assert np.array_equal(both.held, whole.held)
    assert "integral.F" in whole.held_names


def test_files_keep_signals_and_sensors() -> None:
    machine = space_robots.space_chaser("rigid", arrays=None).with_(
        signals=[da.Signal("tip", frame="tip"), da.Signal("far", "sqrt(tip.x**2 + tip.y**2)")],
        sensors=[
            da.Sensor("tracker", "base.attitude", 0.1, noise=(1e-4, 1e-4, 2e-4), delay=0.02),
            da.Sensor("encoders", ["theta1", "theta2"], 0.004, quantum=1e-6, bias=1e-3, feedback=False),
        ],
    )
    assert da.load_machine(machine.to_yaml()) == machine
    with pytest.raises(FileFormatError, match="period of sensor 'eye' must be > 0 s"):
        da.load_machine(cart().to_yaml() + "sensors:\n  eye: {of: x, period: 0}\n")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"signals": [da.Signal("a", "y + 1")]}, "signal 'a'.*no quantity named 'y'"),
        ({"signals": [da.Signal("a", frame="b")]}, "signal 'a'.*no frame named 'b'"),
        ({"signals": [da.Signal("x", "t")]}, "2 signals or sensors named 'x'"),
        ({"signals": [da.Signal("a", lambda s: s.t)]}, "signal 'a' .*must be a string"),
        ({"sensors": [da.Sensor("a", "y", 0.1)]}, "sensor 'a'.*no signal named 'y'"),
    ],
)
def test_machines_refuse(parts, message) -> None:
    with pytest.raises(da.MachineError, match=message):
        cart(**parts)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: da.Signal("a"), "needs either an expression or a frame"),
        (lambda: da.Signal("a", "__import__('os')"), "cannot use"),
        (lambda: da.Signal("a", "1 +"), "cannot read"),
        (lambda: da.Signal("a", "sin(x, y)"), "cannot use"),
        (lambda: da.Sensor("a", "x", 0.0), "period of sensor 'a' must be > 0 s"),
        (lambda: da.Sensor("a", "x", 0.1, delay=-1.0), "delay of sensor 'a' must be >= 0 s"),
        (lambda: da.Sensor("a", "x", 0.1, noise=-1.0), "noise of sensor 'a' must not be negative"),
        (lambda: da.Sensor("a", (), 0.1), "must measure signals by name"),
        (lambda: da.Sensor("a", "x", 0.1, bias="1"), "bias of sensor 'a' must be numbers"),
    ],
)
def test_parts_refuse(make, message) -> None:
    with pytest.raises(da.MachineError, match=message):
        make()


def test_loops_refuse() -> None:
    with pytest.raises(da.DalembertError, match="noise of sensor 'a' must be one number or 2"):
        da.simulate(cart(), duration=1.0, sensors=[da.Sensor("a", ("x", "x_dot"), 0.1, noise=(1.0, 1.0, 1.0))])
    with pytest.raises(da.InputError, match="their own coordinates; give feedback=False"):
        da.simulate(cart(), duration=0.1, by="natural", sensors=[da.Sensor("a", "x", 0.01)], control=da.PD(1, 1, [0]))
    with pytest.raises(da.InputError, match="signals must be Signal objects"):
        da.simulate(cart(), duration=0.1, signals=["x"])
    with pytest.raises(da.InputError, match="seed must be an integer"):
        da.simulate(cart(), duration=0.1, seed=-1)


def test_natural_coordinates_are_measured_by_the_names_of_the_machine() -> None:
    sensor = da.Sensor("ruler", "x", period=0.01, delay=0.02, feedback=False)
    settings = {"duration": 0.5, "q0": [1.0], "v0": [0.3], "sensors": [sensor], "step": 0.01}
    runs = [da.simulate(cart(), by=by, **settings) for by in ("newton-euler", "natural")]
    assert np.allclose(runs[0]["ruler.x"], runs[1]["ruler.x"], atol=1e-12)


def test_the_loop_of_another_function_is_kept() -> None:
    """What is compiled does not depend on the Python functions in it, nor on the seed."""
    eom = da.equations(cart(sensors=[da.Sensor("ruler", "x", 0.01, noise=1.0)]))
    loops = [close_loop(eom, da.SampledController(lambda t, q, v, k=k: [k], 0.1)) for k in (1.0, 2.0)]
    assert loops[0].problem is loops[1].problem
    ends = [da.simulate(eom, duration=0.1, control=da.SampledController(lambda t, q, v, k=k: [k], 0.1)) for k in (1, 2)]
    assert ends[1]["x"][-1] == pytest.approx(2 * ends[0]["x"][-1])
