"""Laws of single blocks of time-stepping: impulses and velocities obey them; violations are those of projections."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dalembert.compile.build import find_toolchain
from support.engine_units import calls, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

UNILATERAL, COULOMB, STICTION, ROPE, RESISTED = range(5)
ENTRIES = """
#define SHOWN __attribute__((visibility("default")))
SHOWN void solved(int64_t law, int64_t n, const double *W, const double *b, const double *mu, double *x) {
    double B[MOST_ROWS * (MOST_ROWS + 1)] = {0.0};
    memcpy(B, W, (size_t)(n * (n + 1) / 2) * sizeof(double));
    law_make((int)law, n, B);
    law_solve((int)law, n, B, b, mu, 1, x);
    law_solve((int)law, n, B, b, mu, 1, x); /* with the axes that the first slip leaves, and its modes */
}
SHOWN double violated(int64_t law, int64_t n, const double *W, const double *u, const double *mu, const double *x) {
    double B[MOST_ROWS * (MOST_ROWS + 1)] = {0.0};
    memcpy(B, W, (size_t)(n * (n + 1) / 2) * sizeof(double));
    law_make((int)law, n, B);
    return law_violation((int)law, n, B, u, mu, x);
}
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    return calls(unit_with(ENTRIES, "stepping", "law-parts", doubles=("violated",)))


def upper(W: np.ndarray) -> np.ndarray:
    return W[np.triu_indices(len(W))].copy()


def random_matrix(rng: np.random.Generator, n: int) -> np.ndarray:
    """Symmetric, positive definite, of any scale."""
    A = rng.normal(size=(n, n))
    return np.asarray((A @ A.T + 0.05 * np.eye(n)) * 10.0 ** rng.uniform(-2.0, 2.0))


def broken_by_friction(x: np.ndarray, u: np.ndarray, most: float) -> float:
    """By how much two rows break |x| <= most, x = -most u / |u|, relative to the limit or the velocity."""
    size, speed = np.linalg.norm(x), np.linalg.norm(u)
    return float(max(size - most, np.abs(x * speed + most * u).max() / max(speed, 1.0)))


def test_one_row(engine: Any) -> None:
    rng, seen = np.random.default_rng(1), set[tuple[int, bool]]()
    for _ in range(60):
        W, b, mu, x = rng.uniform(0.1, 4.0, 1), rng.normal(size=1), rng.uniform(0.1, 0.8, 2), np.zeros(1)
        engine("solved", UNILATERAL, 1, W, b, mu, x)
        u = W * x + b
        assert x[0] >= 0.0 and u[0] > -1e-14 and abs(x[0] * u[0]) < 1e-14
        seen.add((0, bool(x[0] > 0.0)))
        engine("solved", STICTION, 1, W, b, mu, x)
        u = W * x + b
        assert abs(x[0]) <= mu[0] and (abs(u[0]) < 1e-14 or x[0] == -mu[0] * np.sign(u[0]))
        seen.add((1, bool(abs(u[0]) < 1e-14)))
        x, u = rng.normal(size=1), rng.normal(size=1)
        free = x[0] - u[0] / W[0]
        assert engine("violated", UNILATERAL, 1, W, u, mu, x) == pytest.approx(abs(max(free, 0.0) - x[0]))
        assert engine("violated", STICTION, 1, W, u, mu, x) == pytest.approx(abs(np.clip(free, -mu[0], mu[0]) - x[0]))
    x = mu[:1] * (1.0 - 5e-13)  # rounding of the limit is none
    assert engine("violated", STICTION, 1, W, np.array([-1.0]), mu, x) == 0.0
    assert engine("violated", STICTION, 1, W, np.array([-1.0]), mu, mu[:1] * (1.0 - 4e-12)) > 0.0
    assert len(seen) == 4


@pytest.mark.parametrize("still", [(), (1,), (2,), (1, 2)])
def test_a_contact_with_friction(engine: Any, still: tuple[int, ...]) -> None:
    """Also one whose body cannot move along a tangent or both: there is no impulse along these."""
    rng, seen = np.random.default_rng(2), set[str]()
    for trial in range(200):
        W, b, mu, x = (
            random_matrix(rng, 3),
            rng.normal(size=3),
            np.array([rng.choice([0.0, 0.2, 0.8, 3.0])]),
            np.ones(3),
        )
        b[0] -= 0.7
        W[list(still)], W[:, list(still)] = 0.0, 0.0
        b[list(still)] = 0.0
        if trial % 4 == 0 and not still:
            W[1, 2] = W[2, 1] = 0.0
            W[2, 2], W[0, 1:], W[1:, 0] = W[1, 1], 0.0, 0.0  # the same along both
        engine("solved", COULOMB, 3, upper(W), b, mu, x)
        u, scale = W @ x + b, 1.0 + np.abs(b).max()
        assert x[0] >= 0.0 and u[0] > -1e-12 * scale and abs(x[0] * u[0]) < 1e-11 * scale * (1.0 + x[0])
        assert not x[list(still)].any()
        assert broken_by_friction(x[1:], u[1:], mu[0] * x[0]) < 1e-10 * (1.0 + x[0])
        speed = np.linalg.norm(u[1:])
        seen.add("open" if x[0] == 0.0 else "slips" if speed > 1e-9 else "sticks")
        if not still:
            assert engine("violated", COULOMB, 3, upper(W), u, mu, x) < 1e-10 * (1.0 + x[0])
    assert seen == ({"open", "slips", "sticks"} if still != (1, 2) else {"open", "sticks"})


def on_cone(z: np.ndarray, mu: float) -> np.ndarray:
    """The nearest point of the cone |z_t| <= mu z_n: itself, the tip, or on the line of the surface that faces it."""
    t = np.linalg.norm(z[1:])
    if t <= mu * z[0]:
        return z
    edge = np.array([1.0, *(mu * z[1:] / t)]) if t > 0.0 else np.array([1.0, mu, 0.0])
    return edge * max(edge @ z, 0.0) / (edge @ edge)


def test_violations_of_contacts(engine: Any) -> None:
    """Distance of impulses from the projection of x - r (u + mu |u_t| n) onto the cone; that of moments."""
    rng, seen = np.random.default_rng(3), set[bool]()
    for _ in range(200):
        W, mu = random_matrix(rng, 6), rng.uniform(0.1, 1.2, 3)
        x, u = rng.normal(size=6), rng.normal(size=6) * 10.0 ** rng.uniform(-2.0, 1.0)
        x[0] = abs(x[0])
        r = 1.0 / np.diag(W)[:3].max()
        moved = x[:3] - r * (u[:3] + np.array([mu[0] * np.linalg.norm(u[1:3]), 0.0, 0.0]))
        forces = np.abs(on_cone(moved, mu[0]) - x[:3]).max()
        made = engine("violated", COULOMB, 3, upper(W[:3, :3]), u, mu, x)
        assert made == pytest.approx(forces, rel=1e-11, abs=1e-13)
        spin = abs(np.clip(x[3] - u[3] / W[3, 3], -mu[1] * x[0], mu[1] * x[0]) - x[3])
        turned = x[4:] - u[4:] / max(W[4, 4], W[5, 5])
        rolled = turned * min(1.0, mu[2] * x[0] / np.linalg.norm(turned))
        most = max(forces, spin, np.abs(rolled - x[4:]).max())
        if most > forces:
            u[:3], x[1:3] = [0.0, 0.0, 0.0], 0.0
            most = max(spin, np.abs(rolled - x[4:]).max())
        assert engine("violated", RESISTED, 6, upper(W), u, mu, x) == pytest.approx(most, rel=1e-11, abs=1e-13)
        seen.add(bool(most > forces))
    assert len(seen) == 2


def rope_faults(x: np.ndarray, u: np.ndarray, E: np.ndarray) -> float:
    """By how much tensions and rates of spans break the law of a rope over sheaves."""
    slip, nu, worst = np.cumsum(u), u.sum(), max(-x.min(), 0.0)
    worst = max(worst, -nu, abs(x[0] * nu))
    for j, ratio in enumerate(E):
        worst = max(worst, x[j + 1] - ratio * x[j], x[j] / ratio - x[j + 1])
        worst = max(
            worst, max(slip[j], 0.0) * (ratio * x[j] - x[j + 1]), max(-slip[j], 0.0) * (x[j + 1] - x[j] / ratio)
        )
    return float(worst)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_ropes_over_sheaves(engine: Any, n: int) -> None:
    """Of most, tensions are found that obey the law: from any modes, and slips both ways."""
    rng, found, seen = np.random.default_rng(n), 0, set[str]()
    for _ in range(150):
        W, E = random_matrix(rng, n), np.exp(rng.uniform(0.05, 1.0, n - 1))
        W = W / W.max()
        b, x = rng.normal(size=n), rng.uniform(0.0, 2.0, n) * rng.choice([0.0, 1.0])
        b -= rng.choice([0.0, 0.5])
        engine("solved", ROPE, n, upper(W), b, E, x)
        u = W @ x + b
        fault = rope_faults(x, u, E)
        r, slip, most = 1.0 / np.diag(W).max(), np.cumsum(u), abs(max(x[0] - u.sum() / np.diag(W).max(), 0.0) - x[0])
        for j, ratio in enumerate(E):
            most = max(most, abs(np.clip(x[j + 1] + r * slip[j], x[j] / ratio, x[j] * ratio) - x[j + 1]))
        assert engine("violated", ROPE, n, upper(W), u, E, x) == pytest.approx(most, rel=1e-9, abs=1e-12)
        assert (most < 1e-9) == (fault < 1e-8 * (1.0 + x.max()))
        found += most < 1e-9
        if most < 1e-9 and x[0] > 0.0:
            seen |= {"on" if w > 1e-9 else "back" if w < -1e-9 else "sticks" for w in slip[:-1]}
        else:
            seen.add("slack" if not x.any() else "not found")
        x, u = rng.uniform(0.1, 2.0, n), rng.normal(size=n)
        slip, most = np.cumsum(u), abs(max(x[0] - r * u.sum(), 0.0) - x[0])
        for j, ratio in enumerate(E):
            most = max(most, abs(np.clip(x[j + 1] + r * slip[j], x[j] / ratio, x[j] * ratio) - x[j + 1]))
        assert engine("violated", ROPE, n, upper(W), u, E, x) == pytest.approx(most, rel=1e-12)
    assert found > 140 and {"on", "back", "sticks", "slack"} <= seen
