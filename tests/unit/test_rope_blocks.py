"""Ropes over sheaves as blocks of n rows: against all modes tried one by one, closed forms and contacts.

Numbers of closed forms are those of Euler's and Eytelwein's formula with g = 9.81. Rows of spans are the rates at which
they slacken.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.support.reference.ropes import (
    mixed_solutions,
    nearest_tensions,
    pivots,
    rope_fault,
    rope_solutions,
)

from dalembert.core.errors import InputError
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.engine.stepping import native as stepping
from dalembert.engine.unilateral.algebra import (
    Blocks,
    Cones,
    NoContactForcesError,
    Reeve,
    UnilateralLaw,
    solve_blocks,
    solve_cones,
)

G = 9.81
WRAP = 0.2 * np.pi
SLACK, STICK, SLIP, BACK = Reeve.SLACK, Reeve.STICK, Reeve.SLIP, Reeve.BACK
PRINTED = 5e-12
"""Relative rounding of closed forms that are printed with twelve digits."""


def rope_of(masses: Any, rows: Any, forces: Any, kappa: Any, **more: Any) -> Blocks:
    """A rope whose spans lengthen with ``rows @ v``, under given forces."""
    inverse, A = 1.0 / np.asarray(masses, dtype=float), np.asarray(rows, dtype=float)
    return Blocks.rope(A @ (inverse[:, None] * A.T), -A @ (inverse * np.asarray(forces)), kappa, **more)


# -- all modes, one by one --------------------------------------------------------------------------------------------


def random_rope(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """W, b, kappa and slips of 2 to 5 spans. Some slip already; some hang from heavy masses and one light trolley."""
    n = int(rng.integers(2, 6))
    A = rng.normal(size=(n, n + int(rng.integers(0, 3))))
    if rng.random() < 0.5:
        A = np.hstack([np.diag(rng.uniform(0.1, 0.3, n)), rng.normal(size=(n, 1))])
    kappa = rng.uniform(0.0, rng.choice([0.8, 2.0]), n - 1) * (rng.random(n - 1) < 0.9)
    slip = np.where(rng.random(n - 1) < 0.6, rng.choice([-1.0, 1.0], n - 1), np.nan) if rng.random() < 0.5 else None
    return A @ A.T, rng.normal(size=n) - 0.3, kappa, slip


def check_ropes(count: int, seed: int) -> dict[str, int]:
    """Every solution obeys the law and is one of those that there are; where none is found there is none."""
    rng, seen = np.random.default_rng(seed), {"slack": 0, "stick": 0, "slip": 0, "back": 0, "jam": 0}
    for _ in range(count):
        W, b, kappa, slip = random_rope(rng)
        solutions = rope_solutions(W, b, kappa, slip)
        try:
            p, u, modes = solve_blocks(Blocks.rope(W, b, kappa, slip))
        except NoContactForcesError as error:
            assert not solutions, (solutions, error)
            assert slip is not None and error.sheave is not None, "a rope that slips nowhere cannot jam"
            ways = [(0, 1, -1) if np.isnan(way) else (int(way),) for way in slip]
            assert min(min(pivots(W, kappa, modes).values()) for modes in product(*ways)) <= 1e-7
            seen["jam"] += 1
            continue
        assert rope_fault(W, b, kappa, p, slip) < 1e-9
        assert min(np.abs(T - p).max() for _, T in solutions) < 1e-7 * max(1.0, np.abs(p).max())
        np.testing.assert_allclose(u, W @ p + b, rtol=0, atol=1e-12 * (1.0 + np.abs(p).max()))
        seen["slack"] += modes[0] == SLACK
        for mode, name in ((STICK, "stick"), (SLIP, "slip"), (BACK, "back")):
            seen[name] += bool((modes[1:] == mode).any())
    return seen


def test_random_ropes_obey_their_law() -> None:
    seen = check_ropes(300, 0)
    assert min(seen.values()) > 0, seen


@pytest.mark.slow
def test_three_thousand_random_ropes_obey_their_law() -> None:
    seen = check_ropes(3000, 1)
    assert min(seen.values()) > 10, seen


def test_ropes_at_rest_always_have_tensions() -> None:
    """Nothing slips yet: two to nine spans, each solution by the statement of the law."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        n = int(rng.integers(2, 10))
        A = rng.normal(size=(n, n + 1))
        W, b, kappa = A @ A.T, rng.normal(size=n), rng.uniform(0.0, 0.8, n - 1)
        assert rope_fault(W, b, kappa, solve_blocks(Blocks.rope(W, b, kappa)).p) < 1e-9


def test_one_sheave_is_a_coulomb_pair() -> None:
    """``N = (T1 + T2)/2``, ``F = (T2 - T1)/2`` and ``mu = tanh(kappa/2)``, which the solver of contacts has already."""
    rng, turn, compared = np.random.default_rng(3), np.array([[1.0, -1.0], [1.0, 1.0]]), 0
    for _ in range(200):
        A = rng.normal(size=(2, 3))
        W, b, kappa = A @ A.T, rng.normal(size=2), rng.uniform(0.05, 0.8, 1)
        if len(rope_solutions(W, b, kappa)) > 1:
            continue
        pair = np.zeros((3, 3))
        pair[:2, :2] = turn.T @ W @ turn
        contact = solve_cones(Cones.of(pair, np.append(turn.T @ b, 0.0), np.tanh(0.5 * kappa)))
        p = solve_blocks(Blocks.rope(W, b, kappa)).p
        np.testing.assert_allclose(p, turn @ contact.p[0, :2], rtol=0, atol=1e-9 * (1.0 + np.abs(p).max()))
        compared += bool(p.any())
    assert compared > 80


def test_a_rope_of_one_span_is_a_cable() -> None:
    for pull in (-2.0, 3.0):
        made = solve_blocks(Blocks.rope(np.array([[0.5]]), np.array([pull]), []))
        assert made.p[0] == pytest.approx(max(0.0, -pull / 0.5)) and (made.modes[0] == SLACK) == (pull > 0.0)


def test_sizes_are_checked() -> None:
    with pytest.raises(InputError, match="1 blocks with 2 rows need mu"):
        solve_blocks(Blocks.rope(np.eye(2), np.zeros(2), [0.1, 0.2]))


# -- closed forms -----------------------------------------------------------------------------------------------------


def test_eytelwein() -> None:
    """Masses 10 and 2 over a fixed drum; then 3 and 2.5, thrown up, and at rest."""
    falls = solve_blocks(rope_of([10.0, 2.0], np.eye(2), [10.0 * G, 2.0 * G], [WRAP]))
    np.testing.assert_allclose(falls.p, [53.4978010913, 28.5404397817], rtol=PRINTED)
    assert G - falls.p[0] / 10.0 == pytest.approx(4.46021989087, rel=PRINTED)
    assert list(falls.modes) == [STICK, BACK]
    pair = rope_of([3.0, 2.5], np.eye(2), [3.0 * G, 2.5 * G], [WRAP], slip=[1.0])
    thrown = solve_blocks(pair)
    assert G - thrown.p[0] / 3.0 == pytest.approx(3.77186428912, rel=PRINTED)
    stands = solve_blocks(Blocks.rope(pair.W, pair.b, [WRAP]))
    np.testing.assert_allclose(stands.p, [29.43, 24.525], rtol=1e-13)


ATWOOD: dict[str, Any] = {"masses": [5.0, 3.0, 0.02], "rows": [[1, 0, 0.1], [0, 1, -0.1]], "forces": [5 * G, 3 * G, 0]}


def test_atwood_with_inertia() -> None:
    """The sheave turns with the rope, or the rope slips past it: at rest, and with the sheave spun against it."""
    sticks = solve_blocks(rope_of(**ATWOOD, kappa=[0.25 * np.pi]))
    np.testing.assert_allclose(sticks.p, [39.24, 35.316], rtol=1e-13)
    critical = np.log(39.24 / 35.316) / np.pi
    assert critical == pytest.approx(0.0335372937473, rel=PRINTED)
    for part, mode in ((1.001, STICK), (0.999, BACK)):
        assert solve_blocks(rope_of(**ATWOOD, kappa=[part * critical * np.pi])).modes[1] == mode
    slips = solve_blocks(rope_of(**ATWOOD, kappa=[0.5 * critical * np.pi]))
    np.testing.assert_allclose(slips.p, [38.0064794875, 36.0561123075], rtol=PRINTED)
    assert G - slips.p[0] / 5.0 == pytest.approx(2.2087041025, rel=PRINTED)
    spun = solve_blocks(rope_of(**ATWOOD, kappa=[0.25 * np.pi], slip=[-1.0]))
    np.testing.assert_allclose(spun.p, [55.7419023447, 25.4148585932], rtol=PRINTED)
    assert spun.p[0] / 5.0 - G == pytest.approx(1.33838046894, rel=PRINTED)


def test_indeterminate_tensions_have_a_memory() -> None:
    """Two masses over two guides with a span between them that cannot lengthen: its tension is what friction left."""
    W, kappa, last, got = np.diag([0.1, 0.0, 0.1]), np.array([0.4, 0.4]), np.full(3, 100.0), []
    for pull in (180.0, 100.0, 60.0):
        b = -np.array([0.1 * pull, 0.0, 10.0])
        wanted = nearest_tensions(W, b, kappa, last, np.ones(3))
        last = solve_blocks(Blocks.rope(W, b, kappa, last=last)).p
        np.testing.assert_allclose(last, wanted, rtol=1e-6)
        got.append(last[1])
    np.testing.assert_allclose(got, [120.6576083, 120.6576083, 89.50948186], rtol=1e-9)


def test_indeterminate_tensions_are_weighted_by_lengths() -> None:
    """Two such spans: the shorter one changes more, as an elastic one would."""
    W, kappa, last = np.diag([0.1, 0.0, 0.0, 0.1]), np.array([1.0, 0.1, 1.0]), np.array([100.0, 80.0, 120.0, 100.0])
    b, lengths = -np.array([10.0, 0.0, 0.0, 10.0]), np.array([1.0, 5.0, 2.0, 1.0])
    got = solve_blocks(Blocks.rope(W, b, kappa, last=last, lengths=lengths)).p
    np.testing.assert_allclose(got, nearest_tensions(W, b, kappa, last, lengths), rtol=1e-5)
    assert got[2] / got[1] == pytest.approx(np.exp(0.1)) and abs(got[1] - 80.0) < abs(got[2] - 120.0)


def test_a_span_that_cannot_stick_slips() -> None:
    """A span between a drum that hauls in and a fixed point has no mass to move: it must slip."""
    W, b = np.diag([0.1, 0.0]), np.array([-G, -1.0])
    got = solve_blocks(Blocks.rope(W, b, [0.5]))
    assert got.modes[1] == SLIP  # towards the span that is hauled in
    np.testing.assert_allclose(got.p, [(G + 1.0) * 10.0, (G + 1.0) * 10.0 * np.exp(0.5)], rtol=1e-12)


JAMMING = np.array([[1.02, -0.5], [-0.5, 0.27]])


def test_a_jam_is_named() -> None:
    """A guide on a trolley: beyond mu = ln(52/23) / (pi/3) no tension keeps the rope slipping, though it may stick."""
    limit, b = 0.778983394, np.array([-1.0, -1.0])
    assert np.log(52.0 / 23.0) / (np.pi / 3.0) == pytest.approx(limit, rel=1e-9)
    below = solve_blocks(Blocks.rope(JAMMING, b, [(limit - 1e-6) * np.pi / 3], slip=[1.0]))
    assert below.p.min() > 0.0
    beyond = np.array([(limit + 1e-6) * np.pi / 3])
    with pytest.raises(NoContactForcesError, match="rope that jams at sheave 1") as told:
        solve_blocks(Blocks.rope(JAMMING, b, beyond, slip=[1.0]))
    assert (told.value.pair, told.value.sheave) == (0, 1)
    assert rope_fault(JAMMING, b, beyond, solve_blocks(Blocks.rope(JAMMING, b, beyond)).p) < 1e-12
    slack = solve_blocks(Blocks.rope(JAMMING, -b, beyond, slip=[1.0]))
    assert not slack.p.any()


def test_taut_impacts() -> None:
    """The same law on impulses: over a fixed guide, and over a sheave that turns."""
    guide = solve_blocks(Blocks.rope(np.diag([0.1, 0.5]), np.array([-3.0, 0.0]), [WRAP]))
    np.testing.assert_allclose(guide.p, [8.18009190998, 4.363981618], rtol=PRINTED)
    speed = np.array([3.0, 0.0]) - guide.p * [0.1, 0.5]
    np.testing.assert_allclose(np.abs(speed), 2.181990809, rtol=PRINTED)
    lost = 45.0 - 0.5 * (10.0 * speed[0] ** 2 + 2.0 * speed[1] ** 2)
    assert lost == pytest.approx(16.4334966566, rel=PRINTED)
    A, inverse = np.array([[1, 0, 0.12], [0, 1, -0.12]]), np.array([1 / 6, 1 / 3, 1 / 0.02])
    before = np.array([2.0, 0.0, 0.0])
    sheave = solve_blocks(Blocks.rope(A @ (inverse[:, None] * A.T), -A @ before, [0.9 * np.pi]))
    np.testing.assert_allclose(sheave.p, [5.06951871658, 3.46524064171], rtol=PRINTED)
    after = before - inverse * (A.T @ sheave.p)
    np.testing.assert_allclose(np.abs(after * [1, 1, 0.12]), 1.1550802139, rtol=PRINTED)


# -- with contacts ----------------------------------------------------------------------------------------------------


def with_contacts(W: np.ndarray, b: np.ndarray, kappa: np.ndarray, mu: np.ndarray) -> Blocks:
    """A rope, its spans first, and contacts in a plane; their second tangents cannot move."""
    n, k = len(kappa) + 1, len(mu)
    place = [*range(n), *(n + 3 * i + j for i in range(k) for j in range(2))]
    size = n + 3 * k
    wide, right, numbers = np.zeros((size, size)), np.zeros(size), np.zeros(size)
    wide[np.ix_(place, place)], right[place] = W, b
    numbers[1:n], numbers[n::3] = kappa, mu
    return Blocks(wide, right, (UnilateralLaw.ROPE, *(UnilateralLaw.CONE,) * k), (n, *(3,) * k), numbers)


def check_mixed(count: int, seed: int) -> None:
    rng, kinds, several = np.random.default_rng(seed), set(), 0
    for _ in range(count):
        n, k = int(rng.integers(2, 4)), int(rng.integers(1, 3))
        A = rng.normal(size=(n + 2 * k, n + 2 * k + 1))
        W, b = A @ A.T, rng.normal(size=n + 2 * k)
        kappa, mu = rng.uniform(0.05, 0.8, n - 1), rng.uniform(0.1, 0.6, k)
        solutions = mixed_solutions(W, b, kappa, mu)
        got = solve_blocks(with_contacts(W, b, kappa, mu))
        p = np.delete(got.p, [n + 3 * i + 2 for i in range(k)])
        off = [float(np.abs(p - wanted).max()) for _, wanted in solutions]
        assert off and min(off) < 1e-7 * max(1.0, np.abs(p).max())
        kinds |= {("rope", int(m)) for m in got.modes[1:n]} | {("contact", int(m)) for m in got.modes[n::3]}
        several += len(solutions) > 1
    assert len(kinds) == 7, kinds
    assert several < 0.1 * count


def test_ropes_with_contacts() -> None:
    check_mixed(40, 4)


@pytest.mark.slow
def test_many_ropes_with_contacts() -> None:
    check_mixed(600, 5)


@pytest.mark.parametrize("hanging", [1.0, 2.2, 3.5])
def test_a_rope_holds_what_a_sticking_contact_leaves(hanging: float) -> None:
    """A block of 5 kg on a rough floor, tied over a guide to a mass: it stays, or both move.

    While the block stays, the tension that pulls at it is what friction holds, anything within e^+-kappa of the weight:
    both are indeterminate together, and obey their laws.
    """
    mass, mu, kappa = 5.0, 0.4, 0.3
    inverse = np.array([1.0 / mass, 1.0 / mass, 1.0 / hanging])
    # coordinates: the block along the floor (towards the guide) and up, the mass down; rows: two spans, normal, tangent
    rows = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    W, b = rows @ (inverse[:, None] * rows.T), rows @ np.array([0.0, -G, G])
    got = solve_blocks(with_contacts(W, b, np.array([kappa]), np.array([mu])))
    floor, weight = mu * mass * G, hanging * G
    moves = weight * np.exp(-kappa) > floor
    assert rope_fault(W[:2, :2], b[:2] + W[:2, 2:] @ got.p[2:4], np.array([kappa]), got.p[:2]) < 1e-10
    assert got.p[2] == pytest.approx(mass * G) and abs(got.p[3]) <= floor * (1.0 + 1e-12)
    assert got.p[0] + got.p[3] == pytest.approx(mass * got.u[0])
    if moves:
        pull = (weight + floor * hanging / mass) / (np.exp(kappa) + hanging / mass)
        np.testing.assert_allclose(got.p[[0, 1, 3]], [pull, pull * np.exp(kappa), -floor], rtol=1e-12)
    else:
        np.testing.assert_allclose(got.u, 0.0, atol=1e-11)
        assert got.p[1] == pytest.approx(weight)
    assert moves == (hanging == 3.5)


def test_joints_that_stick_beside_ropes() -> None:
    """Blocks that do not act on each other: each by its own law, whatever their number of rows."""
    ropes = rope_of([3.0, 2.5], np.eye(2), [3.0 * G, 2.5 * G], [WRAP])
    W, b = np.zeros((4, 4)), np.array([2.0, *ropes.b, 7.0])
    W[1:3, 1:3], W[0, 0], W[3, 3] = ropes.W, 0.5, 0.25
    laws = (UnilateralLaw.LIMIT, UnilateralLaw.ROPE, UnilateralLaw.LIMIT)
    got = solve_blocks(Blocks(W, b, laws, (1, 2, 1), np.array([5.0, 0.0, WRAP, 6.0])))
    np.testing.assert_allclose(got.p, [-4.0, 29.43, 24.525, -6.0], rtol=1e-13)


# -- time-stepping ----------------------------------------------------------------------------------------------------


def impulses_of(c: Blocks, **settings: Any) -> stepping.BlockSolution:
    """The same rope solved by the routine of time-stepping."""
    n = len(c.b)
    return stepping.solve_blocks(c.W, c.b, [BlockLaw.ROPE], np.exp(c.mu[1:]), sizes=[n], **settings)


def check_steps(count: int, seed: int) -> None:
    """Impulses obey the law, of all but one in a thousand of these harsh ropes; of those the residual says so."""
    rng, missed = np.random.default_rng(seed), 0
    for _ in range(count):
        W, b, kappa, _ = random_rope(rng)
        made = impulses_of(Blocks.rope(W, b, kappa))
        found = rope_fault(W, b, kappa, made.impulses) < 1e-9
        assert found == (made.residual < 1e-9)
        missed += not found
    assert missed <= 1e-3 * count


def test_steps_of_random_ropes() -> None:
    check_steps(400, 6)


@pytest.mark.slow
def test_steps_of_many_random_ropes() -> None:
    check_steps(6000, 7)


@pytest.mark.parametrize("seed", [1879, 2998, 3418, 5480, 6123, 9066])
def test_steps_of_ropes_that_few_starts_solve(seed: int) -> None:
    """Of 12,000 ropes of heavy masses, a light trolley and much friction 12 are not solved; these nearly are not."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 6))
    A = np.hstack([np.diag(rng.uniform(0.1, 0.3, n)), rng.normal(size=(n, 1))])
    kappa = rng.uniform(0.0, 2.0, n - 1)
    W, b = A @ A.T, rng.normal(size=n) - 0.3
    made = impulses_of(Blocks.rope(W, b, kappa))
    assert rope_fault(W, b, kappa, made.impulses) < 1e-9 and made.residual < 1e-9


def test_steps_of_heavy_machines_have_larger_impulses() -> None:
    """By the factor of all masses, and to the last bit where it is a power of two."""
    rng, factor = np.random.default_rng(9), 2.0**40
    for _ in range(100):
        W, b, kappa, _ = random_rope(rng)
        light, heavy = (impulses_of(Blocks.rope(W / mass, b, kappa)).impulses for mass in (1.0, factor))
        np.testing.assert_array_equal(heavy, factor * light)


def test_steps_have_the_closed_forms() -> None:
    for c in (
        rope_of([10.0, 2.0], np.eye(2), [10.0 * G, 2.0 * G], [WRAP]),
        rope_of(**ATWOOD, kappa=[0.25 * np.pi]),
        rope_of(**ATWOOD, kappa=[0.01]),
        Blocks.rope(np.diag([0.1, 0.5]), np.array([-3.0, 0.0]), [WRAP]),
        Blocks.rope(np.diag([0.1, 0.0]), np.array([-G, -1.0]), [0.5]),
        Blocks.rope(JAMMING, np.array([1.0, 1.0]), [2.0]),
    ):
        np.testing.assert_allclose(impulses_of(c).impulses, solve_blocks(c).p, rtol=1e-13)


def test_steps_leave_indeterminate_tensions_as_they_were() -> None:
    W, kappa, last, got = np.diag([0.1, 0.0, 0.1]), np.array([0.4, 0.4]), np.full(3, 100.0), []
    for pull in (180.0, 100.0, 60.0):
        last = impulses_of(Blocks.rope(W, -np.array([0.1 * pull, 0.0, 10.0]), kappa), guess=last).impulses
        got.append(last[1])
    np.testing.assert_allclose(got, [120.6576083, 120.6576083, 89.50948186], rtol=1e-9)


def test_steps_leave_an_indeterminate_first_tension_as_it_was() -> None:
    """Of the span behind a fixed guide, as far as friction at the guide admits it."""
    last, got = np.full(2, 100.0), []
    for pull in (120.0, 180.0, 60.0):
        last = impulses_of(Blocks.rope(np.diag([0.0, 0.1]), -np.array([0.0, 0.1 * pull]), [0.4]), guess=last).impulses
        assert last[1] == pytest.approx(pull)
        got.append(last[0])
    np.testing.assert_allclose(got, [100.0, 180.0 * np.exp(-0.4), 60.0 * np.exp(0.4)], rtol=1e-9)


def test_steps_of_ropes_with_spans_that_cannot_change() -> None:
    """Wherever these are, tensions obey the law; where nothing slips they are those of the other routine."""
    rng, stuck = np.random.default_rng(10), 0
    for _ in range(200):
        n = int(rng.integers(2, 6))
        fixed = rng.random(n) < 0.5
        fixed[rng.integers(n)] = False
        A = np.where(fixed, 0.0, 1.0)[:, None] * rng.normal(size=(n, n + 1))
        W, wanted, kappa = A @ A.T, rng.uniform(90.0, 110.0, n), rng.uniform(0.2, 0.8, n - 1)
        last, b = rng.uniform(90.0, 110.0, n), -W @ wanted
        rope = Blocks.rope(W, b, kappa, last=last)
        made = impulses_of(rope, guess=last)
        assert rope_fault(W, b, kappa, made.impulses) < 1e-8 and made.residual < 1e-9
        other = solve_blocks(rope)
        if (np.abs(other.u) < 1e-8).all() and (other.modes[1:] == STICK).all():
            stuck += 1
            np.testing.assert_allclose(made.impulses, other.p, rtol=1e-7)
    assert stuck > 50


def test_steps_of_ropes_with_contacts_and_joints() -> None:
    """Blocks of one, two to four and three rows, coupled at random: condition by condition."""
    rng, seen = np.random.default_rng(8), set()
    for _ in range(60):
        n = int(rng.integers(2, 5))
        J = rng.normal(size=(n + 4, n + 6))
        W, u, kappa = J @ J.T, rng.normal(size=n + 4), rng.uniform(0.05, 0.8, n - 1)
        numbers = [0.3, 0.3, *np.exp(kappa), 0.4]
        laws = [BlockLaw.STICTION, BlockLaw.ROPE, BlockLaw.COULOMB]
        made = stepping.solve_blocks(W, u, laws, numbers, sizes=[1, n, 3])
        x, w = made.impulses, W @ made.impulses + u
        assert made.residual < 1e-9
        rope, rest = slice(1, n + 1), np.r_[0, n + 1 : n + 4]
        assert rope_fault(W[rope, rope], u[rope] + W[rope][:, rest] @ x[rest], kappa, x[rope]) < 1e-8
        assert abs(x[0]) <= 0.3 * (1 + 1e-9) and min(abs(w[0]), abs(x[0] + 0.3 * np.sign(w[0]))) < 1e-9
        normal, slip = x[n + 1], w[n + 2 :]
        assert normal >= 0.0 and min(normal, w[n + 1]) < 1e-9 and np.linalg.norm(x[n + 2 :]) <= 0.4 * normal + 1e-9
        np.testing.assert_allclose(
            x[n + 2 :] * np.linalg.norm(slip), -0.4 * normal * slip, atol=1e-8 * (1 + np.linalg.norm(slip))
        )
        seen |= {("pulls", bool(x[1] > 0)), ("slips", bool(abs(w[0]) > 1e-9)), ("pushes", bool(normal > 0))}
    assert len(seen) == 6


def test_blocks_have_so_many_rows_at_most() -> None:
    with pytest.raises(InputError, match="at most 16 rows, got 17"):
        stepping.solve_blocks(np.eye(17), np.zeros(17), [BlockLaw.ROPE], np.ones(16), sizes=[17])
