"""Derivation sheets: every printed formula against the kernels, the steps against each other, and the documents."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.analysis import Derivation
from dalembert.analysis.derivation.formula import State
from dalembert.cli.app import run as run_command
from dalembert.systems import load_system
from dalembert.view.derivation import typst_source
from dalembert.view.page.typst import typst_math


def arm() -> da.Machine:
    """Two links on skew axes, a slide, rotors, a spring and damping: nothing is zero by luck."""
    inertia = ((0.02, 0.001, 0.002), (0.001, 0.03, 0.0005), (0.002, 0.0005, 0.025))
    return da.Machine(
        "skew-arm",
        bodies=[
            da.Body("cart", 3.0, com=(0.1, 0.0, 0.05), inertia=(0.1, 0.2, 0.3)),
            da.Body("link", 2.0, com=(0.3, 0.02, -0.1), inertia=inertia),
        ],
        joints=[
            da.Joint("s", "prismatic", "world", "cart", axis=(1, 0, 0), stiffness=40.0, damping=2.0),
            da.Joint("theta", "revolute", "cart", "link", da.Transform((0.2, 0.0, 0.1)), axis=(0, 1, 0), armature=0.01),
        ],
        motors=[da.Motor("theta", "theta", ratio=20.0, rotor_inertia=1e-4, effort=0.01)],
    )


@pytest.fixture(scope="module")
def sheet() -> Derivation:
    return da.derivation(arm())


def test_every_formula_is_that_of_the_kernel(sheet: Derivation) -> None:
    found = sheet.check(samples=3, seed=1)
    assert len(found) == len(sheet.formulas) > 30
    assert all(formula.value is not None for step in sheet.steps for formula in step.formulas)
    # Christoffel symbols are compared with central differences of step 1e-6: errors of about 1e-16 / 1e-6.
    assert max(x for name, x in found.items() if "christoffel" in name) < 1e-8
    assert max(x for name, x in found.items() if "christoffel" not in name) < 1e-12


def test_a_wrong_sign_is_noticed(sheet: Derivation) -> None:
    state = State(np.array([0.3, 0.7]), np.array([0.5, -0.4]), np.array([0.2, 0.9]), np.array([0.1]))
    for formula in sheet.formulas:
        numbers = formula.kernel(state)
        if np.abs(numbers).max() > 1e-3:
            wrong = replace(formula, value=-formula.value)
            assert wrong.deviation(sheet.form, state) > 1e-3, formula.name


def test_steps_follow_from_each_other(sheet: Derivation) -> None:
    """By SymPy: positions differentiated, energies summed, Hessian, Christoffel symbols, gradient, recursion."""
    form = sheet.form
    formulas = {formula.name: formula.value for formula in sheet.formulas}
    q, v, a = map(sp.Matrix, (form.q, form.v, form.a))

    def zero(x: sp.Expr | sp.MatrixBase) -> bool:
        values = {symbol: sp.Rational(k + 3, 2 * k + 11) for k, symbol in enumerate(sorted(x.free_symbols, key=str))}
        entries = x if hasattr(x, "shape") else sp.Matrix([x])
        return all(abs(float(entry.subs(values))) < 1e-9 for entry in entries)

    for body in ("cart", "link"):
        rate = formulas[f"centre of {body}"].jacobian(q) * v
        assert zero(rate - formulas[f"velocity of {body}"])
    T = sum(formulas[f"kinetic of {name}"] for name in ("cart", "link", "rotors"))
    assert zero(T - formulas["kinetic_energy"])
    V = sum(formulas[f"potential of {name}"] for name in ("cart", "link", "springs"))
    assert zero(V - formulas["potential_energy"])
    M = sp.hessian(formulas["kinetic_energy"], list(form.v))
    assert zero(M - formulas["mass_matrix"])
    dV = sp.Matrix([formulas["potential_energy"]]).jacobian(q).T
    assert zero(dV - formulas["gravity"] - formulas["elastic"])
    for k in range(2):
        assert zero(formulas["coriolis_vector"][k] - (v.T * formulas[f"christoffel {k + 1}"] * v)[0])
    whole = formulas["mass_matrix"] * a + formulas["coriolis_vector"] + formulas["gravity"]
    assert zero(formulas["recursion"] - whole)
    assert zero(formulas["equations"] - whole - formulas["elastic"] + formulas["applied"])


def test_attitudes_beams_constraints_and_large_machines() -> None:
    floating = da.derivation(
        da.Machine(
            "tumbler",
            bodies=[da.Body("hull", 4.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.3))],
            joints=[da.Joint("hull", "free", "world", "hull")],
        )
    )
    found = floating.check()
    assert max(found.values()) < 1e-12 and "moment in the joint of hull" in found
    assert not any("christoffel" in name for name in found)
    bent = load_system("planar-flexible-arm")
    large = da.derivation(bent)
    assert large.form is None and "beams" in large.reason and large.check() == {}
    M = next(f for step in large.steps for f in step.formulas if f.name == "mass_matrix")
    expected = da.equations(bent, backend="vm").mass_matrix(large.state.q)
    np.testing.assert_allclose(M.kernel(large.state), expected, rtol=1e-9, atol=1e-12)
    ((_, modes),) = next(step for step in large.steps if step.title == "Flexible bodies").tables
    beam = next(body for body in bent.bodies if body.name == modes[0][0])
    assert modes[0][1] in bent.q_names and float(modes[0][3]) == pytest.approx(beam.omega[0], rel=1e-5)
    small = da.derivation(arm(), limit=3)
    assert small.form is not None and 0 < len(small.formulas) < 30
    with pytest.raises(da.InputError, match="needs a Machine"):
        da.derivation("arm")  # type: ignore[arg-type]


def linkage() -> da.Machine:
    """A crank that pulls a slide by a rod of fixed length, held by a rope over a sheave, on a spring; with a brake."""
    return da.Machine(
        "linkage",
        bodies=[da.Body("crank", 2.0, com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02)), da.point_mass("slide", 3.0)],
        joints=[
            da.Joint("theta", "revolute", "world", "crank", axis="z", friction=da.Friction(0.2)),
            da.Joint("x", "prismatic", "world", "slide", da.Transform((0.9, 0, 0)), axis="x"),
        ],
        frames=[da.Frame("pin", "crank", da.Transform((0.25, 0, 0)))],
        constraints=[da.DistanceConstraint("rod", "pin", "slide", length=0.7)],
        ropes=[
            da.Rope("line", [
                da.Anchor("slide"),
                da.Sheave("world", 0.1, "z", at=(2.0, 0.5, 0.0), name="wheel", loss=da.SheaveLoss(bending=0.02)),
                da.Anchor("world", (1.2, 2.0, 0.0)),
            ])
        ],
        cables=[da.Cable("spring", "world", "pin", length=0.2, stiffness=50.0)],
    )  # fmt: skip


def test_constraints_cables_and_ropes_have_rows_and_multipliers() -> None:
    """Rows, Jacobians and right sides as formulas; the printed parts, solved by NumPy, give the kernel's motion."""
    made = da.derivation(linkage())
    found = made.check(samples=2, seed=3)
    assert max(found.values()) < 1e-8
    assert {"constraint rod", "jacobian of rod", "right side of rod"} <= set(found)
    assert "friction of joint theta, friction at line.wheel" in made.steps[0].text
    formulas, x = {f.name: f for step in made.steps for f in step.formulas}, made.state

    def number(name: str) -> np.ndarray:
        formula = formulas[name]
        return formula.kernel(x) if formula.value is None else formula.numbers(made.form, x)

    rows = [number(f"constraint {name}").item() for name in ("rod", "line")]
    np.testing.assert_allclose(rows, 0.0, atol=1e-9)
    J = np.vstack([number(f"jacobian of {name}").reshape(1, 2) for name in ("rod", "line")])
    np.testing.assert_allclose(J[0] @ x.v, 0.0, atol=1e-12)
    gamma = np.concatenate([number(f"right side of {name}").ravel() for name in ("rod", "line")])
    force = sum(sign * number(name).ravel() for sign, name in ((1, "applied"), (-1, "coriolis_vector"), (-1, "elastic"))
                if name in formulas)  # fmt: skip
    force = force - (number("gravity").ravel() if "gravity" in formulas else 0.0)
    whole = np.block([[number("mass_matrix"), J.T], [J, np.zeros((2, 2))]])
    solved = np.linalg.lstsq(whole, np.concatenate([force, gamma]), rcond=None)[0]
    np.testing.assert_allclose(solved[:2], number("solved accelerations"), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(J.T @ solved[2:], J.T @ number("multipliers"), rtol=1e-8, atol=1e-9)


def test_documents(
    sheet: Derivation,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = da.write_derivation(sheet, tmp_path / "arm.html").read_text()
    assert page.count("<math") > 30 and "Recursion, inwards" in page and "data:image/png" in page
    text = da.write_derivation(sheet, tmp_path / "arm.md").read_text()
    assert text.count("$$") == 2 * page.count("<math") and (tmp_path / "arm.png").read_bytes().startswith(b"\x89PNG")
    source = da.write_derivation(sheet, tmp_path / "arm.tex").read_text()
    assert source.count("{") == source.count("}") and r"\section{Mass matrix}" in source
    with pytest.raises(da.InputError, match=r"must end in \.html, \.md, \.tex, \.pdf"):
        da.write_derivation(sheet, tmp_path / "arm.docx")
    assert run_command(["derive", "actuated-pendulum", "--out", str(tmp_path / "p.html")]) == 0
    assert re.search(r"\d+ formulas checked, largest difference \d", capsys.readouterr().out)


def test_typst(sheet: Derivation, tmp_path: Path) -> None:
    assert typst_math(r"\frac{1}{2} m_{1} \dot{q}_{1}^{2}") == "frac(1, 2) m_(1) dot(q)_(1)^(2)"
    assert typst_math(r"\begin{bmatrix} a & b \\ 0 & \mathrm{load} \end{bmatrix}") == 'mat(delim: "[", a, b; 0, "load")'
    assert typst_math(r"\int_0^{l} \arctan(x)") == "integral_(0)^(l) arctan (x)"
    source = typst_source(sheet, "machine.png")
    assert source.count("(") == source.count(")") and "\\begin" not in source
    pytest.importorskip("typst")
    assert da.write_derivation(sheet, tmp_path / "arm.pdf").read_bytes().startswith(b"%PDF")
