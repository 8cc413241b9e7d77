"""Beams whose length is a parameter: they equal beams that are made with that length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.control.mu import robust_stability
from dalembert.control.uncertain import uncertain
from dalembert.core.types import Array

LENGTH = da.Parameter("L", 1.0)
THICK, THIN = da.Section.rectangle(0.02, 0.006), da.Section(8e-5, 1.1e-9, 3.1e-10, I_yz=2e-10, torsion=4e-10)


def arm(length: Any, **changed: Any) -> da.Machine:
    """A beam with an offset on a joint, with bodies on its tip and on a station."""
    h = length if isinstance(length, float) else 1.0
    fields: dict[str, Any] = {
        "section": ((0.3 * h, THICK), (0.7 * h, THIN)),
        "stations": {"middle": 0.4 * h},
        "modes": {"x": 1, "y": 2, "z": 1, "torsion": 1},
        "damping": 0.03,
        "offset": (0.1, -0.02, 0.03),
    } | changed
    beam = da.Beam("link", length, E=70e9, G=26e9, density=2700.0, **fields)
    return da.Machine(
        "arm",
        [beam, da.Body("hand", 0.3, com=(0.02, 0.01, 0.0), inertia=(1e-3, 2e-3, 3e-3)), da.point_mass("eye", 0.05)],
        [
            da.Joint("theta", "revolute", "world", "link", axis="y"),
            da.Joint("wrist", "revolute", "link.tip", "hand", axis="z"),
            da.Joint("mount", "fixed", "link.middle", "eye"),
        ],
        motors=[da.Motor("tau", "theta")],
    )


def coordinates(h: float) -> Array:
    """Coordinates of a beam that is made with ``h`` times the length, per those of one that is stretched."""
    return np.array([1.0, *[h**1.5] * 4, h**0.5, 1.0])


@pytest.mark.parametrize(("by", "h"), [("newton-euler", 0.6), ("lagrange", 1.7)])
def test_accelerations_equal_those_of_a_beam_made_with_that_length(by: str, h: float) -> None:
    stretched, made = (da.equations(arm(length), by=by, backend="vm") for length in (LENGTH, h))
    rng, factor = np.random.default_rng(3), coordinates(h)
    q, v = (rng.normal(size=7) * [1.0, *[0.01] * 5, 1.0] for _ in range(2))
    expected = made.forward_dynamics(factor * q, factor * v, u=[0.7])
    found = stretched.forward_dynamics(q, v, u=[0.7], p={"L": h})
    assert factor * found == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
    for frame in ("link.tip", "link.middle"):
        assert stretched.pose(frame, q, p={"L": h}) == pytest.approx(made.pose(frame, factor * q), abs=1e-13)


def test_given_shapes_are_stretched_with_their_deflections() -> None:
    breaks, coefficients = (0.0, 0.5, 1.0), ((0.1, 0.2, 0.1), (0.4, 0.2, -0.05))

    def shapes(h: float, a: float) -> tuple[da.Shape, ...]:
        return (da.Shape(tuple(h * b for b in breaks), tuple(tuple(a * x for x in c) for c in coefficients)),)

    h = 1.4
    both = [
        da.equations(arm(length, modes={"y": shapes(x, x), "torsion": shapes(x, 1.0)}), backend="vm")
        for length, x in ((LENGTH, 1.0), (h, h))
    ]
    q, v = np.random.default_rng(1).normal(size=(2, 4)) * [1.0, 0.02, 0.02, 1.0]
    found, expected = (eom.forward_dynamics(q, v, u=[0.2], p=p) for eom, p in zip(both, ({"L": h}, None), strict=True))
    assert found == pytest.approx(expected, rel=1e-9)


def test_springs_of_supports_and_the_damping() -> None:
    """The frequency of a mode has springs that do not change with the length; that of a given shape has none."""
    h, zeta, springs = 1.3, 0.1, {"deflection_spring": 2e3, "slope_spring": 50.0}
    more: dict[str, Any] = {"damping": zeta, "rotary_inertia": False}
    ends = (da.Support(deflection=True, slope=True), da.Support(**springs))

    def clamped(length: Any, modes: Any) -> da.Machine:
        link = da.Beam("link", length, THICK, 70e9, 26e9, 2700.0, {"z": modes}, boundary=ends, **more)
        return da.Machine("held", [link], [da.Joint("root", "fixed", "world", "link")], gravity=(0, 0, 0))

    def shape(x: float) -> tuple[da.Shape, ...]:
        return (da.Shape((0.0, x), ((0.0, 0.0, 0.4 * x, -0.1 * x),)),)

    made, stretched = da.linearize(clamped(h, shape(h))), da.linearize(clamped(LENGTH, shape(1.0)), p={"L": h})
    assert pytest.approx(made.A, rel=1e-9) == stretched.A and made.A[1, 1] < 0.0
    machine = clamped(LENGTH, 1)
    mode = machine.bodies[0].basis[0].shape
    held = springs["deflection_spring"] * (h * mode(1.0)) ** 2 + springs["slope_spring"] * mode(1.0, 1) ** 2
    square = -da.linearize(machine, p={"L": h}).A
    M = da.equations(machine, backend="vm").mass_matrix(machine.q_neutral, p={"L": h})[0, 0]
    assert square[1, 1] == pytest.approx(2.0 * zeta * square[1, 0] / np.sqrt(square[1, 0] + held / M), rel=1e-9)


def test_mass_grows_with_the_length() -> None:
    from dalembert.core.parameter import evaluate

    link = da.Beam("link", LENGTH, THICK, 70e9, 26e9, 2700.0, {"z": 1})
    machine = da.Machine("slide", [link], [da.Joint("x", "prismatic", "world", "link", axis=(1, 0, 0))])
    expected = 2700.0 * THICK.area * 1.3
    assert evaluate(link.mass, {"L": 1.3}) == pytest.approx(expected, rel=1e-12)
    M = da.equations(machine, backend="vm").mass_matrix(machine.q_neutral, p={"L": 1.3})
    assert M[0, 0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("direction", "h"), [("x", 0.7), ("y", 1.5), ("torsion", 0.6)])
def test_damping_ratio_of_a_loaded_beam_stays(direction: str, h: float) -> None:
    load = da.Load(0.4, (2e-4, 3e-3, 3e-3))
    turning = True if direction == "torsion" else "rigid"
    material: tuple[Any, ...] = (70e9, 26e9, 2700.0, {direction: 1})
    beam = da.Beam("b", LENGTH, THICK, *material, load=load, damping=0.04, rotary_inertia=turning)
    body = da.Body("load", 0.4, inertia=load.inertia)
    joints = [da.Joint("wall", "fixed", "world", "b"), da.Joint("tip", "fixed", "b.tip", "load")]
    machine = da.Machine("loaded", [beam, body], joints, gravity=(0, 0, 0))
    A = da.linearize(machine, p={"L": h}).A
    assert -A[1, 1] / (2.0 * np.sqrt(-A[1, 0])) == pytest.approx(0.04, rel=1e-9)


def test_gibbs_appell_needs_a_number() -> None:
    with pytest.raises(da.MachineError, match="length of beam 'link' is 'L': the equations of Gibbs and Appell"):
        da.equations(arm(LENGTH), by="gibbs-appell")


def slewing(length: Any) -> da.Machine:
    """A hub with a flexible link and a load at its tip."""
    hub = da.Body("hub", 1.0, inertia=(0.1, 0.1, 0.1))
    link = da.Beam("link", length, THICK, 70e9, 26e9, 2700.0, {"z": 1}, damping=0.01)
    joints = [
        da.Joint("theta", "revolute", "world", "hub", axis="y"),
        da.Joint("root", "fixed", "hub", "link"),
        da.Joint("tip", "fixed", "link.tip", "load"),
    ]
    bodies = [hub, link, da.point_mass("load", 0.3)]
    return da.Machine("slew", bodies, joints, motors=[da.Motor("tau", "theta")], gravity=(0, 0, 0))


def test_an_uncertain_length_has_a_bound_and_its_guarantee_holds() -> None:
    machine = slewing(LENGTH)
    model = uncertain(machine, {"L": (0.8, 1.25)}, outputs=["theta", "theta_dot", "load.z"])
    assert model.error.bound is not None and model.error.bound < 1e-9
    for values in ({"L": 0.8}, {"L": 1.25}, *model.sample(5)):
        true, found = da.linearize(slewing(values["L"])), model.at(**values)
        expected, got = (np.sort_complex(np.linalg.eigvals(x.A)) for x in (true, found))
        assert got == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
    lft = model.lft.part([0, 1], [0])
    proof = robust_stability(lft.feedback([[2.0, 0.5]], lft.outputs, lft.inputs), level=1.0)
    assert proof.guaranteed
    # A loop that some of these lengths destabilise has no guarantee.
    K = _lagged(100.0, 10.0, 0.0134)
    stable = [_abscissa(h, K) < 0.0 for h in (0.8, 1.0, 1.25)]
    assert any(stable) and not all(stable)
    assert not robust_stability(lft.feedback(K, lft.outputs, lft.inputs), level=1.0, seconds=20.0).guaranteed


def _lagged(kp: float, kd: float, lag: float) -> Any:
    import control

    w = 1.0 / lag
    return control.ss([[-w, 0.0], [w, -w]], [[kp * w, kd * w], [0.0, 0.0]], [[0.0, 1.0]], [[0.0, 0.0]])


def _abscissa(h: float, K: Any) -> float:
    plant = da.linearize(slewing(float(h)), outputs=["theta", "theta_dot"])
    A = np.block([[plant.A, -plant.B @ K.C], [K.B @ plant.C, K.A]])
    return float(np.linalg.eigvals(A).real.max())


def test_a_file_takes_an_expression() -> None:
    machine = slewing(2 * LENGTH)
    assert da.load_machine(machine.to_yaml()) == machine
