"""verify finds agreement where there is, and names what is wrong where there is not."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.verify import VerifyReport, VerifyRow, verify
from dalembert.core.errors import InputError
from dalembert.formulations import registry
from dalembert.formulations.tree.newton_euler import NewtonEuler
from support.random_machines import random_machine


def chain() -> da.Machine:
    return random_machine(3, 3, kinds=("revolute", "prismatic"))


@pytest.mark.parametrize("seed", [0, 1, 5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4))])
def test_random_machines_agree(seed: int) -> None:
    machine = random_machine(seed, 4, max_nv=9, couplings=seed % 2, parameters=seed % 3 == 0)
    report = verify(machine, samples=5, tolerance=1e-10)
    assert report.ok, str(report)


def test_report_covers_every_pair_and_identity() -> None:
    report = verify(chain(), samples=2)
    pairs = {r.pair for r in report.rows if len(r.pair) == 2}
    assert pairs == set(combinations(registry.FORMULATIONS, 2))
    compared = {r.quantity for r in report.rows if len(r.pair) == 2}
    expected = {"mass matrix", "Coriolis force C v", "gravity", "bias", "acceleration", "kinetic energy"}
    assert expected <= compared
    assert "Jacobian of 'frame 0'" in compared
    assert {r.pair[0] for r in report.rows if r.quantity == "M' - 2 C skew"} == set(registry.FORMULATIONS)


class _Wrong(NewtonEuler):
    """Newton-Euler with one mistake."""

    name = "wrong"
    mistake = ""

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name != type(self).mistake:
            return value
        skew = ca.skew(ca.DM([1.0, 2.0, 3.0]))
        return {
            "mass_matrix": lambda: value() * (1 + 1e-7),
            "coriolis_matrix": lambda: value() + 1e-6 * ca.SX.eye(3),
            "gravity": lambda: -value(),
            "bias": lambda: value() + 1e-7 * self.variables.q,
            "forward_dynamics": lambda: value() + skew @ self.variables.v,
            "kinetic_energy": lambda: value() * 1.0001,
            "potential_energy": lambda: 1.0001 * value(),
            "jacobian": lambda frame: value(frame) * (1 + 1e-6),
        }[name]


@pytest.mark.parametrize(
    ("mistake", "quantities"),
    [
        ("mass_matrix", {"mass matrix", "M' - 2 C skew"}),
        pytest.param("coriolis_matrix", {"Coriolis force C v", "M' - 2 C skew"}, marks=pytest.mark.slow),
        pytest.param("gravity", {"gravity"}, marks=pytest.mark.slow),
        pytest.param("bias", {"bias", "bias at rest = dV/dq"}, marks=pytest.mark.slow),
        pytest.param(
            "forward_dynamics", {"acceleration", "inverse of forward dynamics", "dE/dt = v tau"}, marks=pytest.mark.slow
        ),
        pytest.param("kinetic_energy", {"kinetic energy", "dE/dt = v tau"}, marks=pytest.mark.slow),
        pytest.param(
            "potential_energy", {"potential energy", "dE/dt = v tau", "bias at rest = dV/dq"}, marks=pytest.mark.slow
        ),
        ("jacobian", {"Jacobian of 'frame 0'"}),
    ],
)
def test_a_wrong_formulation_is_found(mistake: str, quantities: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Wrong, "mistake", mistake)
    monkeypatch.setitem(registry.FORMULATIONS, "wrong", _Wrong)
    machine = chain()
    assert machine.nv == 3
    report = verify(machine, samples=4)
    assert not report.ok
    failed = {r.quantity for r in report.failures}
    assert quantities <= failed
    assert all("wrong" in r.pair for r in report.failures)
    assert "FAIL" in str(report)


def test_same_seed_same_report() -> None:
    machine = random_machine(3, 2, kinds=("revolute", "prismatic"))
    first = verify(machine, samples=3, seed=5)
    assert verify(machine, samples=3, seed=5) == first
    assert verify(machine, samples=3, seed=6) != first


def test_table_and_html() -> None:
    rows = (VerifyRow("mass matrix", ("a", "b"), 1e-3, False), VerifyRow("gravity", ("a", "b"), 0.0, True))
    report = VerifyReport("<arm>", 3, 0, 1e-9, rows)
    assert not report.ok
    assert report.worst is rows[0]
    assert "mass matrix" in str(report) and "1.0e-03" in str(report) and "1 of 2" in str(report)
    text = report._repr_html_()
    assert "&lt;arm&gt;" in text and "<arm>" not in text and text.count("<tr>") == 3


def test_a_residual_that_is_not_a_number_fails() -> None:
    row = VerifyRow("mass matrix", ("a", "b"), float("nan"), False)
    report = VerifyReport("m", 1, 0, 1e-9, (VerifyRow("gravity", ("a", "b"), 0.0, True), row))
    assert report.worst is row and not report.ok


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 0}, "samples must be a positive integer, got 0"),
        ({"samples": 1.5}, "samples must be a positive integer, got 1.5"),
        ({"samples": True}, "samples"),
        ({"tolerance": 0.0}, "tolerance must be a positive number, got 0.0"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"tolerance": "small"}, "tolerance"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        verify(chain(), **options)


def test_one_sample_is_enough() -> None:
    assert verify(random_machine(1, 1), samples=1).ok


def test_only_machines_are_verified() -> None:
    with pytest.raises(InputError, match="verify needs a Machine, got str"):
        verify("arm")  # type: ignore[arg-type]


@pytest.mark.slow
def test_compiled_code_is_verified_too() -> None:
    report = verify(random_machine(1, 1, kinds=["universal"]), samples=3, backend="native", tolerance=1e-10)
    assert report.ok, str(report)
    assert np.isfinite(report.worst.residual)
