"""Ropes beside spatial tendons of MuJoCo, which know no sheaves that turn and no friction of ropes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da

mujoco: Any = pytest.importorskip("mujoco")

pytestmark = pytest.mark.peer


def tendon_length(shape: str, sites: str, wrap: str) -> float:
    """Length of a tendon between two sites of the world about a geom."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><worldbody>{shape}{sites}</worldbody>
        <tendon><spatial name="t"><site site="a"/><geom geom="o" {wrap}/><site site="b"/></spatial></tendon></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return float(data.ten_length[0])


def rope_length(obstacle: da.RopeObstacle, a: np.ndarray, b: np.ndarray) -> float:
    rope = da.Rope("r", [da.Anchor("world", tuple(a)), obstacle, da.Anchor("world", tuple(b))])
    joint = da.Joint("z", "prismatic", "world", "bob", axis="z")
    machine = da.Machine("m", [da.point_mass("bob", 1.0)], [joint], ropes=[rope])
    eom = da.equations(machine)
    run = da.simulate(eom, duration=1e-3, q0={"z": 0.0}, backend="vm")
    return float(run["length.r"][0])


@pytest.mark.parametrize("seed", range(3))
def test_lengths_about_spheres_and_cylinders_are_those_of_tendons(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = np.array([-1.0, rng.uniform(-0.1, 0.3), rng.uniform(-0.3, 0.3)])
    b = np.array([0.9, rng.uniform(-0.1, 0.3), rng.uniform(-0.3, 0.3)])
    text = "".join(f'<site name="{n}" pos="{p[0]} {p[1]} {p[2]}"/>' for n, p in (("a", a), ("b", b)))
    cylinder = '<geom name="o" type="cylinder" size="0.4 5"/>'
    above = '<site name="s" pos="0 0.8 0"/>'  # MuJoCo's side; here the rope runs clockwise about z, over the top
    got = rope_length(da.RopeObstacle("world", 0.4, "-z", name="o"), a, b)
    assert got == pytest.approx(tendon_length(cylinder, text + above, 'sidesite="s"'), rel=1e-9)
    sphere = '<geom name="o" type="sphere" size="0.4"/>'
    got = rope_length(da.RopeObstacle("world", 0.4, name="o"), a, b)
    assert got == pytest.approx(tendon_length(sphere, text, ""), rel=1e-9)


def test_an_elastic_tackle_moves_as_a_tendon_with_stiffness() -> None:
    """A load with two eyelets in the bight of an elastic rope that swings in space: the same energies and motion."""
    EA, length, mass = 2e4, 6.0, 20.0
    path = [da.Anchor("world", (-1, 0, 0)), da.Guide("load", at=(-0.3, 0, 0.1), name="e1")]
    path += [da.Guide("load", at=(0.3, 0, 0.1), name="e2"), da.Anchor("world", (1, 0.2, 0))]
    load = da.Body("load", mass, inertia=(0.5, 0.6, 0.7))
    joint = da.Joint("f", "free", "world", "load", origin=(0, 0, -2.6))
    rope = da.Rope("r", path, length=length, stiffness=EA)
    machine = da.Machine("bight", [load], [joint], ropes=[rope])
    start: dict[str, Any] = {"v0": {"f.vx": 0.3, "f.wz": 0.5}}
    run = da.simulate(machine, duration=1.0, step=1e-3, backend="vm", **start)
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="1e-3" integrator="RK4" gravity="0 0 -9.81"/><worldbody>
        <site name="a" pos="-1 0 0"/><site name="b" pos="1 0.2 0"/>
        <body name="load" pos="0 0 -2.6"><freejoint/><inertial pos="0 0 0" mass="{mass}" diaginertia="0.5 0.6 0.7"/>
        <site name="e1" pos="-0.3 0 0.1"/><site name="e2" pos="0.3 0 0.1"/></body></worldbody>
        <tendon><spatial name="t" stiffness="{EA / length}" springlength="0 {length}">
        <site site="a"/><site site="e1"/><site site="e2"/><site site="b"/></spatial></tendon></mujoco>"""
    )
    data = mujoco.MjData(model)
    data.qvel[:] = [0.3, 0, 0, 0, 0, 0.5]
    mujoco.mj_forward(model, data)
    assert run["length.r"][0] == pytest.approx(data.ten_length[0], rel=1e-12)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    ends = np.array([run[f"f.{axis}"][-1] for axis in "xyz"])
    np.testing.assert_allclose(ends + [0, 0, -2.6], data.qpos[:3], rtol=0, atol=1e-6)


def test_a_tendon_does_not_turn_a_pulley() -> None:
    """Atwood's machine with a heavy pulley: 1.962 m/s^2; a tendon over it gives g/4."""
    over = da.Sheave("world", 0.1, "y", joint="wheel", name="S", teeth=True)
    machine = da.Machine(
        "atwood",
        [da.point_mass("m1", 5.0), da.point_mass("m2", 3.0), da.Body("wheel", 4.0, inertia=(0.02, 0.02, 0.02))],
        [
            da.Joint("x1", "prismatic", "world", "m1", axis="-z", origin=(-0.1, 0, -2)),
            da.Joint("x2", "prismatic", "world", "m2", axis="-z", origin=(0.1, 0, -2)),
            da.Joint("wheel", "revolute", "world", "wheel", axis="y"),
        ],
        ropes=[da.Rope("r", [da.Anchor("m1"), over, da.Anchor("m2")])],
    )
    run = da.simulate(machine, duration=0.2, step=1e-3, backend="vm")
    assert run["x1_dot"][-1] / 0.2 == pytest.approx(1.962, rel=1e-12)
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><option gravity="0 0 -9.81"/><worldbody>
        <body name="wheel"><joint name="w" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 0" mass="4" diaginertia="0.02 0.02 0.02"/>
        <geom name="rim" type="cylinder" size="0.1 0.02" euler="90 0 0"/></body>
        <site name="top" pos="0 0 0.5"/>
        <body name="m1" pos="-0.1 0 -2"><joint name="x1" type="slide" axis="0 0 -1"/>
        <inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/><site name="a"/></body>
        <body name="m2" pos="0.1 0 -2"><joint name="x2" type="slide" axis="0 0 -1"/>
        <inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/><site name="b"/></body></worldbody>
        <tendon><spatial name="t"><site site="a"/><geom geom="rim" sidesite="top"/><site site="b"/></spatial></tendon>
        <equality><tendon tendon1="t" solref="0.002 1" solimp="0.9999 0.9999 0.001"/></equality></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.qacc[0] == pytest.approx(0.0, abs=1e-9)  # the wheel stands
    assert data.qacc[1] == pytest.approx(9.81 / 4, rel=1e-3)
