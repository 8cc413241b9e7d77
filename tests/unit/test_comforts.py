"""Small comforts of input: axes by letter, translations for placements, degrees, names that were nearly right."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import DalembertWarning, MachineError, UnknownNameError
from dalembert.spatial.dh import DHRow

BODY = da.Body("b", 1.0, inertia=(1, 1, 1))


def hinge(**fields: Any) -> da.Machine:
    return da.Machine("m", [BODY], [da.Joint("theta", "revolute", "world", "b", **fields)])


@pytest.mark.parametrize(
    ("letter", "vector"), [("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1)), ("-x", (-1, 0, 0)), ("-z", (0, 0, -1))]
)
def test_axes_by_letter(letter: str, vector: tuple[float, ...]) -> None:
    assert hinge(axis=letter) == hinge(axis=vector)
    assert da.Transform.about(letter, 0.3) == da.Transform.about(vector, 0.3)
    assert da.ParallelConstraint("c", "b", axis=letter).axis == da.ParallelConstraint("c", "b", axis=vector).axis
    crossed = da.Joint("u", "universal", "world", "b", axis="-y", second_axis=letter) if letter[-1] != "y" else None
    assert crossed is None or crossed.second_axis == vector
    text = hinge().to_yaml().replace("child: b", f"child: b, axis: {letter}")
    assert da.load_machine(text) == hinge(axis=vector)


def test_a_wrong_letter_is_refused_with_the_right_ones() -> None:
    with pytest.raises(MachineError, match="axis of joint 'theta' must be 3 components or one of x, y, z, -x, -y, -z"):
        hinge(axis="w")
    with pytest.raises(MachineError, match=r"axis.*must be 3 numbers or one of x, y, z, -x, -y, -z"):
        da.load_machine(hinge().to_yaml().replace("child: b", "child: b, axis: up"))


def test_a_translation_is_a_placement() -> None:
    placed = da.Transform((1.0, 2.0, 3.0))
    for given in ((1, 2, 3), [1.0, 2.0, 3.0], np.array([1.0, 2.0, 3.0])):
        assert hinge(origin=given) == hinge(origin=placed)
        assert da.Frame("f", "b", given) == da.Frame("f", "b", placed)  # type: ignore[arg-type]
        assert da.WeldConstraint("w", "b", offset=given).offset == placed  # type: ignore[arg-type]
        assert da.Geometry(da.Sphere(1.0), given).origin == placed  # type: ignore[arg-type]
    length = da.Parameter("l", 2.0)
    assert hinge(origin=(0, 0, length)).parameters == (length,)
    with pytest.raises(MachineError, match="joint 'theta': origin must be a Transform, or a translation of 3 numbers"):
        hinge(origin=(1, 2))
    with pytest.raises(MachineError, match="frame 'f': origin must be a Transform"):
        da.Frame("f", "b", "xyz")  # type: ignore[arg-type]


def test_degrees() -> None:
    assert da.deg(90) == pytest.approx(math.pi / 2, rel=1e-15)
    angle = da.Parameter("a", 30.0)
    assert hinge(origin=da.Transform.about("z", da.deg(angle))).parameters == (angle,)
    text = """
name: m
parameters: {l2: 3.0}
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  theta:
    {kind: revolute, parent: world, child: b, origin: {xyz: [l2, 0, 0], rpy: [0, 90 deg, -1/2 * 60 deg]},
     limits: {lower: -45 deg, upper: 1.5e2deg}, rest: 2 * 10 deg}
simulation: {duration: 1, q0: {theta: 45 deg}}
"""
    machine, settings = da.load_simulation(text)
    joint = machine.joint("theta")
    assert joint.limits.lower == pytest.approx(-math.pi / 4, rel=1e-15)
    assert joint.limits.upper == pytest.approx(math.radians(150), rel=1e-15)
    assert joint.rest == pytest.approx(math.radians(20), rel=1e-15)
    assert settings["q0"]["theta"] == pytest.approx(math.pi / 4, rel=1e-15)
    expected = da.Transform.rpy(0, math.pi / 2, -math.pi / 6)
    assert np.array(joint.origin.rotation, dtype=float) == pytest.approx(np.array(expected.rotation), abs=1e-15)
    assert da.load_machine(machine.to_yaml()) == machine
    with pytest.raises(MachineError, match="'lower' must be a plain number, got the expression 'l2'"):
        da.load_machine(text.replace("-45 deg", "l2"))


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: hinge(limits=da.Limits(-90, 90)), "lower limit of joint 'theta' is -90 rad"),
        (lambda: hinge(rest=45), "rest position of joint 'theta' is 45 rad"),
        (lambda: da.Transform.rpy(0, 90, 0), "the pitch angle of a transform is 90 rad"),
        (lambda: da.Transform.about("x", 180), "the angle of a rotation is 180 rad"),
        (lambda: DHRow(alpha=-90), "alpha of a DH row is -90 rad"),
        (
            lambda: da.load_simulation(hinge().to_yaml() + "simulation: {duration: 1, q0: {theta: 30}}\n"),
            "q0 of 'theta' is 30 rad",
        ),
    ],
)
def test_angles_that_look_like_degrees(make: Any, what: str) -> None:
    with pytest.warns(DalembertWarning, match=rf"{what}, more than 3 turns: angles are in radians; da.deg\(...\)"):
        make()


def test_lengths_and_small_angles_give_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        da.Joint("s", "prismatic", "world", "b", limits=da.Limits(-90, 90), rest=100.0)
        hinge(limits=da.Limits(-4 * math.pi, 4 * math.pi))
        da.Transform.rpy(math.pi, -math.pi, 2 * math.pi)


def test_did_you_mean() -> None:
    machine = hinge()
    with pytest.raises(UnknownNameError, match=r"no joint named 'thetta' in.*'m' \(did you mean 'theta'\?\); known"):
        machine.joint("thetta")
    with pytest.raises(UnknownNameError, match=r"did you mean 'theta'"):
        machine.joint("Theta")
    with pytest.raises(MachineError, match=r"kind 'revolut' \(did you mean 'revolute'\?\); known kinds: revolute"):
        da.Joint("j", "revolut", "world", "b")
    run = da.simulate(da.equations(machine, backend="vm"), duration=0.01, method="rk4", step=1e-3)
    with pytest.raises(UnknownNameError, match=r"in this run \(did you mean 'theta_dot'\?\); known"):
        run["theta_dt"]
    with pytest.raises(UnknownNameError) as caught:
        machine.joint("knee")
    assert "did you mean" not in str(caught.value)
