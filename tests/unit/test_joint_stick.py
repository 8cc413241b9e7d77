"""Joints with Coulomb friction that sticks: what the model says, and what cannot have them."""

import pytest

import dalembert as da
from dalembert.analysis import closed_form, linearize, machine_modes
from dalembert.core.errors import FileFormatError, InputError, MachineError
from dalembert.io import machine_to_yaml
from dalembert.plan import optimal_motion


def _arm(**joint):
    link = da.box("link", mass=2.0, size=(0.1, 0.1, 0.8), com=(0, 0, -0.4))
    tip = da.box("tip", mass=1.0, size=(0.1, 0.1, 0.5), com=(0, 0, -0.25))
    return da.Machine(
        "arm",
        bodies=[link, tip],
        joints=[
            da.Joint("a", "revolute", "world", "link", axis="y", **{"friction": 2.0, "friction_law": "stick"} | joint),
            da.Joint("b", "revolute", "link", "tip", origin=(0, 0, -0.8), axis="y"),
        ],
        motors=[da.Motor("a", "a"), da.Motor("b", "b")],
    )


def test_the_law_is_checked():
    make = lambda kind="revolute", **more: da.Joint("j", kind, "world", "b", **more)  # noqa: E731
    assert make(friction=2.0, friction_law="stick").sticks
    assert not make(friction=2.0).sticks
    assert not make(friction_law="stick").sticks  # without friction there is nothing that sticks
    assert make("prismatic", friction=da.Parameter("F", 2.0), friction_law="stick").sticks
    with pytest.raises(MachineError, match="known laws: smooth, stick"):
        make(friction_law="stik")
    with pytest.raises(MachineError, match="a fixed joint has no velocity"):
        make("fixed", friction_law="stick")
    with pytest.raises(MachineError, match="a spherical joint has 3; make it of simple joints"):
        make("spherical", friction=1.0, friction_law="stick")
    with pytest.raises(MachineError, match="has no friction_velocity"):
        make(friction=1.0, friction_law="stick", friction_velocity=0.1)


@pytest.mark.parametrize("by", ["newton-euler", "lagrange", "gibbs-appell", "natural"])
def test_smooth_losses_leave_it_out(by):
    """The forces of a moving machine are those of one without friction at the joint, in every formulation."""
    q, v = [0.3, -0.2], [0.7, 0.4]
    forces = []
    for machine in (_arm(), _arm(friction=0.0), _arm(friction_law="smooth")):
        eom = da.equations(machine, by=by)
        state = eom.from_machine(q, v) if by == "natural" else (q, v)
        forces.append(eom.applied(*state, u=[0.0, 0.0]))
    assert abs(forces[0] - forces[1]).max() == 0.0
    assert abs(forces[0] - forces[2]).max() > 0.1


def test_files_keep_the_law(tmp_path):
    machine = _arm(friction=da.Parameter("F", 2.0))
    text = machine_to_yaml(machine)
    assert "friction_law: stick" in text
    path = tmp_path / "arm.yaml"
    path.write_text(text)
    assert da.load_machine(path) == machine
    path.write_text(text.replace("friction_law: stick", "friction_law: sticky"))
    with pytest.raises(FileFormatError, match="friction_law of joint 'a' must be 'smooth' or 'stick'"):
        da.load_machine(path)


def test_linear_models_ask_whether_it_moves():
    """At rest a joint that sticks has no derivative: it is held by name, or moves without friction."""
    with pytest.raises(InputError, match=r"a linear model cannot .*joint 'a' .*locked="):
        linearize(_arm())
    with pytest.raises(InputError, match="modes of vibration cannot"):
        machine_modes(_arm())
    held = linearize(_arm(), locked=["a"])
    assert pytest.approx(linearize(_arm(friction=0.0), locked=["a"]).A) == held.A
    assert machine_modes(_arm(), locked=["a"]).omega == pytest.approx(
        machine_modes(_arm(friction=0.0), locked=["a"]).omega
    )


def test_what_has_no_law_for_it_says_so():
    with pytest.raises(InputError, match="a closed form cannot have friction_law='stick'"):
        closed_form(_arm())
    with pytest.raises(InputError, match="optimal_motion cannot have friction_law='stick'"):
        optimal_motion(_arm(), {"a": 0.0}, {"a": 1.0}, duration=1.0)
