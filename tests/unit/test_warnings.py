"""A warning points to the line of the user's code that led to it, however deep inside the package it arises."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

import dalembert as da

_INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f"""
<robot name="hand">
  <link name="palm">{_INERTIAL.format(1)}</link>
  <link name="left">{_INERTIAL.format(1)}</link>
  <link name="right">{_INERTIAL.format("{}")}</link>
  <joint name="a" type="continuous"><parent link="palm"/><child link="left"/></joint>
  <joint name="b" type="continuous"><parent link="palm"/><child link="right"/>{"{}"}</joint>
</robot>"""
YAML = "name: x\nparameters: {k: 1}\nbodies: {a: {mass: 1}}\njoints: {x: {kind: prismatic, parent: world, child: a}}"
PLATE = [da.Body("plate", 1.0, inertia=(1, 1, 9)), da.Body("block", 9.0, inertia=(50, 50, 50))]
HINGE = [da.Joint("x", "revolute", "world", "plate"), da.Joint("weld", "fixed", "plate", "block")]

CASES: dict[str, tuple[str, Callable[[], object]]] = {
    "mimic": ("mimic others", lambda: da.load_urdf(URDF.format(1, '<mimic joint="a"/>'))),
    "repair": ("nearest possible", lambda: da.load_urdf(URDF.format(9, ""), inertia="repair")),
    "parameter": ("occur in no number", lambda: da.load_machine(YAML)),
    "machine": ("impossible inertia", lambda: da.Machine("plate", PLATE, HINGE)),
}


@pytest.mark.parametrize("case", CASES)
def test_warnings_point_to_the_caller(case: str) -> None:
    message, call = CASES[case]
    with pytest.warns(da.DalembertWarning, match=message) as caught:
        call()
    line = inspect.getsourcelines(call)[1]
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)
