"""Simplified models of CRANE: the printed derivatives, transcribed, against the equations that run."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.studies.crane.cables import ritz_errors
from dalembert.studies.crane.simplified import simplified_errors
from dalembert.systems.cranes import (
    LumpedCable,
    RitzCable,
    crane_coordinates,
    document_order,
    hanging,
    planar_crane,
    simplified_crane,
    spatial_crane,
    uniform_cable,
)

N = 3
CABLE = LumpedCable(masses=[3.0, 1.0, 2.0], lengths=[1.0, 2.0, 1.5])
CRANE = planar_crane(CABLE, trolley=5.0, lengths="variable")
ORDER = document_order(CRANE)


class State:
    """Random state in the symbols of the document; lists count from one there, from zero here."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.q, self.v, self.acc = rng.normal(size=(3, 2 * N + 1))
        self.x, self.xd, self.xdd = (y[0] for y in (self.q, self.v, self.acc))
        self.a, self.ad, self.add = (np.cumsum(y[1 : N + 1]) for y in (self.q, self.v, self.acc))
        self.l, self.ld, self.ldd = (y[N + 1 :] for y in (self.q, self.v, self.acc))

    def forces(self, angles: str, *, large: bool) -> np.ndarray:
        """Inertial forces of the simplified model, in the document's order."""
        eom = simplified_crane(CRANE, angles, large_payload=large, backend="vm")
        q, v, acc = np.empty((3, 2 * N + 1))
        q[ORDER], v[ORDER], acc[ORDER] = self.q, self.v, self.acc
        return (eom.inverse_dynamics(q, v, acc) - eom.gravity(q))[ORDER]


@pytest.mark.parametrize("seed", [0, 1])
def test_trolley_rows(seed: int) -> None:
    """(22), (23), (24)."""
    s, m = State(seed), np.array(CABLE.masses)
    common = 2 * s.ld * s.ad + s.l * s.add
    first = m.sum() * s.xdd + m @ np.cumsum(common - s.l * s.ad**2 * s.a + s.ldd * s.a)
    zeroth = m.sum() * s.xdd + m @ np.cumsum(common)
    assert s.forces("first", large=False)[0] - 5.0 * s.xdd == pytest.approx(first, rel=1e-12)
    assert s.forces("zeroth", large=False)[0] - 5.0 * s.xdd == pytest.approx(zeroth, rel=1e-12)
    large = m[-1] * s.xdd + m[-1] * common.sum()
    assert s.forces("zeroth", large=True)[0] - 5.0 * s.xdd == pytest.approx(large, rel=1e-12)


@pytest.mark.parametrize("seed", [0, 1])
def test_angle_rows(seed: int) -> None:
    """(48) less (72), and (49) less (73); the last index of (73) and M for N corrected."""
    s, m = State(seed), CABLE.masses[-1]
    l, ld, ldd, a, ad, add = s.l, s.ld, s.ldd, s.a, s.ad, s.add
    for n in range(N):
        below = slice(n, None)
        rate = (
            m * l[below].sum() * (s.xdd + np.sum(ld * ad + l * add - l * ad**2 * a + ldd * a + ld * ad))
            + m * (s.xd + np.sum(l * ad + ld * a)) * np.sum(-l[below] * ad[below] * a[below] + ld[below])
            + m * np.sum(l[below] * a[below]) * np.sum(2 * ld * ad * a + l * add * a + l * ad**2 - ldd)
            + m * np.sum(l * ad * a - ld) * np.sum(l[below] * ad[below] + ld[below] * a[below])
        )  # (48)
        pull = m * (s.xd + np.sum(l * ad + ld * a)) * np.sum(-l[below] * ad[below] * a[below] + ld[below]) + m * np.sum(
            l * ad * a - ld
        ) * np.sum(l[below] * ad[below] + ld[below] * a[below])  # (72)
        assert s.forces("first", large=True)[1 + n] == pytest.approx(rate - pull, rel=1e-11)
        rate = (
            m * l[below].sum() * (s.xdd + np.sum(2 * ld * ad + l * add))
            + m * ld[below].sum() * (s.xd + np.sum(l * ad))
            - m * ld.sum() * np.sum(l[below] * ad[below])
        )  # (49)
        pull = m * (s.xd + np.sum(l * ad)) * ld[below].sum() - m * ld.sum() * np.sum(l[below] * ad[below])  # (73)
        assert s.forces("zeroth", large=True)[1 + n] == pytest.approx(rate - pull, rel=1e-11)


@pytest.mark.parametrize("seed", [0, 1])
def test_length_rows(seed: int) -> None:
    """(64) less (76), (66) less (77), (67) less (78)."""
    s, m = State(seed), CABLE.masses[-1]
    l, ld, ldd, ad, add = s.l, s.ld, s.ldd, s.ad, s.add
    for angles, S, C in (
        ("exact", np.sin(s.a), np.cos(s.a)),
        ("first", s.a, np.ones(N)),
        ("zeroth", np.zeros(N), np.ones(N)),
    ):
        vx, vy = s.xd + np.sum(l * ad * C + ld * S), np.sum(l * ad * S - ld * C)
        for n in range(N):
            rate = (
                m * S[n] * (s.xdd + np.sum(2 * ld * ad * C + l * add * C - l * ad**2 * S + ldd * S))
                + m * vx * ad[n] * C[n]
                - m * C[n] * np.sum(2 * ld * ad * S + l * add * S + l * ad**2 * C - ldd * C)
                + m * vy * ad[n] * S[n]
            )
            pull = m * vx * ad[n] * C[n] + m * vy * ad[n] * S[n]
            assert s.forces(angles, large=True)[1 + N + n] == pytest.approx(rate - pull, rel=1e-11)


def test_exact_angles_are_the_crane_itself() -> None:
    elastic = uniform_cable(3, 5.0, payload=5.0, mass=9.0, stiffness=50.0, bending_stiffness=3.0)
    elastic = planar_crane(elastic, lengths="variable", winches=0)
    ours, full = simplified_crane(elastic, "exact", backend="vm"), da.equations(elastic, backend="vm")
    q, v, acc = np.random.default_rng(0).normal(size=(3, 4, 7))
    np.testing.assert_allclose(
        ours.inverse_dynamics(q, v, acc), full.inverse_dynamics(q, v, acc), rtol=1e-11, atol=1e-10
    )
    np.testing.assert_allclose(ours.energy(q, v), full.energy(q, v), rtol=1e-12)


def test_orders_of_the_error() -> None:
    """While hoisting, the zeroth order leaves out a term of first order; in both, what is left falls with the sway."""
    for angles, order in (("first", 3), ("zeroth", 1)):
        errors = [np.abs(simplified_errors(angles, sway)[1]).max() for sway in (0.02, 0.01)]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.05)


def test_a_large_payload_is_not_simulated_with_several_links() -> None:
    crane = planar_crane(uniform_cable(2, 5.0, payload=50.0, mass=9.0), lengths="hoisted")
    eom = simplified_crane(crane, "first", large_payload=True)
    assert np.linalg.matrix_rank(eom.mass_matrix([0.1, 0.2, 2.0, -0.3])) == 3  # (24), (46), remark 9
    with pytest.raises(da.InputError, match="one link, or large_payload=False"):
        da.simulate(eom, duration=1.0, q0=hanging(crane))
    one = planar_crane(uniform_cable(1, 5.0, payload=50.0), lengths="hoisted")
    assert da.simulate(simplified_crane(one, large_payload=True), duration=0.1, q0=hanging(one)).status == "completed"


def test_refusals() -> None:
    with pytest.raises(da.InputError, match="spatial"):
        simplified_crane(spatial_crane(CABLE))
    with pytest.raises(da.InputError, match="exact, first, zeroth, got 'second'"):
        simplified_crane(CRANE, "second")
    with pytest.raises(da.InputError, match="'theta1' is locked"):
        simplified_crane(CRANE.lock(["theta1"])).mass_matrix(np.zeros(6))
    with pytest.raises(da.InputError, match="rods"):
        simplified_crane(planar_crane(uniform_cable(1, 2.0, payload=1.0, mass=1.0, rods=True)))


def test_horizontal_coordinates_stop_before_a_vertical_link() -> None:
    cable = LumpedCable(masses=[3.0, 5.0], lengths=[2.0, 1.5], axial_stiffness=2e3)
    crane = planar_crane(cable, lengths="variable", winches=0, trolley=20.0)
    eom = da.equations(crane, coordinates=crane_coordinates(crane, "horizontal"), backend="vm")
    assert eom.q_names == ("x", "theta1", "theta2", "x1", "x2")
    with pytest.raises(
        da.InputError, match=r"\(x, theta1, theta2, x1, x2\) is singular at this state .*link1 vertical"
    ):
        da.simulate(eom, duration=1.0, q0=hanging(crane))
    q0 = hanging(crane, theta1=0.3, theta2=0.2)
    options = {"q0": q0, "method": "dopri5", "rtol": 1e-10, "record": 0.01}
    run = da.simulate(eom, duration=3.0, **options)
    assert (run.status, run.events[-1].name) == ("stopped", "link2 vertical")
    full = da.simulate(crane, duration=float(run.t[-1]), backend="vm", **options)
    np.testing.assert_allclose(run["theta1"], full["theta1"], atol=1e-8)
    with pytest.raises(da.InputError, match="lengths='variable'"):
        crane_coordinates(planar_crane(CABLE), "horizontal")


def test_rayleigh_ritz_from_above_and_nearer_than_masses() -> None:
    """Rayleigh's principle: never below the string; polynomials beat as many masses, sines with a payload do not."""
    for payload in (0.0, 4.0):
        exact = da.systems.cranes.cable_sway_omega(3, length=5.0, mass=4.0, payload=payload)
        for basis in ("polynomial", "sine"):
            found = np.array([RitzCable(n, 5.0, 4.0, payload, basis=basis).omega()[:3] for n in (3, 6, 9)])
            assert (found >= exact * (1 - 1e-12)).all()
            assert (np.diff(found, axis=0) <= 1e-12).all()  # more functions, lower
        smooth, lumped = ritz_errors(payload)
        assert (smooth[1:, 0] < lumped[1:, 0]).all()
    smooth, lumped = ritz_errors(4.0, "sine")
    assert (smooth[:, 0] > lumped[:, 0]).all()


def test_string_with_a_trolley() -> None:
    """Six functions against a crane of many links under the same push; linear to the order of the sway."""
    import control

    mass, payload, trolley, push = 4.0, 10.0, 20.0, 0.5
    crane = planar_crane(uniform_cable(20, 5.0, payload=payload, mass=mass), trolley=trolley)
    run = da.simulate(crane, duration=4.0, control=[push], method="dopri5", rtol=1e-9, record=0.1)
    tip = da.equations(crane).pose("payload", run.array(crane.q_names))[:, 0, 3]
    model = RitzCable(6, 5.0, mass, payload).state_space(trolley)
    x, payload_x = control.forced_response(model, run.t, np.full_like(run.t, push)).outputs
    np.testing.assert_allclose(x, run["x"], atol=2e-3 * np.abs(run["x"]).max())
    np.testing.assert_allclose(payload_x, tip, atol=2e-3 * np.abs(tip).max())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"functions": 0}, "functions of a RitzCable"),
        ({"length": -1.0}, "length of a RitzCable"),
        ({"payload": float("nan")}, "payload of a RitzCable must be a finite number"),
        ({"basis": "splines"}, "polynomial, sine"),
    ],
)
def test_strings_are_refused(options: dict, message: str) -> None:
    with pytest.raises(da.InputError, match=message):
        RitzCable(**{"functions": 3, "length": 5.0, "mass": 4.0} | options)


def test_parts_of_a_string() -> None:
    with pytest.raises(da.InputError, match="between 0 and 1, got"):
        RitzCable(3, 5.0, 4.0).shapes(1.5)
    with pytest.raises(da.InputError, match="mass of the trolley"):
        RitzCable(3, 5.0, 4.0).state_space(0.0)
