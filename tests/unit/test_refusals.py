"""What must not be accepted in silence: names that shadow, maps that are none, laws of unknown symbols, dead cables."""

from __future__ import annotations

import math
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.control.lqr import design_lqr
from dalembert.core.errors import InputError, MachineError, UnknownNameError

G = 9.81


def slider(**more: Any) -> da.Machine:
    """A mass that moves along z."""
    return da.Machine(
        "slider",
        bodies=[da.point_mass("load", 2.0)],
        joints=[da.Joint("z", "prismatic", "world", "load", axis=(0, 0, 1))],
        **more,
    )


def pendulum(**more: Any) -> da.Machine:
    return da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
        joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
        motors=[da.Motor("drive", "theta")],
        **more,
    )


# --- names ------------------------------------------------------------------------------------------------------------


def boom() -> da.Beam:
    section = da.Section(1e-3, I_y=1e-8, I_z=1e-8)
    return da.Beam("boom", 2.0, section, E=7e10, density=2700.0, modes={"y": 1}, stations={"camera": 1.0})


@pytest.mark.parametrize("name", ["boom.tip", "boom.camera"])
def test_nothing_may_take_the_name_of_a_section(name: str) -> None:
    joint = da.Joint("hinge", "revolute", "world", "boom")
    with pytest.raises(MachineError, match=f"'{name}' is a section of beam 'boom'"):
        da.Machine("arm", bodies=[boom()], joints=[joint], frames=[da.Frame(name, "boom")])
    with pytest.raises(MachineError, match=f"'{name}' is a section of beam 'boom'"):
        other = da.Joint("other", "revolute", "boom", name)
        da.Machine("arm", bodies=[boom(), da.box(name, 1.0, (1, 1, 1))], joints=[joint, other])


# --- coordinate maps --------------------------------------------------------------------------------------------------


def test_maps_that_are_none() -> None:
    machine = pendulum()
    with pytest.raises(InputError, match=r"not inverse to each other: theta = .* becomes"):
        da.equations(machine, coordinates=da.CoordinateMap(["s"], lambda y, p: 2.0 * y, lambda q, p: 2.0 * q))
    with pytest.raises(InputError, match=r"\(s\).*is singular"):
        da.equations(machine, coordinates=da.CoordinateMap(["s"], lambda y, p: 0.0 * y))
    with pytest.raises(InputError, match=r"\(s\).*not inverse"):
        da.equations(machine, coordinates=da.CoordinateMap(["s"], lambda y, p: y, lambda q, p: 0.0 * q))
    with pytest.raises(InputError, match=r"\(s\).*fails: AttributeError"):
        da.equations(machine, coordinates=da.CoordinateMap(["s"], lambda y, p: y.wrong))
    with pytest.raises(InputError, match=r"\(s\).*unknown symbols: z"):
        da.equations(machine, coordinates=da.CoordinateMap(["s"], lambda y, p: y * ca.SX.sym("z")))
    with pytest.raises(InputError, match="must have at most the 1 coordinates"):
        da.equations(machine, coordinates=da.CoordinateMap(["s", "r"], lambda y, p: y[0]))


def test_maps_with_singular_points_and_branches_stay() -> None:
    """The height of a pendulum's bob is a coordinate where it does not stand still, on one side."""
    height = da.CoordinateMap(["s"], lambda y, p: ca.asin(y), lambda q, p: ca.sin(q))
    eom = da.equations(pendulum(), coordinates=height)
    q, v = eom.from_machine([0.5], [2.0])
    assert np.allclose([q, v], [[math.sin(0.5)], [2.0 * math.cos(0.5)]])
    with pytest.raises(InputError, match=r"does not map back to this state of machine 'pendulum': theta = \(2\)"):
        eom.from_machine([2.0], [0.0])


# --- laws, weights, references ----------------------------------------------------------------------------------------


class Law:
    def __init__(self, result: Any, names: Any = (), start: Any = ()) -> None:
        self.result, self.names, self.start = result, names, start

    def state_names(self, eom: Any) -> Any:
        return self.names

    def initial_state(self, eom: Any) -> Any:
        return np.asarray(self.start, dtype=float) if isinstance(self.start, tuple) else self.start

    def expression(self, eom: Any, t: Any, q: Any, v: Any, z: Any, p: Any) -> Any:
        return self.result(t, q, v, z)


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (Law(lambda t, q, v, z: -q), "law Law must return inputs and rates of its states, two results"),
        (
            Law(lambda t, q, v, z: (-q * ca.SX.sym("gain"), [])),
            "law Law or its reference contains unknown symbols",
        ),
        (Law(lambda t, q, v, z: (math.sin(t), [])), "law Law returns nan; it computes on CasADi symbols"),
        (Law(lambda t, q, v, z: (-q, [])), None),
        (Law(lambda t, q, v, z: (-q, q), ("e",), "zero"), "initial_state of the law Law must return 1 finite"),
        (Law(lambda t, q, v, z: (-q, q), "e"), "state_names of the law Law must return names"),
    ],
)
def test_own_laws(law: Law, message: str | None) -> None:
    if message is None:
        assert da.simulate(pendulum(), duration=0.01, control=law, backend="vm").status == "completed"
        return
    with pytest.raises(InputError, match=message):
        da.simulate(pendulum(), duration=0.01, control=law, backend="vm")


def test_weights_of_a_regulator() -> None:
    for Q, message in (
        (math.nan, "Q must be finite"),
        ([[1.0, 0.5], [0.0, 1.0]], "Q must be symmetric"),
        ("big", "Q must be numbers"),
        ({"theta": "big"}, "Q must be numbers"),
    ):
        with pytest.raises(InputError, match=message):
            design_lqr(pendulum(), Q=Q)  # type: ignore[arg-type]


def test_things_of_the_wrong_kind(tmp_path: Path) -> None:
    run = da.simulate(pendulum(), duration=0.01, backend="vm")
    with pytest.raises(InputError, match="a continuation must be a Run, got 'x'"):
        run.append("x")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="no frame named None"):
        da.equations(pendulum(), backend="vm").pose(None, [0.0])  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"the expression t has no value yet.*not of math"):
        math.sin(da.TIME)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="delay of a Quintic must be a finite number >= 0, got -1"):
        da.Quintic(0.0, 1.0, 1.0, delay=-1)
    text = slider().to_yaml() + "constraints: {rod: {type: distance, length: 1.0}}\n"
    with pytest.raises(da.FileFormatError, match=r":\d+: .*'rod'.*type 'distance' needs 'frame'"):
        da.load_machine(text)


# --- cables -----------------------------------------------------------------------------------------------------------


def test_a_damped_cable_goes_slack_when_it_pulls_no_more() -> None:
    """Up and down on an elastic cable: the tension of the closed form ends before the stretch does."""
    EA, d, l, m = 400.0, 16.0, 1.0, 2.0
    machine = slider(cables=[da.Cable("rope", "load", length=l, stiffness=EA, damping=d)])
    speed = -3.0  # downwards at the end of the slack rope
    run = da.simulate(
        machine, duration=1.0, q0={"z": -l}, v0={"z_dot": speed}, method="dopri5", rtol=1e-10, atol=1e-12, backend="vm"
    )
    # x'' = g - (EA x + d x') / (m l) for the stretch x
    rate, omega = d / (2 * m * l), math.sqrt(EA / (m * l) - (d / (2 * m * l)) ** 2)
    rest = m * G * l / EA
    a, b = -rest, (-speed - rate * rest) / omega
    t = np.linspace(1e-3, 1.0, 200001)
    decay, c, s = np.exp(-rate * t), np.cos(omega * t), np.sin(omega * t)
    x = rest + decay * (a * c + b * s)
    xdot = decay * ((-rate * a + omega * b) * c + (-rate * b - omega * a) * s)
    pull = EA * x + d * xdot
    k = int(np.argmax(pull < 0))
    assert k > 0
    slack = [e for e in run.events if e.name == "rope.slack"]
    assert abs(slack[0].t - t[k]) < 1e-5  # half of the grid, and the tolerance
    assert x[k] > 1e-3  # long before the stretch is gone
    after = (run.t > slack[0].t + 1e-9) & (run.t < slack[0].t + 0.01)
    assert np.abs(run["tension.rope"][after]).max(initial=0.0) == 0.0


@pytest.mark.parametrize("stiffness", [400.0, None])
def test_an_anchor_may_pass_its_exit(stiffness: float | None) -> None:
    """A slack cable does nothing, wherever its anchor is: free fall."""
    machine = slider(cables=[da.Cable("rope", "load", length=1.0, stiffness=stiffness)])
    run = da.simulate(machine, duration=0.1, q0={"z": 0.0}, backend="vm")
    assert run.status == "completed"
    assert abs(run["z"][-1] + G * 0.1**2 / 2) < 1e-12


# --- interruption -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_interruption_while_compiling(tmp_path: Path) -> None:
    """Ctrl-C does not wait for the compiler, and leaves neither it nor its folder behind."""
    compiler = tmp_path / "cc"
    compiler.write_text(
        f'#!/bin/sh\ncase "$*" in *unit0.c*) echo $$ > {tmp_path}/pid; exec sleep 300;; esac\nexec cc "$@"\n'
    )
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    script = (
        "import casadi as ca\nfrom dalembert.compile import compile_function\nx = ca.SX.sym('x')\n"
        "compile_function(ca.Function('f', [x], [ca.cos(x)], ['x'], ['y']), backend='native')\n"
    )
    environment = os.environ | {
        "PYTHONPATH": str(Path(da.__file__).parents[1]),
        "DALEMBERT_CC": str(compiler),
        "DALEMBERT_CACHE": str(tmp_path / "cache"),
    }
    process = subprocess.Popen([sys.executable, "-c", script], env=environment, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, log = process.communicate()  # would last as long as the compiler
    assert log.rstrip().endswith("KeyboardInterrupt")
    assert list((tmp_path / "cache" / "kernels" / "build").iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
