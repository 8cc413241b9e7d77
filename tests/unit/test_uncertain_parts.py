"""Parts of uncertain models, one by one: enclosures of numbers, reductions, bounds of series, and rows that hold."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import mpmath
import numpy as np
import pytest
import scipy.linalg
from numpy.typing import NDArray

import dalembert as da
from dalembert.control.uncertain import enclosures, error, machines, reduction, relation, rest, tapes
from dalembert.control.uncertain.blocks import DeltaBlock, merged, slices
from dalembert.control.uncertain.enclosures import Enclosure
from dalembert.control.uncertain.lft import LFT, constant, parameter
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.formulations.equations import derive

Array = NDArray[Any]


def _enclosed(rng: np.random.Generator) -> Enclosure:
    return Enclosure(float(rng.normal()), float(10.0 ** rng.uniform(-18.0, -1.0)))


def _ends(x: Enclosure) -> list[Fraction]:
    return [Fraction(x.m) - Fraction(x.r), Fraction(x.m) + Fraction(x.r)]


def _tight(found: Enclosure, values: list[Fraction], units: float = 4.0) -> bool:
    """Whether all values are enclosed, by no more than their distance and some units in the last place."""
    furthest = max(abs(v - Fraction(found.m)) for v in values)
    return furthest <= Fraction(found.r) and found.r <= float(furthest) * (1.0 + 1e-14) + units * 2.0**-53 * abs(
        found.m
    )


def test_sums_products_and_inverses_of_enclosures() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        x, y = _enclosed(rng), _enclosed(rng)
        assert _tight(x.plus(y), [a + b for a, b in product(_ends(x), _ends(y))])
        bare = Enclosure(x.m).plus(Enclosure(y.m))
        assert _tight(bare, [Fraction(x.m) + Fraction(y.m)])
        made = x.times(y)
        corners = [a * b for a, b in product(_ends(x), _ends(y))]
        assert max(abs(c - Fraction(made.m)) for c in corners) <= Fraction(made.r)
        assert made.r <= (abs(x.m) * y.r + abs(y.m) * x.r + x.r * y.r + 2.0**-53 * abs(made.m)) * (1.0 + 1e-14)
        if abs(x.m) > 2.0 * x.r:
            turned = x.inverse()
            assert all(abs(1 / a - Fraction(turned.m)) <= Fraction(turned.r) for a in _ends(x))
            assert turned.r <= float(max(abs(1 / a - Fraction(turned.m)) for a in _ends(x))) * (1 + 1e-9) + 2e-15 * abs(
                turned.m
            )
        assert Fraction(x.most) >= max(map(abs, _ends(x))) and x.most == pytest.approx(abs(x.m) + x.r, rel=1e-14)
    assert Enclosure(1.5).plus(Enclosure(0.25)) == (1.75, 0.0)  # no rounding, no radius
    assert Enclosure(1.0, 0.25).plus(Enclosure(2.0, 0.5)).r == pytest.approx(0.75, rel=1e-14)
    for factor in (1.0, 2.0, 0.5):
        for sign in (1.0, -1.0):
            assert Enclosure(0.1).times(Enclosure(sign * factor)) == (sign * factor * 0.1, 0.0)
    assert Enclosure(2.0, 0.25).times(Enclosure(1.0)).r == pytest.approx(0.25, rel=1e-14)
    for x in (Enclosure(0.5, 0.5), Enclosure(-0.2, 0.3), enclosures.ZERO):
        with pytest.raises(InputError, match="may be zero"):
            x.inverse()
    assert enclosures.ZERO.zero and not Enclosure(0.0, 1e-300).zero and not Enclosure(1e-300).zero


def test_functions_of_enclosures() -> None:
    rng = np.random.default_rng(2)
    mpmath.mp.dps = 40
    for _ in range(100):
        x = Enclosure(float(rng.uniform(0.3, 5.0)), float(10.0 ** rng.uniform(-17.0, -1.0)))
        for ours, exact in (
            (enclosures.root, mpmath.sqrt),
            (enclosures.sine, mpmath.sin),
            (enclosures.cosine, mpmath.cos),
        ):
            found = ours(x)
            for sign in (-1, 0, 1):
                value = exact(mpmath.mpf(x.m) + sign * mpmath.mpf(x.r))
                assert abs(value - mpmath.mpf(found.m)) <= mpmath.mpf(found.r)
            slope = 1.0 / np.sqrt(x.m) if ours is enclosures.root else 1.0
            assert found.r <= slope * x.r * (1.0 + 1e-14) + 8.0 * 2.0**-53 * abs(found.m)
    mpmath.mp.dps = 15
    assert enclosures.sine(enclosures.ZERO) == (0.0, 0.0) and enclosures.cosine(enclosures.ZERO) == (1.0, 0.0)
    assert enclosures.sine(Enclosure(0.0, 0.1)).r >= 0.1 and enclosures.cosine(Enclosure(0.0, 0.1)).r > 0.0
    for x in (Enclosure(0.1, 0.2), Enclosure(-1.0)):
        with pytest.raises(InputError, match="square root"):
            enclosures.root(x)
    assert enclosures.exact(Fraction(3, 8)) == (0.375, 0.0)
    for value in (Fraction(1, 3), Fraction(-7, 11)):
        found = enclosures.exact(value)
        assert abs(Fraction(found.m) - value) <= Fraction(found.r) <= abs(Fraction(found.m)) / 2**51


def test_ports_and_channels_are_scaled_alike() -> None:
    """A map whose entries are all one in some units of powers of two has them near one again; a state keeps its own."""
    rng = np.random.default_rng(3)
    blocks = [DeltaBlock("a", 3), DeltaBlock("1/s", 1, "state"), DeltaBlock("b", 2)]
    n, m, p = 6, 2, 3
    for attempt in range(4):
        unit, into, out = (np.exp2(rng.integers(-20, 21, k)) for k in (n, m, p))
        unit[3] = 1.0
        pattern = rng.uniform(size=(n + p, n + m)) < 0.6
        pattern[n, :] = np.arange(n + m) == 1  # an output of one channel only
        pattern[n + 1, n + attempt % 2] = True
        pattern[np.arange(5), np.arange(1, 6)] = pattern[np.arange(1, 6), np.arange(5)] = True
        whole = np.concatenate([unit, out])[:, None] * pattern / np.concatenate([unit, 1.0 / into])
        maps = (whole[:n, :n], whole[:n, n:], whole[n:, :n], whole[n:, n:])
        channel, row, column = reduction.scales(maps, blocks, sweeps=400)
        again = np.concatenate([channel, row])[:, None] * whole * np.concatenate([1.0 / channel, column])
        assert channel[3] == 1.0 and all((np.log2(x) == np.round(np.log2(x))).all() for x in (channel, row, column))
        assert np.abs(np.log2(again[pattern])).max() <= 3.0 and np.abs(np.log2(whole[pattern])).max() > 15.0
    row, column = reduction.equal_scales(np.outer(np.exp2([3.0, -9.0, 0.0]), np.exp2([5.0, 2.0])))
    made = row[:, None] * np.outer(np.exp2([3.0, -9.0, 0.0]), np.exp2([5.0, 2.0])) * column
    assert np.abs(np.log2(made)).max() <= 1.0


def test_rounding_of_sums_of_products() -> None:
    """Against rational numbers, where the products nearly cancel."""
    rng = np.random.default_rng(4)
    A, B, C = rng.normal(size=(3, 5)), rng.normal(size=(5, 4)), rng.normal(size=(3, 4))
    fractions = [np.array([[Fraction(x) for x in row] for row in M], dtype=object) for M in (A, B, C)]
    C = (C - C) + A @ B + 1e-13 * C
    fractions[2] = np.array([[Fraction(x) for x in row] for row in C], dtype=object)
    exact = fractions[0] @ fractions[1] - fractions[2]
    total, rounding = reduction._summed([(A, B), (-C,)])
    bound = reduction.residual((A, B), (-C,))
    for i, j in product(range(3), range(4)):
        assert abs(exact[i, j] - Fraction(total[i, j])) <= Fraction(rounding[i, j])
        assert abs(exact[i, j]) <= Fraction(bound[i, j])
    sizes = np.abs(A) @ np.abs(B) + np.abs(C)
    np.testing.assert_allclose(rounding, (2 * 2 + 2 * 5) * 2.0**-53 * sizes, rtol=1e-12)
    kept = reduction.cleaned((A, B), (-C,))
    np.testing.assert_array_equal(kept, np.where(np.abs(total) > 2.0 * rounding, total, 0.0))
    np.testing.assert_array_equal(reduction.cleaned((A, B), noise=np.abs(A @ B).max()), np.zeros((3, 4)))
    np.testing.assert_array_equal(reduction.cleaned((A, B)), A @ B)
    assert (reduction.outward(sizes) > sizes).all() and (reduction.outward(sizes) < 1.000001 * sizes).all()


def test_errors_relative_to_sizes_do_not_depend_on_units() -> None:
    rng = np.random.default_rng(5)
    sizes, units = rng.uniform(0.1, 1.0, (4, 3)), np.exp2(rng.integers(-30, 31, (4, 1)) + rng.integers(-30, 31, 3))
    error = rng.uniform(0.0, 1.0, (1, 5))
    for one, other in ((error, rng.uniform(0.1, 1e6, (1, 5))), (error.T, rng.uniform(0.1, 1e6, (5, 1)))):
        assert reduction.relative(one, other) == pytest.approx((one / other).max(), rel=1e-9)
    assert reduction.relative(0.03 * sizes * units, sizes * units) == pytest.approx(0.03, rel=1e-9)
    assert reduction.relative(np.array([[np.inf]]), np.ones((1, 1))) == np.inf
    assert reduction.relative(np.array([[0.5, 0.0]]), np.array([[0.0, 2.0]])) > 0.0


def test_channels_that_paths_reach() -> None:
    """Against powers of the matrix of a graph; kept blocks are there from the beginning."""
    rng = np.random.default_rng(6)
    for _ in range(30):
        A = np.where(rng.uniform(size=(7, 7)) < 0.15, rng.normal(size=(7, 7)), 0.0)
        B = np.where(rng.uniform(size=(7, 2)) < 0.15, 1.0, 0.0)
        blocks = [DeltaBlock("a", 3), DeltaBlock("1/s", 1, "state"), DeltaBlock("b", 3)]
        start = (B.any(axis=1) | (np.arange(7) == 3)).astype(float)
        reached = np.linalg.matrix_power(np.eye(7) + (A != 0.0), 8) @ start > 0.0
        expected = [np.eye(3)[:, reached[:3]], np.eye(1), np.eye(3)[:, reached[4:]]]
        for found, basis in zip(reduction._structural(A, B, blocks), expected, strict=True):
            np.testing.assert_array_equal(found, basis)


def test_subspaces_that_are_reached() -> None:
    """One repeated block: the range of ``[B, A B, A^2 B, ...]``, of a system with an invariant part in random axes."""
    rng = np.random.default_rng(7)
    for inside in (1, 3, 4):
        A, B = rng.normal(size=(6, 6)), np.zeros((6, 1))
        A[inside:, :inside], B[:inside] = 0.0, rng.normal(size=(inside, 1))
        turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        (X,) = reduction._reachable(turn @ A @ turn.T, turn @ B, [DeltaBlock("a", 6)], 1e-8)
        assert X.shape == (6, inside)
        np.testing.assert_allclose(X.T @ X, np.eye(inside), atol=1e-12)
        np.testing.assert_allclose(X @ X.T, turn[:, :inside] @ turn[:, :inside].T, atol=1e-8)
        W, choice = reduction._interpolated(X)
        np.testing.assert_allclose(choice @ W, np.eye(inside), atol=0.0)
        np.testing.assert_allclose(X @ X.T @ W, W, atol=1e-8)
    state = [DeltaBlock("1/s", 2, "state"), DeltaBlock("a", 4)]
    first, second = reduction._reachable(np.zeros((6, 6)), np.zeros((6, 1)), state, 1e-8)
    assert first.shape == (2, 2) and second.shape == (4, 0)


def test_a_reduction_keeps_the_map_and_needs_no_more_repetitions_than_its_degree() -> None:
    """A transfer function of one parameter with hidden parts, in random coordinates and units."""
    rng = np.random.default_rng(8)
    A, B, C = 0.3 * rng.normal(size=(7, 7)), rng.normal(size=(7, 2)), rng.normal(size=(3, 7))
    A[3:, :3] = A[:5, 5:] = 0.0  # channels 3 and beyond are not reached, the last two not seen
    B[3:], C[:, 5:] = 0.0, 0.0
    T = rng.normal(size=(7, 7)) + 3.0 * np.eye(7)
    D = rng.normal(size=(3, 2))
    maps = (T @ A @ np.linalg.inv(T), T @ B, C @ np.linalg.inv(T), D)
    units = np.outer([1e3, 1.0, 1e-4], [1.0, 1e5])
    scaled = (maps[0], maps[1] * [1.0, 1e5], maps[2] * np.array([[1e3], [1.0], [1e-4]]), D * units)
    made = reduction.reduce_map(scaled, [DeltaBlock("a", 7)], 1e-8)
    assert [b.size for b in made.blocks] == [3]
    for d in (-0.7, 0.4):
        a, b, c, e = made.matrices
        got = e + c @ np.linalg.solve(np.eye(3) - d * a, d * b)
        want = D + C @ np.linalg.solve(np.eye(7) - d * A, d * B)
        np.testing.assert_allclose(got / units, want, rtol=1e-9, atol=1e-9)


def test_balanced_coordinates_of_repeated_blocks() -> None:
    rng = np.random.default_rng(9)
    rows, columns = rng.normal(size=(3, 8)) * [[10.0], [1.0], [0.2]], rng.normal(size=(6, 3))
    T, inverse = reduction._balancing(rows, columns)
    np.testing.assert_allclose(T @ inverse, np.eye(3), atol=1e-9)
    P, Q = T @ rows @ rows.T @ T.T, inverse.T @ columns.T @ columns @ inverse
    np.testing.assert_allclose(P, Q, rtol=1e-6, atol=1e-9 * np.abs(Q).max())
    np.testing.assert_allclose(P, np.diag(np.diag(P)), atol=1e-6 * np.abs(P).max())
    for a, b in ((0.0 * rows, columns), (rows, 0.0 * columns)):
        np.testing.assert_array_equal(reduction._balancing(a, b), (np.eye(3), np.eye(3)))
    blocks = [DeltaBlock("a", 3), DeltaBlock("1/s", 2, "state")]
    maps = tuple(rng.normal(size=s) for s in ((5, 5), (5, 2), (4, 5), (4, 2)))
    A, B, C, D = reduction.similar(cast(Any, maps), blocks)
    W, back = reduction._balance(cast(Any, maps), blocks)
    np.testing.assert_allclose(W[3:, 3:], np.eye(2), atol=1e-15)
    np.testing.assert_allclose(W @ back, np.eye(5), atol=1e-10)
    delta = np.diag([0.3, 0.3, 0.3, 0.8, -0.2])
    delta[3:, 3:] = rng.normal(size=(2, 2))
    for one, other in (((A, B, C, D), maps),):
        values = [m[3] + m[2] @ delta @ np.linalg.solve(np.eye(5) - m[0] @ delta, m[1]) for m in (one, other)]
        np.testing.assert_allclose(values[0], values[1], rtol=1e-9)


def test_even_channels() -> None:
    """Inputs and outputs of each channel within a factor of two, by powers of two; states are left."""
    rng = np.random.default_rng(10)
    blocks = [DeltaBlock("1/s", 1, "state"), DeltaBlock("a", 4)]
    unit = np.exp2([0.0, 9.0, -7.0, 3.0, 0.0])
    A, B, C = rng.normal(size=(5, 5)), rng.normal(size=(5, 2)), rng.normal(size=(3, 5))
    maps = (unit[:, None] * A / unit, unit[:, None] * B, C / unit, np.zeros((3, 2)))
    even = reduction._even(maps, blocks, sweeps=100)
    assert even[0] == 1.0 and (np.log2(even) == np.round(np.log2(even))).all()
    M = even[:, None] * maps[0] / even
    into = np.hypot(np.linalg.norm(M, axis=1), np.linalg.norm(even[:, None] * maps[1], axis=1))
    out = np.hypot(np.linalg.norm(M, axis=0), np.linalg.norm(maps[2] / even, axis=0))
    assert (np.abs(np.log2(into / out))[1:] < 2.0).all()


def test_a_matrix_of_blocks_along_the_diagonal() -> None:
    rng = np.random.default_rng(11)
    parts = [rng.normal(size=s) for s in ((2, 3), (1, 1), (3, 2))]
    np.testing.assert_array_equal(reduction.block_diagonal(*parts), scipy.linalg.block_diag(*parts))


@pytest.mark.parametrize("size", [0.2, 0.45, 1.4])
def test_bounds_of_an_inverse_over_a_box(size: float) -> None:
    """``(1 - A Delta)^-1`` of a rotation, of a chain of rows, and of changed entries, at random values."""
    rng = np.random.default_rng(12)
    A = np.zeros((5, 5))
    A[:2, :2] = size * np.array([[0.1, 1.0], [-1.0, 0.05]])
    A[2, :2], A[3, :3], A[4, :4] = rng.normal(size=2), rng.normal(size=3), rng.normal(size=4)
    radius = np.where(A != 0.0, 1e-6, 0.0)
    owners = ("t", "t", "a", "b", "a")
    raw = cast(Any, SimpleNamespace(matrices=(A, None, None, None), radii=(radius, None, None, None), owners=owners,
                                    groups=((0, 2),)))  # fmt: skip
    bound = error.majorant(raw)
    assert np.isfinite(bound).all()
    largest = np.zeros((5, 5))
    for _ in range(400):
        d = dict(zip("tab", rng.uniform(-1.0, 1.0, 3), strict=True))
        d = {n: float(np.sign(x)) for n, x in d.items()} if rng.uniform() < 0.3 else d
        now = A + radius * rng.uniform(-1.0, 1.0, A.shape)
        largest = np.maximum(largest, np.abs(np.linalg.inv(np.eye(5) - now * [d[n] for n in owners])))
    assert (largest <= bound + 1e-14).all()
    assert (bound[:2, :2] <= 3.0 * largest[:2, :2] + 0.3).all()  # no wild guess
    joint = cast(Any, SimpleNamespace(matrices=(A, None, None, None), radii=(radius, None, None, None),
                                      owners=("s", "t", "a", "b", "a"), groups=((0, 2),)))  # fmt: skip
    with np.errstate(invalid="ignore"):
        assert np.isfinite(error.majorant(joint)).all() == (size < 0.9)


def test_bounds_of_neumann_series() -> None:
    rng = np.random.default_rng(13)
    step, right = rng.uniform(0.0, 0.3, (3, 3)), rng.uniform(size=(3, 2))
    Z = error._neumann(step, right)
    np.testing.assert_allclose(Z, np.linalg.solve(np.eye(3) - step, right), rtol=1e-4)
    assert (right + step @ Z <= Z).all()
    assert np.isinf(error._neumann(3.0 * step + 0.3, right)).all()
    assert np.isinf(error._neumann(np.full((3, 3), np.nan), right)).all()
    shapes = ((3, 3), (3, 2), (4, 3), (4, 2))
    matrices, radii = tuple(rng.normal(size=s) for s in shapes), tuple(np.full(s, 0.01) for s in shapes)
    raw = cast(Any, SimpleNamespace(matrices=matrices, radii=radii))
    _, B, C, D = (np.abs(M) + 0.01 for M in raw.matrices)
    np.testing.assert_allclose(error.size_of(raw, step), C @ step @ B + D, rtol=1e-6)


def test_a_proven_bound_of_singular_values() -> None:
    """Of ``diag(1 + 0.3 a, 2 - 0.5 b) `` in random axes: at least that of a sample, and a part of the least one."""
    rng = np.random.default_rng(14)
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    lft = constant([[1.0, 0.0], [0.0, 2.0]]) + 0.3 * (
        constant([[1.0], [0.0]]) @ parameter("a") @ constant([[1.0, 0.0]])
    )
    lft = lft + -0.5 * (constant([[0.0], [1.0]]) @ parameter("b") @ constant([[0.0, 1.0]]))
    blocks, order = merged(lft.blocks)
    maps = (lft.M11[np.ix_(order, order)], lft.M12[order], lft.M21[:, order], lft.M22)
    reduced = reduction.Reduced(maps, tuple(blocks), ())
    found = relation._least_singular_value(reduced, turn, turn.T)
    assert 0.3 < found <= 0.7
    certain = reduction.Reduced((np.zeros((0, 0)), np.zeros((0, 2)), np.zeros((2, 0)), np.eye(2)), (), ())
    assert 0.9 < relation._least_singular_value(certain, turn, turn.T) < 1.0


def test_rows_that_hold_a_machine_span_all_of_them() -> None:
    """Constraints and locked joints, some of which depend on others; rows of any size."""
    rng = np.random.default_rng(15)
    for attempt in range(12):
        rank, active, locked_count = 4, np.array([1.0, 0.0, 1.0, 1.0, 1.0]), 2 + attempt % 2
        J = rng.normal(size=(4 + locked_count, rank)) @ rng.normal(size=(rank, 7))
        J *= 10.0 ** rng.uniform(-3, 3, (len(J), 1))
        locked = J[4:]
        eom = cast(Any, SimpleNamespace(
            constrained=True, constraint_system=SimpleNamespace(activity=lambda latches: latches)
        ))  # fmt: skip
        point = cast(Any, SimpleNamespace(J=J, latches=active))
        held = tapes.held_rows(eom, point, locked, [5, 2])
        assert held is not None and held.number == rank and held.redundant
        on = [0, 2, 3, 4]
        rows = np.vstack([J[[on.index(row) for row in held.rows]], held.locked])
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        assert np.linalg.matrix_rank(unit) == rank == len(rows)
        assert all(any(np.array_equal(row, other) for other in locked) for row in held.locked)
        assert held.independent == (5, 2) and held.dependent(7) == [0, 1, 3, 4, 6]
    free = cast(Any, SimpleNamespace(constrained=False))
    J = rng.normal(size=(2, 5))
    held = tapes.held_rows(free, cast(Any, SimpleNamespace(J=J, latches=np.zeros(0))), J, [0, 1, 2])
    assert held is not None and held.rows == () and not held.redundant
    np.testing.assert_array_equal(held.locked, J)
    assert tapes.held_rows(free, cast(Any, SimpleNamespace(J=J[:0])), J[:0], []) is None


def _pendulum() -> da.Machine:
    return da.Machine(
        "pendulum",
        bodies=[da.Body("slide"), da.point_mass("bob", 1.3)],
        joints=[
            da.Joint("x", "prismatic", "world", "slide", axis=(1, 0, 0)),
            da.Joint("z", "prismatic", "slide", "bob", axis=(0, 0, 1)),
        ],
        constraints=[da.DistanceConstraint("rod", "bob", length=0.8)],
        motors=[da.Motor("F", "x")],
    )


def test_directions_that_depend_on_uncertain_quantities_are_named() -> None:
    """Of constraints, whose rows turn with a coordinate, and of a thruster on a link that turns."""
    eom = derive(_pendulum())
    point = da.analysis.equilibrium(eom, {"z": -0.8})
    held = tapes.held_rows(eom, point, np.zeros((0, 2)), [0])
    at = tapes.symbols(point.q, np.zeros(0), {}, {"x": 0}, {})
    with pytest.raises(InputError, match="directions of constraints of machine 'pendulum'"):
        tapes.relation_tape(eom, at, point, held)
    link = da.Machine(
        "link",
        bodies=[da.Body("cart", mass=2.0), da.Body("link", mass=1.0, com=(0.0, 0.0, -0.3), inertia=(0.1, 0.1, 0.1))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0)),
            da.Joint("a", "revolute", "cart", "link", axis="y"),
        ],
        thrusters=[da.Thruster("jet", "link", (1.0, 0.0, 0.0))],
        gravity=(0.0, 0.0, 0.0),
    )
    eom = derive(link)
    point = da.analysis.equilibrium(eom)
    at = tapes.symbols(point.q, np.zeros(0), {"a": 1}, {}, {})
    with pytest.raises(InputError, match="directions of motors of machine 'link'"):
        tapes.relation_tape(eom, at, point, None)
    tapes.relation_tape(eom, at, point, None, given=True)
    at = tapes.symbols(point.q, np.zeros(0), {}, {"x": 0}, {})
    tapes.relation_tape(eom, at, point, None)  # the thrust does not depend on the place of the cart


def test_constraints_that_other_values_violate() -> None:
    eom = derive(_pendulum())
    point = da.analysis.equilibrium(eom, {"z": -0.8})
    q = point.q.copy()
    assert rest._carried(eom, point, q, np.zeros(0)) == ("", 0.0)
    q[0] = 0.3
    name, distance = rest._carried(eom, point, q, np.zeros(0))
    assert name == "constraint 'rod'" and distance == pytest.approx(np.hypot(0.3, 0.8) - 0.8, rel=0.1)


def test_values_within_ranges() -> None:
    """All corners, and random values inside; coordinates and parameters are put in their places."""
    ranges = {"a": (-0.3, 0.7), "b": (2.0, 3.0), "c": (-5.0, -4.0)}
    values = rest._values(ranges)
    corners = {tuple(v.values()) for v in values[:8]}
    assert corners == set(product(*ranges.values())) and len(values) > 8
    assert all(lo < v[n] < hi for v in values[8:] for n, (lo, hi) in ranges.items())
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(rest._with(x, {"b": 2, "a": 0}, values[0]), [values[0]["a"], 2.0, values[0]["b"]])
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_ranges_of_quantities_and_their_places() -> None:
    machine = da.Machine(
        "arm",
        bodies=[da.point_mass("one", da.Parameter("m", 2.0)), da.point_mass("two", da.Parameter("k", 1.0))],
        joints=[
            da.Joint("a", "revolute", "world", "one", axis="y", origin=(0.0, 0.0, 0.0)),
            da.Joint("l", "prismatic", "one", "two", axis="-z"),
        ],
    )
    eom = derive(machine)
    modes = cast(Any, {"beam.omega1": None})

    def places(tangent: str = "half", **ranges: Any) -> tuple[dict[str, int], dict[str, int]]:
        return machines._sorted_ranges(eom, {n.replace("_", "."): r for n, r in ranges.items()}, tangent, modes)

    assert places(l=(1.0, 2.0), k=(0.5, 1.0), a=(-3.1, 0.2)) == ({"l": 1, "a": 0}, {"k": eom.p_names.index("k")})
    assert places(beam_omega1=(0.2, 0.9)) == ({}, {}) and places("quarter", a=(-6.2, 6.2)) == ({"a": 0}, {})
    for options, message in (
        ({"beam_omega1": (0.0, 2.0)}, "frequency 'beam.omega1' must be positive"),
        ({"a": (-3.2, 0.0)}, "within 180 degrees.*quarter"),
        ({"a": (0.0, 3.2)}, "within 180 degrees"),
        ({"tangent": "quarter", "a": (0.0, 6.3)}, "within 360 degrees"),
        ({"l": (2.0, 2.0)}, "increasing finite"),
        ({"l": (1.0, np.inf)}, "increasing finite"),
        ({"l": (1.0,)}, "two numbers"),
        ({"l": 1.0}, "two numbers"),
        ({}, "at least one range"),
    ):
        with pytest.raises(InputError, match=message):
            places(**options)
    with pytest.raises(UnknownNameError, match="frequency of a mode"):
        places(x=(0.0, 1.0))


def test_tangents_of_ranges_contain_those_of_their_ends() -> None:
    for lo, hi in ((-2.7, 1.1), (0.3, 3.0)):
        low, high = machines._tangents(0.5, lo, hi)
        assert low < np.tan(lo / 2.0) and high > np.tan(hi / 2.0)
        assert (low, high) == pytest.approx((np.tan(lo / 2.0), np.tan(hi / 2.0)), rel=1e-14)


def test_algebra_of_maps_of_unequal_size() -> None:
    """Sums, products, parts, solutions and values put in, against matrices with the blocks closed."""
    rng = np.random.default_rng(16)

    def random_map(blocks: list[DeltaBlock], p: int, m: int) -> LFT:
        n = sum(b.size for b in blocks)
        return LFT(
            *(0.4 * rng.normal(size=s) for s in ((n, n), (n, m), (p, n))), rng.normal(size=(p, m)), tuple(blocks)
        )

    values = {"a": 0.3, "b": -0.8, "c": 0.6}

    def closed(x: LFT) -> Array:
        d = np.concatenate([np.full(b.size, values[b.name]) for b, _ in slices(x.blocks)])
        return np.asarray(x.M22 + x.M21 @ np.linalg.solve(np.eye(len(d)) - d[:, None] * x.M11, d[:, None] * x.M12))

    x = random_map([DeltaBlock("a", 2), DeltaBlock("b", 1)], 3, 3)
    y = random_map([DeltaBlock("c", 1), DeltaBlock("a", 1)], 3, 3)
    z = random_map([DeltaBlock("b", 2)], 3, 2)
    for made, expected in (
        (x + y, closed(x) + closed(y)),
        (x - y, closed(x) - closed(y)),
        (x @ z, closed(x) @ closed(z)),
        (2.5 * x, 2.5 * closed(x)),
        (x + 1.5, closed(x) + 1.5 * np.eye(3)),
        (z.T, closed(z).T),
        (x.inverse(), np.linalg.inv(closed(x))),
        (z.part([2, 0], [1]), closed(z)[[2, 0]][:, [1]]),
    ):
        np.testing.assert_allclose(closed(made), expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(np.asarray(made.at(**{n: values[n] for n in made.sizes})), expected, rtol=1e-9)
    solved = closed(x.solved([2, 0], [0, 1]))
    u = rng.normal(size=3)
    out = closed(x) @ u
    # inputs 0 and 1 are unknown, outputs 2 and 0 given in their places
    given = np.array([out[2], out[0], u[2]])
    found = solved @ given
    np.testing.assert_allclose([found[2], found[0], found[1]], [u[0], u[1], out[1]], rtol=1e-9)
    partly = x.close({"a": values["a"]})
    assert partly.sizes == {"b": 1} and x.size == 3
    np.testing.assert_allclose(closed(partly), closed(x), rtol=1e-9)
    ranged = y.normalised({"a": (0.1, 0.9), "c": (-0.5, 1.0)})
    inner = {"a": (0.3 - 0.5) / 0.4, "c": (0.6 - 0.25) / 0.75}
    np.testing.assert_allclose(np.asarray(ranged.at(**inner)), closed(y), rtol=1e-9)
