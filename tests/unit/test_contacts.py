"""Contacts as they are declared, and their gaps and rows against derivatives of the gaps."""

import math
import re

import numpy as np
import pytest

import dalembert as da

SURFACES = {
    "ground": da.HalfSpace(point=(0.1, 0.2, -3.0)),
    "incline": da.HalfSpace(normal=(1.0, -0.5, 2.0), point=(0.0, 0.0, -3.0)),
    "in sphere": da.SphericalSurface(6.0, centre=(0.1, 0.2, 0.3), inside=True),
    "out of sphere": da.SphericalSurface(0.5, centre=(2.0, 2.5, -1.5)),
    "in cylinder": da.CylindricalSurface(5.0, axis=(0.3, 1.0, 0.2), inside=True),
    "out of cylinder": da.CylindricalSurface(0.4, axis=(0.3, 0.2, 1.0), point=(2.0, 2.5, -1.5)),
}
SOLIDS = {
    "point": None,
    "sphere": da.Sphere(0.07),
    "capsule": da.Capsule(0.05, 0.6),
    "box": da.Box((0.2, 0.3, 0.4)),
}
TURNED = da.Transform.rpy(0.3, -0.4, 0.5, (0.1, 0.05, -0.2))


def arm(*contacts: da.Contact, beam: bool = True, turns: bool = True) -> da.Machine:
    """A free body with a link, a beam (or a second link) at its tip, and another free body.

    Without ``turns`` no joint has a quaternion: all velocities are the rates of coordinates.
    """
    section = da.Section.rectangle(0.02, 0.03)
    last = da.Beam("beam", 0.8, section, 7e9, 3e9, 2700.0, modes={"y": 2, "z": 1}, stations={"middle": 0.4})
    return da.Machine(
        "arm",
        bodies=[
            da.box("base", 3.0, (0.4, 0.3, 0.2)),
            da.box("link", 1.0, (0.5, 0.1, 0.1)),
            last if beam else da.box("beam", 1.0, (0.8, 0.1, 0.2)),
            da.sphere("other", 2.0, 0.2),
        ],
        joints=[
            da.Joint("root", "free" if turns else "planar", "world", "base", axis="z"),
            da.Joint("elbow", "revolute", "base", "link", TURNED, axis="y"),
            da.Joint("wrist", "spherical" if turns else "revolute", "link", "beam", (0.5, 0.0, 0.0), axis="z"),
            da.Joint("float", "free" if turns else "planar", "world", "other", (2.0, 2.0, -1.0), axis="x"),
        ],
        contacts=contacts,
    )


def moved_state(eom: da.EquationsOfMotion, q: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
    """Configuration after a short time at constant velocities, by the classical Runge-Kutta method."""
    k1 = eom.coordinate_rate(q, v)
    unit = lambda x: normalised(eom, x)  # noqa: E731
    k2 = eom.coordinate_rate(unit(q + h / 2 * k1), v)
    k3 = eom.coordinate_rate(unit(q + h / 2 * k2), v)
    k4 = eom.coordinate_rate(unit(q + h * k3), v)
    return unit(q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


def normalised(eom: da.EquationsOfMotion, q: np.ndarray) -> np.ndarray:
    q = q.copy()
    for _, start in eom.layout.quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q


def all_contacts(on: str) -> list[da.Contact]:
    made = []
    for i, (s, solid) in enumerate(SOLIDS.items()):
        frame = ("beam.tip", "beam.middle", "link", "base")[i]
        for k, surface in SURFACES.items():
            if not (isinstance(solid, da.Box) and not surface.convex_side):
                made.append(da.Contact(f"{s} {k}", frame, solid, TURNED, surface, on, friction=0.3))
    return made


@pytest.mark.parametrize("turns", [True, False])
@pytest.mark.parametrize("on", ["world", "other"])
def test_rows_are_the_derivatives_of_the_gaps(on: str, turns: bool) -> None:
    machine = arm(*all_contacts(on), turns=turns)
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(3)
    for _ in range(3):
        q, v, h = eom.random_configuration(rng, 0.5), rng.normal(size=eom.nv), 1e-4
        terms = eom.contact_terms(q, v)
        later, before = moved_state(eom, q, v, h), moved_state(eom, q, v, -h)
        rate = (eom.contact_gaps(later) - eom.contact_gaps(before)) / (2 * h)
        assert np.allclose(terms.velocity[:, 0], rate, atol=2e-6)
        assert np.allclose(terms.velocity, terms.jacobian @ v, atol=1e-12)
        ahead, behind = eom.contact_terms(later, v).velocity, eom.contact_terms(before, v).velocity
        assert np.allclose(terms.bias, (ahead - behind) / (2 * h), atol=2e-5)


@pytest.mark.parametrize("turns", [True, False])
def test_rows_of_the_ground_are_those_of_jacobians(turns: bool) -> None:
    """Newton-Euler has them by recursions in world axes, Lagrange by Jacobians of frames and their derivatives."""
    machine = arm(*(c for c in all_contacts("world") if isinstance(c.surface, da.HalfSpace)), turns=turns)
    one, two = (da.equations(machine, by=by, backend="vm") for by in ("newton-euler", "lagrange"))
    rng = np.random.default_rng(7)
    for _ in range(3):
        q, v = one.random_configuration(rng, 0.5), rng.normal(size=one.nv)
        a, b = one.contact_terms(q, v), two.contact_terms(q, v)
        for name in ("gap", "jacobian", "velocity", "bias"):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-11, atol=1e-11, err_msg=name)


@pytest.mark.parametrize("turns", [True, False])
@pytest.mark.parametrize("on", ["world", "other"])
def test_velocities_are_those_of_material_points(on: str, turns: bool) -> None:
    machine = arm(*all_contacts(on), turns=turns)
    eom = da.equations(machine, backend="vm")
    rng = np.random.default_rng(5)
    q, v = eom.random_configuration(rng, 0.5), rng.normal(size=eom.nv)
    terms, (points, axes) = eom.contact_terms(q, v), eom.contact_points(q)
    pairs = [c for c in machine.contacts for _ in c.pairs]
    assert eom.contact_names == tuple(n for c in machine.contacts for n in c.pairs)
    for k, contact in enumerate(pairs):
        R = axes[k]
        assert np.allclose(R @ R.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(R) == pytest.approx(1.0)
        twist = eom.jacobian(contact.frame, q, axes="world") @ v
        one = twist[:3] + np.cross(twist[3:], points[k] - eom.pose(contact.frame, q)[:3, 3])
        two = np.zeros(3)
        if on != "world":
            twist = eom.jacobian(on, q, axes="world") @ v
            facing = points[k] - terms.gap[k] * R[0]
            two = twist[:3] + np.cross(twist[3:], facing - eom.pose(on, q)[:3, 3])
        assert np.allclose(terms.velocity[k], R @ (one - two), atol=1e-11)


def test_gaps_are_distances() -> None:
    ball = da.Machine(
        "ball",
        [da.sphere("ball", 1.0, 0.1)],
        [da.Joint("base", "free", "world", "ball")],
        contacts=[
            da.Contact("ground", "ball", da.Sphere(0.1)),
            da.Contact("shell", "ball", da.Sphere(0.1), surface=da.SphericalSurface(2.0, inside=True)),
            da.Contact("pole", "ball", da.Sphere(0.1), surface=da.CylindricalSurface(0.2, point=(3.0, 0.0, 0.0))),
            da.Contact("stone", "ball", da.Sphere(0.1), surface=da.SphericalSurface(0.3, (0.0, 4.0, 0.0))),
            da.Contact("rod", "ball", da.Capsule(0.1, 1.0), surface=da.SphericalSurface(0.3, (0.0, 0.0, 4.0))),
        ],
    )
    eom = da.equations(ball, backend="vm")
    q = eom.q_neutral
    assert eom.contact_gaps(q) == pytest.approx([-0.1, 1.9, 2.7, 3.6, 3.1])
    q[:3] = 0.0, 3.0, 4.0
    assert eom.contact_gaps(q) == pytest.approx([3.9, 1.9 - 5.0, math.hypot(3, 3) - 0.3, math.hypot(1, 4) - 0.4, 2.6])


def test_formulations_agree() -> None:
    machine = arm(*[c for c in all_contacts("other") if not c.frame.startswith("beam.")], beam=False)
    rng = np.random.default_rng(1)
    first = da.equations(machine, backend="vm")
    q, v = first.random_configuration(rng, 0.5), rng.normal(size=first.nv)
    expected = first.contact_terms(q, v)
    for by in ("lagrange", "natural"):
        eom = da.equations(machine, by=by, backend="vm")
        got = eom.contact_terms(*eom.from_machine(q, v))
        assert np.allclose(got.gap, expected.gap, atol=1e-12)
        assert np.allclose(got.velocity, expected.velocity, atol=1e-11)


def test_limits_are_contacts_of_coordinates() -> None:
    slide = da.Joint("x", "prismatic", "world", "block", axis="x", limits=da.Limits(-1.0, 2.0))
    machine = da.Machine("block", [da.point_mass("block", 1.0)], [slide])
    eom = da.equations(machine, backend="vm")
    assert eom.contact_names == ()
    terms = eom.contact_terms([0.5], [3.0], limits=True)
    assert eom.contact_system(limits=True).names == ("x.lower", "x.upper")
    assert terms.gap == pytest.approx([1.5, 1.5])
    assert terms.velocity[:, 0] == pytest.approx([3.0, -3.0])
    assert not terms.velocity[:, 1:].any()


def test_machine_files_hold_contacts() -> None:
    e = da.Parameter("e", 0.5)
    contacts = [
        da.Contact("a", "beam.tip", friction=0.3, restitution=e),
        da.Contact("b", "base", da.Box((0.2, 0.3, 0.4)), TURNED, da.HalfSpace("x", (0, 0, -1)), law="poisson"),
        da.Contact("c", "link", da.Capsule(0.1, 0.3), surface=da.SphericalSurface(2.0, (1, 2, 3), inside=True)),
        da.Contact("d", "link", da.Sphere(0.1), (1, 2, 3), da.CylindricalSurface(2.0, "y", (0, 0, 7)), "other"),
    ]
    machine = arm(*contacts)
    text = machine.to_yaml()
    assert da.load_machine(text) == machine
    assert da.load_machine(text).contacts == machine.contacts
    assert [p.name for p in machine.parameters] == ["e"]


BAD = {
    "restitution of contact 'c' must be from 0 to 1, got 1.5": {"restitution": 1.5},
    "friction of contact 'c' must be >= 0, got -0.1": {"friction": -0.1},
    "law of restitution of contact 'c' must be one of newton, poisson, got 'stronge'": {"law": "stronge"},
    "contact 'c': .*bodyy": {"frame": "bodyy"},
    "contact 'c': .*ground": {"on": "ground"},
    "contact 'c' joins two frames of one body": {"on": "link"},
    "the solid of contact 'c' must be a Sphere, Capsule or Box": {"solid": da.Cylinder(1.0, 2.0)},
    "a box touches with its corners only": {"solid": SOLIDS["box"], "surface": SURFACES["out of sphere"]},
    "the surface of contact 'c' must be": {"surface": "floor"},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_contacts_are_refused(message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        arm(da.Contact(**({"name": "c", "frame": "link"} | BAD[message])))


def test_bad_contacts_of_files_and_parameters_are_refused() -> None:
    head = "name: m\nbodies: {b: {point_mass: {mass: 1}}}\njoints: {z: {kind: prismatic, parent: world, child: b}}\n"
    with pytest.raises(da.DalembertError, match=r"4.*restitution of contact 'f' must be from 0 to 1, got 2"):
        da.load_machine(head + "contacts: {f: {frame: b, restitution: 2}}\n")
    with pytest.raises(da.DalembertError, match="one of sphere, capsule, box, got sphere and box"):
        da.load_machine(head + "contacts: {f: {frame: b, sphere: {radius: 1}, box: {size: [1, 1, 1]}}}\n")
    with pytest.raises(da.MachineError, match="2 of the constraint, cable, rope or contact name 'f'"):
        arm(da.Contact("f", "link"), da.Contact("f", "base"))
    machine = arm(da.Contact("c", "link", restitution=da.Parameter("e", 0.5)))
    with pytest.raises(da.InputError, match=r"restitution of contact 'c' must be from 0 to 1, got 1\.2"):
        da.equations(machine).parameter_values({"e": 1.2})


def test_geometry_becomes_contacts() -> None:
    body = da.Body(
        "foot",
        1.0,
        inertia=(0.1, 0.1, 0.1),
        geometry=[
            da.Geometry(da.Sphere(0.1), da.Transform((0, 0, -0.3))),
            da.Geometry(da.Cylinder(0.05, 0.5)),
            da.Geometry(da.Box((1, 2, 3)), visual=False),
            da.Geometry(da.Box((1, 2, 3)), collision=False),
        ],
    )
    machine = da.Machine("leg", [body], [da.Joint("base", "free", "world", "foot")])
    with pytest.raises(da.MachineError, match="capsules=True takes the capsule within it"):
        da.geometry_contacts(machine, friction=0.7)
    made = da.geometry_contacts(machine, friction=0.7, capsules=True)
    assert [c.name for c in made] == ["foot.0", "foot.1", "foot.2"]
    assert made[1].solid == da.Capsule(0.05, 0.4)
    assert made[0].origin.translation == (0.0, 0.0, -0.3)
    assert {c.friction for c in made} == {0.7}
    assert len(da.equations(machine.with_(contacts=made)).contact_names) == 1 + 2 + 8
    for solid, message in ((da.Mesh("sole.stl"), "mesh 'sole.stl'"), (da.Cylinder(1.0, 0.5), "not longer .0.5 m.")):
        wrong = machine.with_(bodies=[da.Body("foot", 1.0, inertia=(0.1, 0.1, 0.1), geometry=[solid])])
        with pytest.raises(da.MachineError, match=message):
            da.geometry_contacts(wrong, capsules=True)


@pytest.mark.parametrize("name", ["foot[0]", "base.lower"])
def test_names_of_pairs_do_not_meet(name: str) -> None:
    contacts = [da.Contact("foot", "body", da.Capsule(0.1, 1.0)), da.Contact(name, "body", da.Sphere(0.1))]
    joint = da.Joint("base", "free", "world", "body")
    with pytest.raises(da.MachineError, match=rf"2 of the contact pair name '{re.escape(name)}'"):
        da.Machine("m", [da.sphere("body", 1.0, 0.1)], [joint], contacts=contacts)


def test_a_free_root_touches_by_a_section() -> None:
    """The frame of a free beam is where its root would be if it were straight."""
    made = {"E": 7e10, "density": 2700.0, "modes": {"z": 2}, "stations": {"start": 0.0}}
    joint = da.Joint("base", "free", "world", "beam")
    for boundary, frame, good in (
        ("free-free", "beam", 0),
        ("free-free", "beam.start", 1),
        ("clamped-free", "beam", 1),
    ):
        beam = da.Beam("beam", 1.0, da.Section.tube(0.01), boundary=boundary, **made)  # type: ignore[arg-type]
        parts = {"bodies": [beam], "joints": [joint], "contacts": [da.Contact("root", frame)]}
        if good:
            assert da.Machine("m", **parts).contacts  # type: ignore[arg-type]
        else:
            with pytest.raises(da.MachineError, match=r"contact 'root' is on 'beam', .* the contact to 'beam\.start'"):
                da.Machine("m", **parts)  # type: ignore[arg-type]
