"""Cranes as machines: data, options, refusals, hoisting, disturbances."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.systems.cranes import (
    LumpedCable,
    crane_structure,
    document_order,
    hanging,
    hook_crane,
    planar_crane,
    spatial_crane,
    sway_omega,
    uniform_cable,
)


def test_link_data_follow_from_the_cable() -> None:
    cable = uniform_cable(4, 8.0, payload=100.0, mass=8.0, stiffness=1e5, damping=10.0, bending_stiffness=6.0)
    assert cable.masses == (2.0, 2.0, 2.0, 101.0)
    assert sum(cable.masses) + cable.top_mass == 108.0
    assert sum(1 / k for k in cable.axial_stiffness) == pytest.approx(1e-5)  # springs in series
    assert cable.axial_damping == (40.0,) * 4
    assert cable.bending_stiffness == (0.0, 3.0, 3.0, 3.0)  # E I / l, hinged at the trolley


@pytest.mark.parametrize(
    ("lengths", "names"),
    [
        ("fixed", ("x", "theta1", "theta2")),
        ("hoisted", ("x", "theta1", "l1", "theta2")),
        ("variable", ("x", "theta1", "l1", "theta2", "l2")),
    ],
)
def test_coordinates(lengths: str, names: tuple[str, ...]) -> None:
    crane = planar_crane(uniform_cable(2, 4.0, payload=5.0, mass=1.0), lengths=lengths)
    assert crane.q_names == names
    assert crane.u_names == (("F",) if lengths == "fixed" else ("F", "F1"))
    ordered = [names[i] for i in document_order(crane)]
    assert ordered == sorted(names, key=lambda n: ("x" not in n, "theta" not in n, n))


def test_positions_are_those_of_the_document() -> None:
    crane = planar_crane(LumpedCable(masses=[1.0, 1.0], lengths=[2.0, 3.0]))
    x, t1, t2 = 0.7, 0.3, -0.5
    p = da.equations(crane, backend="vm").pose("payload", [x, t1, t2])[:3, 3]
    expected = [x + 2 * np.sin(t1) + 3 * np.sin(t1 + t2), 0.0, -2 * np.cos(t1) - 3 * np.cos(t1 + t2)]  # (7)
    assert np.allclose(p, expected, atol=1e-14)


def test_locked_lengths_are_fixed_lengths() -> None:
    cable = uniform_cable(3, 6.0, payload=5.0, mass=3.0)
    fixed = da.equations(planar_crane(cable), backend="vm")
    locked = planar_crane(cable, lengths="variable").lock({"l1": 2.0, "l2": 2.0, "l3": 2.0})
    q = np.array([0.3, 0.1, -0.2, 0.4])
    assert np.allclose(da.equations(locked, backend="vm").mass_matrix(q), fixed.mass_matrix(q), rtol=1e-14)


def test_rigid_links_add_the_rotation_of_the_absolute_rate() -> None:
    """CRANE 8.1 with the absolute rate (errata): a uniform rod has m l^2/12 about its centre."""
    m, l, payload = 3.0, 2.0, 5.0
    crane = planar_crane(LumpedCable(masses=[0.0, payload], lengths=[l, l], link_masses=m), trolley=1.0)
    q, v = np.array([0.0, 0.4, -0.7]), np.array([0.2, 0.5, 0.3])
    a = np.cumsum(q[1:])
    w = np.cumsum(v[1:])
    tip = np.array([v[0], 0.0])
    T = 0.5 * v[0] ** 2
    for k in range(2):
        along = np.array([np.cos(a[k]), np.sin(a[k])]) * w[k]
        centre = tip + l / 2 * along
        T += 0.5 * m * centre @ centre + 0.5 * (m * l**2 / 12) * w[k] ** 2
        tip = tip + l * along
    T += 0.5 * payload * tip @ tip
    assert da.equations(crane, backend="vm").energy(q, v).kinetic == pytest.approx(T, rel=1e-13)


def test_spatial_crane_in_a_plane_is_the_planar_one() -> None:
    cable = uniform_cable(3, 6.0, payload=50.0, mass=3.0)
    planar, spatial = planar_crane(cable), spatial_crane(cable)
    q = {"theta1": 0.4, "theta2": -0.1}
    a = da.simulate(planar, duration=1.0, q0=q)
    b = da.simulate(spatial, duration=1.0, q0=q)
    for name in planar.q_names:
        assert np.allclose(a[name], b[name], atol=1e-10)
    assert np.abs(b.array(["y", "phi1", "phi2", "phi3"])).max() < 1e-12


def test_hanging_elastic_crane_stays() -> None:
    crane = planar_crane(uniform_cable(3, 6.0, payload=50.0, mass=3.0, stiffness=5e3), lengths="variable", winches=0)
    run = da.simulate(crane, duration=0.5, q0=hanging(crane))
    assert np.abs(run.array(crane.v_names)).max() < 1e-10
    assert run["l1"][0] > run["l3"][0] > 2.0  # what hangs lower carries less


@pytest.mark.parametrize("lengths", ["fixed", "variable"])
def test_free_run_conserves_energy(lengths: str) -> None:
    stiffness = 0.0 if lengths == "fixed" else 2e3
    crane = planar_crane(uniform_cable(5, 5.0, payload=20.0, mass=2.0, stiffness=stiffness), lengths=lengths, winches=0)
    run = da.simulate(crane, duration=5.0, q0=hanging(crane, theta1=0.5, theta3=-0.3), method="dopri5", rtol=1e-11)
    assert run.energy.drift < 1e-9


def test_audit_closes_with_losses() -> None:
    cable = uniform_cable(4, 5.0, payload=20.0, mass=2.0, bending_stiffness=1.0, bending_damping=0.5)
    crane = planar_crane(cable, rail_friction=15.0, rail_damping=3.0)
    run = da.simulate(crane, duration=5.0, q0={"theta1": 0.6}, step=5e-4)
    assert run.energy.work_loss[-1] < -5.0
    assert run.energy.drift < 1e-6


def test_hook_crane() -> None:
    crane = hook_crane()
    assert crane.q_names == ("x", "theta1", "l1", "theta2")
    p = da.equations(crane, backend="vm").pose("hook", [1.0, 0.0, 6.0, 0.3])[:3, 3]
    assert np.allclose(p, [1.0, 0.0, -6.0])


def test_length_that_reaches_its_minimum_stops_the_run() -> None:
    crane = planar_crane(uniform_cable(1, 5.0, payload=100.0), lengths="hoisted", minimum_length=0.2)
    pull = [0.0, -1.5 * 9.81 * 100.0]
    run = da.simulate(crane, duration=10.0, q0=hanging(crane, theta1=0.05), control=pull)
    assert run.status == "stopped"
    assert [event.name for event in run.events] == ["l1.lower"]
    assert run["l1"][-1] == pytest.approx(0.2, abs=1e-9)
    assert np.isfinite(run.x).all()


def test_payload_changes_during_a_run() -> None:
    load = da.Parameter("load", 100.0)
    crane = planar_crane(uniform_cable(3, 5.0, payload=load, mass=3.0), trolley=50.0)
    first = da.simulate(crane, duration=1.0, q0={"theta1": 0.2})
    second = da.simulate(crane, duration=1.0, start=first, p={"load": 10.0})
    assert second.t[-1] == pytest.approx(2.0)
    assert np.array_equal(second.x[0], first.x[-1])
    same = da.simulate(crane, duration=1.0, start=first)
    assert abs(second["x"][-1] - same["x"][-1]) > 1e-3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: uniform_cable(0, 5.0, payload=1.0), "number of links .* got 0"),
        (lambda: uniform_cable(2.5, 5.0, payload=1.0), "number of links .* got 2.5"),
        (lambda: LumpedCable(masses=[], lengths=[]), "at least one link"),
        (lambda: uniform_cable(3, -1.0, payload=1.0, mass=1.0), "length of a cable must be > 0, got -1"),
        (lambda: uniform_cable(3, 5.0, payload=1.0, mass=1.0, stiffness=-2.0), "stiffness .* must be >= 0, got -2"),
        (lambda: uniform_cable(3, 5.0, payload=1.0, mass=1.0, bending_stiffness=-2.0), "bending stiffness .* got -2"),
        (lambda: uniform_cable(3, 5.0, payload=-1.0, mass=1.0), "payload .* must be >= 0, got -1"),
        (lambda: uniform_cable(3, 5.0, payload=float("nan"), mass=1.0), "payload"),
        (lambda: uniform_cable(3, 5.0, payload=1.0), "node A1 .* must have a mass > 0"),
        (lambda: uniform_cable(3, 5.0, payload=1.0, mass=1.0, lumping="x"), "lumping .* trapezoid, nodes"),
        (lambda: LumpedCable(masses=[1.0, 1.0], lengths=[1.0]), "one number or 2, got 1"),
        (lambda: LumpedCable(masses=[1.0, 1.0], lengths=1.0, axial_stiffness=[1.0, 0.0]), "got .* 0 at link 2"),
    ],
)
def test_impossible_cables_are_refused(make, message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        make()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_payload": 20.0}, "payload of 50.5 kg is heavier than the limit max_payload = 20"),
        ({"lengths": "hoisted", "winch_force": 100.0}, "winch cannot hold"),
        ({"lengths": "long"}, "fixed, hoisted, variable"),
        ({"trolley": 0.0}, "trolley must be > 0"),
        ({"winches": 9}, "winches must be an integer from 0 to 1 with lengths='fixed', got 9"),
        ({"lengths": "hoisted", "minimum_length": 7.0}, "minimum_length must lie between"),
        ({"rail_friction": -1.0}, "friction of joint 'x' must be >= 0"),
        ({"gravity": -9.81}, "gravity"),
    ],
)
def test_impossible_cranes_are_refused(options: dict, message: str) -> None:
    cable = uniform_cable(2, 4.0, payload=50.0, mass=2.0)
    with pytest.raises(da.MachineError, match=message):
        planar_crane(cable, **options)


def test_elastic_links_have_their_lengths() -> None:
    with pytest.raises(da.MachineError, match="elastic"):
        planar_crane(uniform_cable(2, 4.0, payload=5.0, mass=1.0, stiffness=1e4), lengths="hoisted")
    with pytest.raises(da.MachineError, match="needs a LumpedCable"):
        planar_crane(3)  # type: ignore[arg-type]


def test_telescoping_rods_are_rods_that_stretch_evenly() -> None:
    """Remark 2: energies of a continuous rod, integrated and differentiated by SymPy, against the closed form."""
    import sympy as sp

    m, m_1, m_r, g, s, t = sp.symbols("m m_1 m_r g s t")
    q = [sp.Function(name)(t) for name in ("x", "theta1", "l1")]
    x, theta, l = q
    point = sp.Matrix([x + s * l * sp.sin(theta), -s * l * sp.cos(theta)])
    speed, height = point.diff(t).dot(point.diff(t)), point[1]
    T = m * x.diff(t) ** 2 / 2 + m_r * sp.integrate(sp.expand(speed), (s, 0, 1)) / 2 + m_1 * speed.subs(s, 1) / 2
    L = T - g * (m_r * sp.integrate(height, (s, 0, 1)) + m_1 * height.subs(s, 1))
    expected = [(L.diff(y.diff(t)).diff(t) - L.diff(y)).doit() for y in q]
    rod = LumpedCable([da.Parameter("m_1", 3.0)], [2.0], link_masses=[da.Parameter("m_r", 2.0)])
    form = da.closed_form(planar_crane(rod, trolley=da.Parameter("m", 5.0), lengths="hoisted"))
    for order, suffix in ((2, "_ddot"), (1, "_dot"), (0, "")):
        named = {y.diff(t, order): sp.Symbol(y.func.__name__ + suffix) for y in q}
        expected = [e.subs(named) for e in expected]
    for ours, theirs in zip(form.equations, expected, strict=True):
        assert sp.simplify(ours.lhs - theirs) == 0


def test_telescoping_rods_hang_and_agree() -> None:
    """Rods that may stretch but do not are rigid rods; elastic ones hang at rest; all formulations agree."""

    def rods(**options: float) -> LumpedCable:
        return uniform_cable(3, 5.0, payload=20.0, mass=9.0, rods=True, **options)

    held = planar_crane(rods(), lengths="variable", winches=3)
    np.testing.assert_allclose(sway_omega(held), sway_omega(planar_crane(rods())), rtol=1e-12)
    elastic = spatial_crane(rods(stiffness=1e4), lengths="variable", winches=0)
    rest = [hanging(elastic)[name] for name in elastic.q_names]
    assert np.abs(da.equations(elastic).bias(rest, np.zeros(elastic.nv))).max() < 1e-9 * 9.81 * 29.0
    assert da.verify(held, samples=3).ok
    with pytest.raises(da.MachineError, match="cannot hold"):
        planar_crane(rods(), lengths="hoisted", winch_force=9.81 * 27.4)
    planar_crane(rods(), lengths="hoisted", winch_force=9.81 * 27.6)  # half of the first rod hangs on its joint


def test_hanging_refuses_unknown_coordinates_and_machines() -> None:
    crane = planar_crane(uniform_cable(1, 4.0, payload=5.0))
    with pytest.raises(da.InputError, match="known: x, theta1"):
        hanging(crane, theta7=0.1)
    pendulum = da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", 1.0, com=(0, 0, -1.0))],
        joints=[da.Joint("swing", "revolute", "world", "bob", axis=(0, 1, 0))],
    )
    with pytest.raises(da.InputError, match="not a crane"):
        crane_structure(pendulum)
