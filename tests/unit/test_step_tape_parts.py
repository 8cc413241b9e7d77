"""Steps of time-stepping as one tape, for derivatives: machines with few and with many contacts, cables and joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support.all_rows import machine_of_all_rows

import dalembert as da
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.loop.closed_loop import close_loop
from dalembert.loop.stepping import tapes
from dalembert.simulation.stepped_tape import step_tape


def _feet() -> da.Machine:
    """A body in a vertical plane on two feet, on a joint that rubs."""
    bodies = [da.Body("one"), da.Body("two"), da.box("b", 2.0, (0.3, 0.1, 0.2), com=(0.05, 0.0, 0.02))]
    joints = [
        da.Joint("x", "prismatic", "world", "one", axis="x", damping=0.2),
        da.Joint("z", "prismatic", "one", "two", axis="z"),
        da.Joint("turn", "revolute", "two", "b", axis="y", friction=da.Friction(0.3, static=0.5), stiffness=3.0),
    ]
    feet = [da.Contact(f"foot{k}", "b", None, (x, 0.0, -0.1), friction=0.4) for k, x in enumerate((-0.1, 0.2))]
    return da.Machine("feet", bodies, joints, contacts=feet)


@pytest.mark.parametrize("make", [_feet, machine_of_all_rows])
def test_steps_of_many_blocks_are_those_of_few(make: Callable[[], da.Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are evaluated one by one, against the tape of all: contacts, cables, ropes and joints that rub."""
    found = []
    for name, together in (("few", 32), ("many", 0)):
        monkeypatch.setattr(tapes, "_TOGETHER", together)
        eom = da.equations(make().with_(name=name), backend="vm")
        problem = close_loop(eom, None, contact=TimeStepping(theta=0.7)).problem
        tape = step_tape(problem, lambda t, x, c, p: x[0] ** 2 + t, "vm")
        system, rng = problem.stepping, np.random.default_rng(1)
        assert system is not None and (system.pairs is None) == (name == "few")
        given: dict[str, Any] = {
            "x": np.append(eom.random_configuration(rng, 0.3), 0.3 * rng.normal(size=problem.n_states - eom.nq)),
            "h": [0.02],
        }
        sizes = {key: place.stop - place.start for key, place in tape.inputs.items()}
        inputs = np.concatenate([given.get(key, rng.normal(size=size)) for key, size in sizes.items()])
        flags, p = rng.uniform(size=4 * len(system.names)), np.array(eom.machine.p_nominal)
        along = [np.zeros(1), np.zeros((1, len(inputs))), np.zeros((1, 0)), np.zeros((1, len(p)))]
        values, _ = tape.kernel(0.3, inputs, np.zeros(0), p, flags, along=along)
        found.append({key: values[place] for key, place in tape.outputs.items()})
    few, many = found
    for key, values in few.items():
        np.testing.assert_allclose(many[key], values, atol=1e-12, err_msg=key)
    assert np.isfinite(few["after"]).all()


class _Integrates:
    """A law whose state grows with the first coordinate and the square of the first velocity."""

    def state_names(self, eom: Any) -> tuple[str, ...]:
        return ("sum",)

    def initial_state(self, eom: Any) -> Any:
        return np.zeros(1)

    def expression(self, eom: Any, t: Any, q: Any, v: Any, z: Any, p: Any) -> tuple[Any, Any]:
        return -2.0 * z, q[0] + v[0] ** 2


def test_states_of_laws_grow_by_their_rate_in_the_middle() -> None:
    """At the configuration there, with the mean of the velocities at both ends."""
    machine = _feet()
    eom = da.equations(machine.with_(motors=(da.Motor("F", "x"),)), backend="vm")
    theta, h, rng = 0.7, 0.02, np.random.default_rng(3)
    problem = close_loop(eom, _Integrates(), contact=TimeStepping(theta=theta)).problem
    tape, system = step_tape(problem, None, "vm"), problem.stepping
    assert system is not None and system.nz == 1
    sizes = {key: place.stop - place.start for key, place in tape.inputs.items()}
    parts = {key: 0.1 * rng.normal(size=size) for key, size in sizes.items()} | {"h": np.array([h])}
    inputs = np.concatenate(list(parts.values()))
    flags, p = np.zeros(4 * len(system.names)), np.array(eom.machine.p_nominal)
    along = [np.zeros(1), np.zeros((1, len(inputs))), np.zeros((1, 0)), np.zeros((1, len(p)))]
    values, _ = tape.kernel(0.3, inputs, np.zeros(0), p, flags, along=along)
    x, after = parts["x"], values[tape.outputs["after"]]
    nq, nv = eom.nq, eom.nv
    middle, mean = x[0] + (1.0 - theta) * h * x[nq], (x[nq] + after[nq]) / 2.0
    assert after[nq + nv] - x[nq + nv] == pytest.approx(h * (middle + mean**2), rel=1e-9)
    assert abs(after[nq] - x[nq]) > 1e-4
