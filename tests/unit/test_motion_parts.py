"""Constrained equations, contacts and transitions of linear machines, function by function, against dense equations.

Machines have constant matrices, in Python, and the C is called as a time loop would call it. Accelerations, forces,
impulses and projections are those of numpy, of whole steps those of the equations of the method.
"""

from __future__ import annotations

import ctypes
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

from dalembert.compile.build import find_toolchain
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.layout import structure
from dalembert.engine.memory import NativeMemory
from dalembert.engine.problem.pairs import PairTable, SwitchTable, UnilateralLaw
from dalembert.engine.unilateral.native import transitions_memory
from support.engine_units import Code, calls, unit_with

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="no C compiler")

INDEX_1, UDWADIA_KALABA, PENALTY, AUGMENTED = range(4)
LANDED, NO_TERMS, NOT_CLOSED = -1, -2, -3

SHOWN = """
#define SHOWN __attribute__((visibility("default")))
typedef struct constrained C_;
typedef struct transitions T_;
#define ROOM struct memory memory = {T->work}
SHOWN int64_t ode(C_ *C, const double *const *in, double *const *out) {
    return constrained_ode(in, out, (double *)(void *)C); }
SHOWN int64_t events(C_ *C, const double *const *in, double *const *out) {
    return constrained_events(in, out, (double *)(void *)C); }
SHOWN int64_t gaps(C_ *C, const double *const *in, double *const *out) {
    return constrained_gaps(in, out, (double *)(void *)C); }
SHOWN int64_t rubbing(C_ *C, const double *const *in, double *const *out) {
    return contact_ode(in, out, (double *)(void *)C); }
SHOWN int64_t rubbing_events(C_ *C, const double *const *in, double *const *out) {
    return contact_events(in, out, (double *)(void *)C); }
SHOWN int64_t project(C_ *C, double t, double *x, const double *c, const double *p) {
    return constrained_project(C, t, x, c, p); }
SHOWN int64_t alpha(C_ *C, double t, double h, const double *x, const double *c, const double *p, double *out) {
    return constrained_alpha(C, t, h, x, c, p, out); }
SHOWN int64_t signals(C_ *C, int64_t n, const double *t, const double *x, const double *c, int64_t nc, const double *p,
                      int64_t np, double *out) { return constrained_signals(C, n, t, x, c, nc, p, np, out); }
SHOWN int64_t rubbing_signals(C_ *C, int64_t n, const double *t, const double *x, const double *c, int64_t nc,
                              const double *p, int64_t np, double *out) {
    return contact_signals(C, n, t, x, c, nc, p, np, out); }
SHOWN int64_t admits(C_ *C, double t, const double *x, double t_next, const double *x_next, const double *c,
                     const double *p, double part) { return contact_admits(C, t, x, t_next, x_next, c, p, part); }
SHOWN int64_t room_of(int64_t nv, int64_t m) { return contact_memory(nv, m); }
SHOWN int64_t room_for(int64_t nv, int64_t m, int64_t n) { return transitions_memory(nv, m, n); }
SHOWN int64_t land(T_ *T, double t, double *x, const double *c, const double *p) {
    return transitions_land(T, t, x, c, p); }
SHOWN int64_t start(T_ *T, double t, double *x, const double *c, const double *p) {
    return transitions_start(T, t, x, c, p); }
SHOWN int64_t begin(T_ *T, double t, const double *x, double *made, const double *c, const double *p) {
    return transitions_begin(T, t, x, made, c, p); }
SHOWN int64_t switches(T_ *T, double t, double *x, const double *c, const double *p, int64_t *fired) {
    return transitions_switch(T, t, x, c, p, fired); }
SHOWN double returns(T_ *T, const double *x) { return transitions_return(T, x); }
SHOWN double energy(T_ *T, const double *v) { ROOM; return kinetic(T, v, memory); }
SHOWN double least_friction(double c, double d, const double *N, const double *G, double most) {
    return slipping_friction(c, d, N, G, most); }
SHOWN int64_t slides_at(T_ *T, const double *x, int64_t i) { return slides(T, x, i); }
SHOWN void without_friction(int64_t k, int64_t n, const int64_t *first, const double *W, const double *b, int64_t i,
                            double *last) {
    const struct blocks c = {k, n, 0, first, W, b, 0, 0, 0, 0, 0, 0};
    tensions_without_friction(&c, i, last);
}
SHOWN int64_t lacks_of(C_ *C, const double *const *in) {
    return contact_evaluate(C, in), undetermined(C, in[1]); }
SHOWN int64_t sets(T_ *T, double *x, const int64_t *fired) { set_switches(T, x, fired); return 0; }
"""


@pytest.fixture(scope="module")
def engine() -> Any:
    integers = ("ode", "events", "gaps", "rubbing", "rubbing_events", "project", "alpha", "admits", "land", "start",
                "begin", "switches", "slides_at", "lacks_of")  # fmt: skip
    doubles = ("returns", "energy", "least_friction")
    library = unit_with(SHOWN, "equations", "motion-parts", doubles=doubles, integers=integers)
    sizes = SimpleNamespace(contact_memory=library.room_of, transitions_memory=library.room_for)
    with pytest.MonkeyPatch.context() as patch:  # else the whole unit would be compiled anew for two sizes
        for room in ("constraints", "unilateral"):
            patch.setattr(f"dalembert.engine.{room}.native.library", lambda _name: sizes)
        yield calls(library)


class Machine:
    """M a + J^T lambda = f - K q - D v, Phi = J q + phi0 + s t, with latches behind velocities, then works and losses.

    Blocks are "held", "switched", "cable", "contact" (three rows), "joint", "rope" (over two sheaves; they come first).
    """

    def __init__(
        self, rng: np.random.Generator, nv: int, kinds: tuple[str, ...], *, moving: bool = False,
        routine: int = INDEX_1, springs: float = 0.0, constant_mass: bool = False,
        loads: dict[int, tuple[int, int]] | None = None, tugs: tuple[tuple[int, ...], ...] | None = None,
        **settings: Any,
    ) -> None:  # fmt: skip
        self.nv, self.kinds, latch = nv, kinds, 2 * nv
        A = rng.normal(size=(nv, nv + 3))
        self.M, self.f = A @ A.T / nv + 0.5 * np.eye(nv), rng.normal(size=nv)
        B = rng.normal(size=(nv, nv))
        self.K, self.D = springs * (B @ B.T), 0.3 * springs * (B + 2.0 * np.eye(nv))
        flags: list[int] = []
        shares: list[int] = []
        losses: list[int] = []
        unilateral, self.rubs, friction, rows_of, pair_flags = [], list[tuple[int, int, int]](), [], [], []
        ropes_at = list[int]()
        self.mode: list[tuple[str, int, int]] = []  # kind, first row, first latch
        for kind in kinds:
            row = len(flags)
            self.mode.append((kind, row, latch))
            if kind == "held":
                flags.append(-1), shares.append(-1), losses.append(-1)
            elif kind in ("switched", "cable"):
                flags.append(latch), shares.append(-1), losses.append(-1)
                latch += 1
                if kind == "cable":
                    unilateral.append(row), rows_of.append((row,)), pair_flags.append(flags[-1])
            elif kind == "contact":  # flag; stick, toward, share, leeway
                flags += [latch, latch + 1, latch + 1]
                shares += [latch + 4, latch + 5, latch + 6]
                losses += [0, 0, 0]
                unilateral.append(row), rows_of.append((row, row + 1, row + 2)), pair_flags.append(latch)
                friction.append([latch + 1 + k for k in range(7)])
                self.rubs.append((row, row + 1, row + 2))
                latch += 8
            elif kind == "rope":  # flag; of each sheave stick and toward; shares of the spans
                flags += [latch + 1, latch + 3, latch]
                shares += [latch + 5, latch + 6, latch + 7]
                losses += [0, 0, -1]
                unilateral.append(row + 2)
                self.rubs += [(row + 2, row, -1), (row + 2, row + 1, -1)]
                rows_of.append((row, row + 1, row + 2)), pair_flags.append(latch), ropes_at.append(len(rows_of) - 1)
                for j in range(2):
                    stick = latch + 1 + 2 * j
                    friction.append([stick, stick + 1, -1, latch + 7, latch + 5 + j, -1, latch + 8 + j])
                latch += 10
            else:  # a joint: stick, toward, share, leeway
                flags.append(latch), shares.append(latch + 3), losses.append(0)
                friction.append([latch, latch + 1, -1, -1, latch + 3, -1, latch + 2])
                self.rubs.append((-1, row, -1)), rows_of.append((row,)), pair_flags.append(-1)
                latch += 4
        self.m, self.work = len(flags), latch
        self.losses = np.array([self.work + 2 if at == 0 else -1 for at in losses])
        self.impulses = self.work + 3
        self.tugs = tugs or ()
        joints, ropes = (sum(kind == name for kind in kinds) for name in ("joint", "rope"))
        self.sheaves, self.lengths = 2 * ropes, rng.uniform(0.5, 2.0, 3 * ropes)
        self.n = self.work + 3 + joints + self.sheaves
        self.J, self.phi0 = rng.normal(size=(self.m, nv)), rng.normal(size=self.m)
        self.s = rng.normal(size=self.m) * moving
        self.flags, self.shares, self.mu = np.array(flags), np.array(shares), rng.uniform(0.2, 0.5, len(self.rubs))
        self.kinetic, self.loads = self.mu[len(self.mu) - joints :] * 0.7, loads or {}
        self.unilateral, self.fails = unilateral, False
        self.inner: Any = lambda t, x: 0.25  # rate of an internal state
        system = SimpleNamespace(
            nq=nv, nv=nv, m=self.m, solves=False, constant_mass=constant_mass, work_input=self.work, flags=flags,
            unilateral=unilateral, n_events=2 * len(unilateral) + 3 * len(self.rubs), rubbing=self.rubs,
            work_loss=self.work + 1, impulses=self.impulses, losses=self.losses, shares=shares, ropes=(2,) * ropes,
            tugs=self.tugs,
            loads=tuple(self.loads.get(k, (-1, 0)) for k in range(joints)),
        )  # fmt: skip
        problem: Any = SimpleNamespace(
            constrained=system, event_specs=range(system.n_events), n_states=self.n, held_names=(), n_parameters=0
        )
        given = {"tolerance": 1e-12, "drift": 1e9, "max_iterations": 40} | settings
        method: Any = SimpleNamespace(
            implicit=False, tapes=("tape",), routine=routine, projects=given.pop("projects", True), settings=given
        )
        n = self.n
        codes: dict[str, Any] = {
            "tape": Code(self.tape, (1, n)), "geometry": Code(self.geometry, (1, n)),
            "move": Code(lambda x, d: (x[:nv] + d,), (n, nv)),
            "gaps": Code(lambda t, x: (self.J @ x[:nv] + self.phi0 + self.s * t[0],), (1, n)),
            "rate": Code(lambda *_: (self.K, self.D), (1, n)),
        }  # fmt: skip
        self.equations = NativeConstrained(problem, codes, method, further=("geometry", "move", "rate", "gaps"))
        self.C, self.arrays = self.equations.memory.struct, self.equations.memory.arrays
        self.problem, self.rows_of = problem, rows_of
        contact = [any(row == normal for normal, *_ in self.rubs if normal >= 0) for row, *_ in rows_of]
        laws = [UnilateralLaw.LIMIT if flag < 0 else UnilateralLaw.CONE for flag in pair_flags]
        rubs = [int(flag < 0 or contact[k]) for k, flag in enumerate(pair_flags)]
        for k in ropes_at:
            laws[k], rubs[k] = UnilateralLaw.ROPE, 2
        self.table = PairTable(
            tuple(laws),
            tuple(rows_of), np.array(pair_flags),
            np.array(friction).reshape(-1, 7), np.array(contact),
            np.array(rubs),
            np.zeros(len(rows_of), dtype=bool), np.zeros(len(rows_of)), np.zeros(len(rows_of)),
        )  # fmt: skip

    def state(self, rng: np.random.Generator) -> np.ndarray:
        x = np.zeros(self.n)
        x[: 2 * self.nv] = rng.normal(size=2 * self.nv)
        return x

    def active(self, x: np.ndarray) -> np.ndarray:
        return np.flatnonzero((self.flags < 0) | (x[self.flags] > 0.5))

    def terms(self, t: float, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """f without friction of slips and without shares, Phi, Phi'."""
        q, v = x[: self.nv], x[self.nv : 2 * self.nv]
        return self.f - self.K @ q - self.D @ v, self.J @ q + self.phi0 + self.s * t, self.J @ v + self.s

    def drag(self, x: np.ndarray) -> np.ndarray:
        """Of each tangential row its part of the normal force, while the pair slips."""
        drag = np.zeros(self.m)
        for r, (normal, *tangents) in enumerate(self.rubs[self.sheaves :], self.sheaves):
            if normal >= 0 and x[self.flags[normal]] > 0.5 and not x[self.flags[tangents[0]]] > 0.5:
                at = self.flags[tangents[0]]
                drag[tangents] = -self.mu[r] * x[at + 1 : at + 3]
        return drag

    def tape(self, t: np.ndarray, x: np.ndarray) -> tuple[Any, ...] | None:
        if self.fails:
            return None
        f, phi, phidot = self.terms(t[0], x)
        drag, cone, gamma = self.drag(x), np.zeros(3 * len(self.rubs)), np.zeros(self.m)
        for r, (_, row, _) in enumerate(self.rubs[: self.sheaves]):
            way = x[self.flags[row] + 1]
            cone[3 * r : 3 * r + 3] = self.mu[r], -phidot[row] * way, np.expm1(-self.mu[r] * way)
        for k in range(self.sheaves // 2):
            rows = 3 * k + np.arange(3)
            if x[self.flags[rows[2]]] > 0.5:
                f = f - self.counted(x, k) @ self.pulls(x, k)
        first = len(self.rubs) - sum(kind == "joint" for kind in self.kinds)
        for r, (normal, *tangents) in enumerate(self.rubs[self.sheaves :], self.sheaves):
            at = self.flags[tangents[0]]
            if normal >= 0:
                slip, toward = -phidot[tangents], x[at + 1 : at + 3]
                cone[3 * r : 3 * r + 3] = self.mu[r], slip @ toward, np.hypot(*slip)
                share = x[self.shares[normal]] * (x[self.flags[normal]] > 0.5)
                f = f - share * (self.J[normal] + drag[tangents] @ self.J[tangents])
                if x[at] > 0.5 and x[self.flags[normal]] > 0.5:
                    f = f - x[self.shares[tangents]] @ self.J[tangents]
            else:
                cone[3 * r], cone[3 * r + 1] = self.mu[r], -phidot[tangents[0]] * x[at + 1]
                if x[at] > 0.5:
                    f = f - x[self.shares[tangents[0]]] * self.J[tangents[0]]
                else:  # friction is known: -F d, of a loaded joint by its load
                    cone[3 * r + 2] = -self.kinetic[r - first] * x[at + 1]
                    if r - first not in self.loads and not self.tugs:
                        f = f - cone[3 * r + 2] * self.J[tangents[0]]
        rates = np.zeros(self.n)
        rates[: self.nv], rates[self.work] = x[self.nv : 2 * self.nv], self.inner(t[0], x)
        head = (rates, f, self.J.T.copy(), phi, phidot, gamma, self.s, self.M)
        return (*head, drag, np.concatenate([cone, self.lengths, self.kinetic])) if self.rubs else head

    def spans(self, rope: int) -> np.ndarray:
        """Rows of the rates of the spans of a rope, whose sums are those of its sheaves."""
        J = self.J[3 * rope : 3 * rope + 3]
        return J - np.vstack([np.zeros((1, self.nv)), J[:-1]])

    def pulls(self, x: np.ndarray, rope: int) -> np.ndarray:
        """Generalized forces of their tensions, with the friction of bearings that these load."""
        made = self.spans(rope)
        first = len(self.rubs) - len(self.tugs)
        for k, spans in enumerate(self.tugs):
            row = self.rubs[first + k][1]
            for j in range(3):
                if 3 * rope + j in spans:
                    made[j] -= self.kinetic[k] * x[self.flags[row] + 1] * self.J[row]
        return made

    def ratios(self, x: np.ndarray, rope: int) -> np.ndarray:
        """Tensions of the spans for unit ones of the last spans of groups, which sheaves that stick part (columns)."""
        T, column = np.zeros((3, 3)), 2
        for j in (2, 1, 0):
            row = 3 * rope + j
            if j == 2 or x[self.flags[row]] > 0.5:
                column = j
                T[j, j] = 1.0
            else:
                T[j, column] = T[j + 1, column] * np.exp(-self.mu[2 * rope + j] * x[self.flags[row] + 1])
        return T

    def counted(self, x: np.ndarray, rope: int) -> np.ndarray:
        """Tensions from which those of a rope are counted."""
        return self.ratios(x, rope) @ x[self.shares[3 * rope : 3 * rope + 3]]

    def geometry(self, t: np.ndarray, x: np.ndarray) -> tuple[Any, ...]:
        _, phi, phidot = self.terms(t[0], x)
        return self.J.T.copy(), phi, phidot, self.M

    def call(self, engine: Any, name: str, t: float, x: np.ndarray, size: int) -> np.ndarray:
        at, out, nothing = np.array([t]), np.full(size, np.nan), np.zeros(1)
        inputs = (ctypes.c_void_p * 4)(*(a.ctypes.data for a in (at, x, nothing, nothing)))
        outputs = (ctypes.c_void_p * 1)(out.ctypes.data)
        assert engine(name, self.equations.memory, inputs, outputs) == 0
        return out


def accelerations(
    m: Machine, f: np.ndarray, rows: np.ndarray, right: np.ndarray, pushes: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """a and the multipliers of least norm, with other rows by which multipliers push."""
    J = m.J[rows]
    K = J if pushes is None else pushes
    W = np.linalg.solve(m.M, K.T)
    force = np.linalg.pinv(J @ W, rcond=1e-10) @ (J @ np.linalg.solve(m.M, f) - right)
    return np.linalg.solve(m.M, f) - W @ force, force


KINDS = ("held", "switched", "held", "cable", "switched", "held")


@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("routine", [INDEX_1, UDWADIA_KALABA])
def test_accelerations_of_constrained_machines(engine: Any, routine: int, dependent: bool) -> None:
    """With Baumgarte's terms, rows that do not act, and rows that depend on others, whose forces are of least norm."""
    rng = np.random.default_rng(1)
    for trial in range(12):
        m = Machine(rng, 7, KINDS, moving=True, routine=routine, alpha=1.5, beta=2.5, constant_mass=trial % 2 == 0)
        if dependent:
            m.J[2] = 0.5 * m.J[0] - 2.0 * m.J[5]
            m.phi0[2], m.s[2] = 0.5 * m.phi0[0] - 2.0 * m.phi0[5], 0.5 * m.s[0] - 2.0 * m.s[5]
        for _ in range(2):
            x, t = m.state(rng), 0.3
            x[14:17] = rng.choice([0.0, 1.0], 3)
            f, phi, phidot = m.terms(t, x)
            rows = m.active(x)
            right = (-2.0 * 1.5 * phidot - 2.5**2 * phi)[rows]
            a, force = accelerations(m, f, rows, right)
            made = m.call(engine, "ode", t, x, m.n)
            np.testing.assert_allclose(made[7:14], a, rtol=1e-8, atol=1e-8)
            np.testing.assert_array_equal(made[:7], x[7:14])
            scattered = np.zeros(m.m)
            scattered[rows] = force
            np.testing.assert_allclose(m.arrays["lambda"], scattered, rtol=1e-7, atol=1e-8)
            assert made[m.work] == pytest.approx(0.25 + force @ m.s[rows], abs=1e-8)
            assert m.C.rank_lost == int(dependent)


@pytest.mark.parametrize("routine", [PENALTY, AUGMENTED])
def test_accelerations_by_penalty(engine: Any, routine: int) -> None:
    """(M + p J^T J) a = f + p J^T b; repeated, the constraints hold and forces are those of the exact equations."""
    rng = np.random.default_rng(2)
    for _ in range(6):
        m = Machine(rng, 5, KINDS[:4], moving=True, routine=routine, penalty=40.0, damping=0.7, omega=3.0)
        m.C.max_iterations = 3000
        x, t = m.state(rng), 0.3
        x[10:12] = rng.choice([0.0, 1.0], 2)
        f, phi, phidot = m.terms(t, x)
        rows = m.active(x)
        J, b = m.J[rows], (-2.0 * 0.7 * 3.0 * phidot - 9.0 * phi)[rows]
        a = np.linalg.solve(m.M + 40.0 * J.T @ J, f + 40.0 * J.T @ b)
        force = 40.0 * (J @ a - b)
        if routine == AUGMENTED:
            a, force = accelerations(m, f, rows, b)
        made = m.call(engine, "ode", t, x, m.n)
        np.testing.assert_allclose(made[5:10], a, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(m.arrays["lambda"][rows], force, rtol=1e-6, atol=1e-6)
        assert (m.C.iterations > 2) == (routine == AUGMENTED)


def test_events_and_gaps_of_cables(engine: Any) -> None:
    rng = np.random.default_rng(3)
    m = Machine(rng, 6, ("held", "cable", "cable", "cable"))
    x = m.state(rng)
    x[12:15] = 1.0, 0.0, -1.0  # taut, slack, cut
    _, phi, _ = m.terms(0.3, x)
    m.call(engine, "ode", 0.3, x, m.n)
    tension = m.arrays["lambda"][1]
    assert m.call(engine, "events", 0.3, x, 6) == pytest.approx([tension, 1.0, 1.0, 1.0, 1e-11 - phi[2], 1.0])
    assert m.call(engine, "gaps", 0.3, x, 6)[3:] == pytest.approx([1.0, 1e-11 - phi[2], 1.0])


@pytest.mark.parametrize("dependent", [False, True])
def test_projections_are_the_nearest_states(engine: Any, dependent: bool) -> None:
    """In the metric of the mass matrix, or of one that is enlarged."""
    rng = np.random.default_rng(4)
    for enlarged in (False, True):
        m = Machine(rng, 7, KINDS, moving=True)
        if dependent:
            m.J[2], m.phi0[2], m.s[2] = m.J[0] - m.J[5], m.phi0[0] - m.phi0[5], m.s[0] - m.s[5]
        x, t, M = m.state(rng), 0.3, m.M.copy()
        x[14:17] = 0.0, 1.0, 0.0
        if enlarged:
            W = np.diag(rng.uniform(0.5, 3.0, 7))
            m.equations.memory.array("metric", W)
            M = M + W
        rows = m.active(x)
        J = m.J[rows]
        back = np.linalg.solve(M, J.T) @ np.linalg.pinv(J @ np.linalg.solve(M, J.T), rcond=1e-10)
        _, phi, phidot = m.terms(t, x)
        q, v = x[:7] - back @ phi[rows], x[7:14] - back @ phidot[rows]
        assert engine("project", m.equations.memory, t, x, np.zeros(1), np.zeros(1)) == 0
        np.testing.assert_allclose(x[:7], q, atol=1e-9)
        np.testing.assert_allclose(x[7:14], v, atol=1e-9)
        m.C.drift = 1e-3
        x[:7] += 1.0
        assert engine("project", m.equations.memory, t, x, np.zeros(1), np.zeros(1)) == 1  # too far away
        kept = x.copy()
        m.C.projects = 0
        assert engine("project", m.equations.memory, t, x, np.zeros(1), np.zeros(1)) == 0 and (x == kept).all()


def test_recorded_forces_and_violations(engine: Any) -> None:
    rng = np.random.default_rng(5)
    m = Machine(rng, 6, ("held", "cable", "switched"), moving=True)
    t, x = np.array([0.1, 0.4, 0.7]), np.array([m.state(rng) for _ in range(3)])
    x[:, 12:14] = [[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    out = np.zeros((3, m.m + 3))
    engine("signals", m.equations.memory, 3, t, x, np.zeros(1), 0, np.zeros(1), 0, out)
    for k in range(3):
        rows = m.active(x[k])
        f, phi, phidot = m.terms(t[k], x[k])
        force = np.zeros(m.m)
        force[rows] = accelerations(m, f, rows, np.zeros(len(rows)))[1]
        np.testing.assert_allclose(out[k, : m.m], force, atol=1e-9)
        np.testing.assert_allclose(out[k, m.m :], [np.abs(phi[rows]).max(), np.abs(phidot[rows]).max(), 0.0])


@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize("h", [0.1, 1.0])
def test_steps_of_generalized_alpha(engine: Any, index: int, h: float) -> None:
    """Of a linear machine one step solves linear equations, which numpy has too; so do the next ones."""
    rng = np.random.default_rng(6)
    am, af = 0.2, 0.4
    gamma, beta = 0.5 - am + af, 0.25 * (1.0 - am + af) ** 2
    settings = {"alpha_m": am, "alpha_f": af, "gamma_n": gamma, "beta_n": beta, "index": index}
    m = Machine(rng, 5, ("held", "switched", "cable", "held"), moving=True, springs=0.5, **settings)
    nv, x, t = 5, m.state(rng), 0.3
    m.inner = lambda t, x: np.sin(3.0 * t) + 0.4 * x[1] - 0.7 * x[7]
    x[10:12] = 1.0, 0.0
    rows = m.active(x)
    J = m.J[rows]
    back = np.linalg.pinv(J)
    x[:5] -= back @ (J @ x[:5] + (m.phi0 + m.s * t)[rows])
    x[5:10] -= back @ (J @ x[5:10] + m.s[rows])
    x[:10] += 1e-3 * rng.normal(size=10)  # positions return at index 3, velocities at both
    out = x.copy()
    assert engine("alpha", m.equations.memory, t, 0.0, x, np.zeros(1), np.zeros(1), out) == 0
    np.testing.assert_array_equal(out, x)
    a0 = u0 = None
    for _ in range(3):
        q0, v0 = x[:5], x[5:10]
        if a0 is None or u0 is None:
            f, *_ = m.terms(t, x)
            a0, force0 = accelerations(m, f, rows, np.zeros(len(rows)))
            u0, power = a0, force0 @ m.s[rows]
        # unknowns a1, lambda: u1 is linear in a1, q1 and v1 in u1
        U, e = (1.0 - af) / (1.0 - am), (af * a0 - am * u0) / (1.0 - am)
        Q, q = h * h * beta * U, q0 + h * v0 + h * h * ((0.5 - beta) * u0 + beta * e)
        V, v = h * gamma * U, v0 + h * ((1.0 - gamma) * u0 + gamma * e)
        hold = (J * Q, J @ q + (m.phi0 + m.s * (t + h))[rows]) if index == 3 else (J * V, J @ v + m.s[rows])
        A = np.block([[m.M + Q * m.K + V * m.D, J.T], [hold[0], np.zeros((len(rows), len(rows)))]])
        z = np.linalg.solve(A, np.concatenate([m.f - m.K @ q - m.D @ v, -hold[1]]))
        a1, force = z[:nv], z[nv:]
        u1 = U * a1 + e
        assert engine("alpha", m.equations.memory, t, h, x, np.zeros(1), np.zeros(1), out) == 0
        np.testing.assert_allclose(out[:5], q + Q * a1, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(out[5:10], v + V * a1, rtol=1e-8, atol=1e-8)
        inner = m.inner(t, x) + m.inner(t + h, out)
        expected = x[m.work] + 0.5 * h * (inner + power + force @ m.s[rows])
        assert out[m.work] == pytest.approx(expected, rel=1e-7, abs=1e-8)
        power, a0, u0, t, x = force @ m.s[rows], a1, u1, t + h, out.copy()
    assert m.C.n_newton == 6  # of each step one iteration, and another one that changes nothing


def pushes(m: Machine, x: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows by which forces push: that of a normal with the friction of its slip."""
    K, drag = m.J[rows].copy(), m.drag(x)
    for k, row in enumerate(rows):
        for normal, *tangents in m.rubs:
            if normal == row:
                K[k] += drag[tangents] @ m.J[tangents]
    return K


def set_modes(m: Machine, x: np.ndarray, rng: np.random.Generator, modes: dict[int, str]) -> None:
    """Latches of blocks, by their number: open, stick, slip; shares are random."""
    for k, (kind, row, at) in enumerate(m.mode):
        mode = modes.get(k, "open")
        if kind == "contact":
            x[at] = mode != "open"
            x[at + 1] = mode == "stick"
            x[at + 4 : at + 7] = rng.normal(size=3)
            if mode == "slip":
                slip = -(m.J[row + 1 : row + 3] @ x[m.nv : 2 * m.nv] + m.s[row + 1 : row + 3])
                x[at + 2 : at + 4] = slip / np.linalg.norm(slip)
        elif kind == "joint":
            x[at], x[at + 3] = mode == "stick", rng.normal()
            if mode == "slip":
                x[at + 1] = np.sign(-(m.J[row] @ x[m.nv : 2 * m.nv] + m.s[row]))
        elif kind != "held":
            x[at] = mode != "open"


RUBBING = ("held", "contact", "switched", "contact", "cable", "contact", "joint", "joint")
MODES: list[dict[int, str]] = [
    {1: "stick", 3: "slip", 2: "on", 6: "stick", 7: "slip"},
    {1: "slip", 3: "slip", 5: "slip", 4: "on", 7: "stick"},
    {1: "stick", 3: "stick", 6: "slip", 7: "slip"},
    {5: "slip", 2: "on", 6: "stick", 7: "stick"},
]


@pytest.mark.parametrize("modes", MODES)
def test_motion_with_contacts_that_stick_and_slip(engine: Any, modes: dict[int, str]) -> None:
    """M a + K^T lambda = f, J a = 0, whatever shares forces are counted from; powers, events and records follow."""
    rng = np.random.default_rng(7)
    for _ in range(6):
        m = Machine(rng, 16, RUBBING, moving=True)
        x, t = m.state(rng), 0.3
        set_modes(m, x, rng, modes)
        x[m.nv : 2 * m.nv] *= 3.0  # no slip is slow
        f, phi, phidot = m.terms(t, x)
        rows, drag = m.active(x), m.drag(x)
        known = np.zeros(m.m)
        for k, joint in enumerate((6, 7)):
            _, row, at = m.mode[joint]
            if modes.get(joint) == "slip":
                known[row] = -m.kinetic[k] * x[at + 1]
        a, force = accelerations(m, f - m.J.T @ known, rows, np.zeros(len(rows)), pushes(m, x, rows))
        every = known.copy()
        every[rows] = force
        for normal, *tangents in m.rubs:
            if normal >= 0 and not x[m.flags[tangents[0]]] > 0.5:
                every[tangents] = drag[tangents] * every[normal]
        made = m.call(engine, "rubbing", t, x, m.n)
        np.testing.assert_allclose(made[m.nv : 2 * m.nv], a, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(m.arrays["lambda"], every, rtol=1e-8, atol=1e-9)
        assert made[m.work] == pytest.approx(0.25 + every @ m.s, abs=1e-9)
        assert made[m.impulses : m.impulses + 2] == pytest.approx([every[m.mode[k][1]] for k in (6, 7)])
        slipping = [row for _, *tangents in m.rubs for row in tangents if row >= 0 and not x[m.flags[row]] > 0.5]
        lost = sum(every[row] * phidot[row] for row in slipping)
        assert made[m.work + 1] == pytest.approx(-lost, abs=1e-9) and made[m.work + 2] == pytest.approx(lost, abs=1e-9)
        # events: forces of what acts, gaps of what does not, margins of what sticks, slip speeds
        n, u = len(m.rubs), len(m.unilateral)
        g = m.call(engine, "rubbing_events", t, x, 2 * u + 3 * n)
        acts = x[m.flags[m.unilateral]] > 0.5
        np.testing.assert_allclose(g[:u], np.where(acts, every[m.unilateral], 1.0), rtol=1e-8)
        np.testing.assert_allclose(g[u : 2 * u], np.where(acts, 1.0, 1e-11 - phi[m.unilateral]), rtol=1e-12)
        for r, (normal, *tangents) in enumerate(m.rubs):
            own = [row for row in tangents if row >= 0]
            sticks, most = x[m.flags[own[0]]] > 0.5, m.mu[r] * (every[normal] if normal >= 0 else 1.0)
            margin, acting = most - np.linalg.norm(every[own]), normal < 0 or x[m.flags[normal]] > 0.5
            assert g[2 * u + r] == pytest.approx(margin if sticks else 1.0, abs=1e-8)
            speed = -phidot[own] @ x[m.flags[own[0]] + 1 :][: len(own)]
            assert g[2 * u + n + r] == pytest.approx(speed if acting and not sticks else 1.0)
            if normal >= 0:  # the part of its effect that friction leaves, beside rows that always hold
                held = m.active(x)[[m.kinds[k] in ("held", "switched") for k in owners(m, m.active(x))]]
                W = np.linalg.inv(m.M)
                W = W - W @ m.J[held].T @ np.linalg.solve(m.J[held] @ W @ m.J[held].T, m.J[held] @ W)
                push = m.J[normal] + drag[tangents] @ m.J[tangents]
                pivot = (m.J[normal] @ W @ push) / (m.J[normal] @ W @ m.J[normal])
                slips = acting and not sticks
                assert g[2 * u + 2 * n + r] == pytest.approx(pivot if slips else 1.0, rel=1e-6)
        out = np.zeros((1, m.m + 3))
        engine("rubbing_signals", m.equations.memory, 1, np.array([t]), x, np.zeros(1), 0, np.zeros(1), 0, out)
        shown = every.copy()
        for normal, *tangents in m.rubs:
            if normal >= 0 and every[normal] < 0.0:
                shown[[normal, *tangents]] = 0.0
        np.testing.assert_allclose(out[0, : m.m], shown, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(out[0, m.m : m.m + 2], [np.abs(phi[rows]).max(), np.abs(phidot[rows]).max()])
        assert out[0, -1] == 0.0


def test_a_contact_with_one_tangent_slips(engine: Any) -> None:
    """As contacts in a plane do: what stands in front of an array is no friction along the tangent that is missing."""
    rng = np.random.default_rng(33)
    for way in (1.0, -1.0):
        m = Machine(rng, 6, ("held", "contact", "held"))
        m.arrays["rubbing"].reshape(-1, 3)[0, 2] = -1
        m.equations.memory.point("drag", np.full(m.m + 1, np.nan)[1:])
        x = m.state(rng)
        set_modes(m, x, rng, {1: "slip"})
        x[m.mode[1][2] + 2 :][:2] = way, 0.0
        f, *_ = m.terms(0.0, x)
        rows = m.active(x)
        a, force = accelerations(m, f, rows, np.zeros(len(rows)), pushes(m, x, rows))
        made = m.call(engine, "rubbing", 0.0, x, m.n)
        np.testing.assert_allclose(made[6:12], a, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(m.arrays["lambda"][rows], force, rtol=1e-8, atol=1e-9)
        assert m.arrays["lambda"][2] == pytest.approx(-m.mu[0] * way * force[1])


def owners(m: Machine, rows: np.ndarray) -> list[int]:
    """Block of each row."""
    starts = [row for _, row, _ in m.mode]
    return [int(np.searchsorted(starts, row, side="right")) - 1 for row in rows]


def test_forces_that_are_not_determined_are_counted_and_shared(engine: Any) -> None:
    """Three contacts of a body of two velocities: in how many ways forces may differ; they stay near the shares."""
    rng = np.random.default_rng(8)
    for modes, lacks in (({0: "stick", 1: "stick", 2: "stick"}, 7), ({0: "stick"}, 1), ({0: "stick", 2: "stick"}, 4)):
        m = Machine(rng, 2, ("contact",) * 3)
        x = m.state(rng)
        x[2:4] = 0.0  # nothing moves: friction at its limit counts as sticking
        set_modes(m, x, rng, modes)
        rows = m.active(x)
        m.call(engine, "rubbing", 0.0, x, m.n)
        J, share = m.J[rows], x[m.shares[rows]]
        W = np.linalg.solve(m.M, J.T)
        a_free = np.linalg.solve(m.M, m.f - J.T @ share)
        expected = share + np.linalg.pinv(J @ W, rcond=1e-10) @ (J @ a_free)
        np.testing.assert_allclose(m.arrays["lambda"][rows], expected, rtol=1e-7, atol=1e-9)
        out = np.zeros((1, m.m + 3))
        engine("rubbing_signals", m.equations.memory, 1, np.zeros(1), x, np.zeros(1), 0, np.zeros(1), 0, out)
        assert out[0, -1] == lacks
    m = Machine(rng, 9, ("held", "held", "contact", "contact"))
    m.J[5:8] = m.J[2:5]  # twice the same contact: it may share all three forces
    x = m.state(rng)
    x[9:18] = 0.0
    set_modes(m, x, rng, {2: "stick", 3: "stick"})
    out, none = np.zeros((1, m.m + 3)), np.zeros(1)
    engine("rubbing_signals", m.equations.memory, 1, none, x, none, 0, none, 0, out)
    assert out[0, -1] == 3


@pytest.mark.parametrize("seed", range(16))
def test_forces_beside_constraints_that_are_not_determined(engine: Any, seed: int) -> None:
    """Unknown forces of contacts less the rank that their rows add to those of constraints.

    What slips has one unknown, its push with friction against the slip. What rests at the limit counts as sticking.
    """
    rng = np.random.default_rng(seed)
    kinds = ("held", "contact", "switched", "contact", "contact", "contact", "held", "joint")
    m = Machine(rng, 11, kinds)
    contacts = [1, 3, 4, 5]
    modes = {k: str(rng.choice(["open", "stick", "slip", "rest"], p=[0.1, 0.4, 0.3, 0.2])) for k in contacts}
    modes |= {2: str(rng.choice(["open", "on"])), 7: str(rng.choice(["stick", "slip"]))}
    rows = {k: m.mode[k][1] for k in contacts}
    one, two = rng.choice(contacts, 2, replace=False)
    m.J[rows[one] : rows[one] + 3] = m.J[rows[two] : rows[two] + 3]  # the same contact twice
    m.J[rows[3] + 1] = m.J[0] + 0.4 * m.J[m.m - 2]  # a tangent along what is held
    if seed % 3 == 0:
        m.mu[2] = 0.0  # of the third contact
        m.J[rows[5]] = m.J[rows[1]] * 0.7 + 0.3 * m.J[0]
    x, J = m.state(rng), m.J
    still = [rows[k] + j for k in contacts if modes[k] != "slip" for j in (1, 2)]
    moving = [rows[k] + j for k in contacts if modes[k] == "slip" for j in (1, 2)]
    x[11:22] -= np.linalg.pinv(J[still]) @ (J[still] @ x[11:22])
    set_modes(m, x, rng, {k: "slip" if mode == "rest" else mode for k, mode in modes.items()})
    for k, mode in modes.items():
        at = m.mode[k][2]
        if mode == "rest":  # as if it slipped, but nothing moves
            x[at + 2 : at + 4] = 0.6, -0.8
    moves = {k: np.linalg.norm(J[rows[k] + 1 : rows[k] + 3] @ x[11:22]) > 1e-7 for k in contacts}
    drag = m.drag(x)
    for k in contacts:  # some that push along what is held, with their friction if they slip
        if rng.random() < 0.4:
            along = drag[rows[k] + 1 : rows[k] + 3] @ J[rows[k] + 1 : rows[k] + 3]
            J[rows[k]] = 0.4 * J[0] - 0.3 * J[m.m - 2] - (along if moves[k] else 0.0)
    Z = J.copy()
    order = [row for row in m.active(x) if not any(rows[k] <= row < rows[k] + 3 for k in contacts)]
    held = len(order)
    for k in contacts:
        if modes[k] == "open":
            continue
        order.append(rows[k])
        own = next(r for r, rub in enumerate(m.rubs) if rub[0] == rows[k])
        if moves[k]:
            Z[rows[k]] += drag[rows[k] + 1 : rows[k] + 3] @ J[rows[k] + 1 : rows[k] + 3]
        elif m.mu[own] > 0.0:
            order += [rows[k] + 1, rows[k] + 2]
    assert all(moves[k] == (rows[k] + 1 in moving) for k in contacts if k not in (one, two) or not moving)
    S = J[order] @ np.linalg.solve(m.M, Z[order].T)
    rank = np.linalg.matrix_rank(S, tol=1e-9) - np.linalg.matrix_rank(S[:held, :held], tol=1e-9)
    none = np.zeros(1)
    inputs = (ctypes.c_void_p * 4)(*(a.ctypes.data for a in (none, x, none, none)))
    assert engine("lacks_of", m.equations.memory, inputs) == len(order) - held - rank


def test_friction_of_a_loaded_joint_that_slips(engine: Any) -> None:
    """Its load is two forces of constraints: K_i = J_i - c d (N_i / |N|) J_t; where it sticks its limit is c |N|."""
    rng = np.random.default_rng(9)
    for _ in range(5):
        m = Machine(rng, 9, ("held", "held", "held", "joint", "joint"), loads={1: (1, 2)})
        m.kinetic *= 0.3
        x = m.state(rng)
        for modes in ({3: "slip", 4: "slip"}, {3: "slip", 4: "stick"}):
            set_modes(m, x, rng, modes)
            f, *_ = m.terms(0.0, x)
            rows, d = m.active(x), x[m.mode[4][2] + 1]
            f = f + m.kinetic[0] * x[m.mode[3][2] + 1] * m.J[3]
            slips, N = modes[4] == "slip", np.zeros(2)
            for _round in range(200):  # a contraction, as the coefficient is small
                K = m.J[rows].copy()
                if slips and N.any():
                    K[1:3] -= m.kinetic[1] * d * np.outer(N / np.linalg.norm(N), m.J[4])
                a, force = accelerations(m, f, rows, np.zeros(len(rows)), K)
                N = force[1:3]
            made = m.call(engine, "rubbing", 0.0, x, m.n)
            np.testing.assert_allclose(made[9:18], a, rtol=1e-8, atol=1e-9)
            load = np.linalg.norm(N)
            friction = -m.kinetic[1] * d * load if slips else force[3]
            assert m.arrays["lambda"][4] == pytest.approx(friction, rel=1e-8, abs=1e-9)
            g = m.call(engine, "rubbing_events", 0.0, x, 6)
            assert g[1] == pytest.approx(1.0 if slips else m.mu[1] * load - abs(friction), abs=1e-8)


def test_energy_of_steps_is_weighed(engine: Any) -> None:
    m = Machine(np.random.default_rng(10), 3, ("held",))
    x, after, empty = np.zeros(m.n), np.zeros(m.n), np.zeros(1)
    balance = Code(lambda t, x: ([x[0] + t[0]], [x[1]]), (1, m.n))
    m.C.balance = balance.address
    for gain, part, admitted in ((0.5, 0.0, 0), (-0.5, 0.0, 1), (0.5, 0.2, 1), (0.5, 0.1, 0)):
        m.phi0[0] = -m.J[0, :2] @ [1.0, 1.5]
        x[:2], after[:2] = (
            [1.0, 1.5],
            [1.0 + gain - 0.1, 2.0],
        )  # kinetic energies of 1.5 and 2, and time that counts too
        assert engine("admits", m.equations.memory, 0.2, x, 0.3, after, empty, empty, part) == admitted, gain
    m.phi0[0] = 10.0 - m.J[0] @ x[:3]  # a gap of 10 may give the energy of its force
    m.call(engine, "ode", 0.2, x, m.n)
    most = abs(m.arrays["lambda"][0]) * 10.0
    for gain in (1.9, 2.1):
        after[0] = 1.0 + gain * most - 0.1
        assert engine("admits", m.equations.memory, 0.2, x, 0.3, after, empty, empty, 0.0) == int(gain < 2.0)
    after[0] = 1.4  # forces that are not known allow nothing
    m.fails = True
    assert engine("admits", m.equations.memory, 0.2, x, 0.3, after, empty, empty, 0.0) == 0


class Touching(Machine):
    """A machine whose blocks all touch, and the structure of its transitions."""

    def __init__(self, rng: np.random.Generator, nv: int, kinds: tuple[str, ...], **settings: Any) -> None:
        self.restitution = settings.pop("restitution", 0.0)
        self.poisson = settings.pop("poisson", False)
        switches, measure = settings.pop("switches", None), settings.pop("measure", None)
        super().__init__(rng, nv, kinds, **settings)
        pairs = len(self.table.laws) - self.table.laws.count(UnilateralLaw.LIMIT)
        table = self.table
        table.restitution[:pairs] = self.restitution
        table.poisson[:pairs] = np.arange(pairs) % 2 == 1 if self.poisson == "mixed" else self.poisson
        entry = self.sheaves
        for k in range(pairs):
            if table.is_contact[k]:
                table.friction_coefficient[k] = self.mu[entry]
                entry += 1
        table.friction_coefficient[[law is not UnilateralLaw.CONE for law in table.laws]] = 1.0  # there is some
        self.memory = transitions_memory(self.problem, self.equations, table, switches=switches, measure=measure)
        self.T, self.log = self.memory.struct, self.memory.arrays
        self.pairs = pairs

    def close(self, x: np.ndarray, t: float = 0.0) -> None:
        """Move phi0 so that no row has a gap; nothing may read what a transition has not written."""
        self.log["work"][:] = np.nan
        self.phi0 = -self.J @ x[: self.nv] - self.s * t


def law_faults(
    m: Touching, u: np.ndarray, p: np.ndarray, slips: dict[int, np.ndarray] | None = None, e: float = 0.0,
    before: np.ndarray | None = None,
) -> float:  # fmt: skip
    """By how much forces p and relative velocities or accelerations u (both by rows, u = -J ..) break the laws."""
    worst, entry = 0.0, 0
    for rows in m.rows_of:
        if len(rows) == 1 and m.flags[rows[0]] >= 0 and rows[0] in m.unilateral:
            aim = u[rows[0]] + (e * min(before[rows[0]], 0.0) if before is not None else 0.0)
            worst = max(worst, -p[rows[0]], -aim, abs(p[rows[0]] * aim))
        elif len(rows) == 3:
            n, t = rows[0], list(rows[1:])
            aim = u[n] + (e * min(before[n], 0.0) if before is not None else 0.0)
            limit = m.mu[entry] * p[n]
            worst = max(worst, -p[n], -aim, abs(p[n] * aim), np.linalg.norm(p[t]) - limit)
            if slips and entry in slips:
                worst = max(worst, np.abs(p[t] + limit * slips[entry]).max())
            elif np.linalg.norm(u[t]) > 1e-9:
                worst = max(worst, np.abs(p[t] + limit * u[t] / np.linalg.norm(u[t])).max())
            entry += 1
        else:
            entry += 1
    return float(worst)


IMPACTS = [
    ("cable", "held", "cable", "switched", "cable"),
    ("contact", "held", "contact"),
    ("contact", "cable", "held"),
]


@pytest.mark.parametrize("kinds", IMPACTS)
@pytest.mark.parametrize(("e", "poisson"), [(0.0, False), (0.6, False), (0.6, True), (0.6, "mixed")])
def test_impacts_obey_their_laws(engine: Any, kinds: tuple[str, ...], e: float, poisson: Any) -> None:
    """M (v+ - v-) + J^T P = 0 with rows that hold stopped, energy and works in the account, and all gaps closed."""
    rng, seen = np.random.default_rng(11), 0
    for _ in range(8):
        m = Touching(rng, 9, kinds, moving=True, restitution=e, poisson=poisson)
        x, t = m.state(rng), 0.3
        m.close(x, t)
        for kind, row, at in m.mode:
            if kind == "switched":
                x[at] = 1.0
            elif kind == "contact":
                m.phi0[row] += 1e-12
            elif kind == "cable":
                x[at] = rng.choice([0.0, 1.0])
        if poisson or e:  # what holds does not begin to act at this instant
            for kind, row, _at in m.mode:
                if kind in ("held", "switched"):
                    m.s[row] = -m.J[row] @ x[9:18]
                    m.phi0[row] = -m.J[row] @ x[:9] - m.s[row] * t
        v, energy = x[9:18].copy(), 0.5 * x[9:18] @ m.M @ x[9:18]
        before = -(m.J @ v + m.s)
        works = x[m.work :].copy()
        assert engine("land", m.memory, t, x, np.zeros(1), np.zeros(1)) == LANDED
        after, P = x[9:18], m.log["log_impulses"][0]
        np.testing.assert_allclose(m.M @ (after - v) + m.J.T @ P, 0.0, atol=1e-8)
        u = -(m.J @ after + m.s)
        held = [row for kind, row, _ in m.mode if kind in ("held", "switched")]
        np.testing.assert_allclose(u[held], 0.0, atol=1e-8)
        factor = m.log["log_factor"][0]
        if not poisson:
            assert law_faults(m, u, P, e=e * factor, before=before) < 1e-7
        for k, row in enumerate(m.unilateral):
            assert P[row] >= -1e-9 and u[row] > -1e-8
            if not m.table.poisson[k]:  # Newton's restitution holds beside Poisson's too
                assert u[row] + e * factor * min(before[row], 0.0) > -1e-8
        lost = -0.5 * P @ (before + u)  # of forces on the machine
        assert m.log["log_lost"][0] == pytest.approx(lost, rel=1e-6, abs=1e-8)
        assert lost - (x[m.work] - works[0]) + 0.5 * after @ m.M @ after - energy == pytest.approx(0.0, abs=1e-7)
        assert x[m.work + 1] - works[1] == pytest.approx(-lost, abs=1e-8) and (lost > -1e-8 or m.s.any())
        assert x[m.work] - works[0] == pytest.approx(P @ m.s, abs=1e-8)
        contacts = m.losses >= 0
        given = -0.5 * ((before + u) * P)[contacts].sum()
        assert x[m.work + 2] - works[2] == pytest.approx(given, abs=1e-8)
        _, phi, _ = m.terms(t, x)
        assert max((phi[row] for row in m.unilateral), default=0.0) < 1e-9
        assert m.log["log_t"][0] == t and m.log["log_speed"][0] == pytest.approx(np.abs(after).max())
        seen += factor == 1.0
    assert seen > 0


def test_cables_that_are_wound_against_each_other_have_no_impulses(engine: Any) -> None:
    """Both shorten a line that joins them: the first one is named; at rest, or if one pays out as much, they land."""
    rng, one = np.random.default_rng(32), np.zeros(1)
    for _ in range(6):
        for speeds, outcome in (((0.3, 0.5), 0), ((0.0, 0.0), LANDED), ((0.5, -0.5), LANDED), ((0.5, -0.7), LANDED)):
            m = Touching(rng, 6, ("cable", "cable", "cable", "held"))
            m.J[1], m.s[:2] = -m.J[0], speeds
            x = m.state(rng)
            m.close(x)
            x[[m.mode[k][2] for k in range(3)]] = 1.0
            m.call(engine, "ode", 0.0, x, m.n)  # the rates of prescribed motion are those of the last evaluation
            assert engine("land", m.memory, 0.0, x, one, one) == outcome
            assert outcome == LANDED or (m.T.pair, m.T.lacks) == (0, 0)  # impulses
            u = -(m.J @ x[6:12] + m.s)
            assert (outcome == LANDED) == (u[:3].min() > -1e-8)
    m.fails = True
    assert engine("land", m.memory, 0.0, x, one, one) == NO_TERMS


def test_modes_after_an_instant_obey_the_laws(engine: Any) -> None:
    """Everything touches and rests: which of it acts, sticks and slips is that of accelerations that obey the laws."""
    rng, modes = np.random.default_rng(12), set()
    for trial in range(30):
        kinds = [("contact", "held", "cable", "joint"), ("contact", "contact", "joint"), ("cable", "cable", "held")][
            trial % 3
        ]
        m = Touching(rng, 8, kinds)
        x = m.state(rng)
        x[8:16] = 0.0
        m.close(x)
        m.f *= 5.0
        for kind, _row, at in m.mode:
            if kind in ("cable", "contact"):
                x[at] = 1.0
        assert engine("land", m.memory, 0.0, x, np.zeros(1), np.zeros(1)) == LANDED
        made = m.call(engine, "rubbing" if m.rubs else "ode", 0.0, x, m.n)
        a, every = made[8:16], m.arrays["lambda"]
        np.testing.assert_allclose(m.M @ a + m.J.T @ every, m.f, atol=1e-7)
        u = -(m.J @ a)
        assert law_faults(m, u, every) < 1e-6
        for kind, row, at in m.mode:
            if kind == "contact":
                mode = "open" if x[at] == 0.0 else "stick" if x[at + 1] else "slip"
                assert (mode == "open") == (every[row] < 1e-9)
                if mode == "slip":
                    np.testing.assert_allclose(
                        x[at + 2 : at + 4], u[row + 1 : row + 3] / np.linalg.norm(u[row + 1 : row + 3]), atol=1e-5
                    )
                if mode == "stick":
                    np.testing.assert_allclose(x[at + 4 : at + 7], every[row : row + 3], rtol=1e-6, atol=1e-8)
                    np.testing.assert_allclose(u[row : row + 3], 0.0, atol=1e-8)
            elif kind == "joint":
                mode = "joint sticks" if x[at] else "joint slips"
                r = len(m.mu) - 1
                if x[at]:
                    assert abs(u[row]) < 1e-8 and abs(every[row]) <= m.mu[r] * (1.0 + 1e-9)
                else:
                    assert every[row] * u[row] < 0.0 and abs(every[row]) == pytest.approx(m.kinetic[-1])
            else:
                continue
            modes.add(mode)
    assert modes == {"open", "stick", "slip", "joint sticks", "joint slips"}


def test_loaded_joints_beside_cables_stick_or_slip(engine: Any) -> None:
    """From rest: within c |N| of the forces that load them they stick, else they slip against as much."""
    rng, modes = np.random.default_rng(34), list[bool]()
    for _ in range(40):
        m = Touching(rng, 9, ("cable", "cable", "held", "held", "joint"), loads={0: (2, 2)})
        m.kinetic[:] = m.mu
        x = m.state(rng)
        x[9:18] = 0.0
        m.close(x)
        for k in range(2):
            x[m.mode[k][2]] = 1.0
        at = m.mode[4][2]
        assert engine("land", m.memory, 0.0, x, np.zeros(1), np.zeros(1)) == LANDED
        made = m.call(engine, "rubbing", 0.0, x, m.n)
        a, force = made[9:18], m.arrays["lambda"]
        np.testing.assert_allclose(m.M @ a + m.J.T @ force, m.f, atol=1e-7)
        u, load = -(m.J @ a), np.linalg.norm(force[2:4])
        assert min(force[:2].min(), u[:2].min()) > -1e-8 and np.abs(force[:2] * u[:2]).max() < 1e-7
        sticks = x[at] == 1.0
        if sticks:
            assert abs(u[4]) < 1e-8 and abs(force[4]) <= m.mu[0] * load * (1.0 + 1e-6)
        else:
            assert force[4] == pytest.approx(-np.sign(u[4]) * m.kinetic[0] * load, rel=1e-6) and abs(u[4]) > 1e-6
        modes.append(sticks)
    assert 5 < sum(modes) < 35


def test_loaded_joints_with_much_friction_obey_their_law(engine: Any) -> None:
    """Their own friction changes the load that makes it: it is not found by trying one after the other."""
    rng, modes, one = np.random.default_rng(36), list[bool](), np.zeros(1)
    for _ in range(60):
        m = Touching(rng, 7, ("cable", "held", "held", "joint"), loads={0: (1, 2)})
        m.mu[:] = m.kinetic[:] = 1.4
        x = m.state(rng)
        x[7:14] = 0.0
        m.close(x)
        x[m.mode[0][2]] = 1.0
        at = m.mode[3][2]
        if engine("land", m.memory, 0.0, x, one, one) != LANDED:
            continue  # it jams
        made = m.call(engine, "rubbing", 0.0, x, m.n)
        force, u = m.arrays["lambda"], -(m.J @ made[7:14])
        load, sticks = np.linalg.norm(force[1:3]), x[at] == 1.0
        assert (abs(force[3]) <= 1.4 * load * (1.0 + 1e-6)) if sticks else x[at + 1] == np.sign(u[3])
        assert sticks or force[3] == pytest.approx(-x[at + 1] * 1.4 * load, rel=1e-6)
        modes.append(sticks)
    assert 5 < sum(modes) < len(modes) - 3, (sum(modes), len(modes))


def test_joints_loaded_by_a_rope_stick_or_slip(engine: Any) -> None:
    """Bearings of sheaves: they stick within c times the tensions of the spans beside them, else they slip."""
    rng, modes, one = np.random.default_rng(41), list[bool](), np.zeros(1)
    for trial in range(60):
        m = Touching(rng, 9, ("rope", "rope", "held", "joint"), tugs=((1, 2),) if trial % 2 else ((3, 4),))
        m.kinetic[:] = m.mu[4:] = 0.06
        x = m.state(rng)
        x[9:18] = 0.0
        m.close(x)
        m.f += 3.0 * sum(m.spans(k).sum(axis=0) * rng.uniform(0.5, 1.5) for k in range(2))
        x[m.flags[[2, 5]]] = 1.0
        at, row = m.mode[3][2], 7
        if engine("land", m.memory, 0.0, x, one, one) != LANDED:
            continue
        made = m.call(engine, "rubbing", 0.0, x, m.n)
        T, force, u = m.arrays["tension"], m.arrays["lambda"], -(m.J @ made[9:18])
        load, sticks = sum(max(0.0, T[j]) for j in m.tugs[0]), x[at] == 1.0
        if sticks:
            assert abs(u[row]) < 1e-8 and abs(force[row]) <= 0.06 * load * (1.0 + 1e-6) + 1e-9
        elif load > 1e-6:
            assert x[at + 1] == np.sign(u[row]) and force[row] == pytest.approx(-x[at + 1] * 0.06 * load, rel=1e-6)
        modes.append(sticks)
    assert 5 < sum(modes) < len(modes) - 5, (sum(modes), len(modes))


def test_what_has_let_go_is_remembered_for_an_instant(engine: Any) -> None:
    """Cables that let go, and friction that has reached its limit: until the time is another one."""
    rng, one = np.random.default_rng(42), np.zeros(1)
    m = Touching(rng, 9, ("cable", "cable", "contact", "held"))
    x = m.state(rng)
    x[9:18] = 0.0
    m.close(x)
    x[[m.mode[k][2] for k in range(3)]] = 1.0
    nothing, first, second = np.zeros((3, 9), dtype=np.int64)
    first[[1, 6]] = 1  # of three pairs the second one lets go, and the contact slips
    second[[0, 4]] = 1  # the first one lets go, and the second one takes hold again
    for t, fired, loose, slipping in (
        (0.1, first, [0, 1, 0], [1]), (0.1, nothing, [0, 1, 0], [1]), (0.1, second, [1, 0, 0], [1]),
        (0.2, nothing, [0, 0, 0], [0]), (0.2, first, [0, 1, 0], [1]), (0.3, second, [1, 0, 0], [0]),
    ):  # fmt: skip
        y = x.copy()
        assert engine("switches", m.memory, t, y, one, one, fired.copy()) == LANDED
        assert m.log["loose"].tolist() == loose and m.log["slipping"].tolist() == slipping, (t, loose)
        assert all(y[m.mode[k][2]] == 0.0 for k in range(2) if loose[k])


def test_the_sheave_at_which_a_rope_jams_is_named(engine: Any) -> None:
    """Of the second of two ropes: the first one that slips already; one that sticks does not jam."""
    rng, named, one = np.random.default_rng(37), set(), np.zeros(1)
    for _ in range(300):
        m = Touching(rng, 8, ("rope", "rope", "held"))
        m.mu[:] = [0.1, 0.1, 2.5, 2.5]
        x, speeds = m.state(rng), np.zeros(7)
        sticks = bool(rng.integers(2))  # the first sheave of the second rope
        speeds[[0, 1, 3, 4]] = rng.normal(size=4) * [1.0, 1.0, not sticks, 1.0]
        x[8:16] = np.linalg.pinv(m.J) @ -speeds
        m.close(x)
        m.f += 3.0 * sum(m.spans(k).sum(axis=0) for k in range(2))
        x[m.flags[[2, 5]]] = 1.0
        outcome = engine("land", m.memory, 0.0, x, one, one)
        if outcome != 1:
            continue
        assert m.T.pair == 1
        named.add((sticks, m.T.lacks))
    assert named == {(True, 3), (False, 2), (False, 1)}, named  # 2 + its number; 1: no sheave by itself


@pytest.mark.parametrize(
    "kinds",
    [
        ("contact", "contact", "held"),
        ("contact", "contact", "cable", "joint"),
        ("contact", "contact", "held", "held", "joint"),
    ],
    ids=["contacts", "joint", "loaded"],
)
def test_masses_and_forces_of_another_unit_have_the_same_modes(engine: Any, kinds: tuple[str, ...]) -> None:
    """Contacts that slip slowly: forces grow with the masses, while motions, directions and leeways stay."""
    one, modes, turns = np.zeros(1), set(), 0
    for seed in range(25):
        made: list[tuple[np.ndarray, np.ndarray]] = []
        for scale in (1.0, 1e-3, 1e3):
            rng = np.random.default_rng(100 + seed)
            loaded = kinds.count("held") == 2
            m = Touching(rng, 9, kinds, loads={0: (6, 2)} if loaded else None)
            m.M, m.f = scale * m.M, scale * (m.f + 4.0 * rng.uniform(-1.0, 1.5, 2) @ m.J[[0, 3]])
            if loaded:
                m.mu[-1] = 0.9
                m.kinetic[:] = 0.9
            elif kinds[-1] == "joint":
                m.mu[-1:] *= scale
                m.kinetic[:] = 0.7 * m.mu[-1]
            x, rates = m.state(rng), np.zeros(m.m)
            for k, row in enumerate((0, 3)):
                way = rng.normal(size=2)
                speed = 10.0 ** rng.uniform(-6.5, -4.5) * (k == 0 or seed % 2)
                rates[row + 1 : row + 3] = -speed * way / np.linalg.norm(way)
            x[9:18] = np.linalg.pinv(m.J) @ rates
            m.close(x)
            for kind, _, at in m.mode:
                if kind in ("contact", "cable"):
                    x[at] = 1.0
            outcome = engine("land", m.memory, 0.0, x, one, one)
            if outcome != LANDED:
                made.append((np.array([outcome]), np.zeros(1)))
                continue
            shares = m.shares[m.shares >= 0]
            made.append((x[np.setdiff1d(np.arange(18, m.work), shares)], x[shares] / scale))
            modes |= {tuple(x[p : p + 2]) for kind, _, p in m.mode if kind == "contact"}
        for latches, forces in made[1:]:
            np.testing.assert_allclose(latches, made[0][0], rtol=1e-5, atol=1e-9)
            np.testing.assert_allclose(forces, made[0][1], rtol=1e-5, atol=1e-7)
        turns += len(made[0][0]) > 1
    assert modes >= {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)} and turns > 20, (modes, turns)


@pytest.mark.parametrize("slow", [True, False])
def test_modes_do_not_depend_on_axes_or_order(engine: Any, slow: bool) -> None:
    """Tangents of a contact may be turned or mirrored, and contacts and cables exchanged: modes and forces follow."""
    one, seen = np.zeros(1), set()
    kinds = ("contact", "contact", "cable", "cable", "held", "joint")
    for seed in range(20):
        results = []
        for turned in (0, 1, 2):
            rng = np.random.default_rng(300 + seed)
            m = Touching(rng, 10, kinds)
            m.f = m.f + 4.0 * rng.uniform(-1.0, 1.5, 2) @ m.J[[0, 3]]
            x, rates = m.state(rng), np.zeros(m.m)
            for row in (0, 3):
                way, speed = rng.normal(size=2), 10.0 ** (rng.uniform(-6.5, -4.5) if slow else rng.uniform(-2.0, 0.0))
                rates[row + 1 : row + 3] = -speed * way / np.linalg.norm(way) * rng.integers(2)
            rates[-1] = rng.choice([0.0, 0.3])
            x[10:20] = np.linalg.pinv(m.J) @ rates
            R, order = [np.eye(2), np.eye(2)], np.arange(m.m)
            if turned:
                c, s = np.cos(angle := rng.uniform(-np.pi, np.pi)), np.sin(angle)
                R = [np.array([[c, s], [-s, c]]), np.array([[c, s], [s, -c]])]
            if turned == 2:
                order[:8] = [3, 4, 5, 0, 1, 2, 7, 6]
            for row, turn in zip((0, 3), R, strict=True):
                m.J[row + 1 : row + 3] = turn @ m.J[row + 1 : row + 3]
            m.J = m.J[order]
            if turned == 2:
                m.mu[:2] = m.log["mu"][:2] = m.mu[1::-1].copy()
            m.close(x)
            for kind, _, at in m.mode:
                if kind in ("contact", "cable"):
                    x[at] = 1.0
            outcome = engine("land", m.memory, 0.0, x, one, one)
            made = []
            for k in (0, 1) if turned < 2 else (1, 0):
                at, back = m.mode[k][2], R[k if turned < 2 else 1 - k].T
                latches = x[at : at + 8]
                made += [*latches[:2], *(back @ latches[2:4]), latches[4], *(back @ latches[5:7]), latches[7]]
            made += [x[m.mode[k][2]] for k in ((2, 3) if turned < 2 else (3, 2))]
            results.append([outcome == LANDED, *made, *x[m.mode[5][2] : m.mode[5][2] + 4], *x[10:20]])
            if outcome == LANDED:  # the equations of motion do not contradict the modes
                a, force = m.call(engine, "rubbing", 0.0, x, m.n)[10:20], m.arrays["lambda"]
                for k, row in enumerate((0, 3)):
                    at = m.mode[k][2]
                    if x[at] > 0.5:
                        push = np.hypot(*force[row + 1 : row + 3])
                        assert force[row] > -1e-7 and push <= m.mu[k] * force[row] * (1.0 + 1e-5) + 1e-7
                    else:
                        assert slow or m.J[row] @ a < 1e-7  # friction of slow slips may turn it back later
            seen |= {tuple(x[p : p + 2]) for kind, _, p in m.mode if kind == "contact"}
        np.testing.assert_allclose(results[1], results[0], rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(results[2], results[0], rtol=1e-5, atol=1e-8)
    assert seen == {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)}


@pytest.mark.parametrize("kind", ["joint", "contact"])
@pytest.mark.parametrize("weaker", [1.0, 0.7])
def test_friction_that_has_reached_its_limit_gives_way(engine: Any, kind: str, weaker: float) -> None:
    """Within a part of 1e-6 of its limit, at the event that it has reached it; else it holds up to the limit."""
    one = np.zeros(1)
    for part, seen, slips in (
        (1.0 - 5e-7, 1, True), (1.0 - 5e-7, 0, False), (1.0 - 2e-6, 1, False), (0.4, 1, False), (1.0 + 1e-6, 0, True)
    ):  # fmt: skip
        for seed, way in product(range(4), (1.0, -1.0)):
            rng = np.random.default_rng(seed)
            m = Touching(rng, 6, (kind, "held"))
            m.kinetic[:] = weaker * m.mu[: len(m.kinetic)]
            x, at = m.state(rng), m.mode[0][2]
            x[6:12] = 0.0
            m.close(x)
            angle, limit = rng.uniform(-np.pi, np.pi), m.mu[0] * (1.0 if kind == "joint" else 2.5)
            d = way * np.array([np.cos(angle), np.sin(angle)])
            load = way * m.J[0] if kind == "joint" else d @ m.J[1:3]
            m.f = part * limit * load + rng.normal() * m.J[-1] + (2.5 * m.J[0] if kind == "contact" else 0.0)
            x[at] = 1.0
            if kind == "contact":
                x[at + 1], x[at + 4 : at + 7] = 1.0, [2.5, *(part * limit * d)]
            else:
                x[at + 3] = part * limit * way
            fired = np.zeros(4, dtype=np.int64)
            fired[0 if kind == "joint" else 2] = seen
            assert engine("switches", m.memory, 0.0, x, one, one, fired) == LANDED
            stick, toward = (x[at], x[at + 1 : at + 2]) if kind == "joint" else (x[at + 1], x[at + 2 : at + 4])
            assert stick == float(not slips)
            expected = np.array([-way]) if kind == "joint" else -d
            np.testing.assert_allclose(toward, expected * slips, atol=1e-5)


def test_a_joint_that_slips_slowly_stops(engine: Any) -> None:
    """Also one whose row is the first of all."""
    rng, one = np.random.default_rng(44), np.zeros(1)
    for slip, stops in ((5e-8, True), (-9e-8, True), (3e-7, False)):
        m = Touching(rng, 5, ("joint", "held"))
        x = m.state(rng)
        x[5:10] = np.linalg.pinv(m.J) @ np.array([-slip, 0.0])
        m.close(x)
        assert engine("land", m.memory, 0.0, x, one, one) == LANDED
        np.testing.assert_allclose(-(m.J @ x[5:10]), [0.0 if stops else slip, 0.0], atol=1e-13)


def test_a_pull_that_is_rounding_of_the_motion_is_none(engine: Any) -> None:
    """A cable at a heavy body is slack below a part of 1e-9 of the force that the whole motion along it would need."""
    one, slack = np.zeros(1), {0.5: 0, 2.0: 0}
    for seed, part in product(range(10), slack):
        rng = np.random.default_rng(seed)
        m = Touching(rng, 8, ("contact", "cable"))
        m.M[:2], m.M[:, :2], m.J[:3, :2], m.J[3], m.f[:2] = 0.0, 0.0, 0.0, 1e-16, 0.0
        m.M[:2, :2] = 1e8 * np.array([[2.0, 0.5], [0.5, 3.0]])
        m.J[3, :2] = rng.normal(size=2)
        a, compliance = np.linalg.solve(m.M, m.f), m.J[3] @ np.linalg.solve(m.M, m.J[3])
        m.f += part * 1e-9 * np.sqrt(a @ m.M @ a / compliance) * m.J[3]
        x = m.state(rng)
        x[8:16] = 0.0
        m.close(x)
        x[[m.mode[0][2], m.mode[1][2]]] = 1.0
        assert engine("land", m.memory, 0.0, x, one, one) == LANDED
        slack[part] += x[m.mode[1][2]] == 0.0
    assert slack[0.5] > 0 and slack[2.0] == 0, slack  # one that keeps the length to the last digit pulls


def test_a_slow_slip_without_friction_goes_on(engine: Any) -> None:
    """However slow it is; with friction it ends."""
    rng, one = np.random.default_rng(35), np.zeros(1)
    for mu in (0.0, 0.4):
        for _ in range(5):
            m = Touching(rng, 7, ("contact", "held"))
            m.mu[:] = m.log["mu"][:] = mu
            x, slip = m.state(rng), 5e-8 * np.array([0.6, -0.8])
            x[7:14] = np.linalg.pinv(m.J) @ np.array([0.0, *-slip, 0.0])
            m.close(x)
            if m.J[0] @ np.linalg.solve(m.M, m.f) < 0.0:
                m.f *= -1.0  # it is pressed on
            x[m.mode[0][2]] = 1.0
            assert engine("land", m.memory, 0.0, x, one, one) == LANDED
            np.testing.assert_allclose(-(m.J[1:3] @ x[7:14]), slip if mu == 0.0 else 0.0, atol=1e-12)
            if mu == 0.0:  # without a direction it has turned by half its rate, of which it may turn once and a half
                assert x[m.mode[0][2] + 7] == pytest.approx(1e-9 + 1.5 * 0.5 * 5e-8, rel=1e-3)


def test_contacts_that_slip_continue_where_they_go(engine: Any) -> None:
    """The direction is that of the slip, the leeway that in which it may turn, and joints slip against theirs."""
    rng = np.random.default_rng(13)
    for _ in range(10):
        m = Touching(rng, 10, ("contact", "contact", "joint", "held"))
        m.mu *= 0.3
        x, closed = m.state(rng), [0, 3, 7]
        x[10:20] -= np.linalg.pinv(m.J[closed]) @ (m.J[closed] @ x[10:20])  # what touches keeps its gap
        m.close(x)
        places = [m.mode[k][2] for k in range(3)]
        x[places[:2]] = 1.0
        v = x[10:20].copy()
        assert engine("land", m.memory, 0.0, x, np.zeros(1), np.zeros(1)) == LANDED
        np.testing.assert_allclose(x[10:20], v, atol=1e-9)
        slip = -(m.J @ v)
        assert engine("slides_at", m.memory, x, 2) == 1 and x[places[2] + 1] == np.sign(slip[6])
        assert x[places[2] + 2] == 0.0  # a joint that slips has no leeway
        for block, (row, at) in enumerate(((0, places[0]), (3, places[1]))):
            acts = x[at] == 1.0
            assert engine("slides_at", m.memory, x, block) == int(acts)
            if acts:
                way = slip[row + 1 : row + 3] / np.linalg.norm(slip[row + 1 : row + 3])
                np.testing.assert_allclose(x[at + 2 : at + 4], way)
                assert x[at + 7] == -m.T.slowest


def test_a_run_begins_with_latches_that_fit(engine: Any) -> None:
    """Cables at their length are taut, longer ones slack, contacts that overlap are refused."""
    rng = np.random.default_rng(14)
    m = Touching(rng, 7, ("cable", "cable", "cable", "contact"))
    x, one = m.state(rng), np.zeros(1)
    m.close(x)
    m.phi0[:4] += 1e-4, -1e-4, -5e-10, -0.3
    x[16] = -1.0
    x[m.mode[3][2] : m.mode[3][2] + 8] = 1.0
    assert engine("start", m.memory, 0.0, x, one, one) == LANDED
    assert x[14:17].tolist() == [1.0, 0.0, -1.0] and not x[m.mode[3][2] : m.mode[3][2] + 4].any()
    x[16] = 0.0
    assert engine("start", m.memory, 0.0, x, one, one) == LANDED and x[16] == 1.0
    m.phi0[3] += 0.3 + 2e-6
    assert engine("start", m.memory, 0.0, x, one, one) == NOT_CLOSED and m.T.pair == 3
    m.phi0[3] -= 1.9e-6
    assert engine("start", m.memory, 0.0, x, one, one) == LANDED
    # a bare beginning settles without an impact: cables alone
    for _ in range(6):
        m = Touching(rng, 7, ("cable", "cable", "held"))
        x = m.state(rng)
        m.close(x)
        x[7:14] -= np.linalg.pinv(m.J) @ (m.J @ x[7:14])
        x[14:16], made = 1.0, np.zeros(m.n)
        assert engine("begin", m.memory, 0.0, x, made, one, one) == LANDED
        a = m.call(engine, "ode", 0.0, made, m.n)[7:14]
        u, every = -(m.J @ a), m.arrays["lambda"]
        assert law_faults(m, u, every) < 1e-8 and (made[:14] == x[:14]).all()
        assert (made[14:16] > 0.5).tolist() == (every[:2] > 1e-9).tolist()


@pytest.mark.parametrize("tilt", [0.0, 2e-10])
def test_cables_side_by_side_share_what_they_carry(engine: Any, tilt: float) -> None:
    """The motion is that of least constraint; of the cables that keep their gaps those act that have a positive share.

    Shares are of least norm among those that act. Rows that all but depend on others count as dependent.
    """
    rng, one, numbers = np.random.default_rng(43), np.zeros(1), set()
    for trial in range(60):
        m = Touching(rng, 7, ("cable",) * 5 + ("held",))
        m.J[1] = rng.uniform(0.5, 3.0) * m.J[0]
        m.J[3] = rng.uniform(-0.5, 1.0, 2) @ m.J[[0, 2]]
        if trial % 3 == 0:
            m.J[4] = m.J[2] + m.J[3]
        m.J[0] *= 0.01
        exact, m.J = m.J, m.J + tilt * rng.normal(size=m.J.shape) * np.linalg.norm(m.J, axis=1)[:, None]
        m.f += rng.uniform(0.0, 3.0, 3) @ m.J[[1, 2, 4]]
        x = m.state(rng)
        x[7:14] = 0.0
        m.close(x)
        flags = [m.mode[k][2] for k in range(5)]
        x[flags] = 1.0
        made = np.zeros(m.n)
        assert engine("begin", m.memory, 0.0, x, made, one, one) == LANDED
        m.J, root = exact, np.linalg.cholesky(m.M)
        Y = np.linalg.solve(root, m.J.T)
        least, _ = nnls(np.column_stack([Y, -Y[:, 5]]), np.linalg.solve(root, m.f))
        a = np.linalg.solve(m.M, m.f - m.J.T @ np.append(least[:5], least[5] - least[6]))
        acts = np.flatnonzero(made[flags] > 0.5)
        moved, shares = accelerations(m, m.f, np.append(acts, 5), np.zeros(len(acts) + 1))
        np.testing.assert_allclose(moved, a, atol=1e-7)
        assert (shares[:-1] > 1e-10).all() and np.abs(m.J[acts] @ a).max(initial=0.0) < 1e-7
        closed = np.flatnonzero(np.abs(m.J[:5] @ a) < 1e-8)
        every = accelerations(m, m.f, np.append(closed, 5), np.zeros(len(closed) + 1))[1][:-1]
        assert (every <= 1e-8).any() or acts.tolist() == closed.tolist()
        numbers.add((len(acts), len(acts) == len(closed)))
    assert numbers >= {(2, True), (2, False), (4, True)}, numbers


def test_when_an_opened_contact_touches_again(engine: Any) -> None:
    """After twice its rate over the acceleration with which it falls back: the first one counts."""
    rng = np.random.default_rng(15)
    m = Touching(rng, 6, ("contact", "cable", "contact"))
    x = m.state(rng)
    m.close(x)
    m.call(engine, "rubbing", 0.0, x, m.n)
    m.log["J"][:] = m.J.ravel()
    m.log["rate"][:] = rate = np.array([-0.3, 0.0, 0.0, -9.0, -0.02, 0.0, 0.0])
    a = m.arrays["a"]
    for signs in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
        for row, sign in zip((0, 4), signs, strict=True):
            m.log["J"].reshape(-1, 6)[row] *= np.sign(m.log["J"].reshape(-1, 6)[row] @ a) * sign
        fall = m.log["J"].reshape(-1, 6) @ a
        times = [-2.0 * rate[row] / fall[row] for row in (0, 4) if fall[row] > 0.0]
        assert engine("returns", m.memory, x) == pytest.approx(min(times, default=np.inf))
    m.log["J"].reshape(-1, 6)[[0, 4]] *= -1.0
    x[m.mode[2][2]] = 1.0  # it acts
    assert engine("returns", m.memory, x) == pytest.approx(0.6 / (m.log["J"].reshape(-1, 6)[0] @ a))
    m.log["rate"][0] = 0.0  # it has not opened
    assert engine("returns", m.memory, x) == np.inf
    m.log["rate"][0], m.log["phi"][0] = -0.3, -1.0
    assert engine("returns", m.memory, x) == np.inf


def test_switches_at_events(engine: Any) -> None:
    """Removals before additions, those of events that fired alone; counts grow; what is cut is loose."""
    rng = np.random.default_rng(16)
    switches = SwitchTable(
        events=(5, 6, 5), sets=(((12, 1.0), (13, 0.0)), ((12, -1.0),), ((14, 1.0), (12, -1.0))),
        counts=((6, 10, 2.5), (5, 11, -1.5), (5, 10, 1.0)),
    )  # fmt: skip
    m = Touching(rng, 6, ("cable", "cable", "switched"), switches=switches)
    for fired, latches, loose, grown in (
        ((5,), [1.0, 0.0, 1.0], [0, 1], (1.0, -1.5)), ((6,), [-1.0, 1.0, 0.0], [1, 0], (2.5, 0.0)),
        ((5, 6), [1.0, 0.0, 1.0], [0, 1], (3.5, -1.5)), ((), [0.0, 1.0, 0.0], [0, 0], (0.0, 0.0)),
    ):  # fmt: skip
        x = np.zeros(m.n)
        x[12:15], m.log["loose"][:] = [0.0, 1.0, 0.0], 0
        engine("sets", m.memory, x, np.array([int(k in fired) for k in range(8)]))
        assert x[12:15].tolist() == latches and m.log["loose"].tolist() == loose and x[10:12].tolist() == list(grown)


def test_which_cables_went_taut_or_slack(engine: Any) -> None:
    """Both at once where one is jerked; a crossing without effect is no event; a constraint with a gap is refused."""
    rng, one = np.random.default_rng(17), np.zeros(1)
    found = set()
    for _ in range(30):
        m = Touching(rng, 5, ("cable", "cable", "held"), switches=SwitchTable(events=(4,), sets=(((11, -1.0),),)))
        x = m.state(rng)
        m.close(x)
        x[10] = 0.0
        x[11] = 1.0
        x[5:10] -= np.linalg.pinv(m.J[1:]) @ (m.J[1:] @ x[5:10])
        fired = np.zeros(5, dtype=np.int64)
        approaches = m.J[0] @ x[5:10]
        fired[2] = 1  # the first cable takes hold
        fired[4] = rng.integers(2)  # and the second one is cut
        cut = bool(fired[4])
        assert engine("switches", m.memory, 0.1, x, one, one, fired) == LANDED
        jerked = approaches > 1e-9
        taut, acts = fired[2] != 0, x[10] > 0.5
        assert taut == (acts or jerked) and (fired[0] != 0) == (jerked and not acts)
        if jerked and not acts:
            assert fired[2] == 1 and fired[0] == 2
        assert (x[11] == -1.0) == cut and m.log["log_t"][0] == 0.1
        if not cut:
            assert (fired[1] != 0) == (x[11] < 0.5)
        found.add((jerked, acts, cut))
    assert len(found) >= 5
    m = Touching(rng, 5, ("switched", "cable"), switches=SwitchTable(events=(2,), sets=(((10, 1.0),),)))
    x = m.state(rng)
    m.close(x)
    for gap, outcome in ((2e-6, NOT_CLOSED), (0.5e-6, LANDED)):
        m.phi0[0] = -m.J[0] @ x[:5] + gap
        y = x.copy()
        y[10] = 0.0
        assert engine("switches", m.memory, 0.1, y, one, one, np.array([0, 0, 1])) == outcome
    assert m.T.pair == 0


def test_least_friction_of_a_loaded_joint(engine: Any) -> None:
    """y^2 = c^2 |N - d G y|^2 with the least y in [0, most]; -1 where there is none."""
    rng, none = np.random.default_rng(18), 0
    for trial in range(300):
        c, d, most = rng.uniform(0.05, 1.5), rng.choice([-1.0, 1.0]), rng.choice([0.5, 3.0, np.inf])
        N, G = rng.normal(size=3), rng.normal(size=3) * rng.choice([0.0, 0.3, 2.0])
        if trial % 10 == 0:
            N[:] = 0.0
        roots = np.roots([1.0 - c * c * G @ G, 2.0 * c * c * d * (N @ G), -c * c * N @ N])
        real = [float(y.real) for y in roots if abs(y.imag) < 1e-9 * (1.0 + abs(y)) and 0.0 <= y.real <= most]
        made = engine("least_friction", c, d, N, G, float(most))
        assert made == pytest.approx(min(real), rel=1e-7, abs=1e-12) if real else made == -1.0
        none += not real
    assert 20 < none < 280


def test_tensions_of_a_rope_that_was_slack(engine: Any) -> None:
    """Indeterminate ones are nearest to those without friction: equal, and such that the rope keeps its length."""
    rng = np.random.default_rng(19)
    first = np.array([0, 1, 4])
    A = rng.normal(size=(4, 6))
    W, b = A @ A.T, rng.normal(size=4)
    for sign in (-1.0, 1.0):
        b[1:] *= sign * np.sign(b[1:].sum())
        last = np.array([7.0, 0.0, 0.0, 0.0])
        engine("without_friction", 2, 4, first, W, b, 1, last)
        equal = -b[1:].sum() / W[1:, 1:].sum()
        np.testing.assert_allclose(last, [7.0, *([equal] * 3 if equal > 0.0 else [0.0] * 3)])
    last = np.array([0.0, 0.0, 2.0, 0.0])
    engine("without_friction", 2, 4, first, W, -np.abs(b), 1, last)
    assert last.tolist() == [0.0, 0.0, 2.0, 0.0]


def test_kinetic_energy(engine: Any) -> None:
    m = Touching(np.random.default_rng(20), 5, ("cable",))
    m.log["M"][:], v = m.M.ravel(), np.arange(1.0, 6.0)
    assert engine("energy", m.memory, v) == pytest.approx(0.5 * v @ m.M @ v)


@pytest.mark.parametrize("sliding", [(0, 0, 0, 0), (1, 0, 0, -1), (-1, 1, 1, 1), (0, 1, -1, 0)])
@pytest.mark.parametrize("slack", [False, True])
def test_tensions_of_ropes_over_sheaves(engine: Any, sliding: tuple[int, ...], slack: bool) -> None:
    """Sheaves that slip have tensions in given ratios; groups keep their lengths; bearings rub by tensions."""
    rng = np.random.default_rng(21)
    for _ in range(4):
        m = Machine(rng, 12, ("rope", "rope", "held", "joint"), moving=True, tugs=((1, 2),))
        x, t, n = m.state(rng), 0.3, 12
        x[m.flags[[2, 5]]] = 1.0, 0.0 if slack else 1.0
        for k, row in enumerate((0, 1, 3, 4)):
            if k < 2 or not slack:
                x[m.flags[row]], x[m.flags[row] + 1] = sliding[k] == 0, sliding[k]
        x[m.shares[:6]] = rng.uniform(1.0, 2.0, 6)
        joint = m.mode[3][2]
        x[joint + 1] = way = rng.choice([-1.0, 1.0])  # it slips
        f, phi, phidot = m.terms(t, x)
        taut = [0] if slack else [0, 1]
        rows, forces, tensions_of = [6], [m.J[6]], []
        friction = -m.kinetic[0] * way
        for k in taut:
            ratios = m.ratios(x, k)
            groups = [j for j in range(3) if ratios[j, j] > 0.0]
            pushes_ = m.pulls(x, k)
            rows += [3 * k + j for j in groups]
            forces += [ratios[:, j] @ pushes_ for j in groups]
            tensions_of += [(k, j) for j in groups]
        a, found = accelerations(m, f, np.array(rows), np.zeros(len(rows)), np.array(forces))
        T = np.zeros((2, 3))
        for (k, j), z in zip(tensions_of, found[1:], strict=True):
            T[k] += m.ratios(x, k)[:, j] * z
        made = m.call(engine, "rubbing", t, x, m.n)
        np.testing.assert_allclose(made[n : 2 * n], a, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(m.arrays["tension"], T.ravel(), rtol=1e-7, atol=1e-8)
        every = m.arrays["lambda"]
        for k in taut:
            np.testing.assert_allclose(every[3 * k : 3 * k + 3], T[k] - [T[k, 1], T[k, 2], 0.0], atol=1e-8)
        load = max(0.0, T[0, 1]) + max(0.0, T[0, 2])
        if T.min() >= 0.0:
            assert every[7] == pytest.approx(friction * load)
        slipping = [row for k in taut for row in (3 * k, 3 * k + 1) if not x[m.flags[row]] > 0.5] + [7]
        lost = sum(every[row] * phidot[row] for row in slipping)
        assert made[m.work + 1] == pytest.approx(-lost, abs=1e-8)
        assert made[m.impulses : m.impulses + 5] == pytest.approx(every[[0, 1, 3, 4, 7]])
        g = m.call(engine, "rubbing_events", t, x, 4 + 15)
        assert g[0] == pytest.approx(every[2]) and g[1] == pytest.approx(1.0 if slack else every[5])
        assert g[3] == pytest.approx(1e-11 - phi[5] if slack else 1.0)
        for k in range(2):
            for j in range(2):
                row, r, E = 3 * k + j, 2 * k + j, np.exp(m.mu[2 * k + j])
                sticks = x[m.flags[row]] > 0.5
                room = min(E * T[k, j] - T[k, j + 1], E * T[k, j + 1] - T[k, j])
                assert g[4 + r] == pytest.approx(room if sticks else 1.0, abs=1e-7)
                speed = -phidot[row] * sliding[r]
                assert g[9 + r] == pytest.approx(speed if k in taut and not sticks else 1.0)
                if k not in taut or sticks:
                    assert g[14 + r] == 1.0
                    continue
                # the effect of the tension of a group on its length, the others held, by that of equal tensions
                ratios = m.ratios(x, k)
                own = np.flatnonzero(ratios[j])[0]
                parts = {c: np.flatnonzero(ratios[:, c]) for c in range(3) if ratios[c, c] > 0.0}
                lengths = {c: m.spans(k)[at].sum(axis=0) for c, at in parts.items()}
                pulls = {c: ratios[:, c] @ m.pulls(x, k) for c in parts}
                others = [m.J[6], *(lengths[c] for c in parts if c != own)]
                other_pulls = [m.J[6], *(pulls[c] for c in parts if c != own)]
                whole = effect(m, lengths[own], lengths[own], others, others)
                pivot = effect(m, lengths[own], pulls[own], others, other_pulls)
                assert g[14 + r] == pytest.approx(pivot / (whole * ratios[j, own]), rel=1e-5)
        out = np.zeros((1, m.m + 3))
        engine("rubbing_signals", m.equations.memory, 1, np.array([t]), x, np.zeros(1), 0, np.zeros(1), 0, out)
        np.testing.assert_allclose(out[0, :6], T.ravel(), rtol=1e-7, atol=1e-8)


def effect(m: Machine, row: np.ndarray, push: np.ndarray, held: list[np.ndarray], pushes_: list[np.ndarray]) -> float:
    """How a push moves a row while others are held by their own pushes."""
    W = np.linalg.inv(m.M)
    A, B = np.array(held), np.array(pushes_)
    return float(row @ W @ push - row @ W @ B.T @ np.linalg.solve(A @ W @ B.T, A @ W @ push))


@pytest.mark.parametrize("contacts", [1, 2])
def test_friction_of_slow_slips_is_where_they_go(engine: Any, contacts: int) -> None:
    """Against u + T u', with T = 1 / ((1 + (u / 1e-5)^4) / 1e-4 + 2 s / u), s the rate at which the slip slows down."""
    rng, turned = np.random.default_rng(22), 0.0
    for _ in range(16):
        m = Machine(rng, 10, ("contact",) * contacts + ("held",))
        x, slow = m.state(rng), 10.0 ** rng.uniform(-6.5, -4.0, contacts)
        m.f *= 3.0
        normals_at = 3 * np.arange(contacts)
        normals = m.J[normals_at]
        if (np.linalg.solve(normals @ np.linalg.solve(m.M, normals.T), normals @ np.linalg.solve(m.M, m.f)) < 0).any():
            m.f = m.f - normals.T @ np.full(contacts, -4.0)
        wanted = np.zeros((3 * contacts, 1)).ravel()
        ways = rng.normal(size=(contacts, 2))
        for k in range(contacts):
            wanted[3 * k + 1 : 3 * k + 3] = -slow[k] * ways[k] / np.linalg.norm(ways[k])
        J = m.J[: 3 * contacts]
        x[10:20] = np.linalg.pinv(J) @ wanted
        set_modes(m, x, rng, dict.fromkeys(range(contacts), "slip"))
        x[m.shares[m.shares >= 0]] = 0.0
        x[m.shares[normals_at]] = rng.uniform(0.0, 2.0, contacts)  # a part of them that was known before
        made = m.call(engine, "rubbing", 0.0, x, m.n)
        a, drag, force = made[10:20], m.arrays["drag"], m.arrays["lambda"]
        if (force[[3 * k for k in range(contacts)]] <= 0.0).any():
            continue
        rows = m.active(x)
        K = m.J[rows].copy()
        for k in range(contacts):
            K[k] += drag[3 * k + 1 : 3 * k + 3] @ m.J[3 * k + 1 : 3 * k + 3]
        exact, pushed = accelerations(m, m.f, rows, np.zeros(len(rows)), K)
        np.testing.assert_allclose(a, exact, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(force[rows], pushed, rtol=1e-7, atol=1e-9)
        for k in range(contacts):
            at = slice(3 * k + 1, 3 * k + 3)
            d, u, rate = -drag[at] / m.mu[k], -(m.J[at] @ x[10:20]), -(m.J[at] @ a)
            speed = np.linalg.norm(u)
            slows = max(0.0, -(rate @ u) / speed)
            T = 1.0 / ((1.0 + (speed / 1e-5) ** 4) / 1e-4 + 2.0 * slows / speed)
            assert m.arrays["lead"][k] == pytest.approx(T, rel=1e-2)  # that before the last turn
            ahead = u + T * rate  # rates change by as much in the last turn
            assert np.linalg.norm(d) == pytest.approx(1.0, abs=1e-9)
            assert abs(d[0] * ahead[1] - d[1] * ahead[0]) < 5e-3 * np.linalg.norm(ahead) and d @ ahead > 0.0
            turned = max(turned, abs(d[0] * u[1] - d[1] * u[0]) / speed)
    assert turned > 0.1


def test_forces_that_slips_determine(engine: Any) -> None:
    """The rank of pushes on the rows that they move: a contact that slips has one force, with its friction."""
    rng, lacks = np.random.default_rng(23), set()
    for _ in range(30):
        m = Machine(rng, 4, ("contact", "contact", "held", "contact"))
        x = m.state(rng)
        m.J[9] = m.J[0] if rng.random() < 0.5 else m.J[9]
        modes = {k: str(rng.choice(["open", "slip"])) for k in (0, 1, 3)}
        set_modes(m, x, rng, modes)
        x[4:8] *= 50.0
        own, moved = [m.J[6]], [m.J[6]]
        drag = m.drag(x)
        for block, row in ((0, 0), (1, 3), (3, 7)):
            if modes[block] == "slip":
                own.append(m.J[row])
                moved.append(m.J[row] + drag[row + 1 : row + 3] @ m.J[row + 1 : row + 3])
        S = np.array(own) @ np.linalg.solve(m.M, np.array(moved).T)
        expected = len(own) - np.linalg.matrix_rank(S, tol=1e-8)
        out = np.zeros((1, m.m + 3))
        engine("rubbing_signals", m.equations.memory, 1, np.zeros(1), x, np.zeros(1), 0, np.zeros(1), 0, out)
        assert out[0, -1] == expected
        lacks.add(expected)
    m = Machine(rng, 4, ("contact", "contact"))  # with friction that sticks, and none where the coefficient is zero
    x = m.state(rng)
    x[4:8] = 0.0
    for mu, expected in ((0.3, 2), (0.0, 0)):
        m.mu[:] = mu
        set_modes(m, x, rng, {0: "stick", 1: "stick"})
        out = np.zeros((1, m.m + 3))
        engine("rubbing_signals", m.equations.memory, 1, np.zeros(1), x, np.zeros(1), 0, np.zeros(1), 0, out)
        assert out[0, -1] == expected


def test_which_blocks_slide(engine: Any) -> None:
    """A rope with any of its sheaves, a contact along any tangent, but only where they act; a joint by itself."""
    memory = NativeMemory(structure("transitions"))
    T, array = memory.struct, memory.array
    T.k, T.n_blocks = 2, 3
    array("law", np.array([2, 0, 1])), array("first", np.array([0, 3, 6, 7])), array("row", np.arange(7))
    array("flags", np.array([0, 1, -1])), array("entry", np.array([0, 2, 3, 4])), array("rubs", np.array([2, 1, 1]))
    array("friction", np.arange(2, 30).reshape(4, 7))  # stick, toward (2), shares (3), leeway
    for place, block in ((3, 0), (10, 0), (17, 1), (18, 1), (24, 2)):
        for on in (0.0, 1.0):
            x = np.zeros(30)
            x[:2], x[place] = on, -1.0
            told = [engine("slides_at", memory, x, k) for k in range(3)]
            assert told == [int(k == block and (on > 0.5 or k == 2)) for k in range(3)], (place, on)


def test_modes_of_ropes_obey_their_law(engine: Any) -> None:
    """Of a rope at rest: slack, or taut with sheaves that stick within e^kappa or slip at it, as accelerations do."""
    rng, modes = np.random.default_rng(24), set()
    for trial in range(40):
        m = Touching(rng, 9, ("rope", "rope", "held", "contact") if trial % 2 else ("rope", "held"))
        x, one = m.state(rng), np.zeros(1)
        x[9:18] = 0.0
        m.close(x)
        pull = rng.choice([1.0, -0.6, 4.0])
        m.f += pull * sum(m.spans(k).sum(axis=0) * rng.uniform(0.5, 1.5) for k in range(m.sheaves // 2))
        for k in range(m.sheaves // 2):
            x[m.flags[3 * k + 2]] = 1.0
        assert engine("land", m.memory, 0.0, x, one, one) == LANDED
        made = m.call(engine, "rubbing", 0.0, x, m.n)
        a, T = made[9:18], m.arrays["tension"].reshape(-1, 3)
        for k in range(m.sheaves // 2):
            u = -(m.spans(k) @ a)
            taut = x[m.flags[3 * k + 2]] > 0.5
            assert taut == (T[k].max() > 1e-9) and T[k].min() > -1e-9
            assert u.sum() > -1e-8 and abs(T[k, 0] * u.sum()) < 1e-7
            modes.add("taut" if taut else "slack")
            for j in range(2):
                row, E = 3 * k + j, np.exp(m.mu[2 * k + j])
                stick, way = x[m.flags[row]], x[m.flags[row] + 1]
                if not taut:
                    assert stick == way == 0.0
                    continue
                w, low, high = u[: j + 1].sum(), T[k, j] / E, T[k, j] * E
                if stick:
                    assert abs(w) < 1e-7 and low - 1e-7 <= T[k, j + 1] <= high + 1e-7
                    np.testing.assert_allclose(x[m.shares[row]], T[k, j], rtol=1e-5, atol=1e-7)
                else:
                    assert way * w > -1e-8
                    assert T[k, j + 1] == pytest.approx(high if way > 0.0 else low, rel=1e-6)
                modes.add("stick" if stick else f"slip {way:+g}")
    assert modes == {"taut", "slack", "stick", "slip +1", "slip -1"}


def test_sheaves_at_their_limits_slip_where_anything_moves(engine: Any) -> None:
    """Tensions that balance all loads, within the limits or at them: one at its limit slips if a push would move it.

    The rope keeps its length, a sheave within its limits is held, and so is one that a push would drive back.
    """
    rng, one, seen = np.random.default_rng(40), np.zeros(1), set()
    for trial in range(60):
        m = Touching(rng, 9, ("rope", "held"))
        if trial % 3 == 0:
            m.J[0] = rng.uniform(0.2, 0.8) * m.J[2]  # the first sheave moves only with the whole rope
        elif trial % 3 == 1:
            m.J[1] = rng.uniform(0.2, 0.8, 2) @ m.J[[0, 2]]  # the second one only with both
        way = rng.choice([-1.0, 0.0, 1.0], 2)
        part = np.where(way == 0.0, rng.uniform(-0.9, 0.9, 2), way)
        T = rng.uniform(1.0, 2.0) * np.exp(np.append(0.0, np.cumsum(part * m.mu)))
        m.f = m.spans(0).T @ T + m.J[3] * rng.normal()
        x = m.state(rng)
        x[9:18] = 0.0
        m.close(x)
        x[m.flags[2]], x[m.shares[:3]] = 1.0, T
        x[m.flags[:2]] = 1.0
        assert engine("land", m.memory, 0.0, x, one, one) == LANDED
        back = np.linalg.inv(m.M)
        back = back - np.outer(back @ m.J[3], back @ m.J[3]) / (m.J[3] @ back @ m.J[3])
        G = m.J[:3] @ back @ m.J[:3].T  # what a push between two spans moves there, and the whole rope
        for j, other in ((0, 1), (1, 0)):
            held, moves = [2, *([other] if way[other] == 0.0 else [])], way[j] != 0.0
            for _again in range(2):
                moved = G[:, j] - G[:, held] @ np.linalg.pinv(G[np.ix_(held, held)], rcond=1e-10) @ G[held, j]
                moves &= bool(moved[j] > 1e-7 * G[j, j])
                if other in held or way[j] * way[other] * moved[other] > -1e-7 * G[other, other]:
                    break
                held.append(other)
            stick, slip = x[m.flags[j]], x[m.flags[j] + 1]
            assert (stick, slip) == ((0.0, way[j]) if moves else (1.0, 0.0)), (way, j)
            if not moves:
                np.testing.assert_allclose(x[m.shares[j]], T[j], rtol=1e-8)
            seen.add((abs(way[j]), abs(way[other]), moves))
        np.testing.assert_allclose(x[m.shares[2]], T[2], rtol=1e-8)
    assert len(seen) == 6, seen


def test_ropes_that_are_hit_keep_their_law(engine: Any) -> None:
    """An impact without restitution: the rope does not lengthen, sheaves rub within their limits, energy is lost."""
    rng, hits = np.random.default_rng(25), 0
    for _ in range(20):
        m = Touching(rng, 9, ("rope", "cable", "held"))
        x, one = m.state(rng), np.zeros(1)
        m.close(x)
        x[m.flags[[2, 3]]] = rng.choice([0.0, 1.0], 2)
        v, energy, loss = x[9:18].copy(), 0.5 * x[9:18] @ m.M @ x[9:18], x[m.work + 1]
        assert engine("land", m.memory, 0.0, x, one, one) == LANDED
        after, P = x[9:18], m.log["log_impulses"][0]
        np.testing.assert_allclose(m.M @ (after - v) + m.J.T @ P, 0.0, atol=1e-8)
        u = -(m.spans(0) @ after)
        T = np.array([P[0] + P[1] + P[2], P[1] + P[2], P[2]])  # of the last span, and differences before it
        assert u.sum() > -1e-8 and T.min() > -1e-8 and abs(T[0] * u.sum()) < 1e-7
        assert abs(m.J[4] @ after) < 1e-8 and m.J[3] @ after < 1e-8
        for j in range(2):
            E, w = np.exp(m.mu[j]), u[: j + 1].sum()
            assert T[j] / E - 1e-7 <= T[j + 1] <= T[j] * E + 1e-7
            if abs(w) > 1e-6 and T[0] > 1e-6:
                assert T[j + 1] == pytest.approx(T[j] * E if w > 0.0 else T[j] / E, rel=1e-5)
        left = 0.5 * after @ m.M @ after
        assert left <= energy + 1e-9 and x[m.work + 1] - loss == pytest.approx(left - energy, abs=1e-7)
        hits += bool(T[0] > 1e-6)
    assert hits > 5


def test_a_slip_that_jams_is_stopped_by_an_impulse(engine: Any) -> None:
    """Painleve: no forces let it slip on; an impulse within the cone of friction stops it, or turns it round."""
    rng, stops, turns, others = np.random.default_rng(26), 0, 0, 0
    for _ in range(4000):
        m = Touching(rng, 6, ("contact", "held"))
        m.mu[:] = m.table.friction_coefficient[:1] = m.log["mu"][:1] = 1.5
        back = np.linalg.inv(m.M)
        back = back - np.outer(back @ m.J[3], back @ m.J[3]) / (m.J[3] @ back @ m.J[3])
        W = m.J[:3] @ back @ m.J[:3].T
        slip = rng.normal(size=2)
        d = slip / np.linalg.norm(slip)
        if W[0, 0] - 1.5 * W[0, 1:] @ d > -0.02 * W[0, 0]:
            continue
        x, one = m.state(rng), np.zeros(1)
        x[6:12] = np.linalg.pinv(m.J) @ np.array([0.0, *-slip, 0.0])
        m.close(x)
        b = -(m.J[0] @ back @ m.f)
        if b > 0.0:
            m.f *= -1.0
        x[m.mode[0][2]] = 1.0
        v = x[6:12].copy()
        outcome = engine("land", m.memory, 0.0, x, one, one)
        if outcome != LANDED or m.log["log_shocks"][0] != 1:
            assert outcome == LANDED or (m.T.pair, m.T.lacks) == (0, 1)  # forces
            others += 1  # it opens, or no impulse takes energy
            continue
        after, P = x[6:12], m.log["log_impulses"][0]
        np.testing.assert_allclose(m.M @ (after - v) + m.J.T @ P, 0.0, atol=1e-8)
        u, size = -(m.J @ after), np.linalg.norm(slip)
        assert abs(u[3]) < 1e-8 and abs(u[0]) < 1e-5 * size and P[0] > 0.0
        assert np.linalg.norm(P[1:3]) <= 1.5 * P[0] * (1.0 + 1e-4)
        if np.linalg.norm(u[1:3]) > 1e-4 * size:
            turns += 1
            np.testing.assert_allclose(
                P[1:3], -1.5 * P[0] * u[1:3] / np.linalg.norm(u[1:3]), rtol=1e-3, atol=1e-5 * P[0]
            )
        else:
            stops += 1
            np.testing.assert_allclose(P[:3], np.linalg.solve(W, [0.0, *-slip]), rtol=1e-3, atol=1e-4 * P[0])
        lost = -0.5 * P[:3] @ (np.array([0.0, *slip]) + u[:3])
        assert m.log["log_lost"][0] == pytest.approx(lost, rel=1e-4) and lost > 0.0
        if stops + turns == 25:
            break
    assert stops > 3 and stops + turns >= 10, (stops, turns, others)


def test_contacts_beside_a_slip_that_jams_slip_on(engine: Any) -> None:
    """The impulse that ends a slip hits them too: their friction is at its limit, against the slip that they have."""
    rng, slips = np.random.default_rng(31), 0
    for _ in range(4000):
        m = Touching(rng, 9, ("contact", "contact", "held"))
        m.mu[:] = m.table.friction_coefficient[:2] = m.log["mu"][:2] = [1.5, 0.2]
        back = np.linalg.inv(m.M)
        back = back - np.outer(back @ m.J[6], back @ m.J[6]) / (m.J[6] @ back @ m.J[6])
        slip = 0.1 * rng.normal(size=(2, 2))
        pivot = m.J[0] @ back @ (m.J[0] - 1.5 * slip[0] @ m.J[1:3] / np.linalg.norm(slip[0]))
        if pivot > -0.02 * m.J[0] @ back @ m.J[0]:
            continue
        x, one = m.state(rng), np.zeros(1)
        x[9:18] = np.linalg.pinv(m.J) @ np.array([0.0, *-slip[0], 0.0, *-slip[1], 0.0])
        m.close(x)
        x[[m.mode[0][2], m.mode[1][2]]] = 1.0
        v = x[9:18].copy()
        if engine("land", m.memory, 0.0, x, one, one) != LANDED or m.log["log_shocks"][0] != 1:
            continue
        after, P = x[9:18], m.log["log_impulses"][0]
        np.testing.assert_allclose(m.M @ (after - v) + m.J.T @ P, 0.0, atol=1e-8)
        u, size = -(m.J @ after), np.abs(slip).max()
        for row, mu in ((0, 1.5), (3, 0.2)):
            t = slice(row + 1, row + 3)
            assert P[row] >= 0.0 and u[row] > -1e-5 * size and P[row] * u[row] < 1e-5 * size * P.max()
            assert np.linalg.norm(P[t]) <= mu * P[row] * (1.0 + 1e-4)
            if np.linalg.norm(u[t]) > 1e-3 * size and P[row] > 0.0:
                want = -mu * P[row] * u[t] / np.linalg.norm(u[t])
                np.testing.assert_allclose(P[t], want, rtol=1e-3, atol=1e-5 * P.max())
                slips += row == 3
        if slips == 5:
            break
    assert slips == 5


def test_a_gear_that_jams_stops_at_once(engine: Any) -> None:
    """By an impulse of its own within the friction of the reactions that it makes."""
    rng, stopped, refused = np.random.default_rng(27), 0, 0
    for _ in range(400):
        m = Touching(rng, 5, ("held", "held", "joint"), loads={0: (0, 2)})
        m.mu[:] = m.kinetic[:] = 3.0
        x, one = m.state(rng), np.zeros(1)
        x[5:10] -= np.linalg.pinv(m.J[:2]) @ (m.J[:2] @ x[5:10])
        m.close(x)
        v = x[5:10].copy()
        W = np.linalg.inv(m.M)
        held = m.J[:2]
        free = W - W @ held.T @ np.linalg.solve(held @ W @ held.T, held @ W)
        own = m.J[2] @ free @ m.J[2]
        impulse = (m.J[2] @ v) / own
        reaction = -np.linalg.solve(held @ W @ held.T, held @ W @ m.J[2]) * impulse
        outcome = engine("land", m.memory, 0.0, x, one, one)
        if outcome == LANDED and m.log["log_shocks"][0] == 0:
            np.testing.assert_allclose(x[5:10], v, atol=1e-9)
            continue
        if outcome != LANDED:  # no impulse within its friction stops it
            assert abs(impulse) > 3.0 * np.linalg.norm(reaction)
            refused += 1
            continue
        assert abs(impulse) <= 3.0 * np.linalg.norm(reaction) * (1.0 + 1e-5)
        after, P = x[5:10], m.log["log_impulses"][0]
        np.testing.assert_allclose(after, v - free @ m.J[2] * impulse, atol=1e-9)
        np.testing.assert_allclose(P, [*reaction, impulse], rtol=1e-8, atol=1e-10)
        assert m.log["log_lost"][0] == pytest.approx(0.5 * impulse**2 * own)
        stopped += 1
        if stopped > 8:
            break
    assert stopped > 3


def test_constraints_measure_themselves_when_they_begin(engine: Any) -> None:
    """At a start all of them, at an event those that it switches on; their measurements are in the latches."""
    rng, one = np.random.default_rng(28), np.zeros(1)
    switches = SwitchTable(
        events=(0, 1), sets=(((10, 1.0),), ((11, 1.0), (10, 0.0))), measures=((10, (13,)), (11, (12, 14)))
    )
    measure = Code(lambda t, x: ([x[0] + t[0], 7.0, x[1]],), (1, 10))
    m = Touching(rng, 5, ("switched", "switched", "held"), switches=switches, measure=measure)
    assert m.work == 12  # they are the works here, of which no one asks
    for fired, expected in (((1, 0), {13: 0}), ((0, 1), {12: 1, 14: 2}), ((0, 0), {})):
        x = np.zeros(m.n + 8)
        x[:10] = rng.normal(size=10)
        m.close(x, 0.5)
        x[5:10] = 0.0
        values = [x[0] + 0.5, 7.0, x[1]]
        events = np.zeros(4, dtype=np.int64)
        events[:2] = fired
        kept = x.copy()
        m.C.n_tape_events = 2
        assert engine("switches", m.memory, 0.5, x, one, one, events) == LANDED
        for place in (12, 13, 14):
            want = values[expected[place]] if place in expected else kept[place]
            assert x[place] == pytest.approx(want), (fired, place)
        assert x[10:12].tolist() == [float(fired[0]) if not fired[1] else 0.0, float(fired[1])]


def test_measurements_are_those_of_closed_gaps_where_a_contact_touches(engine: Any) -> None:
    """A contact that is found beyond its gap is moved back first, and so are constraints; without one nothing moves."""
    rng, one = np.random.default_rng(38), np.zeros(1)
    kinds, seen = ("contact", "switched", "held"), list[np.ndarray]()
    probe = Touching(rng, 7, kinds)
    flag, first = probe.mode[1][2], probe.work
    switches = SwitchTable(events=(0,), sets=(((flag, 1.0),),), measures=((flag, (first,)),))

    def measure(_t: np.ndarray, x: np.ndarray) -> tuple[list[float]]:
        seen.append(x)
        return ([7.0],)

    for touches, gaps in ((0, [3e-7, 2e-7]), (1, [3e-7, 2e-7]), (1, [3e-7, 0.0]), (1, [0.0, -2e-7]), (1, [-1e-9, 0.0])):
        m = Touching(rng, 7, kinds, switches=switches, measure=Code(measure, (1, 7)))
        x = m.state(rng)
        m.close(x)
        m.phi0[[0, 4]] += gaps
        x[7:14] = 0.0
        m.C.n_tape_events = 1
        fired = np.zeros(9, dtype=np.int64)
        fired[[0, 2]] = 1, touches
        assert engine("switches", m.memory, 0.0, x, one, one, fired) == LANDED
        at_measure = m.J @ seen[-1] + m.phi0
        closed = [min(gaps[0], 0.0), 0.0]  # one that is open stays so
        np.testing.assert_allclose(at_measure[[0, 4]], closed if touches else gaps, atol=1e-12)


def test_coordinates_go_beyond_a_kink(engine: Any) -> None:
    """By twice the time of a kink, along the velocity, at its event alone."""
    rng, one = np.random.default_rng(29), np.zeros(1)
    m = Touching(rng, 4, ("held",), switches=SwitchTable(kinks=(1,)))
    m.C.n_tape_events = 2
    for fired, moved in (((0, 1), True), ((1, 0), False)):
        x = m.state(rng)
        x[4:8] -= np.linalg.pinv(m.J) @ (m.J @ x[4:8])
        m.close(x)
        before = x.copy()
        assert m.T.kink_time > 0.0
        assert engine("switches", m.memory, 0.0, x, one, one, np.array(fired)) == LANDED
        way = 2.0 * m.T.kink_time * before[4:8] * moved
        np.testing.assert_allclose(x[:4], before[:4] + way, rtol=0.0, atol=1e-14)
        assert (x[:4] != before[:4]).any() == moved


def test_which_sheaves_slip_or_stick_is_told(engine: Any) -> None:
    """Those that begin to slip, or the other way, and those that begin to stick, of ropes that continue to pull."""
    rng, one, told = np.random.default_rng(30), np.zeros(1), set()
    for _ in range(60):
        m = Touching(rng, 9, ("rope", "rope", "held"))
        x = m.state(rng)
        x[9:18] = 0.0
        m.close(x)
        m.f += 3.0 * sum(m.spans(k).sum(axis=0) * rng.uniform(0.5, 1.5) for k in range(2))
        before = rng.choice([0.0, 1.0, -1.0], 4)
        for k, row in enumerate((0, 1, 3, 4)):
            x[m.flags[row]], x[m.flags[row] + 1] = before[k] == 0.0, before[k]
        pulled = rng.choice([0.0, 1.0], 2)
        x[m.flags[[2, 5]]] = pulled
        x[m.shares[:6]] = 1.0
        fired = np.zeros(12, dtype=np.int64)
        fired[4:12] = rng.integers(0, 2, 8)
        assert engine("switches", m.memory, 0.1, x, one, one, fired) == LANDED
        for k, row in enumerate((0, 1, 3, 4)):
            pulls = x[m.flags[2 + 3 * (k // 2)]] > 0.5 and pulled[k // 2] > 0.5
            way = x[m.flags[row] + 1]
            slips = pulls and way != 0.0 and way != before[k]
            sticks = pulls and x[m.flags[row]] > 0.5 and before[k] != 0.0
            assert (fired[4 + k] != 0, fired[8 + k] != 0) == (slips, sticks)
            told |= {(k, "slips")} if slips else {(k, "sticks")} if sticks else set()
    assert len(told) == 8


@pytest.mark.parametrize("rubs", [False, True])
@pytest.mark.parametrize(("every_c", "every_p"), [(True, True), (False, True), (True, False), (False, False)])
def test_recorded_forces_with_held_values_and_parameters(engine: Any, rubs: bool, every_c: bool, every_p: bool) -> None:
    """Each row with its own, or all with the same: forces, and the largest violations of rows that act."""
    rng, count = np.random.default_rng(13), 4
    m = Machine(
        rng, 9, ("held", "cable", "switched", "contact") if rubs else ("held", "cable", "switched"), moving=True
    )
    by_c, by_p = rng.normal(size=(9, 2)), rng.normal(size=(9, 3))

    def tape(t: np.ndarray, x: np.ndarray, c: np.ndarray, p: np.ndarray) -> Any:
        rates, f, *others = m.tape(t, x)  # type: ignore[misc]
        return (rates, f + by_c @ c + by_p @ p, *others)

    code = Code(tape, (1, m.n, 2, 3))
    m.C.tape, m.C.nc, m.C.np = code.address, 2, 3
    m.C.projects = 0  # one tape has all
    t, x = rng.uniform(0.1, 0.9, count), np.array([m.state(rng) for _ in range(count)])
    x[:, 18:20] = rng.integers(0, 2, (count, 2))
    if rubs:
        for row in x:
            set_modes(m, row, rng, {1: "on" if row[18] else "open", 2: "on" if row[19] else "open", 3: "stick"})
            row[m.shares[3:]] = 0.0
    c, p = rng.normal(size=(count, 2)), rng.normal(size=(count, 3))
    out = np.zeros((count, m.m + 3))
    name = "rubbing_signals" if rubs else "signals"
    engine(name, m.equations.memory, count, t, x, c, 2 * every_c, p, 3 * every_p, out)
    for k in range(count):
        rows = m.active(x[k])
        f, phi, phidot = m.terms(t[k], x[k])
        f = f + by_c @ c[k if every_c else 0] + by_p @ p[k if every_p else 0]
        force = np.zeros(m.m)
        force[rows] = accelerations(m, f, rows, np.zeros(len(rows)))[1]
        if rubs and force[3] < 0.0:  # one that would pull has none
            force[3:6] = 0.0
        np.testing.assert_allclose(out[k, : m.m], force, atol=1e-8)
        np.testing.assert_allclose(out[k, m.m :], [np.abs(phi[rows]).max(), np.abs(phidot[rows]).max(), 0.0])


@pytest.mark.parametrize("seed", range(8))
def test_events_of_contacts_and_joints(engine: Any, seed: int) -> None:
    """Forces and gaps; how far pairs that stick are from slipping, and how fast others slip the way they began to."""
    rng = np.random.default_rng(seed)
    m = Machine(rng, 12, ("contact", "held", "contact", "cable", "joint", "joint"))
    x, number = m.state(rng), len(m.rubs)
    modes = {k: str(rng.choice(["open", "stick", "slip"])) for k in (0, 2)}
    modes |= {
        3: str(rng.choice(["open", "on"])),
        4: str(rng.choice(["stick", "slip"])),
        5: "stick" if seed % 2 else "slip",
    }
    set_modes(m, x, rng, modes)
    for k in (0, 2):  # directions that an open contact had do not count
        if modes[k] == "open":
            at = m.mode[k][2]
            x[at + 2 : at + 4] = 0.6, -0.8
    g = m.call(engine, "rubbing_events", 0.0, x, 2 * 3 + 3 * number)
    force, rows = m.arrays["lambda"], [m.mode[k][1] for k in (0, 2, 3)]
    _, phi, phidot = m.terms(0.0, x)
    on = [modes[k] != "open" for k in (0, 2, 3)]
    np.testing.assert_allclose(g[:3], [force[row] if is_on else 1.0 for row, is_on in zip(rows, on, strict=True)])
    gaps = [1.0 if is_on else 1e-11 - phi[row] for row, is_on in zip(rows, on, strict=True)]
    np.testing.assert_allclose(g[3:6], gaps, atol=1e-14)
    for r, k in enumerate((0, 2, 4, 5)):
        row = m.mode[k][1]
        tangents = [row + 1, row + 2] if k < 4 else [row]
        limit = m.mu[r] * (force[row] if k < 4 else 1.0)
        room = limit - np.linalg.norm(force[tangents]) if modes[k] == "stick" else 1.0
        assert g[6 + r] == pytest.approx(room, rel=1e-12, abs=1e-12)
        toward = x[m.mode[k][2] + 2 :][:2] if k < 4 else x[m.mode[k][2] + 1 :][:1]
        speed = -phidot[tangents] @ toward if modes[k] == "slip" else 1.0
        assert g[6 + number + r] == pytest.approx(speed, rel=1e-12)


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("sheave", [0, 1])
def test_a_sheave_that_nothing_turns_follows_its_limit(engine: Any, sheave: int, up: bool) -> None:
    """Its row holds by others. Tensions that were shared beyond its ratio get that ratio, and carry the same load."""
    rng, n = np.random.default_rng(31), 10
    for _ in range(6):
        m = Machine(rng, n, ("rope", "held", "held"))
        m.J[sheave] = 0.6 * m.J[3] - 0.4 * m.J[4]
        m.mu[1 - sheave] = 5.0  # sticks at any tensions here
        x = m.state(rng)
        x[m.flags[[0, 1, 2]]] = 1.0
        share = rng.uniform(15.0, 20.0, 3)
        beyond = np.exp(m.mu[sheave]) * 2.0
        share[: sheave + 1] *= 1.0 / beyond if up else beyond
        x[m.shares[:3]] = share
        f, *_ = m.terms(0.0, x)
        f = 0.1 * f
        m.f, m.K, m.D = f, np.zeros((n, n)), np.zeros((n, n))
        # at the start these tensions hold the machine, with forces of what is held
        m.f += m.spans(0).T @ share
        a, _ = accelerations(m, m.f, np.arange(5), np.zeros(5))
        made = m.call(engine, "rubbing", 0.0, x, m.n)
        np.testing.assert_allclose(made[n : 2 * n], a, atol=1e-8)
        T, E = m.arrays["tension"][:3], np.exp(m.mu[sheave])
        assert T.min() > 0.0
        assert T[sheave + 1] / T[sheave] == pytest.approx(E if up else 1.0 / E, rel=1e-9)
        rest = m.f - m.M @ a - m.spans(0).T @ T  # that what is held carries
        held = m.J[3:]
        assert np.abs(rest - held.T @ np.linalg.lstsq(held.T, rest)[0]).max() < 1e-8
        g = m.call(engine, "rubbing_events", 0.0, x, 2 + 6)
        other, ratio = 1 - sheave, np.exp(5.0)
        assert g[2 + sheave] == 1.0
        assert g[2 + other] == pytest.approx(min(ratio * T[other] - T[other + 1], ratio * T[other + 1] - T[other]))
        # within its ratio it stays as it was shared
        share[: sheave + 1] = share[-1] * (1.05 if up else 0.95)
        x[m.shares[:3]], m.f = share, m.spans(0).T @ share
        m.call(engine, "rubbing", 0.0, x, m.n)
        T = m.arrays["tension"][:3]
        np.testing.assert_allclose(T, share, rtol=1e-9)


@pytest.mark.parametrize("sheave", [0, 1])
def test_a_sheave_that_turns_bodies_does_not_yield(engine: Any, sheave: int) -> None:
    """Also where rows of others depend on each other: it is beyond its limit, and its event says so."""
    rng, n = np.random.default_rng(32), 10
    for up in (True, False):
        m = Machine(rng, n, ("rope", "held", "held", "held"))
        m.J[5] = 0.8 * m.J[3] - 0.5 * m.J[4]
        m.mu[1 - sheave] = 5.0
        x, share = m.state(rng), rng.uniform(1.0, 1.4, 3)
        x[m.flags[[0, 1, 2]]] = 1.0
        share[: sheave + 1] *= 1.0 / 3.0 if up else 3.0
        x[m.shares[:3]], m.f = share, m.spans(0).T @ share
        made = m.call(engine, "rubbing", 0.0, x, m.n)
        np.testing.assert_allclose(made[n : 2 * n], 0.0, atol=1e-9)
        np.testing.assert_allclose(m.arrays["tension"][:3], share, rtol=1e-9)
        g = m.call(engine, "rubbing_events", 0.0, x, 2 + 6)
        E = np.exp(m.mu[:2])
        room = np.minimum(E * share[:2] - share[1:], E * share[1:] - share[:2])
        np.testing.assert_allclose(g[2:4], room, rtol=1e-9)
        assert room[sheave] < 0.0 < room[1 - sheave]
