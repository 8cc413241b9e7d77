"""The contract of formulations: a new one is a class and a line in the registry, and everything else takes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np
import pytest

import dalembert as da
from dalembert.core.kept import Kept
from dalembert.formulations import registry
from dalembert.formulations.tree.lagrange import Lagrange


class Twin(Lagrange):
    """A formulation that nobody knows but the registry."""

    name = "twin"
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {"flavour": ("plain", "sweet")}

    def __init__(self, machine: da.Machine, flavour: str = "plain") -> None:
        super().__init__(machine)
        self.flavour = flavour

    @classmethod
    def refusal(cls, machine: da.Machine) -> str | None:
        return f"machine '{machine.name}' is not for twins" if machine.name == "lone" else None


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(registry.FORMULATIONS, Twin.name, Twin)
    yield


def arm(**options: object) -> da.Machine:
    bodies = [da.box(f"link{k}", mass=1.0 + k, size=(0.1, 0.12, 1.0), com=(0, 0, -0.5)) for k in range(2)]
    joints = [
        da.Joint("shoulder", "revolute", "world", "link0", axis=(0, 1, 0), damping=0.1),
        da.Joint(
            "elbow", "revolute", "link0", "link1", da.Transform((0, 0, -1)), axis=(0, 1, 0), limits=da.Limits(-2.0, 2.0)
        ),
    ]
    motors = [da.Motor("m0", "shoulder"), da.Motor("m1", "elbow")]
    parts = {
        "bodies": bodies,
        "joints": joints,
        "motors": motors,
        "frames": [da.Frame("tip", "link1", da.Transform((0, 0, -1)))],
    }
    return da.Machine("arm", **{**parts, **options})


MACHINES = {
    "tree": arm(),
    "coupled": arm(couplings=[da.Coupling("elbow", "shoulder", -0.5, 0.1)], motors=[da.Motor("m0", "shoulder")]),
    "loop": arm(constraints=[da.DistanceConstraint("bar", "tip", other="world", length=1.9)]),
    "cable": arm(cables=[da.Cable("rope", "tip", exit_at=(0.3, 0, 0.2), length=1.5, stiffness=800.0, damping=2.0)]),
}


@pytest.mark.parametrize("kind", MACHINES)
def test_a_line_in_the_registry_is_enough(kind: str) -> None:
    machine = MACHINES[kind]
    law = da.PD(kp=20.0, kd=2.0, reference=[0.2] * machine.nu)
    q0 = {"shoulder": 0.3, "elbow": 0.6} if kind != "coupled" else {"shoulder": 0.3}
    runs = [
        da.simulate(machine, duration=0.1, q0=q0, control=law, by=by, backend="vm", reach=1.0)
        for by in ("newton-euler", "twin")
    ]
    assert runs[0].status == runs[1].status == "completed"
    for name in machine.q_names:
        assert np.allclose(runs[0][name], runs[1][name], rtol=0, atol=1e-9)
    assert runs[0].signal_names == runs[1].signal_names


def test_other_coordinates_and_verify_take_it() -> None:
    machine = arm()
    absolute = da.CoordinateMap(["a", "b"], lambda y, _: [y[0], y[1] - y[0]], lambda q, _: [q[0], q[0] + q[1]])
    one, two = (da.equations(machine, by, coordinates=absolute, backend="vm") for by in ("lagrange", "twin"))
    q, v = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    y, w = two.from_machine(q, v)
    assert np.allclose(y, [0.3, -0.1]) and np.allclose(w, [1.0, 3.0])
    assert np.allclose(two.to_machine(y, w), (q, v))
    many = two.from_machine(np.array([q, 2 * q]), np.array([v, v]))
    np.testing.assert_array_equal(many[0], [y, two.from_machine(2 * q, v)[0]])
    np.testing.assert_array_equal(many[1], [w, w])
    assert np.allclose(one.bias(y, w), two.bias(y, w))
    report = da.verify(machine, samples=2)
    assert report.ok and any("twin" in row.pair for row in report.rows)


def test_laws_of_joints_work_in_other_coordinates() -> None:
    """A law of joints sees the machine's own coordinates, whatever the equations are written in."""
    machine = arm()
    absolute = da.CoordinateMap(["a", "b"], lambda y, _: [y[0], y[1] - y[0]], lambda q, _: [q[0], q[0] + q[1]])
    for law in (
        da.PD(kp=20.0, kd=2.0, reference=[0.2, 0.3], gravity=True),
        da.PID(kp=20.0, ki=5.0, kd=2.0, reference=[0.2, 0.3]),
        da.ComputedTorque(kp=20.0, kd=8.0, reference=lambda t: [t, -t]),
        da.GravityCompensation(damping=0.5),
    ):
        runs = [
            da.simulate(da.equations(machine, coordinates=c, backend="vm"), duration=0.1, q0=[0.3, 0.6], control=law)
            for c in (None, absolute)
        ]
        for name in (*machine.q_names, "u.m0", "u.m1"):
            assert np.allclose(runs[1][name], runs[0][name], rtol=0, atol=1e-9), (law, name)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_run_stops_where_coordinates_end(method: str) -> None:
    """A point on its way to the centre of polar coordinates: no start there, and no step beyond."""
    import casadi as ca

    point = da.Machine(
        "point",
        bodies=[da.point_mass("slide", 0.0), da.point_mass("point", 2.0)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
            da.Joint("y", "prismatic", "slide", "point", axis=(0, 1, 0)),
        ],
        gravity=(0.0, 0.0, 0.0),
    )
    polar = da.CoordinateMap(
        ["r", "phi"],
        lambda y, _: [y[0] * ca.cos(y[1]), y[0] * ca.sin(y[1])],
        lambda q, _: [ca.norm_2(q), ca.atan2(q[1], q[0])],
        singular={"centre": lambda y, _: y[0] - 1e-2},
    )
    eom = da.equations(point, coordinates=polar, backend="vm")
    run = da.simulate(eom, duration=2.0, q0=[1.0, 0.0], v0=[-1.0, 0.0], method=method)
    assert (run.status, run.events[-1].name) == ("stopped", "centre")
    assert run.t[-1] == pytest.approx(0.99, abs=1e-9)
    passing = da.simulate(eom, duration=2.0, q0=[1.0, 0.3], v0=[-1.0, 0.0], method=method)
    assert passing.status == "completed"
    assert passing["x"][-1] == pytest.approx(-1.0, abs=1e-6)
    with pytest.raises(da.InputError, match=r"\(r, phi\) is singular at this state of machine 'point' \(centre\)"):
        da.simulate(eom, duration=1.0, q0=[0.0, 0.0])
    with pytest.raises(da.InputError, match="singular of a CoordinateMap must map names to functions"):
        da.CoordinateMap(["r", "phi"], lambda y, _: y, singular={"centre": 3.0})  # type: ignore[dict-item]


def test_options_and_refusals_are_those_of_the_formulation() -> None:
    made = da.equations(arm(), "twin", flavour="sweet").formulation
    assert isinstance(made, Twin) and made.flavour == "sweet"
    assert da.equations(arm(), "twin").formulation.flavour == "plain"
    with pytest.raises(da.UnknownNameError, match="known: plain, sweet"):
        da.equations(arm(), "twin", flavour="sour")
    with pytest.raises(da.InputError, match=r"flavour='sweet' belongs to twin, got by='lagrange'"):
        da.equations(arm(), "lagrange", flavour="sweet")
    with pytest.raises(da.UnknownNameError, match="flavor"):
        da.equations(arm(), "twin", flavor="sweet")
    with pytest.raises(da.InputError, match="'lone' is not for twins"):
        da.equations(arm().with_(name="lone"), "twin")


def test_equations_are_kept_with_their_machine_and_no_longer() -> None:
    import gc
    import weakref

    machine = arm()
    eom = da.equations(machine)
    assert da.equations(machine) is eom
    assert da.equations(arm()) is not eom
    watched = weakref.ref(machine)
    del machine, eom
    gc.collect()
    assert watched() is None


def test_kept_things_are_made_once_and_the_oldest_goes_first() -> None:
    kept, made = Kept(), []

    def get(key: int) -> int:
        return kept.once("square", key, lambda: made.append(key) or key**2, at_most=2)

    assert [get(k) for k in (1, 2, 1, 3, 1)] == [1, 4, 1, 9, 1]
    assert made == [1, 2, 3, 1]
