"""What notebooks show: well-formed HTML with the names in it, whatever signs these have."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import dalembert as da

MACHINE = da.Machine(
    "<cart> & 'pole'",
    bodies=[da.box("cart", 2.0, (0.4, 0.2, 0.1)), da.rod("pole", da.Parameter("m", 0.5), 1.0, "z", (0, 0, 0.5))],
    joints=[
        da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0)),
        da.Joint("theta", "revolute", "cart", "pole", axis=(0, 1, 0)),
    ],
    motors=[da.Motor("F", "x")],
)


def cells(html: str) -> list[str]:
    return ["".join(cell.itertext()) for cell in ET.fromstring(html).iter("td")]


def test_machine_shows_its_picture_and_parts() -> None:
    html = MACHINE._repr_html_()
    assert cells(html) == ["cart", "2", "x", "prismatic", "world", "pole", "0.5", "theta", "revolute", "cart"]
    assert "&lt;cart&gt; &amp;" in html
    (data,) = re.findall(r"base64,([^\"]*)", html)
    assert base64.b64decode(data).startswith(b"\x89PNG")
    assert "parameters: m = 0.5" in html


def test_long_machines_are_cut() -> None:
    bodies = [da.point_mass(f"b{k}", 1.0) for k in range(40)]
    joints = [da.Joint(f"q{k}", "prismatic", "world", f"b{k}") for k in range(40)]
    html = da.Machine("many", bodies=bodies, joints=joints)._repr_html_()
    assert "... (40 in all)" in html
    assert len(cells(html)) == 31 * 5


def test_equations_and_runs() -> None:
    eom = da.equations(MACHINE, backend="vm")
    assert cells(eom._repr_html_()) == ["q", "x, theta", "v", "x_dot, theta_dot", "u", "F", "p", "m"]
    run = da.simulate(eom, duration=0.1, q0={"theta": 0.1}, step=1e-2)
    shown = cells(run._repr_html_())
    assert shown[:2] == ["time", "0 to 0.1 s in 11 rows"]
    assert "energy" in shown


def test_a_picture_that_cannot_be_drawn_hides_nothing(tmp_path: Path) -> None:
    body = da.Body("part", 1.0, inertia=(1, 1, 1), geometry=[da.Mesh(str(tmp_path / "none.stl"))])
    machine = da.Machine("m", bodies=[body], joints=[da.Joint("q", "free", "world", "part")])
    with pytest.warns(da.DalembertWarning, match="without its mesh"):
        assert cells(machine._repr_html_())[0] == "part"
