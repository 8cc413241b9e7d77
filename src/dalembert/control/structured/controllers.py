"""Ready-made structures: static gains, PD and PID, filters, notches, state space of an order, fixed controllers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.control.norms import matrices_of
from dalembert.control.structured.structures import Structure, SymbolicMatrices, Tunable, beside
from dalembert.core.errors import InputError
from dalembert.core.renamed import renamed_keywords
from dalembert.core.types import Array, ExpressionLike

if TYPE_CHECKING:
    from dalembert.control.norms import LinearSystem

__all__ = [
    "fixed_controller",
    "gains",
    "low_pass",
    "notch",
    "pd_gains",
    "pid_gains",
    "positive_gains",
    "state_space",
]

Entry = Tunable | float | tuple[float, float] | None


def _entry(entry: Entry, name: str, begin: float = 0.0) -> Tunable | float:
    """A tunable of a name: free (None), between bounds (a pair), as given, or a fixed number."""
    if entry is None:
        return Tunable(name, begin=begin)
    if isinstance(entry, Tunable):
        return entry
    if isinstance(entry, tuple):
        if len(entry) != 2:
            raise InputError(f"'{name}' must be a number, a pair of bounds, a Tunable or None, got {entry!r}")
        return Tunable(name, lower=entry[0], upper=entry[1])
    if isinstance(entry, Real) and np.isfinite(entry):
        return float(entry)
    raise InputError(f"'{name}' must be a number, a pair of bounds, a Tunable or None, got {entry!r}")


def _static(
    measured: tuple[str, ...], controls: tuple[str, ...], entries: dict[tuple[int, int], Tunable | float]
) -> Structure:
    tunables = tuple(e for e in entries.values() if isinstance(e, Tunable))

    def matrices(x: ExpressionLike) -> SymbolicMatrices:
        D, k = ca.SX(len(controls), len(measured)), 0
        for (i, j), e in entries.items():
            if isinstance(e, Tunable):
                D[i, j] = x[k]
                k += 1
            else:
                D[i, j] = e
        return ca.SX(0, 0), ca.SX(0, len(measured)), ca.SX(len(controls), 0), D

    return Structure(measured, controls, tunables, 0, matrices)


def gains(table: Mapping[str, Mapping[str, Entry]]) -> Structure:
    """Static gains by name: ``{control: {measured: entry}}``.

    An entry is None (free), a pair of bounds, a `Tunable`, or a fixed number; other entries are zero.

    Examples
    --------
    >>> s = gains({"trolley": {"x": None, "theta": (-50.0, 50.0)}})
    >>> [t.name for t in s.tunables]
    ['trolley<-x', 'trolley<-theta']
    """
    if not isinstance(table, Mapping) or not all(isinstance(row, Mapping) and row for row in table.values()):
        raise InputError(f"gains are given as {{control: {{measured: entry}}}}, got {table!r}")
    controls = tuple(table)
    measured = tuple(dict.fromkeys(n for row in table.values() for n in row))
    entries = {
        (i, measured.index(name)): _entry(entry, f"{control}<-{name}")
        for i, (control, row) in enumerate(table.items())
        for name, entry in row.items()
    }
    return _static(measured, controls, entries)


def pd_gains(
    loops: Mapping[str, tuple[str, str]], *, centralised: bool = False, kp: Entry = None, kd: Entry = None
) -> Structure:
    """Proportional and derivative gains on measured positions and velocities (SPACE 8.2, 8.3).

    Parameters
    ----------
    loops
        ``{control: (position, velocity)}``.
    centralised
        Whether each control sees all positions and velocities; if not, its own.
    kp, kd
        Bounds of the gains, or None.

    Examples
    --------
    >>> pd_gains({"tau1": ("q1", "q1_dot")}, kp=(0.0, 500.0)).measured
    ('q1', 'q1_dot')
    """
    controls = tuple(loops)
    positions, velocities = zip(*loops.values(), strict=True) if loops else ((), ())
    measured = (*positions, *velocities)
    n = len(controls)
    entries: dict[tuple[int, int], Tunable | float] = {}
    for block, (names, bound) in enumerate(((positions, kp), (velocities, kd))):
        for i, control in enumerate(controls):
            for j, name in enumerate(names):
                if centralised or i == j:
                    entry = _entry(bound, f"{control}<-{name}", begin=float(i == j))
                    if isinstance(entry, Tunable):
                        entry = replace(entry, name=f"{control}<-{name}")
                    entries[i, block * n + j] = entry
    return _static(tuple(measured), controls, entries)


def positive_gains(loops: Mapping[str, tuple[str, str]], *, least: float = 0.0) -> Structure:
    """Full symmetric gains ``Kp = L L^T``, ``Kd = H H^T`` on positions and velocities: positive by construction.

    With collocated controls such gains stabilise every configuration of a free-flying machine, rigid or flexible
    (SPACE 8.3.3.1).

    Parameters
    ----------
    loops
        ``{control: (position, velocity)}``.
    least
        Smallest eigenvalue of both matrices.

    Examples
    --------
    >>> positive_gains({"tau1": ("q1", "q1_dot"), "tau2": ("q2", "q2_dot")}).controls
    ('tau1', 'tau2')
    """
    controls = tuple(loops)
    positions, velocities = zip(*loops.values(), strict=True) if loops else ((), ())
    n = len(controls)
    names = [f"{kind}[{controls[i]},{controls[j]}]" for kind in ("Lp", "Ld") for i in range(n) for j in range(i + 1)]
    begin = [1.0 if i == j else 0.0 for _ in range(2) for i in range(n) for j in range(i + 1)]
    tunables = tuple(Tunable(name, power=2.0, begin=b) for name, b in zip(names, begin, strict=True))

    def matrices(x: ExpressionLike) -> SymbolicMatrices:
        squares, k = [], 0
        for _ in range(2):
            L = ca.SX(n, n)
            for i in range(n):
                for j in range(i + 1):
                    L[i, j] = x[k]
                    k += 1
            squares.append(L @ L.T + least * ca.SX.eye(n))
        return ca.SX(0, 0), ca.SX(0, 2 * n), ca.SX(n, 0), ca.horzcat(*squares)

    return Structure((*positions, *velocities), controls, tunables, 0, matrices)


def pid_gains(loops: Mapping[str, str], *, filter_time: float, integral: bool = True) -> Structure:
    """PID controllers of single signals, the derivative filtered: ``kp + ki/s + kd s / (T s + 1)``.

    Parameters
    ----------
    loops
        ``{control: measured}``.
    filter_time
        Time constant ``T`` of the derivative filter [s].
    integral
        Whether there is an integral part.

    Examples
    --------
    >>> pid_gains({"tau1": "q1"}, filter_time=1e-3).controls
    ('tau1',)
    """
    if not (isinstance(filter_time, Real) and np.isfinite(filter_time) and filter_time > 0):
        raise InputError(f"filter_time of a PID must be a positive number, got {filter_time!r}")
    return beside(*(_pid(control, name, float(filter_time), integral) for control, name in loops.items()))


def _pid(control: str, name: str, T: float, integral: bool) -> Structure:
    terms = ("kp", "ki", "kd") if integral else ("kp", "kd")

    def matrices(x: ExpressionLike) -> SymbolicMatrices:
        kp, kd = x[0], x[len(terms) - 1]
        A, B, C, D = ca.SX(-1.0 / T), ca.SX(1.0), -kd / T**2, kp + kd / T
        if integral:
            return ca.diagcat(ca.SX(1, 1), A), ca.vertcat(1.0, B), ca.horzcat(x[1], C), D
        return A, B, C, D

    tunables = tuple(Tunable(f"{control}.{k}", begin=0.1 if k == "ki" else 1.0) for k in terms)
    return Structure((name,), (control,), tunables, len(terms) - 1, matrices)


@renamed_keywords("rad/s", frequency="omega")
def low_pass(control: str, measured: str, *, order: int = 1, omega: Entry = None) -> Structure:
    """Low-pass of unit gain at rest, order 1 or 2: ``w / (s + w)`` or ``w^2 / (s^2 + 2 z w s + w^2)``.

    ``omega`` is the corner ``w`` [rad/s].

    Examples
    --------
    >>> low_pass("u", "y", order=2, omega=50.0).measured
    ('y',)
    """
    w = _entry(omega, f"{control}.omega", begin=10.0)
    if order not in (1, 2):
        raise InputError(f"order of a low-pass must be 1 or 2, got {order!r}")
    free = [e for e in (w,) if isinstance(e, Tunable)]
    damping = [Tunable(f"{control}.damping", 0.7, 0.05, 2.0, 1.0)] if order == 2 else []

    def matrices(x: ExpressionLike) -> SymbolicMatrices:
        f = x[0] if isinstance(w, Tunable) else w
        if order == 1:
            return -f, 1.0, f, 0.0
        z = x[len(free)]
        A = ca.vertcat(ca.horzcat(0, 1), ca.horzcat(-f * f, -2 * z * f))
        return A, ca.DM([0, 1]), ca.horzcat(f * f, 0), 0.0

    return Structure((measured,), (control,), (*free, *damping), order, matrices)


@renamed_keywords("rad/s", frequency="omega")
def notch(
    control: str, measured: str, *, omega: Entry, depth: Entry = (0.01, 1.0), width: Entry = (0.05, 2.0)
) -> Structure:
    """Notch ``(s^2 + 2 d z w s + w^2) / (s^2 + 2 z w s + w^2)``: ``omega`` is w [rad/s], width z, depth d.

    Examples
    --------
    >>> notch("u", "y", omega=13.7).controls
    ('u',)
    """
    entries = [
        _entry(e, f"{control}.{k}", begin=1.0) for e, k in ((omega, "omega"), (depth, "depth"), (width, "width"))
    ]
    free = [e for e in entries if isinstance(e, Tunable)]

    def matrices(x: ExpressionLike) -> SymbolicMatrices:
        k, values = 0, []
        for e in entries:
            values.append(x[k] if isinstance(e, Tunable) else e)
            k += isinstance(e, Tunable)
        w, d, z = values
        A = ca.vertcat(ca.horzcat(0, 1), ca.horzcat(-w * w, -2 * z * w))
        return A, ca.DM([0, 1]), ca.horzcat(0, 2 * (d - 1) * z * w), 1.0

    return Structure((measured,), (control,), tuple(free), 2, matrices)


def state_space(controls: Sequence[str], measured: Sequence[str], order: int, *, direct: bool = True) -> Structure:
    """A controller of a given order, all of its entries free; ``A`` is tridiagonal, which loses no generality.

    With as many controls as measurements, and as many states at least, a PD with filters is tuned first. The result is
    not worse than that one.
    """
    if not (isinstance(order, Integral) and not isinstance(order, bool) and order >= 0):
        raise InputError(f"order of a controller must be a whole number >= 0, got {order!r}")
    order = int(order)
    m, p = len(controls), len(measured)
    cells = {
        "A": [(i, j) for i in range(order) for j in range(order) if abs(i - j) <= 1],
        "B": [(i, j) for i in range(order) for j in range(p)],
        "C": [(i, j) for i in range(m) for j in range(order)],
        "D": [(i, j) for i in range(m) for j in range(p)] if direct else [],
    }
    # The states begin as low-passes of the measurements, beyond the typical frequency and below it in turn; their poles
    # are kept until the gains behind them are tuned, so that no order does worse than gains with such filters.
    poles = [-10.0 if i < p else -(10.0 ** (1.0 - 2.0 * (i % 2)) * 2.0 ** (i // 2)) for i in range(order)]
    begin = {("A", i, i): pole for i, pole in enumerate(poles)} | {("B", i, i % p): 1.0 for i in range(order)}
    # As many controls as measurements: a lead, kp (1 + s/w) / (1 + s/10w), in units of the typical gain at w.
    lead = m == p and order >= m
    begin |= {("D", i, i): 11.0 if lead else 1.0 for i in range(min(m, p))}
    begin |= {("C", i, i): -9.0 for i in range(m) if lead}
    tunables = tuple(
        Tunable(f"{k}[{i},{j}]", begin=begin.get((k, i, j), 0.0), hold=k in "AB")
        for k, where in cells.items()
        for i, j in where
    )

    def matrices(x: ExpressionLike) -> SymbolicMatrices:
        blocks = {"A": ca.SX(order, order), "B": ca.SX(order, p), "C": ca.SX(m, order), "D": ca.SX(m, p)}
        n = 0
        for k, where in cells.items():
            for i, j in where:
                blocks[k][i, j] = x[n]
                n += 1
        return blocks["A"], blocks["B"], blocks["C"], blocks["D"]

    def embedded(x: Array) -> Array:
        """Numbers of this structure for those of a PD with filters; the other states have no output."""
        A, B, C, D = (np.array(ca.DM(ca.SX(M)).full()) for M in pd.matrices(ca.DM(x)))
        more = order - p
        values = {
            "A": np.diag([*np.diag(A), *(A.min() * 0.5 ** (1 + np.arange(more)))]),
            "B": np.vstack([B, np.eye(max(more, p), p)[:more]]),
            "C": np.hstack([C, np.zeros((m, more))]),
            "D": D,
        }
        return np.array([values[k][i, j] for k, where in cells.items() for i, j in where])

    contained = None
    if lead and direct:
        pd = _filtered_pd(controls, measured)
        contained = (pd, embedded)
    return Structure(tuple(measured), tuple(controls), tunables, order, matrices, contained)


def _filtered_pd(controls: Sequence[str], measured: Sequence[str]) -> Structure:
    """``kp + kd s w / (s + w)`` of pairs of signals, the corners ``w`` of the filters free."""
    n = len(controls)
    tunables = [
        Tunable(f"{control}.{name}", begin=begin, lower=0.0 if name == "omega" else None, hold=name == "omega")
        for name, begin in (("kp", 1.0), ("kd", 1.0), ("omega", 10.0))
        for control in controls
    ]

    def matrices(x: ExpressionLike) -> SymbolicMatrices:
        kp, kd, w = x[:n], x[n : 2 * n], x[2 * n :]
        return ca.diag(-w), ca.SX.eye(n), ca.diag(-kd * w * w), ca.diag(kp + kd * w)

    return Structure(tuple(measured), tuple(controls), tuple(tunables), n, matrices)


def fixed_controller(system: LinearSystem, controls: Sequence[str], measured: Sequence[str]) -> Structure:
    """A given controller of python-control as a structure without tunables, to be combined with others.

    Examples
    --------
    >>> import control
    >>> fixed_controller(control.tf([10.0], [1.0, 10.0]), ["u"], ["y"]).controls
    ('u',)
    """
    (A, B, C, D), period = matrices_of(system)
    if period:
        raise InputError("structures are continuous: give a continuous controller")
    if D.shape != (len(controls), len(measured)):
        raise InputError(
            f"the controller has {D.shape[0]} outputs and {D.shape[1]} inputs, but {len(controls)} "
            f"controls and {len(measured)} measured signals are named"
        )
    fixed = tuple(ca.SX(ca.DM(m)) if m.size else ca.SX(*m.shape) for m in (A, B, C, D))

    def matrices(x: ExpressionLike) -> SymbolicMatrices:
        return fixed[0], fixed[1], fixed[2], fixed[3]

    return Structure(tuple(measured), tuple(controls), (), A.shape[0], matrices)
