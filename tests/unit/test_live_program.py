"""The C of pages that simulate, built for this processor: its runs are those of `simulate`, row by row.

The same text as WebAssembly is run in a browser in ``tests/browser/test_live.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.hybrid_machines import HYBRID
from tests.support.live_programs import REACHED, LiveProgram

import dalembert as da
from dalembert.compile import find_toolchain
from dalembert.core.errors import BuildError, InputError
from dalembert.core.types import Array
from dalembert.io.wasm import module
from dalembert.loop.experiment import experiment_of
from dalembert.loop.simulate import run_experiment
from dalembert.view.page import live
from dalembert.view.page.live import live_experiment, share_page

needs_compiler = pytest.mark.skipif(find_toolchain() is None, reason="there is no C compiler here")

PENDULUM = da.Machine(
    "pendulum",
    bodies=[da.point_mass("bob", da.Parameter("m", 2.0), com=(0.0, 0.0, -0.7))],
    joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0), damping=0.1)],
    motors=[da.Motor("motor", "theta")],
)
SWING = da.Experiment(PENDULUM, start=da.Start(q={"theta": 0.4}), duration=1.0)
HELD = SWING.replace(control=da.PD(kp=20.0, kd=[3.0], reference=[0.2]))
CHEAP = ("sampled-cable", "ball", "stepped")


class Clocked:
    """A controller in Python."""

    period = 0.1

    def __call__(self, t: float, q: Array, v: Array) -> list[float]:
        return [0.0]


def hybrid(name: str) -> da.Experiment:
    made = HYBRID[name]
    return experiment_of(made.make(), {**made.settings, "duration": made.duration})  # type: ignore[typeddict-item]


@needs_compiler
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in CHEAP else pytest.mark.slow) for name in HYBRID]
)
def test_rows_signals_and_events_are_those_of_a_run(name: str, tmp_path: Path) -> None:
    experiment = live_experiment(hybrid(name))
    there = LiveProgram(experiment, tmp_path).run(experiment.duration or 0.0)
    here = run_experiment(experiment, each_transition=True)
    assert there["outcome"] == REACHED
    np.testing.assert_allclose(there["t"], here.t, rtol=0.0, atol=1e-9)
    moves = here.array(experiment.equations.q_names)
    np.testing.assert_allclose(there["x"][:, : moves.shape[1]], moves, rtol=0.0, atol=1e-8 * (1 + np.abs(moves).max()))
    energy = there["y"][:, list(here.signal_names).index("energy.kinetic")]
    np.testing.assert_allclose(energy, here["energy.kinetic"], rtol=0.0, atol=1e-7 * (1 + energy.max()))
    assert [name for name, _ in there["events"]] == [event.name for event in here.events]
    assert len(there["events"]) >= HYBRID[name].events


@needs_compiler
def test_parameters_gains_and_start_of_sliders(tmp_path: Path) -> None:
    """What is set in the page is what `simulate` is told; gains of the law are parameters there."""
    experiment = live_experiment(HELD)
    assert [p.name for p in experiment.machine.parameters] == ["m", "kp", "kd_motor"]
    program = LiveProgram(experiment, tmp_path)
    asked = {"m": 1.3, "kp": 35.0, "kd_motor": 1.1}
    x = program.program.x0.copy()
    x[0] = -0.9
    there = program.run(1.0, x, np.array(list(asked.values())))
    law = da.PD(kp=35.0, kd=[1.1], reference=[0.2])
    here = da.simulate(HELD.replace(p={"m": 1.3}, q0={"theta": -0.9}, control=law))
    np.testing.assert_allclose(there["x"][-1, :2], here.x[-1, :2], rtol=1e-12, atol=1e-13)
    assert abs(there["x"][-1, 0] - da.simulate(HELD)["theta"][-1]) > 1e-3
    again = program.run(1.0)  # and back
    np.testing.assert_allclose(again["x"][-1, :2], da.simulate(HELD).x[-1, :2], rtol=1e-12, atol=1e-13)


@needs_compiler
def test_a_start_off_its_constraints_is_moved_onto_them(tmp_path: Path) -> None:
    experiment = live_experiment(hybrid("four-bar"))
    program = LiveProgram(experiment, tmp_path)
    x = program.program.x0.copy()
    x[0] += 0.05
    rows = program.run(0.2, x)
    eom = experiment.equations
    assert np.abs(eom.constraints(x[: eom.nq])).max() > 1e-2
    assert np.abs(eom.constraints(rows["x"][0, : eom.nq])).max() < 1e-9
    assert np.abs(rows["x"][0, : eom.nq] - x[: eom.nq]).max() < 0.2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "cvodes"}, "a page that simulates runs the methods .*, not 'cvodes'"),
        ({"on_event": lambda t, x, names: None}, "a page that simulates does not support on_event="),
        ({"control": Clocked()}, "a page that simulates cannot call Python, but 'Clocked' is a Python controller"),
    ],
)
def test_what_cannot_go_along_is_refused_by_name(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        share_page(SWING.replace(**settings))


def test_without_zig_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_zig", lambda: None)
    with pytest.raises(BuildError, match=r"ziglang wheel.*pip install 'dalembert\[compiler\]'"):
        share_page(SWING)


def test_a_machine_that_is_too_large_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 1e4)
    with pytest.raises(InputError, match=r"machine 'pendulum' is too large .* are 0\.\d MB of C"):
        share_page(SWING)
    monkeypatch.setattr(module, "LARGEST", 1e9)
    monkeypatch.setattr(live, "build_module", lambda program: np.random.default_rng(0).bytes(1_200_000))
    with pytest.raises(InputError, match=r"the page would be \d\.\d\d MB, expected at most 1\.5 MB"):
        share_page(SWING)
