"""Beams and rods as chains of capsules: derivatives of gaps, beam theory, declared contacts, momentum, refusals."""

from __future__ import annotations

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from tests.support.gpu_on_processor import cupy_of_tests, needs_gpp
from tests.support.live_programs import LiveProgram

import dalembert as da
from dalembert.campaigns import sensitivities
from dalembert.collide.articulated import joined_bodies, machine_shapes
from dalembert.collide.frames import FrameMotions, frame_poses, shape_frames
from dalembert.collide.placed import shape_table
from dalembert.core.errors import DalembertError, MachineError
from dalembert.core.parameter import nominal
from dalembert.engine.collide.articulated import ShapesAtRest
from dalembert.simulation.rollout import cuda

G = 9.81
STEP: dict[str, Any] = {"contact": "time-stepping", "step": 1e-3, "backend": "vm"}
TUBE = da.Section.tube(0.02, 0.015)
ALLOY: dict[str, Any] = {"E": 7e10, "G": 2.6e10, "density": 2700.0}
BALL = da.Body("ball", 0.5, inertia=(1e-3, 1e-3, 1e-3), geometry=da.Sphere(0.05))
GROUND = da.Collider("ground", surface=da.HalfSpace())


def cantilever(s: float, **settings: Any) -> da.Machine:
    """A beam that is clamped to a wall, and a ball on a vertical slide above its abscissa s."""
    beam = da.Beam("beam", 1.0, TUBE, **ALLOY, modes={"z": 6}, damping=0.3)
    joints = [
        da.Joint("wall", "fixed", "world", "beam"),
        da.Joint("slide", "prismatic", "world", "ball", axis=(0, 0, 1), origin=da.Transform((s, 0.0, 0.07))),
    ]
    colliders = [da.Collider("beam", bodies=["beam"], friction=0.0, **settings), da.Collider("others")]
    return da.Machine("cantilever", [beam, BALL], joints, colliders=colliders)


@cache
def floating() -> tuple[da.EquationsOfMotion, ca.Function]:
    """A hub with a beam and a rod that bends in space, and the motions of their frames as a function of q."""
    beam = da.Beam("beam", 1.0, TUBE, **ALLOY, modes={"x": 1, "y": 2, "z": 2, "torsion": 1}, stiffening=True)
    rod = da.Rod("rod", 0.8, da.Section.tube(0.01), E=1e7, G=4e6, density=1200.0, strains={"bending": 2, "torsion": 1})
    joints = [
        da.Joint("base", "free", "world", "hub"),
        da.Joint("hinge", "revolute", "hub", "beam", axis=(0, 0, 1), origin=da.Transform((0.2, 0.0, 0.0))),
        da.Joint("clamp", "fixed", "hub", "rod", origin=da.Transform.about("z", np.pi, (-0.2, 0.0, 0.0))),
        da.Joint("ball", "free", "world", "ball"),
    ]
    bodies = [da.box("hub", 3.0, (0.2, 0.2, 0.2)), beam, rod, BALL]
    colliders = [da.Collider("flexible", bodies=["beam", "rod"], segments=3), da.Collider("others"), GROUND]
    eom = da.equations(da.Machine("floating", bodies, joints, colliders=colliders), backend="vm")
    motions, outputs = FrameMotions(eom), []
    for frame in shape_frames(eom.machine):
        m = motions.of(frame)
        outputs += [m.R, m.p, ca.vertcat(m.J, m.stretch), m.half]
    return eom, ca.Function("motions", [eom.symbolic.q], [ca.densify(e) for e in outputs])


def random_state(eom: da.EquationsOfMotion, rng: np.random.Generator) -> Any:
    d = rng.normal(0.0, 0.4, eom.nv)
    beam, rod = (next(b for b in eom.machine.bodies if b.name == name) for name in ("beam", "rod"))
    for body in (beam, rod):
        for name, size in zip(body.v_names, body.amplitudes, strict=True):
            d[eom.v_names.index(name)] = 0.5 * size * rng.normal()
    return eom.integrate(eom.q_neutral, d)


def test_jacobians_are_derivatives_of_poses() -> None:
    """Middle and axis of each segment, on random states: differences of the poses along random rates."""
    (eom, motions), rng, h = floating(), np.random.default_rng(1), 1e-6
    n = len(shape_frames(eom.machine))
    assert n == 8
    for _ in range(10):
        q, d = random_state(eom, rng), rng.normal(size=eom.nv)
        here, ahead, behind = (motions(x) for x in (q, eom.integrate(q, h * d), eom.integrate(q, -h * d)))
        for k in range(n):
            R, _, J, _ = (np.asarray(e) for e in here[4 * k : 4 * k + 4])
            np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
            pairs = zip(ahead[4 * k : 4 * k + 4], behind[4 * k : 4 * k + 4], strict=True)
            turn, rate, _, longer = ((np.asarray(a) - np.asarray(b)) / (2 * h) for a, b in pairs)
            np.testing.assert_allclose(J[:3] @ d, rate.ravel(), atol=1e-7)
            np.testing.assert_allclose(np.cross(J[3:6] @ d, R[:, 2]), turn[:, 2], atol=1e-7)
            np.testing.assert_allclose(J[6] @ d, longer.ravel()[0], atol=1e-7)
        for k, frame in enumerate(
            shape_frames(eom.machine)
        ):  # all but the ball turn with the hub, also about their axes
            if frame.owner != "ball":
                rates = np.asarray(here[4 * k + 2])[3:6, [eom.v_names.index(f"base.w{axis}") for axis in "xyz"]]
                np.testing.assert_allclose(rates, eom.pose("hub", q)[:3, :3], atol=1e-12)


def test_rates_of_gaps() -> None:
    """Gaps of capsules and of the ball, on random states: differences along rates, against rows from the Jacobians."""
    (eom, motions), rng, h, seen = floating(), np.random.default_rng(2), 1e-6, 0
    shapes = machine_shapes(eom.machine, nominal)
    places, p = frame_poses(eom), np.zeros(0)
    still = ShapesAtRest(shape_table(shapes, nominal, joined_bodies(eom.machine)), len(shape_frames(eom.machine)))

    def gaps(q: Any) -> dict[tuple[int, ...], Any]:
        found = still.touching(*places(q, p), reach=0.5)
        count = [sum((found.shapes[:k] == pair).all(axis=1)) for k, pair in enumerate(found.shapes)]
        return {(*pair, m): (x, n, g) for m, pair, x, n, g in zip(count, *found, strict=True)}

    for _ in range(10):
        q, d = random_state(eom, rng), rng.normal(size=eom.nv)
        at, ahead, behind, values = gaps(q), gaps(eom.integrate(q, h * d)), gaps(eom.integrate(q, -h * d)), motions(q)
        for key, (x, normal, gap) in at.items():
            pair = key[:2]
            kinds = [int(shapes[i].shape.kind) for i in pair]
            if key not in ahead or key not in behind or not any(shapes[i].segment for i in pair) or 3 in kinds:
                continue  # points of boxes are those of faces that are clipped
            rate = 0.0
            for i, sign in zip(pair, (1.0, -1.0), strict=True):
                if (k := shapes[i].body) >= 0:
                    R, centre, J, half = (np.asarray(e) for e in values[4 * k : 4 * k + 4])
                    r = x - centre.ravel()
                    rate += sign * normal @ (J[:3] @ d + np.cross(J[3:6] @ d, r))
                    if half > 0.0:
                        both = all(shapes[j].body >= 0 for j in pair)
                        foot = (r + sign * (shapes[i].shape.size[0] + both * gap / 2) * normal) @ R[:, 2] / half[0, 0]
                        assert abs(foot) < 1.0 + 1e-6
                        rate += sign * (normal @ R[:, 2]) * foot * (J[6] @ d)
            assert (ahead[key][2] - behind[key][2]) / (2 * h) == pytest.approx(rate, abs=2e-5)
            seen += 1
    assert seen > 30


@pytest.mark.parametrize("segments", [4, 8])
def test_weight_on_a_cantilever(segments: int) -> None:
    """A ball rests on a section between two capsules: its deflection and slope, by the modes and by beam theory."""
    s = 0.02 + 0.96 * 0.75
    machine = cantilever(s, segments=segments)
    run = da.simulate(machine, duration=3.0, record=1.0, **STEP)
    beam = machine.bodies[0]
    assert isinstance(beam, da.Beam)
    assert run["force.ball.z"][-1] == pytest.approx(0.5 * G, rel=1e-6)
    assert run["force.beam.z"][-1] == pytest.approx(-0.5 * G, rel=1e-6)
    shapes = np.array([float(m.shape(s)) for m in beam.basis])
    x, w = np.polynomial.legendre.leggauss(40)
    load = 2700.0 * TUBE.area * G * np.array([np.sum(0.5 * w * m.shape(0.5 * (x + 1.0))) for m in beam.basis])
    delta = -(0.5 * G * shapes + load) / beam.omega**2
    np.testing.assert_allclose(run.array(beam.q_names)[-1], delta, rtol=1e-4, atol=1e-9)
    sag = float(shapes @ delta)
    assert run["slide"][-1] == pytest.approx(sag, rel=1e-4)  # slopes of 1e-3: capsules are inclined
    stiffness, per_length = 7e10 * TUBE.I_y, 2700.0 * TUBE.area * G
    theory = 0.5 * G * s**3 / 3 + per_length * s**2 * (6.0 - 4.0 * s + s**2) / 24
    assert -run["slide"][-1] == pytest.approx(theory / stiffness, rel=2e-4)  # six modes


@pytest.mark.parametrize("stiffening", [True, False])
def test_end_as_a_declared_contact(stiffening: bool) -> None:
    """A beam falls on its rounded end: as the sphere of a contact that is declared at its section."""
    beam = da.Beam("beam", 1.0, TUBE, **ALLOY, modes={"z": 2}, stations={"end": 0.98}, stiffening=stiffening)
    hinge = da.Joint("hinge", "revolute", "world", "beam", axis=(0, 1, 0), origin=da.Transform((0.0, 0.0, 0.3)))
    law = {"friction": 0.0, "restitution": 0.3}
    floor = da.Collider("ground", surface=da.HalfSpace(), **law)
    machine = da.Machine("hinged", [beam], [hinge])
    found = machine.with_(colliders=[da.Collider("beam", bodies=["beam"], segments=6, **law), floor])
    declared = machine.with_(contacts=[da.Contact("end", "beam.end", da.Sphere(0.02), **law)])
    runs = [da.simulate(m, duration=0.26, **{**STEP, "step": 2e-4}) for m in (found, declared)]
    assert runs[0]["contact.count"].max() >= 1 and runs[0]["hinge_dot"].min() < 0.0
    for name in machine.q_names:
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-9, err_msg=name)
    assert runs[0]["work.loss"][-1] == pytest.approx(runs[1]["work.loss"][-1], rel=1e-9)


def test_end_hits_a_body_as_a_declared_contact() -> None:
    """A beam falls with its rounded end on a ball on a spring, beside its top."""
    beam = da.Beam("beam", 1.0, TUBE, **ALLOY, modes={"z": 2}, stations={"end": 0.98})
    ball = da.Body("ball", 1.0, inertia=(1e-3, 1e-3, 1e-3), geometry=da.Sphere(0.05))
    place = da.Transform((1.0, 0.0, 0.0))
    joints = [
        da.Joint("hinge", "revolute", "world", "beam", axis=(0, 1, 0), origin=da.Transform((0.0, 0.0, 0.3))),
        da.Joint("slide", "prismatic", "world", "ball", axis=(0, 0, 1), origin=place, stiffness=2e3, damping=20.0),
    ]
    machine, law = da.Machine("hit", [beam, ball], joints), {"friction": 0.0, "restitution": 0.3}
    found = machine.with_(colliders=[da.Collider("beam", bodies=["beam"], **law), da.Collider("ball", **law)])
    sphere = da.Contact("end", "beam.end", da.Sphere(0.02), surface=da.SphericalSurface(0.05), on="ball", **law)
    settings = {**STEP, "step": 2e-4}
    runs = [da.simulate(m, duration=0.25, **settings) for m in (found, machine.with_(contacts=[sphere]))]
    assert runs[0]["contact.count"].max() == 1 and runs[0]["work.loss"][-1] < -0.1
    for name in machine.q_names:
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-9, err_msg=name)


def test_falling_chain_as_declared_contacts() -> None:
    """Three links, each with one capsule, whose two ends are spheres of declared contacts at its sections."""
    r, law = 0.02, {"friction": 0.0, "restitution": 0.0}
    links = [
        da.Beam(n, 0.4, TUBE, **ALLOY, modes={"z": 1}, stations={"a": r, "b": 0.4 - r}, stiffening=True) for n in "uvw"
    ]
    joints = [da.Joint("u", "prismatic", "world", "u", axis=(0, 0, 1))]
    joints += [da.Joint(b, "revolute", f"{a}.tip", b, axis=(0, 1, 0)) for a, b in ("uv", "vw")]
    machine = da.Machine("chain", links, joints)
    spheres = [da.Contact(f"{n}{end}", f"{n}.{end}", da.Sphere(r), **law) for n in "uvw" for end in "ab"]
    ground = da.Collider("ground", surface=da.HalfSpace(), **law)
    found = machine.with_(colliders=[da.Collider("links", bodies=list("uvw"), segments=1, **law), ground])
    start = {"u": 0.1, "v": -0.3, "w": 0.5}
    settings = {**STEP, "step": 2e-4}
    runs = [da.simulate(m, duration=0.25, q0=start, **settings) for m in (found, machine.with_(contacts=spheres))]
    assert runs[0]["contact.count"].max() >= 4 and runs[0]["work.loss"][-1] < -1.0
    for name in machine.q_names:  # sweeps stop at 1e-8, and impacts amplify differences
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-7, err_msg=name)
    assert runs[0]["work.loss"][-1] == pytest.approx(runs[1]["work.loss"][-1], rel=1e-7)


def test_momentum_and_energy() -> None:
    """A ball hits a beam that floats: momenta stay within the order of the step, and the contact takes energy."""
    beam = da.Beam("beam", 1.0, TUBE, **ALLOY, modes={"y": 2, "z": 2, "torsion": 1}, boundary="free-free")
    joints = [da.Joint("base", "free", "world", "beam"), da.Joint("ball", "free", "world", "ball")]
    colliders = [da.Collider("beam", bodies=["beam"], restitution=0.5), da.Collider("balls", restitution=0.5)]
    machine = da.Machine("hit", [beam, BALL], joints, gravity=(0, 0, 0), colliders=colliders)
    start = {"ball.x": 0.71, "ball.y": 0.01, "ball.z": 0.1}
    spin = {"ball.vz": -2.0, "ball.vx": 0.5, "ball.wy": 10.0}
    eom, errors = da.equations(machine, backend="vm"), []
    for step in (4e-4, 1e-4):
        run = da.simulate(eom, duration=0.03, q0=start, v0=spin, contact="time-stepping", step=step)
        assert run["contact.count"].max() == 1 and run["ball.vz"][-1] > -1.9
        momentum = eom.momentum(run.array(machine.q_names), run.array(machine.v_names))
        errors.append(np.abs(momentum[-1] - momentum[0]).max())
        total = run["energy.kinetic"] + run["energy.potential"]
        assert total[-1] < 0.95 * total[0]
        assert run["work.loss"].min() == run["work.loss"][-1] < 0.0
    assert errors[1] < 1e-5 and errors[0] / errors[1] > 3.0  # the mass matrix changes with the bending


def test_beams_lie_on_the_ground() -> None:
    """Two hinged beams fall: at rest nothing has sunk in, and the force is their weight."""
    beams = [da.Beam(n, 0.5, TUBE, **ALLOY, modes={"z": 2}, damping=0.1) for n in ("one", "two")]
    joints = [
        da.Joint("rise", "prismatic", "world", "one", axis=(0, 0, 1)),
        da.Joint("hinge", "revolute", "one.tip", "two", axis=(0, 1, 0)),
    ]
    colliders = [da.Collider("beams", bodies=["one", "two"], segments=4), GROUND]
    machine = da.Machine("chain", beams, joints, colliders=colliders)
    run = da.simulate(machine, duration=0.8, q0={"rise": 0.2, "hinge": 0.3}, record=0.05, **STEP)
    assert run.status == "completed"
    weight = 2 * 0.5 * 2700.0 * TUBE.area * G
    assert run["force.one.z"][-1] + run["force.two.z"][-1] == pytest.approx(weight, rel=1e-3)
    places, half = frame_poses(da.equations(machine, backend="vm"))(run.array(machine.q_names)[-1], np.zeros(0))
    lowest = places[:, 2] - half * np.abs(places[:, 11])
    assert lowest.min() == pytest.approx(0.02, abs=1e-6)
    assert places[:, 2].max() < 0.0205


@pytest.mark.parametrize(("kind", "stiffening"), [("fixed", True), ("revolute", False)])
def test_mast_stands_on_the_ground(kind: str, stiffening: bool) -> None:
    """Its end could not leave the ground, clamped or on a vertical axis: a ball hits it as if there were no ground."""
    mast = da.Beam("mast", 1.0, TUBE, **ALLOY, modes={"z": 2}, stiffening=stiffening)
    upright = da.Transform.about("y", -np.pi / 2, (0.0, 0.0, 0.0))
    foot = da.Joint("foot", kind, "world", "mast", origin=upright, **({"axis": "x"} if kind == "revolute" else {}))
    joints, runs = [foot, da.Joint("ball", "free", "world", "ball")], []
    for ignores in ((), ("ground",)):
        own = da.Collider("mast", bodies=["mast"], ignores=ignores, adhesion=0.5)
        colliders = [own, da.Collider("others"), GROUND]
        machine = da.Machine("mast", [mast, BALL], joints, colliders=colliders)
        start, speed = {"ball.x": -0.15, "ball.z": 0.9}, {"ball.vx": 2.0}
        runs.append(da.simulate(machine, duration=0.1, q0=start, v0=speed, record=0.01, **STEP))
    assert np.abs(runs[0]["mast.delta1"]).max() > 1e-3
    for name in ("mast.delta1", "ball.x", "force.mast.z"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], rtol=1e-9, atol=1e-12, err_msg=name)


def test_one_segment_touches_the_ground() -> None:
    """The only segment of a clamped beam is not left out, the first of several ones is."""
    beam = da.Beam("beam", 1.0, TUBE, **ALLOY, modes={"z": 1})
    clamp = da.Joint("clamp", "fixed", "world", "beam")
    for segments, ignored in ((1, 0), (3, 1)):
        colliders = [da.Collider("beam", bodies=["beam"], segments=segments), GROUND]
        shapes = machine_shapes(da.Machine("m", [beam], [clamp], colliders=colliders), nominal)
        assert sum(s.clamped for s in shapes) == ignored


def test_beam_without_modes_towards_the_ground() -> None:
    """It lies on the ground, and no force would move it: a ball on it has its weight."""
    beam = da.Beam("beam", 1.0, TUBE, **ALLOY, modes={"y": 1})
    clamp = da.Joint("clamp", "fixed", "world", "beam", origin=da.Transform((0.0, 0.0, 0.02)))
    colliders = [da.Collider("beam", bodies=["beam"]), da.Collider("others"), GROUND]
    joints = [clamp, da.Joint("ball", "free", "world", "ball")]
    machine = da.Machine("lies", [beam, BALL], joints, colliders=colliders)
    run = da.simulate(machine, duration=0.1, q0={"ball.x": 0.7, "ball.z": 0.09}, record=0.05, **STEP)
    assert run["force.ball.z"][-1] == pytest.approx(0.5 * G, rel=1e-9)
    assert run["force.beam.z"][-1] == pytest.approx(-0.5 * G, rel=1e-9)


def test_beam_slides_until_it_rolls() -> None:
    """A solid round beam across its way: 2/3 of its speed, and its surface then does not slip."""
    bar = da.Beam("bar", 0.6, da.Section.tube(0.02), **ALLOY, modes={"torsion": 1}, boundary="free-free")
    base = da.Joint("base", "free", "world", "bar")
    machine = da.Machine("bar", [bar], [base], colliders=[da.Collider("bar", bodies=["bar"], segments=2), GROUND])
    start, speed = {"base.z": 0.02}, {"base.vy": 0.6}
    run = da.simulate(machine, duration=0.2, q0=start, v0=speed, record=0.1, **STEP)
    eom = da.equations(machine, backend="vm")
    momentum = eom.momentum(run.array(machine.q_names)[-1], run.array(machine.v_names)[-1])
    mass = 2700.0 * np.pi * 0.02**2 * 0.6
    assert momentum[1] / mass == pytest.approx(0.4, rel=1e-6)
    assert run["base.wx"][-1] == pytest.approx(-0.4 / 0.02, rel=1e-6)


def test_rod_meets_itself() -> None:
    """A rod that is bent to a circle touches itself with its ends, and never with the next parts of its axis."""
    rod = da.Rod("rod", 1.0, da.Section.tube(0.02), E=1e7, density=1200.0, strains={"bending_y": 1}, points=8)
    clamp = da.Joint("clamp", "fixed", "world", "rod")
    machine = da.Machine("rod", [rod], [clamp], colliders=[da.Collider("rod", bodies=["rod"], segments=20)])
    eom, shapes = da.equations(machine, backend="vm"), machine_shapes(machine, nominal)
    still, places = ShapesAtRest(shape_table(shapes, nominal, joined_bodies(machine)), 20), frame_poses(eom)
    pairs = {x: still.touching(*places(np.array([x]), np.zeros(0))).shapes for x in (0.0, np.pi, 2 * np.pi)}
    assert len(pairs[0.0]) == 0 and len(pairs[np.pi]) == 0
    assert len(pairs[2 * np.pi]) and all(abs(i - j) > 15 for i, j in pairs[2 * np.pi])


def test_what_a_beam_does_not_touch() -> None:
    """Bodies at its ends overlap it; those at its root and at its tip may touch each other."""
    machine = da.Machine(
        "ends",
        [da.box("root", 1.0, (0.1, 0.1, 0.1)), da.Beam("beam", 1.0, TUBE, **ALLOY, modes={"z": 1}), BALL],
        [
            da.Joint("base", "free", "world", "root"),
            da.Joint("clamp", "fixed", "root", "beam"),
            da.Joint("tip", "fixed", "beam.tip", "ball"),
        ],
        colliders=[da.Collider("beam", bodies=["beam"]), da.Collider("others")],
    )
    assert {frozenset(pair) for pair in joined_bodies(machine)} == {
        frozenset({"beam", end}) for end in ("root", "ball")
    }


def test_radius_of_sections() -> None:
    assert da.Section.tube(0.02, 0.015).outer_radius == pytest.approx(0.02, rel=1e-12)
    assert da.Section.tube(0.02).outer_radius == pytest.approx(0.02, rel=1e-12)
    assert 0.01 < (da.Section.rectangle(0.02, 0.02).outer_radius or 0.0) < 0.01 * np.sqrt(2.0)
    assert da.Section(1.0, 1e-3, 1e-3).outer_radius is None


def test_machine_files() -> None:
    machine = cantilever(0.5, segments=5, radius=0.03)
    assert da.load_machine(machine.to_yaml()) == machine


def test_members_are_single_runs() -> None:
    machine, settings = cantilever(0.8), {"duration": 0.05, "record": 0.01, **STEP}
    heights = np.array([0.0, 0.002])
    both = da.rollout(machine, q0={"slide": heights}, **settings)
    for k, height in enumerate(heights):
        np.testing.assert_array_equal(da.simulate(machine, q0={"slide": height}, **settings).x, both.x[k])


@needs_gpp
@pytest.mark.slow
def test_on_a_gpu(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text for a GPU, compiled for this processor: capsules of each world have their own lengths."""
    monkeypatch.setattr(cuda, "import_cupy", lambda: cupy_of_tests(tmp_path))
    machine, settings = cantilever(0.8, adhesion=30.0), {"duration": 0.1, "record": 0.01, "contact": "time-stepping"}
    speeds = {"slide_dot": np.array([-1.0, -0.5])}
    there, here = (da.rollout(machine, v0=speeds, device=device, **settings) for device in ("cuda", "cpu"))
    assert there.metadata["backend"] == "cuda" and here["force.ball.z"].min() < -0.1
    for name in ("slide", "beam.delta1", "force.ball.z"):
        np.testing.assert_allclose(there[name], here[name], rtol=1e-6, atol=1e-7, err_msg=name)


@pytest.mark.slow
def test_program_of_fmus_and_pages(tmp_path: Any) -> None:
    """The C of FMUs and of pages that simulate records the same rows, also of a ball that adheres to the beam."""
    machine = cantilever(0.8, adhesion=30.0)
    experiment = da.Experiment(
        machine, start=da.Start(v={"slide_dot": -1.0}), duration=0.1, contact="time-stepping", record=0.01
    )
    run, rows = da.simulate(experiment), LiveProgram(experiment, tmp_path).run(0.1)
    np.testing.assert_allclose(rows["t"], run.t, atol=1e-15)
    np.testing.assert_allclose(rows["x"], run.x, rtol=1e-7, atol=1e-7)
    assert run["force.ball.z"].min() < -0.1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"segments": 0}, "segments of collider 'beam' must be a whole number from 1 to 200, got 0"),
        ({"radius": -1.0}, "the radius of collider 'beam' must be a number > 0"),
        ({"radius": 0.3}, "give the collider a radius of less than a quarter"),
        ({"bodies": ["ball"], "segments": 3}, "collider 'beam' .* has segments or a radius"),
        ({"bodies": ["beam"], "grain": (1, 0, 0), "across": 0.1}, "'beam' among themselves may touch and both have"),
    ],
)
def test_bad_settings(change: dict[str, Any], words: str) -> None:
    machine = cantilever(0.5)
    with pytest.raises(MachineError, match=words):
        colliders = [da.Collider("beam", **{"bodies": ["beam"], **change}), machine.colliders[1]]
        machine.with_(colliders=colliders[: 1 if "bodies" in change else 2])


def test_what_has_no_capsules() -> None:
    machine = cantilever(0.5)
    long = da.Beam("beam", da.Parameter("l", 1.0), TUBE, **ALLOY, modes={"z": 1})
    with pytest.raises(MachineError, match=r"beam 'beam' of collider 'beam' .* its length is a parameter"):
        machine.with_(bodies=[long, BALL])
    flat = da.Beam("beam", 1.0, da.Section(1.0, 1e-3, 1e-3), E=1.0, density=1.0, modes={"z": 1})
    with pytest.raises(MachineError, match="less second moments than a solid circle"):
        machine.with_(bodies=[flat, BALL])
    rope = da.Cable("rope", "ball", exit_at=(0.0, 0.0, 2.0), length=3.0)
    with pytest.raises(MachineError, match="names the rope 'rope': its spans have no mass"):
        machine.with_(cables=[rope], colliders=[da.Collider("rope", bodies=["rope"])])


def test_linear_models_and_derivatives_refuse_it() -> None:
    machine = cantilever(0.5)
    with pytest.raises(DalembertError, match="'beam' is a beam, whose capsules bend: time-stepping has no"):
        sensitivities(machine, of=["slide"], wrt=["slide"], duration=0.1, contact="time-stepping")
    with pytest.raises(DalembertError, match="touch, and 'beam' is a beam, whose capsules bend: no linear model"):
        da.linearize(da.equations(machine, backend="vm"), at={"slide": 0.0})
