"""Wrong beams, each with its own error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.outboard import outboard_load, with_outboard_loads
from dalembert.systems.flexible_arms import planar_arm

TUBE = da.Section.tube(0.02, 0.01)
GOOD: dict[str, Any] = {"E": 7e10, "G": 2.6e10, "density": 2700, "modes": {"y": 2}}


def _beam(**fields: Any) -> da.Beam:
    given = GOOD | fields
    return da.Beam(given.pop("name", "boom"), given.pop("length", 1.0), given.pop("section", TUBE), **given)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"E": 0.0}, "E of beam 'boom' must be > 0"),
        ({"density": -1.0}, "density of beam 'boom' must be > 0"),
        ({"length": 0.0}, "length of beam 'boom' must be > 0"),
        ({"length": da.Parameter("l", 1.0), "stiffening": True}, "the integrals of its stiffening need a plain number"),
        ({"offset": (da.Parameter("l", 1.0), 0.0, 0.0)}, "offset of beam 'boom' must be plain numbers"),
        ({"modes": {"y": 0}}, "between 1 and 40 .leave a rigid direction out., got 0"),
        ({"modes": {"y": 41}}, "between 1 and 40"),
        ({"modes": {"y": 1.5}}, "must be a whole number or a list of Shape"),
        ({"modes": {"w": 1}}, "known: x, y, z, torsion"),
        ({"modes": {"torsion": 1}, "G": 0.0}, "no stiffness in torsion: its G or torsion constant is zero"),
        ({"modes": {"y": 1}, "section": da.Section(1e-3, I_y=1e-8)}, "bending along y: its I_z is zero"),
        ({"modes": {"torsion": 1}, "rotary_inertia": False}, "no inertia in torsion"),
        ({"modes": {"torsion": 1}, "rotary_inertia": "rigid"}, "no inertia in torsion"),
        ({"rotary_inertia": "some"}, "rotary_inertia of beam 'boom' must be true, false, rigid, got 'some'"),
        ({"modes": {"y": (da.Shape.polynomial(2.0, [0, 0, 1]),)}}, "a shape has length 2, the beam 1"),
        ({"boundary": "glued-free"}, "must be ROOT-TIP of clamped, pinned, free"),
        ({"boundary": "clamped-free", "load": da.Load(1.0)}, "contradict"),
        ({"boundary": "clamped-loaded"}, "contradict"),
        ({"normalization": "load"}, "no load, which its normalization 'load' refers to"),
        ({"normalization": "loud"}, "known: unit, mass, segment, load, tip"),
        ({"section": ((0.5, TUBE), (0.6, TUBE))}, "add up to 1.1, its length is 1"),
        ({"section": "tube"}, "must be a Section or a list"),
        ({"damping": -0.1}, "damping of beam 'boom' must be >= 0"),
        ({"stations": {"camera": 1.2}}, "station 'camera' of beam 'boom' must lie in"),
        ({"name": "a.b"}, "must not contain a dot"),
        ({"offset": (0.0, 1.0)}, "must have 3 components"),
    ],
)
def test_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(da.MachineError, match=words):
        _beam(**fields)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: da.Load(-1.0), "the mass of a load must be >= 0"),
        (lambda: da.Load(1.0, (0.1, -0.1, 0.1)), "the inertia of a load about y must be >= 0"),
        (lambda: da.Load(1.0, (0.1, 0.1)), "must be 3 moments"),
        (lambda: da.Load(1.0, (1.0, 0.1, 0.1), 1.0), "needs an inertia about y of at least 1"),
        (lambda: da.Section(0.0), "the area of a section must be > 0"),
        (lambda: da.Section(1.0, 1.0, 1.0, I_yz=2.0), "must not exceed sqrt"),
        (lambda: da.Section(1.0, 0.3, 0.2, I_p=0.6), r"I_p of a section must be I_y \+ I_z = 0.5, got 0.6"),
        (lambda: da.Section.tube(0.1, 0.2), "inner radius of a tube must be less"),
    ],
)
def test_refused_sections_and_loads(make: Any, words: str) -> None:
    with pytest.raises(da.MachineError, match=words):
        make()


def test_what_hangs_on_the_flexible_axis_must_name_a_section() -> None:
    body = da.Body("tool", 1.0, inertia=(0.1, 0.1, 0.1))
    root = da.Joint("turn", "revolute", "world", "boom")
    with pytest.raises(da.MachineError, match=r"attach it to 'boom\.tip'"):
        da.Machine("m", [_beam(), body], [root, da.Joint("j", "fixed", "boom", "tool", da.Transform((1.0, 0, 0)))])
    with pytest.raises(da.MachineError, match=r"attach it to 'boom\.tip'"):
        da.Machine("m", [_beam()], [root], frames=[da.Frame("end", "boom", da.Transform((0.5, 0, 0)))])
    with pytest.raises(da.MachineError, match=r"known: boom, boom\.tip, tool, world"):
        da.Machine("m", [_beam(), body], [root, da.Joint("j", "fixed", "boom.middle", "tool")])


def test_nominal_configurations() -> None:
    arm = planar_arm()
    with pytest.raises(da.InputError, match=r"must have 6 numbers .* or 2 \(joints only\), got shape \(3,\)"):
        outboard_load(arm, "link1", [0.0, 0.0, 0.0])
    with pytest.raises(da.UnknownNameError, match="known: link1, link2"):
        outboard_load(arm, "link3")
    with pytest.raises(da.UnknownNameError, match="theta2"):
        with_outboard_loads(arm, {"theta9": 1.0})


def test_models_of_flexible_bodies() -> None:
    with pytest.raises(da.UnknownNameError, match="known: flex, flex-M, flex-MA, flex-MR"):
        da.equations(planar_arm(), approximation="flex-X")
    with pytest.raises(da.InputError, match="belongs to newton-euler"):
        da.equations(planar_arm(), by="lagrange", approximation="flex-M")
    with pytest.raises(da.InputError, match=r"flexible bodies \(link1, link2\); natural coordinates describe rigid"):
        da.equations(planar_arm(), by="natural")
    with pytest.raises(da.InputError, match="a closed form needs rigid bodies"):
        da.closed_form(planar_arm())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("density: 0.2", "density: -0.2"), "density of beam 'link1' must be > 0"),
        (("modes: {y: 2}", "modes: {y: 0}"), "between 1 and 40"),
        (("section: {area: 1.0, I_y: 1.0, I_z: 1.0}", "section: {outer: 1.0, height: 2.0}"), "a section takes outer"),
        (("length: 0.5", "length: long"), "no parameter named 'long'"),
    ],
)
def test_beams_of_machine_files_carry_their_line(change: tuple[str, str], words: str) -> None:
    text = planar_arm().to_yaml().replace("I_p: 2.0, torsion: 2.0", "").replace(", }", "}")
    assert change[0] in text
    with pytest.raises(da.DalembertError, match=f"<text>:[0-9]+: .*{words}"):
        da.load_machine(text.replace(*change, 1))


CUBIC = da.Shape.polynomial(1.0, [0, 0, 1.5, -0.5])
SINGULAR: dict[str, tuple[str, tuple[float, float, float], dict[str, Any], str]] = {
    "about its axis": ("revolute", (1, 0, 0), {}, r"joint 'j' \(revolute\) moves no inertia .*rotary_inertia=True"),
    "in a ball joint": ("spherical", (0, 0, 1), {}, r"joint 'j' \(spherical\) moves no inertia"),
    "free": ("free", (0, 0, 1), {}, r"joint 'j' \(free\) moves no inertia"),
    "mode like the joint": (
        "revolute",
        (0, 0, 1),
        {"modes": {"y": [da.Shape.polynomial(1.0, [0.0, 1.0])]}},
        r"joint 'j' \(revolute\) moves no inertia that the joints and modes",
    ),
    "one mode twice": (
        "revolute",
        (0, 0, 1),
        {"modes": {"y": [CUBIC, CUBIC]}},
        "modes of beam 'b' are not independent",
    ),
}


@pytest.mark.parametrize("case", SINGULAR)
def test_motions_without_inertia_are_refused(case: str) -> None:
    kind, axis, fields, message = SINGULAR[case]
    given: dict[str, Any] = {"modes": {"y": 2}, "rotary_inertia": False} | fields
    beam = da.Beam("b", 1.0, da.Section(1e-4, 1e-9, 1e-9), E=1e9, G=4e8, density=1e3, **given)
    joint = da.Joint("j", kind, "world", "b", axis=axis)
    with pytest.raises(da.MachineError, match=message):
        da.Machine("m", [beam], [joint])


def test_what_hangs_on_a_beam_gives_it_the_inertia_that_it_lacks() -> None:
    beam = da.Beam("b", 1.0, da.Section(1e-4, 1e-9, 1e-9), E=1e9, density=1e3, modes={"y": 2}, rotary_inertia=False)
    turn = da.Joint("j", "revolute", "world", "b", axis=(1, 0, 0))
    load = da.Body("load", 0.1, (0, 0, 0.1), inertia=(1e-4, 1e-4, 1e-4))
    machine = da.Machine("m", [beam, load], [turn, da.Joint("hold", "fixed", "b.tip", "load")])
    assert np.linalg.eigvalsh(da.equations(machine, backend="vm").mass_matrix(np.zeros(3)))[0] > 0
    rotor = da.Machine("m", [beam], [turn], motors=[da.Motor("j", "j", 10.0, 1e-4)])
    assert np.linalg.eigvalsh(da.equations(rotor, backend="vm").mass_matrix(np.zeros(3)))[0] > 0
    # A hinge about the same axis at the tip gives the load its freedom back.
    with pytest.raises(da.MachineError, match="joint 'j' \\(revolute\\) moves no inertia"):
        hinge = da.Joint("hold", "revolute", "b.tip", "load", axis=(1, 0, 0))
        da.Machine("m", [beam, load], [turn, hinge])
