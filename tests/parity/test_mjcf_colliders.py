"""MJCF scenes as colliders: motions that rigid and soft contacts share, masks and exclusions, and what is named."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import DalembertError
from dalembert.io import read_mjcf

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.peer

BALL = """<mujoco><option timestep="0.001" cone="elliptic" impratio="10"/><worldbody>
<geom name="floor" type="plane" size="5 5 0.1" condim="6" friction="1 0.003 0.002"/>
<body name="ball" pos="0 0 0.1"><freejoint name="base"/>
<geom name="g" type="sphere" size="0.1" mass="1" condim="{dim}" friction="1 0.003 {roll}"/></body>
</worldbody></mujoco>"""

SCENE = """<mujoco model="table"><worldbody>
<geom name="floor" type="plane" size="5 5 0.1"/>
<geom name="table" type="box" size="0.3 0.3 0.02" pos="0 0 0.4"/>
<body name="arm" pos="-0.5 0 0.6"><joint name="shoulder" axis="0 1 0" damping="0.5"/>
  <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="1"/>
  <body name="fore" pos="0.3 0 0"><joint name="elbow" axis="0 1 0" damping="0.5"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="0.7"/></body></body>
<body name="can" pos="0.1 0.1 0.475"><freejoint name="can"/><geom type="cylinder" size="0.04 0.05" mass="0.5"/></body>
<body name="egg" pos="0.2 -0.1 1"><freejoint name="egg"/>
  <geom type="ellipsoid" size="0.04 0.05 0.06" mass="0.5"/></body>
<body name="ghost" pos="0.1 -0.1 0.5"><freejoint name="ghost"/>
  <geom type="box" size="0.04 0.04 0.04" mass="0.5" contype="2" conaffinity="4"/></body>
</worldbody><contact><exclude body1="can" body2="fore"/></contact></mujoco>"""


def peer(text: str, duration: float, v0: tuple[float, ...] = ()) -> np.ndarray:
    """Configuration of MuJoCo at the end."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[: len(v0)] = v0
    for _ in range(round(duration / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return np.array(data.qpos)


@pytest.mark.parametrize(("dim", "way"), [(6, 0.6), (3, 0.6)])
def test_ball_rolls_as_far(dim: int, way: float) -> None:
    """The pair has condim 6 whatever that of the ball: 0.002 m of resistance, as of the floor."""
    text = BALL.format(dim=dim, roll=0.002)
    read = read_mjcf(text, contacts="colliders")
    run = da.simulate(
        read.machine, duration=1.5, q0=read.q0, v0={"base.vx": 0.5, "base.wy": 5.0}, contact="time-stepping", record=0.1
    )
    expected = 0.75 - 0.5 * 0.002 * 9.81 / 0.1 * 5 / 7 * 1.5**2
    assert read.left_out == ()
    assert run["base.x"][-1] == pytest.approx(expected, rel=1e-9)
    assert peer(text, 1.5, (0.5, 0, 0, 0, 5, 0))[0] == pytest.approx(expected, rel=2e-3)  # soft contacts creep
    assert expected < way


def test_scene_with_an_arm() -> None:
    read = read_mjcf(SCENE, contacts="colliders")
    assert read.left_out == ("the ellipsoid 'geom5', a shape that machines do not have",)
    colliders = {c.name: c for c in read.machine.colliders}
    assert set(colliders) == {"plane", "static", "arm", "fore", "can", "ghost"}
    assert colliders["fore"].ignores == ("can", "ghost")  # neighbours need no entry
    assert set(colliders["ghost"].ignores) == {"plane", "static", "arm", "fore", "can"}
    run = da.simulate(
        read.machine, duration=1.0, q0=read.q0, contact="time-stepping", step=1e-3, record=0.1, backend="vm"
    )
    assert run["ghost.z"][-1] == pytest.approx(0.5 - 0.5 * 9.81, abs=1e-9)  # it falls through everything
    q = read.from_mujoco(peer(SCENE, 1.0)).q
    names = read.machine.q_names
    for name in ("shoulder", "elbow", "can.x", "can.z"):
        assert run[name][-1] == pytest.approx(q[names.index(name)], abs=2e-3), name  # depth of soft contacts


def test_differences_are_named() -> None:
    text = BALL.format(dim=6, roll=0.01).replace('friction="1 0.003 0.002"', 'friction="0.25 0.003 0.002"')
    (note,) = read_mjcf(text, contacts="colliders").left_out
    assert note == "coefficients of 1 pair of geoms (of 'floor' and 'g': friction 1 is 0.5)"
    with pytest.raises(DalembertError, match="are True, False or 'colliders', got 'all'"):
        da.load_mjcf(text, contacts="all")  # type: ignore[arg-type]
    with pytest.raises(DalembertError, match="needs the geometry of the file"):
        da.load_mjcf(text, contacts="colliders", geometry=False)


def test_height_field() -> None:
    """A ball rolls in the hollow of a height field, whose rows are along y, as MuJoCo has it."""
    heights = " ".join(f"{0.5 * x * x + y * y:.6f}" for y in np.linspace(-1, 1, 9) for x in np.linspace(-1, 1, 7))
    text = f"""<mujoco><option timestep="0.001"/>
      <asset><hfield name="hollow" nrow="9" ncol="7" elevation="{heights}" size="1.5 1 0.6 0.1"/></asset>
      <worldbody><geom type="hfield" hfield="hollow" friction="0.5"/>
      <body name="ball" pos="0.4 0.3 0.35"><freejoint name="ball"/>
      <geom type="sphere" size="0.2" mass="1" friction="0.5" condim="3"/></body></worldbody></mujoco>"""
    read = read_mjcf(text, contacts="colliders")
    run = da.simulate(read.machine, duration=0.6, q0=read.q0, contact="time-stepping", step=1e-3, record=0.1)
    np.testing.assert_allclose(run.x[-1, :3], peer(text, 0.6)[:3], atol=0.01)
