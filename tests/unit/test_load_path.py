"""Paths of equilibria along a load: turning points, buckling, bent branches, inputs, ends that are not reached."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk

import dalembert as da
from dalembert.analysis import equilibrium_path, find_equilibrium


def test_a_shallow_truss_snaps_at_the_loads_of_its_closed_form() -> None:
    """Bar with a spring, its end on a guide: ``F = k (L_0/L - 1) z``, extremal at ``L^3 = L_0 a^2``; a closed loop."""
    a, h, k = 1.0, 0.3, 100.0
    rest = float(np.hypot(a, h))
    bodies = [da.Body(name, 1.0, inertia=(0.01, 0.01, 0.01)) for name in ("bar", "end")]
    joints = [
        da.Joint("turn", "revolute", "world", "bar", axis=(0, -1, 0)),
        da.Joint("slide", "prismatic", "bar", "end", axis=(1, 0, 0), stiffness=k, rest=rest),
    ]
    guide = da.BallConstraint("guide", "end", "middle", "x")
    push = da.Wrench("push", "end", force=(0, 0, -da.Parameter("F", 0.0)))
    frames = [da.Frame("middle", "world", da.Transform((a, 0, 0)))]
    truss = da.Machine("truss", bodies, joints, frames=frames, constraints=[guide], wrenches=[push], gravity=(0, 0, 0))
    path = equilibrium_path(truss, "F", (0.0, 2.0), {"turn": float(np.arctan2(h, a)), "slide": rest})
    z = np.array([length * np.sin(angle) for angle, length in path.q])

    def force(z: np.ndarray) -> np.ndarray:
        return k * (rest / np.hypot(a, z) - 1) * z

    highest = force(np.sqrt((rest * a * a) ** (2 / 3) - a * a))
    assert path.complete and path.loads[-1] == 2.0
    assert_allclose(path.loads, force(z), atol=1e-8)
    assert [c.kind for c in path.critical] == ["turning", "turning"]
    assert_allclose([c.load for c in path.turning], [highest, -highest], atol=1e-8)
    bend = (rest * a * a) ** (1 / 3)
    assert (path.stable == (np.hypot(a, z) > bend)).all() and not path.stable.all()


def _column(side: float) -> da.Machine:
    section = da.Section(1.0, 0.0, 1.0)
    rod = da.Rod("rod", 1.0, section, 1.0, density=1.0, strains={"bending_y": 7}, rotary_inertia=False)
    push = da.Wrench("push", "rod.tip", force=(-da.Parameter("P", 0.0), side, 0))
    foot = da.Joint("foot", "fixed", "world", "rod")
    return da.Machine("column", [rod], [foot], gravity=(0, 0, 0), wrenches=[push])


def test_a_column_buckles_and_bends() -> None:
    """Straight: it loses stability at ``pi^2/4``. Pushed aside it bends: ``sqrt(P) = K(sin(angle/2))``."""
    straight = equilibrium_path(_column(0.0), "P", (0.0, 3.0))
    assert [c.kind for c in straight.critical] == ["branching"]
    assert straight.critical[0].load == pytest.approx(np.pi**2 / 4, abs=1e-7)
    assert straight.complete and not straight.q.any()
    bent = equilibrium_path(_column(1e-6), "P", (0.0, 5.0))
    assert bent.complete and bent.stable.all() and not bent.critical
    angle = bent.q[-1, 0]  # its first coordinate is the angle of the tip
    assert ellipk(np.sin(angle / 2) ** 2) ** 2 == pytest.approx(5.0, abs=1e-5)


def test_a_torque_beyond_the_weight_turns_the_path() -> None:
    """Torque on a pendulum as an input: highest at ``m g l``; the path leads back and ends below its start."""
    bob = da.Body("bob", 1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    hinge = da.Joint("hinge", "revolute", "world", "bob", axis=(0, 1, 0))
    machine = da.Machine("pendulum", [bob], [hinge], motors=[da.Motor("drive", "hinge")])
    with pytest.warns(
        da.DalembertWarning, match=r"path of equilibria of machine 'pendulum' ends at drive = .* before 10"
    ):
        path = equilibrium_path(machine, "drive", (5.0, 10.0))
    assert not path.complete
    assert path.turning[0].load == pytest.approx(9.81, abs=1e-9)
    assert_allclose(path.loads, 9.81 * np.sin(path.q[:, 0]), atol=1e-8)


def test_loads_that_are_not_known_are_refused() -> None:
    with pytest.raises(da.UnknownNameError, match="parameter or input"):
        equilibrium_path(_column(0.0), "Q", (0.0, 1.0))
    with pytest.raises(da.InputError, match="ends of the load 'P' must be two finite numbers that differ"):
        equilibrium_path(_column(0.0), "P", (1.0, 1.0))
    end = equilibrium_path(_column(0.1), "P", (1e-3, 1.0))  # a ratio of 1000: its logarithm
    assert_allclose(end.q[-1], find_equilibrium(_column(0.1), p={"P": 1.0}).q, atol=1e-9)
