"""Runs that somebody looks on: the parts are the run, and looking changes nothing."""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import integrate
from dalembert.systems import SYSTEMS
from dalembert.view.page.arrays import unpack_array
from dalembert.view.scene import bake_run
from dalembert.view.scene_builder import build_scene
from dalembert.view.studio.growing import Growing
from support.problems import ball, sampled_integrator

ARRAYS = ("t", "x", "y", "held")


@pytest.fixture(autouse=True)
def every_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts after some steps in place of a tenth of a second, so that a short run has many."""
    module = importlib.import_module("dalembert.simulation.integrate")
    check = module.check_setup
    monkeypatch.setattr(module, "check_setup", lambda *a, **k: replace(check(*a, **k), patience=2e-5))
    monkeypatch.setattr("dalembert.simulation.recording._INTERVAL", 0.0)


class Law:
    """A controller in Python that tells its calls apart."""

    period = 0.05

    def __call__(self, t: float, x: np.ndarray) -> list[float]:
        return [np.sin(40.0 * t) - 0.1 * x[0]]


@cache
def derived(name: str, backend: Any) -> da.EquationsOfMotion:
    settings = SYSTEMS[name].settings()
    return da.equations(SYSTEMS[name].make(), by=settings.get("by", "newton-euler"), backend=backend)


def of_machine(name: str, *, backend: str = "auto", **given: Any) -> Any:
    def simulated(**more: Any) -> da.Run:
        settings = {**SYSTEMS[name].settings(), **given, **more}
        return da.simulate(derived(name, backend), **{k: x for k, x in settings.items() if k not in ("by", "backend")})

    return simulated


def of_problem(problem: Any, x0: list[float], **given: Any) -> Any:
    return lambda **more: integrate(problem, x0, **given, **more)


def with_law(x0: float = 0.0, **given: Any) -> Any:
    return of_problem(sampled_integrator(), [x0], duration=2.0, controller=Law(), **given)


CASES = {
    "fixed steps": of_machine("double-pendulum", duration=3.0, method="rk4"),
    "adaptive steps": of_machine("double-pendulum", duration=20.0),
    "recorded": of_machine("double-pendulum", duration=1.0, method="rk4", record=0.0123),
    "virtual machine": of_machine("double-pendulum", duration=0.3, method="rk4", backend="vm"),
    "constraints": of_machine("delta-robot", duration=0.2),
    "bounces": of_machine("bouncing-ball", duration=2.0, max_step=1e-3),
    "many transitions at an instant": of_machine("newtons-cradle", max_step=1e-3),
    "time-stepping": of_machine("quadruped", duration=0.5),
    "law in C": of_machine("six-axis-arm", duration=0.2),
    "law in Python": with_law(step=0.004),
    "law in Python, adaptive": with_law(method="dopri5"),
    "law and loop in Python": with_law(step=0.004, backend="vm"),
    "law in Python, SUNDIALS": with_law(method="cvodes"),
    "transitions in Python": of_problem(
        ball(), [1.0, 0.0], duration=2.0, step=0.001, on_event=lambda t, x, names: [x[0], -0.9 * x[1]]
    ),
}


@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=[pytest.mark.slow] * (c in ("constraints", "time-stepping"))) for c in CASES]
)
def test_parts_are_the_run_and_looking_changes_nothing(case: str) -> None:
    parts: list[da.Run] = []
    run, alone = CASES[case](watch=parts.append), CASES[case]()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(run, name), getattr(alone, name), err_msg=name)
    assert [(e.name, e.t) for e in run.events] == [(e.name, e.t) for e in alone.events]
    assert len(parts) > 1 and {part.status for part in parts} == {"running"}
    done = sum(len(part.t) for part in parts)
    for name in ARRAYS:
        joined = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(joined, getattr(run, name)[:done], err_msg=name)
    assert all(part.t[-1] < part.final.t for part in parts)
    told = [(event.name, event.t) for part in parts for event in part.events]
    assert told == [(event.name, event.t) for event in run.events][: len(told)]
    counts = [len(part.metadata.get("transitions", ())) for part in parts]  # a part knows those up to it
    assert counts == sorted(counts) and (counts[0] < counts[-1] or counts[-1] == 0)
    last = parts[-1]
    assert last.names == run.names and set(last.metadata) == set(run.metadata) and last.machine is run.machine


def test_a_run_that_records_much_can_be_seen_and_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows fill the memory of the loop long before it would look up by itself."""
    module = importlib.import_module("dalembert.simulation.integrate")
    check = module.check_setup
    monkeypatch.setattr(module, "check_setup", lambda *a, **k: replace(check(*a, **k), patience=0.05))
    monkeypatch.setattr("dalembert.engine.loop.native._ROWS_BYTES", 1)
    parts: list[da.Run] = []
    run = of_machine("double-pendulum", duration=2000.0, method="rk4")(
        watch=parts.append, progress=lambda fraction: len(parts) < 3
    )
    assert run.status == "interrupted" and len(parts) >= 3 and len(run.t) > 64


def test_who_looks_on_may_fail_and_the_part_is_kept() -> None:
    def clumsy(part: da.Run) -> None:
        raise ZeroDivisionError("oh")

    with pytest.raises(da.SimulationError, match=r"watch function failed at t = .*ZeroDivisionError: oh") as error:
        CASES["fixed steps"](watch=clumsy)
    assert len(error.value.run.t) > 1
    with pytest.raises(da.InputError, match="watch must be a function of a run, got int"):
        CASES["fixed steps"](watch=3)


# -- as a page sees it ----------------------------------------------------------------


def seen(case: str, duration: float) -> tuple[da.Run, list[dict[str, Any]]]:
    """A run, and what a page got of it that asked after each of its parts."""
    growing, answers = Growing(0.0, duration), list[dict[str, Any]]()

    def look(part: da.Run) -> None:
        have = sum(len(unpack_array(x["signals"]["t"])) for x in answers if x["signals"])
        growing.add(part)
        answers.append(growing.pack(have))

    run = CASES[case](watch=look)
    return run, answers


@pytest.mark.parametrize(("case", "duration"), [("adaptive steps", 20.0), ("time-stepping", 0.5), ("constraints", 0.2)])
def test_a_page_gets_every_row_once_and_where_the_machine_is(case: str, duration: float) -> None:
    run, answers = seen(case, duration)
    assert len(answers) > 3
    packed = [answer["signals"] for answer in answers if answer["signals"]]
    t = np.concatenate([unpack_array(signals["t"]) for signals in packed])
    assert np.all(np.diff(t) > 0) and len(t) <= 1000
    rows = np.searchsorted(run.t.astype(np.float32), t)
    for name in ("q_1", "theta1", "base.x", "energy.kinetic"):
        if name in run:
            values = [unpack_array(signals["values"])[signals["names"].index(name)] for signals in packed]
            np.testing.assert_array_equal(np.concatenate(values), run[name][rows].astype(np.float32))
    films = [answer["film"] for answer in answers if answer["film"]]
    assert "scene" in films[0] and not all("scene" in film for film in films)
    last = max(k for k, film in enumerate(films) if "scene" in film)  # laid out for the last time: what follows fits
    times = np.concatenate([unpack_array(film["t"]) for film in films[last:]])
    frames = np.searchsorted(run.t.astype(np.float32), times)
    still = replace(run, **{name: getattr(run, name)[frames] for name in ARRAYS})
    baked = bake_run(build_scene(run.machine, run.metadata.get("parameters")), still)
    points = np.concatenate([unpack_array(film["points"]) for film in films[last:]], axis=1)
    expected = baked.points.reshape(len(frames), -1).T
    np.testing.assert_allclose(points[: len(expected)], expected, atol=1e-5)
    poses = np.concatenate([unpack_array(film["poses"]) for film in films[last:]], axis=1).reshape(-1, 7, len(frames))
    np.testing.assert_allclose(poses[:, :3].transpose(2, 0, 1), baked.poses[..., 3], atol=1e-5)


def test_a_machine_that_leaves_its_place_is_laid_out_anew() -> None:
    """A pendulum that starts on top falls through the floor of its start."""
    growing, places = Growing(0.0, 3.0), list[float]()

    def look(part: da.Run) -> None:
        have = len(growing)
        growing.add(part)
        film = growing.pack(have)["film"]
        if film and "scene" in film:
            places.append(film["scene"]["floor"]["level"])

    of_machine("double-pendulum", duration=3.0, q0={"q_1": 3.0, "q_2": 0.1})(watch=look)
    assert len(places) > 1 and places[-1] < places[0] - 0.5 and places == sorted(places, reverse=True)


def test_a_long_run_is_thinned_and_keeps_its_events() -> None:
    run = of_machine("bouncing-ball", duration=2.0)()
    growing = Growing(0.0, 2.0)
    many = np.sort(np.concatenate([np.linspace(0.0, 1.999, 20_000), run.t[:-1]]))
    columns = {name: np.array([np.interp(many, run.t, c) for c in getattr(run, name).T]).T for name in ("x", "y")}
    fine = replace(run, t=many, **columns, held=np.zeros((len(many), 0)), status="running", held_names=())
    for piece in np.array_split(np.arange(len(many)), 37):
        chosen = {name: getattr(fine, name)[piece] for name in ARRAYS}
        events = tuple(e for e in run.events if many[piece[0]] <= e.t < many[min(piece[-1] + 1, len(many) - 1)])
        growing.add(replace(fine, **chosen, events=events))
    answer = growing.pack(0)
    t = unpack_array(answer["signals"]["t"])
    assert 990 <= len(t) <= 1000 and np.ptp(np.diff(t)) < 2 * 2.0 / 1000
    assert [e["name"] for e in answer["signals"]["events"]] == [e.name for e in run.events]
    assert growing.pack(len(t))["signals"] is None and answer["span"] == [0.0, 2.0]
