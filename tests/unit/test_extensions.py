"""What docs/extending.md says is enough: a law, an integrator and a command, each in one file of its own.

A kind of constraint is in ``test_constraint_kinds.py``, a formulation in ``test_new_formulation.py``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import casadi as ca
import numpy as np
import pytest
import typer

import dalembert as da
from dalembert.campaigns import sensitivities
from dalembert.cli import app as command_line
from dalembert.cli.commands import command
from dalembert.control import register_law
from dalembert.control.law_blocks import LAWS
from dalembert.core.errors import InputError
from dalembert.simulation import METHODS, TABLEAUS, FixedStepMethod, Tableau, explicit_tableau, register_method

fmpy = pytest.importorskip("fmpy")

CART = da.Machine(
    "cart",
    bodies=[da.box("cart", 2.0, (0.4, 0.3, 0.2)), da.point_mass("bob", 1.0, com=(0, 0, -0.8))],
    joints=[
        da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0)),
        da.Joint("swing", "revolute", "cart", "bob", axis=(0, 1, 0)),
    ],
    motors=[da.Motor("drive", "x", effort=40.0)],
)


# --- an integrator: a tableau, and a class with its name --------------------------------------------------------------


@dataclass(frozen=True)
class Ralston(FixedStepMethod):
    """Ralston's method, order 2."""

    name: ClassVar[str] = "ralston"
    title: ClassVar[str] = "Ralston"
    tableau: ClassVar[Tableau | None] = explicit_tableau(2, "2/3", "1/4 3/4")


@dataclass(frozen=True)
class Kutta3(FixedStepMethod):
    """Kutta's method of order 3, whose last stage uses two others: the loops of rollouts do not have it."""

    name: ClassVar[str] = "kutta3"
    title: ClassVar[str] = "Kutta 3"
    tableau: ClassVar[Tableau | None] = explicit_tableau(3, "1/2\n-1 2", "1/6 2/3 1/6")


@pytest.fixture
def methods() -> Iterator[None]:
    for kind in (Ralston, Kutta3):
        register_method(kind)
    yield
    for kind in (Ralston, Kutta3):
        del METHODS[kind.name], TABLEAUS[kind.name]


@pytest.mark.parametrize(("kind", "order"), [(Ralston, 2), (Kutta3, 3)])
def test_a_new_integrator_has_its_order(methods: None, kind: type[FixedStepMethod], order: int) -> None:
    swing = da.Experiment(CART, start=da.Start(q={"swing": 0.7}), duration=1.0, record=1.0)
    exact = da.simulate(swing, method=da.DormandPrince8(rtol=1e-13, atol=1e-14)).x[-1, :4]
    coarse, fine = (np.abs(da.simulate(swing, method=kind(step=h)).x[-1, :4] - exact).max() for h in (0.02, 0.01))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.25)


def test_a_new_integrator_runs_in_every_outlet_or_is_refused_by_name(methods: None, tmp_path: Path) -> None:
    swing = da.Experiment(CART, start=da.Start(q={"swing": 0.7}), duration=0.5, record=0.1, method=Ralston(step=1e-2))
    assert da.simulate(swing, method="ralston", step=1e-2).experiment == swing
    run = da.simulate(swing)
    rows = da.rollout(swing, vary={"q0.swing": [0.7, 0.2]})
    np.testing.assert_allclose(rows.x[0, -1], run.x[-1], rtol=1e-12, atol=1e-13)
    stepper = da.stepper(swing, period=0.5)
    np.testing.assert_allclose(stepper.step([0.0])[0], run.array([*CART.q_names, *CART.v_names])[-1], rtol=1e-12)
    slopes = sensitivities(swing, of=["swing"], wrt=["q0.swing"])
    shifted = da.simulate(swing, q0={"swing": 0.7 + 1e-6})
    assert slopes["swing"][-1, 0] == pytest.approx((shifted["swing"][-1] - run["swing"][-1]) / 1e-6, rel=1e-5)
    unit = da.export_fmu(swing, tmp_path / "cart.fmu")
    there = fmpy.simulate_fmu(str(unit), stop_time=0.5, output_interval=0.1, output=["swing"], fmi_type="CoSimulation")
    np.testing.assert_allclose(there["swing"], run["swing"], rtol=0.0, atol=1e-12)
    assert da.load_experiment(swing.to_yaml()) == swing
    with pytest.raises(InputError, match="bs32, dopri5, midpoint, adaptive-midpoint, ralston, not"):
        da.rollout(swing, method=Kutta3())
    with pytest.raises(InputError, match="method 'rk4' exists already"):
        register_method(type("Other", (FixedStepMethod,), {"name": "rk4", "title": "other"}))


# --- a law: a frozen dataclass with an expression ---------------------------------------------------------------------


@dataclass(frozen=True)
class Swat:
    """Push against the swing by ``-gain tanh(rate / knee)``: bounded, and smooth."""

    gain: float = 10.0
    knee: float = 0.1

    def state_names(self, eom: da.EquationsOfMotion) -> tuple[str, ...]:
        """None."""
        return ()

    def initial_state(self, eom: da.EquationsOfMotion) -> Any:
        """None."""
        return np.zeros(0)

    def expression(self, eom: da.EquationsOfMotion, t: Any, q: Any, v: Any, z: Any, p: Any) -> tuple[Any, Any]:
        """Force on the cart."""
        return -self.gain * ca.tanh(v[eom.v_names.index("swing_dot")] / self.knee), ca.SX(0, 1)


@pytest.fixture
def laws() -> Iterator[None]:
    register_law("swat", Swat)
    yield
    del LAWS["swat"]


def test_a_new_law_runs_and_goes_to_files(laws: None, tmp_path: Path) -> None:
    swing = da.Experiment(CART, start=da.Start(q={"swing": 0.7}), duration=2.0, record=0.1, control=Swat(gain=8.0))
    run = da.simulate(swing)
    free = da.simulate(swing, control=None, duration=2.0)
    assert np.ptp(run["swing"][-8:]) < 0.7 * np.ptp(free["swing"][-8:])
    assert np.abs(run["u.drive"]).max() <= 8.0
    again = da.load_experiment(swing.save(tmp_path / "cart.yaml"))
    assert again == swing and again.control == Swat(gain=8.0)
    np.testing.assert_allclose(da.rollout(swing).x[0, -1], run.x[-1], rtol=1e-11, atol=1e-12)
    unit = da.export_fmu(swing, tmp_path / "cart.fmu")
    there = fmpy.simulate_fmu(str(unit), stop_time=2.0, output_interval=0.1, output=["swing"], fmi_type="CoSimulation")
    np.testing.assert_allclose(there["swing"], run["swing"], rtol=0.0, atol=1e-11)
    with pytest.raises(InputError, match="there is a law 'pd' already"):
        register_law("pd", Swat)
    with pytest.raises(InputError, match="lacks state_names, initial_state, expression"):
        register_law("nothing", dict)


# --- a command: a module, and a line in the table ---------------------------------------------------------------------


def test_a_new_command_is_a_module_and_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "more_commands"
    package.mkdir()
    (package / "__init__.py").touch()
    source = '''
        """``dalembert final``: where a run ends."""

        from typing import Annotated

        import typer

        from dalembert import api
        from dalembert.cli.experiment_options import runs_experiment
        from dalembert.loop.experiment import Experiment


        @runs_experiment
        def final(
            experiment: Experiment,
            digits: Annotated[int, typer.Option(help="Digits behind the point.")] = 3,
        ) -> None:
            """Say where a run ends."""
            run = api.simulate(experiment)
            for name in experiment.machine.q_names:
                print(f"{name} = {run[name][-1]:.{digits}f}")
        '''
    (package / "final.py").write_text(textwrap.dedent(source), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    entries = {**command_line.app.info.cls.entries, "final": command("more_commands.final", "final crane.yaml")}
    monkeypatch.setattr(command_line.app.info.cls, "entries", entries)
    assert "final" in typer.main.get_command(command_line.app).commands
    path = da.Experiment(CART, start=da.Start(q={"swing": 0.7}), duration=1.0).save(tmp_path / "cart.yaml")
    assert command_line.run(["final", str(path), "--digits", "5", "--q0", "x=0.2", "--step", "0.002"]) == 0
    run = da.simulate(CART, duration=1.0, q0={"swing": 0.7, "x": 0.2}, step=2e-3)
    assert f"swing = {run['swing'][-1]:.5f}" in capsys.readouterr().out
    assert command_line.run(["--help"]) == 0
    assert "Say where a run ends" in capsys.readouterr().out
