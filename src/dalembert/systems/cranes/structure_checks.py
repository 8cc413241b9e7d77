"""The checks behind the structure report; each yields (item, statement, holds, value, evidence)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.control.underactuated import collocated_inertia, partition
from dalembert.core.parameter import Parameter
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.body import point_mass
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.systems.cranes.coordinates import Columns, hanging, link_count, node_masses, rod_masses

__all__ = ["Study", "all_checks", "passivity_excess"]

Row = tuple[str, str, bool | None, float, str]
ZERO = 1e-11
SHARE = "share_of_node_masses"
OF_NODES = ("lemma 1.3 printed", "lemma 1.3 corrected", "lemma 1.8", "remark 14", "lemma 4")


@dataclass(frozen=True, eq=False)
class Study:
    """A crane with random postures of it.

    Parameters
    ----------
    machine, eom, col
        The crane, its equations (on the virtual machine: each is evaluated a few times only), its columns.
    hanging
        The hanging posture.
    q
        Random postures (samples, nq).
    rng
        Source of further random numbers.
    """

    machine: Machine
    eom: EquationsOfMotion
    col: Columns
    hanging: Array
    q: Array
    rng: np.random.Generator

    @staticmethod
    def of(machine: Machine, samples: int, rng: np.random.Generator) -> Study:
        """Draw postures with angles up to 1.2 rad and lengths within half of their values at rest."""
        col = Columns(machine)
        rest = np.array([hanging(machine)[name] for name in machine.q_names])
        q = np.tile(rest, (samples, 1))
        q[:, col.cart] = rng.normal(size=(samples, len(col.cart)))
        q[:, col.angle] = rng.uniform(-1.2, 1.2, size=(samples, len(col.angle)))
        q[:, col.length] *= rng.uniform(0.5, 1.5, size=(samples, len(col.length)))
        return Study(machine, derive(machine, backend="vm"), col, rest, q, rng)

    def hoisted(self) -> Study:
        """The same crane with all lengths but the first one locked."""
        names = [self.machine.q_names[i] for i in self.col.length]
        others = {n: float(self.hanging[self.machine.q_names.index(n)]) for n in names if n != "l1"}
        return Study.of(self.machine.lock(others), len(self.q), self.rng) if others else self

    def mass_matrix_with(self, share: float) -> Callable[[Array], Array]:
        """Mass matrix with the masses of all nodes but the payload multiplied by a share, which may be zero."""
        return lambda q: self._of_light_nodes.mass_matrix(q, p={SHARE: share})

    @cached_property
    def _of_light_nodes(self) -> EquationsOfMotion:
        nodes, share = {f"node{i}" for i in range(1, link_count(self.machine))}, Parameter(SHARE, 1.0)
        bodies = [point_mass(b.name, share * b.mass) if b.name in nodes else b for b in self.machine.bodies]
        return derive(self.machine.with_(bodies=tuple(bodies)), backend="vm")

    def scaled(self, angle: float) -> Array:
        """The first posture with its angles multiplied by a small number and its lengths at rest."""
        q = self.hanging.copy()
        q[self.col.angle] = angle * self.q[0, self.col.angle]
        return q

    def block(self, M: Array, rows: list[int], columns: list[int]) -> Array:
        """Part of matrices (..., nv, nv)."""
        return M[..., rows, :][..., :, columns]


def all_checks(study: Study) -> Iterator[Row]:
    """Every check that applies; CRANE's statements about masses at the nodes do not cover links with masses."""
    rods = bool(rod_masses(study.machine).any())
    for item, statement, holds, value, evidence in _all_checks(study):
        if rods and item.startswith(OF_NODES):
            yield item, statement, None, np.nan, "the links have masses"
        else:
            yield item, statement, holds, value, evidence


def _all_checks(study: Study) -> Iterator[Row]:
    yield from _property(study)
    yield from _lemma_1(study)
    yield from _light_nodes(study)
    h = study.hoisted()
    if h.col.length:
        yield from _lemma_2(h)
    yield from _lemma_3(h)
    if h.col.length:
        yield from _proposition(h)
        yield from _lemma_4(h)


def _order(f: Callable[[float], float]) -> float:
    """Order of smallness of a function of the angle, 0 if it does not vanish, infinity if it is zero anyway."""
    a, b = f(1e-2), f(1e-3)
    if a < ZERO:
        return np.inf
    return float(np.log10(a / max(b, 1e-300)))


def _property(s: Study) -> Iterator[Row]:
    """Property 1, for any number of links: both matrices column by column, from functions of O(N) operations.

    The Christoffel matrix is the polarised velocity force ``b``: ``C(q, v) w = (b(v + w) - b(v - w))/4``.
    """
    sym, n = s.eom.symbolic, s.eom.nv
    q, v, unit, p = s.q[0], s.rng.normal(size=n), np.eye(n), s.eom.parameter_values(None)
    w = ca.SX.sym("w", n)
    inertia = sym.inverse_dynamics - ca.substitute(sym.inverse_dynamics, sym.a, ca.SX.zeros(n))  # M a
    rate = ca.Function("rate", [sym.q, sym.v, sym.a, w, sym.p], [ca.jtimes(inertia, sym.q, w)])
    M_rate = np.array(rate(*(np.tile(x[:, None], n) for x in (q, 0 * v)), unit, np.tile(v[:, None], n), p).full())
    C = (s.eom.bias(np.tile(q, (n, 1)), v + unit) - s.eom.bias(np.tile(q, (n, 1)), v - unit)).T / 4
    N = M_rate - 2 * C
    skew = np.abs(N + N.T).max() / np.abs(N).max()
    statement = "M' - 2 C is skew-symmetric for the C of Christoffel's symbols (3)"
    yield "property 1", statement, bool(skew < ZERO), skew, "largest symmetric part"


def _lemma_1(s: Study) -> Iterator[Row]:
    c, a, l = s.col.cart, s.col.angle, s.col.length
    xa = c + a
    M0, M = s.eom.mass_matrix(s.hanging), s.eom.mass_matrix(s.q)
    scale = np.abs(M0).max()
    if l:
        off = np.abs(s.block(M0, xa, l)).max() / scale
        least = min(np.linalg.eigvalsh(s.block(M0, rows, rows)).min() for rows in (xa, l))
        yield (
            "lemma 1.1",
            "hanging: M is block-diagonal, both blocks positive definite (154)",
            bool(off < ZERO and least > 0),
            off,
            "off-diagonal block",
        )
        slope = _order(lambda e: np.abs(s.block(s.eom.mass_matrix(s.scaled(e)), xa, l)).max())
        flat = _order(lambda e: np.abs(s.block(s.eom.mass_matrix(s.scaled(e)) - M0, l, l)).max())
        yield (
            "lemma 1.2",
            "the coupling with the lengths is of first order in the angles, the change of M_ll of second",
            bool((abs(slope - 1) < 0.05 or slope == np.inf) and flat > 1.9),
            slope,
            "order of the coupling",
        )
        all_masses = node_masses(s.machine)
        index = [int(s.machine.q_names[i][1:]) for i in l]
        right = np.array([all_masses[n - 1 :].sum() for n in index])
        printed = np.array([all_masses[:n].sum() for n in index])
        diagonal = np.diagonal(s.block(M, l, l), axis1=-2, axis2=-1)
        for item, expected, words in (
            ("lemma 1.3 printed", printed, "m_1 + .. + m_n"),
            ("lemma 1.3 corrected", right, "m_n + .. + m_N"),
        ):
            error = np.abs(diagonal - expected).max() / all_masses.sum()
            statement = f"the diagonal of M_ll is constant, {words}"
            yield item, statement, bool(error < ZERO), error, "largest difference"
    yield from _couplings(s, M0, M)
    if l:
        lengths = s.q[0].copy()
        twice, thrice = lengths.copy(), lengths.copy()
        twice[l], thrice[l] = 2 * lengths[l], 3 * lengths[l]
        parts = [s.block(s.eom.mass_matrix(x), c, a) for x in (lengths, twice, thrice)]
        bent = np.abs(parts[0] - 2 * parts[1] + parts[2]).max() / scale
        statement = "the coupling of trolley and angles is linear in the lengths (at any angle)"
        yield "lemma 1.6", statement, bool(bent < ZERO), bent, "second difference"
        v = s.rng.normal(size=s.eom.nv)
        still = v.copy()
        still[l] = 0.0
        force = s.eom.bias(s.hanging, v) - s.eom.bias(s.hanging, 0 * v)
        calm = s.eom.bias(s.hanging, still) - s.eom.bias(s.hanging, 0 * v)
        left = np.abs(force[xa]).max()
        statement = "hanging: velocity forces with products l' theta' stay; without l' those on (x, theta) vanish"
        yield "lemma 1.7", statement, bool(left > 1e-6 * scale and np.abs(calm[xa]).max() < ZERO * scale), left, "force"


def _couplings(s: Study, M0: Array, M: Array) -> Iterator[Row]:
    """Couplings of trolley and angles, and among angles, that survive in the hanging posture."""
    names, scale = s.machine.q_names, np.abs(M0).max()
    constant = s.block(M, s.col.cart, s.col.cart)
    spread = np.abs(constant - constant[0]).max() / scale
    yield "lemma 1.3 M_xx", "M_xx is constant", bool(spread < ZERO), spread, "spread"
    planes = [("x", "theta")] + ([("y", "phi")] if s.col.spatial else [])
    rows = {letter: [i for i in s.col.angle if names[i].startswith(letter)] for _, letter in planes}
    cart = {axis: [names.index(axis)] for axis, _ in planes if axis in names}
    in_plane = [np.abs(s.block(M0, cart[x], rows[t])).min() for x, t in planes if x in cart]
    if in_plane:
        least = min(in_plane) / scale
        statement = "hanging: the coupling of each rail with the angles of its plane is not weak"
        yield "lemma 1.4", statement, bool(least > 1e-9), least, "smallest entry"
    least = min(s.block(M0, rows[t], rows[t]).min() for _, t in planes) / scale
    statement = "hanging: the couplings among the angles of a plane are not weak"
    yield "lemma 1.5", statement, bool(least > 1e-9), least, "smallest entry"
    if s.col.spatial and len(cart) == 2:
        cross = [s.block(M0, cart["x"], rows["phi"]), s.block(M0, cart["y"], rows["theta"])]
        cross.append(s.block(M0, rows["theta"], rows["phi"]))
        most = max(np.abs(x).max() for x in cross) / scale
        statement = "hanging: couplings across the two planes are not weak either (as a 3-D reading of 1.4 and 1.5)"
        yield "lemma 1.4-5 across", statement, bool(most > 1e-9), most, "largest entry"


def _light_nodes(s: Study) -> Iterator[Row]:
    """Conditioning and rank for a payload much heavier than the nodes (Lemma 1.8, remarks 9, 13, 14)."""
    n = link_count(s.machine)
    if n < 2:
        return
    if not node_masses(s.machine)[:-1].any():  # rods without masses at their joints
        return
    conditions = [np.linalg.cond(_unit(s.mass_matrix_with(share)(s.q[0]))) for share in (1e-2, 1e-4)]
    growth = float(np.log10(conditions[1] / conditions[0]) / 2)
    statement = "the condition number of M grows as the inverse of the nodes' masses"
    yield "lemma 1.8", statement, bool(abs(growth - 1) < 0.1), growth, "exponent"
    weightless = s.mass_matrix_with(0.0)
    expected = len(s.col.cart) + (3 if s.col.spatial else 2)
    if s.col.length:
        M_ll = s.block(weightless(s.hanging), s.col.length, s.col.length)
        rank = int(np.linalg.matrix_rank(M_ll, tol=1e-9 * np.abs(M_ll).max()))
        statement = "without node masses M_ll of the hanging crane has rank 1 (remarks 9, 14)"
        yield "remark 14", statement, rank == 1, rank, "rank"
    ranks = [int((np.linalg.eigvalsh(_unit(weightless(q))) > 1e-9).sum()) for q in s.q]
    statement = f"without node masses M has rank {expected} at every posture, not only near the vertical"
    holds = all(r == min(expected, s.eom.nv) for r in ranks)
    yield "lemma 1.8 stronger", statement, holds, max(ranks), "largest rank"


def _unit(M: Array) -> Array:
    """A mass matrix scaled to a unit diagonal, so that units do not count."""
    d = 1 / np.sqrt(np.diag(M))
    return M * np.outer(d, d)


def _lemma_2(h: Study) -> Iterator[Row]:
    c, a, l = h.col.cart, h.col.angle, h.col.length
    M, M0 = h.eom.mass_matrix(h.q), h.eom.mass_matrix(h.hanging)
    constant = max(np.ptp(h.block(M, rows, rows), axis=0).max() for rows in (c, l) if rows) / np.abs(M0).max()
    positive = all(np.linalg.eigvalsh(h.block(M0, rows, rows)).min() > 0 for rows in (c, l) if rows)
    statement = "only l1 varies: M_xx and M_ll are constant and positive"
    yield "lemma 2.1", statement, bool(constant < ZERO and positive), constant, "spread"
    order = _order(lambda e: np.abs(h.block(h.eom.mass_matrix(h.scaled(e)), c + a, l)).max())
    statement = "only l1 varies: its coupling column is of first order in the angles"
    yield "lemma 2.2", statement, bool(abs(order - 1) < 0.05), order, "order"


def _lemma_3(h: Study) -> Iterator[Row]:
    parts, M = partition(h.eom), h.eom.mass_matrix(h.q)
    least = float(np.linalg.eigvalsh(collocated_inertia(M, parts)).min())
    statement = "the inertia M_bar seen by the motors is positive definite (178)"
    yield "lemma 3", statement, least > 0, least, "smallest eigenvalue"


def _proposition(h: Study) -> Iterator[Row]:
    """Around the hanging posture the angles are reached by the rails' accelerations, and by velocity couplings."""
    from scipy.linalg import eigh

    c, a, l = h.col.cart, h.col.angle, h.col.length
    M0 = h.eom.mass_matrix(h.hanging)
    direct = np.abs(h.block(M0, a, l)).max() / np.abs(M0).max()
    sym = h.eom.symbolic
    K = ca.Function("K", [sym.q, sym.p], [ca.jacobian(sym.gravity, sym.q)])
    p = h.eom.parameter_values(None)
    stiffness = np.array(K(h.hanging, p).full())
    _, modes = eigh(h.block(stiffness, a, a), h.block(M0, a, a))
    reach = np.abs(modes.T @ h.block(M0, a, c)).max(axis=1)
    share = float(reach.min() / reach.max())
    statement = "hanging: l1'' does not act on the angles, the rails act on every mode of them"
    yield "proposition 1", statement, bool(direct < ZERO and share > 1e-9), share, "weakest mode's share"
    G = ca.Function("G", [sym.q, sym.v, sym.p], [ca.jacobian(sym.bias, sym.v)])
    hoisting = np.zeros(h.eom.nv)
    hoisting[l] = 1.0
    damping = h.block(np.array(G(h.hanging, hoisting, p).full()), a, a)
    reach = np.abs(np.einsum("ki,kj,ji->i", modes, damping, modes))
    statement = "hanging: with l1' the velocity couplings l1' theta' damp or drive every mode of the angles"
    share = float(reach.min() / reach.max())
    yield "proposition 1 velocity", statement, bool(share > 1e-9), share, "weakest mode's share"


def _lemma_4(h: Study) -> Iterator[Row]:
    """Velocity couplings with l1' in the row of theta_N."""
    n = link_count(h.machine)
    names = h.machine.q_names
    row, first = names.index(f"theta{n}"), names.index("l1")
    V = h.rng.normal(size=h.q.shape)
    still = V.copy()
    still[:, first] = 0.0
    terms = (h.eom.bias(h.q, V) - h.eom.bias(h.q, still))[:, row]
    mass = node_masses(h.machine)[-1]
    d1 = h.eom.pose("node1", h.q)[..., :3, 3] - h.eom.pose("trolley", h.q)[..., :3, 3]
    d1 /= np.linalg.norm(d1, axis=-1, keepdims=True)
    omega = np.einsum("...ij,...j->...i", h.eom.jacobian("node1", h.q, axes="world")[..., 3:, :], V)
    lever = h.eom.jacobian("payload", h.q, axes="world")[..., :3, row]
    right = 2 * mass * V[:, first] * np.einsum("...i,...i", np.cross(omega, d1), lever)
    scale = np.abs(terms).max()
    error = np.abs(terms - right).max() / scale
    words = "2 m_N l1' (d(OA_N)/dtheta_N . d1')" + ("" if h.col.spatial else " = 2 m_N l1' l_N theta1' cos(..)")
    statement = f"the terms with l1' in the row of theta_N are {words}"
    yield "lemma 4 corrected", statement, bool(error < 1e-9), error, "largest difference"
    if not h.col.spatial and n >= 2:
        angle = [names.index(f"theta{i}") for i in range(2, n + 1)]
        l_n = np.linalg.norm(lever, axis=-1)
        printed = -2 * mass * V[:, first] * l_n * V[:, angle].sum(axis=1) * np.cos(h.q[:, angle].sum(axis=1))
        error = np.abs(terms - printed).max() / scale
        statement = "the terms with l1' in the row of theta_N are those of (186)"
        yield "lemma 4 printed", statement, bool(error < 1e-9), error, "largest difference"


def passivity_excess(run: Run) -> tuple[float, float]:
    """Largest ``E(t) - E(0) - work of the motors`` along a run, and the energy that it handled."""
    energy = run.energy
    gained = energy.total - energy.total[0] - energy.work_input
    return float(np.max(gained)), max(energy.peak, float(np.abs(energy.work_input).max()), 1e-12)
