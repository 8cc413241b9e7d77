"""Numbers inside of longer computations, against their definitions."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.closed_form.algebra import ONE, Algebra, Atom
from dalembert.analysis.closed_form.angles import _times, shorten_angles
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.reduction import _structural
from dalembert.engine.sampling import Sampler


def test_instants_of_samples() -> None:
    sampler = SimpleNamespace(updates=[SimpleNamespace(offset=0.05, period=0.1)], origin=0.2)
    t = np.array([0.15, 0.2, 0.25, 0.3, 0.35, 0.351, 0.45])
    assert Sampler.is_instant(cast(Any, sampler), t).tolist() == [False, False, True, False, True, False, True]


def test_products_of_waves() -> None:
    rng = np.random.default_rng(1)
    u = rng.normal(size=2)

    def value(wave: dict[tuple[int, ...], tuple[Fraction, Fraction]]) -> complex:
        return sum(complex(re, im) * np.exp(1j * np.dot(f, u)) for f, (re, im) in wave.items())

    wave = {
        (1, 0): (Fraction(2, 3), Fraction(-3, 5)),
        (-1, 2): (Fraction(1, 7), Fraction(4)),
        (0, 0): (Fraction(5), Fraction(1)),
    }
    for k in (0, 1):
        for kind, factor in (("cos", np.cos(u[k])), ("sin", np.sin(u[k]))):
            assert value(_times(cast(Any, wave), k, kind)) == pytest.approx(factor * value(wave), rel=1e-13)


def test_short_forms_of_angles() -> None:
    """The sum with the fewest symbols is taken: a factor of one needs none, other factors do."""
    algebra = Algebra(100, ValueError)
    (a,) = algebra.symbol("a")
    s, c, s2, c2 = (algebra.atom(Atom(kind, terms=(((a, n),),))) for n in (1, 2) for kind in ("sin", "cos"))
    for value in (1, -1):
        assert shorten_angles(algebra, {ONE: value, ((s, 2),): -2 * value}) == {((c2, 1),): value}
        assert shorten_angles(algebra, {((s, 1), (c, 1)): 2 * value}) == {((s2, 1),): value}
        assert shorten_angles(algebra, {((s, 1),): value}) == {((s, 1),): value}


def test_channels_that_a_path_joins_with_the_ports() -> None:
    """The first is driven and drives the second, which drives the fourth; none drives the third."""
    A, B = np.zeros((4, 4)), np.array([[0.3], [0.0], [0.0], [0.0]])
    A[1, 0], A[3, 1], A[0, 2] = 0.5, 1.0, 2.0
    (found,) = _structural(A, B, [DeltaBlock("d", 4, "real")])
    np.testing.assert_array_equal(found, np.eye(4)[:, [0, 1, 3]])


@pytest.mark.parametrize("by", ["newton-euler", "lagrange"])
def test_a_joint_that_follows_another_one(by: str) -> None:
    """``q = -3 q_leader + 0.2``: pose, velocity, and the inertia that the leader feels."""
    machine = da.Machine(
        "gear",
        [da.Body("one", 1.0, inertia=(0.1, 0.2, 0.3)), da.Body("two", 1.0, inertia=(0.4, 0.5, 0.6))],
        [
            da.Joint("a", "revolute", "world", "one", axis=(0, 0, 1)),
            da.Joint("b", "revolute", "world", "two", axis=(0, 0, 1)),
        ],
        couplings=[da.Coupling("b", "a", ratio=-3.0, offset=0.2)],
        gravity=(0, 0, 0),
    )
    eom = da.equations(machine, by=by, backend="vm")
    angle = -3.0 * 0.7 + 0.2
    np.testing.assert_allclose(eom.pose("two", [0.7])[:2, 0], [np.cos(angle), np.sin(angle)], atol=1e-15)
    np.testing.assert_allclose(eom.jacobian("two", [0.7])[5], [-3.0], atol=1e-15)
    assert eom.mass_matrix([0.7]) == pytest.approx(np.array([[0.3 + 9.0 * 0.6]]), rel=1e-14)
