"""Tensions of ropes over sheaves in the equations of motion: groups, ratios, shares and what yields, against numpy.

Errors of one of these functions would be hidden by the others, which count tensions from the same numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dalembert.compile.build import find_toolchain
from support.engine_units import calls, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

SHOWN = """
#define SHOWN __attribute__((visibility("default")))
#define ROPES int64_t nv, int64_t m, int64_t n_active, int64_t *active, int64_t n_ropes, const int64_t *rope_first, \\
              int64_t n_rubbing, const int64_t *rubbing, const int64_t *flags, const int64_t *shares, \\
              const int64_t *of_rope, int64_t n_joints, const int64_t *load_count, const int64_t *tug_first, \\
              const int64_t *tugs, double *cone, double *yields, double *tension, double *ratio, double *lambda, \\
              double *Z, double *Y, double *Jt, double *f, double *x, double *work
#define MADE struct constrained C = {0}; \\
    C.nv = nv, C.m = m, C.n_active = n_active, C.active = active, C.n_ropes = n_ropes, C.rope_first = rope_first; \\
    C.n_rubbing = n_rubbing, C.rubbing = rubbing, C.flags = flags, C.shares = shares, C.of_rope = of_rope; \\
    C.n_joints = n_joints, C.load_count = load_count, C.tug_first = tug_first, C.tugs = tugs, C.cone = cone; \\
    C.yields = yields, C.tension = tension, C.ratio = ratio, C.lambda = lambda, C.Z = Z, C.Y = Y, C.Jt = Jt, C.f = f; \\
    C.rank_tolerance = 1e-9, C.dense_work = work; (void)x
SHOWN void pulled(ROPES) { MADE; pull_ropes(&C, x); }
SHOWN void shared_out(ROPES) { MADE; find_tensions(&C, x), spread_tensions(&C); }
SHOWN void kept(ROPES) { MADE; keep_tensions(&C, x); }
SHOWN double of_row(ROPES, int64_t row) { MADE; return tension_at(&C, row); }
SHOWN void counted(ROPES, int64_t rope, double sign) { MADE; count_from_shares(&C, x, rope, sign); }
SHOWN int64_t held_too(ROPES, int64_t own) {
    MADE; const struct memory memory = {work}; return holds_by_itself(&C, x, own, memory); }
SHOWN void pivots_of(ROPES, const int64_t *held, int64_t n_held, double *g) {
    MADE; const struct memory memory = {work}; find_rope_pivots(&C, x, held, n_held, g, memory); }
SHOWN int64_t one_yields(ROPES) { MADE; return yield_once(&C, x); }
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    integers = ("held_too", "one_yields")
    return calls(unit_with(SHOWN, "equations", "rope-parts", doubles=("of_row",), integers=integers))


class Ropes:
    """Two ropes over three and two sheaves, beside a contact, three joints of which one carries spans, and a rod."""

    first, bounds = np.array([0, 3, 5]), np.array([0, 4, 7])
    nv, m, n_rubbing, n_joints = 9, 14, 9, 3

    def __init__(self, rng: np.random.Generator) -> None:
        row = rng.permutation(self.m)  # 0, 1: whole ropes, 2 to 6: sheaves, 7 to 9: contact, 10 to 12: joints, 13: rod
        normals, self.sheaves = row[:2], row[2:7]
        contact = [[row[7], row[8], row[9]]]
        self.rubbing = np.array(
            [[normals[int(r >= 3)], self.sheaves[r], -1] for r in range(5)]
            + contact
            + [[-1, row[10 + j], -1] for j in range(3)]
        )
        self.spans = [[*self.sheaves[:3], normals[0]], [*self.sheaves[3:], normals[1]]]
        self.of_rope = np.isin(np.arange(self.m), row[:7]).astype(np.int64)
        places = rng.permutation(40)
        self.flags, self.shares = places[: self.m].copy(), places[self.m : 2 * self.m].copy()
        self.x = rng.normal(size=40)
        self.taut, self.sticks = rng.random(2) < 0.8, rng.random(5) < 0.7
        self.x[self.flags[normals]], self.x[self.flags[self.sheaves]] = self.taut, self.sticks
        self.x[self.shares] = rng.uniform(3.0, 9.0, self.m)
        self.yields = np.where(self.sticks & (rng.random(5) < 0.4), rng.choice([-1.0, 1.0], 5), 0.0)
        self.cone = np.concatenate([rng.uniform(0.1, 0.6, 3 * self.n_rubbing), rng.uniform(0.3, 2.0, 7)])
        self.load_count, self.tug_first = np.array([0, 0, 1]), np.array([0, 0, 2, 2])
        self.tugs = np.array([self.spans[0][1], self.spans[1][int(rng.integers(3))]])
        acts = np.concatenate([self.taut, np.repeat(self.taut, [3, 2]) & self.sticks, rng.random(7) < 0.6])
        self.active = rng.permutation(row[acts])
        self.tension, self.ratio, self.lam = rng.normal(size=7), rng.uniform(0.5, 1.5, 7), rng.normal(size=self.m)
        self.Z, self.Y = rng.normal(size=(2, self.nv, len(self.active)))
        self.Jt, self.f, self.work = rng.normal(size=(self.nv, self.m)), rng.normal(size=self.nv), np.zeros(50_000)

    @property
    def given(self) -> tuple[Any, ...]:
        return (
            self.nv, self.m, len(self.active), self.active, 2, self.first, self.n_rubbing, self.rubbing, self.flags,
            self.shares, self.of_rope, self.n_joints, self.load_count, self.tug_first, self.tugs, self.cone,
            self.yields, self.tension, self.ratio, self.lam, self.Z, self.Y, self.Jt, self.f, self.x, self.work,
        )  # fmt: skip

    def place(self, row: int) -> int:
        return int(np.flatnonzero(self.active == row)[0])

    def groups(self, rope: int) -> list[list[int]]:
        """Spans that sheaves which slip or yield join."""
        found: list[list[int]] = [[]]
        for j in range(len(self.spans[rope])):
            found[-1].append(j)
            r = self.first[rope] + j
            if r < self.first[rope + 1] and self.sticks[r] and self.yields[r] == 0.0:
                found.append([])
        return found

    def ratios(self, rope: int, group: list[int]) -> np.ndarray:
        """Tensions of the spans of a group by that of its last one: Eytelwein's, or those of the slip."""
        made = [1.0]
        for j in group[-2::-1]:
            r = self.first[rope] + j
            limit = np.exp(-self.cone[3 * r] * self.yields[r]) if self.yields[r] else 1.0 + self.cone[3 * r + 2]
            made.insert(0, made[0] * limit)
        return np.array(made)

    def force(self, rope: int, span: int) -> np.ndarray:
        """Generalized force of a unit of tension of a span, with the friction of the bearing that it loads."""
        rows = self.spans[rope]
        made = self.Jt[:, rows[span]] - (self.Jt[:, rows[span - 1]] if span else 0.0)
        drag = self.cone[3 * 7 + 2] * self.Jt[:, self.rubbing[7, 1]]  # of the second joint
        return made + np.count_nonzero(self.tugs == rows[span]) * drag

    def counted(self, rope: int) -> np.ndarray:
        """Force of the tensions that are shared, of which groups that slip or yield have one."""
        total = np.zeros(self.nv)
        for group in self.groups(rope):
            tension = self.ratios(rope, group) * self.x[self.shares[self.spans[rope][group[-1]]]]
            total += np.sum([T * self.force(rope, j) for T, j in zip(tension, group, strict=True)], axis=0)
        return total


TRIALS = range(40)


def test_forces_of_groups_of_spans(engine: Any) -> None:
    """One unknown of each group, of unit size in the metric of the lengths; a sheave that yields needs none."""
    rng = np.random.default_rng(1)
    for _ in TRIALS:
        c = Ropes(rng)
        Z, ratio = c.Z.copy(), c.ratio.copy()
        for rope in np.flatnonzero(c.taut):
            lengths = c.cone[3 * c.n_rubbing :][c.bounds[rope] : c.bounds[rope + 1]]
            for group in c.groups(rope):
                made = c.ratios(rope, group)
                made /= np.sqrt((lengths[group] / lengths.mean() * made**2).sum())
                ratio[c.bounds[rope] + np.array(group)] = made
                for j in group[:-1]:
                    if c.yields[c.first[rope] + j]:
                        Z[:, c.place(c.spans[rope][j])] = 0.0
                forces = [r * c.force(rope, j) for r, j in zip(made, group, strict=True)]
                Z[:, c.place(c.spans[rope][group[-1]])] = np.sum(forces, axis=0)
        engine("pulled", *c.given)
        np.testing.assert_allclose(c.Z, Z, atol=1e-13)
        np.testing.assert_allclose(c.ratio, ratio, rtol=1e-13)


def test_tensions_of_spans_and_their_multipliers(engine: Any) -> None:
    """Shared values and the unknowns of groups; multipliers of sheaves are differences. What is slack has none."""
    rng = np.random.default_rng(2)
    for _ in TRIALS:
        c = Ropes(rng)
        tension, lam, x = np.zeros(7), c.lam.copy(), c.x.copy()
        for rope in range(2):
            T = np.zeros(len(c.spans[rope]))
            for group in c.groups(rope) if c.taut[rope] else []:
                row = c.spans[rope][group[-1]]
                last = c.x[c.shares[row]] + c.ratio[c.bounds[rope] + group[-1]] * c.lam[row]
                T[group] = last * c.ratios(rope, group)
            tension[c.bounds[rope] : c.bounds[rope + 1]] = T
            lam[c.spans[rope]] = T - np.append(T[1:], 0.0)
        engine("shared_out", *c.given)
        np.testing.assert_allclose(c.tension, tension, rtol=1e-13)
        np.testing.assert_allclose(c.lam, lam, rtol=1e-12, atol=1e-13)
        for rope in range(2):
            for j, row in enumerate(c.spans[rope]):
                x[c.shares[row]] = tension[c.bounds[rope] + j]
        found = np.array([engine("of_row", *c.given, row) for row in range(c.m)])
        expected = lam.copy()
        expected[np.concatenate(c.spans)] = tension
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
        engine("kept", *c.given)
        np.testing.assert_allclose(c.x, x, rtol=1e-13)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_forces_are_counted_from_shared_tensions(engine: Any, sign: float) -> None:
    rng = np.random.default_rng(3)
    for trial in TRIALS:
        c, rope = Ropes(rng), trial % 2
        expected = c.f - sign * c.counted(rope)
        engine("counted", *c.given, rope, sign)
        np.testing.assert_allclose(c.f, expected, rtol=1e-12, atol=1e-12)


def held_by_others(c: Ropes, own: int) -> bool:
    """Whether a row is a combination of those that act and whose sheaves, if any, stick within their limits."""
    stays = [row not in c.sheaves[~c.sticks | (c.yields != 0.0)] for row in c.active]
    others = np.flatnonzero(stays)
    others = others[others != own]
    return bool(np.linalg.matrix_rank(c.Y[:, [*others, own]], tol=1e-6) == np.linalg.matrix_rank(c.Y[:, others], 1e-6))


def depending(rng: np.random.Generator) -> Ropes:
    """Rows in few directions, so that some of them depend on others."""
    c = Ropes(rng)
    rank = max(1, len(c.active) - 2)
    c.Y = rng.normal(size=(c.nv, rank)) @ rng.normal(size=(rank, len(c.active)))
    for k in rng.permutation(len(c.active))[: rng.integers(3)]:
        c.Y[:, k] = rng.normal(size=c.nv)
    return c


def test_rows_that_others_hold(engine: Any) -> None:
    rng, seen = np.random.default_rng(4), set[bool]()
    for _ in TRIALS:
        c = depending(rng)
        if not len(c.active):
            continue
        own = int(rng.integers(len(c.active)))
        expected = held_by_others(c, own)
        assert engine("held_too", *c.given, own) == expected
        seen.add(expected)
    assert seen == {True, False}


def test_the_first_sheave_beyond_its_limit_that_others_hold_yields(engine: Any) -> None:
    """Forces are then counted from shared tensions of which those before it follow its limit."""
    rng, ways = np.random.default_rng(5), list[float]()
    for _ in range(120):
        c = depending(rng)
        T, expected, way = c.tension.copy(), None, 0.0
        probe = Ropes.__new__(Ropes)
        probe.__dict__.update({name: np.copy(v) if isinstance(v, np.ndarray) else v for name, v in vars(c).items()})
        engine("shared_out", *probe.given)
        T = probe.tension
        for rope in np.flatnonzero(c.taut):
            for r in range(c.first[rope], c.first[rope + 1]):
                E, (before, behind) = np.exp(c.cone[3 * r]), T[r + rope : r + rope + 2]
                beyond = 1.0 if behind > E * before else -1.0 if before > E * behind else 0.0
                parts = c.sticks[r] and c.yields[r] == 0.0
                if expected is None and beyond and parts and held_by_others(c, c.place(c.sheaves[r])):
                    expected, way = (int(rope), r), beyond
        yields, f = c.yields.copy(), c.f.copy()
        if expected is not None:
            rope, r = expected
            f += c.counted(rope)
            kept, c.yields = c.yields, yields.copy()
            yields[r] = c.yields[r] = way
            f -= c.counted(rope)
            c.yields = kept
            ways.append(way)
        assert engine("one_yields", *c.given) == (expected is not None)
        np.testing.assert_array_equal(c.yields, yields)
        np.testing.assert_allclose(c.f, f, rtol=1e-11, atol=1e-11)
    assert len(ways) > 20 and set(ways) == {-1.0, 1.0}


def pivot(S: np.ndarray, g: int) -> float:
    """What is left of a diagonal entry where all others are eliminated."""
    o = [i for i in range(len(S)) if i != g]
    return float(S[g, g] - S[g, o] @ np.linalg.solve(S[np.ix_(o, o)], S[o, g]) if o else S[g, g])


def test_pivots_of_groups_at_sheaves_that_slip(engine: Any) -> None:
    """By how much a tension lengthens its group while all others keep their lengths, relative to equal tensions.

    Where the group cannot lengthen by itself, and at sheaves that stick, it is 1.
    """
    rng, slipping, stiff = np.random.default_rng(6), 0, 0
    for trial in TRIALS:
        c = Ropes(rng)
        plain = [k for k, row in enumerate(c.active) if not c.of_rope[row]]
        held = rng.permutation(np.array(plain, dtype=np.int64))[:2].copy()
        rigid = trial % 4 == 3 and len(held) > 0
        expected = np.ones(5)
        for rope in np.flatnonzero(c.taut):
            groups = c.groups(rope)
            places = [c.place(c.spans[rope][group[-1]]) for group in groups]
            if rigid:  # all groups follow from the first row that is held
                c.Y[:, places] = c.Y[:, held[:1]] * rng.uniform(1.0, 2.0, len(places))
            rows = np.diff(c.Y[:, places], axis=1, prepend=0.0)
            rows, columns = np.hstack([c.Y[:, held], rows]), c.Z[:, [*held, *places]]
            for k, group in enumerate(groups):
                a = len(held) + k
                for j in group:
                    r = c.first[rope] + j
                    if r == c.first[rope + 1] or c.sticks[r]:
                        continue
                    slipping, stiff = slipping + (not rigid), stiff + rigid
                    if not rigid:
                        whole = pivot(rows.T @ rows, a) * abs(c.ratio[c.bounds[rope] + j])
                        expected[r] = pivot(rows.T @ columns, a) / whole - 0.5e-9
        g = np.full(6, 7.0)
        engine("pivots_of", *c.given, held, len(held), g)
        np.testing.assert_allclose(g, [*expected, 7.0], rtol=1e-8, atol=1e-9)
    assert slipping > 20 and stiff > 5
