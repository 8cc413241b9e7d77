"""The contract of a kind of cable exit (`dalembert.model.cables.exit`), checked for every kind there is.

`EyeletExit` is one from outside the package, complete as it stands here.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import FileFormatError, MachineError
from dalembert.core.types import Array
from dalembert.io.json_schema import machine_json_schema
from dalembert.model import CableExit, CablePath, register_cable_exit
from dalembert.model.cables import CABLE_EXITS
from dalembert.view.scene_builder import build_scene

RADIUS = 0.15


class EyeletExit(CableExit):
    """An eyelet at the end of an arm of length ``radius`` along the z axis of the exit frame."""

    key = "eyelet"

    @staticmethod
    def path(b: ca.SX, d: ca.SX, R: ca.SX, radius: ca.SX) -> CablePath:
        """Along the arm, then straight."""
        a = d + radius * R[:, 2]
        free = ca.norm_2(b - a)
        return CablePath(radius + free, a, (a - b) / free)


@pytest.fixture(autouse=True)
def registered(registers: None) -> None:
    """Register the kind for the tests of this module; elsewhere the function is a decorator of the class."""
    register_cable_exit(EyeletExit)


def rotation(rng: np.random.Generator) -> Array:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.asarray(Q * np.sign(np.linalg.det(Q)))


def anchor(key: str, d: Array, R: Array, rng: np.random.Generator) -> Array:
    """An anchor away from the exit; in the plane of a pulley that keeps its plane."""
    x, y, z = rng.uniform(0.5, 2.0), rng.normal(), -rng.uniform(0.2, 2.0)
    return d + R @ np.array([x, 0.0 if key == "fixed" else y, z])


@pytest.mark.parametrize("key", [*CABLE_EXITS, "eyelet"])
def test_the_cable_pulls_along_itself_and_its_length_is_that_of_its_way(key: str) -> None:
    b, d, R = ca.SX.sym("b", 3), ca.SX.sym("d", 3), ca.SX.sym("R", 3, 3)
    path = CABLE_EXITS[key].path(b, d, R, ca.SX(RADIUS))
    f = ca.Function("f", [b, d, R], [path.length, path.exit, path.direction, ca.gradient(path.length, b)])
    rng = np.random.default_rng(0)
    for _ in range(5):
        at, axes = rng.normal(size=3), rotation(rng)
        end = anchor(key, at, axes, rng)
        length, a, e, gradient = (np.array(y.full())[:, 0] for y in f(end, at, axes))
        free = float(np.linalg.norm(end - a))
        assert np.allclose(e, (a - end) / free, atol=1e-12)
        assert np.allclose(gradient, -e, atol=1e-9)
        assert length[0] == pytest.approx(free + guided(key, at, axes, a, end), abs=1e-12)


def guided(key: str, d: Array, R: Array, a: Array, b: Array) -> float:
    """Length of a cable on its exit, from where it arrives at ``d`` to where it leaves at ``a``."""
    if key in ("point", "eyelet"):
        reached = d if key == "point" else d + RADIUS * R[:, 2]
        assert np.allclose(a, reached, atol=1e-12)
        return float(np.linalg.norm(reached - d))
    across = (b - d) - R[:, 2] * (R[:, 2] @ (b - d))
    s = R[:, 0] if key == "fixed" else across / np.linalg.norm(across)
    centre = d + RADIUS * s
    assert np.linalg.norm(a - centre) == pytest.approx(RADIUS)
    assert (a - centre) @ (b - a) == pytest.approx(0.0, abs=1e-9)
    assert (a - centre) @ R[:, 2] > 0.0  # the cable runs over the pulley, not under it
    return float(RADIUS * np.arccos(np.clip((d - centre) @ (a - centre) / RADIUS**2, -1.0, 1.0)))


def hanging(key: str) -> da.Machine:
    options = {} if key == "point" else {"pulley": RADIUS, "swivel": key}
    cable = da.Cable("rope", "ball", exit_at=(0.0, 0.0, 2.0), length=1.5, bilateral=True, **options)
    joint = da.Joint("base", "free", "world", "ball")
    return da.Machine("hanging", [da.sphere("ball", 1.0, 0.1)], [joint], cables=[cable])


@pytest.mark.parametrize("key", [*CABLE_EXITS, "eyelet"])
def test_runs_files_and_pictures_take_every_kind(key: str) -> None:
    machine = hanging(key)
    assert da.load_machine(machine.to_yaml()) == machine
    assert len(build_scene(machine).cables) == 1
    side = 1.0 if key == "fixed" else 0.8
    q0 = {"base.x": side, "base.y": 0.0 if key == "fixed" else 0.3, "base.z": 1.0}
    run = da.simulate(machine, duration=0.3, step=1e-3, q0=q0, reach=1.0, backend="vm")
    assert np.ptp(run["base.z"]) > 1e-2
    assert np.allclose(run["length.rope"], 1.5, atol=1e-9)
    assert run.energy.drift < 1e-7


def test_a_kind_from_outside_is_in_the_schema_and_others_are_refused() -> None:
    assert "eyelet" in machine_json_schema()["$defs"]["CableEntry"]["properties"]["swivel"]["enum"]
    with pytest.raises(MachineError, match="swivel of cable 'rope' must be 'free', 'fixed' or 'eyelet', got 'eylet'"):
        hanging("eylet")
    with pytest.raises(FileFormatError, match=r":\d+: .*swivel must be 'free', 'fixed' or 'eyelet', got 'eylet'"):
        da.load_machine(hanging("eyelet").to_yaml().replace("eyelet", "eylet"))
    with pytest.raises(MachineError, match="must define path"):
        register_cable_exit(type("Empty", (CableExit,), {"key": "empty"}))
    with pytest.raises(MachineError, match="has the key 'free', which belongs to SwivellingPulley"):
        register_cable_exit(type("Taken", (EyeletExit,), {"key": "free"}))


def test_a_pulley_swivels_only_where_it_is_free_to() -> None:
    """The angle of its plane: none for one that keeps it, that of the anchor about z for one that turns."""
    b, d = ca.SX(ca.DM([0.9, 1.2, -2.0])), ca.SX(ca.DM.zeros(3))
    fixed, free = (CABLE_EXITS[key].path(b, d, ca.SX.eye(3), ca.SX(0.2)).swivel for key in ("fixed", "free"))
    assert float(ca.evalf(fixed)) == 0.0
    assert float(ca.evalf(free)) == pytest.approx(np.arctan2(1.2, 0.9), rel=1e-14)
