"""Arms with beams against Exudyn's floating frames with the same modes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("exudyn")

import dalembert as da
from dalembert.benchmarks import main
from dalembert.benchmarks.flexible_arm import ARMS, compare_runs, projected_terms
from dalembert.benchmarks.peers.exudyn_arm import PointBody, exudyn_arm
from dalembert.core.errors import InputError
from dalembert.model.beam_integrals import BeamIntegrals
from dalembert.systems.flexible_arms import canadarm, mda_arm, planar_arm

pytestmark = [pytest.mark.peer, pytest.mark.exudyn]


def _state(machine: da.Machine, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scale = np.where(["delta" in name for name in machine.q_names], 0.01, 0.5)
    return scale * rng.normal(size=machine.nv), scale * rng.normal(size=machine.nv)


def _one_plane_each() -> da.Machine:
    """The Canadarm with booms that bend about one axis each: both engines turn the tips alike."""
    arm = canadarm()
    modes = {"segment2": {"x": 1, "y": 4}, "segment3": {"x": 1, "z": 4}}
    return arm.with_(bodies=tuple(replace(b, modes=modes[b.name]) if b.name in modes else b for b in arm.bodies))


def test_points_have_the_integrals_of_the_beam() -> None:
    beam = canadarm().body("segment2")
    points, integrals = PointBody.of(beam), BeamIntegrals.of(beam)
    rho, m, x, X = beam.density, points.masses, points.positions, points.shapes
    assert_allclose(m.sum(), rho * integrals.volume, rtol=1e-13)
    assert_allclose(np.einsum("i,iaj->aj", m, X), rho * integrals.V, atol=1e-11)
    assert_allclose(np.einsum("i,ib,icj->bcj", m, x, X), rho * integrals.n, atol=1e-10)
    assert_allclose(np.einsum("i,ibj,ick->bcjk", m, X, X), rho * integrals.B, atol=1e-9)


@pytest.mark.parametrize("build", [planar_arm, _one_plane_each, canadarm], ids=["planar", "one plane", "full"])
def test_mass_matrix_and_forces(build: Callable[[], da.Machine]) -> None:
    """Inertia, Coriolis and elastic forces of bodies and beams; the only error is of the differences for J'."""
    machine = build()
    eom = da.equations(machine, backend="vm")
    q, v = _state(machine)
    M, h, G_J = projected_terms(machine, q, v)
    ours = eom.mass_matrix(q), eom.bias(q, v)
    assert_allclose(M, ours[0], atol=1e-12 * np.abs(ours[0]).max())
    assert_allclose(h, ours[1], atol=1e-9 * np.abs(ours[1]).max())
    if machine.name == "canadarm" and machine.nv == 26:
        assert 1e-6 < np.abs(G_J).max() < 0.1  # tips turn by other functions of their angles, to second order
    else:
        assert_allclose(G_J, 0.0, atol=1e-12)


def test_difference_of_the_tips_is_of_second_order() -> None:
    machine = canadarm()
    q, v = _state(machine)
    modal = ["delta" in name for name in machine.q_names]
    gaps = [np.abs(projected_terms(machine, np.where(modal, a * q, q), 0 * v)[2]).max() for a in (1.0, 0.1)]
    # The Jacobian of the angles differs in first order, by the angle times the rate.
    assert gaps[0] / gaps[1] == pytest.approx(10.0, rel=0.05)


def test_motion_is_the_same() -> None:
    """Its second-order method comes to our solution with the square of the step."""
    rows = compare_runs(ARMS[0], (1e-3, 5e-4), duration=0.2, repetitions=1)
    ours, theirs = ([r["error"] for r in rows if r["engine"].startswith(name)] for name in ("dalembert", "Exudyn"))
    assert max(ours) < 1e-9
    assert theirs[0] < 2e-6 and theirs[0] / theirs[1] == pytest.approx(4.0, rel=0.1)


def test_motion_of_the_canadarm_is_the_same() -> None:
    rows = compare_runs(ARMS[1], (1e-3,), duration=0.1, repetitions=1)
    assert [r["error"] < 1e-6 for r in rows] == [True, True]


def test_what_it_cannot_build_is_refused() -> None:
    with pytest.raises(InputError, match="has gravity"):
        exudyn_arm(planar_arm().with_(gravity=(0, 0, -9.81)), np.zeros(6))
    free = planar_arm().with_(joints=(replace(planar_arm().joint("theta1"), axis=(1, 0, 0)), *planar_arm().joints[1:]))
    with pytest.raises(InputError, match="'theta1' is not a revolute joint about z"):
        exudyn_arm(free, np.zeros(6))
    with pytest.raises(InputError, match="carries a body away from its tip"):
        exudyn_arm(_carrying_station(), np.zeros(7))


def _carrying_station() -> da.Machine:
    arm = planar_arm()
    link = replace(arm.body("link1"), stations={"middle": 0.25})
    return arm.with_(
        bodies=(link, *arm.bodies[1:], da.Body("extra", 0.1, inertia=(1e-4, 1e-4, 1e-4))),
        joints=(*arm.joints, da.Joint("extra", "revolute", "link1.middle", "extra")),
    )


@pytest.mark.slow
def test_topic_of_the_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(topic="flexible-arm", quick=True) == 0
    printed = capsys.readouterr().out
    assert "Canadarm, 2 x 10 modes" in printed and "generalized-alpha" in printed


def test_mda_arm_can_be_built() -> None:
    """Its hubs sit on roots of beams and count as part of them."""
    machine = mda_arm()
    bare = machine.with_(motors=())  # rotors have no counterpart there
    q, v = _state(bare)
    M, _, _ = projected_terms(bare, q, v)
    ours = da.equations(bare, backend="vm").mass_matrix(q)
    assert_allclose(M, ours, atol=1e-12 * np.abs(ours).max())
