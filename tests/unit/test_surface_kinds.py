"""The contract of a kind of surface (`dalembert.model.contacts.surface`), checked for every kind there is.

`RingSurface` is one from outside the package, complete as it stands here.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import FileFormatError, MachineError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.io.json_schema import machine_json_schema
from dalembert.model import Axis, Distance, Scalar, Surface, Vector, register_surface
from dalembert.model.contacts import SURFACE_KINDS
from dalembert.model.contacts.surface import Value, numbers, vector


@dataclass(frozen=True)
class RingSurface(Surface):
    """The inside of a ring tube: all points within ``tube`` of a circle.

    Parameters
    ----------
    ring, tube
        Radius of the circle, and of the tube about it.
    axis, centre
        Axis and centre of the circle.
    """

    ring: Scalar
    tube: Scalar
    axis: Axis = (0.0, 0.0, 1.0)
    centre: Vector = (0.0, 0.0, 0.0)

    key = "ring"
    noun = "ring surface"

    def distance(self, x: ca.SX, value: Value) -> Distance:
        """``tube - |m|`` and ``-m / |m|`` with the vector ``m`` from the circle."""
        n, r = ca.DM(numbers(self.axis)), x - vector(self.centre, value)
        across = r - n * ca.dot(n, r)
        m = r - value(self.ring) * across / ca.norm_2(across)
        return Distance(value(self.tube) - ca.norm_2(m), -m / ca.norm_2(m))

    @property
    def convex_side(self) -> bool:
        """A segment may touch the inner side of the ring between its ends."""
        return False


@pytest.fixture(autouse=True)
def registered(registers: None) -> None:
    """Register the kind for the tests of this module; elsewhere the function is a decorator of the class."""
    register_surface(RingSurface)


SURFACES = {
    "half_space": da.HalfSpace((1.0, 2.0, 3.0), (0.1, da.Parameter("h", 0.2), 0.3)),
    "spherical": da.SphericalSurface(da.Parameter("r", 0.7), (0.1, 0.2, 0.3)),
    "spherical inside": da.SphericalSurface(3.0, (0.1, 0.2, 0.3), inside=True),
    "cylindrical": da.CylindricalSurface(0.5, (1.0, 2.0, 0.5), (0.1, 0.2, 0.3)),
    "cylindrical inside": da.CylindricalSurface(3.0, (1.0, 2.0, 0.5), (0.1, 0.2, 0.3), inside=True),
    "box_surface": da.BoxSurface(
        (0.6, da.Parameter("s", 0.8), 1.0), da.Transform((0.1, 0.2, 0.3), np.eye(3)[[1, 2, 0]])
    ),
    "ring": RingSurface(1.0, 0.3, centre=(0.0, 0.0, 0.4)),
}


def far(name: str, x: Array) -> float:
    """Distance of a point from a surface of `SURFACES`, by elementary geometry."""
    c = np.array([0.1, 0.2, 0.3])
    axis = np.array([1.0, 2.0, 0.5]) / np.sqrt(5.25)
    match name.split()[0]:
        case "half_space":
            return float(np.array([1.0, 2.0, 3.0]) @ (x - c) / np.sqrt(14.0))
        case "spherical":
            d = np.linalg.norm(x - c)
        case "cylindrical":
            d = np.linalg.norm(np.cross(axis, x - c))
        case "box_surface":
            q = np.abs((x - c)[[2, 0, 1]]) - np.array([0.3, 0.4, 0.5])
            return float(np.linalg.norm(np.maximum(q, 0.0)) if q.max() > 0.0 else q.max())
        case "ring":
            return float(0.3 - np.hypot(np.hypot(x[0], x[1]) - 1.0, x[2] - 0.4))
    return float(3.0 - d if "inside" in name else d - (0.7 if "sph" in name else 0.5))


def value(x: Scalar) -> ca.SX:
    return ca.SX(nominal(x))


def test_every_kind_has_a_case() -> None:
    assert {name.split()[0] for name in SURFACES} == set(SURFACE_KINDS)
    assert all(kind.key == key for key, kind in SURFACE_KINDS.items())


@pytest.mark.parametrize("name", SURFACES)
def test_the_normal_is_the_gradient_of_the_distance(name: str) -> None:
    x = ca.SX.sym("x", 3)
    d, n = SURFACES[name].distance(x, value)
    f = ca.Function("f", [x], [d, n, ca.gradient(d, x)])
    rng = np.random.default_rng(0)
    for point in rng.normal(size=(10, 3)):
        distance, normal, gradient = (np.array(y.full())[:, 0] for y in f(point))
        assert distance[0] == pytest.approx(far(name, point), abs=1e-12)
        assert np.allclose(normal, gradient, atol=1e-12)
        assert np.linalg.norm(normal) == pytest.approx(1.0)


@pytest.mark.parametrize("name", SURFACES)
def test_segments_touch_where_the_distance_is_least(name: str) -> None:
    surface, rng = SURFACES[name], np.random.default_rng(1)
    for _ in range(5):
        x, u = rng.normal(size=(2, 3))
        u /= np.linalg.norm(u)
        s = np.linspace(-0.8, 0.8, 2001)
        along = np.array([far(name, x + k * u) for k in s])
        if surface.convex_side:
            assert min(along[0], along[-1]) <= along.min() + 1e-12
        elif name in ("ring", "box_surface"):  # capsules have pairs of their own with a box
            with pytest.raises(MachineError, match=r"a (ring|box) surface takes points and spheres only"):
                surface.nearest(ca.SX(x), ca.SX(u), ca.SX(0.8), value)
        else:
            nearest = float(ca.evalf(surface.nearest(ca.SX(x), ca.SX(u), ca.SX(0.8), value)))
            assert nearest == pytest.approx(s[along.argmin()], abs=1e-3)


def machine_of(surface: Surface, **options: object) -> da.Machine:
    ball = da.sphere("ball", 1.0, 0.1)
    contact = da.Contact("touch", "ball", da.Sphere(0.1), surface=surface, **options)
    return da.Machine("ball", [ball], [da.Joint("base", "free", "world", "ball")], contacts=[contact])


@pytest.mark.parametrize("name", SURFACES)
def test_machine_files_and_pictures_take_every_kind(name: str) -> None:
    machine = machine_of(SURFACES[name])
    assert da.load_machine(machine.to_yaml()) == machine
    assert SURFACE_KINDS[name.split()[0]].key in machine_json_schema()["$defs"]["ContactEntry"]["properties"]
    shapes = SURFACES[name].shapes()
    assert len(shapes) == (name not in ("ring", "box_surface"))
    for shape in shapes:
        assert far(name, shape.point if hasattr(shape, "point") else shape.centre) != 0.0 or "half" in name


def test_a_ball_swings_in_a_ring() -> None:
    """A ball that slides in the lowest meridian of the tube swings as a pendulum of length ``tube - radius``."""
    machine = machine_of(RingSurface(1.0, 0.3, centre=(0.0, 0.0, 0.4)))
    a, length = 0.4, 0.2
    q0 = {"base.x": 1.0 + length * np.sin(a), "base.z": 0.4 - length * np.cos(a)}
    run = da.simulate(machine, duration=0.3, step=1e-3, q0=q0, backend="vm")
    pendulum = da.Machine(
        "pendulum",
        [da.point_mass("bob", 1.0, com=(0.0, 0.0, -length))],
        [da.Joint("angle", "revolute", "world", "bob", axis=(0, -1, 0))],
    )
    swing = da.simulate(pendulum, duration=0.3, step=1e-3, q0=[a], backend="vm")
    angle = np.arctan2(run["base.x"][-1] - 1.0, 0.4 - run["base.z"][-1])
    assert swing["angle"][-1] < 0.3
    assert angle == pytest.approx(swing["angle"][-1], abs=1e-6)
    assert run.energy.drift < 1e-7
    steps = da.simulate(machine, duration=0.3, step=1e-3, q0=q0, contact="time-stepping")
    assert np.hypot(steps["base.x"][-1] - 1.0, steps["base.z"][-1] - 0.4) == pytest.approx(length, abs=1e-3)


def test_mistakes_in_files_have_their_line() -> None:
    text = machine_of(SURFACES["ring"]).to_yaml()
    line = next(k for k, row in enumerate(text.splitlines(), 1) if "tube:" in row)
    with pytest.raises(FileFormatError, match=rf":{line}: unknown key 'tub'.*allowed: ring, tube, axis, centre"):
        da.load_machine(text.replace("tube:", "tub:"))


def test_a_kind_that_is_not_registered_is_refused_by_name() -> None:
    class OddSurface(da.HalfSpace):
        """A subclass that nobody registered."""

    with pytest.raises(
        MachineError, match=r"'touch' is of the class OddSurface.*put @dalembert.model.register_surface"
    ):
        machine_of(OddSurface())
    with pytest.raises(MachineError, match="has the key 'sphere', which contacts use already"):
        register_surface(type("Taken", (da.HalfSpace,), {"key": "sphere"}))
    with pytest.raises(MachineError, match="must define noun, convex_side and distance"):
        register_surface(type("Empty", (Surface,), {"key": "empty"}))
