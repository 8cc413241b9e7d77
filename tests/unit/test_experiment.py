"""One description of a run: every outlet takes it, starts where it says, and names it by the same digest."""

from __future__ import annotations

import importlib
import inspect
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import campaigns
from dalembert.cli.machines import find_experiment
from dalembert.core.digest import digest
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.loop.experiment import experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords
from dalembert.loop.outlets import FMU, ROLLOUT, STEPPER
from dalembert.loop.simulate import compose, start_state
from dalembert.simulation.methods import METHODS
from dalembert.systems import SYSTEMS
from dalembert.view.studio.opened import Changes
from dalembert.view.studio.opening import open_object

PENDULUM = da.Machine(
    "pendulum",
    bodies=[da.point_mass("bob", da.Parameter("m", 1.0), com=(0, 0, -1.0))],
    joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0), limits=da.Limits(-0.5, 0.5))],
    motors=[da.Motor("drive", "theta", effort=5.0)],
)
LAW = da.PD(kp=3.0, kd=1.0, reference=[0.2])
SWING = da.Experiment(PENDULUM, start=da.Start(q={"theta": 0.3}), duration=1.0, record=0.1, p={"m": 2.0})

# Other sizes, topologies and starts: serial and floating arms, cranes, loops, cables, contacts, beams, legs.
MACHINES = (
    "six-axis-arm",
    "floating-two-link",
    "planar-crane",
    "spatial-crane",
    "delta-robot",
    "eight-cable-robot",
    "bouncing-ball",
    "quadruped",
    "planar-flexible-arm",
    "double-pendulum",
)


def known(names: tuple[str, ...]) -> list[str]:
    """Those of the machines that the catalogue has, and others up to ten."""
    chosen = [name for name in names if name in SYSTEMS]
    return [*chosen, *(name for name in SYSTEMS if name not in chosen)][:10]


QUICK = ("floating-two-link", "bouncing-ball", "double-pendulum")  # the others in make test-slow


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in known(MACHINES)]
)
def test_the_same_start_and_digest_in_every_outlet(name: str, tmp_path: Path) -> None:
    """Single run, rollout, stepper, campaign, FMU, real time, studio, command line and file: one experiment."""
    experiment = SYSTEMS[name].experiment()
    step = getattr(experiment.integrator, "step", 1e-3)
    experiment = experiment.replace(duration=2 * step, record=None, method=None if step == 1e-3 else experiment.method)
    n = experiment.machine.nq + experiment.machine.nv
    x0 = start_state(experiment, compose(experiment))[0]
    run = da.simulate(experiment, check=False)
    assert run.experiment == experiment
    np.testing.assert_array_equal(run.x[0], x0)
    rows = da.rollout(experiment, progress=False)
    assert rows.experiment.digest == experiment.digest
    np.testing.assert_allclose(rows.x[0, 0], x0, rtol=1e-9, atol=1e-9)
    if experiment.control is None and not experiment.switches and not experiment.integrator.adaptive:
        stepper = da.stepper(experiment, period=2 * step)
        assert stepper.experiment.digest == experiment.digest
        np.testing.assert_allclose(stepper.x[0], x0, rtol=1e-9, atol=1e-9)
    first = f"v0.{experiment.machine.v_names[0]}"
    table = da.campaign(experiment, vary={first: [0.0]}, n=1, measure={"end": da.Measure("t")}, workers=1)
    assert table.question["experiment"] == experiment.digest
    fmu = da.export_fmu(experiment, tmp_path / "machine.fmu", binary=False)
    inside = zipfile.ZipFile(fmu).read("documentation/experiment.sha256").decode().strip()
    assert inside == experiment.digest
    opened = open_object(experiment)
    assert opened.experiment == experiment and opened.simulation(Changes()).start == experiment.start
    assert experiment.digest in da.report(run, tmp_path / "run.html", equations=False).read_text(encoding="utf-8")
    saved = da.load_run(run.save(tmp_path / "run.nc"))
    assert saved.metadata["experiment"] == experiment.digest
    again = da.load_experiment(experiment.save(tmp_path / "machine.yaml"))
    assert again.digest == experiment.digest == find_experiment(str(tmp_path / "machine.yaml")).digest
    np.testing.assert_array_equal(start_state(again, compose(again))[0][:n], x0[:n])
    if not (experiment.machine.constrained or experiment.machine.contacts or experiment.integrator.adaptive):
        slopes = campaigns.sensitivities(experiment, of=[experiment.machine.q_names[0]], wrt=[first])
        assert slopes.values[0, 0] == pytest.approx(run[experiment.machine.q_names[0]][0], abs=1e-9)


@pytest.mark.parametrize("name", ["planar-crane", pytest.param("quadruped", marks=pytest.mark.slow)])
def test_loops_in_real_time_and_environments_start_there_too(name: str) -> None:
    experiment = SYSTEMS[known((name,))[0]].experiment().replace(duration=0.02)
    machine = experiment.machine
    with da.realtime(experiment, period=0.01, speed=0.0) as loop:
        assert loop.wait(20.0)
    assert loop.experiment.digest == experiment.digest
    x0 = start_state(experiment, compose(experiment))[0]
    assert [loop.read()[name][0] for name in machine.q_names] == pytest.approx(x0[: machine.nq].tolist(), abs=1e-12)
    free = experiment.replace(control=None) if experiment.control is None else None
    if free is not None and machine.nu:
        env = campaigns.environment(
            free, period=0.01, reward=machine.q_names[0], effort=dict.fromkeys(machine.u_names, 1.0)
        )
        seen, _ = env.reset(seed=0)
        assert env.unwrapped.stepper.experiment.digest == free.digest
        assert seen[: machine.nq] == pytest.approx(x0[: machine.nq], abs=1e-9)


def test_flat_keywords_write_the_same_experiment() -> None:
    flat = da.simulate(PENDULUM, duration=1.0, record=0.1, q0={"theta": 0.3}, p={"m": 2.0})
    assert flat.experiment == SWING and flat.experiment.digest == SWING.digest and hash(flat.experiment) == hash(SWING)
    assert da.simulate(SWING).x == pytest.approx(flat.x, abs=0.0)
    other = SWING.replace(q0={"theta": 0.31})
    assert other != SWING and other.digest != SWING.digest
    assert other.replace(q0={"theta": 0.3}) == SWING
    assert SWING.replace(method=da.RK4()) == SWING  # the default, said aloud
    assert SWING.replace(p=[2.0]) == SWING  # in order, and by name
    assert SWING.replace(p={"m": 2}) == SWING == SWING.replace(q0={"theta": np.float64(0.3)})  # any kind of number


@pytest.mark.parametrize(
    "changes",
    [
        {"duration": 2.0}, {"record": 0.2}, {"t0": 1.0}, {"reach": 0.2}, {"v0": {"theta_dot": 1.0}}, {"p": {"m": 3.0}},
        {"control": [1.0]}, {"control": LAW}, {"limits": "stop"}, {"method": "dopri5"},
        {"step": 1e-2}, {"seed": 1}, {"member": 1}, {"by": "lagrange"}, {"events": da.Event("low", "theta")},
        {"events": da.Event("low", "theta", terminal=True)}, {"signals": da.Signal("twice", "2 * theta")},
        {"sensors": da.Sensor("encoder", "theta", period=0.1)}, {"contact": "time-stepping"},
        {"constraints": "baumgarte"}, {"on_event": print}, {"backend": "vm"}, {"max_steps": 10},
    ],
    ids=lambda changes: next(iter(changes)),
)  # fmt: skip
def test_everything_that_is_said_counts(changes: dict[str, Any]) -> None:
    """Each field changes the digest, and goes through pickles and keywords unchanged."""
    changed = SWING.replace(**changes)
    assert changed.digest != SWING.digest
    assert pickle.loads(pickle.dumps(changed)).digest == changed.digest
    assert experiment_of(PENDULUM, changed.keywords()).digest == changed.digest  # type: ignore[arg-type]


def test_experiments_go_to_files_and_back() -> None:
    experiment = SWING.replace(
        control=LAW, events=[da.Event("low", "theta + 0.1 * t", direction=-1)], limits="stop",
        signals=[da.Signal("twice", "2 * theta")], sensors=[da.Sensor("encoder", "theta", period=0.1, noise=0.01)],
        method=da.DormandPrince(rtol=1e-6, atol=(1e-8, 1e-9, 1e-8, 1e-8)), seed=3, v0=[0.2], q0=[0.25],
    )  # fmt: skip
    assert da.load_experiment(experiment.to_yaml()) == experiment
    constant = SWING.replace(control=[1.5])
    assert da.load_experiment(constant.to_yaml()) == constant


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"on_event": print}, "on_event of this experiment is a Python function"),
        ({"events": da.Event("low", lambda t, q, v: q[0])}, "event 'low' is a Python function"),
        ({"control": da.SampledController(lambda t, q, v: [0.0], 0.1)}, "law SampledController .* is Python code"),
        ({"signals": da.Signal("twice", lambda known: 2 * known.q[0])}, "signal 'twice' is a Python function"),
    ],
)
def test_what_no_file_holds_is_named(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        SWING.replace(**changes).to_yaml()


def test_functions_count_by_what_they_compute() -> None:
    """The same code with another constant, closure or helper is another experiment, in every process."""

    def event(level: float) -> da.Event:
        return da.Event("level", lambda t, q, v: q[0] - level)

    first, second, third = (SWING.replace(events=event(level)).digest for level in (0.1, 0.1, 0.2))
    assert first == second != third
    script = "from dalembert.core.digest import digest; print(digest({'b': 1.0, 'a': (2, 'x')}, [None, True]))"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == digest({"a": (2, "x"), "b": 1.0}, [None, True])


def test_an_experiment_prints_the_first_of_many_values() -> None:
    """A start of all coordinates of a large machine is a line, not a page."""
    assert "q = {'theta': 0.3}" in str(SWING) and "parameters   {'m': 2.0}" in str(SWING)
    text = str(da.Experiment(PENDULUM, start=da.Start(q={f"link_{i}": 0.25 for i in range(30)})))
    assert "of 30 values" in text and "link_29" not in text and max(map(len, text.splitlines())) < 200
    assert "of 40 values" in str(da.Experiment(PENDULUM, start=da.Start(q=[0.5] * 40)))


def test_events_are_texts_too() -> None:
    """A text is located where the function is."""
    text = da.simulate(SWING, limits="ignore", duration=3.0, events=da.Event("low", "sin(theta) - 0.1 * m"))
    code = da.simulate(SWING, limits="ignore", duration=3.0, events=da.Event("low", lambda t, q, v: np.sin(q[0]) - 0.2))
    assert len(text.events) > 1 and [e.t for e in text.events] == pytest.approx([e.t for e in code.events], abs=1e-12)
    with pytest.raises(UnknownNameError, match="no quantity named 'thet' in event 'low'"):
        da.simulate(SWING, events=da.Event("low", "thet - 0.1"))
    with pytest.raises(InputError, match="event 'low' never happens"):
        da.simulate(SWING, events=da.Event("low", "1 + 1"))


def test_rollouts_record_limits_as_single_runs_do() -> None:
    """By default, located alike; members that meet none have none, and stop at none."""
    starts = np.array([0.1, 0.3, 0.45])
    rows = da.rollout(SWING, vary={"q0.theta": starts, "v0.theta_dot": [0.0, 1.5, 1.0]}, duration=2.0)
    assert rows.ok.all()
    for i, (theta, rate) in enumerate(zip(starts, (0.0, 1.5, 1.0), strict=True)):
        single = da.simulate(SWING, q0={"theta": theta}, v0={"theta_dot": rate}, duration=2.0)
        assert [e.name for e in rows.events[i]] == [e.name for e in single.events]
        assert [e.t for e in rows.events[i]] == pytest.approx([e.t for e in single.events], abs=1e-9)
        assert [e.t for e in rows.member(i).events] == [e.t for e in rows.events[i]]
    assert not rows.events[0] and rows.events[1] and rows.events[2]
    ignored = da.rollout(SWING, vary={"v0.theta_dot": [1.5]}, duration=2.0, limits="ignore")
    assert not ignored.events[0]
    stopped = da.rollout(SWING, vary={"v0.theta_dot": [1.5]}, duration=2.0, limits="stop")
    assert stopped.status[0] == "stopped"


def test_values_by_name_are_put_over_vectors() -> None:
    """One coordinate that is named changes that one, however the others were given."""
    cart = PENDULUM.with_(
        bodies=[*PENDULUM.bodies, da.point_mass("cart", 1.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0)),
            da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
    )
    whole = da.Experiment(cart, start=da.Start(q=[0.5, 0.3], v=[1.0, -1.0]), duration=0.1, p=[2.0])
    one = whole.replace(q0={"theta": 0.1}, v0={"x_dot": 2.0})
    assert one.start.q == {"x": 0.5, "theta": 0.1} and one.start.v == {"x_dot": 2.0, "theta_dot": -1.0}
    assert one.p == (2.0,) and whole.replace(p={"m": 3.0}).p == {"m": 3.0}
    rows = da.rollout(whole, vary={"q0.theta": [0.1, 0.2], "m": [2.0, 4.0]})
    assert rows["x"][:, 0].tolist() == [0.5, 0.5] and rows["theta"][:, 0].tolist() == [0.1, 0.2]
    table = da.campaign(whole, vary={"q0.theta": [0.1]}, n=1, measure={"x": da.Measure("x", "min")}, workers=1).table
    assert table["x"][0] == pytest.approx(0.5)


def test_steppers_keep_limits() -> None:
    """A stepper has no log: members go on where limits are recorded, and stop where they must."""
    fast = SWING.replace(v0={"theta_dot": 2.0})
    passing, stopping = (da.stepper(fast.replace(limits=word), period=0.5) for word in ("record", "stop"))
    for one in (passing, stopping):
        one.step([[0.0]])
    assert passing.ok[0] and passing.x[0, 0] > 0.5
    assert not stopping.ok[0]


@pytest.mark.parametrize(
    ("outlet", "changes", "words"),
    [
        (ROLLOUT, {"on_event": print}, "a rollout does not support on_event=print"),
        (STEPPER, {"switches": da.Switch(at=0.1, on="x")}, "a stepper does not support switches"),
        (STEPPER, {"method": "dopri5"}, "a stepper runs the methods euler, heun, rk4, midpoint, not 'dopri5'"),
        (ROLLOUT, {"method": da.Radau()}, "dopri5, midpoint, adaptive-midpoint, not 'radau'"),
        (FMU, {"method": "cvodes"}, "not 'cvodes'"),
    ],
)
def test_what_an_outlet_cannot_honour_it_refuses_by_name(outlet: Any, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        outlet.check(SWING.replace(**changes))


def test_nothing_but_a_single_run_goes_on_from_a_run() -> None:
    run = da.simulate(SWING)
    whole = da.simulate(SWING, duration=2.0)
    assert da.simulate(SWING, start=run).x[-1] == pytest.approx(whole.x[-1], abs=1e-12)
    going_on = SWING.replace(start=run)
    assert going_on.replace(step=1e-3, reach=0.2).start is run and going_on != SWING
    assert going_on.replace(q0={"theta": 0.3}) == SWING
    with pytest.raises(InputError, match="t0 = 5 contradicts the run to continue"):
        going_on.replace(t0=5.0)
    with pytest.raises(InputError, match="a rollout cannot continue a run"):
        da.rollout(SWING, start=run)
    with pytest.raises(InputError, match="give either start"):
        da.simulate(SWING, start=run, q0={"theta": 0.1})


def test_unknown_keywords_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'step'"):
        da.simulate(SWING, steps=1e-3)  # type: ignore[call-arg]
    with pytest.raises(InputError, match="an experiment has no 'stop_time'"):
        SWING.replace(stop_time=1.0)
    with pytest.raises(InputError, match="needs a duration"):
        da.simulate(PENDULUM)
    with pytest.raises(InputError, match="machine 'pendulum' has none; leave it out"):
        da.simulate(SWING, constraints="baumgarte")


# --- the public face --------------------------------------------------------------------------------------------------

MOST = 8
ROOMS = (
    "dalembert", "dalembert.analysis", "dalembert.campaigns", "dalembert.compile", "dalembert.control",
    "dalembert.control.estimation", "dalembert.control.mu", "dalembert.control.structured",
    "dalembert.control.uncertain", "dalembert.control.varying", "dalembert.formulations", "dalembert.io",
    "dalembert.loop", "dalembert.plan",
    "dalembert.simulation", "dalembert.spatial", "dalembert.systems.space_robots", "dalembert.view",
)  # fmt: skip


def makes_machines(verb: Any) -> bool:
    """Whether a function makes machines or parts of them: their numbers are as many as they are."""
    answer = str(inspect.signature(verb).return_annotation)
    return any(word in answer for word in ("Machine", "Joint", "Body", "Beam", "LumpedCable"))


@pytest.mark.parametrize("room", ROOMS)
def test_no_public_verb_has_more_than_eight_parameters_of_its_own(room: str) -> None:
    module = importlib.import_module(room)
    long = {}
    for name in module.__all__:
        verb = getattr(module, name)
        if inspect.isfunction(verb) and not makes_machines(verb):
            own = getattr(verb, "__own_parameters__", tuple(inspect.signature(verb).parameters))
            if len(own) > MOST:
                long[name] = len(own)
    assert not long


def test_methods_say_where_they_run() -> None:
    """The table that outlets ask: what is explicit runs nearly everywhere, the others where their loop is."""
    places = {name: kind.outlets() for name, kind in METHODS.items()}
    assert places["rk4"] == {"simulate", "derivatives", "rollout", "cuda", "stepper", "program"}
    assert places["dop853"] == {"simulate", "derivatives", "program"}
    assert places["radau"] == places["cvodes"] == {"simulate"}
    assert places["midpoint"] == {"simulate", "rollout", "cuda", "stepper", "program"}
    assert places["adaptive-midpoint"] == {"simulate", "rollout", "program"}
    assert "stepper" not in places["dopri5"] and "rollout" in places["dopri5"]


def test_keywords_are_those_of_the_type() -> None:
    assert set(ExperimentKeywords.__annotations__) <= set(inspect.signature(da.simulate).parameters)
    assert len(da.simulate.__own_parameters__) <= MOST  # type: ignore[attr-defined]
    assert len(campaigns.vector_environment.__own_parameters__) <= MOST  # type: ignore[attr-defined]
