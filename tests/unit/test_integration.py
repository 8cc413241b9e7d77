"""What integrators need: units and names in FMUs, headers and packets, servos of MJCF, bounds, MCAP, notebooks."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import dalembert as da
from dalembert.compile.build import find_toolchain
from dalembert.io.realtime import packet_header
from dalembert.io.robot_files import load_robot


def crane() -> da.Machine:
    return da.Machine(
        "2 axis-crane",
        bodies=[da.Body("trolley", 5.0), da.point_mass("load", 2.0, com=(0, 0, -1.0))],
        joints=[
            da.Joint("x", "prismatic", "world", "trolley", axis=(1, 0, 0), limits=da.Limits(lower=-1.0, upper=3.0)),
            da.Joint("theta", "revolute", "trolley", "load", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "x", effort=50.0)],
        signals=[da.Signal("height", expression="1 - cos(theta)")],
    )


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_fmus_have_units_and_the_name_of_their_machine(version: str, tmp_path: Path) -> None:
    path = da.export_fmu(crane(), tmp_path / "c.fmu", version=version, duration=4.0, t0=1.0, binary=False)
    with zipfile.ZipFile(path) as archive:
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    for kind in ("CoSimulation", "ModelExchange"):
        assert root.find(kind).get("modelIdentifier") == "machine_2_axis_crane"  # type: ignore[union-attr]
    experiment = root.find("DefaultExperiment")
    assert experiment is not None and (experiment.get("startTime"), experiment.get("stopTime")) == ("1", "5")
    order = [child.tag for child in root]
    assert order.index("CoSimulation") < order.index("UnitDefinitions") < order.index("DefaultExperiment")
    units = {}
    for variable in root.find("ModelVariables"):  # type: ignore[union-attr]
        real = variable.find("Real") if version == "2.0" else variable
        units[variable.get("name")] = (real.get("unit"), real.get("displayUnit"))  # type: ignore[union-attr]
    assert units["x"] == ("m", None) and units["theta"] == ("rad", "deg")
    assert units["theta_dot"] == ("rad/s", "deg/s") and units["der(theta_dot)"] == ("rad/s2", "deg/s2")
    assert units["time"] == ("s", None) and units["command.drive"][0] == "N"
    defined = {unit.get("name"): unit for unit in root.iter("Unit")}
    assert {unit for unit, _ in units.values() if unit} == set(defined)
    assert defined["N"].find("BaseUnit").attrib == {"kg": "1", "m": "1", "s": "-2"}  # type: ignore[union-attr]
    degrees = defined["rad"].find("DisplayUnit")
    assert degrees is not None and float(degrees.get("factor", "0")) == pytest.approx(180 / np.pi)


def test_headers_list_names_and_order(tmp_path: Path) -> None:
    da.equations(crane(), backend="vm").export_c(tmp_path, ["mass_matrix"], name="crane")
    header = (tmp_path / "crane.h").read_text()
    assert re.search(r"q\[0\]  x\n \*   q\[1\]  theta\n", header) and "CRANE_V_THETA_DOT = 1" in header
    assert "CRANE_U_DRIVE = 0" in header
    packets = packet_header("crane", ("drive",), ("x", "theta", "tension.a b", "x"), {"x": "m", "theta": "rad"})
    assert "double theta; /* 1: theta [rad] */" in packets and "#define PACKET_OUTPUTS 4" in packets
    toolchain = find_toolchain()
    if toolchain is None:
        return
    source = tmp_path / "size.c"
    (tmp_path / "packets.h").write_text(packets)
    source.write_text(
        '#include "packets.h"\n#include "crane.h"\n'
        "typedef char fits[sizeof(struct packet_outputs) == 16 + 8 * PACKET_OUTPUTS ? 1 : -1];\n"
        "int main(void) { return CRANE_Q_X; }\n"
    )
    command = [*toolchain.command, "-std=c99", "-Wall", "-Werror", "-I", str(tmp_path), str(source), "-c", "-o"]
    assert subprocess.run([*command, str(tmp_path / "size.o")], check=False).returncode == 0


SERVOS = """<mujoco model="servo"><option timestep="0.0005" integrator="RK4"/><worldbody><body pos="0 0 1">
<joint name="a" axis="0 1 0" damping="0.3"/><geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" mass="1"/>
<body pos="0.4 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0" mass="0.5"/>
</body></body></worldbody>
<actuator><position name="pa" joint="a" kp="30" kv="4" gear="2" forcerange="-20 20"/>
<velocity name="vb" joint="b" kv="0.7"/></actuator>
<keyframe><key name="up" qpos="0.2 -0.1" ctrl="1.2 0"/></keyframe></mujoco>"""


def test_servos_of_mjcf_are_motors_with_a_law(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "servo.xml"
    path.write_text(SERVOS.replace("<geom ", '<geom contype="0" conaffinity="0" '))
    machine, settings = load_robot(path)
    assert [(motor.name, motor.ratio, motor.effort) for motor in machine.motors] == [
        ("pa", 2.0, 20.0),
        ("vb", 1.0, np.inf),
    ]
    run = da.simulate(machine, **settings, duration=0.5, method="dopri5", rtol=1e-9, atol=1e-9)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.ctrl[:] = [1.2, 0.0]
    for _ in range(1000):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(run.x[-1][:2], data.qpos, atol=1e-6)  # RK4 of MuJoCo at 0.5 ms
    assert abs(data.qpos[0]) > 0.1  # it moved


def test_observations_are_bounded_by_limits_that_are_enforced() -> None:
    pytest.importorskip("gymnasium")
    from dalembert.campaigns import environment

    bounded = environment(crane(), period=0.05, reward="x", duration=1.0, limits="stop")
    names = ["x", "theta", "x_dot", "theta_dot"]
    box = dict(
        zip(names, zip(bounded.observation_space.low, bounded.observation_space.high, strict=True), strict=False)
    )
    assert box["x"] == pytest.approx((-1.04, 3.04)) and box["theta"] == (-np.inf, np.inf)
    observation, _ = bounded.reset(seed=0)
    assert bounded.observation_space.contains(observation)
    free = environment(crane(), period=0.05, reward="x", duration=1.0)
    assert np.all(np.isinf(free.observation_space.low))


def test_mcap_files_have_signals_poses_and_events(tmp_path: Path) -> None:
    run = da.simulate(crane(), duration=0.5, q0={"theta": 0.3}, record=0.1, events=[da.Event("low", "theta")])
    try:
        from mcap.reader import make_reader
    except ImportError:
        with pytest.raises(da.InputError, match="need the package mcap"):
            run.to_mcap(tmp_path / "run.mcap")
        return
    with open(run.to_mcap(tmp_path / "run.mcap"), "rb") as file:
        rows = [(c.topic, s.name, m.log_time, json.loads(m.data)) for s, c, m in make_reader(file).iter_messages()]
    signals = [(t, data) for topic, _, t, data in rows if topic == "/signals"]
    np.testing.assert_allclose([t * 1e-9 for t, _ in signals], run.t, atol=1e-9)
    np.testing.assert_array_equal([data["theta"] for _, data in signals], run["theta"])
    poses = [data["transforms"] for topic, name, _, data in rows if name == "foxglove.FrameTransforms"]
    assert len(poses) == len(run.t) and [one["child_frame_id"] for one in poses[0]] == ["trolley", "load"]
    turned = poses[0][1]["rotation"]
    assert (turned["y"], turned["w"]) == pytest.approx((np.sin(0.15), np.cos(0.15)))
    events = [data["message"] for topic, _, _, data in rows if topic == "/events"]
    assert events == [event.name for event in run.events]


def test_notebooks_show_a_plot_as_a_picture() -> None:
    figure = da.simulate(crane(), duration=0.1, record=0.05).plot("x")
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
